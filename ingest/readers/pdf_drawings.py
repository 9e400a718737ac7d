"""Figures that a PDF page draws with strokes and curves: graphs, circuits, flow charts."""

from __future__ import annotations

import re
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
_THIN = 2.5  # points: what is slimmer is a stroke
_BESIDE = 90.0  # points from a figure to the labels of its rows
_ITEM = re.compile(r"[(（]?(?:\d{1,2}|[A-Ha-h]|[一二三四五六七八九十])[)）.．、:：]")
_SENTENCE = re.compile(r"[。，；：？！、,;?!_]")


DPI = 200.0  # of the picture made of a drawing


@dataclass(frozen=True)
class Figure:
    """A figure's place, the words in it, the ids of the runs these were taken from, dots to an inch."""

    box: Box
    text: str = ""
    labels: frozenset[int] = frozenset()
    dpi: float = DPI


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
        if not any(inside(box, other) for other in taken) and not _fills_in(box, runs):
            drawn.append((box, sum(_slanted(item) for item in path["items"])))
    words = lines.segments([run for run in runs if not run.reason and not run.table and not run.asset])
    out: list[Figure] = []
    for group in _groups(drawn):
        found = [_figure(group, words, area)]
        if found == [None] and sum(item[1] for item in group) >= 3:
            # blanks and underlines of the text beside it may chain a figure to the rest of the page
            loose = [item for item in group if not _underlines(item[0], words)]
            if len(loose) < len(group):
                found = [_figure(part, words, area) for part in _groups(loose)]
        for figure in found:
            if figure is not None and not any(inside(figure.box, other.box) for other in out):
                out.append(figure)
    return _with_sides(out, words, taken) if out else out


def _figure(group: Sequence[tuple[Box, int]], words: Sequence[Line], area: float) -> Figure | None:
    """The figure that a group of paths draws, None when it is too small, too plain or over text."""
    box = union(item[0] for item in group)
    width, height = box.x1 - box.x0, box.y1 - box.y0
    if width < _MIN_WIDTH or height < _MIN_HEIGHT or width * height > 0.6 * area:
        return None
    slanted = sum(item[1] for item in group)
    if slanted < 3 and len(group) < 8:
        return None
    return _with_labels(box, words, most=200 if slanted >= 3 else 3)


def _fills_in(box: Box, runs: Sequence[Run]) -> bool:
    """Whether a stroke is a blank: it begins where a text ends, on the line that this text stands on."""
    if box.y1 - box.y0 > _THIN or box.x1 - box.x0 < 2 * _NEAR:
        return False
    return any(
        run.baseline is not None
        and -2 < box.x0 - run.box.x1 < run.size
        and -0.1 * run.size < box.y1 - run.baseline < 0.4 * run.size
        for run in runs
    )


def _underlines(box: Box, words: Sequence[Line]) -> bool:
    """Whether a level stroke is an underline or a blank: it stands on the line of a text beside or above."""
    if box.y1 - box.y0 > _THIN:
        return False
    for line in words:
        frame = line.frame
        low = 0.5 * line.size
        if frame.y1 - low < box.y1 < frame.y1 + low and max(frame.x0 - box.x1, box.x0 - frame.x1) < line.size:
            return True
    return False


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
        length = _length(line)
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


def _length(line: Line) -> float:
    """Characters of a line; those of a single word or number without Han count half."""
    text = line.text
    half = len(line.runs) == 1 and not any(map(lines.is_han, text))
    return len(text) / 2 if half else float(len(text))


def _with_sides(figures: list[Figure], words: Sequence[Line], taken: Sequence[Box]) -> list[Figure]:
    """The figures with the labels that stand at their sides; one between two figures stays text."""
    done = frozenset[int]().union(*(figure.labels for figure in figures))
    drawn = [figure.box for figure in figures]
    for line in words:
        if any(id(run) in done for run in line.runs) or not _is_label(line, words):
            continue
        middle = (line.frame.y0 + line.frame.y1) / 2
        near = [
            place
            for place, box in enumerate(drawn)
            if box.y0 < middle < box.y1 and 0 < max(line.frame.x0 - box.x1, box.x0 - line.frame.x1) < _BESIDE
        ]
        if len(near) != 1 or any(inside(line.frame, box) for box in taken):
            continue
        figure = figures[near[0]]
        figures[near[0]] = Figure(
            union([figure.box, line.frame]),
            f"{figure.text} {lines.line_text(line)}".strip(),
            figure.labels | {id(run) for run in line.runs},
        )
    return figures


def _is_label(line: Line, words: Sequence[Line]) -> bool:
    """Whether a line may be a label of a drawing beside it: short, and no line of the text.

    Lines of the text begin where other lines begin, carry a number or the signs of a sentence, or have
    more of their row beside them.
    """
    if _length(line) > _LABEL or _ITEM.match(line.text) or _SENTENCE.search(line.text):
        return False
    if any(abs(other.frame.x0 - line.frame.x0) < 3 and _length(other) > _LABEL for other in words):
        return False
    return not _continues(line, words, [])


def _continues(line: Line, words: Sequence[Line], labels: Sequence[Line]) -> bool:
    """Whether a label is really a piece of a line of text: long text stands at its height, close by."""
    mine = line.frame
    for other in words:
        if other is line or _length(other) <= _LABEL or any(other is label for label in labels):
            continue
        theirs = other.frame
        level = abs((mine.y0 + mine.y1) - (theirs.y0 + theirs.y1)) / 2 < 0.4 * line.size
        if level and max(mine.x0 - theirs.x1, theirs.x0 - mine.x1) < 3 * line.size:
            return True
    return False
