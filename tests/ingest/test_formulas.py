"""Formulas of a PDF's text layer: what is set as mathematics becomes one `$LaTeX$`, all else stays text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.layout import lines, maths
from ingest.layout.runs import Line, Run
from ingest.readers import read
from ingest.readers.accents import joined
from ingest.readers.pdf_formulas import is_displayed
from schemas.document import BlockKind, Box, Document
from schemas.settings import ReadSettings

ROMAN, ITALIC, SYMBOL, HAN = "tiro", "tiit", "symb", "china-s"
NEVER = ReadSettings(ocr="never")


class Sheet:
    """A page on which signs are set one after the other, each in its font, size and height."""

    def __init__(self) -> None:
        self.pdf = pymupdf.open()
        self.page = self.pdf.new_page(width=420, height=300)
        self.x, self.y = 40.0, 60.0

    def line(self, y: float, x: float = 40.0) -> Sheet:
        self.x, self.y = x, y
        return self

    def put(self, text: str, font: str = ROMAN, size: float = 12, up: float = 0, gap: float = 0) -> Sheet:
        self.x += gap
        self.page.insert_text((self.x, self.y - up), text, fontname=font, fontsize=size)
        self.x += pymupdf.get_text_length(text, fontname=font, fontsize=size)
        return self

    def at(self, x: float, y: float, text: str, font: str = ROMAN, size: float = 12) -> Sheet:
        self.page.insert_text((x, y), text, fontname=font, fontsize=size)
        return self

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> Sheet:
        self.page.draw_line((x0, y0), (x1, y1), width=0.5)
        return self

    def read(self, folder: Path) -> Document:
        path = folder / "sheet.pdf"
        self.pdf.save(path)
        return read(path, NEVER)[0]

    def texts(self, folder: Path) -> list[str]:
        return [block.text for block in self.read(folder).blocks if block.kind is BlockKind.TEXT]


def test_a_sum_with_greek_letters_and_indices_is_one_formula(tmp_path: Path) -> None:
    sheet = Sheet().put("已知向量", HAN).put("a", SYMBOL, gap=2).put("1", size=7, up=-3)
    sheet.put("-", SYMBOL, gap=3).put("a", SYMBOL, gap=3).put("2", size=7, up=-3)
    sheet.put("是导出组的解。", HAN, gap=3)
    assert sheet.texts(tmp_path) == [r"已知向量$\alpha_{1} - \alpha_{2}$是导出组的解。"]


def test_a_list_with_indices_keeps_each_with_its_letter(tmp_path: Path) -> None:
    sheet = Sheet().put("设", HAN)
    for index in "123":
        sheet.put("a", SYMBOL, gap=2).put(index, size=7, up=-3)
        if index != "3":
            sheet.put(",", gap=1)
    sheet.put("线性无关，", HAN, gap=2).put("x", ITALIC).put("i", ITALIC, size=7, up=-3)
    sheet.put("2", size=7, up=5).put("为整数。", HAN, gap=2)
    assert sheet.texts(tmp_path) == [r"设$\alpha_{1}, \alpha_{2}, \alpha_{3}$线性无关，$x_{i}^{2}$为整数。"]


def test_operators_of_a_symbol_font_become_commands(tmp_path: Path) -> None:
    sheet = Sheet().put("1. ").put("\u00d8", SYMBOL).put("Q", ITALIC).put("\u00da", SYMBOL, gap=3)
    sheet.put("P", ITALIC, gap=3).put("\u00db", SYMBOL, gap=3).put("P", ITALIC, gap=3)
    sheet.put("\u00ae", SYMBOL, gap=3).put("Q", ITALIC, gap=3).put("成立吗？", HAN, gap=4)
    assert sheet.texts(tmp_path) == [r"1. $\neg Q \vee P \Leftrightarrow P \to Q$成立吗？"]


def test_the_straight_phi_of_a_symbol_font_is_phi(tmp_path: Path) -> None:
    sheet = (
        Sheet().put("集合", HAN).put("A", ITALIC, gap=2).put("\u00b9", SYMBOL, gap=2).put("f", SYMBOL, gap=2)
    )
    assert sheet.texts(tmp_path) == [r"集合$A \neq \phi$"]


def test_option_labels_and_item_numbers_stay_outside(tmp_path: Path) -> None:
    sheet = Sheet().put("(1)").put("若", HAN).put("n", ITALIC, gap=2).put("为奇数，则", HAN, gap=2)
    sheet.line(90).put("A. ").put("n", ITALIC).put("-", SYMBOL, gap=2).put("3", gap=2)
    sheet.line(90, 200).put("B. ").put("n", ITALIC).put("-", SYMBOL, gap=2).put("2", gap=2)
    assert sheet.texts(tmp_path) == ["(1)若$n$为奇数，则", "A. $n - 3$\tB. $n - 2$"]


def test_code_words_dates_and_typed_signs_stay_text(tmp_path: Path) -> None:
    written = [
        "for(i=0;i<n;i++) s+=a[i]; // x>0",
        "2020-09-01 to 2021-07-15, p1>p2",
        "for all n in N, A = (a, b) and b != c",
    ]
    sheet = Sheet()
    for row, text in enumerate(written):
        sheet.line(60 + 25 * row).put(text)
    sheet.line(150).put("年龄", HAN).put("20-60", gap=2).put("岁，占比", HAN, gap=2).put("35%", gap=2)
    sheet.line(180).put("the ").put("book of Job", ITALIC, gap=3).put("is a book", gap=4)
    assert sheet.texts(tmp_path) == [*written, "年龄20-60岁，占比35%", "the book of Job is a book"]


def test_blanks_end_a_formula(tmp_path: Path) -> None:
    sheet = Sheet().put("则", HAN).put("P", ITALIC, gap=2).put("(").put("A", ITALIC).put(")=").put("______")
    sheet.put("。", HAN)
    assert sheet.texts(tmp_path) == ["则$P(A) =$______。"]


def test_a_displayed_fraction_with_a_fraction_in_it(tmp_path: Path) -> None:
    sheet = Sheet().line(60).put("y", ITALIC).put("=", gap=3)
    sheet.rule(70, 56, 98, 56).at(74, 50, "a", ITALIC).at(82, 50, "+").at(90, 50, "b", ITALIC)
    sheet.at(81, 69, "2")
    assert sheet.texts(tmp_path) == [r"$y = \frac{a + b}{2}$"]
    nested = Sheet()
    nested.rule(80, 100, 100, 100).rule(84, 84, 96, 84)
    nested.at(87, 79, "1").at(87, 96, "x", ITALIC).at(87, 113, "3")
    assert nested.texts(tmp_path) == [r"$\frac{\frac{1}{x}}{3}$"]


def test_an_underlined_word_above_a_line_is_no_fraction(tmp_path: Path) -> None:
    sheet = Sheet().line(60).put("ab").rule(40, 62, 52, 62).line(75).put("cd")
    assert "frac" not in "".join(sheet.texts(tmp_path))


def test_a_root_with_its_bar(tmp_path: Path) -> None:
    sheet = Sheet().line(60).put("x", ITALIC).put("=", gap=3).put("\u00d6", SYMBOL, gap=3)
    left = sheet.x
    sheet.put("b", ITALIC).put("2", size=7, up=5).put("-", SYMBOL, gap=2).put("1", gap=2)
    sheet.rule(left, 50, sheet.x, 50)
    assert sheet.texts(tmp_path) == [r"$x = \sqrt{b^{2} - 1}$"]


def test_a_root_drawn_with_strokes(tmp_path: Path) -> None:
    sheet = Sheet().put("求", HAN).put("x", ITALIC, gap=3).put("=", gap=3)
    left = sheet.x + 12
    sheet.put("a", ITALIC, gap=13).put("+", gap=2).put("b", ITALIC, gap=2)
    right = sheet.x + 1
    sheet.rule(left - 9, 55, left - 6, 62).rule(left - 6, 62, left, 49).rule(left, 49, right, 49)
    sheet.put("的值", HAN, gap=4)
    assert sheet.texts(tmp_path) == [r"求$x = \sqrt{a + b}$的值"]


def test_a_check_mark_is_no_root(tmp_path: Path) -> None:
    sheet = Sheet().put("正确的打", HAN).put("，", HAN, gap=16).put("错误的打叉", HAN)
    sheet.rule(91, 55, 94, 60).rule(94, 60, 101, 49)
    assert "sqrt" not in "".join(sheet.texts(tmp_path))


def test_bars_over_letters(tmp_path: Path) -> None:
    sheet = Sheet().put("均值", HAN).put("x", ITALIC, gap=3)
    sheet.rule(sheet.x - 5.5, 53, sheet.x, 53).put("=3", gap=3).put("，且", HAN)
    left = sheet.x + 3
    sheet.put("AB", ITALIC, gap=3).rule(left, 50, sheet.x, 50).put("=", gap=3).put("C", ITALIC, gap=3)
    assert sheet.texts(tmp_path) == [r"均值$\bar{x} = 3$，且$\overline{AB} = C$"]


def test_a_bar_over_part_of_a_name_holds_that_part(tmp_path: Path) -> None:
    sheet = Sheet().put("F=ABC", ITALIC)
    left, right = (40 + pymupdf.get_text_length(part, ITALIC, 12) for part in ("F=A", "F=AB"))
    sheet.rule(left, 50, right, 50)
    assert sheet.texts(tmp_path) == [r"$F = A\bar{B}C$"]


def test_the_underline_of_the_line_above_is_no_bar(tmp_path: Path) -> None:
    sheet = Sheet().line(60).put("XY", ROMAN).rule(40, 62, 57, 62).line(72).put("AB", ROMAN)
    assert sheet.texts(tmp_path) == ["XY", "AB"]


def test_an_accent_printed_over_a_letter(tmp_path: Path) -> None:
    sheet = Sheet().put("设", HAN).put("y", ITALIC, gap=3)
    sheet.at(sheet.x - 5.5, 60, "\u00af").put("=", gap=3).put("1", gap=3)
    assert sheet.texts(tmp_path) == [r"设$\bar{y} = 1$"]


@dataclass
class Sign:
    text: str
    x0: float
    x1: float
    y0: float = 0
    y1: float = 10
    size: float = 10


def test_accents_before_and_after_their_letter_and_typed_alone() -> None:
    signs = [Sign("ˆ", 0, 5), Sign("x", 1, 6), Sign("θ", 8, 13), Sign("˜", 9, 13), Sign("a", 15, 20)]
    assert [sign.text for sign in joined(signs)] == [r"$\hat{x}$", r"$\tilde{\theta}$", "a"]
    apart = [Sign("x", 0, 5), Sign("ˆ", 5.5, 10), Sign("2", 10, 15)]
    assert [sign.text for sign in joined(apart)] == ["x", "ˆ", "2"]


def test_limits_above_and_below_a_sum_and_under_lim(tmp_path: Path) -> None:
    sheet = Sheet().line(60).put("S", ITALIC).put("=", gap=3)
    sheet.at(66, 62, "\u00e5", SYMBOL, 18).at(66, 76, "i", ITALIC, 7).at(69, 76, "=1", ROMAN, 7)
    sheet.at(70, 46, "n", ITALIC, 7).line(60, 82).put("a", ITALIC).put("i", ITALIC, size=7, up=-3)
    assert sheet.texts(tmp_path) == [r"$S = \sum_{i = 1}^{n}a_{i}$"]
    sheet = Sheet().line(60).put("求", HAN).put("lim", gap=3).at(57, 69, "n", ITALIC, 7)
    sheet.at(61, 69, "\u00ae\u00a5", SYMBOL, 7).put("a", ITALIC, gap=3).put("n", ITALIC, size=7, up=-3)
    assert sheet.texts(tmp_path) == [r"求$\lim_{n \to \infty}a_{n}$"]


def test_drawn_bars_around_a_letter(tmp_path: Path) -> None:
    sheet = Sheet().put("且", HAN).put("A", ITALIC, gap=5).put("=", gap=6).put("a", ITALIC, gap=3)
    sheet.rule(56, 49, 56, 64).rule(66, 49, 66, 64)
    assert sheet.texts(tmp_path) == ["且$|A| = a$"]


def test_an_index_hardly_lowered_and_one_of_han_hang_on_their_letter(tmp_path: Path) -> None:
    sheet = Sheet().put("图", HAN).put("K", gap=3).put("5", size=6, up=-0.5).put("与", HAN, gap=3)
    sheet.put("[", gap=3).put("x", ITALIC).put("]").put("补", HAN, size=6, up=-2)
    assert sheet.texts(tmp_path) == [r"图$K_{5}$与$[x]_{\text{补}}$"]


def test_a_letter_in_italics_before_a_colon_is_a_name(tmp_path: Path) -> None:
    sheet = (
        Sheet()
        .put("设", HAN)
        .put("P", ITALIC, gap=3)
        .put("：天晴，", HAN)
        .put("Q", ITALIC)
        .put("：下雨", HAN)
    )
    assert sheet.texts(tmp_path) == ["设$P$：天晴，$Q$：下雨"]


def test_full_width_punctuation_set_narrow_keeps_its_place() -> None:
    page = pymupdf.open().new_page()
    for x, text, font in (
        (40, "0", ROMAN),
        (45, "，", HAN),
        (49, "1", ROMAN),
        (54, "，", HAN),
        (58, "2", ROMAN),
    ):
        page.insert_text((x, 60), text, fontname=font, fontsize=12)
    from ingest.readers.pdf_text import text_layer

    runs = sorted(text_layer(page, 1000).runs, key=lambda run: run.box.x0)
    assert "".join(run.text for run in runs) == "0,1,2"


def test_a_displayed_formula_is_kept_as_a_picture_too(tmp_path: Path) -> None:
    sheet = Sheet().put("解方程", HAN).line(90, 120).put("x", ITALIC).put("2", size=7, up=5)
    sheet.put("=", SYMBOL, gap=3).put("4", gap=3).line(120).put("其中", HAN).put("x", ITALIC, gap=2)
    sheet.put("为正。", HAN, gap=2)
    document = sheet.read(tmp_path)
    kinds = [(block.kind, block.text, block.reason) for block in document.blocks]
    assert kinds[1:3] == [(BlockKind.TEXT, "$x^{2} = 4$", ""), (BlockKind.FIGURE, "", "formula")]
    assert kinds[3][1] == "其中$x$为正。"
    assert document.blocks[2].asset
    assert [(n.code, n.count) for n in document.notices] == [("formula_crop", 1)]


@pytest.mark.parametrize(
    ("text", "displayed"),
    [
        (r"$\frac{1}{2}$，", True),
        (r"$a = b$, $c = d$  (3)", True),
        ("$v_{1}$", False),
        ("$A =$", False),
        ("设$a = b$", False),
        ("1. $a = b$", False),
        ("a = b", False),
    ],
)
def test_what_is_displayed(text: str, displayed: bool) -> None:
    assert is_displayed(text) is displayed


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=4),
            st.floats(-6, 6),
            st.sampled_from([6.0, 12.0]),
            st.sampled_from(["m", "i", ".", ""]),
        ),
        max_size=12,
    )
)
def test_no_letter_of_a_line_is_lost(pieces: list[tuple[str, float, float, str]]) -> None:
    runs, x = [], 0.0
    for text, rise, size, style in pieces:
        width = 0.5 * size * len(text)
        box = Box(x, 88 - rise, x + width, 88 - rise + size)
        runs.append(Run(text, box, size, 100 - rise, style=style * len(text)))
        x += width
    found = lines.line_text(Line(runs))
    latin = [char for text, *_ in pieces for char in text if char.isascii() and char.isalnum()]
    left = list(found)
    for char in latin:
        assert char in left
        left.remove(char)
    assert maths.has_signs(runs) or "$" not in found or any("$" in text for text, *_ in pieces)


def test_a_sign_drawn_as_a_picture_in_a_gap_of_a_formula_is_read(tmp_path: Path) -> None:
    sheet = Sheet().put("则", HAN).put("A", ITALIC, gap=2)
    arch = pymupdf.open().new_page(width=10, height=10)
    arch.draw_bezier((1.5, 9), (1.5, -1), (8.5, -1), (8.5, 9), width=0.8)
    left = sheet.x + 1
    sheet.page.insert_image(
        pymupdf.Rect(left, sheet.y - 9, left + 10, sheet.y + 1), pixmap=arch.get_pixmap(dpi=300, alpha=True)
    )
    sheet.put("B", ITALIC, gap=12).put("=", gap=2).put("______", gap=1).put("。", HAN)
    document = sheet.read(tmp_path)
    assert [block.text for block in document.blocks] == [r"则$A \cap B =$______。"]
    assert not document.notices
