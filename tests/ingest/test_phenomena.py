"""One page for each way in which pages in the wild mislead a reader; all made here, few through OCR."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image
from wordmaker import make, par, run

from ingest.readers import read
from schemas.document import BlockKind, Document, Origin
from schemas.settings import ReadSettings

SETTINGS = ReadSettings(ocr_limit_side=960)
FONT = "china-s"
PAPER = [
    "一、简答题（每题10分，共40分）",
    "1. 什么是死锁？写出产生死锁的条件。",
    "2. 简述分页与分段的主要区别。",
    "3. 虚拟存储器的容量由什么决定？",
    "4. 说明信号量与管程的异同之处。",
]


def write(page: Any, x: float, y: float, text: str, size: float = 12, **more: Any) -> None:
    page.insert_text((x, y), text, fontname=FONT, fontsize=size, **more)


def document_of(tmp_path: Path, pdf: Any, settings: ReadSettings = SETTINGS) -> Document:
    path = tmp_path / "paper.pdf"
    pdf.save(path)
    return read(path, settings)[0]


def lines_of(document: Document, page: int | None = None) -> list[str]:
    """Lines of print without spaces, of one page or of all."""
    return [
        block.text.replace(" ", "")
        for block in document.blocks
        if block.kind is BlockKind.TEXT and page in (None, block.page)
    ]


def squeezed(lines: list[str]) -> list[str]:
    return [line.replace(" ", "") for line in lines]


def sheet(lines: list[str] = PAPER, dpi: int = 150, angle: float = 0.0) -> bytes:
    """A small page of print as a picture, turned clockwise by some degrees on white."""
    page = pymupdf.open().new_page(width=420, height=260)
    for row, text in enumerate(lines):
        write(page, 36, 50 + 40 * row, text)
    pixels = page.get_pixmap(dpi=dpi)
    picture = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    if angle:
        picture = picture.rotate(-angle, expand=True, fillcolor="white", resample=Image.Resampling.BICUBIC)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


# -- text layers ---------------------------------------------------------------------------------------


def test_text_written_backwards_and_from_the_bottom_up_is_read_as_it_stands(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for row, text in reversed(list(enumerate(PAPER))):
        for place, char in reversed(list(enumerate(text))):
            write(page, 60 + 12 * place, 80 + 30 * row, char)
    assert lines_of(document_of(tmp_path, pdf)) == squeezed(PAPER)


def test_place_decides_where_the_order_of_writing_runs_across_columns(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for row in range(12):  # written row by row, as some programs save two columns
        write(page, 320, 100 + 24 * row, f"{row + 13}. 右栏的题目文字要写得足够长", 10.5)
        write(page, 50, 100 + 24 * row, f"{row + 1}. 左栏的题目文字要写得足够长", 10.5)
    numbers = [line.split(".")[0] for line in lines_of(document_of(tmp_path, pdf))]
    assert numbers == [str(n) for n in range(1, 25)]


def test_a_folded_a3_sheet_is_read_half_by_half(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for leaf in range(2):
        page = pdf.new_page(width=1191, height=842)
        for half, left in enumerate((90, 680)):
            number = 2 * leaf + half + 1
            write(page, left, 90, f"{'一二三四'[number - 1]}、第{number}部分（共20分）", 14)
            for row in range(8):
                write(
                    page, left, 130 + 40 * row, f"{row + 1}. 第{number}部分的第{row + 1}个问题，请详细作答。"
                )
            write(page, left + 180, 815, f"第 {number} 页 共 4 页", 9)
    document = document_of(tmp_path, pdf)
    lines = lines_of(document)
    assert [line[0] for line in lines if "部分（共" in line] == list("一二三四")
    assert [line for line in lines if "部分的" in line] == [
        f"{row}.第{part}部分的第{row}个问题，请详细作答。" for part in range(1, 5) for row in range(1, 9)
    ]
    assert not any("共4页" in line for line in lines)


def test_a_landscape_page_stored_upright_is_turned(tmp_path: Path) -> None:
    """Print that runs up the page although the file says nothing of a rotation."""
    pdf = pymupdf.open()
    page = pdf.new_page(width=595, height=842)
    for row, text in enumerate(PAPER):
        write(page, 100 + 40 * row, 780, text, rotate=90)
    document = document_of(tmp_path, pdf)
    assert lines_of(document) == squeezed(PAPER)


def test_a_text_layer_that_lies_askew_is_read_line_by_line(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    lean = pymupdf.Matrix(2.0)
    for row, text in enumerate(PAPER):
        point = pymupdf.Point(60, 100 + 40 * row)
        write(page, point.x, point.y, text, morph=(pymupdf.Point(300, 300), lean))
    assert lines_of(document_of(tmp_path, pdf)) == squeezed(PAPER)


def test_seal_lines_score_boxes_and_watermarks_are_set_aside_with_their_reason(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for leaf in range(3):
        page = pdf.new_page()
        write(page, 30, 700, "姓名________ 学号________ 班级________", 9, rotate=90)
        for row, char in enumerate("密封线内不要答题"):
            write(page, 46, 200 + 40 * row, char, 9)
        page.draw_line((60, 60), (60, 780), dashes="[2 2]")
        page.draw_rect(pymupdf.Rect(70, 80, 130, 130))
        page.draw_line((70, 104), (130, 104))
        page.draw_line((100, 80), (100, 130))
        write(page, 74, 97, "得分", 10)
        write(page, 103, 97, "评卷人", 8)
        write(page, 140, 100, f"{'一二三'[leaf]}、简答题（共30分）", 12)
        for row in range(4):
            write(page, 80, 160 + 60 * row, f"{row + 1}. 第{leaf + 1}页的第{row + 1}个问题，请写出要点。")
        centre = pymupdf.Point(300, 500)
        page.insert_text(
            centre, "样卷", fontname=FONT, fontsize=60, color=(0.8,) * 3, morph=(centre, pymupdf.Matrix(45))
        )
        write(page, 200, 30, "操作系统期末考试试卷", 9)
        write(page, 270, 820, f"第{leaf + 1}页 共3页", 9)
    document = document_of(tmp_path, pdf)
    questions = [
        f"{row}.第{leaf}页的第{row}个问题，请写出要点。" for leaf in (1, 2, 3) for row in range(1, 5)
    ]
    lines = lines_of(document)
    assert [line for line in lines if "个问题" in line] == questions
    assert [line for line in lines if "个问题" not in line] == [f"{n}、简答题（共30分）" for n in "一二三"]
    reasons = [
        sorted({block.reason for block in page.blocks if block.kind is BlockKind.FURNITURE})
        for page in document.pages
    ]
    assert reasons == [["header", "page_number", "score_box", "seal", "watermark"]] * 3


def test_a_formula_pasted_as_pictures_is_counted_and_its_line_kept_as_a_picture(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    ink = io.BytesIO()
    Image.new("RGB", (60, 30), "black").save(ink, "PNG")
    write(page, 60, 100, "1.设")
    write(page, 140, 100, "等于")
    write(page, 220, 100, "，求其导数。")
    for left in (100, 175):
        page.insert_image(pymupdf.Rect(left, 90, left + 30, 105), stream=ink.getvalue())
    write(page, 60, 140, "2. 写出泰勒公式。")
    document = document_of(tmp_path, pdf, ReadSettings(ocr="never"))
    kinds = [block.kind for block in document.blocks]
    assert kinds == [BlockKind.TEXT, BlockKind.FIGURE, BlockKind.TEXT]
    assert document.blocks[1].reason == ""  # the text beside it does not say what it shows
    assert {note.code: note.count for note in document.notices}["inline_pictures"] == 2


def test_soft_breaks_and_footnotes_of_word_stand_where_they_belong(tmp_path: Path) -> None:
    broken = '<w:r><w:t>1. 甲</w:t><w:br/><w:t>A. 乙</w:t><w:br w:type="page"/><w:t>B. 丙</w:t></w:r>'
    path = make(tmp_path / "a.docx", f"<w:p>{broken}</w:p>" + par(run("2. 丁")))
    document, _ = read(path, SETTINGS)
    assert [block.text for block in document.blocks] == ["1. 甲", "A. 乙", "B. 丙", "2. 丁"]


# -- text layers that are not to be trusted, and scans -----------------------------------------------------


@pytest.fixture(scope="module")
def distrusted(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """Page pictures under text layers of a scanner's note, of numbers only, of mojibake; and in strips."""
    pdf = pymupdf.open()
    whole = pymupdf.Rect(0, 0, 420, 260)
    for _ in range(4):
        pdf.new_page(width=420, height=260)
    note, numbers, garbled, strips = pdf
    for page in (note, numbers, garbled):
        page.insert_image(whole, stream=sheet())
    write(note, 300, 252, "扫描全能王 创建", 8)
    for row in range(1, 5):
        write(numbers, 36, 50 + 40 * row, f"{row}.", render_mode=3)
    for row in range(5):  # GBK bytes read as Latin-1, in white between the lines
        text = PAPER[row].encode("gbk").decode("latin-1")
        garbled.insert_text((36, 66 + 40 * row), text, fontname="helv", fontsize=8, color=(1, 1, 1))
    picture = Image.open(io.BytesIO(sheet()))
    for part in range(4):
        height = picture.height // 4
        out = io.BytesIO()
        picture.crop((0, part * height, picture.width, (part + 1) * height)).save(out, "PNG")
        strips.insert_image(pymupdf.Rect(0, 65 * part, 420, 65 * (part + 1)), stream=out.getvalue())
    return document_of(tmp_path_factory.mktemp("scans"), pdf)


@pytest.mark.parametrize(
    ("page", "reason"),
    [(1, "scanner's note"), (2, "only 8 characters"), (3, "unlikely scripts"), (4, "no text")],
)
def test_pages_without_a_sound_text_layer_are_recognised(
    distrusted: Document, page: int, reason: str
) -> None:
    assert distrusted.pages[page - 1].method is Origin.OCR
    assert reason in distrusted.pages[page - 1].reason
    assert lines_of(distrusted, page) == squeezed(PAPER)


def test_the_note_of_a_scanner_is_set_aside(distrusted: Document) -> None:
    aside = [(block.text.replace(" ", ""), block.reason) for block in distrusted.pages[0].blocks[-1:]]
    assert aside == [("扫描全能王创建", "scanner_note")]


def test_a_skewed_scan_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "scan.png"
    path.write_bytes(sheet(angle=2.5))
    document, _ = read(path, SETTINGS)
    assert lines_of(document) == squeezed(PAPER)
