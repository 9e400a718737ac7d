"""`exambank judge`: judge the replies of a finished run again, apart from the first verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows import named, progress, running
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
    from evaluation.rejudge import read_source
    from schemas.settings import ModelSettings

    settings = common.settings(config)
    judging = named.judge(settings.judge, judges or (), judge_base_url)
    common.check_out(out, folder=True, inputs=(sample_dir, config), bank=bank)
    paper = running.read_paper(sample_dir, bank)
    source = read_source(run_dir, out, paper.signer)
    nobody = ModelSettings()  # the model was asked in the other run: what it took then is not counted again
    if dry_run:
        from evaluation.estimate import estimate

        replies, settled = running.done_so_far(run_dir)[0], running.done_so_far(out)[1]
        parts = estimate(paper.items, paper.references, nobody, judging, replies, settled, asks=False)
        running.tell_estimate(parts, as_json=as_json)
        return 0
    plan = running.make_plan(paper, judging, baseline, allow_self_judge)
    with progress.shown(len(paper.items), quiet, [out.name]) as shown:
        done = running.carry_out(plan, nobody, out, shown(out.name), source=source)
    return running.end(done, as_json=as_json)
