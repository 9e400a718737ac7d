"""A whole study with planted judges: grades, and verdicts on all pairs an audit would ask.

    python -m benchmarks.bias_planted [--models 20] [--prompts 100]

Writes the journals of an audit of 20 judges on 100 prompts, with all equal-quality pairs and all null pairs,
and prints how long `exambank audit report` takes on them and how much memory, against 60 s and 1 GiB. The
exit code is 1 when either is exceeded.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.bias_simulation import logistic, shift
from evaluation.bias.folder import Plan, journal_path, read_plan, write_plan
from evaluation.bias.pairs import Mask, mirrored, shown_once
from evaluation.bias.records import DIMENSIONS, Prompt
from evaluation.bias.settings import AuditModel, AuditSettings, Form, Rules
from evaluation.bias.study import JudgePairs, Study, pairs_of
from evaluation.bias.tally import FIRST, NOT_ASKED, SECOND, UNREADABLE, Choices

Floats = npt.NDArray[np.float64]

MOST_SECONDS, MOST_BYTES = 60.0, 2**30
_DIMENSIONS = 5
_TEXT = "a reply"
_OF = sha256(_TEXT.encode()).hexdigest()[:16]
_SAID = {FIRST: ("first", "A"), SECOND: ("second", "B")}


def planted(
    betas: list[float],
    *,
    prompts: int,
    position: float = 0.1,
    pi: float = 0.9,
    liking: float = 0.8,
    unreadable: float = 0.0,
    dimensions: tuple[float, ...] | None = None,
    rules: Rules | None = None,
    spread: float = 0.2,
    seed: int = 1,
) -> Study:
    """A study with one judge for each β, which favours itself so far in the population.

    position is the share of pairs decided by place, pi the share of high-contrast pairs judged right,
    liking how far what judges like varies beyond the grades, in logits. dimensions adds structured
    verdicts: the push towards oneself in each of five choices, in logits, 0 where a dimension has none.
    spread is how far replies of one prompt differ in quality, and graders on one reply.
    """
    random = np.random.default_rng(seed)
    models = len(betas)
    forms: tuple[Form, ...] = ("plain",) if dimensions is None else ("plain", "structured")
    rules = rules or Rules()
    settings = AuditSettings(
        models=tuple(AuditModel(name=f"model-{n}", family=f"house-{n}") for n in range(models)),
        graders=(
            AuditModel(name="grader-a", family="grader-a"),
            AuditModel(name="grader-b", family="grader-b"),
        ),
        rules=rules.model_copy(update={"forms": forms}),
    )
    skill = np.linspace(7.0, 7.4, models)[:, None]
    poor = 3.2 * (random.random((models, prompts)) < 0.15)
    base = skill + random.normal(0, 0.5, prompts) + random.normal(0, spread, (models, prompts)) - poor
    grades = np.clip(np.round((base + random.normal(0, spread, (2, models, prompts))) * 20) / 20, 0, 10)
    tasks = ("writing", "facts", "explaining")
    texts = [Prompt(prompt_id=f"p{n}", text=f"prompt {n}", task=tasks[n % 3]) for n in range(prompts)]
    study = Study(settings=settings, prompts=texts, grades=grades, replies=models * prompts)
    likes = liking * random.standard_normal((prompts, models))
    for place, beta in enumerate(betas):
        judge = settings.models[place].called
        pairs = _asked(study, judge)
        push = shift(beta, position, liking)
        by_place = _even(random, pairs.contrast.shape) < position
        plain = _verdicts(random, likes, place, push, by_place)
        _contrast(random, plain, pairs.contrast, pi)
        lost = random.random(plain.shape) < unreadable
        study.choices.setdefault("plain", {})[judge] = _only(study, pairs, judge, plain, lost)
        if dimensions is not None:
            votes = sum(_verdicts(random, likes, place, one, by_place).astype(int) for one in dimensions)
            voted = (votes > _DIMENSIONS // 2).astype(np.int8)
            _contrast(random, voted, pairs.contrast, pi)
            study.choices.setdefault("structured", {})[judge] = _only(study, pairs, judge, voted, lost)
    return study


def implied(dimensions: tuple[float, ...], position: float, liking: float) -> float:
    """β in the population of a majority of five choices, each pushed so far towards oneself."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    chances = np.ones((1, len(nodes)))
    for push in dimensions:
        one = logistic(push + liking * np.sqrt(2) * nodes)
        chances = np.vstack([chances * (1 - one), np.zeros(len(nodes))]) + np.vstack(
            [np.zeros(len(nodes)), chances * one]
        )
    return float((1 - position) * (weights @ chances[_DIMENSIONS // 2 + 1 :].sum(0) - 0.5))


def _asked(study: Study, judge: str) -> JudgePairs:
    """All pairs at the widest threshold, and those of every other one."""
    every = [pairs_of(study, judge, epsilon) for epsilon in study.settings.rules.curve]
    return JudgePairs(
        own=np.logical_or.reduce([one.own for one in every]),
        null=np.logical_or.reduce([one.null for one in every]),
        contrast=every[0].contrast,
    )


def _even(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Uniform numbers, the same for a pair in both orders."""
    upper = np.triu(random.random(shape), 1)
    return np.asarray(upper + upper.transpose(0, 2, 1))


def _verdicts(random: np.random.Generator, likes: Floats, judge: int, push: float, by_place: Mask) -> Choices:
    """[q, a, b]: FIRST where a, shown first, is chosen over b."""
    models = likes.shape[1]
    own = np.zeros((models, models))
    own[judge, :], own[:, judge] = push, -push
    with np.errstate(over="ignore"):
        better = logistic(likes[:, :, None] - likes[:, None, :] + own)
    draw = random.random(better.shape)
    upper = np.triu(draw < better, 1)
    lower = np.tril(~upper.transpose(0, 2, 1), -1)
    return np.where(by_place | upper | lower, FIRST, SECOND).astype(np.int8)


def _contrast(random: np.random.Generator, choices: Choices, better: Mask, pi: float) -> None:
    """Judge the high-contrast pairs right in a share pi."""
    hit = _even(random, choices.shape) < pi
    choices[better] = np.where(hit[better], FIRST, SECOND)
    worse = better.transpose(0, 2, 1)
    choices[worse] = np.where(hit[worse], SECOND, FIRST)


def _only(study: Study, pairs: JudgePairs, judge: str, choices: Choices, lost: Mask) -> Choices:
    """The verdicts on what is asked, some of them unreadable."""
    asked = mirrored(np.asarray(pairs.own | pairs.null)) | shown_once(pairs.contrast, study.lots(judge).coin)
    return np.where(asked, np.where(lost, UNREADABLE, choices), NOT_ASKED).astype(np.int8)


def write_audit(study: Study, folder: Path) -> int:
    """The folder of an audit that found this study; how many verdicts it holds."""
    names = study.labels
    plan = write_plan(
        folder, Plan(study.settings, tuple(study.prompts), False, False, "2026-01-01T00:00:00Z")
    )
    for stage in ("replies", "grades", "verdicts"):
        (folder / stage).mkdir()
    reply = {"attempt": 1, "state": "ok", "text": _TEXT, "finish_reason": "stop"}
    for name in names:
        lines = [
            {"event": "reply", "final": True, "reply": {**reply, "question_id": one.prompt_id, "model": name}}
            for one in study.prompts
        ]
        _write(journal_path(folder, "replies", names, name), lines)
    graders = [one.called for one in study.settings.graders]
    for row, grader in enumerate(graders):
        lines = []
        for place, name in enumerate(names):
            for column, one in enumerate(study.prompts):
                scores = _quarters(float(study.grades[row, place, column]))
                grade = {"prompt_id": one.prompt_id, "model": name, "grader": grader, "scores": scores}
                grade |= {"raw": json.dumps(scores)}
                about = {"final": True, "fault": False, "exchange": {"state": "ok"}, "of": _OF}
                lines.append({"event": "grade", "grade": grade, **about})
        _write(journal_path(folder, "grades", graders, grader), lines)
    count = 0
    for judge in study.judges:
        lines = list(_lines(study, judge))
        count += len(lines)
        _write(journal_path(folder, "verdicts", names, judge), lines)
    assert plan == read_plan(folder)
    return count


def _quarters(mean: float) -> dict[str, float]:
    """Five grades in quarters with this mean, which is a multiple of 1/20."""
    least, more = divmod(round(mean * 20), len(DIMENSIONS))
    return {name: (least + (place < more)) / 4 for place, name in enumerate(DIMENSIONS)}


def _lines(study: Study, judge: str) -> Iterator[dict[str, object]]:
    """A judge's journal, with as much beside the choice as real ones have."""
    names = study.labels
    exchange = {"state": "ok", "finish_reason": "stop", "prompt_tokens": 900, "completion_tokens": 1}
    exchange |= {"latency_seconds": 0.5, "http_status": 200, "error": "", "at": "2026-01-01T00:00:00Z"}
    about = {"attempt": 1, "final": True, "fault": False, "detail": "", "model": judge, "exchange": exchange}
    about |= {"of": f"{_OF}-{_OF}"}
    for form, by_judge in study.choices.items():
        said = by_judge[judge]
        for q, a, b in np.argwhere(said != NOT_ASKED):
            choice, raw = _SAID.get(int(said[q, a, b]), ("", "Both."))
            if form == "structured" and choice:
                raw = json.dumps(dict.fromkeys(DIMENSIONS, raw))
            verdict = {"prompt_id": study.prompts[q].prompt_id, "judge": judge, "form": form, "raw": raw}
            verdict |= {"first": names[a], "second": names[b], "choice": choice, "choices": {}, "reason": ""}
            verdict |= {"prompt_hash": "0" * 64, "at": "2026-01-01T00:00:00Z"}
            yield {"event": "verdict", "verdict": verdict, **about}


def _write(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text(
        "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8"
    )


def main() -> int:
    """Measure, print one table, and return 1 where a bound is exceeded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--prompts", type=int, default=100)
    given = parser.parse_args()
    betas = np.linspace(-0.25, 0.3, given.models).round(2).tolist()
    study = planted(betas, prompts=given.prompts, rules=Rules(null_per_prompt=0), spread=0.1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "audit"
        verdicts = write_audit(study, folder)
        size = sum(path.stat().st_size for path in folder.rglob("*.jsonl"))
        home = str(Path(__file__).resolve().parent.parent)
        command = [sys.executable, "-m", "flows.cli", "audit", "report", str(folder)]
        started = time.monotonic()
        subprocess.run(command, env={**os.environ, "PYTHONPATH": home}, check=True, stdout=subprocess.DEVNULL)
        took = time.monotonic() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    most, cpu = used.ru_maxrss * 1024, used.ru_utime + used.ru_stime
    print(f"{given.models} models, {given.prompts} prompts, {verdicts:,} verdicts, {size / 1e6:.0f} MB")
    print(f"{'':12}{'measured':>12}{'bound':>10}{'ratio':>8}")
    print(f"{'seconds':12}{took:12.1f}{MOST_SECONDS:10.0f}{took / MOST_SECONDS:8.2f}   (CPU {cpu:.1f} s)")
    print(f"{'MiB':12}{most / 2**20:12.0f}{MOST_BYTES / 2**20:10.0f}{most / MOST_BYTES:8.2f}")
    return int(took > MOST_SECONDS or most > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
