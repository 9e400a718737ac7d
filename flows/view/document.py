"""A document as it was read: every page's picture beside its blocks in reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from flows.view.ink import hue
from flows.view.page import SURE, data_uri, render
from schemas.document import BlockKind, Origin

if TYPE_CHECKING:
    from ingest.pictures import Pictures
    from schemas.document import Block, Document, Page

_CHARACTER, _MOST_INDENT = 10.5, 16  # points of a character of print; characters


@dataclass(frozen=True)
class Sheet:
    """A page to show: its picture as a data URI ('' where there is none) and its size in points."""

    page: Page
    picture: str
    width: float
    height: float

    @property
    def unit(self) -> float:
        """Points that look the same on a page of any size: a hundredth of a sheet's long side."""
        return max(self.width, self.height) / 100


@dataclass(frozen=True)
class Shown:
    """A block with its place in the reading order, from 1."""

    number: int
    block: Block

    @property
    def put_aside(self) -> bool:
        """Whether it is text of the page, not of the paper."""
        return self.block.kind is BlockKind.FURNITURE

    @property
    def label(self) -> bool:
        """Whether it is a word inside a figure: many of them stand in one row."""
        return self.put_aside and self.block.reason == "figure_label"

    @property
    def look(self) -> str:
        """Names the style sheet knows for how it is set: bold, its hue, its indent in characters."""
        block = self.block
        ink = hue(block.colour) if block.colour else ""
        indent = min(round(block.indent / _CHARACTER), _MOST_INDENT)
        names = [
            "strong" if block.bold else "",
            f"ink {ink}" if ink else "",
            f"in{indent}" if indent > 0 else "",
        ]
        return " ".join(name for name in names if name)

    @property
    def details(self) -> str:
        """What else the reader noted, for a tooltip."""
        block = self.block
        notes = [
            f"{block.size:g} pt" if block.size else "",
            "bold" if block.bold else "",
            f"indent {block.indent:g} pt" if block.indent else "",
            f"ink {block.colour}" if block.colour else "",
            f"list level {block.level}" if block.level is not None else "",
            f"colours {', '.join(f'{text} {ink}' for text, ink in block.inks)}" if block.inks else "",
            f"box {', '.join(f'{value:.0f}' for value in block.box)}" if block.box else "",
        ]
        return " · ".join(note for note in notes if note)


def document_page(document: Document, pictures: Pictures, assets: Path) -> bytes:
    """The page for one document; assets is the folder its pictures are in."""
    number = 0
    pages = []
    for sheet in sheets(document, pictures, assets):
        shown = []
        for block in sheet.page.blocks:
            number += 1
            shown.append(Shown(number, block))
        line = " ".join(_middle(item.block) for item in shown if item.block.box and not item.put_aside)
        rows = [(both[0], list(run)) for both, run in groupby(shown, key=_row)]
        laid_out = pictures.laid_out if sheet.page.method in {Origin.WORD, Origin.CONVERTED} else ()
        pages.append((sheet, shown, rows, line, [data_uri(assets / name) for name in laid_out]))
    blocks = document.blocks
    told = [block for block in blocks if block.kind is not BlockKind.FURNITURE]
    return render(
        "read.html.j2",
        {
            "title": document.source,
            "document": document,
            "pages": pages,
            "boxed": any(sheet.picture for sheet, *_ in pages),
            "figures": figures_of(pictures, assets),
            "origins": Counter(block.origin.value for block in told),
            "chars": sum(len(block.text) for block in told),
            "formulas": sum(block.text.count("$") // 2 for block in told),
            "aside": len(blocks) - len(told),
            "doubtful": sum(block.confidence < SURE for block in told),
        },
    )


def sheets(document: Document, pictures: Pictures, assets: Path) -> list[Sheet]:
    """The pages of a document with their pictures."""
    out = []
    for page in document.pages:
        name = pictures.pages.get(page.number)
        width, height = page.width or 0.0, page.height or 0.0
        if name and not (width and height):  # a page that was not read: only its shape is known
            from PIL import Image

            with Image.open(assets / name) as picture:
                width, height = (float(side) for side in picture.size)
        out.append(Sheet(page, data_uri(assets / name) if name else "", width, height))
    return out


def figures_of(pictures: Pictures, assets: Path) -> Mapping[str, str]:
    """Data URIs of the figures that can be shown, by digest."""
    return {digest: data_uri(assets / name) for digest, name in pictures.figures.items()}


def _row(item: Shown) -> tuple[bool, int]:
    """What stands in one row: labels that follow one another; everything else by itself."""
    return item.label, 0 if item.label else item.number


def _middle(block: Block) -> str:
    """A point of the line that follows the reading order, near the block's beginning."""
    assert block.box is not None
    x0, y0, x1, y1 = block.box
    return f"{x0 + min(x1 - x0, y1 - y0) / 2:.1f},{(y0 + y1) / 2:.1f}"
