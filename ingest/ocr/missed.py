"""A second look at print that text detection passed over, such as a short line with a tall formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingest.layout.runs import median
from ingest.ocr.engine import Engine, Found
from ingest.ocr.patchwork import Piece, read_pieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

_MOST = 8  # places looked at again on one page
_SURE = 0.75
_INK = 150  # of 255, after the paper was made white
_DARK = 90  # of 255: not paper


def missed(image: Image, found: Sequence[Found], engine: Engine) -> list[Found]:
    """Text of a page picture in ink that no box of found covers.

    Only places of the size of print inside the page's text area are read again, and only what is
    read surely is kept: pictures, stains and handwriting give nothing.
    """
    if len(found) < 3:
        return []
    import numpy as np

    em = median([_height(item) for item in found])
    flat = white_paper(image, em)
    pieces = [
        Piece(np.repeat(flat[y0:y1, x0:x1, None], 3, axis=2), x0, y0)
        for x0, y0, x1, y1 in places(flat, found, em)
    ]
    return [
        item
        for some in read_pieces(pieces, engine)
        for item in some
        if item.score >= _SURE
        and any(char.isalnum() for char in item.text)
        and not any(_same_place(item, other) for other in found)
    ]


def white_paper(image: Image, em: float) -> Image:
    """The picture (height x width x 3, BGR) in grey, evenly lit, the dark around the sheet made white."""
    import cv2
    import numpy as np

    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape
    small = cv2.resize(grey, (max(1, width // 4), max(1, height // 4)), interpolation=cv2.INTER_AREA)
    side = int(max(5, em / 2)) | 1
    paper = cv2.blur(cv2.dilate(small, np.ones((5, 5), np.uint8)), (side, side))
    paper = cv2.resize(paper, (width, height))
    flat = cv2.divide(grey, np.maximum(paper, 1), scale=255.0)
    flat[paper <= _DARK] = 255
    return np.asarray(flat, dtype=np.uint8)


def places(flat: Image, found: Sequence[Found], em: float) -> list[tuple[int, int, int, int]]:
    """Boxes (x0, y0, x1, y1 in pixels, padded) of uncovered ink of the size of a piece of a line.

    flat: the page in grey on white, height x width; em: the usual height of a box of text in pixels.
    """
    import cv2
    import numpy as np

    height, width = flat.shape
    ink = (flat < _INK).astype(np.uint8)
    ink[ruled(ink, em)] = 0
    for item in found:
        grow = 0.15 * _height(item)
        corners = np.array(item.quad, dtype=np.float32)
        centre = corners.mean(axis=0)
        corners += np.sign(corners - centre) * grow
        cv2.fillPoly(ink, [corners.astype(np.int32)], (0.0,))
    left = min(x for item in found for x, _ in item.quad) - em
    right = max(x for item in found for x, _ in item.quad) + em
    top = min(y for item in found for _, y in item.quad) - em
    bottom = max(y for item in found for _, y in item.quad) + em
    kernel = np.ones((max(1, int(0.4 * em)), max(1, int(1.4 * em))), np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(ink, kernel), connectivity=8)
    out = []
    for x, y, w, h, _ in sorted(stats[1:].tolist(), key=lambda row: -row[2] * row[3]):
        if not (2.0 * em < w < 40 * em and 0.8 * em < h < 3.4 * em):
            continue
        if not (left <= x + w / 2 <= right and top <= y + h / 2 <= bottom):
            continue
        density = float(ink[y : y + h, x : x + w].mean())
        if not 0.02 < density < 0.5:
            continue
        pad = int(0.5 * em)
        out.append((max(0, x - pad), max(0, y - pad), min(width, x + w + pad), min(height, y + h + pad)))
    return out[:_MOST]


def ruled(ink: Image, em: float) -> Mask:
    """Where the ink (1, else 0) of a page is a straight line longer than a few characters, or nearly."""
    import cv2
    import numpy as np

    long = max(3, int(2.5 * em))
    out = np.zeros(ink.shape, dtype=bool)
    for across, along in (((3, 1), (1, long)), ((1, 3), (long, 1))):
        thick = cv2.dilate(ink, np.ones(across, np.uint8))  # a line that is a little askew stays whole
        out |= np.asarray(cv2.morphologyEx(thick, cv2.MORPH_OPEN, np.ones(along, np.uint8)), dtype=bool)
    return out


def _height(item: Found) -> float:
    (_, y0), (_, y1), (_, y2), (_, y3) = item.quad
    return max(1.0, (y2 + y3 - y0 - y1) / 2)


def _same_place(one: Found, other: Found) -> bool:
    """Whether the middle of one lies in the box around the other."""
    x = sum(x for x, _ in one.quad) / 4
    y = sum(y for _, y in one.quad) / 4
    xs = [x for x, _ in other.quad]
    ys = [y for _, y in other.quad]
    return min(xs) < x < max(xs) and min(ys) < y < max(ys)
