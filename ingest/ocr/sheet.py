"""A sheet photographed at an angle: its four corners, where they are seen surely, and the sheet laid flat."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]
    Matrix = NDArray[np.float64]

_SMALL = 640  # pixels of the long side on which the sheet is looked for
_MOST_SIDE = 2200
_LEAST, _MOST = 0.2, 0.97  # share of the picture that a sheet covers
_FILLED = 0.96  # share of a sheet's outline and of its corners' area that is paper
_BENT = 0.006  # of the long side: how far an edge may stray from a straight line
_CONTRAST = 35  # of 255, between paper and what lies beside it
_ASKEW = 0.012  # of the long side: corners nearer than this to a level rectangle are let be


def laid_flat(image: Image) -> tuple[Image, Matrix] | None:
    """The sheet in a photograph (height x width x 3, BGR, uint8) as seen from straight above.

    Comes with the matrix (3 x 3) that takes its pixels back onto the photograph. None where all four
    straight edges are not surely seen (a cut or curled sheet, paper on paper) or the sheet lies level.
    """
    import cv2
    import numpy as np

    quad = corners(image)
    if quad is None or _level(quad, max(image.shape[:2])):
        return None
    top, right, bottom, left = (float(np.linalg.norm(quad[i] - quad[(i + 1) % 4])) for i in range(4))
    width, height = max(top, bottom), max(left, right)
    shrink = min(1.0, _MOST_SIDE / max(width, height))
    size = (max(1, round(width * shrink)), max(1, round(height * shrink)))
    target = np.array([(0, 0), (size[0], 0), size, (0, size[1])], dtype=np.float32)
    forth = cv2.getPerspectiveTransform(quad.astype(np.float32), target)
    flat = cv2.warpPerspective(image, forth, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8), np.linalg.inv(np.asarray(forth, dtype=np.float64))


def corners(image: Image) -> Matrix | None:
    """The sheet's corners in pixels, clockwise from the top left (4 x 2); None when not surely seen."""
    import cv2
    import numpy as np

    height, width = image.shape[:2]
    shrink = min(1.0, _SMALL / max(height, width))
    small = cv2.resize(
        image, (max(1, round(width * shrink)), max(1, round(height * shrink))), interpolation=cv2.INTER_AREA
    )
    light = np.asarray(cv2.GaussianBlur(small.min(axis=2), (5, 5), 0), dtype=np.uint8)
    _, paper = cv2.threshold(light, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    paper = cv2.morphologyEx(paper, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))  # over the print
    outlines, _ = cv2.findContours(paper, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return None
    outline = max(outlines, key=cv2.contourArea)
    hull = np.asarray(cv2.convexHull(outline), dtype=np.int32)
    area = cv2.contourArea(hull)
    if not _LEAST < area / light.size < _MOST or cv2.contourArea(outline) < _FILLED * area:
        return None
    rough = _four(hull)
    if rough is None or not 1 / _FILLED > cv2.contourArea(rough) / area > _FILLED:
        return None
    quad = _straight(np.asarray(outline[:, 0], dtype=np.float64), _clockwise(rough), light)
    return None if quad is None else quad / shrink


def _four(hull: NDArray[np.int32]) -> NDArray[np.float32] | None:
    """The hull with all but four of its corners left out."""
    import cv2
    import numpy as np

    around = cv2.arcLength(hull, closed=True)
    for part in (0.01, 0.015, 0.02, 0.03, 0.04):
        rough = cv2.approxPolyDP(hull, part * around, closed=True)
        if len(rough) == 4:
            return np.asarray(rough[:, 0], dtype=np.float32)
    return None


def _clockwise(quad: NDArray[np.float32]) -> Matrix:
    """Four corners in the order top left, top right, bottom right, bottom left."""
    import numpy as np

    middle = quad.mean(axis=0)
    order = np.argsort(np.arctan2(quad[:, 1] - middle[1], quad[:, 0] - middle[0]))
    ring = quad[order].astype(np.float64)
    return np.roll(ring, -int(np.argmin(ring.sum(axis=1))), axis=0)


def _straight(outline: Matrix, rough: Matrix, light: Image) -> Matrix | None:
    """Corners where straight lines through the four edges meet; None if an edge is none."""
    import numpy as np

    height, width = light.shape
    long = max(height, width)
    lines = []
    for index in range(4):
        start, end = rough[index], rough[(index + 1) % 4]
        along = (end - start) / max(float(np.linalg.norm(end - start)), 1.0)
        across = np.array([along[1], -along[0]])  # out of the sheet
        place = (outline - start) @ along / max(float(np.linalg.norm(end - start)), 1.0)
        near = outline[(np.abs((outline - start) @ across) < 0.02 * long) & (place > 0.06) & (place < 0.94)]
        if len(near) < 0.7 * float(np.linalg.norm(end - start)) * 0.88 / np.sqrt(2):
            return None
        middle = near.mean(axis=0)
        _, _, axes = np.linalg.svd(near - middle, full_matrices=False)
        if float(np.sqrt((((near - middle) @ axes[1]) ** 2).mean())) > _BENT * long / 2:
            return None
        rim = (near < 2).any(axis=1) | (near[:, 0] > width - 3) | (near[:, 1] > height - 3)
        if rim.mean() > 0.1:  # the picture ends there, not the sheet
            return None
        if _step(light, near, across, 0.015 * long) < _CONTRAST:
            return None
        lines.append((middle, axes[0]))
    quad = np.array([_meeting(lines[index - 1], lines[index]) for index in range(4)])
    turns = [_sine(quad[i] - quad[i - 1], quad[(i + 1) % 4] - quad[i]) for i in range(4)]
    inside = (quad > -0.02 * long).all() and (quad < np.array([width, height]) + 0.02 * long).all()
    return quad if inside and min(turns) > 0.8 else None


def _step(light: Image, edge: Matrix, across: Matrix, reach: float) -> float:
    """How much brighter it is on the sheet than beside it, along most of an edge."""
    import numpy as np

    height, width = light.shape

    def shade(points: Matrix) -> NDArray[np.int16]:
        x = np.clip(points[:, 0], 0, width - 1).astype(int)
        y = np.clip(points[:, 1], 0, height - 1).astype(int)
        return np.asarray(light[y, x], dtype=np.int16)

    return float(np.percentile(shade(edge - reach * across) - shade(edge + reach * across), 20))


def _meeting(one: tuple[Matrix, Matrix], other: tuple[Matrix, Matrix]) -> Matrix:
    """Where two lines, each given as point and direction, cross."""
    import numpy as np

    (p, u), (q, v) = one, other
    cross = u[0] * v[1] - u[1] * v[0]
    if abs(cross) < 1e-6:
        return np.full(2, np.inf)
    away = q - p
    return np.asarray(p + u * (away[0] * v[1] - away[1] * v[0]) / cross)


def _sine(one: Matrix, other: Matrix) -> float:
    """Sine of the turn from one direction to another."""
    import numpy as np

    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one[0] * other[1] - one[1] * other[0]) / size if 0 < size < np.inf else 0.0


def _level(quad: Matrix, long: int) -> bool:
    """Whether the corners nearly are those of a rectangle that stands upright."""
    import numpy as np

    left, right = quad[[0, 3], 0], quad[[1, 2], 0]
    top, bottom = quad[[0, 1], 1], quad[[2, 3], 1]
    return bool(max(np.ptp(side) for side in (left, right, top, bottom)) < _ASKEW * long)
