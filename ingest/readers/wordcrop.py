"""Pictures of a .docx as Word shows them: what its author cropped away is left out."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

from ingest.readers.common import real
from ingest.readers.wordpackage import A
from schemas.document import Asset
from schemas.text import digest

_RASTER = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/bmp": "PNG",
    "image/gif": "PNG",
    "image/tiff": "PNG",
}
_LEAST, _LEFT_OVER = 0.005, 0.02  # shares of a side: less cut off shows nowhere; less left is no picture
_QUALITY = 92


class Crop(NamedTuple):
    """Shares of the width and height that are cut off at each side."""

    left: float
    top: float
    right: float
    bottom: float


def crop_of(picture: Any) -> Crop | None:  # noqa: ANN401
    """What is cut off a picture, from its a:blip or v:imagedata; None where nothing is."""
    if picture.tag == A + "blip":
        parent = picture.getparent()
        source = parent.find(A + "srcRect") if parent is not None else None
        if source is None:
            return None
        found = Crop(*(_percent(source.get(side) or "") for side in "ltrb"))
    else:
        found = Crop(*(_fraction(picture.get(f"crop{side}") or "") for side in Crop._fields))
    if (
        max(found) < _LEAST
        or found.left + found.right > 1 - _LEFT_OVER
        or found.top + found.bottom > 1 - _LEFT_OVER
    ):
        return None
    return found


def picture_asset(data: bytes, media_type: str, crop: Crop | None, max_pixels: int) -> Asset:
    """A picture as an asset, cropped; whole where it is not raster, damaged or has more than max_pixels."""
    kind = _RASTER.get(media_type)
    if crop is not None and kind is not None:
        try:
            data, media_type = _cut(data, kind, crop, max_pixels), f"image/{kind.lower()}"
        except Exception:  # Pillow raises many kinds; the whole picture is better than none
            crop = None
    return Asset(digest=digest(data), media_type=media_type, data=data)


def _cut(data: bytes, kind: str, crop: Crop, max_pixels: int) -> bytes:
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # checked below
    with Image.open(io.BytesIO(data)) as picture:
        width, height = picture.size
        if width * height > max_pixels:
            raise ValueError("too many pixels")
        box = (
            round(crop.left * width),
            round(crop.top * height),
            max(round((1 - crop.right) * width), round(crop.left * width) + 1),
            max(round((1 - crop.bottom) * height), round(crop.top * height) + 1),
        )
        shown = picture.crop(box)
    buffer = io.BytesIO()
    if kind == "JPEG" and shown.mode in {"RGB", "L", "CMYK"}:
        shown.save(buffer, "JPEG", quality=_QUALITY)
    else:
        shown.save(buffer, kind)
    return buffer.getvalue()


def _percent(text: str) -> float:
    """A share in thousandths of a percent, or with a sign; what is put on instead of cut off is 0."""
    share = real(text[:-1]) / 100 if text.endswith("%") else real(text) / 100_000
    return min(max(share, 0.0), 1.0)


def _fraction(text: str) -> float:
    """A share as VML writes it: 16384f is a quarter, so is .25 and 25%."""
    if text.endswith("f"):
        share = real(text[:-1]) / 65_536
    else:
        share = real(text[:-1]) / 100 if text.endswith("%") else real(text)
    return min(max(share, 0.0), 1.0)
