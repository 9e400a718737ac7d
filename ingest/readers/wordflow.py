"""How tall paragraphs of a .docx stand, roughly: enough to tell beside which of them a figure is placed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ingest.readers.common import real, whole
from ingest.readers.wordpackage import WP, W, attr
from ingest.readers.wordstyles import Look
from schemas.document import Block

NEARLY = 0.85  # of a line: a figure that starts below this starts at the next one
_SIZE = 10.5  # points, Word's default for Chinese text
_LEADING = 1.3
_NATURAL = 1.2  # height of a line of Chinese type in its size; on a grid it takes whole lines
_NARROW = 0.52  # width of a Latin letter in ems
_STYLE = re.compile(r"(?:^|;)\s*(margin-top|margin-left|width|height):\s*(-?[\d.]+)(pt|in|cm|mm|px)?")
_THIN = 4.0  # points around a line, so that it has an area
_COMMAND = re.compile(r"\\[A-Za-z]+|[{}$^]")
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "px": 0.75, None: 1.0}
_EMU = 12700
_FAR = 10_000.0


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
        count = whole(attr(columns, "num", "1"), 1, 45)
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
    """A paragraph and what is drawn beside it, in points.

    y is its top, counted from where the text began to run without a table between, None when that is
    not known; left is how far below its top the drawing starts, less what was passed since.
    """

    blocks: list[Block] = field(default_factory=list)
    y: float | None = None
    left: float = 0.0
    height: float = 0.0
    line: float = 0.0


class Waiting:
    """Figures whose paragraph was passed while the place they are drawn at was not."""

    def __init__(self, *, flow: bool) -> None:
        self._flow, self._placed = flow, list[Placed]()
        self._y = 0.0

    def next(self) -> Placed:
        """The place of the paragraph that follows."""
        return Placed(y=self._y if self._flow else None)

    def after(self, paragraph: Placed) -> Iterator[Block]:
        """Blocks of the figures that start beside this paragraph, its own among them."""
        self._placed.append(paragraph)
        self._y += paragraph.height
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
        self._y += _FAR  # how tall a table stands is not known: nothing before it reaches beyond


class Extent(NamedTuple):
    """Where a drawing is: points from the left edge it counts from and from the top of its paragraph."""

    left: float
    top: float
    right: float
    bottom: float

    def moved(self, down: float) -> Extent:
        """The same, counted from a line further up."""
        return self._replace(top=self.top + down, bottom=self.bottom + down)

    def joined(self, other: Extent) -> Extent:
        """The extent of both."""
        return Extent(*map(min, self[:2], other[:2]), *map(max, self[2:], other[2:]))

    def apart(self, other: Extent) -> float:
        """The gap between both in points, the wider of across and down; 0 where they overlap."""
        across = max(self.left, other.left) - min(self.right, other.right)
        down = max(self.top, other.top) - min(self.bottom, other.bottom)
        return max(across, down, 0.0)

    def shared(self, other: Extent) -> float:
        """The share of the smaller one that both cover, from 0 to 1."""
        wide = min(self.right, other.right) - max(self.left, other.left) + _THIN
        tall = min(self.bottom, other.bottom) - max(self.top, other.top) + _THIN
        if wide <= 0 or tall <= 0:
            return 0.0
        least = min((e.right - e.left + _THIN) * (e.bottom - e.top + _THIN) for e in (self, other))
        return wide * tall / least if least > 0 else 0.0


def extent_of(drawing: Any) -> Extent | None:  # noqa: ANN401
    """Where a drawing is placed against its paragraph, None when it is not placed against it."""
    anchor = drawing.find(WP + "anchor")
    if anchor is not None:
        across, down = (_offset(anchor.find(WP + name)) for name in ("positionH", "positionV"))
        size, place = anchor.find(WP + "extent"), anchor.find(WP + "positionV")
        if down is None or place.get("relativeFrom") not in {"paragraph", "line"}:
            return None
        left = across or 0.0
        wide, tall = (_emu("" if size is None else size.get(name) or "") or 0.0 for name in ("cx", "cy"))
        return Extent(left, down, left + wide, down + tall)
    for child in drawing.iterchildren():
        style = child.get("style") or ""
        if "position:absolute" in style.replace(" ", ""):
            if re.search(r"vertical-relative:\s*(?:page|margin)", style):
                return None
            said = {m[1]: real(m[2]) * _POINTS[m[3]] for m in _STYLE.finditer(style)}
            left, top = said.get("margin-left", 0.0), said.get("margin-top", 0.0)
            return Extent(left, top, left + said.get("width", 0.0), top + said.get("height", 0.0))
    return None


def _offset(place: Any) -> float | None:  # noqa: ANN401
    return _emu(place.findtext(WP + "posOffset") or "") if place is not None else None


def _emu(text: str) -> float | None:
    return real(text, most=1e9) / _EMU if text.strip().lstrip("-").isdecimal() else None


def _width(text: str) -> float:
    """In ems; formulas count by the signs they show."""
    text = _COMMAND.sub(lambda match: "x" * (match[0][0] == "\\"), text)
    return sum(1.0 if char >= "\u2e80" else _NARROW for char in text)


def _twips(text: str, default: float) -> float:
    return real(text, default * 20) / 20
