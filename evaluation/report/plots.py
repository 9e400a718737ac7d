"""Geometry of the board's plots: interval marks, and scores over release dates with name tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import floor

from evaluation.leaderboard import Row

WIDTH, HEIGHT = 1000.0, 520.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 24.0, 16.0, 34.0
_TAG, _SIGN = 11.0, 5.6  # height of a name tag and width of one of its signs
_TRIES = tuple((side, lift) for lift in (0, -11, 11, -20, 20, -30, 30) for side in (1, -1))


@dataclass(frozen=True)
class Dot:
    """One model: place of its dot and of its name tag (None where there is no room for one)."""

    x: float
    y: float
    row: Row
    tag: tuple[float, float, str] | None


@dataclass(frozen=True)
class Timeline:
    """Scores over release dates; ticks are (place, text), trend (x1, y1, x2, y2), points a year."""

    dots: tuple[Dot, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    trend: tuple[float, float, float, float] | None
    a_year: float | None
    undated: int


def axis(values: Sequence[float]) -> int:
    """Where the scale of absolute scores begins: the ten below the lowest, so that it ends at 100."""
    return max(0, min(90, floor(min(values, default=0) / 10) * 10))


def span(
    interval: tuple[float, float] | None, absolute: float | None, low: float
) -> tuple[float, float, float] | None:
    """Begin, width and middle of an interval on a scale from low to 100, in % of its length."""
    if interval is None or absolute is None:
        return None
    scale = 100 / (100 - low)
    return (interval[0] - low) * scale, (interval[1] - interval[0]) * scale, (absolute - low) * scale


def timeline(rows: Sequence[Row]) -> Timeline | None:
    """The plot of all rows with a release date; None with fewer than two of these."""
    dated = [(day, row) for row in rows if (day := _day(row.released)) and row.absolute is not None]
    if len(dated) < 2:
        return None
    days = [day for day, _ in dated]
    first, last = min(days) - 20, max(days) + 20
    low = axis([row.absolute for _, row in dated if row.absolute is not None])

    def across(day: float) -> float:
        return LEFT + (day - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def up(score: float) -> float:
        return TOP + (100 - score) / (100 - low) * (HEIGHT - TOP - BOTTOM)

    points = [(across(day), up(row.absolute or 0), row) for day, row in dated]
    slope, mean_day, mean = _line(days, [row.absolute or 0 for _, row in dated])
    (x1, y1), (x2, y2) = (
        (across(day), up(mean + slope * (day - mean_day))) for day in (min(days), max(days))
    )
    return Timeline(
        dots=_tagged(points),
        across=tuple((across(day), text) for day, text in _ticks(first, last)),
        up=tuple((up(score), str(score)) for score in range(low, 101, 10)),
        trend=(x1, y1, x2, y2) if slope else None,
        a_year=365.25 * slope if slope else None,
        undated=len(rows) - len(dated),
    )


def _tagged(points: Sequence[tuple[float, float, Row]]) -> tuple[Dot, ...]:
    """Tags beside their dots, the best first, where none covers a dot or another tag."""
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y, _ in points]
    dots = []
    for x, y, row in sorted(points, key=lambda p: p[1]):
        wide, tag = _SIGN * len(row.model), None
        for side, lift in _TRIES:
            at = x + 7 if side > 0 else x - 7 - wide
            box = (at, y + lift - _TAG / 2, at + wide, y + lift + _TAG / 2)
            inside = box[0] >= LEFT and box[2] <= WIDTH and box[1] >= 0 and box[3] <= HEIGHT - BOTTOM
            if inside and not any(_meet(box, other) for other in taken):
                taken.append(box)
                tag = (x + 7 * side, y + lift + 3.5, "start" if side > 0 else "end")
                break
        dots.append(Dot(x, y, row, tag))
    return tuple(dots)


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _line(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float, float]:
    """Least squares: slope, mean of x, mean of y; slope 0 where all x are one."""
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread if spread else 0.0
    return slope, mean_x, mean_y


def _day(text: str) -> int | None:
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def _ticks(first: int, last: int) -> list[tuple[int, str]]:
    """Half years, or where these are few every second month."""
    years = range(date.fromordinal(first).year, date.fromordinal(last).year + 1)
    for months in ((1, 7), (1, 3, 5, 7, 9, 11), range(1, 13)):
        found = [(date(y, m, 1).toordinal(), f"{y}-{m:02}") for y in years for m in months]
        inside = [tick for tick in found if first <= tick[0] <= last]
        if len(inside) >= 3:
            break
    return inside
