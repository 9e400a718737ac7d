"""Answers where typists put them: underlined, between rules, before the options, behind the term."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx import Document as NewWord
from papermaker import cut

from ingest.readers import read
from ingest.segment import segment
from schemas.settings import ReadSettings


def test_words_underlined_in_a_section_of_blanks_are_its_answers(tmp_path: Path) -> None:
    document = NewWord()
    document.add_paragraph("一、填空题")
    paragraph = document.add_paragraph("1．")
    for text, underlined in (
        (" 工作分析 ", True),
        ("是基础，成果是", False),
        (" 说明书 ", True),
        ("。", False),
    ):
        paragraph.add_run(text).underline = underlined
    document.add_paragraph("2．都城是____。")
    document.save(str(tmp_path / "a.docx"))
    found = segment(read(tmp_path / "a.docx", ReadSettings())[0]).drafts
    assert [draft.answer for draft in found] == ["工作分析；说明书", None]
    assert "工作分析" not in found[0].printed and found[0].printed.count("____") == 2


def test_words_between_the_ends_of_a_rule_are_answers_and_words_between_blanks_are_none() -> None:
    found = cut("一、填空题\n1. 营养素是_脂肪_、_糖_。\n2. 长___，宽为___。").drafts
    assert [draft.answer for draft in found] == ["脂肪；糖", None]


def test_an_answer_at_the_end_of_the_stem_stands_before_its_options() -> None:
    found = cut(
        "一、选择\n1. 缺乏的是 答案：A\nA. 甲 B. 乙\nC. 丙 D. 丁\n2. 来源是 答案：B\nA. 甲 B. 乙\nC. 丙 D. 丁"
    ).drafts
    assert [draft.answer for draft in found] == ["A", "B"]
    assert [len(draft.options) for draft in found] == [4, 4]


def test_answers_right_behind_the_question_mark() -> None:
    found = cut("三、简答\n6. 如何计算？（答案：重量除以面积）\n7. 为何补充？【解】预防畸形").drafts
    assert [draft.answer for draft in found] == ["重量除以面积", "预防畸形"]


def test_terms_explained_on_their_line() -> None:
    text = "三、名词解释\n5．宽带薪酬：把多个薪酬等级合成少数几个。\n6．猎头——为企业搜寻人才的服务。\n7．外包"
    found = cut(text).drafts
    assert [draft.printed for draft in found] == ["宽带薪酬", "猎头", "外包"]
    assert [draft.answer for draft in found] == [
        "把多个薪酬等级合成少数几个。",
        "为企业搜寻人才的服务。",
        None,
    ]


def test_an_order_of_all_options_answers_a_question_that_asks_for_one() -> None:
    text = "一、排序\n1. 按大小排列：A. 甲 B. 乙 C. 丙 D. 丁\n2. 按长短排列：A. 甲 B. 乙 C. 丙\n答案\n1. D>A>B>C\n2. C→B→A"
    found = cut(text).drafts
    assert [draft.answer for draft in found] == ["D>A>B>C", "C→B→A"]
    assert all("no option" not in draft.evidence.get("doubts", "") for draft in found)


def test_a_paper_titled_with_its_answers_has_no_key_in_front() -> None:
    found = cut(
        "管理学复习题（含答案）\n一、填空题\n1. 甲是____。\n2. 乙是____。\n二、论述\n3. 试述丙。\n答：丙好。"
    )
    assert [draft.section for draft in found.drafts] == ["一、填空题", "一、填空题", "二、论述"]


def test_a_heading_that_names_the_questions_it_is_for() -> None:
    text = (
        "I. Terms\n1. Define ode.\n2. Define sonnet.\nII. Reading. Questions 3-4 refer to the following poem.\n"
        "The sea was calm that night,\nAnd far away a light,\nWas burning low and bright;\n3. Who wrote it?\n4. What is its rhyme?"
    )
    found = cut(text).drafts
    assert [draft.number for draft in found] == ["1", "2", "3", "4"]
    assert "The sea was calm" in found[2].material and found[2].material == found[3].material


def test_answers_that_are_figures_close_to_their_numbers() -> None:
    asked = "一、计算题\n10. 求热量。\n11. 求面积。\n12. 求长度。\n答案\n10.2369\n11.2.81\n12.3.5"
    assert [draft.answer for draft in cut(asked).drafts] == ["2369", "2.81", "3.5"]


def test_entries_of_an_account_below_a_question_answer_it_under_review() -> None:
    text = "二、业务题：编制会计分录\n1. 提取现金5 000元。\n借：库存现金 5 000\n贷：银行存款 5 000\n2. 判断下列分录：\n借：甲\n贷：乙"
    found = cut(text).drafts
    assert [draft.answer for draft in found] == ["借：库存现金 5 000\n贷：银行存款 5 000", None]
    assert found[0].confidence < 0.6 and found[0].printed == "提取现金5 000元。"


def test_the_outline_of_a_composition_is_no_list_of_questions() -> None:
    text = (
        "Part III Translation\n8. Time flies.\nPart IV Writing (15 points)\nDirections: Write a composition of 120 words.\n"
        "1. Online learning is popular.\n2. Its advantages.\n3. Your view."
    )
    found = cut(text).drafts
    assert len(found) == 2 and "Your view." in found[1].printed and found[1].points == 15


def test_terms_explained_on_the_line_below() -> None:
    text = "二、名词解释（每题3分）\n1. 稽留热\n体温持续在39度左右，达数天或数周。\n2. 无菌技术\n防止一切微生物侵入人体的技术。"
    found = cut(text).drafts
    assert [draft.printed for draft in found] == ["稽留热", "无菌技术"]
    assert found[1].answer == "防止一切微生物侵入人体的技术。"


def test_text_above_the_first_heading_is_shared_by_the_sections_it_is_for() -> None:
    text = (
        "数据库期末\n已知有如下三个关系，供第一、二大题使用：\nS(学号,姓名) C(课号,课名) SC(学号,课号)\n一、查询题\n1. 查全体学生。\n"
        "2. 查全部课程。\n二、更新题\n3. 删去课程。\n三、简答题\n4. 什么是事务？"
    )
    found = cut(text).drafts
    assert ["SC(学号,课号)" in draft.material for draft in found] == [True, True, True, False]


def test_a_heading_with_its_items_on_one_line() -> None:
    found = cut("一、名词解释：1. 苏格拉底法 2. 六艺 3. 元认知\n二、简答题\n1. 简述丙。").drafts
    assert [draft.printed for draft in found] == ["苏格拉底法", "六艺", "元认知", "简述丙。"]


@pytest.mark.parametrize("words", ["END OF EXAMINATION", "Good luck!", "（全卷完）", "—— 祝考试顺利 ——"])
def test_farewells_are_no_part_of_the_last_question(words: str) -> None:
    found = cut(f"一、简答题\n1. 简述甲。\n2. 简述乙。\n{words}")
    assert found.drafts[-1].printed == "简述乙。"
    assert any(words in one.text for one in found.dropped)
