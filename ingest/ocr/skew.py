"""How the lines of a page slope: one angle, or one that changes down the page where it was photographed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ingest.layout.runs import median
from ingest.ocr.engine import Found

_LONG = 5.0  # box length over height from which its angle can be trusted
_ENOUGH = 8  # long boxes that can show a change of angle
_CHANGE = 0.012  # radians between top and bottom of the print
_GAIN = 0.7  # error that is left, over the error of one angle for all
_MOST = 120  # boxes looked at


@dataclass(frozen=True)
class Slopes:
    """Lines of a page run at `angle` (radians, clockwise); their slope then changes with their height.

    A line at height y, measured from the middle of the page after turning by angle, has the slope
    fan * y: lines of print seen in perspective meet in one point.
    """

    angle: float
    fan: float
    middle: tuple[float, float]

    @staticmethod
    def of(found: Sequence[Found], width: float, height: float) -> Slopes:
        """The slopes of what was found on a picture (pixels); level when there is too little."""
        middle = (width / 2, height / 2)
        angle = skew(found)
        lines = _lines(found, Slopes(angle, 0.0, middle))
        if len(lines) < _ENOUGH:
            return Slopes(angle, 0.0, middle)
        tops = [y for y, _ in lines]
        reach = max(tops) - min(tops)
        change = [
            (two[1] - one[1]) / (two[0] - one[0])
            for one, two in combinations(lines, 2)
            if abs(two[0] - one[0]) > 0.2 * reach
        ]
        fan = median(change)
        turn = median([slope - fan * y for y, slope in lines])
        before = median([abs(slope) for _, slope in lines])
        after = median([abs(slope - fan * y - turn) for y, slope in lines])
        if reach < 0.3 * height or abs(fan) * reach < _CHANGE or after > _GAIN * before:
            return Slopes(angle, 0.0, middle)
        return Slopes(angle + math.atan(turn), fan, middle)

    def level(self, corners: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Points of the picture where they were if all lines were level."""
        if abs(self.angle) <= 0.002 and not self.fan:
            return list(corners)
        cos, sin = math.cos(-self.angle), math.sin(-self.angle)
        out = []
        for x, y in corners:
            dx, dy = x - self.middle[0], y - self.middle[1]
            u, v = dx * cos - dy * sin, dx * sin + dy * cos
            v /= max(1 + self.fan * u, 0.2)
            out.append((self.middle[0] + u, self.middle[1] + v))
        return out


def skew(found: Sequence[Found]) -> float:
    """Median angle of the long boxes in radians, clockwise positive; 0 when there are too few."""
    angles = []
    for item in found:
        length, height = sides(item)
        if length > _LONG * height:
            (x0, y0), (x1, y1) = item.quad[0], item.quad[1]
            angles.append(math.atan2(y1 - y0, x1 - x0))
    return median(angles) if len(angles) >= 3 else 0.0


def sides(item: Found) -> tuple[float, float]:
    """(length along the reading direction, height) of a box in pixels."""
    (x0, y0), (x1, y1), (x2, y2), _ = item.quad
    return math.hypot(x1 - x0, y1 - y0), math.hypot(x2 - x1, y2 - y1)


def _lines(found: Sequence[Found], slopes: Slopes) -> list[tuple[float, float]]:
    """(height where it crosses the middle of the page, slope) of the longest boxes, after turning."""
    long = sorted((item for item in found if sides(item)[0] > _LONG * sides(item)[1]), key=sides)
    out = []
    for item in long[-_MOST:]:
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = slopes.level(item.quad)
        run = (x1 + x2 - x0 - x3) / 2
        if run <= 0:
            continue
        slope = (y1 + y2 - y0 - y3) / 2 / run
        x, y = (x0 + x1 + x2 + x3) / 4, (y0 + y1 + y2 + y3) / 4
        out.append((y - slope * (x - slopes.middle[0]) - slopes.middle[1], slope))
    return out
