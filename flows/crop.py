"""The source page of a question as a picture, with the question's boxes outlined."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.document import Box
from schemas.errors import ExamBankError, UsageError
from schemas.question import Region

if TYPE_CHECKING:
    from PIL.Image import Image

LONG_SIDE = 1600
PAGE_LONG_SIDE_PT = 842.0  # a picture counts as a sheet of this length: see ingest.readers.image
_MARGIN = 8.0
_RED = (210, 30, 30)


def crop(
    path: Path, source: str, regions: Sequence[Region], turned: Mapping[int, int]
) -> list[tuple[int, bytes]]:
    """(page, PNG bytes) of each page the regions lie on.

    turned: clockwise degrees by which pages were turned before their boxes were taken. Raises
    UsageError for files without page boxes (Word).
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
    with path.open("rb") as stream:
        is_pdf = b"%PDF-" in stream.read(1024)
    for page in sorted(boxes):
        try:
            picture, scale = _pdf_page(path, page) if is_pdf else _picture(path, page)
        except Exception as error:  # MuPDF and Pillow raise many kinds
            raise ExamBankError(
                f"Page {page} of {source} cannot be shown ({type(error).__name__}).", code="page_not_shown"
            ) from error
        if turned.get(page):
            picture = picture.rotate(-turned[page], expand=True)
        pictures.append((page, _outlined(picture, boxes[page], scale)))
    return pictures


def _pdf_page(path: Path, number: int) -> tuple[Image, float]:
    """A page as the reader saw it, and pixels per point."""
    import pymupdf
    from PIL import Image

    library: Any = pymupdf  # untyped
    library.TOOLS.mupdf_display_errors(False)
    library.TOOLS.mupdf_display_warnings(False)
    with library.open(path, filetype="pdf") as pdf:
        page = pdf[number - 1]
        if page.rotation:
            page.remove_rotation()
        scale = LONG_SIDE / max(page.rect.width, page.rect.height, 1.0)
        pixels = page.get_pixmap(matrix=library.Matrix(scale, scale), alpha=False, colorspace=library.csRGB)
        return Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples), scale


def _picture(path: Path, number: int) -> tuple[Image, float]:
    """A picture file upright by its own mark, and pixels per point."""
    from PIL import Image, ImageOps

    with Image.open(path) as opened:
        if getattr(opened, "n_frames", 1) > 1:
            opened.seek(number - 1)
        picture = ImageOps.exif_transpose(opened).convert("RGB")
    picture.thumbnail((LONG_SIDE, LONG_SIDE))
    return picture, max(picture.size) / PAGE_LONG_SIDE_PT


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
