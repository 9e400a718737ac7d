"""`exambank ingest`: files into the bank, as one version a batch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common

if TYPE_CHECKING:
    from flows.batch import BatchReport

EPILOG = "Example: exambank ingest data/samples --batch samples --bank data/bank"


def ingest(
    paths: common.PathsArgument,
    batch: Annotated[str, typer.Option("--batch", "-b", help="Name of the batch.", show_default=False)],
    bank: common.BankOption = common.DEFAULT_BANK,
    answers: common.AnswersOption = None,
    discipline: Annotated[
        str | None, typer.Option("--discipline", help="Discipline of the whole batch: name or code.")
    ] = None,
    course: Annotated[str | None, typer.Option("--course", help="Course of the whole batch.")] = None,
    why: Annotated[str, typer.Option("--why", help="Reason, for the log.", show_default=False)] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but change the bank.")] = False,
    runner: Annotated[
        common.Runner | None, typer.Option("--runner", help="Where documents are read.")
    ] = None,
    address: common.AddressOption = None,
    ocr_model: common.OcrModelOption = None,
    formula_model: common.FormulaModelOption = None,
    jobs: common.JobsOption = None,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
    as_json: common.JsonOption = False,
) -> int:
    """Read exam files and add their questions to the bank, as one version.

    Run again, it adds nothing; stopped and run again, it goes on where it stopped.
    """
    from bank.names import named
    from flows.ingest import ingest as run
    from flows.ingest import plan
    from flows.outcome import exit_code
    from schemas.taxonomy import require_course, require_discipline

    batch = named(batch, "A batch")
    flags = {
        **common.runner_flags(runner, address, jobs),
        "read.ocr_model": ocr_model.weights if ocr_model else None,
        "read.formula_model": common.formula_flag(formula_model),
        "classify.discipline": discipline,
        "classify.course": course,
    }
    settings = common.settings(config, flags)
    common.check_runner(settings.run)
    if settings.classify.discipline:
        require_discipline(settings.classify.discipline)
    if settings.classify.course:
        require_course(settings.classify.course)
    if settings.classify.model:
        from ingest.classify.learned import load

        load(Path(settings.classify.model))  # refused now, not after hours of reading
    found, keys = plan(paths, answers or [], settings)
    with found, common.reading_progress(len(found.sources), quiet) as progress:
        report = run(
            found,
            keys,
            settings,
            batch=batch,
            bank_path=bank,
            dry_run=dry_run,
            why=why,
            progress=progress,
        )
    common.tell_files(report.files)
    if as_json:
        common.emit(report.model_dump(mode="json"))
    else:
        _tell(report, str(bank))
    return exit_code(report.files)


def _tell(report: BatchReport, bank: str) -> None:
    told = report.summary
    rows: list[tuple[str, object]] = [
        ("documents", told.documents),
        ("pages", told.pages),
        ("  by OCR", told.ocr_pages),
        ("drafts", told.drafts),
        ("  questions", told.questions),
        ("    without an answer", told.unanswered),
        ("    doubtful", told.doubtful),
        ("  answers of keys", told.key_answers),
        ("    that belong to no paper", told.unpaired_answers),
        ("left out", told.left_out),
        ("items", told.items),
        ("  new", told.added),
        ("  in the bank before", told.already),
        ("amended", told.amended),
        ("duplicates", told.duplicates),
        ("review", told.review),
        ("rejected", told.rejected),
        ("refused files", told.refused),
    ]
    if report.dry_run:
        of_the_bank = {"  new", "  in the bank before", "amended", "duplicates"}
        rows = [row for row in rows if row[0] not in of_the_bank]
    common.table(f"batch {report.batch}", ("", ""), rows)
    if report.dry_run:
        common.tell("Dry run: the bank was not changed, and duplicates were not looked for.")
    elif report.committed:
        also = f", {told.amended:,} amended" if told.amended else ""
        items = common.counted(told.added or 0, "item")
        common.tell(f"Version {report.version} of {bank}: {items} added{also}.")
    else:
        common.tell(f"Nothing new: {bank} stays at version {report.version}.")
