"""Tables, boxes and built formulas of scans are kept as pictures beside the words that OCR makes of them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ingest.ocr.engine import Found
from ingest.ocr.grids import grids
from ingest.ocr.page import OcrPage
from ingest.readers.scan_pictures import with_pictures
from schemas.document import Block, BlockKind, Box, Origin

EM = 30


def sheet() -> NDArray[np.uint8]:
    return np.full((1400, 1000, 3), 255, np.uint8)


def print_of(x: float, y: float, width: float) -> Found:
    return Found(((x, y), (x + width, y), (x + width, y + EM), (x, y + EM)), "文字", 0.99)


def table(image: NDArray[np.uint8], slope: float = 0.0) -> None:
    """Four columns and three rows between (100, 300) and (820, 540)."""
    for row in range(4):
        y = 300 + 80 * row
        cv2.line(image, (100, y), (820, round(y + 720 * slope)), (0, 0, 0), 3)
    for column in range(5):
        x = 100 + 180 * column
        y = round((x - 100) * slope)
        cv2.line(image, (x, 300 + y), (x, 540 + y), (0, 0, 0), 3)


@pytest.mark.parametrize("slope", [0.0, 0.02])
def test_a_table_is_found_and_frames_and_underlines_are_none(slope: float) -> None:
    image = sheet()
    found = [print_of(100, 100 + 60 * row, 600) for row in range(3)]
    cv2.rectangle(image, (90, 90), (900, 260), (0, 0, 0), 3)  # around text
    for row in range(4):
        cv2.line(image, (100, 700 + 50 * row), (800, 700 + 50 * row), (0, 0, 0), 3)
    assert grids(image, found) == []
    table(image, slope)
    ((x0, y0, x1, y1),) = grids(image, found)
    assert abs(x0 - 100) < 9 and abs(y0 - 300) < 9 and abs(x1 - 820) < 9 and abs(y1 - 540 - 720 * slope) < 9


def text(words: str, y: float, colour: str | None = None) -> Block:
    return Block(text=words, box=Box(100, y, 600, y + 20), origin=Origin.OCR, page=1, colour=colour)


def kinds(blocks: list[Block], grid: Box | None = None) -> list[str]:
    page = OcrPage((), 1000, 1400, 0, sheet(), grids=(grid,) if grid else ())
    out, assets, notices = with_pictures(1, blocks, page, 1.0, None)
    figures = [block for block in out if block.kind is BlockKind.FIGURE]
    assert [block.asset for block in figures] == [asset.digest for asset in assets]
    assert [notice.count for notice in notices] == ([len(figures)] if figures else [])
    return ["figure" if block.kind is BlockKind.FIGURE else block.text for block in out]


def test_a_table_follows_its_words_and_one_filled_in_with_answers_is_not_shown() -> None:
    grid = Box(90, 90, 700, 160)
    blocks = [text("1. 见下表。", 40), text("甲 乙", 100), text("1 2", 130), text("2. 求解。", 200)]
    assert kinds(blocks, grid) == ["1. 见下表。", "甲 乙", "1 2", "figure", "2. 求解。"]
    red = [*blocks[:2], text("1 2", 130, colour="#ff0000"), blocks[3]]
    assert "figure" not in kinds(red, grid)
    assert "figure" not in kinds([blocks[0], blocks[3]], grid)  # room for an answer


def test_rows_of_a_built_formula_are_followed_by_its_picture_and_code_is_not() -> None:
    matrix = [text("1. 求矩阵", 40), text("0 1", 100), text("A = 2 3", 119), text("的逆。", 300)]
    assert kinds(matrix) == ["1. 求矩阵", "0 1", "A = 2 3", "figure", "的逆。"]
    code = [text("1. 读程序", 40), text("{ i=0;", 100), text("i=i+1;}", 119)]
    assert "figure" not in kinds(code)
    assert "figure" not in kinds([text("1. 求和", 40), text("x = 2", 100)])
