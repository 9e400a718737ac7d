"""Whether a page picture from which no text came is a blank page, or bears print that was not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.ocr.light import paper_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

CODE = "page_empty"
_MARGIN = 0.04  # of each side, where scans have their shadows, holes and staples
_LOW, _HIGH = 0.004, 0.08  # of the long side: how large letters and their parts are
_FEWEST = 6  # such marks; fewer are specks and folds
_DARK = 0.7  # of the paper's brightness, below which it is ink


def message(page: int) -> str:
    """What is told of such a page."""
    return f"page {page} is not blank, but no text could be read on it"


def inked(image: Image) -> bool:
    """Whether a picture (height x width x 3, BGR) bears several marks of the size of letters."""
    import cv2
    import numpy as np

    height, width = image.shape[:2]
    down, right = int(height * _MARGIN), int(width * _MARGIN)
    inner = np.ascontiguousarray(image[down : height - down, right : width - right])
    if min(inner.shape[:2]) < 16:
        return False
    grey = cv2.GaussianBlur(cv2.cvtColor(inner, cv2.COLOR_BGR2GRAY), (3, 3), 0)
    paper = cv2.cvtColor(paper_of(inner), cv2.COLOR_BGR2GRAY)
    ink = (grey < _DARK * paper).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    marks = stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    long_side = max(height, width)
    return int(((marks >= _LOW * long_side) & (marks <= _HIGH * long_side)).sum()) >= _FEWEST
