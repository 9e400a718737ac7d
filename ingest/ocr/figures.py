"""Figures on a page picture: ink of more than a line's height that is neither print nor a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingest.layout.runs import median
from ingest.ocr.engine import Found
from ingest.ocr.missed import white_paper
from ingest.ocr.skew import sides

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

Bounds = tuple[int, int, int, int]

_SHRINK = 4  # figures are looked for on a smaller picture
_INK = 150  # of 255, after the paper was made white
_LEAST = 5.0  # em, width and height of a figure; matrices are lower
_MOST = 0.6  # of the picture
_LABEL = 28  # half-width characters; longer text inside is print with something drawn around it
_SLANTED = 0.25  # of the ink: less of it off level and upright lines is a table or a frame
_ITEM = re.compile(
    r"\s*(?:[（(]?\d{1,2}[)）]|\d{1,2}\s*[.．、])\s*[\u4e00-\u9fff]{2}"
)  # a numbered line of print
_DENSE = 0.015  # of the box: less ink is dirt


def figures(image: Image, found: Sequence[Found]) -> list[Bounds]:
    """Boxes (x0, y0, x1, y1 in pixels) of the figures on a picture (height x width x 3, BGR).

    found: the print of the page, whose height says how large a figure has to be. Only what lies within
    the breadth of the print and away from the picture's rim counts; the ground beside a sheet is none.
    """
    import cv2
    import numpy as np

    if not found:
        return []
    em = median([sides(item)[1] for item in found])
    flat = white_paper(image, em)
    height, width = flat.shape[0] // _SHRINK, flat.shape[1] // _SHRINK
    if min(height, width) < 20:
        return []
    shrunk = cv2.resize((flat < _INK).astype(np.uint8) * 255, (width, height), interpolation=cv2.INTER_AREA)
    ink = np.asarray(np.asarray(shrunk) > 60, dtype=np.uint8)
    small = em / _SHRINK
    drawn = ink.copy()
    for item in found:
        cv2.fillPoly(
            drawn if _breadth(item.text) <= _LABEL else ink,
            [(np.array(item.quad) / _SHRINK).astype(np.int32)],
            (0.0,),
        )
    drawn = np.minimum(drawn, ink)
    reach = max(3, int(1.1 * small)) | 1
    close = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(close, connectivity=8)
    left = min(x for item in found for x, _ in item.quad) / _SHRINK - 2 * small
    right = max(x for item in found for x, _ in item.quad) / _SHRINK + 2 * small
    boxes: list[Bounds] = []
    for x, y, w, h, _ in stats[1:].tolist():
        if min(w, h) < _LEAST * small or w * h > _MOST * width * height:
            continue
        if x < 2 or y < 2 or x + w > width - 2 or y + h > height - 2:
            continue
        if not left <= x + w / 2 <= right:
            continue
        box = (x * _SHRINK, y * _SHRINK, (x + w) * _SHRINK, (y + h) * _SHRINK)
        if _is_drawn(drawn[y : y + h, x : x + w], small) and _labels_only(box, found):
            boxes.append(box)
    return _outer(boxes)


def inside(item: Found, box: Bounds) -> bool:
    """Whether the middle of a piece of text lies in a box."""
    x = sum(x for x, _ in item.quad) / 4
    y = sum(y for _, y in item.quad) / 4
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _is_drawn(ink: Image, em: float) -> bool:
    """Whether enough of the ink, print left out, is neither level nor upright, as in tables and frames."""
    import cv2
    import numpy as np

    total = int(np.count_nonzero(ink))
    if total < _DENSE * ink.size:
        return False
    long = max(5, int(1.5 * em))
    ruled = np.zeros(ink.shape, dtype=bool)
    for size in ((1, long), (long, 1)):
        ruled |= np.asarray(cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones(size, np.uint8)), dtype=bool)
    filled = np.asarray(cv2.erode(ink, np.ones((3, 3), np.uint8)), dtype=bool)
    return int(np.count_nonzero(~ruled & ink.astype(bool)) + np.count_nonzero(filled)) > _SLANTED * total


def _labels_only(box: Bounds, found: Sequence[Found]) -> bool:
    """Whether all text in a box is short and covers little of it."""
    within = [item for item in found if inside(item, box)]
    area = sum(sides(item)[0] * sides(item)[1] for item in within)
    labels = all(_breadth(item.text) <= _LABEL and not _ITEM.match(item.text) for item in within)
    return labels and area < 0.25 * (box[2] - box[0]) * (box[3] - box[1])


def _breadth(text: str) -> int:
    """Length in half-width characters."""
    return sum(2 if "\u2e80" <= char <= "\uffef" else 1 for char in text.strip())


def _outer(boxes: Sequence[Bounds]) -> list[Bounds]:
    """Boxes that lie in no other."""
    return [
        box
        for box in boxes
        if not any(
            other != box
            and other[0] <= box[0]
            and other[1] <= box[1]
            and box[2] <= other[2]
            and box[3] <= other[3]
            for other in boxes
        )
    ]
