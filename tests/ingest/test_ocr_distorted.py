"""Pages as a telephone takes them: at an angle, in shadow, on their head; read nearly as if they were not."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray
from PIL import Image

from ingest.ocr import light, sheet
from ingest.ocr.engine import Found, engine
from ingest.ocr.page import OcrPage, read_page
from ingest.ocr.skew import Slopes
from ingest.readers import read
from ingest.readers.pdf import render
from schemas.document import BlockKind, Document
from schemas.settings import ReadSettings

Pixels = NDArray[np.uint8]
Corners = tuple[tuple[float, float], ...]
SETTINGS = ReadSettings(ocr_limit_side=960)
LINES = [
    "一、简答题（每题10分，共40分）",
    "1.什么是死锁？写出产生死锁的四个条件。",
    "2.简述分页与分段这两种方式的区别。",
    "3.虚拟存储器的最大容量由什么来决定？",
    "4.说明信号量与管程两种机制的异同之处。",
    "5.为什么要引入多级页表与快表机制？",
    "6.比较抢占式与非抢占式调度的优点缺点。",
    "7.说明缓冲技术在设备管理中起的作用。",
]
ASKEW: Corners = ((0.2, 0.12), (0.82, 0.05), (0.96, 0.9), (0.05, 0.96))
WHOLE: Corners = ((0, 0), (1, 0), (1, 1), (0, 1))


@pytest.fixture(scope="module")
def page() -> Pixels:
    """A page of print, 1,000 x 1,250 pixels."""
    leaf = pymupdf.open().new_page(width=360, height=450)
    for row, text in enumerate(LINES):
        leaf.insert_text((40, 60 + 48 * row), text, fontname="china-s", fontsize=13)
    pixels = render(leaf)[0]
    return np.asarray(cv2.resize(pixels, (1000, 1250), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def projection(corners: Corners, width: int, height: int) -> NDArray[np.float64]:
    """The matrix that takes the page onto the picture."""
    source = np.array([(x * width, y * height) for x, y in WHOLE], dtype=np.float32)
    target = np.array([(x * width, y * height) for x, y in corners], dtype=np.float32)
    return np.asarray(cv2.getPerspectiveTransform(source, target), dtype=np.float64)


def taken(page: Pixels, corners: Corners, table: int = 70) -> Pixels:
    """The page on a table of some grey, its corners at these parts of the picture."""
    height, width = page.shape[:2]
    matrix = projection(corners, width, height)
    out = cv2.warpPerspective(page, matrix, (width, height), borderValue=(table, table, table))
    return np.asarray(out, dtype=np.uint8)


def lines_of(result: OcrPage) -> list[str]:
    runs = sorted(result.runs, key=lambda run: (round(run.box.y0 / 12), run.box.x0))
    return ["".join(run.text.split()).replace("(", "（").replace(")", "）") for run in runs]


def text_of(document: Document) -> str:
    kept = [block.text for block in document.blocks if block.kind is BlockKind.TEXT]
    return "".join("".join(kept).split()).replace("(", "（").replace(")", "）")


def alike(one: str, other: str) -> float:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(one, other)


@pytest.mark.parametrize("turn", [0, 1])
def test_a_sheet_taken_at_an_angle_is_laid_flat_and_its_boxes_stay_on_the_words(
    page: Pixels, turn: int
) -> None:
    picture = np.ascontiguousarray(np.rot90(taken(page, ASKEW), turn))
    result = read_page(picture, engine(SETTINGS), 0.4)
    assert (result.straightened, result.rotation) == (True, 90 * turn)
    assert (result.width, result.height) == (400, 500)  # of the picture as it is shown
    assert alike("".join(lines_of(result)), "".join(LINES)) > 0.97
    matrix = projection(ASKEW, 1000, 1250)
    for row, line in enumerate(LINES):
        run = next(run for run in result.runs if line[4:8] in run.text)
        x, y, w = matrix @ ((40 + 13 * 6) * 1000 / 360, (55 + 48 * row) * 1250 / 450, 1)
        assert run.where.x0 < 0.4 * x / w < run.where.x1
        assert run.where.y0 < 0.4 * y / w < run.where.y1


@pytest.mark.parametrize(
    ("corners", "table"),
    [
        (((0.01, 0.008), (0.99, 0.01), (0.99, 0.992), (0.012, 0.99)), 70),  # level
        (ASKEW, 235),  # on paper
        (((0.1, -0.1), (0.95, -0.15), (1.1, 1.1), (-0.1, 1.15)), 70),  # cut by the picture
        (WHOLE, 70),
    ],
)
def test_a_sheet_that_lies_level_or_is_not_surely_seen_is_let_be(
    page: Pixels, corners: Corners, table: int
) -> None:
    assert sheet.laid_flat(taken(page, corners, table)) is None


def test_a_curled_sheet_and_a_bright_figure_are_no_flat_sheet(page: Pixels) -> None:
    picture = taken(page, ASKEW)
    rows = np.arange(1250)
    bent = picture[:, np.clip(np.arange(1000) + 40, 0, 999)]
    for row in rows:
        bent[row] = np.roll(picture[row], int(40 * np.sin(row / 1250 * np.pi)), axis=0)
    assert sheet.corners(bent) is None
    round_ = np.full((1250, 1000, 3), 60, np.uint8)
    cv2.circle(round_, (500, 600), 450, (230, 230, 230), -1)
    assert sheet.corners(round_) is None
    assert sheet.corners(np.full((50, 40, 3), 200, np.uint8)) is None


def test_without_an_edge_in_sight_lines_that_fan_out_are_still_put_in_rows(page: Pixels) -> None:
    corners: Corners = ((0.1, 0.12), (0.9, 0.02), (0.97, 0.99), (0.03, 0.9))
    result = read_page(taken(page, corners, 245), engine(SETTINGS), 0.4)
    assert not result.straightened
    tilt = [run.box.y1 - run.box.y0 for run in result.runs]
    assert max(tilt) < 1.7 * min(tilt)  # level again: a box around a slanting line is higher
    assert alike("".join(lines_of(result)), "".join(LINES)) > 0.97


def test_slopes_that_change_down_the_page_are_followed_and_noise_is_not() -> None:
    def line(y: float, slope: float) -> Found:
        left, right = y - 400 * slope, y + 400 * slope
        return Found(((100, left), (900, right), (900, right + 24), (100, left + 24)), "字" * 30, 0.9)

    fanned = Slopes.of([line(y, 0.02 + (y - 700) * 8e-5) for y in range(100, 1300, 100)], 1000, 1400)
    for y in range(100, 1300, 100):
        corners = fanned.level(line(y, 0.02 + (y - 700) * 8e-5).quad)
        assert abs(corners[0][1] - corners[1][1]) < 2.5
    noisy = Slopes.of([line(y, 0.02 + (-1) ** (y // 100) * 0.004) for y in range(100, 1300, 100)], 1000, 1400)
    assert noisy.fan == 0.0 and noisy.angle == pytest.approx(0.02, abs=0.005)


def test_shadow_is_taken_out_and_an_even_page_is_let_be(page: Pixels) -> None:
    across, down = np.meshgrid(np.linspace(0, 1, 1000), np.linspace(0, 1, 1250))
    shade = (1 - 0.55 * across) * np.where((across - 0.4) ** 2 + (down - 0.6) ** 2 < 0.06, 0.45, 1.0)
    dark = (page * shade[:, :, None]).astype(np.uint8)
    even = light.evened(dark)
    paper = even[:, :, 0][page[:, :, 0] == 255]
    assert np.percentile(paper, 15) > 220
    assert light.evened(page) is page
    assert alike("".join(lines_of(read_page(dark, engine(SETTINGS), 0.4))), "".join(LINES)) > 0.97


def test_a_page_on_its_head_is_turned(page: Pixels) -> None:
    result = read_page(np.ascontiguousarray(page[::-1, ::-1]), engine(SETTINGS), 0.4)
    assert result.rotation == 180
    assert alike("".join(lines_of(result)), "".join(LINES)) > 0.97


def test_what_was_straightened_is_told(page: Pixels, tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    Image.fromarray(taken(page, ASKEW)[:, :, ::-1]).save(path)
    document, _ = read(path, SETTINGS)
    assert [(notice.code, notice.page) for notice in document.notices] == [("straightened", 1)]
    assert alike(text_of(document), "".join(LINES)) > 0.97
    sheet_of = pymupdf.open()
    sheet_of.new_page(width=400, height=500).insert_image(pymupdf.Rect(0, 0, 400, 500), filename=str(path))
    file = tmp_path / "photo.pdf"
    sheet_of.save(file)
    assert [notice.code for notice in read(file, SETTINGS)[0].notices] == ["straightened"]
