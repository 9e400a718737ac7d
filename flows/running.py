"""What the commands on runs share: the paper that is asked, one run from begin to seal, what is told."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.commands import common
from flows.progress import Meter, Tell
from schemas.errors import UsageError
from schemas.shown import label

if TYPE_CHECKING:
    from evaluation.estimate import Estimate, Usage
    from evaluation.rejudge import Source
    from evaluation.rundir import RunRecord
    from evaluation.signing import Signer
    from evaluation.verify import Report
    from schemas.evaluation import Manifest, SampleItem, Score
    from schemas.settings import JudgeSettings, ModelSettings

SCORES, REPORT = "scores.json", "report.html"
PARTLY = 3


@dataclass(frozen=True)
class Paper:
    """What is asked: the items, the manifest of their draw, the reference answers, what signs the runs."""

    items: list[SampleItem]
    manifest: Manifest
    references: dict[str, str]
    signer: Signer


@dataclass(frozen=True)
class Plan:
    """What the runs of one command share."""

    paper: Paper
    judge: JudgeSettings
    baseline: Score | None = None
    allow_self_judge: bool = False


@dataclass(frozen=True)
class Done:
    """A run that came to its end."""

    out: Path
    score: Score
    used: tuple[Usage, ...]
    model_ids: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """The exit code it stands for."""
        return PARTLY if self.score.unscored else 0

    def as_json(self) -> dict[str, Any]:
        """Its folder and score as JSON values."""
        return {"out": str(self.out), **self.score.model_dump(mode="json"), "model_ids": self.model_ids}


def read_paper(sample_dir: Path, bank: Path) -> Paper:
    """A draw with the answers to it. UsageError when it is none, or of another bank."""
    items, manifest = read_sample(sample_dir)
    references = read_references(bank, [item.question_id for item in items], manifest.bank_version)
    return Paper(items, manifest, references, signer_of(bank))


def make_plan(paper: Paper, judge: JudgeSettings, baseline: Path | None, allow_self_judge: bool) -> Plan:
    """What the runs share. baseline: the folder of the run that relative scores refer to."""
    from evaluation.run import score_record
    from evaluation.rundir import read_record

    base = score_record(read_record(baseline)) if baseline is not None else None
    return Plan(paper, judge, base, allow_self_judge)


def carry_out(
    plan: Plan,
    model: ModelSettings,
    out: Path,
    tell: Tell,
    *,
    source: Source | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Done:
    """One run in out, begun or gone on with, to its sealed report.

    source: a run whose replies are judged again; the model is not asked then. Errors as in
    evaluation.run.run.
    """
    from evaluation.estimate import usage
    from evaluation.judge import build_judge
    from evaluation.models import build_model
    from evaluation.run import run

    paper, judge = plan.paper, plan.judge
    places: dict[str, Any] = {"environ": os.environ, "clock": time.monotonic, "dotenv": Path(".env")}
    meter = Meter(model, judge)
    score = run(
        paper.items,
        paper.references,
        source.model if source else build_model(model, paper.references, **places),
        build_judge(judge, **places),
        out,
        now=lambda: datetime.now(UTC),
        sleep=sleep,
        progress=lambda step: tell(step, meter.sofar(step)),
        sample=paper.manifest,
        baseline=plan.baseline,
        allow_self_judge=plan.allow_self_judge,
        signer=paper.signer,
        source=source,
    )
    record = finish(out, score, paper)
    return Done(out, score, tuple(usage(record.uses, model, judge)), tuple(sorted(record.model_ids)))


def read_sample(folder: Path) -> tuple[list[SampleItem], Manifest]:
    """The items and manifest of a draw. UsageError when they are none, or not as drawn."""
    from pydantic import ValidationError

    from flows.commands.draw import ITEMS, MANIFEST
    from schemas.evaluation import Manifest, SampleItem

    try:
        data = (folder / ITEMS).read_bytes()
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
        items = [SampleItem.model_validate_json(line) for line in data.splitlines() if line.strip()]
    except OSError as error:
        raise UsageError(
            f"{folder} is no sample: {error.strerror} ({Path(error.filename or '').name}).",
            code="no_sample",
            remedy="Draw one with `exambank sample`.",
        ) from None
    except ValidationError as error:
        raise UsageError(
            f"{folder} is no sample: {error.errors()[0]['msg']}.",
            code="no_sample",
            remedy="Draw it again with `exambank sample`.",
        ) from None
    if manifest.items_sha256 and hashlib.sha256(data).hexdigest() != manifest.items_sha256:
        raise UsageError(
            f"{folder / ITEMS} is not as it was drawn.",
            code="sample_changed",
            remedy="Draw it again with `exambank sample` and the manifest's seed.",
        )
    return items, manifest


def read_references(bank: Path, question_ids: Sequence[str], version: int | None) -> dict[str, str]:
    """The reference answers in a version of the bank. UsageError when it does not hold the questions."""
    from bank.store import Bank

    table = Bank.open(bank).table(["question_id", "reference_answer"], version=version)
    answers = dict(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    missing = [name for name in question_ids if name not in answers]
    if missing:
        raise UsageError(
            f"{bank} does not hold {common.counted(len(missing), 'question')} of the sample, "
            f"such as {missing[0]}.",
            code="other_bank",
            remedy="Give the bank the sample was drawn from with --bank.",
        )
    return {name: answers[name] or "" for name in question_ids}


def verified(run_dir: Path, record: RunRecord, bank: Path, items: Mapping[str, SampleItem] | None) -> Report:
    """What verification finds in a run. A run of questions that the bank does not hold does not hold up."""
    from evaluation.verify import Report, verify

    version = (record.manifest.get("sample") or {}).get("bank_version")
    try:
        references = read_references(bank, list(record.disciplines), version)
    except UsageError as error:
        if error.code != "other_bank":
            raise
        return Report([f"{error.message} The run was edited, or this is not its bank."])
    return verify(run_dir, signer_of(bank), references, items)


def signer_of(bank: Path) -> Signer:
    """What signs the runs on a bank's questions."""
    from bank.ids import load_key, run_key
    from evaluation.signing import Signer

    return Signer(run_key(load_key(bank / "key")))


def has_key(bank: Path) -> bool:
    """Whether there is a bank whose key can sign."""
    return (bank / "key").is_file()


def done_so_far(out: Path) -> tuple[dict[str, str], set[str]]:
    """Of a run that was begun: the replies by question, and the questions that have stars."""
    from evaluation.judge import judged_text
    from evaluation.rundir import MANIFEST, read_record
    from schemas.evaluation import ReplyState

    if not (out / MANIFEST).exists():
        return {}, set()
    record = read_record(out)
    replies = {q: judged_text(r) for q, r in record.replies.items() if r.state is ReplyState.OK}
    return replies, {q for q, verdict in record.verdicts.items() if verdict.stars is not None}


def discipline_names() -> dict[str, tuple[str, str]]:
    """The names of the disciplines in Chinese and English, by code."""
    from schemas.taxonomy import taxonomy

    return {code: (node.zh, node.en) for code, node in taxonomy().disciplines.items()}


def finish(out: Path, score: Score, paper: Paper) -> RunRecord:
    """Write scores and report, then the seal."""
    from evaluation.report import render
    from evaluation.rundir import read_record, seal_run

    record = read_record(out)
    page = render(score, record, discipline_names(), items=paper.items, references=paper.references)
    common.write_whole(out / SCORES, score.model_dump_json(indent=1).encode() + b"\n")
    common.write_whole(out / REPORT, page.encode())
    seal_run(out, paper.signer, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    return record


def end(done: Done, *, as_json: bool) -> int:
    """Tell of a run that came to its end; its exit code."""
    if as_json:
        common.emit(done.as_json())
    else:
        tell(done)
    return done.code


def tell(done: Done) -> None:
    """The score for people, and what the run took."""
    score, names = done.score, discipline_names()
    rows = [
        (
            f"{d.discipline} {' '.join(names.get(d.discipline, ('', '')))}",
            d.asked,
            d.scored,
            "-" if d.score is None else f"{d.score:.2f}",
        )
        for d in score.disciplines
    ]
    common.table(f"{score.model}, judged by {score.judge}", ("discipline", "asked", "scored", "of 10"), rows)
    absolute = "none" if score.absolute is None else f"{score.absolute:.2f}"
    common.tell(
        f"absolute score {absolute} of 100 over {score.scored} of {common.counted(score.asked, 'question')}"
    )
    if score.relative is not None:
        common.tell(f"relative score {score.relative:.2f} % of {label(score.relative_to)}")
    if score.unscored:
        told = ", ".join(f"{count} {reason}" for reason, count in score.unscored.items())
        common.tell(f"unscored: {told}")
    if not score.publishable:
        common.tell("not for a leaderboard: built-in or self-judging parts, or nothing scored")
    if len(done.model_ids) > 1:
        common.say(f"the endpoint named more than one model in its replies: {', '.join(done.model_ids)}")
    for one in done.used:
        price = "" if one.price is None else f", price {money(one.price)}"
        common.tell(
            f"{one.role}: {common.counted(one.requests, 'request')}, {one.prompt_tokens:,} tokens sent, "
            f"{one.reply_tokens:,} back{price}"
        )
    common.tell(f"scores and report in {done.out}: {SCORES}, {REPORT}")


def tell_estimate(parts: Sequence[Estimate], *, as_json: bool, tables: str = "[model] and [judge]") -> None:
    """What a run would take; tables are where prices are set."""
    if as_json:
        data: dict[str, Any] = {"dry_run": True, "parts": [asdict(part) for part in parts]}
        data["calls"] = sum(part.calls for part in parts)
        data["price"] = _sum(part.price for part in parts)
        common.emit(data)
        return
    if not parts:
        common.tell("nothing would be sent: built-in parts only, or everything is done")
        return
    common.table(
        "what would be sent, by estimate",
        ("part", "calls", "tokens sent", "tokens back", "at most", "price", "at most "),
        [
            (
                f"{part.role} {part.name}",
                part.calls,
                part.prompt_tokens,
                part.reply_tokens,
                "-" if part.most_reply_tokens is None else f"{part.most_reply_tokens:,}",
                money(part.price),
                money(part.most_price),
            )
            for part in parts
        ],
    )
    total = _sum(part.price for part in parts)
    common.tell(f"in all {common.counted(sum(part.calls for part in parts), 'call')}, price {money(total)}")
    if total is None:
        common.tell(f"set price_prompt and price_reply, of a million tokens, under {tables} for a price")


def _sum(values: Any) -> float | None:  # noqa: ANN401 - any iterable of numbers or None
    given = list(values)
    return None if any(value is None for value in given) else float(sum(given))


def money(value: float | None) -> str:
    """An amount, in the currency of the settings."""
    return "not known" if value is None else f"{value:,.2f}"
