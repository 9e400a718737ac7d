"""Reading order, lines, formulas and furniture, from runs placed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.layout import assemble, columns, formulas, furniture, lines
from ingest.layout.runs import Run
from schemas.document import Block, BlockKind, Box, Origin, Page


def run(text: str, x: float, y: float, size: float = 10.0, **more: object) -> Run:
    """A run whose baseline is y, as wide as its characters (Han one em, others half)."""
    width = sum(size if ord(char) > 0x2E80 else size / 2 for char in text)
    return Run(text, Box(x, y - size, x + width, y + 0.2 * size), size, y, **more)  # type: ignore[arg-type]


def texts(runs: list[Run], **more: object) -> list[str]:
    found = assemble.blocks(runs, 1, Origin.TEXT_LAYER, **more)  # type: ignore[arg-type]
    return [block.text for block in found if block.kind is BlockKind.TEXT]


def test_gaps_become_nothing_spaces_or_tabs() -> None:
    page = [run("第2", 50, 100), run("章", 66, 100), run("A. 甲", 50, 130), run("B. 乙", 150, 130)]
    page += [run("two", 50, 160), run("words", 67.5, 160)]
    assert texts(page) == ["第2章", "A. 甲\tB. 乙", "two words"]


def test_empty_brackets_stay_open() -> None:
    assert texts([run("结果是（", 50, 100), run("）。", 120, 100)]) == ["结果是（      ）。"]


def test_two_columns_are_read_one_after_the_other_under_their_heading() -> None:
    page = [run("这是一个横跨两栏的很长的标题文字占满整行", 100, 40, 16)]
    for row in range(12):
        page.append(run(f"左栏第{row}行文字内容很长很长写满一行", 50, 80 + 20 * row))
        page.append(run(f"右栏第{row}行文字内容很长很长写满一行", 310, 80 + 20 * row))
    found = texts(page)
    assert found[0].startswith("这是一个")
    assert [text[0] for text in found[1:]] == ["左"] * 12 + ["右"] * 12


def test_options_side_by_side_are_no_columns() -> None:
    page = []
    for row in range(8):
        page.append(run(f"{row}. 下列叙述中正确的是哪一项", 50, 80 + 40 * row))
        page.append(run("A. 第一种说法", 50, 100 + 40 * row))
        page.append(run("B. 第二种说法", 310, 100 + 40 * row))
    found = texts(page)
    assert found[1] == "A. 第一种说法\tB. 第二种说法"
    assert len(found) == 16


def test_options_of_several_lines_side_by_side_are_read_one_by_one() -> None:
    rows = [("1. 与下列语句等价的是（  ）。", 50)], [("A) if (a) b;", 60), ("B) if (b) a;", 300)]
    rows += [("else c;", 72), ("else d;", 312)], [("e;", 312)], [("2. 下一题的题干在这里。", 50)]
    page = [run(text, x, 100 + 20 * row) for row, line in enumerate(rows) for text, x in line]
    texts = [block.text for block in assemble.blocks(page, 1, Origin.TEXT_LAYER)]
    assert [text.replace(" ", "") for text in texts] == [
        "1.与下列语句等价的是（）。",
        "A)if(a)b;",
        "elsec;",
        "B)if(b)a;",
        "elsed;",
        "e;",
        "2.下一题的题干在这里。",
    ]


def test_a_drawn_wall_divides_a_folded_sheet_with_little_on_it() -> None:
    page = [run("四、求矩阵的秩，并写出全部计算过程", 50, 100), run("五、设方程组有解，求参数的值", 620, 100)]
    assert texts(page, walls=[590.0]) == [page[0].text, page[1].text]
    assert len(texts(page)) == 1


@given(st.lists(st.tuples(st.floats(0, 900), st.floats(0, 800), st.floats(4, 30)), max_size=60))
def test_no_run_is_lost_or_doubled_by_reading_order(places: list[tuple[float, float, float]]) -> None:
    page = [run(f"字{index}", x, y, size) for index, (x, y, size) in enumerate(places)]
    zones = columns.zones(lines.segments(page))
    got = sorted(id(r) for zone in zones for line in zone for r in line.runs)
    assert got == sorted(id(r) for r in page)
    again = [
        r for zone in zones for line in lines.build([r for s in zone for r in s.runs]) for r in line.runs
    ]
    assert sorted(map(id, again)) == got


def test_indices_and_exponents_are_set_where_they_are_certain() -> None:
    page = [
        run("设a", 50, 100),
        run("1", 65, 102, 6),
        run("和x", 70, 100),
        run("2", 85, 95, 6),
        run("为", 90, 100),
    ]
    assert texts(page) == ["设$a_{1}$和$x^{2}$为"]


def test_a_fraction_needs_a_sign_beside_its_bar() -> None:
    bar = Box(70, 96.5, 80, 97)
    page = [run("求", 50, 100), run("1", 72, 94), run("3", 72, 107), run("的值", 84, 100)]
    page[0].box = Box(57, 90, 67, 102)
    folded = formulas.fold(page, [bar], [])
    assert texts(folded) == ["求$\\frac{1}{3}$的值"]
    underline = Box(70, 103, 80, 103.5)
    assert not any("frac" in r.text for r in formulas.fold(page, [underline], []))


def test_a_matrix_in_built_up_brackets_becomes_one_run_of_its_line() -> None:
    page = [run("设A=", 50, 120), run("，求A的秩", 123, 120)]
    for index, (left, right) in enumerate(zip("⎛⎜⎝", "⎞⎟⎠", strict=True)):
        page += [run(left, 71, 110 + 10 * index), run(right, 112, 110 + 10 * index)]
    for row, y in enumerate((110, 130)):
        page += [run(str(2 * row + 1), 85, y), run(str(2 * row + 2), 102, y)]
    assert texts(formulas.fold(page, [], [])) == [
        "设$A = \\begin{pmatrix}1 & 2 \\\\ 3 & 4\\end{pmatrix}$，求A的秩"
    ]


def test_a_brace_gathers_its_cases() -> None:
    page = [run("f(x)=", 50, 120)]
    page += [run(sign, 76, 110 + 10 * index) for index, sign in enumerate("⎧⎨⎩")]
    page += [run("x+1,x>0", 85, 112), run("x-1,x<0", 85, 128)]
    assert texts(formulas.fold(page, [], [])) == [
        "$f(x) = \\begin{cases}x + 1, x > 0 \\\\ x - 1, x < 0\\end{cases}$"
    ]


def test_the_comma_of_the_longest_row_of_a_brace_is_its_own_where_rows_end_in_commas() -> None:
    page = [run(sign, 70, 110 + 12 * index) for index, sign in enumerate("⎧⎨⎩")]
    for row, text in enumerate(["2x+y=0,", "(a+2)x-2y=0,", "4x+y=0"]):
        left = 78.0
        for char in text:
            page.append(run(char, left, 110 + 12 * row))
            left = page[-1].box.x1
    assert texts(formulas.fold(page, [], [])) == [
        "$\\begin{cases}2x + y = 0, \\\\ (a + 2)x - 2y = 0, \\\\ 4x + y = 0\\end{cases}$"
    ]


def test_answers_in_another_colour_inside_a_blank_are_marked() -> None:
    page = [run("首都是____", 50, 100), run("北京", 101, 100, colour="#ff0000"), run("____。", 122, 100)]
    assert texts(page) == ["首都是____<u>北京</u>____。"]


def test_words_down_the_margin_and_marking_boxes_are_set_aside() -> None:
    page = [run(char, 12, 100 + 30 * index) for index, char in enumerate("装订线内不要答题")]
    page += [run("得分", 55, 95), run("一、填空题（每空两分，共二十分）", 120, 100)]
    page += [run(f"{n}. 这是一道有足够长度的题目。", 50, 100 + 25 * n) for n in range(1, 8)]
    found = assemble.blocks(page, 1, Origin.TEXT_LAYER)
    aside = {block.text: block.reason for block in found if block.kind is BlockKind.FURNITURE}
    assert aside == {"装订线内不要答题": "seal", "得分": "score_box"}
    assert len(found) == 10


@pytest.mark.parametrize(
    "margin",
    ["题答要不内线封密", "题答不内线封图", "留内要答题", "密封线内请勿答题"],
)
def test_a_seal_line_read_upwards_or_in_part_stays_out_of_the_lines(margin: str) -> None:
    # A recogniser turns the characters upright, misses some, and finds boxes of all widths.
    page = [run(char, 12 + index % 3, 108 + 60 * index) for index, char in enumerate(margin)]
    page += [run(f"{n}. 这是一道有足够长度的题目。", 50, 90 + 20 * n) for n in range(1, 26)]
    found = assemble.blocks(page, 1, Origin.OCR)
    assert [b.text for b in found if b.kind is BlockKind.FURNITURE] == [margin]
    assert len(found) == 26


def test_other_characters_down_the_margin_are_no_seal_line() -> None:
    page = [run(char, 12, 108 + 60 * index) for index, char in enumerate("甲乙丙丁")]
    page += [run(f"{n}. 这是一道有足够长度的题目。", 50, 90 + 20 * n) for n in range(1, 26)]
    assert not [b for b in assemble.blocks(page, 1, Origin.OCR) if b.kind is BlockKind.FURNITURE]


def pages(*tops: str, number: bool = True) -> list[Page]:
    out = []
    for index, top in enumerate(tops, start=1):
        blocks = [
            Block(text=top, page=index, box=Box(60, 30, 300, 42), size=9, origin=Origin.WORD),
            Block(
                text=f"{index}. 题目正文",
                page=index,
                box=Box(60, 300, 300, 312),
                size=10.5,
                origin=Origin.WORD,
            ),
        ]
        if number:
            blocks.append(
                Block(
                    text=f"第 {index} 页 共 9 页", page=index, box=Box(280, 800, 330, 812), origin=Origin.WORD
                )
            )
        out.append(Page(number=index, width=595, height=842, method=Origin.TEXT_LAYER, blocks=tuple(blocks)))
    return out


def test_headers_need_repetition_and_never_vanish() -> None:
    marked = furniture.mark(pages("2021 年期末试卷", "2021 年期末试卷", "2021 年期末试卷"))
    kinds = [[(block.kind.value, block.reason) for block in page.blocks] for page in marked]
    assert kinds == [[("furniture", "header"), ("text", ""), ("furniture", "page_number")]] * 3
    once = furniture.mark(pages("1. 第一页的第一题", "（3）续上题的一问", "综合应用题"))
    assert all(page.blocks[0].kind is BlockKind.TEXT for page in once)


@pytest.mark.parametrize(
    ("below", "marked"),
    [(("1", "2"), True), (("i", "ii"), True), (("5", "6"), True), (("2", "2"), False), (("k", "k"), False)],
)
def test_lone_numbers_that_count_the_pages_of_a_scan_are_no_text(
    below: tuple[str, ...], marked: bool
) -> None:
    def page(number: int, foot: str) -> Page:
        kept = [
            Block(text=text, page=number, box=Box(x, y, x + 200, y + 12), size=10, origin=Origin.OCR)
            for text, x, y in (("1. 证明下面的等式成立。", 90, 200), ("2. 求它的极限。", 90, 520))
        ]
        kept.append(Block(text=foot, page=number, box=Box(292, 600, 303, 612), origin=Origin.OCR))
        return Page(number=number, width=595, height=842, method=Origin.OCR, blocks=tuple(kept))

    out = furniture.mark([page(number, foot) for number, foot in enumerate(below, start=1)])
    assert [page.blocks[-1].reason for page in out] == ["page_number" if marked else ""] * 2
    assert all(block.kind is BlockKind.TEXT for page in out for block in page.blocks[:-1])


@given(st.text(max_size=60))
def test_marking_keeps_every_block_and_its_text(text: str) -> None:
    before = pages(text, text)
    after = furniture.mark(before)
    assert [b.text for p in after for b in p.blocks] == [b.text for p in before for b in p.blocks]
    assert all(b.reason for p in after for b in p.blocks if b.kind is BlockKind.FURNITURE)


def test_a_line_between_two_notes_of_an_answer_card_belongs_to_it() -> None:
    rows = ["1.考生用签字笔填写准考证号，并填涂", "相应的考号信息点。", "2.保持卡面清洁，不要折叠。"]
    rows += ["一、填空题（共20分）"]
    blocks = [
        Block(text=text, box=Box(60, 200 + 14 * row, 300, 211 + 14 * row), size=10.5, origin=Origin.WORD)
        for row, text in enumerate(rows)
    ]
    page = Page(number=1, width=595, height=842, method=Origin.TEXT_LAYER, blocks=tuple(blocks))
    assert [block.reason for block in furniture.mark([page])[0].blocks] == ["answer_card"] * 3 + [""]
