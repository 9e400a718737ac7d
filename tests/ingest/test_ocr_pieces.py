"""Second looks at parts of a page: pieces read together, places passed over, ruled lines left out."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from ingest.ocr import missed, page
from ingest.ocr.engine import Found, engine
from ingest.ocr.patchwork import Piece, read_pieces
from ingest.readers.pdf import render
from schemas.settings import ReadSettings

Image = NDArray[np.uint8]
SETTINGS = ReadSettings(ocr_limit_side=960)


@pytest.fixture(scope="module")
def sheet() -> tuple[Image, float]:
    """Three lines of print and a ruled table below them; pixels per point."""
    pdf = pymupdf.open()
    leaf = pdf.new_page(width=420, height=300)
    for index, text in enumerate(("简述下列概念的含义", "边际效用与总效用", "机会成本与会计成本")):
        leaf.insert_text((40, 50 + 50 * index), text, fontname="china-s", fontsize=14)
    for row in range(4):
        leaf.draw_line((40, 200 + 20 * row), (380, 201 + 20 * row))
    for column in range(5):
        leaf.draw_line((40 + 85 * column, 200), (40 + 85 * column, 260))
    pixels, scale = render(leaf)
    return pixels, 1 / scale


def cut(pixels: Image, zoom: float, x0: float, y0: float, x1: float, y1: float) -> Piece:
    left, top = int(x0 * zoom), int(y0 * zoom)
    return Piece(pixels[top : int(y1 * zoom), left : int(x1 * zoom)], left, top)


def test_pieces_are_read_in_one_call_and_put_back_in_place(
    sheet: tuple[Image, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels, zoom = sheet
    reader, calls = engine(SETTINGS), []
    real = reader.read
    monkeypatch.setattr(reader, "read", lambda image: (calls.append(image.shape), real(image))[1])
    pieces = [
        cut(pixels, zoom, 30, 80, 200, 110),
        cut(pixels, zoom, 200, 0, 400, 150),
        cut(pixels, zoom, 30, 130, 200, 160),
    ]
    read = read_pieces(pieces, reader)
    assert [[item.text.replace(" ", "") for item in found] for found in read] == [
        ["边际效用与总效用"],
        [],
        ["机会成本与会计成本"],
    ]
    assert len(calls) == 1 and read_pieces([], reader) == [] and len(calls) == 1
    for found, baseline in ((read[0], 100), (read[2], 150)):
        xs, ys = zip(*found[0].quad, strict=True)
        assert min(xs) == pytest.approx(40 * zoom, abs=2 * zoom)
        assert min(ys) < (baseline - 5) * zoom < max(ys)


def test_a_line_passed_over_is_found_and_a_table_is_not_taken_for_one(sheet: tuple[Image, float]) -> None:
    pixels, zoom = sheet
    reader = engine(SETTINGS)
    every = sorted(reader.read(pixels), key=lambda item: item.quad[0][1])
    assert len(every) == 3
    copies = [Found(every[0].quad, "一", 0.9)] * 2 + [every[2]]
    again = missed.missed(pixels, copies, reader)
    assert [item.text.replace(" ", "") for item in again] == ["边际效用与总效用"]
    em = 14 * zoom
    flat = missed.white_paper(pixels, em)
    tall = Found(((0, 0), (400 * zoom, 0), (400 * zoom, em), (0, em)), "x", 0.9)
    low = Found(tuple((x, y + 290 * zoom) for x, y in tall.quad), "x", 0.9)  # type: ignore[arg-type]
    assert all(y1 < 190 * zoom for _, _, _, y1 in missed.places(flat, [tall, low], em))


def test_boxes_that_overlap_are_looked_at_together() -> None:
    boxes = [(0, 0, 10, 10), (20, 0, 30, 10), (8, 5, 22, 8), (50, 50, 60, 60)]
    assert sorted(page.together(boxes)) == [(0, 0, 30, 10), (50, 50, 60, 60)]


def test_paper_is_white_whatever_the_light_and_the_table_around_it_too() -> None:
    light = np.linspace(110, 250, 600)[None, :].repeat(400, axis=0)
    pixels = np.stack([light] * 3, axis=-1).astype(np.uint8)
    pixels[:, :60] = 30
    pixels[200:204, 300:330] = (pixels[200:204, 300:330] * 0.3).astype(np.uint8)
    flat = missed.white_paper(pixels, 20)
    assert flat[:, 100:].mean() > 240 and flat[:, :30].min() == 255
    assert flat[201, 310] < 120
