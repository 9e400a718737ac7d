"""PDF pages made on the fly: text layer, columns, tables, figures, turned pages, damage, limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from ingest.readers import read
from ingest.readers.glyphs import raw_symbol_font, repair
from ingest.readers.pdf import choose, render
from ingest.readers.pdf_text import TextLayer
from schemas.document import Block, BlockKind, Document, Origin
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

SETTINGS = ReadSettings()
FONT = "china-s"


def write(page: Any, x: float, y: float, text: str, size: float = 10.5, **more: Any) -> None:
    page.insert_text((x, y), text, fontname=FONT, fontsize=size, **more)


def saved(tmp_path: Path, pdf: Any, name: str = "paper.pdf", **more: Any) -> Path:
    path = tmp_path / name
    pdf.save(path, **more)
    return path


def lines_of(document: Document) -> list[str]:
    return [block.text for block in document.blocks if block.kind is BlockKind.TEXT]


def kinds(document: Document, kind: BlockKind) -> list[Block]:
    return [block for block in document.blocks if block.kind is kind]


def paper() -> Any:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 150, 80, "数据库原理期末试卷", 18)
    write(page, 70, 120, "一、单项选择题（每小题2分，共20分）", 12)
    write(page, 70, 145, "1. 关系数据库中，能唯一标识元组的属性集称为（  ）。")
    write(page, 90, 165, "A. 外键")
    write(page, 250, 165, "B. 候选键")
    write(page, 70, 190, "2. SQL中SELECT语句属于哪一类语言？")
    return pdf


def test_lines_stand_in_order_with_size_place_and_origin(tmp_path: Path) -> None:
    document, assets = read(saved(tmp_path, paper()), SETTINGS)
    assert lines_of(document) == [
        "数据库原理期末试卷",
        "一、单项选择题（每小题2分，共20分）",
        "1. 关系数据库中，能唯一标识元组的属性集称为（    ）。",
        "A. 外键\tB. 候选键",
        "2. SQL中SELECT语句属于哪一类语言？",
    ]
    assert (document.source, document.format, assets) == ("paper.pdf", "pdf", ())
    assert len(document.sha256) == 64
    title, _, stem, options, _ = document.blocks
    assert (title.size, stem.size) == (18.0, 10.5)
    assert options.indent > stem.indent == 0.0
    assert all(block.origin is Origin.TEXT_LAYER and block.box for block in document.blocks)
    assert document.pages[0].reason.endswith("characters in the text layer")


def test_author_data_is_never_kept(tmp_path: Path) -> None:
    pdf = paper()
    pdf.set_metadata({"author": "Zhang San", "creator": "zhang@example.org"})
    document, _ = read(saved(tmp_path, pdf), SETTINGS)
    assert "Zhang" not in document.model_dump_json() and "example.org" not in document.model_dump_json()


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_reads_the_same(tmp_path: Path, turn: int) -> None:
    upright, _ = read(saved(tmp_path, paper(), "a.pdf"), SETTINGS)
    # content turned one way, page turned back: as scanners and print drivers do
    source, pdf = paper(), pymupdf.open()
    width, height = (595, 842) if turn == 180 else (842, 595)
    page = pdf.new_page(width=width, height=height)
    page.show_pdf_page(page.rect, source, 0, rotate=turn)
    page.set_rotation(turn)
    turned, _ = read(saved(tmp_path, pdf, "b.pdf"), SETTINGS)
    assert lines_of(turned) == lines_of(upright)
    assert turned.pages[0].width == pytest.approx(595, abs=1)


def test_two_columns_with_a_heading_across(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 120, 60, "线性代数与解析几何课程期末考试试题卷（甲）", 16)
    for row in range(14):
        write(page, 50, 100 + 20 * row, f"{row + 1}. 左边一栏的题目文字写得足够长为止")
        write(page, 315, 100 + 20 * row, f"{row + 15}. 右边一栏的题目文字写得足够长为止")
    document, _ = read(saved(tmp_path, pdf), SETTINGS)
    numbers = [text.split(".")[0] for text in lines_of(document)[1:]]
    assert numbers == [str(n) for n in range(1, 29)]


def test_a_ruled_table_becomes_markdown_and_a_marking_box_furniture(tmp_path: Path) -> None:
    pdf = paper()
    page = pdf[0]
    for top, rows in (
        (300, [("进程", "时间"), ("P1", "90%"), ("P2", "50%")]),
        (450, [("题号", "一"), ("得分", "")]),
    ):
        for index in range(len(rows) + 1):
            page.draw_line((100, top + 20 * index), (300, top + 20 * index))
        for x in (100, 200, 300):
            page.draw_line((x, top), (x, top + 20 * len(rows)))
        for index, row in enumerate(rows):
            for column, cell in enumerate(row):
                write(page, 110 + 100 * column, top + 14 + 20 * index, cell)
    document, _ = read(saved(tmp_path, pdf), SETTINGS)
    assert [b.text for b in kinds(document, BlockKind.TABLE)] == [
        "| 进程 | 时间 |\n| --- | --- |\n| P1 | 90% |\n| P2 | 50% |"
    ]
    assert [(b.reason, b.text) for b in kinds(document, BlockKind.FURNITURE)] == [
        ("score_box", "题号 一 得分")
    ]


def test_pictures_and_drawings_become_figures_in_their_place(tmp_path: Path) -> None:
    pdf = paper()
    page = pdf[0]
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 30))
    picture.clear_with(90)
    page.insert_image(pymupdf.Rect(100, 200, 220, 290), pixmap=picture)
    write(page, 70, 310, "3. 画出下面这个无向图的一棵生成树。")
    page.draw_line((120, 340), (200, 400))
    page.draw_line((200, 400), (280, 340))
    page.draw_circle((120, 340), 6)
    page.draw_circle((280, 340), 6)
    write(page, 100, 342, "a", 8)
    write(page, 290, 342, "b", 8)
    document, assets = read(saved(tmp_path, pdf), SETTINGS)
    order = [block.text if block.kind is BlockKind.TEXT else block.kind.value for block in document.blocks]
    assert order[-4:] == [order[-4], "figure", "3. 画出下面这个无向图的一棵生成树。", "figure"]
    figures = kinds(document, BlockKind.FIGURE)
    assert figures[-1].text == "a b"
    assert {block.asset for block in figures} == {asset.digest for asset in assets}
    assert all(asset.data.startswith(b"\x89PNG") and asset.media_type == "image/png" for asset in assets)


def test_blanks_drawn_as_lines_become_underscores(tmp_path: Path) -> None:
    pdf = paper()
    write(pdf[0], 70, 230, "3. 线性表的顺序存储称为")
    pdf[0].draw_line((190, 232), (260, 232))
    write(pdf[0], 262, 230, "。")
    document, _ = read(saved(tmp_path, pdf), SETTINGS)
    text = lines_of(document)[-1]
    assert text.startswith("3. 线性表的顺序存储称为___") and text.endswith("_。")


def test_running_heads_page_numbers_and_watermarks_are_set_aside(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in (1, 2, 3):
        page = pdf.new_page()
        write(page, 70, 40, "某某大学 2023 学年试卷", 9)
        write(page, 70, 200 + 30 * number, f"{number}. 简述第{number}种数据结构的特点。")
        write(page, 280, 810, f"第 {number} 页 共 3 页", 9)
        page.insert_text(
            (200, 500), "SAMPLE", fontsize=40, morph=(pymupdf.Point(200, 500), pymupdf.Matrix(30))
        )
    document, _ = read(saved(tmp_path, pdf), SETTINGS)
    assert lines_of(document) == [f"{n}. 简述第{n}种数据结构的特点。" for n in (1, 2, 3)]
    reasons = {block.reason for block in kinds(document, BlockKind.FURNITURE)}
    assert reasons == {"header", "page_number", "watermark"}


def test_encrypted_cut_and_hollow_files_are_refused(tmp_path: Path) -> None:
    locked = saved(
        tmp_path, paper(), "a.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y"
    )
    hollow = tmp_path / "b.pdf"
    hollow.write_bytes(b"%PDF-1.7\n" + b"nothing here\n" * 20)
    for path, codes in ((locked, {"encrypted"}), (hollow, {"damaged", "no_pages"})):
        with pytest.raises(RefusedError) as caught:
            read(path, SETTINGS)
        assert caught.value.code in codes and caught.value.remedy


def test_a_file_that_lost_its_end_is_repaired_with_a_notice_or_refused(tmp_path: Path) -> None:
    whole = saved(tmp_path, paper(), "a.pdf").read_bytes()
    for share in (0.3, 0.6, 0.9, 0.99):
        cut = tmp_path / "cut.pdf"
        cut.write_bytes(whole[: int(len(whole) * share)])
        try:
            document, _ = read(cut, ReadSettings(ocr="never"))
        except RefusedError as error:
            assert error.code in ("damaged", "no_pages", "not_readable")
        else:
            assert {"repaired", "page_not_read", "no_text"} & {notice.code for notice in document.notices}


def test_page_and_text_limits_are_told(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    for number in range(4):
        write(pdf.new_page(), 70, 100, f"{number + 1}. 简述操作系统的主要功能。" * 2)
    path = saved(tmp_path, pdf)
    for limits in ({"max_pages": 2}, {"max_chars": 20}):
        with pytest.raises(RefusedError) as caught:
            read(path, ReadSettings(**limits))
        assert [caught.value.code] == list(limits)


def test_a_poster_sized_page_is_rendered_within_bounds() -> None:
    page = pymupdf.open().new_page(width=5100, height=7000)
    image, points_per_pixel = render(page)
    assert max(image.shape[:2]) <= 2201
    assert points_per_pixel == pytest.approx(7000 / 2200, rel=0.01)


@pytest.mark.parametrize(
    ("chars", "bad", "hidden", "cover", "method"),
    [
        (800, 0, 0, 0.0, Origin.TEXT_LAYER),
        (0, 0, 0, 0.9, Origin.OCR),
        (25, 0, 0, 0.45, Origin.OCR),
        (800, 120, 0, 0.0, Origin.OCR),
        (800, 0, 800, 0.95, Origin.OCR),
        (800, 0, 0, 0.95, Origin.TEXT_LAYER),
        (0, 0, 0, 0.0, Origin.TEXT_LAYER),
    ],
)
def test_when_a_text_layer_is_distrusted(
    chars: int, bad: int, hidden: int, cover: float, method: Origin
) -> None:
    layer = TextLayer(chars=chars, bad=bad, hidden=hidden)
    found, reason = choose(layer, cover, 0, SETTINGS)
    assert found is method and reason
    assert choose(layer, cover, 0, ReadSettings(ocr="never"))[0] is Origin.TEXT_LAYER
    assert choose(layer, cover, 0, ReadSettings(ocr="always"))[0] is Origin.OCR


def test_symbol_fonts_are_read_by_what_they_show() -> None:
    assert raw_symbol_font("ABCDEF+SymbolMT", {"a", "="}) and not raw_symbol_font(
        "ABCDEF+SymbolMT", {"α", "="}
    )
    assert not raw_symbol_font("TimesNewRoman", {"a"})
    assert repair("a", "Symbol", raw=True) == ("α", True)
    assert repair("\uf061", "Symbol") == ("α", True)
    assert repair("\ufb01", "Times") == ("fi", True)
    assert repair("\ue123", "Unknown") == ("", False)
    assert repair("中", "SimSun") == ("中", True)


def test_scans_say_that_ocr_is_switched_off(tmp_path: Path) -> None:
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 80), False)
    picture.clear_with(200)
    pdf = pymupdf.open()
    for _ in range(2):
        page = pdf.new_page()
        page.insert_image(page.rect, pixmap=picture)
    scan = saved(tmp_path, pdf)
    off = ReadSettings(ocr="never")
    with pytest.raises(RefusedError) as caught:
        read(scan, off)
    assert caught.value.code == "ocr_off"
    page = pdf.new_page()
    for line in range(9):
        write(page, 60, 80 + 24 * line, f"{line + 1}. 简述计划工作的程序以及控制的原则。")
    mixed, _ = read(saved(tmp_path, pdf, "mixed.pdf"), off)
    assert [(n.code, n.page) for n in mixed.notices if n.code == "ocr_off"] == [
        ("ocr_off", 1),
        ("ocr_off", 2),
    ]
