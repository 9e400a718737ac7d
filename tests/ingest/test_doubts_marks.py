"""What a paper's marks betray: answers in ink or ticks, two places for a verdict, totals that do not agree."""

from __future__ import annotations

from papermaker import cut

from schemas.document import Block, Origin


def red(text: str) -> Block:
    return Block(text=text, origin=Origin.WORD, colour="#ff0000")


def test_an_answer_in_another_ink_is_doubted_where_it_is_the_only_one() -> None:
    lines = ["一、辨析题（每题6分）", "1、存在即合理。", "2、真理都是绝对的。", red("错误。真理有相对性。")]
    found = cut(lines).drafts
    assert [draft.confidence < 0.6 for draft in found] == [False, True]
    assert "another ink" in found[1].evidence["doubts"]


def test_an_option_in_another_ink_is_named() -> None:
    lines = [
        "一、选择题",
        "1、甲是（ ）",
        "A. 一",
        red("B. 二"),
        "C. 三",
        "2、乙是（ ）",
        "A. 一",
        "B. 二",
        "C. 三",
    ]
    found = cut(lines).drafts
    assert [draft.confidence < 0.6 for draft in found] == [True, False]
    assert "options B in another ink" in found[0].evidence["doubts"]


def test_ticked_options_are_answers_where_the_paper_ticks_them() -> None:
    found = cut(
        "一、选择题\n1、甲是\nA. 一 B. 二√ C. 三\n2、乙是\nA. 一√\nB. 二\nC. 三\n3、丙是\nA. 一 B. 二 C. 三 √"
    ).drafts
    assert [draft.answer for draft in found] == ["B", "A", "C"]
    assert all("√" not in draft.printed for draft in found)
    assert [option.text for option in found[0].options] == ["一", "二", "三"]
    assert all(draft.confidence == 1.0 for draft in found)


def test_a_lone_tick_is_doubted_and_no_answer() -> None:
    found = cut("一、选择题\n1、甲是\nA. 一 B. 二√ C. 三\n2、乙是\nA. 一 B. 二\n3、丙是\nA. 一 B. 二").drafts
    assert found[0].answer is None and found[0].confidence < 0.6


def test_two_places_for_a_verdict_are_doubted() -> None:
    found = cut("一、判断题\n1. 甲是乙。（ ）\n2. 乙是丙。（ ）丙是丁。（ ）\n3. 丁是戊。（ ）").drafts
    assert [draft.confidence < 0.6 for draft in found] == [False, True, False]


def test_a_statement_whose_number_is_lost_is_a_question_under_review() -> None:
    found = cut(
        "一、判断题\n1. 甲是乙。（ ）\n2. 乙是丙。（ ）\n丙是丁。（ ）\n二、简答题\n1. 简述甲。"
    ).drafts
    assert [draft.printed for draft in found[:3]] == ["甲是乙。（ ）", "乙是丙。（ ）", "丙是丁。（ ）"]
    assert found[2].confidence < 0.6


def test_a_section_total_that_does_not_agree_is_doubted() -> None:
    asked = "1. 甲是乙。\n2. 乙是丙。\n3. 丙是丁。"
    short = cut(f"一、判断题（每小题1分，共4分）\n{asked}").drafts
    whole = cut(f"一、判断题（每小题1分，共3分）\n{asked}").drafts
    chosen = cut(f"一、名词解释（任选2题，每题3分，共6分）\n{asked}").drafts
    assert all(draft.confidence < 0.6 for draft in short)
    assert all(draft.confidence == 1.0 for draft in (*whole, *chosen))


def test_papers_with_the_same_headings_are_counted_each_by_itself() -> None:
    paper = "一、名词解释（每题5分，共10分）\n1. 货币\n2. 利率\n二、简答题（每题10分，共20分）\n1. 简述甲。\n2. 简述乙。"
    found = cut(f"货币银行学试卷（A卷）\n{paper}\n货币银行学试卷（B卷）\n{paper}").drafts
    assert len(found) == 8
    assert not any("gives points" in draft.evidence.get("doubts", "") for draft in found)


def test_verdicts_behind_statements_are_answers_where_most_have_one() -> None:
    found = cut("一、判断题\n1. 甲是乙。√\n2. 乙是丙。×\n3. 丙是丁。").drafts
    assert [(d.printed, d.answer) for d in found] == [
        ("甲是乙。", "√"),
        ("乙是丙。", "×"),
        ("丙是丁。", None),
    ]
    lone = cut("一、判断题\n1. 甲是乙。√\n2. 乙是丙。\n3. 丙是丁。").drafts
    assert lone[0].answer is None and lone[0].confidence < 0.6


def test_parts_that_may_be_questions_are_doubted() -> None:
    found = cut(
        "一、简答题\n1. 简述甲。\n2. 案例：乙停产。问题：\n1. 为什么？\n2. 怎么办？\n3. 谁负责？"
    ).drafts
    assert [draft.number for draft in found] == ["1", "2"]
    assert found[1].confidence < 0.6
