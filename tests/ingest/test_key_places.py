"""Keys in unusual places: in front of the paper, behind the brackets, in papers that are named after them."""

from __future__ import annotations

import pytest
from papermaker import cut, document

from ingest.segment import segment
from ingest.segment.pairing import pair
from schemas.document import Origin

OPTIONS = "\nA. 甲 B. 乙 C. 丙 D. 丁\n"
ASKED = (
    f"一、判断真假\n1. 天是蓝的。\n2. 地是方的。\n二、选择\n3. 三是（ ）{OPTIONS}4. 四是（ ）{OPTIONS}"
    "三、问答\n5. 什么是甲？\n6. 说明乙。"
)
KEY = "一、1.真 2.假\n二、3.D 4.B\n三、5.甲是一。\n6.乙是二。"
TOLD = ["真", "假", "D", "B", "甲是一。", "乙是二。"]


@pytest.mark.parametrize("title", ["逻辑学 试题\n", ""])
def test_a_key_in_front_of_its_paper(title: str) -> None:
    found = cut(f"逻辑学 参考答案\n{KEY}\n{title}{ASKED}", "逻辑学（答案在前）.docx")
    assert not found.answer_key
    assert [draft.answer for draft in found.drafts] == TOLD
    assert all(draft.confidence >= 0.6 for draft in found.drafts)


def test_a_key_of_its_own_stays_a_key() -> None:
    paper = segment(document(ASKED.split("\n"), "逻辑学.docx"))
    key = segment(document(f"逻辑学 参考答案\n{KEY}".split("\n"), "逻辑学答案.docx"))
    assert key.answer_key and [draft.answer for draft in pair([paper, key])[0].drafts] == TOLD


def test_a_paper_with_answers_in_its_brackets_is_no_key_whatever_its_name() -> None:
    text = (
        f"税法期末试卷\n一、单选题\n1. 一是（ B ）。{OPTIONS}2. 二等于【C】{OPTIONS}3. 三是（  ）A{OPTIONS}"
        f"4. 四属于    D    。{OPTIONS}二、判断题\n5. 天是蓝的。（√）\n6. （×）地是方的。\n7. 水是湿的。（ ）√"
    )
    found = cut(text, "税法（答案在括号里）.docx")
    assert not found.answer_key
    assert [draft.answer for draft in found.drafts] == ["B", "C", "A", "D", "√", "×", "√"]
    assert not any(mark in draft.stem for draft in found.drafts for mark in "BCAD√×")


def test_the_parts_of_the_last_question_answered_below_it() -> None:
    text = (
        "一、判断题\n3. 摊销一律采用直线法。（ ）\n【答案】错误\n二、业务题\n4. 编制分录：\n（1）购料；\n（2）领料；\n"
        "（3）完工。\n【答案】\n（1）借：原材料\n（2）借：生产成本\n（3）借：库存商品"
    )
    found = cut(text).drafts
    assert [draft.answer for draft in found] == [
        "错误",
        "（1）借：原材料\n（2）借：生产成本\n（3）借：库存商品",
    ]
    assert [part.answer for part in found[1].parts] == ["借：原材料", "借：生产成本", "借：库存商品"]


def test_what_judges_nothing_is_no_answer_to_a_statement() -> None:
    key = "答案\n1. 借：库存商品\n2. 错。理由是甲。\n3. 该说法不成立。"
    found = cut(f"一、判断题\n1. 天是蓝的。（ ）\n2. 地是方的。（ ）\n3. 水是湿的。（ ）\n{key}").drafts
    assert [draft.answer for draft in found] == [None, "错。理由是甲。", "该说法不成立。"]
    assert found[0].confidence < 0.6


def test_a_heading_of_answers_typed_with_gaps() -> None:
    assert [draft.answer for draft in cut(f"{ASKED}\n答 案\n{KEY}").drafts] == TOLD


def test_answers_that_begin_with_figures_close_to_their_numbers() -> None:
    paper = "一、填空题\n1. 甲是____。\n2. 乙是____、____。\n3. 半衰期为____年。\n4. 丁是____。\n答案\n"
    found = cut(f"{paper}1．西侯度   2．琮；璧   3．5730   4．0.5").drafts
    assert [draft.answer for draft in found] == ["西侯度", "琮；璧", "5730", "0.5"]


def test_a_question_that_asks_by_itself_among_headings_of_questions() -> None:
    text = (
        "第1题（12分）阅读材料，回答问题。\n材料：甲在动，乙在看，丙站在一旁什么都不说。\n（1）甲错在哪里？\n（2）说明乙。\n参考答案：（1）错在丙。（2）乙是丁。\n"
        "第2题（13分）阅读材料，回答问题。\n材料：乙不动，甲在看，丁站在一旁什么都不说。\n（1）乙对不对？\n（2）说明丙。\n参考答案：（1）对。（2）丙是戊。\n"
        "第3题（10分）为什么水是湿的？\n答案要点：因为己。"
    )
    found = cut(text).drafts
    assert [draft.number for draft in found] == ["第1题", "第2题", "第3题"]
    assert [draft.answer for draft in found][2] == "因为己。" and found[2].points == 10


@pytest.mark.parametrize("head", ["解答", "Key", "答", "【答案】", "详解"])
def test_bare_headings_of_a_key(head: str) -> None:
    assert [draft.answer for draft in cut(f"{ASKED}\n{head}\n{KEY}").drafts] == TOLD


def test_the_same_words_over_each_answer_head_no_key() -> None:
    found = cut("一、解答题（每题10分）\n1. 求极限。\n解答\n极限为1。\n2. 求导数。\n解答\n导数为2。")
    assert not found.answer_key
    assert [draft.printed for draft in found.drafts] == ["求极限。", "求导数。"]
    assert [draft.answer for draft in found.drafts] == ["极限为1。", "导数为2。"]


def test_sections_of_a_key_in_roman_numbers() -> None:
    paper = (
        "Ⅰ填空（共3空，2分/空）\n1. 甲为____，乙为____。\n2. 丙为____。\nⅡ选择（每题5分）\n3. 丁是\nA. 一 B. 二\n"
        "4. 戊是\nA. 一 B. 二\nⅢ计算（2×15′=30′，写出步骤）\n5. 求己。\n6. 求庚。\n解答\n"
    )
    found = cut(f"{paper}Ⅰ 1) 0；∞ 2) 电阻\nⅡ 3)A 4)B\nⅢ 5) 己=6\n6) 庚=7").drafts
    assert [draft.answer for draft in found] == ["0；∞", "电阻", "A", "B", "己=6", "庚=7"]
    assert [draft.points for draft in found] == [4, 2, 5, 5, 15, 15]
    merged = cut(f"{paper}Ⅰ 1) 0；∞；小2) 电阻\nⅡ 3)A 4)B\nⅢ 5) 己=6\n6) 庚=7").drafts
    assert merged[0].confidence < 0.6 and "next number" in merged[0].evidence["doubts"]


def test_answers_that_run_on_over_the_lines_of_a_page() -> None:
    paper = "Part I. Define the terms.\n1. phone\n2. morph\n3. lexeme\nKey\nI. 1. a sound of a\nlanguage 2. a piece of\na word 3. a word"
    lines = [line for line in paper.split("\n")]
    found = segment(document(lines, "paper.pdf", Origin.TEXT_LAYER)).drafts
    assert [draft.answer for draft in found] == ["a sound of a\nlanguage", "a piece of\na word", "a word"]


def test_a_heading_with_the_long_instructions_of_public_examinations() -> None:
    heading = (
        "一、单项选择题（本大题共2小题，每小题1分，共2分）在每小题列出的四个备选项中只有一个是符合题目要求的，"
        "请将其代码填写在题后的括号内。错选、多选或未选均无分。"
    )
    found = cut(f"{heading}\n1．一是（ ）{OPTIONS}2．二是（ ）{OPTIONS}二、简答题\n3. 简述甲。").drafts
    assert [(draft.number, draft.points) for draft in found] == [("1", 1), ("2", 1), ("3", None)]


def test_a_key_below_questions_numbered_in_another_style_is_no_single_answer() -> None:
    asked = "Ⅰ填空（2分/空）\n1) 甲的长度为____。\n2) 乙的长度为____。\nⅡ选择（每题2分）\n3) 丙是\nA. 一 B. 二\nⅢ计算（2×15=30）\n4) 求丙在甲时间为\n2，丁为6时的长度。\n5) 求戊的长度。\n"
    lines = f"{asked}解答\nⅠ 1) 0 2) 1\nⅡ 3) A\nⅢ 4) 丙=6\n5) 戊=7".split("\n")
    found = segment(document(lines, "paper.pdf", Origin.TEXT_LAYER)).drafts
    assert [draft.answer for draft in found] == ["0", "1", "A", "丙=6", "戊=7"]
