"""PDF to Document: every page from its text layer or by OCR, whichever can be trusted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.layout import assemble, furniture
from ingest.ocr import blank
from ingest.readers import pdf_formulas, pdf_parts, pdf_signs
from ingest.readers.common import mupdf, sha256_of
from ingest.readers.image import straightened
from ingest.readers.limits import over
from ingest.readers.pdf_text import TextLayer, text_layer
from schemas.document import Asset, Block, Box, Document, Notice, Origin, Page
from schemas.errors import MissingToolError, RefusedError
from schemas.settings import ReadSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

LONG_SIDE_PX = 2200
MAX_DPI = 300
_SCANNER_NOTE = re.compile(r"扫描全能王|CamScanner|由\s*扫描|Scanned (?:with|by)|创建$", re.IGNORECASE)


def read_pdf(path: Path, settings: ReadSettings) -> tuple[Document, tuple[Asset, ...]]:
    """The document in a PDF file and the pictures its FIGURE blocks name.

    Raises RefusedError: encrypted, damaged, no_pages, not_readable (nothing on any page could be read),
    max_pages, max_chars, max_pixels.
    """
    pdf = _open(path)
    try:
        count = _page_count(pdf, path)
        state = _State(settings, path.name)
        if pdf.is_repaired:
            state.note("repaired", "the file's structure was broken and was repaired while opening")
        if count > settings.max_pages:
            raise over(settings, "max_pages", f"{path.name} has {count:,} pages")
        for number in range(1, count + 1):
            state.read_page(pdf, number)
            if state.chars > settings.max_chars:
                raise over(settings, "max_chars", f"{path.name} has too much text")
    finally:
        pdf.close()
    return state.finish(path)


def _open(path: Path) -> Any:  # noqa: ANN401 - PyMuPDF is untyped
    """An opened PDF that needs no password."""
    try:
        pdf = mupdf().open(path, filetype="pdf")
    except Exception as error:  # PyMuPDF raises its own and RuntimeError kinds
        raise RefusedError(
            f"{path.name} is a PDF too damaged to be opened",
            code="damaged",
            remedy="Fetch the file again, or open it in a PDF viewer and print it to a new PDF.",
        ) from error
    if pdf.needs_pass:
        pdf.close()
        raise RefusedError(
            f"{path.name} is protected by a password",
            code="encrypted",
            remedy="Open it with its password and save a copy without one.",
        )
    return pdf


def _page_count(pdf: Any, path: Path) -> int:  # noqa: ANN401
    try:
        count = int(pdf.page_count)
    except Exception:
        count = 0
    if count == 0:
        raise RefusedError(
            f"{path.name} has no pages that can be read",
            code="no_pages",
            remedy="The file is damaged or broke off; fetch it again.",
        )
    return count


def render(
    page: Any,  # noqa: ANN401
    clip: tuple[float, float, float, float] | None = None,
    dpi: float = MAX_DPI,
) -> tuple[Image, float]:
    """A PyMuPDF page (or a part of it) as BGR pixels, and points per pixel. Bounded in memory."""
    import numpy as np

    pymupdf = mupdf()
    rect = pymupdf.Rect(clip) if clip else page.rect
    zoom = min(LONG_SIDE_PX / max(rect.width, rect.height, 1.0), dpi / 72)
    pixmap = page.get_pixmap(
        matrix=pymupdf.Matrix(zoom, zoom), clip=rect, colorspace=pymupdf.csRGB, alpha=False
    )
    rgb = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.width, 3)
    return np.ascontiguousarray(rgb[:, :, ::-1]), 1 / zoom


def choose(layer: TextLayer, cover: float, drawings: int, settings: ReadSettings) -> tuple[Origin, str]:
    """How a page is read, and why. cover is the share of the page under pictures, 0-1."""
    if settings.ocr == "always":
        return Origin.OCR, "OCR was asked for"
    if settings.ocr == "never":
        return Origin.TEXT_LAYER, "OCR is switched off"
    text = "".join(run.text for run in layer.runs)
    own = _SCANNER_NOTE.sub("", text)
    reason = ""
    if layer.chars == 0:
        if cover > 0.02 or drawings > 30:
            reason = "no text layer"
    elif cover > 0.3 and len(own) < 60 and own != text:
        reason = "only a scanner's note over a page picture"
    elif cover > 0.3 and layer.chars < 60:
        reason = f"only {layer.chars} characters over pictures"
    elif layer.hidden > 0.5 * layer.chars and cover > 0.3:
        reason = "invisible text over a page picture"
    elif layer.bad > 0.05 * layer.chars and layer.bad > 5:
        reason = f"{layer.bad} of {layer.chars} characters are unknown glyphs"
    elif layer.strange > 0.25 * layer.chars and layer.strange > 20:
        reason = f"{layer.strange} of {layer.chars} characters are of unlikely scripts"
    if reason:
        return Origin.OCR, reason
    return Origin.TEXT_LAYER, f"{layer.chars} characters in the text layer"


class _State:
    """What accumulates while the pages of one file are read."""

    def __init__(self, settings: ReadSettings, name: str) -> None:
        self.settings = settings
        self.name = name
        self.pages: list[Page] = []
        self.assets: dict[str, Asset] = {}
        self.notices: list[Notice] = []
        self.chars = 0
        self.missing: MissingToolError | None = None
        self.unread = 0
        self.ocr_off = False
        self.formulas = None
        if settings.formula_model:
            from ingest.readers.formula_reading import formula_reader

            self.formulas = formula_reader(settings)

    def note(self, code: str, message: str, page: int | None = None, count: int = 1) -> None:
        """Add a notice."""
        self.notices.append(Notice(code=code, message=message, page=page, count=count))

    def read_page(self, pdf: Any, number: int) -> None:  # noqa: ANN401
        """Read page number (from 1); what goes wrong on one page does not stop the others."""
        try:
            page = pdf[number - 1]
            if page.rotation:  # so that text, pictures and strokes share the frame that is read
                page.remove_rotation()
            pixels = pdf_parts.largest_picture(page)
            if pixels > self.settings.max_pixels:
                what = f"a picture on page {number} of {self.name} has {pixels:,} pixels"
                raise over(self.settings, "max_pixels", what, instead="scale it down")
            layer = text_layer(page, self.settings.max_chars, pdf_parts.short_bars(page))
            turned = layer.turn
            if turned:  # print that runs up or down the page although the file knows of no rotation
                page.set_rotation(turned)
                page.remove_rotation()
                layer = text_layer(page, self.settings.max_chars, pdf_parts.short_bars(page))
            cover, drawings = pdf_parts.cover(page), pdf_parts.drawing_count(page)
        except (RefusedError, MemoryError):
            raise
        except Exception as error:  # a broken page raises any of MuPDF's kinds
            self._unread(number, f"page {number} is damaged: {type(error).__name__}")
            return
        method, reason = choose(layer, cover, drawings, self.settings)
        if self.settings.ocr == "never":
            wanted, why = choose(layer, cover, drawings, ReadSettings())
            if wanted is Origin.OCR:
                self.ocr_off = True
                self.note("ocr_off", f"page {number} needs OCR ({why}), which is switched off", number)
        if method is Origin.OCR:
            self._ocr(page, number, reason, turned)
        else:
            self._text(page, number, layer, reason, turned)

    def _text(self, page: Any, number: int, layer: TextLayer, reason: str, turned: int) -> None:  # noqa: ANN401
        if layer.bad:
            self.note(
                "unknown_glyphs",
                f"{layer.bad} characters of page {number} have no meaning",
                number,
                layer.bad,
            )
        layer.runs += pdf_signs.drawn_signs(page, layer.runs, pdf_parts.pictures(page), render)
        doubtful: list[Box] = []
        runs, walls, assets = pdf_parts.with_parts(page, layer, render, doubtful)
        figures = [run.box for run in runs if run.asset]
        inline = pdf_parts.inline_pictures(page, layer.runs, figures)
        if inline:
            message = (
                f"{len(inline)} small pictures in the lines of page {number} (signs, formulas) are not read"
            )
            self.note("inline_pictures", message, number, len(inline))
            doubtful += inline
        blocks = assemble.blocks(runs, number, Origin.TEXT_LAYER, walls)
        blocks, crops = pdf_formulas.with_crops(blocks, doubtful, page, render)
        if crops:
            message = f"{len(crops)} formulas of page {number} are kept as pictures too"
            self.note("formula_crop", message, number, len(crops))
            if self.formulas is not None:
                blocks = self.formulas.text_page(number, blocks, crops)
        for asset in (*assets, *crops):
            self.assets[asset.digest] = asset
        if not blocks and blank.inked(render(page)[0]):
            self.note(blank.CODE, blank.message(number), number)
        self._add(number, page.rect.width, page.rect.height, turned, Origin.TEXT_LAYER, reason, blocks)

    def _ocr(self, page: Any, number: int, reason: str, turned: int) -> None:  # noqa: ANN401
        from ingest.ocr.engine import engine
        from ingest.ocr.page import read_page
        from ingest.readers.scan_pictures import with_pictures

        try:
            reader = engine(self.settings)
        except MissingToolError as error:
            self.missing = error
            self._unread(number, f"page {number} needs OCR ({reason}): {error.message}")
            return
        try:
            image, scale = render(page)
            result = read_page(image, reader, scale)
        except MemoryError:
            raise
        except Exception as error:  # the engine must not stop the other pages
            self._unread(number, f"page {number} could not be read by OCR: {type(error).__name__}")
            return
        self.assets.update({figure.digest: figure for figure in result.figures})
        if result.straightened:
            self.notices.append(straightened(number))
        blocks = assemble.blocks(result.runs, number, Origin.OCR)
        blocks, crops, told = with_pictures(number, blocks, result, scale, self.formulas)
        self.assets.update({crop.digest: crop for crop in crops})
        self.notices += told
        if not blocks and blank.inked(image):
            self.note(blank.CODE, blank.message(number), number)
        self._add(
            number, result.width, result.height, (turned + result.rotation) % 360, Origin.OCR, reason, blocks
        )

    def _unread(self, number: int, message: str) -> None:
        self.unread += 1
        self.note("page_not_read", message, number)
        self.pages.append(Page(number=number, method=Origin.OCR, reason=message))

    def _add(
        self,
        number: int,
        width: float,
        height: float,
        rotation: int,
        method: Origin,
        reason: str,
        blocks: list[Block],
    ) -> None:
        self.chars += sum(len(block.text) for block in blocks)
        self.pages.append(
            Page(
                number=number,
                width=round(width, 1),
                height=round(height, 1),
                rotation=rotation,
                method=method,
                reason=reason,
                blocks=tuple(blocks),
            )
        )

    def finish(self, path: Path) -> tuple[Document, tuple[Asset, ...]]:
        """The document; RefusedError when no page could be read at all, or all need OCR and it is off."""
        if self.unread and self.unread == len(self.pages):
            if self.missing is not None:
                raise self.missing
            raise RefusedError(
                f"none of the {len(self.pages)} pages of {self.name} could be read",
                code="not_readable",
                remedy="Open it in a PDF viewer and print it to a new PDF.",
            )
        pages = furniture.mark(self.pages)
        if self.ocr_off and not any(page.blocks for page in pages):
            raise RefusedError(
                f"{self.name} is a scan and OCR is switched off",
                code="ocr_off",
                remedy="Set read.ocr to auto.",
            )
        if not any(page.blocks for page in pages):
            self.note("no_text", "nothing to read was found on any page")
        document = Document(
            source=self.name,
            sha256=sha256_of(path),
            format="pdf",
            pages=tuple(pages),
            notices=(*self.notices, *(self.formulas.notices if self.formulas else ())),
        )
        return document, tuple(self.assets.values())
