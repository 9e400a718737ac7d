"""Figures that a PDF page draws with strokes and curves: graphs, circuits, flow charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingest.layout import lines
from ingest.layout.runs import Line, Run, inside, union
from ingest.readers.common import drawings
from schemas.document import Box

_MAX_PATHS = 4000
_NEAR = 8.0  # points between paths of one figure
_MIN_WIDTH, _MIN_HEIGHT = 36.0, 28.0
_LABEL = 14  # characters: what is longer is text of the paper


@dataclass(frozen=True)
class Figure:
    """A figure's place, the words in it, and the ids of the runs these were taken from."""

    box: Box
    text: str = ""
    labels: frozenset[int] = frozenset()


def find(page: Any, runs: Sequence[Run], taken: Sequence[Box]) -> list[Figure]:  # noqa: ANN401
    """Drawn figures of a PyMuPDF page outside the taken boxes (tables, pictures).

    A figure needs slanted strokes, curves or several joined boxes; what lies over running text
    (underlines, marks of a pen) is none.
    """
    paths = drawings(page)
    if not 3 <= len(paths) <= _MAX_PATHS:
        return []
    area = page.rect.width * page.rect.height
    drawn: list[tuple[Box, int]] = []
    for path in paths:
        x0, y0, x1, y1 = path["rect"]
        if (x1 - x0) * (y1 - y0) > 0.5 * area or x1 - x0 > 0.85 * page.rect.width:
            continue
        box = Box(x0, y0, x1, y1)
        if not any(inside(box, other) for other in taken):
            drawn.append((box, sum(_slanted(item) for item in path["items"])))
    words = lines.segments([run for run in runs if not run.reason and not run.table and not run.asset])
    out: list[Figure] = []
    for group in _groups(drawn):
        box = union(item[0] for item in group)
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if width < _MIN_WIDTH or height < _MIN_HEIGHT or width * height > 0.6 * area:
            continue
        slanted = sum(item[1] for item in group)
        if slanted < 3 and len(group) < 8:
            continue
        figure = _with_labels(box, words, most=200 if slanted >= 3 else 3)
        if figure is not None and not any(inside(figure.box, other.box) for other in out):
            out.append(figure)
    return out


def _slanted(item: tuple[Any, ...]) -> bool:
    """Whether a path item is a curve or a line that is neither level nor upright."""
    if item[0] == "l":
        (ax, ay), (bx, by) = item[1], item[2]
        return bool(abs(ax - bx) > 2 and abs(ay - by) > 2)
    return item[0] in ("c", "qu")


def _groups(drawn: Sequence[tuple[Box, int]]) -> list[list[tuple[Box, int]]]:
    """Paths in groups whose boxes touch or nearly do."""
    groups: list[tuple[Box, list[tuple[Box, int]]]] = []
    for item in sorted(drawn, key=lambda item: item[0].y0):
        box, members = item[0], [item]
        keep = []
        for other, others in groups:
            if (
                other.x0 - _NEAR < box.x1
                and other.x1 + _NEAR > box.x0
                and other.y0 - _NEAR < box.y1
                and other.y1 + _NEAR > box.y0
            ):
                box, members = union([box, other]), others + members
            else:
                keep.append((other, others))
        groups = [*keep, (box, members)]
    return [members for _, members in groups]


def _with_labels(box: Box, words: Sequence[Line], most: int) -> Figure | None:
    """The figure in box with the short words in and around it.

    None when it lies over running text, or holds more than most words: boxes with text in them.
    """
    wide = Box(box.x0 - 12, box.y0 - 12, box.x1 + 12, box.y1 + 12)
    labels: list[Line] = []
    for line in words:
        length = sum(len(run.text) for run in line.runs)
        if inside(line.frame, box, 0.0):
            if length > _LABEL:
                return None
            labels.append(line)
        elif inside(line.frame, wide, 0.0) and length <= 4 and not any(lines.is_han(c) for c in line.text):
            labels.append(line)
    within = [line for line in labels if inside(line.frame, box, 0.0)]
    if len(within) > most or any(_continues(line, words, labels) for line in within):
        return None
    labels = [line for line in labels if not _continues(line, words, labels)]
    text = " ".join(lines.line_text(line) for line in labels)
    ids = frozenset(id(run) for line in labels for run in line.runs)
    return Figure(union([box, *(line.frame for line in labels)]), text, ids)


def _continues(line: Line, words: Sequence[Line], labels: Sequence[Line]) -> bool:
    """Whether a label is really a piece of a line of text: long text stands at its height, close by."""
    mine = line.frame
    for other in words:
        if other is line or len(other.text) <= _LABEL or any(other is label for label in labels):
            continue
        theirs = other.frame
        level = abs((mine.y0 + mine.y1) - (theirs.y0 + theirs.y1)) / 2 < 0.4 * line.size
        if level and max(mine.x0 - theirs.x1, theirs.x0 - mine.x1) < 3 * line.size:
            return True
    return False
