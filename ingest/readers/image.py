"""Photos and scans to Document: the picture's own orientation mark, bounded size, then OCR."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.layout import assemble, furniture
from ingest.ocr import blank
from ingest.readers.common import sha256_of
from ingest.readers.limits import over
from schemas.document import Asset, Document, Notice, Origin, Page
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

LONG_SIDE_PX = 2200
PAGE_LONG_SIDE_PT = 842.0
STRAIGHTENED = "straightened"


def read_image(path: Path, settings: ReadSettings) -> tuple[Document, tuple[Asset, ...]]:
    """The document in an image file; every frame of a TIFF is a page.

    The assets are the pictures of figures, tables and displayed formulas.

    Page sizes are those of a sheet 842 points long. Raises RefusedError: damaged, ocr_off, or the name
    of the limit that the file is over (max_pages, max_pixels).
    """
    from PIL import Image

    if settings.ocr == "never":
        raise RefusedError(
            f"{path.name} is a picture and OCR is switched off",
            code="ocr_off",
            remedy="Set read.ocr to auto.",
        )
    from ingest.ocr.engine import engine
    from ingest.ocr.page import read_page
    from ingest.readers.scan_pictures import with_pictures

    formulas = None
    if settings.formula_model:
        from ingest.readers.formula_reading import formula_reader

        formulas = formula_reader(settings)
    notices: list[Notice] = []
    pages: list[Page] = []
    assets: dict[str, Asset] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        picture = _open(Image, path, settings)
        with picture:
            frames = _frames(picture)
            if frames > settings.max_pages:
                raise over(settings, "max_pages", f"{path.name} has {frames:,} pages")
            reader = engine(settings)
            for number in range(1, frames + 1):
                pixels = _pixels(picture, number - 1, path, settings)
                scale = PAGE_LONG_SIDE_PT / max(pixels.shape[:2])
                result = read_page(pixels, reader, scale)
                assets.update({figure.digest: figure for figure in result.figures})
                if result.straightened:
                    notices.append(straightened(number))
                blocks = assemble.blocks(result.runs, number, Origin.OCR)
                blocks, crops, told = with_pictures(number, blocks, result, scale, formulas)
                assets.update({crop.digest: crop for crop in crops})
                notices += told
                if not blocks and blank.inked(pixels):
                    notices.append(Notice(code=blank.CODE, message=blank.message(number), page=number))
                pages.append(
                    Page(
                        number=number,
                        width=round(result.width, 1),
                        height=round(result.height, 1),
                        rotation=result.rotation,
                        method=Origin.OCR,
                        reason="the file is a picture",
                        blocks=tuple(blocks),
                    )
                )
    if not any(page.blocks for page in pages):
        notices.append(Notice(code="no_text", message="no text was found in the picture"))
    document = Document(
        source=path.name,
        sha256=sha256_of(path),
        format="image",
        pages=tuple(furniture.mark(pages)),
        notices=(*notices, *(formulas.notices if formulas else ())),
    )
    return document, tuple(assets.values())


def straightened(page: int) -> Notice:
    """What is told of a page that was laid flat before it was read."""
    message = f"page {page} was photographed at an angle and was straightened before it was read"
    return Notice(code=STRAIGHTENED, message=message, page=page)


def _open(module: Any, path: Path, settings: ReadSettings) -> Any:  # noqa: ANN401 - the Pillow module and image
    """An opened picture of bounded size."""
    module.MAX_IMAGE_PIXELS = None  # checked below, frame by frame
    try:
        picture = module.open(path)
    except Exception as error:  # Pillow's plugins raise many kinds on damaged files
        raise _damaged(path) from error
    try:
        _check_pixels(picture, path, settings)
    except RefusedError:
        picture.close()
        raise
    return picture


def _check_pixels(picture: Any, path: Path, settings: ReadSettings) -> None:  # noqa: ANN401
    """Refuse a picture that is too large to be decoded, before it is."""
    pixels = picture.width * picture.height
    if pixels > settings.max_pixels:
        raise over(settings, "max_pixels", f"{path.name} has {pixels:,} pixels", instead="scale it down")


def _frames(picture: Any) -> int:  # noqa: ANN401
    """Pages of a TIFF; an animation counts as one picture."""
    try:
        return int(getattr(picture, "n_frames", 1)) if picture.format == "TIFF" else 1
    except Exception:
        return 1


def _pixels(picture: Any, frame: int, path: Path, settings: ReadSettings) -> Pixels:  # noqa: ANN401
    """A frame as BGR pixels, upright by its EXIF mark, on white, long side at most 2,200."""
    import numpy as np
    from PIL import Image, ImageOps

    try:
        picture.seek(frame)
        _check_pixels(picture, path, settings)
        if picture.format == "JPEG":
            picture.draft("RGB", (LONG_SIDE_PX, LONG_SIDE_PX))
        upright = ImageOps.exif_transpose(picture)
        longest = max(upright.size)
        if longest > LONG_SIDE_PX:
            upright.thumbnail((LONG_SIDE_PX, LONG_SIDE_PX), Image.Resampling.LANCZOS)
        if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
            clear = upright.convert("RGBA")
            paper = Image.new("RGBA", clear.size, "white")
            upright = Image.alpha_composite(paper, clear)
        rgb = np.asarray(_eight_bit(upright).convert("RGB"), dtype=np.uint8)
    except (RefusedError, MemoryError):
        raise
    except Exception as error:
        raise _damaged(path) from error
    return np.ascontiguousarray(rgb[:, :, ::-1])


def _eight_bit(picture: Any) -> Any:  # noqa: ANN401
    """A picture of 16 or 32 bits a channel brought to 8."""
    import numpy as np
    from PIL import Image

    if not picture.mode.startswith(("I", "F")):
        return picture
    values = np.asarray(picture, dtype=np.float64)
    low, high = float(values.min()), float(values.max())
    scaled = (values - low) * (255.0 / (high - low)) if high > low else values * 0
    return Image.fromarray(scaled.astype(np.uint8))


def _damaged(path: Path) -> RefusedError:
    return RefusedError(
        f"{path.name} is a picture that cannot be decoded; it is damaged or broke off",
        code="damaged",
        remedy="Fetch the file again, or open it in a viewer and save it anew.",
    )
