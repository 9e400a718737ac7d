"""Keys as typists set them: numbers running over sections, answers by section, lists inside answers, sheets."""

from __future__ import annotations

import pytest
from papermaker import cut, document, table

from ingest.segment import segment
from ingest.segment.pairing import pair

PAPER = (
    "一、名词解释（每题5分）\n1．光合作用\n2．蒸腾作用\n二、简答题（每题10分）\n3．简述细胞的结构。\n"
    "4．简述根的功能。\n三、论述题（20分）\n5．试论述生态平衡。\n参考答案\n"
)
TOLD = ["制造养料。", "散失水分。", "膜、质、核。", "吸收、固定。", "相对稳定。"]


@pytest.mark.parametrize(
    "key",
    [
        "一、1．制造养料。\n2．散失水分。\n二、3．膜、质、核。\n4．吸收、固定。\n三、5．相对稳定。",
        "一、1. 制造养料。 2. 散失水分。\n二、3. 膜、质、核。 4. 吸收、固定。\n三、5. 相对稳定。",
        "一、名词解释 1．制造养料。2．散失水分。\n二、简答题：3．膜、质、核。4．吸收、固定。\n三、论述题（20分）：5．相对稳定。",
    ],
)
def test_numbers_that_run_over_the_sections_begin_on_the_line_of_the_section(key: str) -> None:
    assert [d.answer for d in cut(PAPER + key).drafts] == TOLD


def test_numbers_that_run_on_after_a_section_that_is_left_out() -> None:
    key = "一、略\n二、3、膜、质、核。\n4、吸收、固定。\n三、5、相对稳定。"
    assert [d.answer for d in cut(PAPER + key).drafts] == [None, None, *TOLD[2:]]


def test_a_program_on_the_line_of_its_number_is_an_answer() -> None:
    paper = cut(
        "一、编程题（每题12分）\n1. 编写函数，求阶乘。\n2. 编写函数，求最大值。\n参考答案\n"
        "一、1. long f(int n){ return n<2 ? 1 : n*f(n-1); }\n2. int g(int a,int b){ return a>b?a:b; }"
    )
    assert [d.answer and d.answer[:6] for d in paper.drafts] == ["long f", "int g("]


def test_an_answer_under_the_number_of_its_section_alone() -> None:
    paper = cut(
        "一、简答题\n1. 简述根的功能。\n2. 简述叶的功能。\n二、论述题（20分）\n试论生态平衡。\n"
        "三、材料题（20分）\n阅读下面的短文，谈谈它的语言。\n参考答案\n"
        "一、1. 吸收。\n2. 制造养料。\n二、相对稳定，自我调节。\n三、朴素自然，\n富于诗意。"
    )
    assert [d.answer for d in paper.drafts] == [
        "吸收。",
        "制造养料。",
        "相对稳定，自我调节。",
        "朴素自然，\n富于诗意。",
    ]


def test_a_section_of_a_key_that_repeats_its_question_is_no_answer() -> None:
    paper = cut(
        "一、计算题\n1. 求加速度。\n2. 求周期。\n二、求函数的极值。（20分）\n参考答案\n"
        "一、1. 3\n2. 4\n二、求函数的极值。（20分）\n解：极小值为1。"
    )
    assert [d.answer for d in paper.drafts] == ["3", "4", "极小值为1。"]


def test_numbers_of_a_printout_inside_an_answer_are_not_other_answers() -> None:
    paper = cut(
        "一、程序阅读题\n1. 写出程序的运行结果。\n2. 说明函数的功能。\n二、编程题\n1. 编写排序函数。\n2. 编写查找函数。\n"
        "参考答案\n一、1. 0. 10\n1. 20\n2. 30\n2. 求和\n二、1. void sort(int a[]){ }\n2. 略"
    )
    assert [d.answer for d in paper.drafts] == ["0. 10\n1. 20\n2. 30", "求和", "void sort(int a[]){ }", "略"]


@pytest.mark.parametrize("letters", ["Key: 1. A 2. B", "Key: 1-2 AB", "答案：1. A 2. B"])
def test_answers_in_words_that_go_on_below_letters(letters: str) -> None:
    paper = cut(
        "Part I Multiple Choice\n1. The word cue means\nA. signal B. error C. line\n2. Plants rely on\n"
        "A. noise B. light C. glass\nPart II Translation\n3. 只有努力，才能成功。\n4. 他每天读书。\n"
        f"{letters}\n3. Only by working hard can one succeed.\n4. He reads every day."
    )
    assert [d.answer for d in paper.drafts] == [
        "A",
        "B",
        "Only by working hard can one succeed.",
        "He reads every day.",
    ]


def test_questions_that_follow_the_letters_of_the_last_section_stay_questions() -> None:
    paper = cut(f"{CHOICES}\n答案：1. A 2. B\n二、简答题\n3. 简述根的功能。\n4. 简述叶的功能。")
    assert [d.number for d in paper.drafts] == ["1", "2", "3", "4"]


CHOICES = "一、选择题\n" + "\n".join(f"{n}. 题干{n}的内容是\nA. 甲 B. 乙 C. 丙 D. 丁" for n in (1, 2))


def test_an_answer_that_found_no_question_lowers_those_that_have_none() -> None:
    paper = cut(
        "一、简答题\n1. 简述根的功能。\n2. 简述叶的功能。\n二、论述题\n1. 试论生态平衡。\n"
        "参考答案\n一、简答题\n1. 吸收。\n3. 制造养料。\n二、论述题\n1. 相对稳定。"
    )
    assert [d.answer for d in paper.drafts] == ["吸收。", None, "相对稳定。"]
    assert [d.confidence < 0.6 for d in paper.drafts] == [False, True, False]
    assert "the key has an answer" in paper.drafts[1].evidence["doubts"]
    assert [(d.reason, "制造养料" in d.text) for d in paper.dropped] == [("answer without a question", True)]


def test_the_same_from_a_key_in_a_file_of_its_own() -> None:
    paper = cut("一、简答题\n1. 简述根的功能。\n2. 简述叶的功能。", "botany.docx")
    key = cut("参考答案\n一、简答题\n1. 吸收。\n3. 制造养料。", "botany_answers.docx")
    found = pair([paper, key])[0]
    assert [d.confidence < 0.6 for d in found.drafts] == [False, True]
    assert any("制造养料" in one.text for one in found.dropped)


def test_a_number_answered_twice_in_one_section_is_not_guessed_at() -> None:
    paper = cut(
        "一、程序阅读题\n1. 写出结果。\n2. 说明函数的功能。\n二、编程题\n1. 编写排序函数。\n2. 编写查找函数。\n"
        "参考答案\n一、1. 输出\n1. 20\n2. 30\n2. 求和\n二、2. 二分查找"
    )
    assert [d.answer for d in paper.drafts] == [None, None, None, "二分查找"]
    assert all(d.confidence < 0.6 for d in paper.drafts[:2])


ASKED = [f"{n}. 题干{n}的内容是\nA. 甲 B. 乙 C. 丙 D. 丁" for n in range(1, 5)]
FILLED = "| 题号 | 1 | 2 | 3 | 4 |\n| --- | --- | --- | --- | --- |\n| 答案 | A | B | C | D |"
EMPTY = FILLED[: FILLED.index("| 答案")] + "| 答案 |  |  |  |  |"


def paper_with(grid: str, place: str, restart: bool = False) -> list[object]:
    """A paper of two sections of choices, the grid of the first at its head or its end."""
    items = [line for item in ASKED for line in item.split("\n")]
    whole = [table(grid)] if grid.startswith("|") else grid.split("\n")
    first = [*whole, *items] if place == "head" else [*items, "请将答案填入下表：", *whole]
    offset = 0 if restart else 4
    second = [f"{n + offset}. 判断{n}成立。（ ）" for n in range(1, 5)]
    return ["物理试卷", "一、选择题（每题3分）", *first, "二、判断题（每题1分）", *second]


@pytest.mark.parametrize("place", ["head", "end"])
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("grid", [FILLED, "题号\t1\t2\t3\t4\n答案\tA\tB\tC\tD"])
def test_a_filled_grid_answers_its_own_section(grid: str, place: str, restart: bool) -> None:
    found = cut(paper_with(grid, place, restart)).drafts
    assert [d.answer for d in found] == ["A", "B", "C", "D", None, None, None, None]
    assert not any("题号" in d.printed or "答案" in d.printed for d in found)


@pytest.mark.parametrize("place", ["head", "end"])
@pytest.mark.parametrize("grid", [EMPTY, "题号\t1\t2\t3\t4\n答案"])
def test_an_empty_grid_is_no_part_of_a_question(grid: str, place: str) -> None:
    paper = cut(paper_with(grid, place))
    assert len(paper.drafts) == 8 and all(d.answer is None for d in paper.drafts)
    assert not any("题号" in d.printed for d in paper.drafts)
    assert [d.reason for d in paper.dropped if "题号" in d.text] == ["an empty answer grid"]


def test_a_grid_with_numbers_that_no_section_has_answers_nothing() -> None:
    paper = cut(paper_with(FILLED.replace("| 4 |", "| 4 | 5 |").replace("| D |", "| D | A |"), "end", True))
    assert all(d.answer is None for d in paper.drafts)
    assert sum(one.reason == "answer without a question" for one in paper.dropped) == 5


def test_a_heading_that_asks_to_fill_the_grid_keeps_its_answers() -> None:
    lines = paper_with(FILLED, "head")
    lines[1] = "一、选择题（每题3分，请将答案填入下表）"
    assert [d.answer for d in cut(lines).drafts][:4] == ["A", "B", "C", "D"]


def test_a_table_of_scores_is_no_answer_grid() -> None:
    scores = "| 题号 | 一 | 二 | 总分 |\n| --- | --- | --- | --- |\n| 得分 |  |  |  |"
    assert all(d.answer is None for d in cut([table(scores), *paper_with(EMPTY, "end")]).drafts)


@pytest.mark.parametrize("blank", ["__({})__", "____（{}）____", "__ ({}) __", "____{}____"])
def test_a_blank_ruled_around_its_number_counts_once(blank: str) -> None:
    one, two, three = (blank.format(n) for n in (1, 2, 3))
    found = cut(
        f"一、程序填空题（每空2分，共10分）\n1. 求和：for(i=0;i<{one};i++) s={two}; return {three};\n"
        f"2. 求积：p=p*{one}; return {two};"
    ).drafts
    assert [d.points for d in found] == [6, 4]


def test_the_total_of_a_section_decides_for_its_only_question() -> None:
    (draft,) = cut(
        "一、程序填空题（每空2分，共6分）\n1. 求和：for(i=0;i<【1】____;i++) s=____; t=____; ____"
    ).drafts
    assert draft.points == 6


def test_a_range_with_a_letter_too_few_answers_nothing_and_is_told() -> None:
    items = "\n".join(f"{n}. 题干{n}的内容是\nA. 甲 B. 乙 C. 丙 D. 丁" for n in range(1, 9))
    paper = cut(f"一、选择题\n{items}\n参考答案\n一、选择题\n1-4 ABCD  5-8 BCA")
    assert [d.answer for d in paper.drafts] == ["A", "B", "C", "D", None, None, None, None]
    assert [d.confidence < 0.6 for d in paper.drafts] == [False] * 4 + [True] * 4
    assert any("5-8 BCA" in one.text for one in paper.dropped)


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("一、光的利用；水的散失；二氧化碳；氧气", ["光的利用", "水的散失", "二氧化碳；氧气"]),
        ("一、光的利用、水的散失、二氧化碳、氧气。", ["光的利用", "水的散失", "二氧化碳；氧气"]),
        ("一、光的利用；水的散失；二氧化碳，氧气。", ["光的利用", "水的散失", "二氧化碳，氧气"]),
        ("一、光的利用；水的散失；二氧化碳；氧气；多出", [None, None, None]),
    ],
)
def test_a_section_of_blanks_answered_in_one_line(line: str, answers: list[str | None]) -> None:
    paper = (
        "一、填空题（每空1分）\n1. 叶的排列有利于____。\n2. 气孔关闭可减少____。\n3. 光合作用吸收____，放出____。\n"
        f"二、简答题\n1. 简述呼吸作用。\n参考答案\n{line}\n二、1. 有机物分解并放出能量。"
    )
    found = cut(paper).drafts
    assert [draft.answer for draft in found] == [*answers, "有机物分解并放出能量。"]


def test_sections_of_a_key_named_without_numbers_on_the_line_of_their_answers() -> None:
    options = "\nA. 甲 B. 乙 C. 丙 D. 丁\n"
    paper = (
        f"一、单选\n1. 一是（ ）{options}2. 二是（ ）{options}二、多选\n1. 三是（ ）{options}2. 四是（ ）{options}"
        "三、判断题\n1. 天是蓝的。\n2. 地是方的。\n四、论述\n1. 试论甲。\n答案：\n"
        "多选：1.ABC 2.ABD\n单选：1-2 AB\n判断题（每题1分）：1.√ 2.×\n论述：1. 甲是好的。"
    )
    assert [draft.answer for draft in cut(paper).drafts] == ["A", "B", "ABC", "ABD", "√", "×", "甲是好的。"]


def test_a_program_in_a_key_of_its_own_keeps_its_indentation() -> None:
    program = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s"
    paper = segment(document(["一、编程题（每题10分）", "1. 求和。", "2. 求积。"], "卷.docx"))
    key = segment(document(f"一、编程题\n1.\n{program}\n2. 略。见讲义。".split("\n"), "卷答案.docx"))
    assert pair([paper, key])[0].drafts[0].answer == program


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("一、BACD", ["B", "A", "C", "D"]),
        ("一、BA  CD", ["B", "A", "C", "D"]),
        ("一、AB ABC BD ABCD", ["AB", "ABC", "BD", "ABCD"]),
        ("一、BAC", [None, None, None, None]),
    ],
)
def test_letters_without_numbers_are_shared_where_they_are_as_many_as_the_questions(
    line: str, answers: list[str | None]
) -> None:
    asked = "".join(f"{n}. 第{n}个是（ ）\nA. 甲 B. 乙 C. 丙 D. 丁\n" for n in (1, 2, 3, 4))
    paper = (
        f"一、选择题\n{asked}二、实践题：请写出：①检索词；②检索式。\n参考答案\n{line}\n二、①石墨烯 ②graphene"
    )
    found = cut(paper).drafts
    assert [draft.answer for draft in found] == [*answers, "①石墨烯 ②graphene"]


def test_a_key_in_a_table_with_named_columns() -> None:
    key = "| 题号 | 答案 | 分值 |\n| --- | --- | --- |\n| (1) | A | 2 |\n| (2) | ①3 ②20 | 15 |"
    asked = [
        "一、单选",
        "(1) 一是",
        "A. 甲 B. 乙 C. 丙 D. 丁",
        "二、综合题",
        "(2) 补全①和②。",
        "参考答案及评分标准",
    ]
    assert [draft.answer for draft in cut([*asked, table(key)]).drafts] == ["A", "①3 ②20"]
