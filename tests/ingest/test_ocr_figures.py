"""Figures on scans and photographs: kept as pictures in their place; tables, frames and sums are none."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray
from PIL import Image
from wordmaker import make, par

from ingest.ocr import figures
from ingest.ocr.engine import Found
from ingest.readers import read
from ingest.readers.pdf import render
from schemas.document import Asset, BlockKind, Document
from schemas.settings import ReadSettings

Pixels = NDArray[np.uint8]
SETTINGS = ReadSettings(ocr_limit_side=960)


def write(page: pymupdf.Page, x: float, y: float, text: str) -> None:
    page.insert_text((x, y), text, fontname="china-s", fontsize=13)


@pytest.fixture(scope="module")
def page() -> Pixels:
    """A question about a tree that is drawn below it, and one with a ruled table."""
    leaf = pymupdf.open().new_page(width=420, height=560)
    write(leaf, 40, 50, "1.写出下图所示二叉树的后序遍历序列。")
    nodes = {"A": (210, 100), "B": (140, 170), "C": (280, 170), "D": (100, 240), "E": (180, 240)}
    for one, other in ("AB", "AC", "BD", "BE"):
        leaf.draw_line(nodes[one], nodes[other], width=1.5)
    for name, (x, y) in nodes.items():
        leaf.draw_circle((x, y), 14, fill=(1, 1, 1), color=(0, 0, 0), width=1.5)
        write(leaf, x - 4, y + 5, name)
    write(leaf, 40, 310, "2.根据下表计算各作业的平均周转时间。")
    for row in range(4):
        leaf.draw_line((60, 340 + 40 * row), (360, 343 + 40 * row), width=1)
    for column in range(4):
        leaf.draw_line((60 + 100 * column, 340), (60 + 100 * column, 463), width=1)
    for row, cells in enumerate((("作业", "到达时间", "运行时间"), ("甲", "8:00", "2"), ("乙", "8:30", "1"))):
        for column, cell in enumerate(cells):
            write(leaf, 70 + 100 * column, 366 + 40 * row, cell)
    write(leaf, 40, 510, "3.说明分时系统与实时系统的不同之处。")
    return render(leaf)[0]


def save(pixels: Pixels, path: Path) -> Path:
    Image.fromarray(pixels[:, :, ::-1]).save(path)
    return path


def check(document: Document, assets: tuple[Asset, ...]) -> None:
    kinds = [block for block in document.blocks if block.kind is not BlockKind.FURNITURE]
    places = [index for index, block in enumerate(kinds) if block.kind is BlockKind.FIGURE]
    drawn, ruled = places
    assert kinds[drawn - 1].text.startswith("1") and kinds[drawn + 1].text.startswith("2")
    assert kinds[ruled - 1].text.startswith("乙") and kinds[ruled + 1].text.startswith("3")
    pictures = {asset.digest: asset.data for asset in assets}
    labels = {block.text for block in document.blocks if block.reason == "figure_label"}
    assert labels <= set(nodes_read()) and not labels & {block.text for block in kinds}
    shown = np.asarray(Image.open(io.BytesIO(pictures[kinds[drawn].asset or ""])).convert("L"))
    assert 0.5 < shown.shape[0] / shown.shape[1] < 1.1 and (shown < 128).mean() > 0.01
    assert any("运行时间" in block.text for block in kinds)


def nodes_read() -> tuple[str, ...]:
    return ("A", "B", "C", "D", "E", "8", "(A)", "(B)", "(C)", "(D)", "(E)", "Ｅ")


def test_a_drawn_figure_and_a_table_are_kept_where_they_stand(page: Pixels, tmp_path: Path) -> None:
    check(*read(save(page, tmp_path / "scan.png"), SETTINGS))


def test_figures_of_photographs_in_word_files_are_kept_too(page: Pixels, tmp_path: Path) -> None:
    path = tmp_path / "photo.docx"
    inline = '<wp:inline><a:graphic><a:blip r:embed="p1"/></a:graphic></wp:inline>'
    make(
        path,
        par(f"<w:r><w:drawing>{inline}</w:drawing></w:r>"),
        parts={"media/p.png": save(page, tmp_path / "scan.png").read_bytes()},
        relations={"p1": ("image", "media/p.png")},
    )
    check(*read(path, SETTINGS))


def test_text_in_a_frame_and_ink_at_the_rim_are_no_figures() -> None:
    pixels = np.full((1000, 800, 3), 255, np.uint8)
    line = Found(((100, 300), (700, 300), (700, 330), (100, 330)), "这是框中的一句话，说的是怎样作答", 0.95)
    other = Found(((100, 600), (700, 600), (700, 630), (100, 630)), "下面的题目各十分，一共有五道题目", 0.95)
    for x0, y0, x1, y1 in (
        (80, 200, 720, 204),
        (80, 450, 720, 454),
        (80, 200, 84, 454),
        (716, 200, 720, 454),
    ):
        pixels[y0:y1, x0:x1] = 0
    pixels[700:, :260] = np.random.default_rng(3).integers(0, 2, (300, 260, 1)) * 255
    assert figures.figures(pixels, [line, other]) == []
    assert figures.figures(pixels, []) == []
