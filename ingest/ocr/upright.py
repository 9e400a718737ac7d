"""Which way up a page is: read as it stands, and again turned where its boxes or their scores say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingest.ocr.blank import inked
from ingest.ocr.engine import Engine, Found
from ingest.ocr.patchwork import Piece, read_pieces
from ingest.ocr.skew import sides

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

_SURE = 0.85  # mean score from which print is taken to stand upright; on its head it stays below 0.65
_SAMPLE = 8  # lines tried each way before the whole page is read again
_BETTER = 1.5  # how much more must be read surely on a sample that is turned on its head


def upright(image: Image, engine: Engine) -> tuple[list[Found], int]:
    """The best reading of a picture (height x width x 3) and the clockwise turn in degrees it needed.

    A page that lies on its side shows mostly tall boxes; one that stands on its head reads badly.
    """
    import numpy as np

    found = engine.read(image)
    tall = sum(_tall(item) for item in found)
    if len(found) >= 3 and tall > 0.6 * len(found):
        turn = max((90, 270), key=lambda turn: _value(_sample(image, found, turn, engine)))
    elif found and _quality(found) < _SURE:
        turn = 180
        straight, turned = (_value(_sample(image, found, turn, engine)) for turn in (0, 180))
        if turned <= _BETTER * straight:
            return found, 0
    elif not found and inked(image):  # a few short lines on their head may give nothing at all
        turn = 180
    else:
        return found, 0
    other = engine.read(np.ascontiguousarray(np.rot90(image, -turn // 90)))
    return (other, turn) if _value(other) > _value(found) else (found, 0)


def _sample(image: Image, found: Sequence[Found], turn: int, engine: Engine) -> list[Found]:
    """What is read on a few of the longest boxes, each turned clockwise."""
    import numpy as np

    pieces = []
    for item in sorted(found, key=lambda item: -max(sides(item)))[:_SAMPLE]:
        xs, ys = [max(0, int(x)) for x, _ in item.quad], [max(0, int(y)) for _, y in item.quad]
        pad = max(2, int(min(sides(item)) / 4))
        cut = image[max(0, min(ys) - pad) : max(ys) + pad, max(0, min(xs) - pad) : max(xs) + pad]
        pieces.append(Piece(np.rot90(cut, -turn // 90), 0, 0))
    return [item for read in read_pieces(pieces, engine) for item in read]


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
