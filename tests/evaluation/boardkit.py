"""Run directories made by hand: as many questions as wanted, rated as wanted, by a judge as wanted."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

DISCIPLINES = ("d02", "d03", "d04", "d05", "d06", "d07", "d08", "d10", "d11", "d12")
TYPES = ("short_answer", "calculation", "essay")


def ratings(mean: float, count: int = 1000, seed: int = 1) -> list[int | None]:
    """Stars whose mean is about this, on 0-1."""
    chance = random.Random(seed)
    return [sum(chance.random() < mean for _ in range(3)) for _ in range(count)]


def made_run(
    folder: Path,
    stars: list[int | None],
    *,
    model: str,
    judge: str = "judge-1",
    paper: str = "first",
    at: str = "2026-03-01T08:00:00.000Z",
    asked: int | None = None,
    publishable: bool = True,
    reply: str = "答案",
    votes: dict[str, list[int]] | None = None,
    reason: str = "timeout",
) -> Path:
    """A run of these ratings; None is unscored for reason, and beyond asked nothing was asked."""
    folder.mkdir(parents=True)
    ids = [f"{paper}-{n:04}" for n in range(len(stars))]
    questions = [
        {
            "question_id": question,
            "discipline": DISCIPLINES[n % len(DISCIPLINES)],
            "question_type": TYPES[n % len(TYPES)],
            "language": "zh",
        }
        for n, question in enumerate(ids)
    ]
    strata = [{"name": code, "eligible": 2000} for code in DISCIPLINES]
    manifest = {
        "format": 1,
        "fixed": {
            "items_sha256": paper,
            "references_sha256": "",
            "sample_sha256": "",
            "model": {"name": model},
            "judge": {"name": judge, "prompt_sha256": "p" * 64, "prompt": "made", "prompt_version": 1},
        },
        "publishable": publishable,
        "software": "made by hand",
        "started_at": at,
        "sample": {"bank_version": 3, "seed": 1, "strata_fields": ["discipline"], "strata": strata},
        "questions": questions,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    verdicts: list[dict[str, Any]] = []
    exchange: list[dict[str, Any]] = []
    for n, (question, given) in enumerate(zip(ids, stars, strict=True)):
        if asked is not None and n >= asked:
            break
        for name, theirs in (votes or {}).items():
            verdicts.append(_verdict(question, theirs[n], name, vote=True))
        verdicts.append(_verdict(question, given, judge, reason="" if given is not None else reason))
        answer = {"question_id": question, "attempt": 1, "state": "ok", "text": f"{reply}{n}", "model": model}
        exchange.append({"event": "reply", "request_id": f"1-{n}", "reply": answer})
    for name, lines in (("exchange.jsonl", exchange), ("verdicts.jsonl", verdicts)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _verdict(
    question: str, stars: int | None, judge: str, *, vote: bool = False, reason: str = ""
) -> dict[str, Any]:
    said = "" if stars is None else f'{{"Overall Rating":{stars}}}'
    verdict = {"question_id": question, "stars": stars, "reason": reason, "raw": said, "judge": judge}
    return {"event": "verdict", "final": True, "vote": vote, "exchange": None, "verdict": verdict}
