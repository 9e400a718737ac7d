"""`exambank extract`: files into drafts, one JSON object a draft, without a bank."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from flows.commands import common

EPILOG = "Example: exambank extract data/samples --out questions.jsonl"


def extract(
    paths: common.PathsArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="JSON Lines file to write.", show_default=False)],
    answers: common.AnswersOption = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write each file's outcome as JSON.")
    ] = None,
    ocr_model: common.OcrModelOption = None,
    jobs: common.JobsOption = None,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
) -> int:
    """Cut exam files into questions, without a bank: one JSON object a question."""
    from flows import reading
    from flows.files import shown
    from flows.ingest import plan
    from flows.outcome import FileOutcome, exit_code, read_outcome, refused_outcome, summarise
    from ingest.segment.pairing import pair
    from schemas.question import Extraction

    model = ocr_model.weights if ocr_model else None
    settings = common.settings(config, {"run.workers": jobs, "read.ocr_model": model})
    found, keys = plan(paths, answers or [], settings)
    with (
        tempfile.TemporaryDirectory(prefix="exambank-") as assets,
        common.reading_progress(len(found.sources), quiet) as progress,
    ):
        results = reading.read_all(found.sources, settings, Path(assets), progress)
    before = [result for result in results if isinstance(result, Extraction)]
    after = pair(before, keys)
    used = reading.paired_keys(before, after)
    joined = iter(after)
    files: list[FileOutcome] = []
    lines: list[str] = []
    for source, result in zip(found.sources, results, strict=True):
        name, path = shown(Path(source.path.name)), shown(source.path)
        if isinstance(result, Extraction):
            extraction = next(joined)
            files.append(read_outcome(extraction, path, paired=extraction.sha256 in used))
            lines += [json.dumps(draft.row(), ensure_ascii=False) for draft in extraction.drafts]
        else:
            files.append(refused_outcome(name, path, source.sha256, result))
    files += found.others
    common.write_whole(out, "".join(f"{line}\n" for line in lines).encode())
    summary = summarise(files)
    if report is not None:
        data = {"summary": summary.model_dump(), "files": [file.model_dump(mode="json") for file in files]}
        common.write_whole(report, json.dumps(data, ensure_ascii=False, indent=1).encode())
    common.tell_files(files)
    common.say(
        f"{summary.documents} documents, {summary.pages} pages ({summary.ocr_pages} by OCR), "
        f"{summary.drafts} drafts in {out}; {summary.refused} refused, {summary.skipped} skipped, "
        f"{summary.repeated} repeated"
    )
    return exit_code(files)
