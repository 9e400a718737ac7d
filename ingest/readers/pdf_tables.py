"""Ruled tables of a PDF page: a grid of strokes, a row of cells, or three level lines with aligned cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.layout import furniture, lines
from ingest.layout.runs import Line, Run, inside, median, overlap, union
from schemas.document import Box

_TOUCH = 3.0  # points
_QUESTION = re.compile(
    r"^\s*(?:\d{1,2}\s*[.．、]|[一二三四五六七八九十]{1,3}\s*、|[(（]\d{1,2}[)）])\s*\S{6,}"
)

_LABELLED = re.compile(
    r"[(（]?\s*(?:[A-Ha-h]|\d{1,2}|[一二三四五六七八九十]{1,3})\s*[)）.．、:：]\D|.*[_（(]\s*$"
)
_RULES = 12  # level strokes of one open table
_ROW = 3  # cells, the least of a table of one row
_CELL = 16  # characters in a cell of it
_INDEX = re.compile(r"(?:\d{1,4}\s*){0,2}")  # a place, or the first and the last of several
_CARD = re.compile(r"[正错]误?确?填涂|填涂样例|缺考(?:标记|填涂)|条形码|考生禁填")


@dataclass(frozen=True)
class Table:
    """A table found on a page: its place, its Markdown, its runs; reason when it is furniture."""

    box: Box
    text: str
    members: frozenset[int]
    reason: str = ""


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first row is the head."""
    width = max(len(row) for row in rows)
    out = []
    for row in rows:
        cells = [cell.replace("|", "\\|").replace("\n", " ").strip() for cell in row]
        out.append("| " + " | ".join(cells + [""] * (width - len(row))) + " |")
    out.insert(1, "|" + " --- |" * width)
    return "\n".join(out)


def find(runs: Sequence[Run], level: Sequence[Box], upright: Sequence[Box], page_area: float) -> list[Table]:
    """Data tables and marking boxes among the strokes of a page (points)."""
    out = []
    taken: list[Box] = []
    for xs, ys in _grids(level, upright):
        table = _row_table(runs, xs, ys) if len(ys) == 2 else _grid_table(runs, xs, ys, page_area)
        if table is not None:
            out.append(table)
            taken.append(table.box)
    for group in _same_extent(level):
        start = 0
        while start < len(group) - 1:
            for end in range(min(len(group), start + _RULES) - 1, start, -1):
                box = union([*group[start : end + 1]])
                if any(inside(box, other) or inside(other, box) for other in taken):
                    continue
                table = _open_table(runs, box, page_area, end - start > 1 or _ruled_inside(box, level))
                if table is not None and (table.reason or not _boxed(box, upright)):
                    out.append(table)
                    taken.append(table.box)
                    start = end
                    break
            start += 1
    return out


def _grids(level: Sequence[Box], upright: Sequence[Box]) -> list[tuple[list[float], list[float]]]:
    """(x edges, y edges) of every group of strokes that touch each other."""
    strokes = [(box, True) for box in level] + [(box, False) for box in upright]
    if len(strokes) > 1500:
        return []
    parent = list(range(len(strokes)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for i, one in enumerate(level):
        for j, other in enumerate(upright, start=len(level)):
            if (
                one.x0 - _TOUCH < other.x1
                and one.x1 + _TOUCH > other.x0
                and one.y0 - _TOUCH < other.y1
                and one.y1 + _TOUCH > other.y0
            ):
                parent[root(i)] = root(j)
    groups: dict[int, list[int]] = {}
    for index in range(len(strokes)):
        groups.setdefault(root(index), []).append(index)
    out = []
    for members in groups.values():
        ys = _edges([strokes[i][0].y0 for i in members if strokes[i][1]])
        xs = _edges([strokes[i][0].x0 for i in members if not strokes[i][1]])
        flat = [strokes[i][0] for i in members if strokes[i][1]]
        if not ys or not xs or not (_spans(flat, ys[0], xs) and _spans(flat, ys[-1], xs)):
            continue  # boxes joined by arrows, not one frame
        posts = [strokes[i][0] for i in members if not strokes[i][1]]
        if not all(
            sum(post.y0 < (low + high) / 2 < post.y1 for post in posts) >= 2 for low, high in pairwise(ys)
        ):
            continue  # frames above each other with text between them
        several = len(xs) >= 2 and len(ys) >= 3 and (len(xs) - 1) * (len(ys) - 1) >= 4
        if several or (len(ys) == 2 and len(xs) > _ROW):
            out.append((xs, ys))
    return out


def _spans(level: Sequence[Box], y: float, xs: Sequence[float]) -> bool:
    """Whether the strokes at height y cover the grid from its first to its last edge."""
    covered = 0.0
    right = xs[0]
    for box in sorted((b for b in level if abs(b.y0 - y) <= _TOUCH), key=lambda b: b.x0):
        covered += max(0.0, min(box.x1, xs[-1]) - max(box.x0, right))
        right = max(right, box.x1)
    return covered > 0.9 * (xs[-1] - xs[0])


def _edges(values: Sequence[float]) -> list[float]:
    """Distinct positions, in order."""
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > _TOUCH:
            out.append(value)
    return out


def _grid_table(
    runs: Sequence[Run], xs: Sequence[float], ys: Sequence[float], page_area: float
) -> Table | None:
    """The table in a grid, None when the grid is no table of data."""
    box = Box(xs[0], ys[0], xs[-1], ys[-1])
    if (box.x1 - box.x0) * (box.y1 - box.y0) > 0.6 * page_area:
        return None
    members = [run for run in runs if inside(run.box, box, 0.0)]
    cells: dict[tuple[int, int], list[Run]] = {}
    for run in members:
        x, y = (run.box.x0 + run.box.x1) / 2, (run.box.y0 + run.box.y1) / 2
        column = max(i for i, edge in enumerate(xs[:-1]) if edge <= x + 0.01 or i == 0)
        row = max(i for i, edge in enumerate(ys[:-1]) if edge <= y + 0.01 or i == 0)
        cells.setdefault((row, column), []).append(run)
    rows = [[_cell(cells.get((r, c), [])) for c in range(len(xs) - 1)] for r in range(len(ys) - 1)]
    rows = [row for row in rows if any(row)]
    return _judged(rows, box, members)


def _row_table(runs: Sequence[Run], xs: Sequence[float], ys: Sequence[float]) -> Table | None:
    """A row of boxes with something in them, as an array or the fields of a word are drawn, as a table.

    Numbers close above the boxes are its head. None for a row that is empty, has options, answers in
    another ink, or what a candidate fills in.
    """
    box = Box(xs[0], ys[0], xs[-1], ys[-1])
    held = [run for run in runs if inside(run.box, box, 0.0)]
    filled = _in_cells(held, xs)
    words = " ".join(filled)
    plain = all(len(cell) <= _CELL and not _LABELLED.match(cell) for cell in filled)
    if sum(map(bool, filled)) < 2 or not plain or any(run.colour for run in held):
        return None
    if furniture.is_score_box(words.strip()) or furniture.asks_candidate(words) or _CARD.search(words):
        return None
    height = max(run.size for run in held)
    above = [
        run
        for run in runs
        if -0.5 * run.size < ys[0] - run.box.y1 < height
        and xs[0] - run.size < _middle(run) < xs[-1] + run.size
    ]
    head = _in_cells(above, xs)
    numbered = sum(map(bool, head)) >= max(_ROW, len(head) - 1) and all(
        _INDEX.fullmatch(cell) for cell in head
    )
    rows, members = ([head, filled], above + held) if numbered else ([filled], held)
    return Table(union([box, *(run.box for run in members)]), markdown(rows), frozenset(map(id, members)))


def _in_cells(runs: Sequence[Run], xs: Sequence[float]) -> list[str]:
    """The text between each two neighbouring edges."""
    cells: list[list[Run]] = [[] for _ in xs[1:]]
    for run in runs:
        cells[max([i for i, edge in enumerate(xs[:-1]) if edge <= _middle(run)], default=0)].append(run)
    return [_cell(cell) for cell in cells]


def _middle(run: Run) -> float:
    return (run.box.x0 + run.box.x1) / 2


def _cell(runs: Sequence[Run]) -> str:
    return " ".join(lines.line_text(line) for line in lines.build(runs)).replace("\t", " ").strip()


def _judged(rows: list[list[str]], box: Box, members: Sequence[Run]) -> Table | None:
    """A table of these rows, None when it looks like a frame around text."""
    ids = frozenset(id(run) for run in members)
    flat = [cell for row in rows for cell in row]
    words = " ".join(cell for cell in flat if cell)
    if furniture.is_score_box(words):
        return Table(box, words, ids, reason="score_box")
    if _CARD.search(words):
        return Table(box, words, ids, reason="answer_card")
    same = [row for row in rows if len(row) >= 5 and len(set(row)) == 1]
    if len(same) >= 4 and len(same) >= 0.6 * len(rows):
        return Table(box, words, ids, reason="answer_grid")
    columns = [index for index in range(max(map(len, rows), default=0)) if any(row[index] for row in rows)]
    rows = [[row[index] for index in columns] for row in rows]
    filled = sum(bool(cell) for cell in flat)
    if len(rows) < 2 or len(columns) < 2 or filled < 4 or filled < 0.4 * len(rows) * len(columns):
        return None
    if any(len(cell) > 120 or _QUESTION.match(cell) for cell in flat):
        return None
    return Table(box, markdown(rows), ids)


def _same_extent(level: Sequence[Box]) -> list[list[Box]]:
    """Level strokes of the same extent, from top to bottom, by their extent."""
    groups: list[list[Box]] = []
    for stroke in sorted(level, key=lambda box: box.y0):
        if stroke.x1 - stroke.x0 < 60:
            continue
        for group in groups:
            if abs(group[-1].x0 - stroke.x0) < 4 and abs(group[-1].x1 - stroke.x1) < 4:
                if stroke.y0 - group[-1].y0 > _TOUCH:
                    group.append(stroke)
                break
        else:
            groups.append([stroke])
    return [group for group in groups if len(group) > 1]


def _boxed(box: Box, upright: Sequence[Box]) -> bool:
    """Whether an upright stroke closes the left or the right side: then it is a frame, no open table."""
    return any(
        min(abs(post.x0 - box.x0), abs(post.x0 - box.x1)) < _TOUCH
        and overlap(post.y0, post.y1, box.y0, box.y1) > 0.5 * (box.y1 - box.y0)
        for post in upright
    )


def _ruled_inside(box: Box, level: Sequence[Box]) -> bool:
    """Whether a long stroke stands between the first and the last of a table: under a part of its head."""
    return any(
        box.y0 + _TOUCH < stroke.y0 < box.y1 - _TOUCH
        and stroke.x0 > box.x0 - 4
        and stroke.x1 < box.x1 + 4
        and stroke.x1 - stroke.x0 > 0.5 * (box.x1 - box.x0)
        for stroke in level
    )


def _open_table(runs: Sequence[Run], box: Box, page_area: float, ruled: bool) -> Table | None:
    """A table without upright strokes: rows whose cells stand below each other.

    ruled says that a rule divides it; without one it needs three rows of equal, short cells, as where
    a table goes on from the page before.
    """
    if (box.x1 - box.x0) * (box.y1 - box.y0) > 0.6 * page_area:
        return None
    members = [run for run in runs if inside(run.box, box, 0.0)]
    rows = []
    for line in lines.build(members):
        cells = [[line.runs[0]]]
        for run in line.runs[1:]:
            if run.box.x0 - cells[-1][-1].box.x1 > lines.TAB_GAP * run.size:
                cells.append([])
            cells[-1].append(run)
        rows.append(cells)
    width = _width(rows)
    if len(rows) < 2 or width < 2:
        return None
    if any(len(row) == 1 and sum(len(run.text) for run in row[0]) > 12 for row in rows[1:]):
        return None  # text between two tables
    full = [row for row in rows if len(row) == width]
    if not ruled and (len(full) < max(3, len(rows)) or not _plain(full)):
        return None
    centres = [median([_centre(row[index]) for row in full]) for index in range(width)]
    grid = []
    for row in rows:
        out = [""] * width
        for cell in [part for whole in row for part in _parted(whole, centres)]:
            nearest = min(range(width), key=lambda index: abs(centres[index] - _centre(cell)))
            out[nearest] = f"{out[nearest]} {lines.line_text(Line(cell))}".strip()
        grid.append(out)
    if sum(sum(map(bool, out)) >= len(row) for out, row in zip(grid, rows, strict=True)) < 0.6 * len(rows):
        return None
    return _judged(grid, box, members)


def _parted(cell: list[Run], centres: Sequence[float]) -> list[list[Run]]:
    """A cell cut into its runs where it stands over the middles of several columns."""
    over = sum(cell[0].box.x0 < centre < cell[-1].box.x1 for centre in centres)
    return [[run] for run in cell] if over == len(cell) > 1 else [cell]


def _width(rows: Sequence[Sequence[list[Run]]]) -> int:
    """Number of columns: the most cells that several rows have, and at least a fourth of them."""
    counts = Counter(len(row) for row in rows)
    needed = max(2, 0.25 * len(rows))
    return max((width for width, times in counts.items() if times >= needed), default=0)


def _plain(rows: Sequence[Sequence[list[Run]]]) -> bool:
    """Whether all cells are short and none is an option or a numbered item."""
    cells = ["".join(run.text for run in cell) for row in rows for cell in row]
    return all(len(cell) <= 12 and not _LABELLED.match(cell) for cell in cells)


def _centre(runs: Sequence[Run]) -> float:
    return (runs[0].box.x0 + runs[-1].box.x1) / 2
