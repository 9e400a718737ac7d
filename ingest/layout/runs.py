"""The pieces a page is put together from: runs of text, and lines made of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from schemas.document import Box


@dataclass(slots=True)
class Run:
    """Text on one baseline without a wide gap in it, or a picture standing in the text.

    box is where layout happens (deskewed for scans); seen is where the run stands on the page as
    shown. Both in points. baseline is None where the reader knows only boxes (OCR). spaced says that the
    file has a space character before it. style has one letter a character where the reader knows fonts:
    m a font for mathematics, i italics, '.' any other.
    """

    text: str
    box: Box
    size: float
    baseline: float | None = None
    bold: bool = False
    colour: str | None = None
    confidence: float = 1.0
    seen: Box | None = None
    asset: str | None = None
    reason: str = ""
    table: bool = False
    spaced: bool = False
    style: str = ""

    @property
    def where(self) -> Box:
        """The box on the page as shown."""
        return self.seen or self.box


@dataclass(slots=True)
class Line:
    """One visual line: runs from left to right, and the left edge of the column it stands in."""

    runs: list[Run] = field(default_factory=list)
    column_x0: float = 0.0
    _frame: tuple[int, Box] | None = None  # known for so many runs; their boxes stay as they are

    @property
    def box(self) -> Box:
        """Smallest box around all runs, as shown on the page."""
        return union(run.where for run in self.runs)

    @property
    def frame(self) -> Box:
        """Smallest box around all runs, where layout happens."""
        if len(self.runs) == 1:
            return self.runs[0].box
        if self._frame is None or self._frame[0] != len(self.runs):
            self._frame = len(self.runs), union([run.box for run in self.runs])
        return self._frame[1]

    @property
    def text(self) -> str:
        """All characters, without the gaps."""
        return "".join(run.text for run in self.runs)

    @property
    def size(self) -> float:
        """Font size of most characters."""
        return median([run.size for run in self.runs for _ in run.text[:40]], self.runs[0].size)


def union(boxes: Iterable[Box]) -> Box:
    """Smallest box around boxes (at least one)."""
    each = iter(boxes)
    x0, y0, x1, y1 = next(each)
    for left, top, right, bottom in each:
        x0 = min(left, x0)
        y0 = min(top, y0)
        x1 = max(right, x1)
        y1 = max(bottom, y1)
    return Box(x0, y0, x1, y1)


def overlap(low: float, high: float, other_low: float, other_high: float) -> float:
    """Length of the common part of two intervals, 0 when apart."""
    return max(0.0, min(high, other_high) - max(low, other_low))


def inside(box: Box, outer: Box, slack: float = 1.0) -> bool:
    """Whether the centre of box lies in outer, widened by slack points."""
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return outer.x0 - slack <= x <= outer.x1 + slack and outer.y0 - slack <= y <= outer.y1 + slack


def median(values: Sequence[float], default: float = 0.0) -> float:
    """Middle value, default for no values."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else default
