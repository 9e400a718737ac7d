"""How tall paragraphs of a .docx stand, roughly: enough to tell beside which of them a figure is placed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.readers.wordpackage import WP, W, attr
from ingest.readers.wordstyles import Look
from schemas.document import Block

NEARLY = 0.85  # of a line: a figure that starts below this starts at the next one
_SIZE = 10.5  # points, Word's default for Chinese text
_LEADING = 1.3
_NATURAL = 1.2  # height of a line of Chinese type in its size; on a grid it takes whole lines
_NARROW = 0.52  # width of a Latin letter in ems
_STYLE_TOP = re.compile(r"(?:^|;)\s*margin-top:\s*(-?[\d.]+)(pt|in|cm|mm|px)?")
_COMMAND = re.compile(r"\\[A-Za-z]+|[{}$^]")
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "px": 0.75, None: 1.0}
_EMU = 12700


@dataclass(frozen=True)
class Column:
    """The column text runs in: its width, and the grid lines are set on (0 for none), in points."""

    width: float = 415.0
    pitch: float = 0.0

    @classmethod
    def of(cls, section: Any) -> Column:  # noqa: ANN401
        """The first column of a w:sectPr, A4 with Word's margins where it says nothing."""
        if section is None:
            return cls()
        size, margin, columns = (section.find(W + name) for name in ("pgSz", "pgMar", "cols"))
        width = _twips(attr(size, "w"), 595.3) - sum(
            _twips(attr(margin, side), 90.0) for side in ("left", "right")
        )
        count = int(number) if (number := attr(columns, "num", "1")).isdigit() else 1
        width = (width - _twips(attr(columns, "space"), 21.25) * (count - 1)) / max(count, 1)
        grid = section.find(W + "docGrid")
        lined = attr(grid, "type") in {"lines", "linesAndChars", "snapToChars"}
        return cls(max(width, 72.0), _twips(attr(grid, "linePitch"), 0.0) if lined else 0.0)

    def line(self, look: Look) -> float:
        """Height of one line in points."""
        if look.line_points:
            return look.line_points
        size = look.size or _SIZE
        single = size * _LEADING
        if self.pitch:
            single = math.ceil(size * _NATURAL / self.pitch) * self.pitch
        return max(single * (look.line_times or 1.0), look.line_least or 0.0)

    def height(self, look: Look, texts: Iterable[str]) -> float:
        """Height in points of a paragraph whose lines are broken by hand into texts."""
        room = max(self.width - max(look.left or 0.0, 0.0), 36.0)
        rows = sum(max(1, math.ceil(_width(text) * (look.size or _SIZE) / room)) for text in texts)
        return max(rows, 1) * self.line(look) + (look.before or 0.0) + (look.after or 0.0)


@dataclass
class Placed:
    """What is drawn beside a paragraph, how far below its top, and how tall it stands (points)."""

    blocks: list[Block] = field(default_factory=list)
    left: float = 0.0
    height: float = 0.0
    line: float = 0.0


class Waiting:
    """Figures whose paragraph was passed while the place they are drawn at was not."""

    def __init__(self, *, flow: bool) -> None:
        self._flow, self._placed = flow, list[Placed]()

    def after(self, paragraph: Placed) -> Iterator[Block]:
        """Blocks of the figures that start beside this paragraph, its own among them."""
        self._placed.append(paragraph)
        for one in self._placed:
            one.left -= paragraph.height
            if not self._flow or one.left < (NEARLY - 1) * paragraph.line:
                yield from one.blocks
                one.blocks = []
        self._placed = [one for one in self._placed if one.blocks]

    def rest(self) -> Iterator[Block]:
        """Blocks of all figures that still wait."""
        for one in self._placed:
            yield from one.blocks
        self._placed = []


def top_of(drawing: Any) -> float | None:  # noqa: ANN401
    """How far below the top of its paragraph a drawing is placed, in points; None when not placed so."""
    anchor = drawing.find(WP + "anchor")
    if anchor is not None:
        place = anchor.find(WP + "positionV")
        offset = place.find(WP + "posOffset") if place is not None else None
        if offset is None or place.get("relativeFrom") not in {"paragraph", "line"}:
            return None
        try:
            return int(offset.text or "") / _EMU
        except ValueError:
            return None
    for child in drawing.iterchildren():
        style = child.get("style") or ""
        if "position:absolute" in style.replace(" ", ""):
            if re.search(r"vertical-relative:\s*(?:page|margin)", style):
                return None
            found = _STYLE_TOP.search(style)
            return float(found[1]) * _POINTS[found[2]] if found else 0.0
    return None


def _width(text: str) -> float:
    """In ems; formulas count by the signs they show."""
    text = _COMMAND.sub(lambda match: "x" * (match[0][0] == "\\"), text)
    return sum(1.0 if char >= "\u2e80" else _NARROW for char in text)


def _twips(text: str, default: float) -> float:
    try:
        return float(text) / 20
    except ValueError:
        return default
