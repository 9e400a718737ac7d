"""The source page of a question as a picture, with the question's boxes outlined."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.pictures import page_picture
from schemas.document import Box
from schemas.errors import ExamBankError, UsageError
from schemas.question import Region

if TYPE_CHECKING:
    from PIL.Image import Image

LONG_SIDE = 1600
_MARGIN = 16.0
_RED = (210, 30, 30)


def crop(
    path: Path, source: str, regions: Sequence[Region], turned: Mapping[int, int], max_pixels: int
) -> list[tuple[int, bytes]]:
    """(page, PNG bytes) of each page the regions lie on.

    turned: clockwise degrees by which pages were turned before their boxes were taken; max_pixels: the
    setting of the reader. Raises UsageError for files without page boxes (Word).
    """
    boxes: dict[int, list[Box]] = {}
    for region in regions:
        if region.box is not None:
            boxes.setdefault(region.page, []).append(region.box)
    if not boxes:
        raise UsageError(
            f"{source} has no page boxes: a Word file has no pages of its own.",
            code="no_boxes",
            remedy="See the text with `exambank show` without --crop.",
        )
    pictures = []
    for page in sorted(boxes):
        try:
            picture, scale = page_picture(path, page, turned.get(page, 0), LONG_SIDE, max_pixels)
        except Exception as error:  # MuPDF and Pillow raise many kinds
            raise ExamBankError(
                f"Page {page} of {source} cannot be shown ({type(error).__name__}).", code="page_not_shown"
            ) from error
        pictures.append((page, _outlined(picture, boxes[page], scale)))
    return pictures


def _outlined(picture: Image, boxes: Sequence[Box], scale: float) -> bytes:
    """PNG bytes: the picture cut to the boxes' full width of page, with each box outlined."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(picture)
    pad = 2 * scale
    for x0, y0, x1, y1 in boxes:
        pen.rectangle(
            (x0 * scale - pad, y0 * scale - pad, x1 * scale + pad, y1 * scale + pad), outline=_RED, width=2
        )
    top = max(0, int((min(box[1] for box in boxes) - _MARGIN) * scale))
    bottom = min(picture.height, int((max(box[3] for box in boxes) + _MARGIN) * scale))
    if bottom - top > 8:
        picture = picture.crop((0, top, picture.width, bottom))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
