"""One picture of a page to runs of text: whole-page orientation, skew, colour of the ink."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.layout.runs import Run, median
from ingest.ocr.engine import Engine, Found
from schemas.document import Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

_ACCEPT = 0.3  # below this mean score a box is not text (drawings, stains)


@dataclass(frozen=True)
class OcrPage:
    """Runs of one page in points, its size as it reads, and the clockwise turn that was needed."""

    runs: tuple[Run, ...]
    width: float
    height: float
    rotation: int
    image: Image


def read_page(image: Image, engine: Engine, points_per_pixel: float) -> OcrPage:
    """Text of a page picture (height x width x 3, BGR, uint8), turned upright if need be."""
    import numpy as np

    found, turn = _upright(image, engine)
    if turn:
        image = np.ascontiguousarray(np.rot90(image, -turn // 90))
    angle = skew(found)
    height, width = image.shape[:2]
    runs = tuple(
        _run(item, image, angle, points_per_pixel, (width / 2, height / 2))
        for item in found
        if item.score >= _ACCEPT
    )
    return OcrPage(runs, width * points_per_pixel, height * points_per_pixel, turn, image)


def _upright(image: Image, engine: Engine) -> tuple[list[Found], int]:
    """The best reading of the picture and the clockwise turn (degrees) it needed.

    A page that lies on its side shows mostly tall boxes; one that stands on its head reads badly.
    """
    import numpy as np

    found = engine.read(image)
    tall = sum(len(item.text) > 0 and _tall(item) for item in found)
    if len(found) >= 3 and tall > 0.6 * len(found):
        turns = [90, 270]
    elif len(found) >= 5 and _quality(found) < 0.6:
        turns = [180]
    else:
        return found, 0
    best, best_turn, best_value = found, 0, _value(found)
    for turn in turns:
        other = engine.read(np.ascontiguousarray(np.rot90(image, -turn // 90)))
        value = _value(other)
        if value > best_value:
            best, best_turn, best_value = other, turn, value
    return best, best_turn


def _sides(item: Found) -> tuple[float, float]:
    """(length along the reading direction, height) of a box in pixels."""
    (x0, y0), (x1, y1), (x2, y2), _ = item.quad
    return math.hypot(x1 - x0, y1 - y0), math.hypot(x2 - x1, y2 - y1)


def _tall(item: Found) -> bool:
    """Whether the box is higher than wide on the picture."""
    xs = [x for x, _ in item.quad]
    ys = [y for _, y in item.quad]
    return max(ys) - min(ys) > 1.3 * (max(xs) - min(xs))


def _quality(found: Sequence[Found]) -> float:
    """Mean score, weighted by length."""
    letters = sum(len(item.text) for item in found)
    return sum(item.score * len(item.text) for item in found) / letters if letters else 0.0


def _value(found: Sequence[Found]) -> float:
    """How much was surely read."""
    return sum(len(item.text) * max(0.0, item.score - 0.5) for item in found)


def skew(found: Sequence[Found]) -> float:
    """Median angle of the long boxes in radians, clockwise positive; 0 when there are too few."""
    angles = []
    for item in found:
        length, height = _sides(item)
        if length > 5 * height:
            (x0, y0), (x1, y1) = item.quad[0], item.quad[1]
            angles.append(math.atan2(y1 - y0, x1 - x0))
    return median(angles) if len(angles) >= 3 else 0.0


def _run(item: Found, image: Image, angle: float, scale: float, centre: tuple[float, float]) -> Run:
    """A run in points: box turned back by angle for layout, seen as it stands on the page."""
    xs = [x for x, _ in item.quad]
    ys = [y for _, y in item.quad]
    seen = Box(min(xs) * scale, min(ys) * scale, max(xs) * scale, max(ys) * scale)
    box = seen
    if abs(angle) > 0.002:
        cos, sin = math.cos(-angle), math.sin(-angle)
        turned = [
            (
                centre[0] + (x - centre[0]) * cos - (y - centre[1]) * sin,
                centre[1] + (x - centre[0]) * sin + (y - centre[1]) * cos,
            )
            for x, y in item.quad
        ]
        box = Box(
            min(x for x, _ in turned) * scale,
            min(y for _, y in turned) * scale,
            max(x for x, _ in turned) * scale,
            max(y for _, y in turned) * scale,
        )
    _, height = _sides(item)
    return Run(
        text=item.text.strip(),
        box=box,
        size=max(1.0, 0.8 * height * scale),
        confidence=min(1.0, max(0.0, item.score)),
        seen=seen,
        colour=ink(image, seen, scale),
    )


def ink(image: Image, box: Box, scale: float) -> str | None:
    """'#rrggbb' of the ink in box when it is clearly coloured, None for black and grey."""
    import numpy as np

    x0, y0, x1, y1 = (round(value / scale) for value in box)
    crop = image[max(0, y0) : y1, max(0, x0) : x1]
    if crop.size < 30:
        return None
    pixels = crop.reshape(-1, 3).astype(np.int16)
    light = pixels.max(axis=1)
    paper = float(np.percentile(light, 90))
    darkest = pixels.min(axis=1)
    dark = pixels[darkest < 0.6 * paper]
    if len(dark) < 10:
        return None
    # the strongest half of the ink: edges are mixed with paper
    core = dark[np.argsort(dark.min(axis=1))[: max(5, len(dark) // 2)]]
    blue, green, red = (int(value) for value in np.median(core, axis=0))
    if max(red, green, blue) - min(red, green, blue) < 70:
        return None
    return f"#{red:02x}{green:02x}{blue:02x}"
