"""Two-dimensional formulas of a text layer folded into one line: matrices and cases; stacks does the rest.

A typesetter draws them as loose signs at many heights. Left alone they would scatter over the lines
above and below. Only what geometry makes certain is folded: a matrix needs brackets built from pieces or
drawn bars. The rest stays linear text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.layout import bars, lines, stacks
from ingest.layout.bars import Slant
from ingest.layout.runs import Line, Run, median, overlap, union
from schemas.document import Box

LEFT = dict.fromkeys("⎛⎜⎝", "pmatrix") | dict.fromkeys("⎡⎢⎣", "bmatrix") | dict.fromkeys("⎧⎨⎩", "cases")
RIGHT = dict.fromkeys("⎞⎟⎠", "pmatrix") | dict.fromkeys("⎤⎥⎦", "bmatrix") | dict.fromkeys("⎫⎬⎭", "cases")
PIECES = frozenset([*LEFT, *RIGHT, "⎪"])
APART = PIECES | stacks.BIG | {"√"}
"""Signs that are always a run of their own."""
_COMMAS = frozenset(",，;；")
_ONE_LINE = {"pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "cases": "{}"}
_WRITTEN = {"{": r"\{", "}": r"\}"}
_CELL_GAP = 0.6  # em between the entries of a matrix row
_MAX_RUNS = 6000
_MAX_STROKES = 1500


@dataclass(slots=True)
class _Bracket:
    env: str
    left: bool
    box: Box
    size: float


def fold(
    runs: Sequence[Run],
    level: Sequence[Box],
    upright: Sequence[Box],
    doubtful: list[Box] | None = None,
    slants: Sequence[Slant] = (),
) -> list[Run]:
    """Runs with fractions, matrices and cases replaced by one run each, as `$LaTeX$`.

    level, upright and slants are the page's drawn strokes. Runs in and out are in points. Places with
    brackets that hold nothing certain are added to doubtful.
    """
    if len(runs) > _MAX_RUNS:
        return list(runs)
    level, upright = level[:_MAX_STROKES], upright[:_MAX_STROKES]
    roots = bars.drawn_roots(level, slants)
    out = stacks.fold([*runs, *stacks.drawn_bars(runs, level, upright), *roots], level, upright)
    alone = {id(root) for root in roots}  # a check mark, or a part of a drawing
    out = [run for run in out if id(run) not in alone]
    return _brackets(out, level, upright, doubtful if doubtful is not None else [])


def _brackets(
    runs: list[Run], level: Sequence[Box], upright: Sequence[Box], doubtful: list[Box]
) -> list[Run]:
    """Fold what stands between tall brackets or bars."""
    pieces = [run for run in runs if run.text and run.text in PIECES]
    brackets = _stacks(pieces) + _bars(upright, level, runs)
    rest = [run for run in runs if not (run.text and run.text in PIECES)]
    loose = list(brackets)
    for right in sorted((b for b in brackets if not b.left), key=lambda b: b.box.x0):
        fitting = [b for b in loose if b.left and b.env == right.env and _level_with(b.box, right.box)]
        before = [b for b in fitting if b.box.x1 <= right.box.x0 + 1]
        if not before:
            continue
        left = max(before, key=lambda b: b.box.x0)
        area = Box(
            left.box.x1 - 2, min(left.box.y0, right.box.y0), right.box.x0 + 2, max(left.box.y1, right.box.y1)
        )
        inner = [r for r in rest if r.baseline is not None and _centre_in(r, area)]
        folded = _matrix(inner, left, Box(left.box.x0, area.y0, right.box.x1, area.y1), rest)
        if folded is not None:
            gone = {id(r) for r in inner}
            rest = [r for r in rest if id(r) not in gone] + [folded]
            loose = [b for b in loose if b is not left and b is not right]
    for brace in [b for b in loose if b.left and b.env == "cases"]:
        rest, done = _cases(rest, brace)
        if done:
            loose = [b for b in loose if b is not brace]
    for b in loose:  # a bracket that holds nothing certain: one ordinary sign at its middle
        if b.env != "vmatrix":
            doubtful.append(b.box)
            y = (b.box.y0 + b.box.y1) / 2
            box = Box(b.box.x0, y - 0.5 * b.size, b.box.x1, y + 0.5 * b.size)
            rest.append(Run(_ONE_LINE[b.env][0 if b.left else 1], box, b.size, y + 0.3 * b.size))
    return rest


def _stacks(pieces: Sequence[Run]) -> list[_Bracket]:
    """Brackets from their pieces standing on top of each other."""
    groups: list[list[Run]] = []
    for run in sorted(pieces, key=lambda r: (r.box.y0, r.box.x0)):
        best = None
        for group in groups:
            last = group[-1]
            same_side = _side(run) is None or _side(last) is None or _side(run) == _side(last)
            near = (
                abs(run.box.x0 - last.box.x0) < 0.3 * run.size and run.box.y0 - last.box.y1 < 0.5 * run.size
            )
            if same_side and near:
                best = group
        if best is None:
            groups.append([run])
        else:
            best.append(run)
    out = []
    for group in groups:
        signs = [run.text for run in group if run.text != "⎪"]
        if not signs:
            continue
        left = signs[0] in LEFT
        out.append(
            _Bracket((LEFT if left else RIGHT)[signs[0]], left, union(r.box for r in group), group[0].size)
        )
    return out


def _side(run: Run) -> bool | None:
    return True if run.text in LEFT else False if run.text in RIGHT else None


def _bars(upright: Sequence[Box], level: Sequence[Box], runs: Sequence[Run]) -> list[_Bracket]:
    """Pairs of drawn bars of equal height that hold several lines of text: determinants."""
    size = median([run.size for run in runs], 10.0)
    tall = [
        post
        for post in upright
        if 1.8 * size < post.y1 - post.y0 < 14 * size
        and not any(
            line.x0 - 2 < post.x0 < line.x1 + 2 and (abs(line.y0 - post.y0) < 2 or abs(line.y0 - post.y1) < 2)
            for line in level
        )
    ]
    tall.sort(key=lambda b: (round(b.y0 / 3), b.x0))
    out = []
    skip = False
    for first, second in pairwise(tall):
        if skip:
            skip = False
            continue
        alike = abs(first.y0 - second.y0) < 2 and abs(first.y1 - second.y1) < 2
        if alike and 0.5 * size < second.x0 - first.x1 < 30 * size:
            out += [_Bracket("vmatrix", True, first, size), _Bracket("vmatrix", False, second, size)]
            skip = True
    return out


def _level_with(one: Box, other: Box) -> bool:
    shared = overlap(one.y0, one.y1, other.y0, other.y1)
    return shared > 0.7 * max(one.y1 - one.y0, other.y1 - other.y0)


def _centre_in(run: Run, area: Box) -> bool:
    x, y = (run.box.x0 + run.box.x1) / 2, (run.box.y0 + run.box.y1) / 2
    return area.x0 <= x <= area.x1 and area.y0 - 2 <= y <= area.y1 + 2


def _rows(inner: Sequence[Run]) -> list[list[str]]:
    """Text of the cells, row by row."""
    out = []
    for line in lines.build(inner):
        cells: list[list[Run]] = []
        right = 0.0
        for run in line.runs:
            if not cells or run.box.x0 - right > _CELL_GAP * run.size:
                cells.append([])
            cells[-1].append(run)
            right = max(right, run.box.x1)
        out.append([lines.formula(Line(cell)) for cell in cells])
    return out


def _matrix(inner: Sequence[Run], left: _Bracket, box: Box, rest: Sequence[Run]) -> Run | None:
    """One run for a matrix, None when its inside is empty or is not a formula."""
    text = "".join(run.text for run in inner)
    if not text or len(text) > 400 or sum("\u3400" <= char <= "\u9fff" for char in text) > 0.3 * len(text):
        return None
    rows = _rows(inner)
    if left.env == "vmatrix" and (len(rows) < 2 or max(len(row) for row in rows) < 2):
        return None
    if len(rows) == 1 and len(rows[0]) == 1:
        left_sign, right_sign = (_WRITTEN.get(sign, sign) for sign in _ONE_LINE[left.env])
        return _placed(f"${left_sign}{rows[0][0]}{right_sign}$", box, left.size, rest, inner)
    cells = " \\\\ ".join(" & ".join(row) for row in rows)
    return _placed(f"$\\begin{{{left.env}}}{cells}\\end{{{left.env}}}$", box, left.size, rest, inner)


def _placed(text: str, box: Box, size: float, rest: Sequence[Run], inner: Sequence[Run]) -> Run:
    """A run for a folded formula, standing on the baseline of the line it belongs to."""
    y = (box.y0 + box.y1) / 2
    own = {id(run) for run in inner}
    best, least = None, 3.0 * size
    for run in rest:
        if run.baseline is None or id(run) in own or run.size < 0.75 * size:
            continue
        gap = max(run.box.x0 - box.x1, box.x0 - run.box.x1)
        if -0.5 * size < gap < least and abs(run.baseline - 0.3 * run.size - y) < 0.6 * size:
            best, least = run, gap
    if best is not None and best.baseline is not None:
        return Run(text, Box(box.x0, best.box.y0, box.x1, best.box.y1), best.size, best.baseline, seen=box)
    return Run(text, Box(box.x0, y - 0.6 * size, box.x1, y + 0.5 * size), size, y + 0.3 * size, seen=box)


def _own(row: Sequence[Run], limit: float, outer: bool, listed: bool) -> list[Run]:
    """What of a row belongs to the cases: up to limit, and where rows end in commas (listed) up to its own.

    The sentence goes on at the height of the middle row, which may be the longest.
    """
    kept = [run for run in row if run.box.x0 < limit and (outer or run.box.x1 < limit)]
    if not listed or outer or not kept:
        return kept
    for end in range(len(kept), len(row)):
        run = row[end]
        if run.box.x0 - row[end - 1].box.x1 > run.size:
            break
        if run.text in _COMMAS:
            return list(row[: end + 1])
        if any(map(lines.is_han, run.text)):
            break
    return kept


def _cases(runs: list[Run], brace: _Bracket) -> tuple[list[Run], bool]:
    """Fold the rows to the right of a single brace."""
    box = brace.box
    inside = [
        r
        for r in runs
        if r.baseline is not None
        and r.box.x0 >= box.x0
        and box.y0 - 2 <= (r.box.y0 + r.box.y1) / 2 <= box.y1 + 2
    ]
    rows: list[list[Run]] = []
    for line in lines.build(inside):
        row: list[Run] = []
        right = box.x1
        for run in line.runs:
            if run.box.x0 - right > 1.6 * run.size:
                break
            row.append(run)
            right = max(right, run.box.x1)
        if row and row[0].box.x0 - box.x1 < 2.5 * brace.size:
            rows.append(row)
    if len(rows) < 2:
        return runs, False
    middle = (box.y0 + box.y1) / 2
    outer = [
        row
        for row in rows
        if abs(union(r.box for r in row).y0 / 2 + union(r.box for r in row).y1 / 2 - middle)
        > 0.5 * brace.size
    ]
    limit = max(r.box.x1 for row in (outer or rows) for r in row) + 0.7 * brace.size
    listed = any(row[-1].text[-1:] in _COMMAS for row in outer[:-1])
    rows = [_own(row, limit, row in outer, listed) for row in rows]
    inner = [r for row in rows for r in row]
    body = " \\\\ ".join(lines.formula(Line(row)) for row in rows if row)
    area = Box(box.x0, box.y0, max(r.box.x1 for r in inner), box.y1)
    gone = {id(r) for r in inner}
    rest = [r for r in runs if id(r) not in gone]
    return [*rest, _placed(f"$\\begin{{cases}}{body}\\end{{cases}}$", area, brace.size, rest, inner)], True
