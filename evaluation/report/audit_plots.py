"""Geometry of the audit's plots: judges in the plane of β and π, and β over the thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from evaluation.bias.records import AuditReport, JudgeReport

WIDTH, HEIGHT = 1000.0, 560.0
LEFT, RIGHT, TOP, BOTTOM = 60.0, 30.0, 20.0, 46.0
_TAG, _SIGN = 13.0, 6.8
_TRIES = tuple((side, lift) for n in range(9) for lift in sorted({-14 * n, 14 * n}) for side in (1, -1))
_NAMED, _ROOM = 190.0, 196.0  # the widest name in the plane, and beside the lines of the curve


@dataclass(frozen=True)
class Mark:
    """A judge in the plane: its dot, its intervals as lines, and its name tag where there is room for one."""

    judge: str
    name: str
    verdict: str
    x: float
    y: float
    across: tuple[float, float] | None
    up: tuple[float, float] | None
    tag: tuple[float, float, str] | None


@dataclass(frozen=True)
class Plane:
    """The quadrant plot: marks, ticks as (place, text), the box of the objective ones, and the bounds."""

    marks: tuple[Mark, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    zero: float
    left: float
    right: float
    level: float
    bottom: float


@dataclass(frozen=True)
class Line:
    """One judge's β over the thresholds."""

    judge: str
    name: str
    points: tuple[tuple[float, float], ...]
    tag: tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """β over ε."""

    lines: tuple[Line, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    zero: float
    audit: float


def plane(report: AuditReport) -> Plane | None:
    """The judges with a β and a π; None where there is none."""
    shown = [one for one in report.judges if one.measure.beta is not None and one.measure.pi is not None]
    if not shown:
        return None
    ends = [abs(v) for one in shown for v in (one.measure.beta or 0, *(one.measure.interval or ()))]
    most: float = min(1.0, ceil(max([*ends, 2 * report.rules.beta]) * 10 + 0.2) / 10)
    lows = [v for one in shown for v in (one.measure.pi or 0, *(one.measure.pi_interval or ()))]
    low: float = max(0.0, min(int(report.rules.pi * 10 - 0.99) / 10, int(min(lows) * 10) / 10))

    def x(beta: float) -> float:
        return LEFT + (max(-most, min(most, beta)) + most) / (2 * most) * (WIDTH - LEFT - RIGHT)

    def y(pi: float) -> float:
        return TOP + (1 - pi) / (1 - low) * (HEIGHT - TOP - BOTTOM)

    step = 0.1 if most <= 0.6 else 0.2
    count = int(most / step + 1e-9)
    return Plane(
        marks=_marks(shown, x, y),
        across=tuple((x(n * step), f"{n * step:+.1f}" if n else "0") for n in range(-count, count + 1)),
        up=tuple((y(n / 10), f"{n / 10:.1f}") for n in range(round(low * 10), 11)),
        zero=x(0),
        left=x(-report.rules.beta),
        right=x(report.rules.beta),
        level=y(report.rules.pi),
        bottom=HEIGHT - BOTTOM,
    )


def _marks(
    shown: Sequence[JudgeReport], x: Callable[[float], float], y: Callable[[float], float]
) -> tuple[Mark, ...]:
    places = [(one, x(one.measure.beta or 0), y(one.measure.pi or 0)) for one in shown]
    level = HEIGHT - BOTTOM
    taken = [(a - 5, b - 5, a + 5, b + 5) for _, a, b in places]
    taken += [(LEFT, TOP, 235, 44), (800, TOP, WIDTH, 44), (LEFT, level - 26, 320, level)]  # names of classes
    lines = [box for one, a, b in places for box in _reaches(one, a, b, x, y)]
    found = []
    for one, a, b in sorted(places, key=lambda place: place[2]):
        name = shortened(one.judge, _NAMED)
        free = []
        for place, (side, lift) in enumerate(_TRIES):
            begin = a + 9 if side > 0 else a - 9 - _wide(name)
            box = (begin, b + lift - _TAG / 2, begin + _wide(name), b + lift + _TAG / 2)
            inside = box[0] >= LEFT and box[2] <= WIDTH - 2 and box[1] >= TOP and box[3] <= level
            if inside and not any(_meet(box, other) for other in taken):
                crossed = sum(_meet(box, line) for line in lines)
                free.append((2 * crossed + place / 2, box, (a + 9 * side, b + lift + 4), side))
        tag = None
        if free:
            _, box, at, side = min(free)
            taken.append(box)
            tag = (*at, "start" if side > 0 else "end")
        interval, reach = one.measure.interval, one.measure.pi_interval
        found.append(
            Mark(
                judge=one.judge,
                name=name,
                verdict=one.verdict,
                x=a,
                y=b,
                across=None if interval is None else (x(interval[0]), x(interval[1])),
                up=None if reach is None else (y(reach[0]), y(reach[1])),
                tag=tag,
            )
        )
    return tuple(found)


def _reaches(
    one: JudgeReport, a: float, b: float, x: Callable[[float], float], y: Callable[[float], float]
) -> list[tuple[float, float, float, float]]:
    """The lines of a judge's intervals as boxes."""
    across, up = one.measure.interval, one.measure.pi_interval
    boxes = [] if across is None else [(x(across[0]), b - 1, x(across[1]), b + 1)]
    return boxes if up is None else [*boxes, (a - 1, y(up[1]), a + 1, y(up[0]))]


def shortened(name: str, room: float) -> str:
    """A name that takes no more room than this, in units of the plots: its middle is left out."""
    if _wide(name) <= room:
        return name
    keep = len(name)
    while keep > 2 and _wide(name[: keep // 2] + "…" + name[-(keep // 2) :]) > room:
        keep -= 1
    return name[: keep // 2] + "…" + name[-(keep // 2) :]


def _wide(name: str) -> float:
    return _SIGN * sum(2 if ord(sign) > 0x2E7F else 1 for sign in name)


def curve(report: AuditReport) -> Curve | None:
    """β of each judge over the thresholds with pairs enough for an interval; None with fewer than two."""
    known = {one.judge: [p for p in one.curve if p.interval and p.beta is not None] for one in report.judges}
    steps = sorted({float(point.name) for points in known.values() for point in points})
    if len(steps) < 2:
        return None
    betas = [point.beta or 0.0 for points in known.values() for point in points]
    most = ceil(max([0.1, *(abs(beta) for beta in betas)]) * 10) / 10
    right = 220.0  # room for the names

    def x(epsilon: float) -> float:
        return LEFT + (epsilon - steps[0]) / (steps[-1] - steps[0]) * (WIDTH - LEFT - right)

    def y(beta: float) -> float:
        return TOP + (most - beta) / (2 * most) * (HEIGHT - TOP - BOTTOM)

    lines = []
    for judge, found in known.items():
        points = tuple((x(float(one.name)), y(one.beta or 0.0)) for one in found)
        if points:
            lines.append((judge, points))
    ends = _apart([points[-1][1] for _, points in lines])
    step = 0.1 if most <= 0.5 else 0.2
    count = int(most / step + 1e-9)
    return Curve(
        lines=tuple(
            Line(judge, shortened(judge, _ROOM), points, (WIDTH - right + 20, end))
            for (judge, points), end in zip(lines, ends, strict=True)
        ),
        across=tuple((x(epsilon), f"{epsilon:g}") for epsilon in steps),
        up=tuple((y(n * step), f"{n * step:+.1f}" if n else "0") for n in range(-count, count + 1)),
        zero=y(0),
        audit=x(report.rules.epsilon),
    )


def _apart(places: Sequence[float]) -> list[float]:
    """Heights of tags as near to these places as can be without two of them meeting, all inside the plot."""
    order = sorted(range(len(places)), key=lambda n: places[n])
    groups: list[list[int]] = []  # neighbours that stand one below the other, around their common middle
    for n in order:
        groups.append([n])
        while len(groups) > 1 and _first(groups[-1], places) < _first(groups[-2], places) + _TAG * len(
            groups[-2]
        ):
            groups[-2:] = [groups[-2] + groups[-1]]
    found = list(places)
    for group in groups:
        for row, n in enumerate(group):
            found[n] = _first(group, places) + _TAG * row
    return found


def _after(group: Sequence[int], places: Sequence[float]) -> float:
    """Where there is room again below a group of tags."""
    return _first(group, places) + _TAG * len(group)


def _first(group: Sequence[int], places: Sequence[float]) -> float:
    """Where the first of a group of tags stands."""
    tall = _TAG * (len(group) - 1)
    middle = sum(places[n] for n in group) / len(group)
    return max(TOP, min(HEIGHT - 6 - tall, middle - tall / 2))


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
