"""What several readers need: a file's hash and pictures as assets."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.document import Asset
from schemas.text import digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]


def mupdf() -> Any:  # noqa: ANN401 - PyMuPDF is untyped
    """The PyMuPDF module, silent on standard error."""
    import importlib

    module: Any = importlib.import_module("pymupdf")
    module.TOOLS.mupdf_display_errors(False)
    module.TOOLS.mupdf_display_warnings(False)
    return module


def drawings(page: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Vector paths of a PyMuPDF page in its frame of now. Fetched once: it costs as much as the text."""
    frame = tuple(page.rect)
    known = getattr(page, "exambank_drawings", None)
    if known is None or known[0] != frame:
        known = page.exambank_drawings = (frame, page.get_cdrawings())
    paths: list[dict[str, Any]] = known[1]
    return paths


def real(text: str, default: float = 0.0, most: float = 1e6) -> float:
    """A number as a file writes it, within ±most; default where it is none, "nan" and "inf" included."""
    try:
        found = float(text)
    except (ValueError, OverflowError):
        return default
    return min(max(found, -most), most) if math.isfinite(found) else default


def whole(text: str, default: int = 0, most: int = 1_000_000) -> int:
    """A number without a sign as a file writes it, at most `most`; default where it is none, as "²"."""
    return min(int(text[:9]), most) if text.isascii() and text.isdigit() else default


def sha256_of(path: Path) -> str:
    """SHA-256 hex of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def png_asset(image: Image) -> Asset:
    """A picture (height x width x 3, BGR) as a PNG asset; the same pixels give the same bytes."""
    import io

    import numpy as np
    from PIL import Image as Pillow

    blue, green, red = (image[:, :, channel] for channel in range(3))
    grey = np.array_equal(blue, green) and np.array_equal(blue, red)
    buffer = io.BytesIO()
    # Most figures are black on white: a channel less and the fastest packing are four times as fast.
    picture = Pillow.fromarray(np.ascontiguousarray(blue) if grey else image[:, :, ::-1])
    picture.save(buffer, format="PNG", compress_level=1)
    data = buffer.getvalue()
    return Asset(digest=digest(data), media_type="image/png", data=data)
