"""Ruled areas on a page picture: tables and boxes, of which recognition keeps only the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingest.layout.runs import median
from ingest.ocr.engine import Found
from ingest.ocr.missed import ruled, white_paper
from ingest.ocr.skew import sides

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

Bounds = tuple[int, int, int, int]

_SHRINK = 2  # lines are looked for on a smaller picture
_INK = 150  # of 255, after the paper was made white
_WIDE, _HIGH = 6.0, 2.5  # em, the least of a ruled area
_MOST = 0.7  # of the picture: a frame around the page
_CELLS = 4  # closed cells, the least
_CELL = 0.6  # em, the least side of a cell


def grids(image: Image, found: Sequence[Found]) -> list[Bounds]:
    """Boxes (x0, y0, x1, y1 in pixels) of ruled areas of at least four cells, from top to bottom.

    image: a page as it reads, height x width x 3, BGR; found: its print, whose height is the measure.
    """
    import cv2
    import numpy as np

    if not found:
        return []
    em = median([sides(item)[1] for item in found])
    flat = white_paper(image, em)
    height, width = flat.shape[0] // _SHRINK, flat.shape[1] // _SHRINK
    small = em / _SHRINK
    if min(height, width) < 20 or small < 3:
        return []
    shrunk = cv2.resize((flat < _INK).astype(np.uint8) * 255, (width, height), interpolation=cv2.INTER_AREA)
    ink = np.asarray(np.asarray(shrunk) > 60, dtype=np.uint8)
    # a line that is drawn askew is whole in the ink, one that is faint only where it is followed
    lines = np.maximum(ink, cv2.dilate(ruled(ink, 0.6 * small).astype(np.uint8), np.ones((3, 3), np.uint8)))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(lines, connectivity=8)
    out: list[Bounds] = []
    for label, (x, y, w, h, _) in enumerate(stats.tolist()):
        if label == 0 or w < _WIDE * small or h < _HIGH * small or w * h > _MOST * width * height:
            continue
        closed = _cells(np.asarray(labels[y : y + h, x : x + w] != label, dtype=np.uint8), small)
        if closed >= _CELLS:
            out.append((x * _SHRINK, y * _SHRINK, (x + w) * _SHRINK, (y + h) * _SHRINK))
    return sorted(out, key=lambda box: box[1])


def _cells(ground: Image, em: float) -> int:
    """The number of closed patches of ground (1, else 0) between the lines of one area."""
    import cv2

    height, width = ground.shape
    _, _, stats, _ = cv2.connectedComponentsWithStats(ground, connectivity=4)
    least = _CELL * em
    return sum(
        w >= least and h >= least and x > 0 and y > 0 and x + w < width and y + h < height
        for x, y, w, h, _ in stats[1:].tolist()
    )
