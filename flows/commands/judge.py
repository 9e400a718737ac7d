"""`exambank judge`: judge the replies of a finished run again, apart from the first verdicts."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from flows import running
from flows.commands import common, evaluate

EPILOG = (
    "Example: exambank judge data/runs/mine --sample data/runs/paper --judge other-judge "
    "--judge-base-url https://judge.example/v1 --bank data/bank --out data/runs/mine-other-judge"
)


def judge(
    run_dir: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="Folder of the run whose replies are judged.", show_default=False),
    ],
    sample_dir: Annotated[
        Path,
        typer.Option("--sample", help="Folder of the sample that run was asked.", show_default=False),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the new verdicts.", show_default=False)],
    judges: evaluate.JudgeOption = None,
    judge_base_url: evaluate.JudgeUrlOption = None,
    baseline: evaluate.BaselineOption = None,
    allow_self_judge: evaluate.SelfJudgeOption = False,
    dry_run: evaluate.DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
    as_json: common.JsonOption = False,
) -> int:
    """Have the replies of a run judged again. The model is not asked; the first verdicts stay as they are.

    The new folder is a run of its own, with one judge: verdicts of two judges never mix. The same
    command again resumes.
    """
    from evaluation.judge import build_judge
    from evaluation.rejudge import read_source
    from evaluation.run import run, score_record
    from evaluation.rundir import read_record

    settings = common.settings(config, evaluate.judge_flags(judges, judge_base_url))
    common.check_out(out, folder=True, inputs=(sample_dir, config), bank=bank)
    items, manifest = running.read_sample(sample_dir)
    references = running.read_references(bank, [i.question_id for i in items], manifest.bank_version)
    signer = running.signer_of(bank)
    source = read_source(run_dir, out, signer)
    if dry_run:
        from evaluation.estimate import estimate

        replies, _ = running.done_so_far(run_dir)
        settled = running.done_so_far(out)[1]
        parts = estimate(items, references, settings.model, settings.judge, replies, settled, asks=False)
        running.tell_estimate(parts, as_json=as_json)
        return 0
    told = running.Counter(len(items), quiet, "judging")
    with told:
        score = run(
            items,
            references,
            source.model,
            build_judge(settings.judge, environ=os.environ, clock=time.monotonic, dotenv=Path(".env")),
            out,
            now=lambda: datetime.now(UTC),
            sleep=time.sleep,
            progress=told.advance,
            sample=manifest,
            baseline=score_record(read_record(baseline)) if baseline is not None else None,
            allow_self_judge=allow_self_judge,
            signer=signer,
            source=source,
        )
    names = running.finish(out, score, items, references, signer)
    if as_json:
        common.emit({"out": str(out), **score.model_dump(mode="json")})
    else:
        from evaluation.estimate import usage
        from schemas.settings import ModelSettings

        # The model was asked in the other run: what it took then is not counted again.
        running.tell(score, out, names, usage(out, ModelSettings(), settings.judge))
    return 3 if score.unscored else 0
