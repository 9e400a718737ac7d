"""What is set above and below a bar or a big operator, folded into one run: fractions, roots, limits.

A typesetter draws these as loose signs at several heights. Only what geometry makes certain is folded.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ingest.layout import lines
from ingest.layout.bars import over as bars_over
from ingest.layout.latex import FUNCTIONS, LATEX
from ingest.layout.runs import Line, Run, median, overlap, union
from schemas.document import Box

BIG = frozenset("∑∏∐∫∬∭∮⋃⋂⨁")
LIMITED = frozenset(["lim", "max", "min", "sup", "inf"])
_LONGEST = 200  # characters of a fraction
_PASSES = 3
_WORD = re.compile(r"(?<![A-Za-z\\])(?!(?:sin|cos|tan|cot|log|lim|max|min|exp|det)(?![a-z]))[A-Za-z]{3,}")


def fold(runs: list[Run], level: Sequence[Box], upright: Sequence[Box]) -> list[Run]:
    """Runs with fractions, roots and limits as one run each. level and upright are drawn strokes."""
    bars = sorted((bar for bar in level if 3.0 < bar.x1 - bar.x0 < 300.0), key=lambda bar: bar.x1 - bar.x0)
    posts = sorted(upright, key=lambda post: post.x0)
    places = [post.x0 for post in posts]
    bars = [bar for bar in bars if not _touched(bar, posts, places)]
    roots = any(run.text == "√" for run in runs)
    for _ in range(_PASSES if bars else 0):
        left = []
        for bar in bars:
            folded = (_root(runs, bar) if roots else None) or _fraction(runs, bar) or bars_over(runs, bar)
            if folded is None:
                left.append(bar)
            else:
                runs = folded
        if len(left) == len(bars):
            break
        bars = left
    return _limits(runs)


def _touched(bar: Box, posts: Sequence[Box], places: Sequence[float]) -> bool:
    """Whether an upright stroke meets the bar: then it is part of a table or a box.

    posts are the upright strokes from left to right, places their x.
    """
    near = posts[bisect_left(places, bar.x0 - 3) : bisect_right(places, bar.x1 + 3)]
    return any(post.y0 < bar.y1 + 2 and post.y1 > bar.y0 - 2 for post in near)


def _text_runs(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.baseline is not None]


# --- fractions -----------------------------------------------------------------------------------


def _fraction(runs: list[Run], bar: Box) -> list[Run] | None:
    """Runs with `numerator over bar over denominator` folded; None when it is not surely a fraction."""
    y = (bar.y0 + bar.y1) / 2
    left, right = bar.x0 - 30, bar.x1 + 30
    close = [
        r
        for r in runs
        if r.box.x1 > left
        and r.box.x0 < right
        and r.baseline is not None
        and abs((r.where.y0 + r.where.y1) / 2 - y) < 4 * r.size
    ]
    inside = [r for r in close if _within(r, bar)]
    over = [r for r in inside if _above(r, y)]
    under = [r for r in inside if _below(r, y)]
    if not over or not under:
        return None
    size = max(r.size for r in over + under)
    over += [r for r in inside if _rides(r, over, size) and (r.baseline or 0) < y and r not in under]
    under += [r for r in inside if _rides(r, under, size) and (r.baseline or 0) > y and r not in over]
    held = {id(r) for r in over + under}
    rest = [r for r in close if id(r) not in held]
    beside = _neighbour(rest, bar, y, size)
    if beside is None and not _tight(over, under, rest, bar, size):
        return None
    top, bottom = _linear(over), _linear(under)
    if not top or not bottom or len(top) + len(bottom) > _LONGEST or _has_words(top + bottom):
        return None
    if beside is None and _WORD.search(f"{top} {bottom}"):
        return None
    seen = union([bar, *(r.where for r in over + under)])
    if beside is not None:
        box = Box(bar.x0, beside.box.y0, bar.x1, beside.box.y1)
        size, base, bold = beside.size, beside.baseline, beside.bold
    else:
        box, base, bold = Box(bar.x0, y - 0.6 * size, bar.x1, y + 0.5 * size), y + 0.3 * size, False
    whole = Run(f"$\\frac{{{top}}}{{{bottom}}}$", box, size, base, bold, seen=seen)
    return [r for r in runs if id(r) not in held] + [whole]


def _within(run: Run, bar: Box) -> bool:
    slack = 0.3 * run.size
    return run.box.x0 > bar.x0 - slack and run.box.x1 < bar.x1 + slack


def _above(run: Run, y: float) -> bool:
    if run.seen is not None:
        return y - 0.7 * run.size < run.seen.y1 < y + 0.35 * run.size
    return run.baseline is not None and y - 0.75 * run.size < run.baseline < y + 0.05 * run.size


def _below(run: Run, y: float) -> bool:
    if run.seen is not None:
        return y - 0.35 * run.size < run.seen.y0 < y + 0.7 * run.size
    return run.baseline is not None and y + 0.5 * run.size < run.baseline < y + 1.5 * run.size


def _rides(run: Run, others: Sequence[Run], size: float) -> bool:
    """Whether a small run is an index or an exponent in the row of others."""
    if run.size > 0.8 * size or any(run is other for other in others):
        return False
    return any(
        overlap(run.box.y0, run.box.y1, other.box.y0, other.box.y1) > 0.3 * (run.box.y1 - run.box.y0)
        and max(run.box.x0 - other.box.x1, other.box.x0 - run.box.x1) < 0.4 * size
        for other in others
    )


def _neighbour(runs: Sequence[Run], bar: Box, y: float, size: float) -> Run | None:
    """A run beside the bar whose signs are centred on it: the line the fraction belongs to."""
    best, least = None, 1.2 * size
    for run in runs:
        gap = max(run.box.x0 - bar.x1, bar.x0 - run.box.x1)
        if run.baseline is None or not -0.3 * size < gap < least:
            continue
        if abs(run.baseline - 0.3 * run.size - y) < 0.22 * run.size:
            best, least = run, gap
    return best


def _tight(over: Sequence[Run], under: Sequence[Run], rest: Sequence[Run], bar: Box, size: float) -> bool:
    """Whether two rows fit a bar so closely that it is a fraction even with nothing beside it.

    An underlined word stands nearer to its stroke, or has more of its line beside it.
    """
    y, middle = (bar.y0 + bar.y1) / 2, (bar.x0 + bar.x1) / 2
    boxes = [union(r.where for r in row) for row in (over, under)]
    widest = max(box.x1 - box.x0 for box in boxes)
    if bar.x1 - bar.x0 > widest + 0.8 * size:
        return False
    if any(abs((box.x0 + box.x1) / 2 - middle) > 0.35 * size for box in boxes):
        return False
    for row, low, high in ((over, 0.22, 0.8), (under, 0.6, 1.25)):
        plain = [abs((r.baseline or 0) - y) for r in row if r.seen is None and r.size > 0.8 * size]
        if plain and not low * size < median(plain) < high * size:
            return False
        base = median([r.baseline or 0 for r in row])
        for other in rest:
            gap = max(other.box.x0 - bar.x1, bar.x0 - other.box.x1)
            if abs((other.baseline or 0) - base) < 0.15 * size and gap < 0.8 * size:
                return False
    return True


def _linear(runs: Sequence[Run]) -> str:
    """Runs as the inside of a formula, its lines one after the other."""
    return " ".join(lines.formula(line) for line in lines.build(runs)).strip()


def _has_words(text: str) -> bool:
    return r"\text" in text


# --- roots ---------------------------------------------------------------------------------------


def _root(runs: list[Run], bar: Box) -> list[Run] | None:
    """Runs with what stands under a bar that a root sign begins folded; None without such a sign."""
    y = (bar.y0 + bar.y1) / 2
    for sign in runs:
        if sign.text != "√" or sign.baseline is None or abs(sign.box.x1 - bar.x0) > 0.25 * sign.size:
            continue
        if not -0.2 * sign.size < sign.baseline - y < 1.4 * sign.size:
            continue
        inner = [r for r in _text_runs(runs) if r is not sign and _within(r, bar) and _hangs_from(r, y)]
        if not inner:
            continue
        body = _linear(inner)
        if not body or _has_words(body):
            continue
        degree = [
            r
            for r in _text_runs(runs)
            if r.size < 0.8 * sign.size
            and sign.box.x0 - 0.4 * sign.size < r.box.x0
            and r.box.x1 < sign.box.x1
            and 0.2 * sign.size < sign.baseline - (r.baseline or 0) < sign.size
        ]
        text = f"[{_linear(degree)}]{{{body}}}" if degree else f"{{{body}}}"
        held = {id(r) for r in (*inner, *degree, sign)}
        main = max(inner, key=lambda r: r.size)
        box = Box(sign.box.x0, main.box.y0, bar.x1, main.box.y1)
        seen = union([bar, sign.where, *(r.where for r in inner)])
        whole = Run(f"$\\sqrt{text}$", box, main.size, main.baseline, main.bold, seen=seen)
        return [r for r in runs if id(r) not in held] + [whole]
    return None


def _hangs_from(run: Run, y: float) -> bool:
    if run.seen is not None:
        return -0.3 * run.size < run.seen.y0 - y < 0.8 * run.size
    return 0.3 * run.size < (run.baseline or 0) - y < 1.6 * run.size


# --- limits --------------------------------------------------------------------------------------


def _limits(runs: list[Run]) -> list[Run]:
    """Fold what stands small above and below ∑, ∫ and lim."""
    for sign in [r for r in runs if r.baseline is not None and (r.text in BIG or r.text in LIMITED)]:
        close = [r for r in _text_runs(runs) if r is not sign and abs(_drop(r, sign)) < 3 * sign.size]
        size = _line_size(sign, close)
        small = [r for r in close if r.size <= 0.82 * size]
        above = _row(sign, [r for r in small if 0.55 * size < -_drop(r, sign) < 2.4 * size], size)
        below = _row(sign, [r for r in small if 0.3 * size < _drop(r, sign) < 2.4 * size], size)
        if not above and not below:
            continue
        low, high = _linear(below), _linear(above)
        if _has_words(low + high):
            continue
        held = {id(r) for r in (*above, *below, sign)}
        name = sign.text if sign.text in FUNCTIONS else LATEX[sign.text][1:]
        text = f"\\{name}" + (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")
        seen = union(r.where for r in (*above, *below, sign))
        base = _base_beside(sign, [r for r in close if id(r) not in held], seen, size)
        box = Box(seen.x0, base - 0.8 * size, seen.x1, base + 0.2 * size)
        runs = [r for r in runs if id(r) not in held]
        runs.append(Run(f"${text}$", box, size, base, sign.bold, seen=seen))
    return runs


def _drop(run: Run, sign: Run) -> float:
    """How far a run stands below a sign, in points."""
    return (run.baseline or 0.0) - (sign.baseline or 0.0)


def _line_size(sign: Run, close: Sequence[Run]) -> float:
    """Size of the line a big operator stands in: that of what follows it."""
    after = [
        r
        for r in close
        if -0.3 * sign.size < r.box.x0 - sign.box.x1 < 2.5 * sign.size
        and abs(_drop(r, sign)) < 0.45 * sign.size
    ]
    if sign.text in LIMITED or not after:
        return sign.size
    return min(sign.size, max(r.size for r in after))


def _row(sign: Run, runs: Sequence[Run], size: float) -> list[Run]:
    """The runs of one row that stand centred over or under a sign."""
    middle = (sign.box.x0 + sign.box.x1) / 2
    half = (sign.box.x1 - sign.box.x0) / 2
    seeds = [r for r in runs if r.box.x0 < middle + half and r.box.x1 > middle - half]
    if not seeds:
        return []
    seed = min(seeds, key=lambda r: abs(_drop(r, sign)))
    row = sorted((r for r in runs if abs(_drop(r, seed)) < 0.5 * seed.size), key=lambda r: r.box.x0)
    at = next(i for i, r in enumerate(row) if r is seed)
    first = last = at
    while first > 0 and row[first].box.x0 - row[first - 1].box.x1 < 0.35 * size:
        first -= 1
    while last + 1 < len(row) and row[last + 1].box.x0 - row[last].box.x1 < 0.35 * size:
        last += 1
    row = row[first : last + 1]
    box = union(r.box for r in row)
    return row if abs((box.x0 + box.x1) / 2 - middle) < 0.5 * size else []


def _base_beside(sign: Run, close: Sequence[Run], seen: Box, size: float) -> float:
    """Baseline of the line a big operator stands in."""
    best, least = sign.baseline or 0.0, 1.5 * size
    for run in close:
        gap = max(run.box.x0 - seen.x1, seen.x0 - run.box.x1)
        level = abs(_drop(run, sign)) < 0.6 * size
        if run.size > 0.82 * size and -0.3 * size < gap < least and level:
            best, least = run.baseline or 0.0, gap
    return best


def drawn_bars(runs: Sequence[Run], level: Sequence[Box], upright: Sequence[Box]) -> list[Run]:
    """Runs for the bars of `|A|` that are drawn: pairs as high as the line, close to what they hold."""
    texts = [r for r in _text_runs(runs) if not any(map(lines.is_han, r.text))]
    posts = sorted((post for post in upright if 8 < post.y1 - post.y0 < 40), key=lambda post: post.x0)
    out: list[Run] = []
    used: set[int] = set()
    for place, first in enumerate(posts):
        second = next((p for p in posts[place + 1 :] if p.x0 > first.x0 + 2 and _alike(p, first)), None)
        if second is None or used & {id(first), id(second)}:
            continue
        if any(_ends_on(first, bar) or _ends_on(second, bar) for bar in level):
            continue
        inner = [r for r in texts if _between(r, first, second)]
        if not inner or _WORD.search("".join(r.text for r in inner)):
            continue
        main = max(inner, key=lambda r: r.size)
        hold = Line(list(inner)).frame
        size, high = main.size, first.y1 - first.y0
        near = max(hold.x0 - first.x1, second.x0 - hold.x1) < 0.5 * size
        if not near or not 0.9 * size < high < 1.8 * size or hold.x1 - hold.x0 > 8 * size:
            continue
        used |= {id(first), id(second)}
        for x in (min(first.x0, hold.x0 - 0.2), max(second.x1, hold.x1 + 0.2)):  # a letter may lean out
            out.append(Run("|", Box(x, main.box.y0, x, main.box.y1), size, main.baseline, style="m"))
    return out


def _between(run: Run, first: Box, second: Box) -> bool:
    """Whether a run stands between two upright strokes, at their height."""
    x, y = (run.box.x0 + run.box.x1) / 2, (run.box.y0 + run.box.y1) / 2
    return first.x0 - 1 < x < second.x1 + 1 and first.y0 - 2 < y < first.y1 + 2


def _ends_on(post: Box, bar: Box) -> bool:
    """Whether a level stroke meets an end of an upright one: a box, not bars."""
    return bar.x0 - 2 < post.x0 < bar.x1 + 2 and (abs(bar.y0 - post.y0) < 2 or abs(bar.y0 - post.y1) < 2)


def _alike(one: Box, other: Box) -> bool:
    """Whether two upright strokes begin and end at the same heights."""
    return abs(one.y0 - other.y0) < 1 and abs(one.y1 - other.y1) < 1
