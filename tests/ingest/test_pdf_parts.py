"""Blanks, tables and drawn figures of PDF pages: what belongs to the text and what to the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf

from ingest.readers import pdf_parts, read
from schemas.document import Block, BlockKind, Box
from schemas.settings import ReadSettings

FONT = "china-s"


def write(page: Any, x: float, y: float, text: str, size: float = 11, font: str = FONT) -> None:
    page.insert_text((x, y), text, fontname=font, fontsize=size)


def rules(page: Any, x0: float, x1: float, ys: Sequence[float]) -> None:
    for y in ys:
        page.draw_line((x0, y), (x1, y))


def blocks_of(tmp_path: Path, pdf: Any) -> list[Block]:
    path = tmp_path / "paper.pdf"
    pdf.save(path)
    return list(read(path, ReadSettings(ocr="never"))[0].blocks)


def texts(blocks: Sequence[Block], kind: BlockKind = BlockKind.TEXT) -> list[str]:
    return [block.text for block in blocks if block.kind is kind]


def graph(page: Any, left: float, top: float) -> None:
    """Three circles joined by strokes, with letters in them."""
    places = {"a": (left + 60, top + 10), "b": (left + 10, top + 70), "c": (left + 110, top + 70)}
    for name, (x, y) in places.items():
        page.draw_circle((x, y), 9)
        write(page, x - 3, y + 3, name, 9, "helv")
    page.draw_line((left + 54, top + 17), (left + 16, top + 63))
    page.draw_line((left + 66, top + 17), (left + 104, top + 63))
    page.draw_line((left + 19, top + 70), (left + 101, top + 70))


# -- blanks ----------------------------------------------------------------------------------------------


def test_long_blanks_of_equal_extent_below_each_other_are_blanks(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for row, text in enumerate(["（1）甲定理的条件是", "（2）乙定理的条件是"]):
        write(page, 60, 100 + 20 * row, text)
        page.draw_line((171, 102 + 20 * row), (420, 102 + 20 * row))
        write(page, 416, 100 + 20 * row, "。")
    assert [line.count("_") > 10 for line in texts(blocks_of(tmp_path, pdf))] == [True, True]


def test_a_blank_that_is_a_line_of_its_own_is_kept(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for row, text in enumerate(["OUT DX, AL", "", "OUT DX, AH", "HLT"]):
        if text:
            write(page, 80, 100 + 20 * row, text, 12, "helv")
    page.draw_line((80, 122), (220, 122))
    lines = texts(blocks_of(tmp_path, pdf))
    assert [line.strip("_") for line in lines] == ["OUT DX, AL", "", "OUT DX, AH", "HLT"]


def test_lines_to_write_an_answer_on_are_no_blanks(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 80, 100, "1. 简述进程与线程的区别。")
    rules(page, 80, 480, [130, 155, 180])
    write(page, 80, 220, "2. 什么是死锁？")
    assert texts(blocks_of(tmp_path, pdf)) == ["1. 简述进程与线程的区别。", "2. 什么是死锁？"]


# -- tables ------------------------------------------------------------------------------------------------


def test_open_tables_of_equal_extent_stay_apart(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    tables = {
        100: ["组别 有效 无效", "甲组 12 8", "乙组 15 5", "合计 27 13"],
        300: ["年级 人数", "一年级 30"],
    }
    for top, rows in tables.items():
        rules(page, 120, 440, [top, top + 24, top + 24 * len(rows)])
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells.split()):
                write(page, 140 + 110 * column, top + 16 + 24 * row, cell)
    write(page, 60, 240, "1. 根据上表求有效率，并说明两组之间有无差别，写出检验的步骤。")
    blocks = blocks_of(tmp_path, pdf)
    assert [block.kind for block in blocks] == [BlockKind.TABLE, BlockKind.TEXT, BlockKind.TABLE]
    assert "| 乙组 | 15 | 5 |" in blocks[0].text and "| 合计 | 27 | 13 |" in blocks[0].text
    assert "| 一年级 | 30 |" in blocks[2].text


def test_cells_of_a_group_of_rows_keep_their_columns(tmp_path: Path) -> None:
    """A first column that names only the first of several rows, with rules that leave it out."""
    pdf = pymupdf.open()
    page = pdf.new_page()
    rules(page, 100, 480, [100, 196])
    rules(page, 180, 480, [148])
    for row in range(4):
        if row % 2 == 0:
            write(page, 110, 116 + 24 * row, "甲组" if row == 0 else "乙组")
        for column in range(4):
            write(page, 190 + 80 * column, 116 + 24 * row, str(100 + 10 * row + column))
    table = texts(blocks_of(tmp_path, pdf), BlockKind.TABLE)[0].splitlines()
    assert table[0] == "| 甲组 | 100 | 101 | 102 | 103 |"
    assert table[2:] == [
        "|  | 110 | 111 | 112 | 113 |",
        "| 乙组 | 120 | 121 | 122 | 123 |",
        "|  | 130 | 131 | 132 | 133 |",
    ]


def test_options_between_two_strokes_are_no_table(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    rules(page, 60, 500, [90, 170])
    for row, pair in enumerate([("A. 甲", "B. 乙"), ("C. 丙", "D. 丁"), ("E. 戊", "F. 己")]):
        write(page, 80, 110 + 24 * row, pair[0])
        write(page, 280, 110 + 24 * row, pair[1])
    assert texts(blocks_of(tmp_path, pdf), BlockKind.TABLE) == []


def boxes(page: Any, x0: float, y0: float, cells: Sequence[str], width: float = 40, **ink: Any) -> None:
    """A row of boxes 24 points high with a text in each."""
    for place, text in enumerate(cells):
        left = x0 + width * place
        page.draw_rect((left, y0, left + width, y0 + 24))
        page.insert_text((left + 6, y0 + 16), text, fontname=FONT, fontsize=11, **ink)


def test_a_row_of_boxes_keeps_its_empty_cells_and_the_numbers_above(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 60, 80, "散列表的当前状态如下，求平均查找长度。")
    for place in range(6):
        write(page, 116 + 40 * place, 108, str(place), 7, "helv")
    boxes(page, 100, 112, ["A", "K", "", "", "C", "D"])
    write(page, 60, 180, "指令的格式如下：")
    boxes(page, 100, 200, ["操作码", "寻址方式", "地址"], 70)
    found = texts(blocks_of(tmp_path, pdf), BlockKind.TABLE)
    assert found == [
        "| 0 | 1 | 2 | 3 | 4 | 5 |\n| --- | --- | --- | --- | --- | --- |\n| A | K |  |  | C | D |",
        "| 操作码 | 寻址方式 | 地址 |\n| --- | --- | --- |",
    ]


def test_a_row_of_options_of_answers_or_of_a_candidates_data_is_no_table(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    boxes(page, 60, 80, ["姓名", "", "学号", ""], 90)
    write(page, 60, 140, "1. 下列说法正确的是（ ）。")
    boxes(page, 60, 150, ["A. 甲", "B. 乙", "C. 丙", "D. 丁"], 90)
    write(page, 60, 210, "2. 写出出队的次序。")
    boxes(page, 60, 220, ["b", "d", "a", "c"], 40, color=(1, 0, 0))
    assert texts(blocks_of(tmp_path, pdf), BlockKind.TABLE) == []


def test_tables_side_by_side_stand_from_left_to_right(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for left, rows, name in ((60, 4, "甲"), (220, 2, "乙"), (380, 5, "丙")):
        rules(page, left, left + 120, [100 + 20 * row for row in range(rows + 1)])
        for column in range(3):
            page.draw_line((left + 60 * column, 100), (left + 60 * column, 100 + 20 * rows))
        for row in range(rows):
            write(page, left + 10, 115 + 20 * row, name)
            write(page, left + 70, 115 + 20 * row, str(row))
    found = texts(blocks_of(tmp_path, pdf), BlockKind.TABLE)
    assert [table[2] for table in found] == ["甲", "乙", "丙"]


# -- drawings -----------------------------------------------------------------------------------------------


def test_strokes_of_a_drawing_are_no_blanks(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 60, 80, "1. 对下面的图作广度优先遍历，写出序列。")
    graph(page, 200, 100)
    blocks = blocks_of(tmp_path, pdf)
    assert [block.kind for block in blocks] == [BlockKind.TEXT, BlockKind.FIGURE]
    assert sorted(blocks[1].text.split()) == ["a", "b", "c"]


def test_a_drawing_beside_blanks_is_a_figure_and_the_blanks_stay(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for row, text in enumerate(["右图的点连通度是", "边连通度是", "回路的数目是", "图的直径是"]):
        write(page, 168 - 11 * len(text), 110 + 24 * row, text)
        page.draw_line((170, 112 + 24 * row), (262, 112 + 24 * row))
    graph(page, 262, 100)
    blocks = blocks_of(tmp_path, pdf)
    assert sum(line.endswith("___") for line in texts(blocks)) == 4
    assert [sorted(text.split()) for text in texts(blocks, BlockKind.FIGURE)] == [["a", "b", "c"]]


def test_names_beside_a_drawing_belong_to_it_and_lines_of_text_do_not(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 60, 80, "1. 说明下面的网络由哪些部分组成，写出每个部分的作用。")
    graph(page, 200, 100)
    write(page, 330, 140, "192.168.10.0/24", 9, "helv")
    write(page, 120, 150, "地址二", 9)
    write(page, 60, 130, "提示：见图")
    blocks = blocks_of(tmp_path, pdf)
    figure = next(block for block in blocks if block.kind is BlockKind.FIGURE)
    assert {"192.168.10.0/24", "地址二"} < set(figure.text.split())
    assert "提示：见图" in texts(blocks)


def test_strokes_a_hair_beside_each_other_are_all_kept(tmp_path: Path) -> None:
    """Two rows of boxes one below the other, the lower a fraction of a point to the left."""
    pdf = pymupdf.open()
    page = pdf.new_page()
    boxes(page, 100.6, 80, ["甲", "乙", "丙", "丁"])
    boxes(page, 100.4, 160, ["1", "2", "3", "4"])
    found = texts(blocks_of(tmp_path, pdf), BlockKind.TABLE)
    assert [table.splitlines()[0] for table in found] == ["| 甲 | 乙 | 丙 | 丁 |", "| 1 | 2 | 3 | 4 |"]


def test_a_sign_too_small_to_be_seen_is_set_apart(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    write(page, 60, 80, "资料见下表，请判断其统计方法是否恰当。", 12)
    write(page, 150, 100, "。", 3)
    write(page, 156, 100, "表1 两组的测定结果", 12)
    found = blocks_of(tmp_path, pdf)
    assert texts(found)[1] == "表1 两组的测定结果"
    assert [block.reason for block in found if block.kind is BlockKind.FURNITURE] == ["speck"]


def test_a_table_drawn_in_a_figure_is_whole_in_its_picture() -> None:
    figure = Box(100, 100, 300, 200)
    assert pdf_parts._shown(figure, [Box(220, 120, 320, 210), Box(290, 90, 500, 300)]) == Box(
        100, 100, 320, 210
    )
