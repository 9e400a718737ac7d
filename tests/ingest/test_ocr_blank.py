"""Pages without text: blank ones are let be, those that bear print are told of and turned once more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from ingest.ocr.blank import CODE, inked
from ingest.ocr.engine import Found
from ingest.ocr.upright import upright
from ingest.readers import read
from schemas.settings import ReadSettings

Pixels = NDArray[np.uint8]
LINES = ("1. Name the causes.", "2. Name the results.", "3. Compare both.")


def paper(height: int = 1600, width: int = 1200) -> Pixels:
    noise = np.random.default_rng(1).normal(235, 8, (height, width, 3))
    return noise.clip(0, 255).astype(np.uint8)


def printed() -> Pixels:
    page = paper()
    for place, line in enumerate(LINES):
        cv2.putText(page, line, (150, 250 + 90 * place), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (40, 40, 40), 3)
    return page


def shaded(page: Pixels) -> Pixels:
    return (page * np.linspace(0.5, 1, page.shape[1])[None, :, None]).astype(np.uint8)


def test_print_is_told_from_the_specks_and_edges_of_a_blank_scan() -> None:
    scan = paper()
    spots = np.random.default_rng(2)
    for x, y in zip(spots.integers(0, 1190, 60), spots.integers(0, 1590, 60), strict=True):
        scan[y : y + 3, x : x + 3] = 30
    scan[:, :30] = 40
    cv2.line(scan, (100, 120), (1100, 120), (0, 0, 0), 3)
    for page in (scan, shaded(scan), np.zeros((4, 4, 3), np.uint8)):
        assert not inked(page)
    for page in (printed(), shaded(printed()), np.ascontiguousarray(np.rot90(printed(), 2))):
        assert inked(page)


def test_a_page_with_print_that_gave_no_text_is_told_of(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:  # type: ignore[no-untyped-call]
        pdf.new_page().insert_text((72, 100), "1. Name the causes of the war.")
        for page in (printed(), paper()):
            made = pdf.new_page()
            made.insert_image(made.rect, stream=cv2.imencode(".jpg", page)[1].tobytes())
        pdf.save(tmp_path / "a.pdf")
    document, _ = read(tmp_path / "a.pdf", ReadSettings(ocr="never"))
    assert [notice.page for notice in document.notices if notice.code == CODE] == [2]


class Reader:
    """An engine that reads print only when it stands upright."""

    def __init__(self, page: Pixels) -> None:
        self.page = page
        self.calls = 0

    def read(self, image: Pixels) -> list[Found]:
        self.calls += 1
        seen = image.shape == self.page.shape and np.array_equal(image, self.page)
        quad = ((150.0, 200.0), (600.0, 200.0), (600.0, 260.0), (150.0, 260.0))
        return [Found(quad, LINES[0], 0.98)] if seen else []


@pytest.mark.parametrize(("page", "turn", "calls"), [(printed(), 180, 2), (paper(), 0, 1)])
def test_print_that_gives_nothing_is_read_once_more_the_other_way(
    page: Pixels, turn: int, calls: int
) -> None:
    reader: Any = Reader(page if turn else printed())
    found, turned = upright(np.ascontiguousarray(np.rot90(page, 2)), reader)
    assert (len(found), turned, reader.calls) == (1 if turn else 0, turn, calls)
