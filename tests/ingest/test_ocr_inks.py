"""Ink over print and parts of sums: what belongs to a line, and what stands there in another hand."""

from __future__ import annotations

import cv2
import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from ingest.layout import assemble
from ingest.ocr.engine import Found, engine
from ingest.ocr.page import read_page
from ingest.ocr.stacked import joined
from ingest.readers.pdf import render
from schemas.document import BlockKind, Origin
from schemas.settings import ReadSettings

SETTINGS = ReadSettings(ocr_limit_side=960)
RED, BLUE = (0.85, 0.05, 0.1), (0.1, 0.2, 0.8)


def box(text: str, x: float, y: float, width: float, height: float = 30) -> Found:
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Found(corners, text, 0.95)


def texts(*found: Found, note: str = "") -> list[str]:
    return [item.text for item in joined(found, lambda item: item.text != note)]


def test_limits_and_denominators_join_the_line_they_hang_on() -> None:
    line = box("7. 求Σ(n+1)x的和，并写出收敛区间和端点情形.", 100, 200, 700)
    assert texts(line, box("n=0", 170, 228, 40, 18)) == ["7. 求Σn=0(n+1)x的和，并写出收敛区间和端点情形."]
    plain = box("8. 设a+b为定值，求它们乘积的最大的值是多少.", 100, 200, 700)
    assert texts(plain, box("2c", 190, 228, 30, 18)) == ["8. 设a+b2c为定值，求它们乘积的最大的值是多少."]
    piece = box("(n+1)2", 300, 195, 80, 26)
    assert texts(box("9. 求", 240, 200, 50), piece, box("2n", 320, 224, 30, 18))[1:] == ["(n+1)22n"]


@pytest.mark.parametrize(
    "part",
    [
        box("2n", 600, 228, 30, 18),  # no sum there
        box("return x;", 170, 246, 90, 30),  # the next line
        box("x=1", 820, 228, 40, 18),  # beside
        box("注意", 170, 228, 40, 18),
        box("3.", 170, 228, 30, 18),
    ],
)
def test_what_belongs_to_no_sum_is_let_be(part: Found) -> None:
    line = box("7. 求Σ(n+1)x的和，并写出收敛区间和端点情形.", 100, 200, 700)
    assert texts(line, part) == [line.text, part.text]
    note = box("n=0", 170, 228, 40, 18)
    assert texts(line, note, note="n=0") == [line.text, "n=0"]


@pytest.fixture(scope="module")
def page() -> NDArray[np.uint8]:
    """Black print with an answer in red in its lines, and a scrawl in blue between them."""
    leaf = pymupdf.open().new_page(width=420, height=300)

    def write(x: float, y: float, text: str, colour: tuple[float, float, float] = (0, 0, 0)) -> None:
        leaf.insert_text((x, y), text, fontname="china-s", fontsize=14, color=colour)

    write(40, 60, "1.进程的三种基本状态是")
    write(204, 60, "就绪与运行与阻塞", RED)
    write(40, 150, "2.简述分页与分段的主要区别。")
    write(40, 240, "3.虚拟存储器的容量由什么决定？")
    pixels = render(leaf)[0]
    scale = pixels.shape[0] / 300
    seeds = np.random.default_rng(11)
    for stroke in range(9):  # strokes that are no characters
        start = np.array([80 + 16 * stroke, 195]) * scale
        points = start + np.cumsum(seeds.normal(0, 5 * scale, (7, 2)), axis=0)
        cv2.polylines(pixels, [points.astype(np.int32)], False, (200, 50, 30), int(1.5 * scale))
    return pixels


def test_print_and_ink_on_one_line_are_both_read_whole(page: NDArray[np.uint8]) -> None:
    result = read_page(page, engine(SETTINGS), 0.24)
    blocks = [block for block in assemble.blocks(result.runs, 1, Origin.OCR)]
    body = [block for block in blocks if block.kind is BlockKind.TEXT and not block.colour]
    assert "就绪与运行与阻塞" in body[0].text and "基本状态是" in body[0].text
    assert "简述分页与分段的主要区别" in body[1].text and "虚拟存储器的容量由什么决定" in body[2].text
    assert len(body) == 3  # the scrawl is no print
    inked = [run for run in result.runs if run.colour]
    assert any("就绪" in run.text for run in inked)
    assert all(run.reason in ("", "handwriting") for run in result.runs)
