"""`exambank extract`: files into drafts, one JSON object a draft, without a bank."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from flows.outcome import FileOutcome
    from flows.reading import Look
    from schemas.question import Extraction

EPILOG = "Example: exambank extract data/samples --out questions.jsonl"
_PAGE_ENDINGS = {".html", ".htm"}
_NAME_CHARS = 80


def extract(
    paths: common.PathsArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="JSON Lines file to write.", show_default=False)],
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
) -> int:
    """Cut exam files into questions, without a bank: one JSON object a question."""
    from flows import reading
    from flows.ingest import plan
    from flows.outcome import exit_code, read_outcome, refused_outcome, summarise
    from ingest.segment.pairing import pair
    from schemas.question import Extraction

    model = ocr_model.weights if ocr_model else None
    flags = {"run.workers": jobs, "read.ocr_model": model}
    formula = common.formula_flag(formula_model)
    settings = common.settings(config, {**flags, "read.formula_model": formula})
    found, keys = plan(paths, answers or [], settings)
    single = html is not None and html.suffix.lower() in _PAGE_ENDINGS
    common.check_out(out, report, html if single else None)
    common.check_out(None if single else html, folder=True)
    if single and len(found.sources) > 1:
        raise UsageError(
            f"{html} is one page, and there are {len(found.sources)} files.",
            code="one_page",
            remedy="Name a folder: --html pages/",
        )
    looks: dict[str, Look] | None = None if html is None else {}
    with found, tempfile.TemporaryDirectory(prefix="exambank-") as assets:
        with common.reading_progress(len(found.sources), quiet) as progress:
            results = reading.read_all(found.sources, settings, Path(assets), progress, looks)
        before = [result for result in results if isinstance(result, Extraction)]
        after = pair(before, keys)
        used = reading.paired_keys(before, after)
        joined = iter(after)
        files: list[FileOutcome] = []
        lines: list[str] = []
        for source, result in zip(found.sources, results, strict=True):
            if isinstance(result, Extraction):
                extraction = next(joined)
                files.append(read_outcome(extraction, source.told, paired=extraction.sha256 in used))
                lines += [json.dumps(draft.row(), ensure_ascii=False) for draft in extraction.drafts]
            else:
                files.append(refused_outcome(source.path.name, source.told, source.sha256, result))
        files += found.others
        if html is not None and looks is not None:
            _write_pages(html, single, files, after, looks, Path(assets))
    common.write_whole(out, "".join(f"{line}\n" for line in lines).encode())
    summary = summarise(files)
    if report is not None:
        data = {"summary": summary.model_dump(), "files": [file.model_dump(mode="json") for file in files]}
        common.write_whole(report, json.dumps(data, ensure_ascii=False, indent=1).encode())
    common.tell_files(files)
    where = f", to look at in {html}" if html is not None else ""
    common.say(
        f"{common.counted(summary.documents, 'document')}, {common.counted(summary.pages, 'page')} "
        f"({summary.ocr_pages} by OCR), {common.counted(summary.drafts, 'draft')} in {out}{where}; "
        f"{summary.refused} refused, {summary.skipped} skipped, {summary.repeated} repeated"
    )
    return exit_code(files)


def _write_pages(
    html: Path,
    single: bool,
    files: Sequence[FileOutcome],
    extractions: Sequence[Extraction],
    looks: Mapping[str, Look],
    assets: Path,
) -> None:
    """The page of the one file, or a folder of pages with an overview, index.html."""
    from flows.view.drafts import drafts_page, index_page

    read = {extraction.sha256: extraction for extraction in extractions}
    pages: list[tuple[FileOutcome, str]] = []
    for number, file in enumerate(files, start=1):
        extraction = read.get(file.sha256) if file.outcome in {"kept", "key", "empty"} else None
        name = ""
        if extraction is not None:
            seen = looks[file.sha256]
            name = f"{number:03}-{_file_name(file.source)}.html"
            page = drafts_page(
                seen.document, extraction, seen.pictures, assets, home="" if single else "index.html"
            )
            common.write_whole(html if single else html / name, page)
        pages.append((file, name))
    if not single:
        common.write_whole(html / "index.html", index_page(pages))


def _file_name(source: str) -> str:
    """A name that every file system and every address takes, near the source's own."""
    kept = "".join(char if char.isalnum() or char in "-_." else "_" for char in source)
    return kept.encode("utf-8", "replace")[:_NAME_CHARS].decode("utf-8", "ignore")
