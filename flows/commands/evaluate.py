"""`exambank evaluate`: a model answers a sample, a judge scores it, a report says how well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows import named, progress, running
from flows.commands import common
from flows.series import Series, side_by_side
from schemas.errors import UsageError

if TYPE_CHECKING:
    from evaluation.estimate import Estimate
    from schemas.settings import JudgeSettings, ModelSettings

EPILOG = (
    "Example: exambank evaluate data/runs/paper --model reference --judge overlap --bank data/bank "
    "--out data/runs/reference"
)
JudgeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        help="overlap, or a model's name at --judge-base-url; given more than once, the judges vote. "
        "[default: overlap]",
    ),
]
JudgeUrlOption = Annotated[
    str | None, typer.Option("--judge-base-url", help="OpenAI-compatible endpoint of the judge.")
]
SelfJudgeOption = Annotated[
    bool,
    typer.Option(
        "--allow-self-judge", help="Let a model judge its own family; such scores are not published."
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Send nothing; print calls, tokens and price by estimate.")
]
BaselineOption = Annotated[
    Path | None, typer.Option("--baseline", help="Folder of the run that relative scores refer to.")
]


def evaluate(
    sample_dir: Annotated[
        Path,
        typer.Argument(metavar="SAMPLE", help="Folder that `exambank sample` wrote.", show_default=False),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the run.", show_default=False)],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="reference, shuffled, blank, or a model's name at --base-url; given more than once, the "
            "models are asked side by side, each into a folder of its own in --out. [default: reference]",
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="OpenAI-compatible endpoint of the model.")
    ] = None,
    judge: JudgeOption = None,
    judge_base_url: JudgeUrlOption = None,
    baseline: BaselineOption = None,
    allow_self_judge: SelfJudgeOption = False,
    prefect: Annotated[
        str | None, typer.Option("--prefect", metavar="URL", help="Prefect server on which to show the runs.")
    ] = None,
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
    as_json: common.JsonOption = False,
) -> int:
    """Ask a model the questions of a sample one by one, have the replies judged, and score them.

    The same command again resumes. Keys are read from the environment: EXAMBANK_API_KEY, unless
    the settings name other variables.
    """
    settings = common.settings(config)
    models = named.models(settings.model, model or (), base_url)
    judging = named.judge(settings.judge, judge or (), judge_base_url)
    common.check_out(out, folder=True, inputs=(sample_dir, config), bank=bank)
    paper = running.read_paper(sample_dir, bank)
    alone = len(models) == 1
    if alone:
        runs, base = {out.name: models[0]}, out.parent
    else:
        runs, base = _apart(models, out), out
    if dry_run:
        parts = [p for name, one in runs.items() for p in _estimate(paper, one, judging, base / name)]
        running.tell_estimate(parts, as_json=as_json)
        return 0
    plan = running.make_plan(paper, judging, baseline, allow_self_judge)
    with progress.shown(len(paper.items), quiet, list(runs)) as shown:
        series = Series(plan, runs, base, settings.run, shown, publish=prefect is not None)
        if alone and prefect is None:
            series.carry_out(out.name)
        else:
            side_by_side(series, bank / "cache", prefect or "")
    return running.end(series.done(out.name), as_json=as_json) if alone else _end(series, as_json=as_json)


def _apart(models: Sequence[ModelSettings], out: Path) -> dict[str, ModelSettings]:
    """The folders of runs side by side. UsageError where out is a run itself."""
    from evaluation.rundir import MANIFEST

    if (out / MANIFEST).exists():
        raise UsageError(
            f"{out} is the folder of one run, and several models are named.",
            code="run_foreign",
            remedy="Name another folder: each model gets one of its own in it.",
        )
    return named.folders(models)


def _estimate(
    paper: running.Paper, model: ModelSettings, judging: JudgeSettings, out: Path
) -> list[Estimate]:
    from evaluation.estimate import estimate

    replies, settled = running.done_so_far(out)
    return estimate(paper.items, paper.references, model, judging, replies, settled)


def _end(series: Series, *, as_json: bool) -> int:
    """Tell what came of runs side by side; the exit code."""
    rows = series.rows()
    if as_json:
        common.emit({"out": str(series.out), "runs": rows})
    else:
        common.table(
            f"{len(rows)} runs, judged by {series.plan.judge.name}",
            ("model", "state", "asked", "scored", "absolute", "price", "folder"),
            [
                (
                    row["model"],
                    row["state"],
                    row.get("asked", "-"),
                    row.get("scored", "-"),
                    "-" if row.get("absolute") is None else f"{row['absolute']:.2f}",
                    "-" if row.get("price") is None else running.money(row["price"]),
                    row["out"],
                )
                for row in rows
            ],
        )
    stopped = [row for row in rows if row["state"] == "stopped"]
    for row in stopped:
        error = row["error"]
        common.say(f"{row['model']}: {error['message']} [{error['code']}]\n  → {error['remedy']}")
    if len(stopped) == len(rows):
        return 1
    return running.PARTLY if stopped or any(row["unscored"] for row in rows) else 0
