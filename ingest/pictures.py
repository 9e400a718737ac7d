"""Pictures to look at: pages as the reader saw them, figures as browsers show them, Word files laid out."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from schemas.document import Frozen

if TYPE_CHECKING:
    from PIL.Image import Image

PAGE_LONG_SIDE_PT = 842.0  # a picture counts as a sheet of this length: see ingest.readers.image
FIGURE_LONG_SIDE = 900
LAID_OUT_PAGES = 60
_JPEG_QUALITY = 72
_OFFICE_SECONDS = 60.0
_PDF_HEAD = 1024


class Pictures(Frozen):
    """File names in the assets folder: of pages by number, of figures by digest.

    laid_out: the pages of a Word file in order, as LibreOffice lays it out; its text has no pages.
    """

    pages: dict[int, str] = Field(default_factory=dict)
    figures: dict[str, str] = Field(default_factory=dict)
    laid_out: tuple[str, ...] = ()


def page_picture(
    path: Path, number: int, turned: int, long_side: int, max_pixels: int
) -> tuple[Image, float]:
    """A page of a PDF or picture file as it was read, in RGB, and its pixels per point.

    number counts from 1; turned: clockwise degrees by which the reader turned the page; long_side
    in pixels; max_pixels: the setting of that name, over which nothing is decoded. Raises whatever
    MuPDF and Pillow raise.
    """
    with path.open("rb") as stream:
        is_pdf = b"%PDF-" in stream.read(_PDF_HEAD)
    picture, scale = (
        _pdf_page(path, number, long_side) if is_pdf else _frame(path, number, long_side, max_pixels)
    )
    return (picture.rotate(-turned, expand=True) if turned else picture), scale


def make(path: Path, wanted: Mapping[str, Any], folder: Path, max_pixels: int) -> Pictures:
    """Write the pictures wanted of a file into folder, where its assets are.

    wanted: pages as (number, clockwise degrees turned, digest of the picture that is the page or
    None), figures as digests, long_side in pixels, and where a Word file is to be laid out `laid_out`: its
    ending. What cannot be drawn or has more than max_pixels is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    side = int(wanted["long_side"])
    pages: dict[int, str] = {}
    for number, turned, digest in wanted["pages"]:
        try:
            source, page = (path, number) if digest is None else (_asset(folder, digest), 1)
            picture, _ = page_picture(source, page, turned, side, max_pixels)
        except Exception:  # noqa: S112  MuPDF and Pillow raise many kinds; the page is shown without
            continue
        pages[number] = _write(folder / f"shown-{_name(path)}-{number}", picture, lossless=False)
    figures: dict[str, str] = {}
    for digest in wanted["figures"]:
        try:
            picture, _ = _frame(_asset(folder, digest), 1, FIGURE_LONG_SIDE, max_pixels)
        except Exception:  # noqa: S112  a form no browser shows, or a damaged one
            continue
        figures[digest] = _write(folder / f"shown-{digest}", picture, lossless=True)
    ending = str(wanted.get("laid_out") or "")
    return Pictures(
        pages=pages, figures=figures, laid_out=_laid_out(path, ending, folder, side) if ending else ()
    )


def _laid_out(path: Path, ending: str, folder: Path, long_side: int) -> tuple[str, ...]:
    """Pictures of a Word file's pages; none where there is no LibreOffice or it does not come to an end."""
    from ingest.readers.wordoffice import convert, office

    program = office()
    if program is None:
        return ()
    shown = []
    with tempfile.TemporaryDirectory(prefix="exambank-pages-", ignore_cleanup_errors=True) as work:
        try:
            source = Path(work) / f"paper.{ending}"
            shutil.copyfile(path, source)
            pdf = convert(program, source, "pdf", Path(work), _OFFICE_SECONDS)
            if pdf is None:
                return ()
            for number in range(1, min(_count(pdf), LAID_OUT_PAGES) + 1):
                picture, _ = _pdf_page(pdf, number, long_side)
                shown.append(_write(folder / f"shown-{_name(path)}-{number}", picture, lossless=True))
        except Exception:  # MuPDF raises many kinds, a time limit another; what there is is shown
            return tuple(shown)
    return tuple(shown)


def _count(path: Path) -> int:
    import pymupdf

    library: Any = pymupdf  # untyped
    with library.open(path, filetype="pdf") as pdf:
        return int(pdf.page_count)


def _pdf_page(path: Path, number: int, long_side: int) -> tuple[Image, float]:
    import pymupdf
    from PIL import Image

    library: Any = pymupdf  # untyped
    library.TOOLS.mupdf_display_errors(False)
    library.TOOLS.mupdf_display_warnings(False)
    with library.open(path, filetype="pdf") as pdf:
        page = pdf[number - 1]
        if page.rotation:
            page.remove_rotation()
        scale = long_side / max(page.rect.width, page.rect.height, 1.0)
        pixels = page.get_pixmap(matrix=library.Matrix(scale, scale), alpha=False, colorspace=library.csRGB)
        return Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples), scale


def _frame(path: Path, number: int, long_side: int, max_pixels: int) -> tuple[Image, float]:
    """A picture upright by its own mark, on white, no larger than long_side."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # checked below
    with Image.open(path) as opened:
        if opened.width * opened.height > max_pixels:
            raise ValueError("too many pixels")
        if getattr(opened, "n_frames", 1) > 1:
            opened.seek(number - 1)
        if opened.format == "JPEG":
            opened.draft("RGB", (long_side, long_side))
        picture = ImageOps.exif_transpose(opened)
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        clear = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)
    picture = picture.convert("RGB")
    picture.thumbnail((long_side, long_side))
    return picture, max(picture.size) / PAGE_LONG_SIDE_PT


def _asset(folder: Path, digest: str) -> Path:
    return next(folder.glob(f"{digest}.*"))


def _name(path: Path) -> str:
    """A name for a file's pictures that no other file of the batch has."""
    from schemas.text import digest

    return digest(str(path).encode("utf-8", "surrogateescape"))[:32]


def _write(stem: Path, picture: Image, *, lossless: bool) -> str:
    """Write a picture, as PNG where that is wanted and not the larger; its file name."""
    best, ending = io.BytesIO(), "jpg"
    picture.save(best, "JPEG", quality=_JPEG_QUALITY, optimize=True)
    if lossless:
        whole = io.BytesIO()
        picture.save(whole, "PNG", optimize=True)
        if whole.tell() <= best.tell():
            best, ending = whole, "png"
    target = stem.with_name(f"{stem.name}.{ending}")
    target.write_bytes(best.getvalue())
    return target.name
