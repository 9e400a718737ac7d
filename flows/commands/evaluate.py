"""`exambank evaluate`: a model answers a sample, a judge scores it, a report says how well."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from flows import running
from flows.commands import common

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
        str | None,
        typer.Option(
            "--model",
            help="reference, shuffled, blank, or a model's name at --base-url. [default: reference]",
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="OpenAI-compatible endpoint of the model.")
    ] = None,
    judge: JudgeOption = None,
    judge_base_url: JudgeUrlOption = None,
    baseline: BaselineOption = None,
    allow_self_judge: SelfJudgeOption = False,
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
    from evaluation.judge import build_judge
    from evaluation.models import build_model
    from evaluation.run import run, score_record
    from evaluation.rundir import read_record

    flags = {"model.name": model, "model.base_url": base_url, **judge_flags(judge, judge_base_url)}
    settings = common.settings(config, flags)
    common.check_out(out, folder=True, inputs=(sample_dir, config), bank=bank)
    items, manifest = running.read_sample(sample_dir)
    references = running.read_references(bank, [i.question_id for i in items], manifest.bank_version)
    if dry_run:
        from evaluation.estimate import estimate

        replies, settled = running.done_so_far(out)
        parts = estimate(items, references, settings.model, settings.judge, replies, settled)
        running.tell_estimate(parts, as_json=as_json)
        return 0
    signer = running.signer_of(bank)
    places: dict[str, Any] = {"environ": os.environ, "clock": time.monotonic, "dotenv": Path(".env")}
    told = running.Counter(len(items), quiet)
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
            signer=signer,
        )
    names = running.finish(out, score, items, references, signer)
    if as_json:
        common.emit({"out": str(out), **score.model_dump(mode="json")})
    else:
        from evaluation.estimate import usage

        running.tell(score, out, names, usage(out, settings.model, settings.judge))
    return 3 if score.unscored else 0


def judge_flags(judges: list[str] | None, base_url: str | None) -> dict[str, object]:
    """Settings for --judge, given once or more, and --judge-base-url: exactly the judges named."""
    if not judges:
        return {"judge.base_url": base_url}
    places = [base_url if base_url is not None or name != "overlap" else "" for name in judges]
    panel = [
        {"name": name, "base_url": place or ""} for name, place in zip(judges[1:], places[1:], strict=True)
    ]
    return {"judge.name": judges[0], "judge.base_url": places[0], "judge.panel": panel}
