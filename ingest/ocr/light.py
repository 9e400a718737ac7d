"""The light on a page: the paper's colour at every place, and a page in shadow made evenly white."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

_UNEVEN = 1.7  # light over shadow on one sheet from which it is worth evening out
_PAPER = 60  # of 255: darker surroundings are no paper, however deep the shadow


def paper_of(image: Image) -> Image:
    """Colour of the paper at every pixel: the bright end of its wider surroundings."""
    import cv2
    import numpy as np

    height, width = image.shape[:2]
    small = cv2.resize(image, (max(1, width // 8), max(1, height // 8)), interpolation=cv2.INTER_AREA)
    bright = cv2.dilate(small, np.ones((9, 9), np.uint8))
    smooth = cv2.medianBlur(bright, 21 if min(bright.shape[:2]) > 21 else 3)
    return np.asarray(cv2.resize(smooth, (width, height)), dtype=np.uint8)


def evened(image: Image) -> Image:
    """The picture (height x width x 3, BGR) with its shadows taken out; itself where the light is even."""
    import cv2
    import numpy as np

    few = cv2.resize(
        image, (max(1, image.shape[1] // 16), max(1, image.shape[0] // 16)), interpolation=cv2.INTER_AREA
    )
    bright = cv2.dilate(few, np.ones((5, 5), np.uint8)).max(axis=2)
    lit = bright[bright > _PAPER]
    if lit.size < 100 or np.percentile(lit, 95) < _UNEVEN * np.percentile(lit, 5):
        return image
    paper = np.maximum(paper_of(image), _PAPER)
    return np.asarray(cv2.divide(image, paper, scale=255.0), dtype=np.uint8)
