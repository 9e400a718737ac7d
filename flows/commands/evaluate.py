"""`exambank evaluate`: a model answers a sample, a judge scores it, a report says how well."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common

if TYPE_CHECKING:
    from evaluation.run import Progress
    from schemas.evaluation import Manifest, SampleItem, Score

EPILOG = (
    "Example: exambank evaluate data/runs/paper --model reference --judge overlap --bank data/bank "
    "--out data/runs/reference"
)
SCORES, REPORT = "scores.json", "report.html"


def evaluate(
    sample_dir: Annotated[
        Path,
        typer.Argument(metavar="SAMPLE", help="Folder that `exambank sample` wrote.", show_default=False),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the run.", show_default=False)],
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="reference, blank, or a model's name at --base-url. [default: reference]"
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="OpenAI-compatible endpoint of the model.")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", help="overlap, or a model's name at --judge-base-url. [default: overlap]"),
    ] = None,
    judge_base_url: Annotated[
        str | None, typer.Option("--judge-base-url", help="OpenAI-compatible endpoint of the judge.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Folder of the run that relative scores refer to.")
    ] = None,
    allow_self_judge: Annotated[
        bool,
        typer.Option("--allow-self-judge", help="Let a model judge itself; such scores are not published."),
    ] = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
    as_json: common.JsonOption = False,
) -> int:
    """Ask a model the questions of a sample one by one, have the replies judged, and score them.

    The same command again resumes. Keys are read from the environment: EXAMBANK_API_KEY, unless
    the settings name other variables.
    """
    from bank.store import Bank
    from evaluation.judge import build_judge
    from evaluation.models import build_model
    from evaluation.report import render
    from evaluation.run import run, score_record
    from evaluation.rundir import read_record
    from schemas.taxonomy import taxonomy

    flags = {
        "model.name": model,
        "model.base_url": base_url,
        "judge.name": judge,
        "judge.base_url": judge_base_url,
    }
    settings = common.settings(config, flags)
    common.check_out(out, folder=True)
    items, manifest = _read_sample(sample_dir)
    opened = Bank.open(bank)
    table = opened.table(["question_id", "reference_answer"], version=manifest.bank_version)
    answers = dict(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    references = {item.question_id: answers.get(item.question_id) or "" for item in items}
    _check_references(references, answers, bank)
    places: dict[str, Any] = {"environ": os.environ, "clock": time.monotonic, "dotenv": Path(".env")}
    told = _Counter(len(items), quiet)
    with told:
        score = run(
            items,
            references,
            build_model(settings.model, references, **places),
            build_judge(settings.judge, **places),
            out,
            now=lambda: datetime.now(UTC),
            sleep=time.sleep,
            progress=told.advance,
            sample=manifest,
            baseline=score_record(read_record(baseline)) if baseline is not None else None,
            allow_self_judge=allow_self_judge,
        )
    names = {code: (node.zh, node.en) for code, node in taxonomy().disciplines.items()}
    page = render(score, read_record(out), names, items=items, references=references)
    common.write_whole(out / SCORES, score.model_dump_json(indent=1).encode() + b"\n")
    common.write_whole(out / REPORT, page.encode())
    if as_json:
        common.emit({"out": str(out), **score.model_dump(mode="json")})
    else:
        _tell(score, out, names)
    return 3 if score.unscored else 0


def _read_sample(folder: Path) -> tuple[list[SampleItem], Manifest]:
    """The items and manifest of a draw. UsageError when they are none, or not as drawn."""
    import hashlib

    from pydantic import ValidationError

    from flows.commands.draw import ITEMS, MANIFEST
    from schemas.errors import UsageError
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


def _check_references(references: dict[str, str], known: dict[str, Any], bank: Path) -> None:
    from schemas.errors import UsageError

    missing = [name for name in references if name not in known]
    if missing:
        raise UsageError(
            f"{bank} does not hold {common.counted(len(missing), 'question')} of the sample, "
            f"such as {missing[0]}.",
            code="other_bank",
            remedy="Give the bank the sample was drawn from with --bank.",
        )


class _Counter:
    """Progress of a run on standard error."""

    def __init__(self, total: int, quiet: bool) -> None:
        import sys

        self.quiet, self.bar, self.task = quiet, None, None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task("asking", total=total)

    def __enter__(self) -> _Counter:
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


def _tell(score: Score, out: Path, names: dict[str, tuple[str, str]]) -> None:
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
    typer.echo(f"scores and report in {out}: {SCORES}, {REPORT}")
