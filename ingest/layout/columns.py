"""Reading order: find the columns of a page and cut it into zones that are read one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.layout.runs import Line, median, overlap, union

_GRID = re.compile(r"^\s*(?:[(（]?[A-Ha-h][)）.．、:：]|[A-H]\s|[(（]\s*[✓√×XTF]?\s*[)）])")
_SLOTS = 400


def zones(segments: Sequence[Line], walls: Sequence[float] = (), depth: int = 0) -> list[list[Line]]:
    """Segments in zones by reading order: within a zone plain lines from top to bottom.

    A gutter is a vertical strip near the middle that hardly any line crosses, with lines on both
    sides that are not just the options of a question. Segments across the gutter (headings) cut the
    page into bands; every band is read column by column. walls are the x of long upright strokes: a
    stroke down the middle that no line crosses is a gutter, however little stands beside it.
    """
    segments = _rows_of_cells(segments) if depth == 0 else list(segments)
    if len(segments) < 2 or depth > 2:
        return [segments] if segments else []
    gutter = _wall(segments, walls) or find_gutter(segments, strict=depth > 0)
    if gutter is None:
        return [segments]
    low, high = gutter
    middle = (low + high) / 2
    crossing = sorted((r for r in segments if r.frame.x0 < low - 1 and r.frame.x1 > high + 1), key=_middle)
    sides = [r for r in segments if not (r.frame.x0 < low - 1 and r.frame.x1 > high + 1)]
    out: list[list[Line]] = []
    for band_cross, band_sides in _bands(crossing, sides):
        if band_cross:
            out.append(band_cross)
        for half in (
            [r for r in band_sides if (r.frame.x0 + r.frame.x1) / 2 < middle],
            [r for r in band_sides if (r.frame.x0 + r.frame.x1) / 2 >= middle],
        ):
            out.extend(zones(half, walls, depth + 1))
    return out


def _rows_of_cells(segments: Sequence[Line]) -> list[Line]:
    """Segments with rows of at least five one- or two-character cells joined: arrays, bare tables."""
    out: list[Line] = []
    for row in _rows(segments):
        short = [s for s in row if len(s.text) <= 2 and s.frame.y1 - s.frame.y0 < 3 * s.size]
        if len(short) >= 5 and len(short) == len(row):
            row = [Line([run for segment in row for run in segment.runs], row[0].column_x0)]
        out += row
    return out


def _wall(segments: Sequence[Line], walls: Sequence[float]) -> tuple[float, float] | None:
    """The wall that divides segments into two halves, as a gutter of no width."""
    area = union(segment.frame for segment in segments)
    width = area.x1 - area.x0
    rows = len(_rows(segments))
    for x in sorted(walls, key=lambda x: abs(x - (area.x0 + area.x1) / 2)):
        if not area.x0 + 0.2 * width < x < area.x1 - 0.2 * width:
            continue
        crossed = sum(segment.frame.x0 < x - 2 and segment.frame.x1 > x + 2 for segment in segments)
        if crossed <= 0.15 * rows:
            return x, x
    return None


def _middle(line: Line) -> float:
    return (line.frame.y0 + line.frame.y1) / 2


def _bands(crossing: Sequence[Line], sides: Sequence[Line]) -> list[tuple[list[Line], list[Line]]]:
    """Crossing segments with the column segments that follow below them; the first pair may lack either."""
    bands: list[tuple[list[Line], list[Line]]] = []
    rest = sorted(sides, key=_middle)
    taken = 0
    group: list[Line] = []
    for line in crossing:
        above = taken
        while above < len(rest) and _middle(rest[above]) < _middle(line) - 0.3 * line.size:
            above += 1
        if above > taken:
            bands.append((group, rest[taken:above]))
            group, taken = [], above
        group.append(line)
    bands.append((group, rest[taken:]))
    return bands


def _rows(segments: Sequence[Line]) -> list[list[Line]]:
    """Lines in rows over the full width, by vertical overlap with the row's first line."""
    rows: list[list[Line]] = []
    for line in sorted(segments, key=_middle):
        if rows:
            first = rows[-1][0]
            shared = overlap(line.frame.y0, line.frame.y1, first.frame.y0, first.frame.y1)
            if shared > 0.5 * min(line.frame.y1 - line.frame.y0, first.frame.y1 - first.frame.y0):
                rows[-1].append(line)
                continue
        rows.append([line])
    return rows


def find_gutter(segments: Sequence[Line], strict: bool = False) -> tuple[float, float] | None:
    """(x0, x1) of the gutter in points, None for a single column.

    strict asks for more lines on both sides: used inside a column that was already found.
    """
    area = union(line.frame for line in segments)
    width, height = area.x1 - area.x0, area.y1 - area.y0
    em = median([line.size for line in segments], 10.0)
    if width < 18 * em or height <= 0:
        return None
    rows = _rows(segments)
    step = width / _SLOTS
    crossed = [0] * (_SLOTS + 1)
    for row in rows:
        slots: set[int] = set()
        for line in row:
            first = max(0, int((line.frame.x0 - area.x0) / step))
            last = min(_SLOTS, int((line.frame.x1 - area.x0) / step))
            slots.update(range(first, last + 1))
        for slot in slots:
            crossed[slot] += 1
    low, high = int(0.28 * _SLOTS), int(0.72 * _SLOTS)
    allowed = max(0, int(0.15 * len(rows)))
    best: tuple[float, float] | None = None
    best_score = 0.0
    for level in sorted({min(crossed[low:high]), allowed}):
        if level > allowed:
            continue
        for start, end in _stretches(crossed, level, low, high):
            x0, x1 = area.x0 + start * step, area.x0 + end * step
            if x1 - x0 < 1.0 * em:
                continue
            score = _gutter_score(rows, x0, x1, em, width / max(height, 1.0), strict)
            if score > best_score:
                best, best_score = (x0, x1), score
    return best


def _stretches(crossed: Sequence[int], level: int, low: int, high: int) -> list[tuple[int, int]]:
    """Maximal slot ranges crossed by at most level rows that reach into [low, high)."""
    found = []
    slot = low
    while slot < high:
        if crossed[slot] > level:
            slot += 1
            continue
        start = end = slot
        while start > 0 and crossed[start - 1] <= level:
            start -= 1
        while end < len(crossed) - 1 and crossed[end + 1] <= level:
            end += 1
        found.append((start, end))
        slot = end + 1
    return found


def _gutter_score(
    rows: Sequence[Sequence[Line]], x0: float, x1: float, em: float, aspect: float, strict: bool
) -> float:
    """How sure the strip x0-x1 divides two columns; 0 = it does not."""
    left = right = both = grid = short_pairs = 0
    middle = (x0 + x1) / 2
    for row in rows:
        if any(line.frame.x0 < x0 - 1 and line.frame.x1 > x1 + 1 for line in row):
            continue
        before = [line for line in row if (line.frame.x0 + line.frame.x1) / 2 < middle]
        after = sorted((r for r in row if (r.frame.x0 + r.frame.x1) / 2 >= middle), key=lambda r: r.frame.x0)
        left += bool(before)
        right += bool(after)
        if after:
            if before:
                both += 1
            text = "".join(line.text for line in after)
            if _GRID.match(text) and before:
                grid += 1
            elif before and sum(len(line.text) for line in before) < 12 and len(text) < 12:
                short_pairs += 1
    landscape = aspect > 1.1
    needed = 8 if strict else (2 if landscape else 6)
    if left < needed or right < needed:
        return 0.0
    if grid + short_pairs >= 0.6 * right:
        return 0.0
    texts = [sum(len(r.text) for r in row) for row in rows]
    if not landscape and median(texts) < 12:
        return 0.0
    balance = min(left, right) / max(left, right)
    if balance < 0.15 and not landscape:
        return 0.0
    return (x1 - x0) / em + 4 * balance
