"""Options whose labels stand close to their text, kinds of medical questions, and choices whose options are lost."""

from __future__ import annotations

import pytest
from papermaker import cut

from ingest.segment.options import split_options
from schemas.question import PrintedForm as Form


def test_labels_close_to_chinese_text_are_options() -> None:
    stem, options = split_options("下列哪项不是金属？A铜\nB铁C玻璃D铝E锌")
    assert stem == "下列哪项不是金属？"
    assert [(o.label, o.text) for o in options] == [
        ("A", "铜"),
        ("B", "铁"),
        ("C", "玻璃"),
        ("D", "铝"),
        ("E", "锌"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "A公司向B公司购货，C公司担保，D公司承运。说明各方的关系。",
        "甲有四处房产：A屋、B屋、C屋、D屋。如何分割？",
        "设A为矩阵，B为向量，C为常数，D为行列式，求B。",
    ],
)
def test_letters_that_are_names_in_a_sentence_are_no_options(text: str) -> None:
    assert split_options(text)[1] == ()


@pytest.mark.parametrize("heading", ["一、A1型题（每题1分）", "一、X型题", "一、B型题（共用备选答案）"])
def test_medical_kinds_of_choice_are_choices(heading: str) -> None:
    (found,) = cut(f"{heading}\n1. 首选的检查是\nA. 甲 B. 乙 C. 丙 D. 丁").drafts
    assert found.form is Form.MULTIPLE_CHOICE


def test_a_choice_without_options_among_others_goes_to_review() -> None:
    options = "\nA. 甲 B. 乙 C. 丙 D. 丁\n"
    found = cut(
        f"一、选择题\n1. 一是（ ）{options}2. 二是（ ）\n3. 三是（ ）{options}4. 四是（ ）{options}"
    ).drafts
    assert [draft.confidence < 0.6 for draft in found] == [False, True, False, False]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("海水的平均盐度约为A 25‰ B 30‰ C 35‰ D 40‰", ["25‰", "30‰", "35‰", "40‰"]),
        ("环流在北半球呈A顺时针B逆时针C无规律D南北向", ["顺时针", "逆时针", "无规律", "南北向"]),
        ("潮汐主要由谁引起 A太阳 B月球 C地球 D木星", ["太阳", "月球", "地球", "木星"]),
    ],
)
def test_labels_that_run_on_from_the_stem(text: str, texts: list[str]) -> None:
    assert [option.text for option in split_options(text)[1]] == texts
