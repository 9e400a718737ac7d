"""`exambank show`: one question with its provenance and the piece of the page it came from, or one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from bank.store import Bank
    from schemas.question import Question

EPILOG = "Example: exambank show q7f3a --bank data/bank --crop question.png"


def show(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="Id of a question, or its beginning; or the name of a file.")
    ],
    crop: Annotated[
        Path | None, typer.Option("--crop", help="Write the source page, the question outlined, as PNG.")
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", help="As a version, or its tag, has it; by default the newest.")
    ] = None,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Show a question and where it came from, or what became of a file."""
    from bank.store import Bank
    from bank.tags import resolve

    settings = common.settings(None)
    common.check_out(crop, bank=bank)
    opened = Bank.open(bank)
    version = opened.version if at is None else resolve(opened, at)
    found = _ids(opened, name, version)
    if not found and at is not None:
        raise UsageError(
            f"Version {at} has no question {name}.",
            code="nothing_found",
            remedy="See when it came with `exambank log`; leave --at out for the newest version.",
        )
    if not found:
        return _file(opened, name, crop, as_json)
    if len(found) > 1:
        raise UsageError(
            f"{name} is the beginning of {len(found)} ids.",
            code="ambiguous_id",
            remedy="Give more of it: " + ", ".join(found[:5]) + (" …" if len(found) > 5 else ""),
        )
    question = opened.get(found[0], version)
    written = _crop(opened, question, crop, settings.read.max_pixels) if crop is not None else []
    if as_json:
        common.emit({**question.model_dump(mode="json"), "crops": [str(path) for path in written]})
        return 0
    _print(question)
    for path in written:
        common.tell(f"page       {path}")
    return 0


def _ids(bank: Bank, name: str, version: int) -> list[str]:
    """Ids that begin with name, with or without their leading q; an exact one alone."""
    ids = [str(i) for i in bank.table(["question_id"], version=version)["question_id"].to_pylist()]
    if name in ids:
        return [name]
    wanted = name.lower()
    return sorted(i for i in ids if wanted and i.startswith((wanted, f"q{wanted}")))


def _print(q: Question) -> None:
    from schemas.taxonomy import taxonomy

    tax = taxonomy()
    nodes = (
        tax.disciplines.get(q.discipline),
        tax.sub_disciplines.get(q.sub_discipline),
        tax.courses.get(q.course),
    )
    label = " > ".join(node.zh for node in nodes if node) or q.discipline
    places = ", ".join(sorted({f"page {region.page}" for region in q.regions})) or "no pages"
    if q.regions and all(region.box is None for region in q.regions):
        places = "a Word file, which has no pages of its own"
    facts = [
        ("id", q.question_id),
        ("original", q.original_id),
        ("status", q.status.value + (f": {q.status_reason}" if q.status_reason else "")),
        ("duplicate", q.duplicate_of),
        ("type", f"{q.question_type.value} (printed as {q.printed_form.value})"),
        ("label", f"{label}, {q.label_confidence:.2f}, by {q.label_method or 'nothing'}"),
        ("points", "" if q.points is None else f"{q.points:g}"),
        ("source", f"{q.source}, {places}"),
        ("sha256", q.source_sha256),
        ("number", " ".join(part for part in (q.section, q.number) if part)),
        ("answer by", q.answer_source),
        ("batch", f"{q.batch}, {q.created_at}"),
        ("revision", str(q.revision)),
        ("flags", ", ".join(q.flags)),
        ("evidence", "; ".join(f"{k}: {v}" for k, v in sorted(q.evidence.items()))),
        ("stages", ", ".join(f"{k} {v}" for k, v in sorted(q.stage_versions.items()))),
        ("figures", ", ".join(q.figures)),
    ]
    for head, value in facts:
        if value:
            common.tell(f"{head:10} {value}")
    for head, text in (
        ("material", q.material),
        ("prompt", q.prompt),
        ("reference answer", q.reference_answer or "(none)"),
        ("explanation", q.explanation or ""),
        ("as printed", q.printed),
    ):
        if text:
            common.tell(f"\n{head}\n{text}")


def _file(bank: Bank, name: str, crop: Path | None, as_json: bool) -> int:
    """What the batch reports say of a file; name is its name or path, or its SHA-256."""
    from flows.names import decoded

    name = decoded(name)
    short = Path(name).name
    entries: list[dict[str, Any]] = []
    for report in bank.reports.all():
        for file in report.get("files", []):
            if file.get("source") == short or (len(name) >= 8 and str(file.get("sha256")).startswith(name)):
                entries.append({"batch": report.get("batch", ""), **file})
    if not entries:
        raise UsageError(
            f"The bank has no question and no file {name}.",
            code="nothing_found",
            remedy="Give an id as `exambank sample` prints it, or a file name of a batch (`exambank log`).",
        )
    if crop is not None:
        raise UsageError(
            "--crop shows a question, and this is a file.", remedy="Give the id of one of its questions."
        )
    if as_json:
        common.emit({"files": entries})
        return 0
    for entry in entries:
        reason = f": {entry['reason']}" if entry.get("reason") else ""
        code = f" [{entry['code']}]" if entry.get("code") else ""
        common.tell(f"{entry['source']}, batch {entry['batch']}: {entry['outcome']}{reason}{code}")
        if entry.get("remedy"):
            common.tell(f"  → {entry['remedy']}")
        told = ", ".join(f"{count} {status}" for status, count in entry.get("statuses", {}).items())
        pages, drafts, items = (
            common.counted(entry.get(f"{noun}s", 0), noun) for noun in ("page", "draft", "item")
        )
        by_ocr = entry.get("ocr_pages", 0)
        common.tell(f"  {pages} ({by_ocr} by OCR), {drafts}, {items}" + (f": {told}" if told else ""))
        for notice in entry.get("notices", []):
            common.tell(f"  notice  {notice['code']}: {notice['message']}")
        for piece in entry.get("dropped", []):
            common.tell(f"  left out  {piece['reason']}: {piece['text'][:80]}")
    return 0


def _crop(bank: Bank, question: Question, out: Path, max_pixels: int) -> list[Path]:
    from flows.crop import crop

    source = bank.sources.find(question.source_sha256)
    if source is None:
        raise UsageError(
            f"The bank has no copy of {question.source}.",
            code="no_source",
            remedy="Ingest the file again; its copy is then kept.",
        )
    turned: dict[int, int] = {}
    for report in bank.reports.all():
        for file in report.get("files", []):
            if file.get("sha256") == question.source_sha256:
                turned.update({int(page): int(turn) for page, turn in file.get("rotations", {}).items()})
    pictures = crop(source, question.source, question.regions, turned, max_pixels)
    written = []
    for place, (page, data) in enumerate(pictures):
        path = out if place == 0 else out.with_name(f"{out.stem}-page{page}{out.suffix}")
        common.write_whole(path, data)
        written.append(path)
    return written
