"""Pages of a .docx: one of Word text, or one a picture when pictures stand in place of text."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from ingest.readers.wordtext import FIGURE
from schemas.document import Asset, Block, BlockKind, Origin, Page
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

_PICTURE_PAGE_TEXT = 60  # characters of text below which big pictures are pages, not figures
_PAGE_PIXELS = 500
_OCR_MEDIA = {"image/png", "image/jpeg", "image/gif", "image/bmp", "image/tiff"}


def as_pages(
    blocks: list[Block], assets: dict[str, Asset], settings: ReadSettings, origin: Origin
) -> tuple[Page, ...]:
    """One page of Word text, or one page per picture when the document is nothing but pictures."""
    text = sum(len(b.text.strip()) for b in blocks if b.kind in {BlockKind.TEXT, BlockKind.TABLE})
    shown = dict.fromkeys(b.asset for b in blocks if b.asset)
    pictures = [assets[key] for key in shown if key in assets and _is_page_picture(assets[key])]
    if settings.ocr == "never" or not pictures or text > _PICTURE_PAGE_TEXT:
        return (Page(number=1, method=origin, blocks=tuple(blocks)),)
    digests = {picture.digest for picture in pictures}
    kept = tuple(block for block in blocks if block.asset not in digests or block.text.strip() != FIGURE)
    pages = []
    if any(block.kind is not BlockKind.FURNITURE for block in kept):
        pages.append(Page(number=1, method=origin, blocks=kept))
    for picture in pictures[: settings.max_pages]:
        pages.append(_page_of(picture, len(pages) + 1, settings))
    return tuple(pages)


def _page_of(picture: Asset, number: int, settings: ReadSettings) -> Page:
    """A picture read as a page of its own; one that cannot be decoded stays a figure."""
    from ingest.readers.image import read_image

    with tempfile.TemporaryDirectory(prefix="exambank-docx-") as folder:
        path = Path(folder) / "page"
        path.write_bytes(picture.data)
        try:
            page = read_image(path, settings)[0].pages[0]
        except RefusedError as error:
            figure = Block(
                text=FIGURE, kind=BlockKind.FIGURE, page=number, origin=Origin.WORD, asset=picture.digest
            )
            return Page(number=number, method=Origin.WORD, reason=error.message, blocks=(figure,))
    blocks = tuple(block.model_copy(update={"page": number}) for block in page.blocks)
    reason = "the document holds pictures in place of text"
    return page.model_copy(
        update={"number": number, "blocks": blocks, "reason": reason, "asset": picture.digest}
    )


def _is_page_picture(asset: Asset) -> bool:
    if asset.media_type not in _OCR_MEDIA:
        return False
    from PIL import Image

    try:
        with Image.open(io.BytesIO(asset.data)) as picture:
            return min(picture.size) >= _PAGE_PIXELS
    except (OSError, ValueError, Image.DecompressionBombError):
        return False
