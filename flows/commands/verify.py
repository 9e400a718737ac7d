"""`exambank verify`: whether a finished run is as it was written, and its scores follow from its replies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows import running
from flows.commands import common

EPILOG = "Example: exambank verify data/runs/mine --sample data/runs/paper --bank data/bank"


def verify(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run.", show_default=False)],
    sample_dir: Annotated[
        Path | None,
        typer.Option(
            "--sample", help="Folder of the sample: checks the questions and overlap's ratings too."
        ),
    ] = None,
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Check the signatures of a run, read every verdict again and compute every figure again.

    Ends with 1 when anything was edited, is missing, or does not follow. The bank's key is needed.
    """
    from evaluation.rundir import read_record

    common.settings(config)
    record = read_record(run_dir)
    items = None
    if sample_dir is not None:
        items = {item.question_id: item for item in running.read_sample(sample_dir)[0]}
    report = running.verified(run_dir, record, bank, items)
    if as_json:
        common.emit(
            {
                "run": str(run_dir),
                "holds": not report.problems,
                "problems": report.problems,
                "lines": report.lines,
                "verdicts": report.verdicts,
                "absolute": report.score.absolute if report.score else None,
            }
        )
    else:
        for problem in report.problems:
            common.say(problem)
        told = f"{common.counted(report.lines, 'line')}, {common.counted(report.verdicts, 'verdict')}"
        common.tell(f"{run_dir}: {'does not hold up' if report.problems else 'holds up'} ({told})")
    return 1 if report.problems else 0
