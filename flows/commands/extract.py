"""`exambank extract`: files into drafts, one JSON object a draft, without a bank."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from flows.outcome import FileOutcome
    from flows.reading import Look

EPILOG = "Example: exambank extract data/samples --out questions.jsonl"
_PAGE_ENDINGS = {".html", ".htm"}


def extract(
    paths: common.PathsArgument,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="JSON Lines file to write; - for standard output.", show_default=False
        ),
    ],
    answers: common.AnswersOption = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write each file's outcome as JSON.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", help="Write pages to look at, every draft boxed: X.html for one file, else a folder."
        ),
    ] = None,
    ocr_model: common.OcrModelOption = None,
    formula_model: common.FormulaModelOption = None,
    jobs: common.JobsOption = None,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
    as_json: common.JsonOption = False,
) -> int:
    """Cut exam files into questions, without a bank: one JSON object a question."""
    from flows import reading
    from flows.commands import pages
    from flows.ingest import plan
    from flows.outcome import exit_code, hinted, read_outcome, refused_outcome, summarise
    from ingest.segment.pairing import pair
    from schemas.question import Extraction

    model = ocr_model.weights if ocr_model else None
    flags = {"run.workers": jobs, "read.ocr_model": model}
    formula = common.formula_flag(formula_model)
    settings = common.settings(config, {**flags, "read.formula_model": formula})
    single = html is not None and html.suffix.lower() in _PAGE_ENDINGS
    spoken = str(out) == "-"
    if spoken and as_json:
        raise UsageError(
            "--out - and --json both write to standard output.",
            code="one_output",
            remedy="Name a file with --out.",
        )
    named = [path for pair in reading.parse_answers(answers or [], paths) for path in pair]
    inputs = [*paths, *named, config]
    files_out = [None if spoken else out, report]
    common.check_out(*files_out, html if single else None, inputs=inputs)
    if html is not None and not single:
        common.check_out(html, folder=True, beside=files_out)
        pages.check_folder(html, files_out)
    found, keys = plan(paths, answers or [], settings)
    if single and len(found.sources) > 1:
        raise UsageError(
            f"{html} is one page, and there are {len(found.sources)} files.",
            code="one_page",
            remedy="Name a folder: --html pages/",
        )
    looks: dict[str, Look] | None = None if html is None else {}
    with found, tempfile.TemporaryDirectory(prefix="exambank-") as assets:
        with common.reading_progress(len(found.sources), quiet) as progress:
            results = reading.read_all(
                found.sources, settings, Path(assets), progress, looks, set(keys.values())
            )
        before = [result for result in results if isinstance(result, Extraction)]
        after = pair(before, keys)
        used = reading.paired_keys(before, after)
        joined = iter(after)
        files: list[FileOutcome] = []
        lines: list[str] = []
        for source, result in zip(found.sources, results, strict=True):
            if isinstance(result, Extraction):
                extraction = next(joined)
                paired = extraction.sha256 in used
                least = settings.clean.min_extraction
                files.append(read_outcome(extraction, source.told, least, paired=paired))
                lines += [json.dumps(draft.row(), ensure_ascii=False) for draft in extraction.drafts]
            else:
                files.append(refused_outcome(source.path.name, source.told, source.sha256, result))
        files = [*hinted(files), *found.others]
        if html is not None and looks is not None:
            pages.write(html, single, files, after, looks, Path(assets))
    if spoken:
        for line in lines:  # one by one, so that a reader who has had enough is noticed
            common.put(line)
    else:
        common.write_whole(out, "".join(f"{line}\n" for line in lines).encode())
    summary = summarise(files)
    if report is not None:
        data = {"summary": summary.model_dump(), "files": [file.model_dump(mode="json") for file in files]}
        common.write_whole(report, json.dumps(data, ensure_ascii=False, indent=1).encode())
    common.tell_files(files)
    if as_json:
        common.emit({"out": str(out), **summary.model_dump()})
    place = "standard output" if spoken else out
    where = f", to look at in {html}" if html is not None else ""
    common.say(
        f"{common.counted(summary.documents, 'document')}, {common.counted(summary.pages, 'page')} "
        f"({summary.ocr_pages} by OCR), {common.counted(summary.drafts, 'draft')} in {place}{where}; "
        f"{summary.refused} refused, {summary.skipped} skipped, {summary.repeated} repeated"
    )
    alone = f", {common.counted(summary.key_answers, 'answer')} of keys" if summary.key_answers else ""
    common.say(
        f"{common.counted(summary.questions, 'question')}: {summary.answered:,} with an answer, "
        f"{summary.unanswered:,} without, {summary.doubtful:,} doubtful (to review){alone}; "
        f"{common.counted(summary.left_out, 'piece')} left out"
    )
    return exit_code(files)
