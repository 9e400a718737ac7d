"""Pictures drawn for looking: they keep to the reader's limit of pixels."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from ingest import pictures


def test_a_picture_over_the_limit_is_not_decoded(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    Image.new("L", (400, 300), 255).save(path)
    shown, scale = pictures.page_picture(path, 1, 90, 200, max_pixels=120_000)
    assert (shown.size, round(scale, 3)) == ((150, 200), round(200 / 842, 3))
    with pytest.raises(ValueError, match="pixels"):
        pictures.page_picture(path, 1, 0, 200, max_pixels=119_999)
    wanted = {"pages": [(1, 0, None)], "figures": [], "long_side": 200}
    assert pictures.make(path, wanted, tmp_path / "out", 119_999).pages == {}
    assert list(pictures.make(path, wanted, tmp_path / "out", 120_000).pages) == [1]
