"""Pages of a .docx: one of Word text, or one a picture when pictures stand in place of text."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from ingest.readers.wordtext import FIGURE
from schemas.document import Asset, Block, BlockKind, Notice, Origin, Page
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

_PICTURE_PAGE_TEXT = 60  # characters of text below which big pictures are pages, not figures
_PAGE_PIXELS = 500
_OCR_MEDIA = {"image/png", "image/jpeg", "image/gif", "image/bmp", "image/tiff"}


def as_pages(
    blocks: list[Block], assets: dict[str, Asset], settings: ReadSettings, origin: Origin
) -> tuple[tuple[Page, ...], tuple[Notice, ...]]:
    """One page of Word text, or one page per picture when the document is nothing but pictures.

    Figures on such pages join assets; the notices are what reading the pictures had to tell.
    """
    text = sum(len(b.text.strip()) for b in blocks if b.kind in {BlockKind.TEXT, BlockKind.TABLE})
    shown = dict.fromkeys(b.asset for b in blocks if b.asset)
    pictures = [assets[key] for key in shown if key in assets and _is_page_picture(assets[key])]
    if settings.ocr == "never" or not pictures or text > _PICTURE_PAGE_TEXT:
        off = Notice(code="ocr_off", message="its pages are pictures, and OCR is switched off")
        unread = bool(pictures) and text <= _PICTURE_PAGE_TEXT
        return (Page(number=1, method=origin, blocks=tuple(blocks)),), (off,) if unread else ()
    digests = {picture.digest for picture in pictures}
    kept = tuple(block for block in blocks if block.asset not in digests or block.text.strip() != FIGURE)
    pages = []
    notices: list[Notice] = []
    if any(block.kind is not BlockKind.FURNITURE for block in kept):
        pages.append(Page(number=1, method=origin, blocks=kept))
    for picture in pictures[: settings.max_pages]:
        page, figures, told = _page_of(picture, len(pages) + 1, settings)
        pages.append(page)
        assets.update({figure.digest: figure for figure in figures})
        notices += told
    return tuple(pages), tuple(notices)


def _page_of(
    picture: Asset, number: int, settings: ReadSettings
) -> tuple[Page, tuple[Asset, ...], list[Notice]]:
    """A picture read as a page of its own, its figures and notices; undecoded it stays a figure."""
    from ingest.readers.image import STRAIGHTENED, read_image, straightened

    with tempfile.TemporaryDirectory(prefix="exambank-docx-") as folder:
        path = Path(folder) / "page"
        path.write_bytes(picture.data)
        try:
            read, figures = read_image(path, settings)
        except RefusedError as error:
            figure = Block(
                text=FIGURE, kind=BlockKind.FIGURE, page=number, origin=Origin.WORD, asset=picture.digest
            )
            return Page(number=number, method=Origin.WORD, reason=error.message, blocks=(figure,)), (), []
    page = read.pages[0]
    blocks = tuple(block.model_copy(update={"page": number}) for block in page.blocks)
    told = [
        straightened(number) if notice.code == STRAIGHTENED else notice.model_copy(update={"page": number})
        for notice in read.notices
    ]
    reason = "the document holds pictures in place of text"
    page = page.model_copy(
        update={"number": number, "blocks": blocks, "reason": reason, "asset": picture.digest}
    )
    return page, figures, told


def _is_page_picture(asset: Asset) -> bool:
    if asset.media_type not in _OCR_MEDIA:
        return False
    from PIL import Image

    try:
        with Image.open(io.BytesIO(asset.data)) as picture:
            return min(picture.size) >= _PAGE_PIXELS
    except (OSError, ValueError, Image.DecompressionBombError):
        return False
