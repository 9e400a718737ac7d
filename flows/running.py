"""What the commands on runs share: the sample, its references, the run key, progress, what is written."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from evaluation.estimate import Estimate, Usage
    from evaluation.run import Progress
    from evaluation.signing import Signer
    from schemas.evaluation import Manifest, SampleItem, Score

SCORES, REPORT = "scores.json", "report.html"


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


def signer_of(bank: Path) -> Signer:
    """What signs the runs on a bank's questions."""
    from bank.ids import load_key, run_key
    from evaluation.signing import Signer

    return Signer(run_key(load_key(bank / "key")))


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


def finish(
    out: Path,
    score: Score,
    items: Sequence[SampleItem],
    references: Mapping[str, str],
    signer: Signer,
) -> dict[str, tuple[str, str]]:
    """Write scores and report, then the seal. Returns the names of the disciplines."""
    from evaluation.report import render
    from evaluation.rundir import read_record, seal_run
    from schemas.taxonomy import taxonomy

    names = {code: (node.zh, node.en) for code, node in taxonomy().disciplines.items()}
    page = render(score, read_record(out), names, items=items, references=references)
    common.write_whole(out / SCORES, score.model_dump_json(indent=1).encode() + b"\n")
    common.write_whole(out / REPORT, page.encode())
    seal_run(out, signer, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    return names


class Counter:
    """Progress of a run on standard error: done of how many, and the time left."""

    def __init__(self, total: int, quiet: bool, what: str = "asking") -> None:
        self.quiet, self.bar, self.task = quiet, None, None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self.task = self.bar.add_task(what, total=total)

    def __enter__(self) -> Counter:
        if self.bar is not None:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def advance(self, step: Progress) -> None:
        """One question is done."""
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, completed=step.done)
        elif not self.quiet:
            result = f"{step.stars} stars" if step.stars is not None else f"unscored, {step.reason}"
            common.say(f"[{step.done}/{step.total}] {step.question_id}: {result}")


def tell(score: Score, out: Path, names: Mapping[str, tuple[str, str]], used: Sequence[Usage] = ()) -> None:
    """The score for people, and what the run took."""
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
    typer.echo(
        f"absolute score {absolute} of 100 over {score.scored} of {common.counted(score.asked, 'question')}"
    )
    if score.relative is not None:
        typer.echo(f"relative score {score.relative:.2f} % of {score.relative_to}")
    if score.unscored:
        told = ", ".join(f"{count} {reason}" for reason, count in score.unscored.items())
        typer.echo(f"unscored: {told}")
    if not score.publishable:
        typer.echo("not for a leaderboard: built-in or self-judging parts, or nothing scored")
    for one in used:
        price = "" if one.price is None else f", price {_money(one.price)}"
        typer.echo(
            f"{one.role}: {common.counted(one.requests, 'request')}, {one.prompt_tokens:,} tokens sent, "
            f"{one.reply_tokens:,} back{price}"
        )
    typer.echo(f"scores and report in {out}: {SCORES}, {REPORT}")


def tell_estimate(parts: Sequence[Estimate], *, as_json: bool) -> None:
    """What a run would take."""
    if as_json:
        data: dict[str, Any] = {"dry_run": True, "parts": [asdict(part) for part in parts]}
        data["calls"] = sum(part.calls for part in parts)
        data["price"] = _sum(part.price for part in parts)
        common.emit(data)
        return
    if not parts:
        typer.echo("nothing would be sent: built-in parts only, or everything is done")
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
                _money(part.price),
                _money(part.most_price),
            )
            for part in parts
        ],
    )
    total = _sum(part.price for part in parts)
    typer.echo(f"in all {common.counted(sum(part.calls for part in parts), 'call')}, price {_money(total)}")
    if total is None:
        typer.echo(
            "set price_prompt and price_reply, of a million tokens, under [model] and [judge] for a price"
        )


def _sum(values: Any) -> float | None:  # noqa: ANN401 - any iterable of numbers or None
    given = list(values)
    return None if any(value is None for value in given) else float(sum(given))


def _money(value: float | None) -> str:
    return "not known" if value is None else f"{value:,.2f}"
