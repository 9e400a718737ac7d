"""Options of several lines each that stand side by side: read one after the other, not line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.layout.lines import TAB_GAP
from ingest.layout.runs import Line

_LABEL = re.compile(r"[(（]?[A-Ha-h]\s*[)）.．、]")
_NUMBER = re.compile(r"[(（]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})\s*[)）.．、]")
_INDENT = 4.0  # em by which a later line of an option may be set in
_FAR = 2.2  # em between the middles of neighbouring lines of an option


def unfolded(lines: Sequence[Line]) -> list[Line]:
    """Lines of one zone, from top to bottom, with options side by side each in one stretch."""
    out: list[Line] = []
    place = 0
    while place < len(lines):
        columns = [[piece] for piece in _pieces(lines[place])]
        end = place + 1
        if len(columns) > 1 and all(_LABEL.match(column[0].text) for column in columns):
            while end < len(lines) and _continues(lines[end], lines[end - 1], columns):
                end += 1
        if end == place + 1:
            out.append(lines[place])
        else:
            out += [piece for column in columns for piece in column]
        place = end
    return out


def _pieces(line: Line) -> list[Line]:
    """A line cut at its tab stops."""
    out: list[Line] = []
    right = 0.0
    for run in line.runs:
        if not out or run.box.x0 - right > TAB_GAP * run.size:
            out.append(Line([], line.column_x0))
        out[-1].runs.append(run)
        right = max(right, run.box.x1)
    return out


def _continues(line: Line, before: Line, columns: list[list[Line]]) -> bool:
    """Whether a line goes on with options above it; its pieces are then added to their columns.

    Each piece has to begin under the beginning of an option, one of them not the first.
    """
    if any(run.table or run.asset for run in line.runs):
        return False
    middle, above = ((one.frame.y0 + one.frame.y1) / 2 for one in (line, before))
    if middle - above > _FAR * line.size:
        return False
    starts = [column[0].frame.x0 for column in columns]
    found: dict[int, Line] = {}
    for piece in _pieces(line):
        x = piece.frame.x0
        index = max((i for i, start in enumerate(starts) if start - 2 <= x), default=-1)
        outside = index < 0 or index in found or x - starts[index] > _INDENT * piece.size
        if outside or _LABEL.match(piece.text) or _NUMBER.match(piece.text):
            return False
        found[index] = piece
    if not any(found):
        return False
    for index, piece in found.items():
        columns[index].append(piece)
    return True
