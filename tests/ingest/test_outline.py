"""Where questions begin: numbering styles, headings, lists that look like items, and what only looks like one."""

from __future__ import annotations

import pytest
from papermaker import cut

from schemas.question import PrintedForm as Form


def stems(text: str) -> list[str]:
    """The first line of each question."""
    return [draft.printed.split("\n")[0] for draft in cut(text).drafts]


@pytest.mark.parametrize(
    "heads",
    [
        ("Ⅰ. 名词解释（每题4分）", "Ⅱ. 简答题（每题8分）"),
        ("I. Definitions 名词解释（每题4分）", "II. 简答题（每题8分）"),
        ("（一）名词解释（每题4分）", "（二）简答题（每题8分）"),
        ("第一部分 名词解释（每题4分）", "第二部分 简答题（每题8分）"),
        ("Part One: 名词解释（每题4分）", "Part Two: 简答题（每题8分）"),
    ],
)
def test_headings_in_every_numbering(heads: tuple[str, str]) -> None:
    found = cut(
        f"{heads[0]}\n1、货币乘数\n2、基础货币\n{heads[1]}\n1、简述货币政策的目标。\n2、简述通货膨胀的成因。"
    ).drafts
    assert [(d.number, d.points) for d in found] == [("1", 4.0), ("2", 4.0), ("1", 8.0), ("2", 8.0)]


def test_headings_below_headings() -> None:
    found = cut(
        "一、选择题（每题2分）\n（一）单项选择题\n1. 甲（ ）\nA. 一 B. 二\n（二）多项选择题\n1. 乙（ ）\nA. 一 B. 二\n二、简答题\n1. 什么是丙？"
    ).drafts
    assert [(d.number, d.points) for d in found] == [("1", 2.0), ("1", 2.0), ("1", None)]


def test_numbered_questions_in_brackets_are_no_headings() -> None:
    found = cut(
        "（一）阅读材料，回答问题。材料略。\n1. 为什么？\n2. 怎么办？\n（二）阅读材料，回答问题。材料略。\n1. 是什么？\n2. 何意？"
    )
    assert [d.number for d in found.drafts] == ["一", "二"]


@pytest.mark.parametrize(
    "text",
    [
        "一、名词解释\n1. 胚胎诱导 2. 卵裂 3. 原肠作用\n4. 形态发生",
        "一、填空题\n1. 受精发生在____。 2. 卵子由____产生。\n3. 囊胚腔又称____。 4. 神经管来自____。",
        "一、简答题\n1. 简述生态位的含义。 2.\n简述种群增长的模型。\n3. 简述群落演替。\n4. 简述食物链。",
        "一、判断题\n（  ）1．甲是乙。\n（  ）2．乙是丙。\n（  ）3．丙是丁。\n（  ）4．丁是戊。",
        "一、判断题\n____ 1. A stack is LIFO.\n____ 2. A queue is LIFO.\n____ 3. A heap is a tree.\n____ 4. A list is a tree.",
    ],
)
def test_items_that_begin_inside_a_line(text: str) -> None:
    assert [d.number for d in cut(text).drafts] == ["1", "2", "3", "4"]


def test_a_number_inside_a_sentence_begins_no_item() -> None:
    assert stems("1. 取步长为 2. 求近似值。\n2. 求误差。") == ["取步长为 2. 求近似值。", "求误差。"]


def test_an_answer_before_the_number_goes_with_its_question() -> None:
    found = cut("一、选择题\n（ B ）1. 甲是\nA. 一 B. 二\n（ A ）2. 乙是\nA. 一 B. 二").drafts
    assert [d.answer for d in found] == ["B", "A"]


def test_a_decimal_after_a_number() -> None:
    assert stems("1．甲是什么？\n2．乙是什么？\n3．3.14是哪个数的近似值？") == [
        "甲是什么？",
        "乙是什么？",
        "3.14是哪个数的近似值？",
    ]


def test_a_list_announced_by_a_colon_is_no_row_of_questions() -> None:
    found = cut(
        "三、简答题\n1、操作系统的功能包括：\n1. 处理机管理\n2. 存储管理\n3. 设备管理\n请说明每种功能。\n2、什么是进程？\n3、什么是线程？"
    )
    assert [d.number for d in found.drafts] == ["1", "2", "3"]
    assert "请说明每种功能" in found.drafts[0].printed


def test_line_numbers_of_code_are_no_questions() -> None:
    found = cut(
        "一、程序阅读题\n1. 写出下列程序的输出。\n1  public class A {\n2    int a = 1;\n3    print(a);\n4  }\n2. 说明程序的功能。"
    )
    assert [d.number for d in found.drafts] == ["1", "2"]


def test_cases_counted_in_words_hold_their_questions() -> None:
    found = cut(
        "四、案例分析（每题15分，共30分）\n案例一：\n王某驾车撞伤李某。\n1. 王某承担何种责任？\n2. 李某能否主张赔偿？\n"
        "案例二：\n张某将房屋出租给赵某。\n1. 合同是否需要书面形式？\n2. 赵某享有何种权利？"
    ).drafts
    assert [d.points for d in found] == [15.0, 15.0]
    assert [len(d.parts) for d in found] == [2, 2]


def test_dated_entries_are_the_data_of_one_problem() -> None:
    entries = "\n".join(f"{n}. {n + 2}日，购入材料一批，价款{n}000元。" for n in range(1, 7))
    (draft,) = cut(
        f"五、业务题（40分）\n某公司本月发生下列经济业务：\n{entries}\n要求：编制会计分录。"
    ).drafts
    assert draft.points == 40.0
    assert "某公司本月" in draft.printed
    assert "编制会计分录" in draft.printed


def test_formulas_after_the_last_question_are_no_questions() -> None:
    found = cut("一、计算题\n1．计算气体常数。\n2．计算熵变。\n附录：常用公式\n1. PV=nRT\n2. dS=dQ/T")
    assert [d.printed for d in found.drafts] == ["计算气体常数。", "计算熵变。"]
    assert "note of the paper" in {d.reason for d in found.dropped}


def test_what_tells_instead_of_asking_is_kept_apart() -> None:
    notes = cut(
        "复习提纲\n1. 掌握经济法的概念。\n2. 了解经济法的历史。\n模拟试题\n一、名词解释\n1. 经济法\n2. 反垄断"
    )
    assert [d.printed for d in notes.drafts] == ["经济法", "反垄断"]
    assert "study notes" in {d.reason for d in notes.dropped}
    remarks = cut(
        "1. 关于第一问\n很多同学没有分清两个概念。\n2. 关于第二问\n部分同学忽略了条件。\n3. 关于第三问\n少数同学答得很好。\n"
        "一、论述题\n1. 论述甲与乙的关系。"
    )
    assert [d.form for d in remarks.drafts] == [Form.ESSAY]
    assert "remarks on answers" in {d.reason for d in remarks.dropped}
