"""Small pieces of a page read in one go: put together on one sheet, and what is found put back in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.ocr.engine import Engine, Found

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

_WIDTH = 1500  # of the sheet, in pixels, where no piece is wider
_GAP = 24


@dataclass(frozen=True)
class Piece:
    """A part of a picture and where its top left corner stands on it, in pixels."""

    image: Image
    x: int
    y: int


def read_pieces(pieces: Sequence[Piece], engine: Engine) -> list[list[Found]]:
    """What is read on each piece, in the coordinates of the picture it was cut from.

    One call of the engine for all, as each call costs the detection of a whole picture. Pieces should
    be dark on white, or their edges are taken for strokes.
    """
    import numpy as np

    out: list[list[Found]] = [[] for _ in pieces]
    if not pieces:
        return out
    places, width, height = _places(pieces)
    sheet = np.full((height, width, 3), 255, dtype=np.uint8)
    for piece, (x, y) in zip(pieces, places, strict=True):
        h, w = piece.image.shape[:2]
        sheet[y : y + h, x : x + w] = piece.image
    for item in engine.read(sheet):
        middle = sum(x for x, _ in item.quad) / 4, sum(y for _, y in item.quad) / 4
        for index, (piece, (x, y)) in enumerate(zip(pieces, places, strict=True)):
            h, w = piece.image.shape[:2]
            if x <= middle[0] < x + w and y <= middle[1] < y + h:
                a, b, c, d = ((px - x + piece.x, py - y + piece.y) for px, py in item.quad)
                out[index].append(Found((a, b, c, d), item.text, item.score))
                break
    return out


def _places(pieces: Sequence[Piece]) -> tuple[list[tuple[int, int]], int, int]:
    """Top left corner of each piece on the sheet, row by row, and the sheet's width and height."""
    widest = max(_WIDTH, max(piece.image.shape[1] for piece in pieces))
    places = []
    x = y = tallest = right = 0
    for piece in pieces:
        h, w = piece.image.shape[:2]
        if x and x + w > widest:
            x, y, tallest = 0, y + tallest + _GAP, 0
        places.append((x + _GAP, y + _GAP))
        x += w + max(2 * _GAP, h)  # wide gaps, or neighbours are read as one line
        right = max(right, x)
        tallest = max(tallest, h)
    return places, right + _GAP, y + tallest + 2 * _GAP
