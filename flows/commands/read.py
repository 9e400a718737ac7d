"""`exambank read`: one file as it is read, before any question is cut: as a page, as JSON or as text."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from schemas.document import Block, Document

EPILOG = "Example: exambank read 期末试卷.pdf --html read.html"


def read(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Exam file.", show_default=False)],
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write a page: each page's picture beside its blocks, in reading order."),
    ] = None,
    json_out: Annotated[
        Path | None, typer.Option("--json", help="Write the document as JSON; - for standard output.")
    ] = None,
    formula_model: common.FormulaModelOption = None,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
) -> int:
    """Show a file as it is read: its blocks in reading order, where each came from and how sure it is.

    Without --html and --json the text is printed, what was put aside with its reason.
    """
    from flows import reading
    from flows.names import Aliases, decoded
    from ingest.pool import DocumentPool

    settings = common.settings(config, {"read.formula_model": common.formula_flag(formula_model)})
    if file.is_dir():
        raise UsageError(
            f"{decoded(file)} is a folder; read shows one file.",
            code="a_folder",
            remedy="Name one exam file in it, or give the folder to exambank extract.",
        )
    if not file.is_file():
        raise UsageError(f"There is no file {decoded(file)}.", code="no_path", remedy="Name one exam file.")
    common.check_out(html, None if str(json_out) == "-" else json_out, inputs=(file, config))
    with closing(Aliases()) as aliases, tempfile.TemporaryDirectory(prefix="exambank-") as folder:
        path = aliases.readable(file)
        with DocumentPool(1, settings, Path(folder)) as pool:
            document = pool.read(path)
            seen = reading.look(pool, path, document, laid_out=True) if html is not None else None
        if html is not None and seen is not None:
            from flows.view.document import document_page

            common.write_whole(html, document_page(document, seen.pictures, Path(folder)))
    if json_out is not None:
        text = document.model_dump_json(indent=1)
        if str(json_out) == "-":
            common.put(text)
        else:
            common.write_whole(json_out, text.encode("utf-8", "replace"))
    if html is None and json_out is None:
        for line in _lines(document):
            common.tell(line)
    for notice in document.notices:
        common.say(f"notice   {decoded(file.name)}: {notice.message} [{notice.code}]")
    if quiet:
        return 0
    written = ", ".join(str(path) for path in (html, json_out) if path is not None and str(path) != "-")
    common.say(
        f"{common.counted(len(document.pages), 'page')}, {common.counted(len(document.blocks), 'block')}"
        + (f" in {written}" if written else "")
    )
    return 0


def _lines(document: Document) -> list[str]:
    lines = []
    for page in document.pages:
        reason = f", {page.reason}" if page.reason else ""
        lines.append(f"== page {page.number} ({page.method.value}{reason})")
        lines += [_line(block) for block in page.blocks]
    return lines


def _line(block: Block) -> str:
    from schemas.document import BlockKind

    aside = f"[{block.reason or 'furniture'}] " if block.kind is BlockKind.FURNITURE else ""
    return f"{aside}{block.number}{' ' if block.number else ''}{block.text}"
