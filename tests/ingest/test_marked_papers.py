"""Papers that a student has filled in and a grader has marked, and answers written on the blanks in colour."""

from __future__ import annotations

import pytest
from papermaker import cut

from schemas.document import Block, Origin


def red(text: str) -> Block:
    return Block(text=text, origin=Origin.WORD, colour="#ff0000")


def inked(text: str, *stretches: str) -> Block:
    return Block(text=text, origin=Origin.WORD, inks=tuple((one, "#ff0000") for one in stretches))


QUESTIONS = [
    "一、选择题",
    "1. 一是（ B ）",
    "A. 甲 B. 乙",
    "2. 二是（ A ）",
    "A. 甲 B. 乙",
    "二、简答题",
    "3. 简述丙。",
]


@pytest.mark.parametrize("head", [["建筑史期末试卷  得分：87"], ["建筑史期末试卷", "姓名：    得分：", "87"]])
def test_points_filled_in_at_the_head_make_the_answers_a_students(head: list[str]) -> None:
    found = cut([*head, *QUESTIONS, red("丙是圆的。")])
    assert [draft.answer for draft in found.drafts] == [None, None, None]
    assert found.drafts[2].printed == "简述丙。"
    assert any(d.reason == "a student's answer" and "丙是圆的" in d.text for d in found.dropped)


def test_a_graders_signs_make_the_answers_a_students() -> None:
    lines = [
        "建筑史",
        *QUESTIONS,
        red("丙是圆的。"),
        red("-3  不完整"),
        "4. 简述丁。",
        red("丁是方的。"),
        red("√"),
    ]
    assert [draft.answer for draft in cut(lines).drafts] == [None, None, None, None]


def test_an_empty_box_for_points_takes_nothing_from_a_solved_paper() -> None:
    found = cut(["建筑史期末试卷  得分：____", *QUESTIONS, "答：丙是圆的。"]).drafts
    assert [draft.answer for draft in found] == ["B", "A", "丙是圆的。"]


def test_words_in_colour_fill_the_blanks_of_a_section_of_blanks() -> None:
    lines = [
        "一、填空题",
        inked("1. 海顿作于1772年。", "海顿", "1772"),
        inked("2. 创立者是____勋伯格____。", "勋伯格"),
        "3. 都城是____。",
    ]
    found = cut(lines).drafts
    assert [draft.printed for draft in found] == ["____作于____年。", "创立者是____。", "都城是____。"]
    assert [draft.answer for draft in found] == ["海顿；1772", "勋伯格", None]
    assert [draft.confidence < 0.6 for draft in found] == [True, True, False]


@pytest.mark.parametrize("head", ["期末试卷  总分：100分", "期末试卷  满分：100", "得分：    总分：100"])
def test_a_total_at_the_head_takes_nothing_from_a_solved_paper(head: str) -> None:
    assert [draft.answer for draft in cut([head, *QUESTIONS]).drafts] == ["B", "A", None]


def test_ticks_in_colour_below_statements_are_no_graders_signs() -> None:
    lines = [
        "一、判断题",
        "1. 天是蓝的。（ √ ）",
        "2. 地是方的。（ × ）",
        "3. 水是湿的。",
        red("√"),
        "4. 火是冷的。",
        red("×"),
    ]
    assert [draft.answer for draft in cut(lines).drafts][:2] == ["√", "×"]
