"""Pictures of displayed formulas beside their text, so that what was made of them can be checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ingest.layout.runs import overlap, union
from ingest.readers.common import png_asset
from schemas.document import Asset, Block, BlockKind, Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

Render = Callable[[Any, tuple[float, float, float, float]], tuple["Image", float]]

REASON = "formula"
"""Block.reason of a FIGURE block that repeats the text beside it as a picture."""

_MARGIN = 3.0  # points around a formula
_MOST = 40  # pictures of one page
_FORMULA = re.compile(r"\$([^$]+)\$")
_BETWEEN = re.compile(r"[\s,.;:，。；：、．]*(?:[（(]\d[\d.\-]*[)）])?\s*")
_BROKEN_OFF = re.compile(r"(?:[=<>+-]|\\[a-z]+)$")
_BUILT = re.compile(r"\\(?:frac|sqrt|begin|sum|int|prod|lim|bigcup|bigcap)(?![a-z])")
_RELATION = re.compile(
    r"[=<>]|\\(?:leq|geq|neq|in|subseteq|subset|equiv|approx|to|Rightarrow|Leftrightarrow)\b"
)


def with_crops(
    blocks: Sequence[Block],
    doubtful: Sequence[Box],
    page: Any,  # noqa: ANN401 - PyMuPDF is untyped
    render: Render,
) -> tuple[list[Block], list[Asset]]:
    """Blocks of a page with the picture of every displayed formula after its line; the pictures.

    doubtful are places (points) where signs of a formula were found that could not be put together:
    the lines there get a picture too, a figure without a reason, as their text does not say it all.
    """
    out: list[Block] = []
    assets: list[Asset] = []
    open_places = list(doubtful)
    for block in blocks:
        out.append(block)
        if block.kind is not BlockKind.TEXT or block.box is None or len(assets) >= _MOST:
            continue
        held = [place for place in open_places if _touches(place, block.box)]
        if not held and not is_displayed(block.text):
            continue
        open_places = [place for place in open_places if place not in held]
        asset = png_asset(render(page, _around(union([block.box, *held]), page))[0])
        assets.append(asset)
        crop = block.model_copy(update={"text": "", "kind": BlockKind.FIGURE, "asset": asset.digest})
        reason = "" if held else REASON
        out.append(crop.model_copy(update={"reason": reason, "bold": False, "size": None, "colour": None}))
    return out, assets


def is_displayed(text: str) -> bool:
    """Whether a line is nothing but formulas (and perhaps their number), and more than a name."""
    if "$" not in text or _BETWEEN.fullmatch(_FORMULA.sub("", text)) is None:
        return False
    found = _FORMULA.findall(text)
    if _BROKEN_OFF.search(found[-1]):  # the beginning of a blank to fill in
        return False
    inner = " ".join(found)
    return bool(_BUILT.search(inner)) or (len(inner) > 4 and bool(_RELATION.search(inner)))


def _touches(place: Box, box: Box) -> bool:
    """Whether a block stands at the height of a place and not far beside it."""
    low = overlap(place.y0, place.y1, box.y0, box.y1)
    return low > 0.3 * (box.y1 - box.y0) and max(box.x0 - place.x1, place.x0 - box.x1) < 3 * _MARGIN


def _around(box: Box, page: Any) -> tuple[float, float, float, float]:  # noqa: ANN401
    """A box with its margin, inside the page."""
    return (
        max(box.x0 - _MARGIN, page.rect.x0),
        max(box.y0 - _MARGIN, page.rect.y0),
        min(box.x1 + _MARGIN, page.rect.x1),
        min(box.y1 + _MARGIN, page.rect.y1),
    )
