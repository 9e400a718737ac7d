"""Coloured ink on a page picture: told apart from black print, so that each can be read alone.

Red model answers, a teacher's marks and notes in blue ballpoint stand over and between the print. Read
together they melt into its lines; read apart, both come out whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.ocr.light import paper_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

_CHROMA = 38  # of 255: distance of the strongest from the weakest channel, after white balance
_FEW = 400  # pixels
_ENOUGH = 0.03  # share of coloured pixels among all ink that makes a second reading worth its time


@dataclass(frozen=True)
class Inks:
    """The same page with black print only and with coloured ink only; where each ink stands."""

    black: Image
    coloured: Image
    mask: Mask
    ink: Mask
    share: float

    def share_in(self, x0: int, y0: int, x1: int, y1: int) -> float:
        """Share of coloured pixels among the ink in a box (pixels), 0-1; -1 without ink."""
        import numpy as np

        ink = int(np.count_nonzero(self.ink[y0:y1, x0:x1]))
        return int(np.count_nonzero(self.mask[y0:y1, x0:x1])) / ink if ink > 5 else -1.0


def separate(image: Image) -> Inks | None:
    """The inks of a page picture (height x width x 3, BGR), None when hardly any ink is coloured.

    Paper colour is estimated by place, so that shadows, yellow paper and a wooden table beside the
    sheet count as background.
    """
    import cv2
    import numpy as np

    _, _, spread = _extremes(image)
    if np.count_nonzero(spread > 2) < _FEW:  # a grey picture
        return None
    paper = paper_of(image)
    flat = np.asarray(cv2.divide(image, np.maximum(paper, 1), scale=255.0), dtype=np.uint8)
    low, high, chroma = _extremes(flat)
    ink = low < 165
    vivid = (low < 205) & (chroma > _CHROMA + (255 - high) // 8)
    pale = (low < 232) & (chroma > 14) & (chroma > 0.3 * (255 - low))
    _, bright, _ = _extremes(paper)
    lit = bright > 90
    if np.count_nonzero((vivid | pale) & lit) < _FEW:
        return None
    coloured = _strokes((vivid | pale).astype(np.uint8), vivid)
    total = int(np.count_nonzero((ink | coloured.astype(bool)) & lit))
    found = int(np.count_nonzero(coloured.astype(bool) & lit))
    if total == 0 or found < _ENOUGH * total or found < _FEW:
        return None
    near = cv2.dilate(coloured, np.ones((7, 7), np.uint8)).astype(bool)
    fringe = near & (chroma > 10)
    gone = coloured.astype(bool) | fringe
    black = flat.copy()
    black[gone] = 255
    only = np.full_like(flat, 255)
    only[near] = flat[near]
    mask = coloured.astype(bool)
    return Inks(black, only, mask, ink | mask, found / total)


def _extremes(image: Image) -> tuple[Image, Image, Image]:
    """Weakest and strongest channel of every pixel and the distance between them."""
    import cv2
    import numpy as np

    blue, green, red = cv2.split(image)
    low, high = cv2.min(cv2.min(blue, green), red), cv2.max(cv2.max(blue, green), red)
    spread = cv2.subtract(high, low)
    return np.asarray(low, np.uint8), np.asarray(high, np.uint8), np.asarray(spread, np.uint8)


def _strokes(mask: NDArray[np.uint8], vivid: Mask) -> NDArray[np.uint8]:
    """Connected strokes of mask that are vivid somewhere; specks of noise left out."""
    import cv2
    import numpy as np

    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    seeds = np.bincount(labels[vivid], minlength=count)
    keep = (stats[:, cv2.CC_STAT_AREA] >= 6) & (seeds >= 3)
    keep[0] = False
    return np.asarray(keep[labels], dtype=np.uint8)
