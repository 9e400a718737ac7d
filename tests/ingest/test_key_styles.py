"""One paper and its key in the many ways in which keys are typed."""

from __future__ import annotations

import pytest
from papermaker import cut, document, table

from ingest.segment import segment
from schemas.document import Origin

OPTIONS = "\nA．铁 B．铜 C．水 D．油\n"
PAPER = (
    f"一、单选题\n1．最轻的是（  ）{OPTIONS}2．最重的是（  ）{OPTIONS}二、填空题\n3．三态是____、____和____。\n"
    "4．两极是____和____。\n三、简答题\n5．简述蒸发的过程。\n6．简述凝固的过程。\n参考答案\n"
)
TOLD = ["C", "B", "固；液；气", "南；北", "液体表面变成气体。", "液体放热变成固体。"]
WORDS = "三、{5}液体表面变成气体。\n{6}液体放热变成固体。"


def key(style: str) -> str:
    """The key with its numbers in a style, a pattern with n for the number."""

    def n(value: int) -> str:
        circled = "①②③④⑤⑥"[value - 1]
        return style.replace("n", str(value)).replace("c", circled)

    return f"一、{n(1)}C {n(2)}B\n二、{n(3)}固；液；气 {n(4)}南；北\n三、{n(5)}液体表面变成气体。\n{n(6)}液体放热变成固体。"


@pytest.mark.parametrize(
    "style", ["n．", "n. ", "(n)", "（n）", "c", "[n]", "【n】", "n、", "n）", "第n题："]
)
def test_numbers_in_any_style(style: str) -> None:
    assert [draft.answer for draft in cut(PAPER + key(style)).drafts] == TOLD


def test_numbers_before_a_dash_without_sections() -> None:
    lines = "1—C 2—B\n3—固；液；气\n4—南；北\n5—液体表面变成气体。\n6—液体放热变成固体。"
    assert [draft.answer for draft in cut(PAPER + lines).drafts] == TOLD


def test_a_key_that_counts_anew_in_each_section_is_joined_by_place() -> None:
    anew = "一、1．C 2．B\n二、1．固；液；气  2．南；北\n三、1．液体表面变成气体。\n2．液体放热变成固体。"
    assert [draft.answer for draft in cut(PAPER + anew).drafts] == TOLD
    short = "一、1．C 2．B\n二、1．固；液；气\n三、1．液体表面变成气体。\n2．液体放热变成固体。"
    found = cut(PAPER + short).drafts
    assert [draft.answer for draft in found[2:4]] == [None, None]
    assert all(draft.confidence < 0.6 for draft in found[2:4])


def test_answers_in_another_order_find_their_numbers() -> None:
    swapped = "一、2．B  1．C\n二、3．固；液；气  4．南；北\n三、6．液体放热变成固体。\n5．液体表面变成气体。"
    assert [draft.answer for draft in cut(PAPER + swapped).drafts][2:] == TOLD[2:]


def test_a_block_without_numbers_a_line_for_each_question() -> None:
    block = "一、CB\n二、固；液；气\n南；北\n三、5．液体表面变成气体。\n6．液体放热变成固体。"
    assert [draft.answer for draft in cut(PAPER + block).drafts] == TOLD


def test_tabs_between_two_rows_of_letters() -> None:
    rows = "一、\n1\t2\nC\tB\n二、3．固；液；气  4．南；北\n三、5．液体表面变成气体。\n6．液体放热变成固体。"
    assert [draft.answer for draft in cut(PAPER + rows).drafts] == TOLD


def test_a_table_with_sections_questions_answers_and_points() -> None:
    rows = "".join(
        f"| {section} | {number} | {answer} | 2 |\n"
        for section, number, answer in zip(["一", "", "二", "", "三", ""], range(1, 7), TOLD, strict=True)
    )
    made = f"| 大题 | 小题 | 答案要点 | 分值 |\n| --- | --- | --- | --- |\n{rows}".strip()
    found = cut([*PAPER.strip().split("\n"), table(made)]).drafts
    assert [draft.answer for draft in found] == TOLD


def test_numbers_close_to_the_words_before_them_as_a_page_gives_them() -> None:
    lines = f"{PAPER}一、1．C2．B\n二、3．固；液；气4．南；北\n三、5．液体表面变成气体。\n6．液体放热变成固体。".split(
        "\n"
    )
    found = segment(document(lines, "paper.pdf", Origin.TEXT_LAYER)).drafts
    assert [draft.answer for draft in found] == TOLD


def test_the_key_of_another_paper_is_never_sure() -> None:
    other = "一、1．×  2．√\n二、3．D  4．A\n三、5．胃蛋白酶\n6．A"
    found = cut(PAPER + other).drafts
    assert all(draft.confidence < 0.6 for draft in found)
    assert [draft.answer for draft in found] == [None, None, None, None, "胃蛋白酶", None]


@pytest.mark.parametrize("head", ["答案：", "【答案】", "参考答案", "答案要点："])
@pytest.mark.parametrize("points", ["1．甲；\n2．乙。", "（1）甲；\n（2）乙。", "①甲；\n②乙。"])
def test_points_below_a_heading_after_each_question_are_its_answer(head: str, points: str) -> None:
    text = "".join(f"{n}．简述{what}的方法。\n{head}\n{points}\n" for n, what in enumerate("丙丁戊己", 1))
    found = cut(f"一、简答题\n{text}").drafts
    assert [draft.printed for draft in found] == [f"简述{what}的方法。" for what in "丙丁戊己"]
    assert [draft.answer for draft in found] == [points] * 4


@pytest.mark.parametrize("titles", [("推断题", "比较题", "评述"), ("关系规范化", "策划", "综合实践")])
def test_headings_of_any_name_over_numbers_that_run_on(titles: tuple[str, str, str]) -> None:
    one, two, three = titles
    found = cut(
        f"一、{one}\n1．甲好吗？\n2．乙好吗？\n二、{two}\n3．丙好吗？\n4．丁好吗？\n三、{three}\n5．戊好吗？"
    ).drafts
    assert [draft.number for draft in found] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    "titles",
    [
        ("I. Short answers", "II. Explanations (10 points)", "III. Reflections"),
        ("I  Short questions", "II  Explanations", "III  Essay"),
        ("A. Short answers", "B. Explanations", "C. Essay"),
    ],
)
def test_english_headings_over_numbers_that_run_on(titles: tuple[str, str, str]) -> None:
    one, two, three = titles
    items = ["1. What is a bay?", "2. How do bays form?"], ["3. Explain erosion.", "4. Describe a delta."]
    found = cut([one, *items[0], two, *items[1], three, "5. Discuss the causes of floods."]).drafts
    assert [draft.number for draft in found] == ["1", "2", "3", "4", "5"]
    assert [draft.section for draft in found] == [one, one, two, two, three]


def test_a_number_before_a_figure_is_read_where_the_numbering_wants_it() -> None:
    found = cut("一、计算题\n5. 求力。\n6.1mol理想气体膨胀，求功。\n7. 求热。").drafts
    assert [(draft.number, draft.printed) for draft in found][1] == ("6", "1mol理想气体膨胀，求功。")


@pytest.mark.parametrize("name", ["税法（含答案）.docx", "税法试题及答案.docx", "税法练习题带答案.docx"])
def test_a_name_with_the_word_for_answers_makes_no_key_of_a_paper(name: str) -> None:
    text = f"税法期末\n一、单选题\n1．税率为（  ）{OPTIONS}2．税额为（  ）{OPTIONS}二、简答题\n3．简述三性。\n4．简述法定。"
    found = cut(text, name)
    assert not found.answer_key and [draft.number for draft in found.drafts] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("word", ["答：", "答案："])
def test_numbered_points_right_behind_the_word_for_an_answer(word: str) -> None:
    text = "".join(
        f"{n}. 简述{what}的程序。\n{word}1. 甲{what}；\n2. 乙{what}；\n3. 丙{what}。\n"
        for n, what in enumerate("丁戊己", 1)
    )
    found = cut(f"管理学题库\n一、简答题\n{text}").drafts
    assert [draft.printed for draft in found] == [f"简述{what}的程序。" for what in "丁戊己"]
    assert [draft.answer for draft in found] == [
        f"1. 甲{what}；\n2. 乙{what}；\n3. 丙{what}。" for what in "丁戊己"
    ]


def test_keys_after_each_section_stay_keys() -> None:
    text = f"一、单选\n1. 一是（ ）{OPTIONS}2. 二是（ ）{OPTIONS}答案：\n1. A\n2. B\n二、简答题\n1. 简述甲。\n2. 简述乙。\n答案：\n1. 甲好。\n2. 乙好。"
    assert [draft.answer for draft in cut(text).drafts] == ["A", "B", "甲好。", "乙好。"]


@pytest.mark.parametrize(
    "lines", ["1．3\n2．4\n3．99\n4．2.5", "1.3\n2.4\n3.99\n4.2.5", "1．3　2．4　3．99　4．2.5"]
)
def test_answers_that_are_numbers(lines: str) -> None:
    asked = "".join(f"{n}．第{n}个数为____。\n" for n in (1, 2, 3, 4))
    found = cut(f"一、填空题（每空2分）\n{asked}参考答案\n一、填空题\n{lines}").drafts
    assert [draft.answer for draft in found] == ["3", "4", "99", "2.5"]


@pytest.mark.parametrize(
    "lines",
    [
        "第一题：1. A 2. B\n第二题：1. √ 2. ×\n第三题：1. 甲。\n2. 乙。",
        "一、单选：A，B\n二、判断：√，×\n三、1. 甲。\n2. 乙。",
        "一、1-2 AB\n二、1-2 √×\n三、简答：1. 甲。\n2. 乙。",
    ],
)
def test_sections_of_a_key_told_in_one_line(lines: str) -> None:
    asked = f"一、单选题\n1. 一（ ）{OPTIONS}2. 二（ ）{OPTIONS}二、判断题\n1. 三。（ ）\n2. 四。（ ）\n三、简答题\n1. 简述五。\n2. 简述六。"
    assert [draft.answer for draft in cut(f"{asked}\n参考答案\n{lines}").drafts] == [
        "A",
        "B",
        "√",
        "×",
        "甲。",
        "乙。",
    ]


def test_a_letter_behind_a_range_is_an_answer_too() -> None:
    asked = "".join(f"{n}、第{n}是（ ）{OPTIONS}" for n in (1, 2, 3))
    assert [
        draft.answer for draft in cut(f"一、单选题\n{asked}参考答案\n一、单选题\n1-2 AB  3 C").drafts
    ] == ["A", "B", "C"]


@pytest.mark.parametrize("head", ["Key to Paper A", "Keys to the test", "Reference answers"])
def test_parts_of_an_english_key_with_answers_on_their_line(head: str) -> None:
    asked = "Part I Words\n1. He is ____.\nA) ill B) well\n2. She was ____.\nA) ill B) well\nPart II Translation\n3. Time flies."
    found = cut(f"{asked}\n{head}\nPart I  1. A  2. B\nPart II\n3. 光阴似箭。").drafts
    assert [draft.answer for draft in found] == ["A", "B", "光阴似箭。"]


@pytest.mark.parametrize(
    "lines",
    [
        "1. 原因有：1. 垄断；2. 外部性；3. 公共物品。\n2. 成因有：1. 成本；2. 需求。",
        "1．1．垄断；\n2．外部性；\n3．公共物品。\n2．1．成本；\n2．需求。",
    ],
)
def test_a_list_in_an_answer_is_not_the_next_answers(lines: str) -> None:
    found = cut(f"一、简答题\n1. 简述市场失灵。\n2. 简述通货膨胀。\n参考答案\n一、简答题\n{lines}").drafts
    assert "垄断" in (found[0].answer or "") and "公共物品" in (found[0].answer or "")
    assert "成本" in (found[1].answer or "") and "需求" in (found[1].answer or "")


def test_the_only_question_of_a_section_has_all_points_of_its_answer() -> None:
    asked = (
        "一、简答题\n1. 简述甲。\n2. 简述乙。\n二、论述题\n1. 论述丙。\n参考答案\n一、1. 甲好。\n2. 乙好。\n"
    )
    assert cut(f"{asked}二、\n1. 1. 丙一；\n2. 丙二。").drafts[2].answer == "1. 丙一；\n2. 丙二。"


def test_letters_in_small_answer_options_in_small() -> None:
    asked = "1. The cat is\na. a bird\nb. a beast\nc. a fish\n2. The carp is\n(a) a bird\n(b) a beast\n(c) a fish\nKey\n"
    assert [draft.answer for draft in cut(f"Quiz\n{asked}1. b\n2. (c)").drafts] == ["B", "C"]


def test_the_number_of_a_section_is_no_answers_number() -> None:
    asked = "一、判断题\n1. 甲。（ ）\n二、计算题\n1. 求乙。\n三、简答题\n1. 简述丙。\n四、论述题（15分）\n试述市场失灵的原因。\n参考答案\n"
    found = cut(
        f"{asked}一、1. √\n二、1. 5\n三、1. 丙好。\n四、论述题\n原因：1. 垄断；\n2. 外部性；\n3. 公共物品；\n4. 信息。"
    ).drafts
    assert found[3].answer is None or "垄断" in found[3].answer
    assert found[3].answer is not None or found[3].confidence < 0.6
