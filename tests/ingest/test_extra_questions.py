"""Questions for extra points, which bear a name instead of a number, and their answers."""

from __future__ import annotations

import pytest
from papermaker import cut, document

from ingest.segment import segment
from ingest.segment.pairing import pair

PAPER = "一、简答题（每题10分）\n1. 简述甲。\n2. 简述乙。\n"
KEY = "一、\n1. 甲是一。\n2. 乙是二。\n"


@pytest.mark.parametrize(
    "asked", ["附加题（10分）：试证明丙。", "附加题（10分）\n试证明丙。", "加分题（选做，10分）试证明丙。"]
)
@pytest.mark.parametrize(
    "told", ["附加题：丙由丁得证。", "附加题\n丙由丁得证。", "附加题（10分）\n证明：丙由丁得证。"]
)
def test_a_question_without_a_number_finds_its_answer(asked: str, told: str) -> None:
    found = cut(f"{PAPER}{asked}\n参考答案\n{KEY}{told}").drafts
    assert [draft.printed for draft in found] == ["简述甲。", "简述乙。", "试证明丙。"]
    assert [draft.answer for draft in found] == ["甲是一。", "乙是二。", "丙由丁得证。"]
    assert found[2].points == 10 and found[2].number in {"附加题", "加分题"}


def test_numbered_questions_for_extra_points_begin_again_at_one() -> None:
    paper = segment(
        document(f"{PAPER}附加题（每题5分）\n1. 试证明丙。\n2. 试证明丁。".split("\n"), "卷.docx")
    )
    key = segment(document(f"{KEY}附加题\n1. 由甲。\n2. 由乙。".split("\n"), "卷答案.docx"))
    found = pair([paper, key])[0].drafts
    assert [draft.answer for draft in found] == ["甲是一。", "乙是二。", "由甲。", "由乙。"]
    assert [draft.points for draft in found] == [10, 10, 5, 5]


def test_questions_to_choose_from_go_on_with_the_numbering() -> None:
    found = cut(f"{PAPER}选做题（任选一题，10分）\n3. 试证明丙。\n4. 试证明丁。").drafts
    assert [draft.number for draft in found] == ["1", "2", "3", "4"]
