"""What stands between the questions: score boxes, titles, passages, questions for extra points, kinds in a table."""

from __future__ import annotations

import pytest
from papermaker import cut, document, table

from ingest.segment import segment
from schemas.document import Block, Box, Origin
from schemas.question import PrintedForm as Form


@pytest.mark.parametrize("head", ["二\t三\t四\t五", "题号 一 二 三 四 总分", "题号 | 一 | 二 | 三 |"])
def test_the_head_of_a_score_box_is_no_question(head: str) -> None:
    found = cut(f"生态学试卷\n{head}\n一、名词解释\n1. 生态位\n2. 群落\n二、简答题\n3. 简述演替。").drafts
    assert [draft.printed for draft in found] == ["生态位", "群落", "简述演替。"]


def test_a_title_over_two_columns_is_no_part_of_a_question() -> None:
    rows = [
        ("一、名词解释", 40, 50, 11),
        ("1．管理幅度", 40, 70, 11),
        ("2．霍桑效应", 40, 90, 11),
        ("东江大学《管理学》期末考试试题", 300, 16, 17),
        ("二、简答题", 440, 50, 11),
        ("3．简述期望理论。", 440, 70, 11),
    ]
    blocks = [
        Block(text=text, origin=Origin.TEXT_LAYER, box=Box(x, y, x + height * len(text), y + height))
        for text, x, y, height in rows
    ]
    found = segment(document(blocks, "paper.pdf", Origin.TEXT_LAYER))
    assert [draft.printed for draft in found.drafts] == ["管理幅度", "霍桑效应", "简述期望理论。"]
    assert "title of a paper" in {one.reason for one in found.dropped}


def test_a_passage_over_bare_options_is_their_material() -> None:
    passage = (
        "Many birds __1__ south in autumn, since food is __2__ in the cold months and the days are short."
    )
    items = "1.\nA. fly\nB. swim\nC. dig\n2.\nA. rich\nB. scarce\nC. blue"
    first, second = cut(
        f"Part I Cloze (10%)\nDirections: Choose one word for each gap.\n{passage}\n{items}"
    ).drafts
    assert passage in first.material and first.material == second.material


def test_a_question_for_extra_points_is_a_question_of_its_own() -> None:
    found = cut(
        "Problem 1 (20 points). Find the rank of A.\nProblem 2 (30 points). Is A symmetric? Explain.\n"
        "Bonus (5 points). State the spectral theorem."
    ).drafts
    assert [draft.points for draft in found] == [20, 30, 5]
    assert "Bonus" not in found[1].printed


def test_a_column_of_kinds_tells_the_form_of_each_row() -> None:
    rows = (
        "| 序号 | 题型 | 题目 | 答案 |\n| --- | --- | --- | --- |\n| 1 | 判断 | 物种就是种群。 | 错误 |\n"
        "| 2 | 判断 | 群落会演替。 | 正确 |\n| 3 | 简答 | 简述食物链。 | 生物之间的营养关系。 |"
    )
    found = cut(["生态学题库", table(rows)]).drafts
    assert [(draft.number, draft.form) for draft in found] == [
        ("1", Form.TRUE_FALSE),
        ("2", Form.TRUE_FALSE),
        ("3", Form.SHORT_ANSWER),
    ]
    assert [draft.printed for draft in found] == ["物种就是种群。", "群落会演替。", "简述食物链。"]
    assert [draft.answer for draft in found] == ["错误", "正确", "生物之间的营养关系。"]
