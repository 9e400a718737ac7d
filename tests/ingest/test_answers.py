"""Answers where they belong: keys in every print, corrections, parts, and what is no key at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papermaker import cut, table

from ingest.segment.grids import grid, key_ranges, listed, text_grid
from ingest.segment.pairing import pair
from ingest.segment.remarks import split_answer

CHOICES = "一、选择题\n" + "\n".join(
    f"{n}. 题干{n}的内容是（ ）\nA. 甲 B. 乙 C. 丙 D. 丁" for n in range(1, 6)
)


def answers(text: str, source: str = "paper.docx") -> list[str | None]:
    return [draft.answer for draft in cut(text, source).drafts]


@pytest.mark.parametrize(
    "key",
    [
        "1-5 ABCDA",
        "1~5: A B C D A",
        "1－3：ABC 4－5：DA",
        "第1至5题 ABCDA",
        "(1)-(5) ABCDA",
        "1-5 abcda",
        "1．A 2．B 3．C 4．D 5．A",
        "1A 2B 3C 4D 5A",
        "第1题：A 第2题：B 第3题：C 第4题：D 第5题：A",
        "选择题：1.A 2.B 3.C 4.D 5.A",
        "一、1-5 ABCDA",
        "一、1．A；2．B；3．C；4．D；5．A",
        "题号\t1\t2\t3\t4\t5\n答案\tA\tB\tC\tD\tA",
        "1. A\n2. B\n3. C\n4. D\n5. A",
    ],
)
def test_letters_of_a_key_in_every_print(key: str) -> None:
    assert answers(f"{CHOICES}\n参考答案\n{key}") == list("ABCDA")


@pytest.mark.parametrize(
    "rows",
    [
        "| 题号 | 1 | 2 | 3 | 4 | 5 |\n| --- | --- | --- | --- | --- | --- |\n| 答案 | A | B | C | D | A |",
        "| 题号 | 一 | 二 | 三 | 四 | 五 |\n| --- | --- | --- | --- | --- | --- |\n| 答案 | A | B | C | D | A |",
        "| 题号 | 答案 | 题号 | 答案 |\n|---|---|---|---|\n| 1 | A | 4 | D |\n| 2 | B | 5 | A |\n| 3 | C |  |  |",
        "| 1-3 | 4-5 |\n|---|---|\n| ABC | DA |",
        "| 1.A | 2.B | 3.C | 4.D | 5.A |",
    ],
)
def test_grids_of_a_key_in_every_print(rows: str) -> None:
    assert grid(rows) == list(enumerate("ABCDA", 1))
    lines = [*CHOICES.split("\n"), "参考答案", table(rows)]
    assert [d.answer for d in cut(lines).drafts] == list("ABCDA")


def test_what_is_no_list_of_letters() -> None:
    assert key_ranges("1-5 ABC") == []
    assert key_ranges("1-2 be careful") == []
    assert listed("1. A 类商品与 2. B 类商品的区别") == []
    assert text_grid("1 2 3", "甲 乙 丙") == []


@settings(max_examples=80, deadline=None)
@given(
    letters=st.text(alphabet="ABCD", min_size=3, max_size=30),
    form=st.sampled_from(["{}-{} {}", "{}～{}：{}"]),
)
def test_any_range_is_read_back(letters: str, form: str) -> None:
    told = form.format(1, len(letters), letters)
    assert key_ranges(told) == list(enumerate(letters, 1))


def test_a_key_after_each_section() -> None:
    assert answers(
        """
一、单项选择题
1. 水的沸点是（ ）
A. 0℃ B. 50℃ C. 100℃
2. 冰点是（ ）
A. 0℃ B. 50℃ C. 100℃
答案：1-2 CA
二、判断题
1. 热自发地由低温传向高温。（ ）
2. 绝热过程熵不减。（ ）
答案：1.× 2.√
三、填空题
1. 状态方程是____。
2. 第一定律是____守恒。
参考答案：1. pV=nRT 2. 能量
"""
    ) == ["C", "A", "×", "√", "pV=nRT", "能量"]


TWO_PAPERS = """
{a}
一、判断题
1. 苯是芳香烃。（ ）
2. 醇使石蕊变红。（ ）
二、名词解释
1. 同分异构
{b}
一、判断题
1. 烯烃不能加成。（ ）
2. 甲烷是正四面体。（ ）
二、名词解释
1. 亲核取代
{ka}
一、判断题
1. √
2. ×
二、名词解释
1. 分子式相同而结构不同。
{kb}
一、判断题
1. ×
2. √
二、名词解释
1. 亲核试剂取代离去基团。
"""
BOTH = ["√", "×", "分子式相同而结构不同。", "×", "√", "亲核试剂取代离去基团。"]


@pytest.mark.parametrize(
    "names",
    [
        ("有机化学试卷A", "有机化学试卷B", "试卷A答案", "试卷B答案"),
        ("有机化学（A卷）", "有机化学（B卷）", "A卷参考答案", "B卷参考答案"),
        ("有机化学期中", "有机化学期末", "期中答案", "期末答案"),
    ],
)
def test_two_papers_with_identical_headings_each_with_its_key(names: tuple[str, str, str, str]) -> None:
    a, b, ka, kb = names
    found = cut(TWO_PAPERS.format(a=a, b=b, ka=ka, kb=kb)).drafts
    assert [d.answer for d in found] == BOTH
    assert [d.printed for d in found if d.section.startswith("二")] == ["同分异构", "亲核取代"]


def test_keys_in_another_order_follow_their_letters() -> None:
    paper, keys = TWO_PAPERS.split("{ka}")
    first, second = keys.split("{kb}")
    text = paper.format(a="化学试卷A", b="化学试卷B") + "试卷B答案" + second + "试卷A答案" + first
    assert answers(text) == BOTH


def test_paper_key_paper_key() -> None:
    paper, keys = TWO_PAPERS.split("{ka}")
    first_key, second_key = keys.split("{kb}")
    head, tail = paper.split("{b}")
    title = "有机化学期末试题"
    text = f"{head.format(a=title)}参考答案{first_key}{title}{tail}参考答案{second_key}"
    assert answers(text) == BOTH


@pytest.mark.parametrize(
    "line",
    [
        "更正：第3题答案应为D",
        "勘误：选择题第3题答案由C改为D。",
        "第3题答案改为D",
        "更正：第一大题第3小题的正确答案是D",
        "勘误\n第3题应选D",
        "Correction: question 3 answer should be D",
        "Erratum: the answer to Question 3 is D, not C.",
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_a_correction_overrides_the_key(line: str, before: bool) -> None:
    text = f"{line}\n{CHOICES}\n答案\n1-5 ABCDA" if before else f"{CHOICES}\n答案\n1-5 ABCDA\n{line}"
    found = cut(text).drafts
    assert [d.answer for d in found] == list("ABDDA")
    assert found[2].evidence["corrected"] == "C"
    assert "更正" not in found[-1].printed


def test_a_correction_of_the_text_goes_to_review() -> None:
    found = cut(f"{CHOICES}\n更正：第2题题干中“10%”应为“20%”").drafts
    assert "correction_unread" in found[1].flags
    assert found[1].answer is None
    assert found[1].confidence < 0.6


def test_a_correction_that_fits_two_questions_changes_neither() -> None:
    found = cut(
        "一、简答题\n1. 什么是甲？\n2. 什么是乙？\n二、论述题\n1. 论丙。\n2. 论丁。\n"
        "参考答案\n一、简答题\n1. 甲是一。\n2. 乙是二。\n二、论述题\n1. 丙是三。\n2. 丁是四。\n更正：第2题答案应为“五”。"
    ).drafts
    assert [d.answer for d in found] == ["甲是一。", "乙是二。", "丙是三。", "丁是四。"]
    assert ["answer_conflict" in d.flags for d in found] == [False, True, False, True]


def test_parts_have_their_own_answers_and_points() -> None:
    found = cut(
        """
一、案例分析题（每题15分）
1. 某公司采用直线制。
（1）该公司采用何种结构？（5分）
（2）应如何改进？（10分）
2. 某厂生产两种产品。（每问5分，共10分）
(1) 列出约束条件。
(2) 求最优产量。
3. 甲持刀抢劫乙。问：（1）甲构成何罪？（3分）（2）乙是否正当防卫？（10分）
答案
1、（1）直线制。（2）改为事业部制。
2. (1) x+y≤10
(2) x=4，y=6
3. （1）抢劫罪。（2）构成。
"""
    ).drafts
    assert [[p.answer for p in d.parts] for d in found] == [
        ["直线制。", "改为事业部制。"],
        ["x+y≤10", "x=4，y=6"],
        ["抢劫罪。", "构成。"],
    ]
    assert [[p.points for p in d.parts] for d in found] == [[5, 10], [5, 5], [3, 10]]


def test_parts_of_an_english_question() -> None:
    (one, two) = cut(
        "1. Read the passage. (10 marks)\n(a) Name the pigment. (2 marks)\n(b) Explain the reaction. (8 marks)\n"
        "2. Discuss enzymes.\nMarking scheme\n1(a) Chlorophyll.\n1(b) Water is split.\n2. Proteins. Award 2 marks each."
    ).drafts
    assert one.points == 10
    assert [(p.answer, p.points) for p in one.parts] == [("Chlorophyll.", 2), ("Water is split.", 8)]
    assert two.answer == "Proteins."
    assert two.explanation == "Award 2 marks each."


def test_an_answer_below_each_part() -> None:
    (draft,) = cut(
        "三、材料题\n1. 阅读材料。\n（1）公司成立于哪年？\n答：2010年。\n（2）说明意义。\n答：推动发展。\n并带动就业。"
    ).drafts
    assert [p.text for p in draft.parts] == ["公司成立于哪年？", "说明意义。"]
    assert [p.answer for p in draft.parts] == ["2010年。", "推动发展。\n并带动就业。"]
    assert "2010" not in draft.printed


@pytest.mark.parametrize(
    ("text", "answer", "more"),
    [
        ("反向变动（5分）。评分标准：只写变动给3分。", "反向变动（5分）。", "评分标准：只写变动给3分。"),
        (
            "垄断、外部性（每点2分）。多数同学漏掉了外部性。",
            "垄断、外部性。",
            "（每点2分）\n多数同学漏掉了外部性。",
        ),
        ("x=3.5 m/s。该生举例不当，酌情给2分。", "x=3.5 m/s。", "该生举例不当，酌情给2分。"),
        ("小明得85分，小红得90分。", "小明得85分，小红得90分。", ""),
        ("评分标准：结构完整20分，论证20分", "评分标准：结构完整20分，论证20分", ""),
        ("Prices rise. Most students forgot the shift.", "Prices rise.", "Most students forgot the shift."),
    ],
)
def test_the_graders_words_are_no_answer(text: str, answer: str, more: str) -> None:
    assert split_answer(text) == (answer, more)


def test_a_students_answer_is_no_key() -> None:
    found = cut(
        """
1. 下列属于操作系统的是（ ）
A. Linux
B. Word
学生答案：B
正确答案：A
得分：0
2. 进程与程序的区别是什么？
学生作答：
进程就是程序。
没有区别。
参考答案：进程是程序的一次执行。
3. 简述死锁的条件。
学生作答：互斥等等
4. Is TCP connection-oriented?
Your answer: no  Correct answer: yes  得分：0分
"""
    )
    assert [d.answer for d in found.drafts] == ["A", "进程是程序的一次执行。", None, "yes"]
    assert all("学生" not in d.printed and "没有区别" not in d.printed for d in found.drafts)
    assert sum(d.reason == "a student's answer" for d in found.dropped) >= 5


def test_a_paper_that_a_student_has_filled_in_gives_no_answers() -> None:
    found = cut(
        "学生答卷\n一、填空题\n1. 中国的首都是<u>上海</u>。\n二、单选题\n1. 冰点是（ B ）\nA. 0℃ B. 100℃\n"
        "三、简答题\n1. 什么是功？\n答：就是干活。"
    ).drafts
    assert [d.answer for d in found] == [None, None, None]
    assert [d.printed for d in found] == ["中国的首都是____。", "冰点是（ ）\nA. 0℃ B. 100℃", "什么是功？"]


def test_brackets_that_hold_an_answer_and_brackets_that_do_not() -> None:
    found = cut(
        """
一、单项选择题
1. 维生素（A）缺乏导致（  ）
A. 夜盲 B. 坏血病
2. 设 f(a)=0，则 a 是【 B 】
A. 极点 B. 零点
二、填空题
1. 中国最长的河是（ 长江 ）。
2. 感冒的____（病因）是病毒。
3. 邻接表（出边表）的空间是____。
"""
    ).drafts
    assert [d.answer for d in found] == [None, "B", "长江", None, None]
    assert "维生素（A）" in found[0].printed
    assert "（病因）" in found[3].printed


def test_a_key_that_prints_the_stems_again() -> None:
    assert answers(
        "一、填空\n1、《离骚》的作者是______。\n2、“七子”中，______与______并称。\n二、名词解释\n1、永明体\n2、花间派\n"
        "参考答案\n一、填空\n1、《离骚》的作者是屈原。\n2、“七子”中，王粲与刘桢并称。\n二、名词解释\n1、永明体：讲究声律的诗体。\n2、花间派——以温庭筠为鼻祖。"
    ) == ["屈原", "王粲；刘桢", "讲究声律的诗体。", "以温庭筠为鼻祖。"]


def test_a_key_of_other_questions_is_attached_to_none() -> None:
    paper = cut(
        "一、单选题\n1. 甲（ ）\nA. 一 B. 二\n2. 乙（ ）\nA. 一 B. 二\n3. 丙（ ）\nA. 一 B. 二",
        "法学试卷.docx",
    )
    key = cut("法学答案\n一、判断题\n1. √\n2. ×\n3. √", "法学答案.docx")
    joined = pair([paper, key])[0].drafts
    assert [d.answer for d in joined] == [None, None, None]
    assert all("answer_conflict" in d.flags and d.confidence < 0.6 for d in joined)


def test_a_correction_in_a_key_of_its_own() -> None:
    paper = cut("一、计算题\n1. 求流速。\n2. 求扬程。", "化工原理试题A.pdf")
    key = cut(
        "化工原理A答案\n一、计算题\n1. 解：u=2\n2. 解：H=20\n更正：第2题答案应为H=25",
        "化工原理试题A答案.docx",
    )
    other = cut("化工原理B答案\n一、计算题\n1. 解：u=7\n2. 解：H=8", "化工原理试题B答案.docx")
    assert [d.answer for d in pair([paper, key, other])[0].drafts] == ["u=2", "H=25"]


def test_a_longer_key_bears_out_what_is_printed() -> None:
    paper = cut(
        "三、简答题\n1. 简述操作系统的特性。\n并发、共享、虚拟、异步\n2. 什么是进程？", "系统试卷.docx"
    )
    key = cut(
        "系统答案\n三、简答题\n1. 并发：同时发生。共享：共同使用。虚拟：一变为多。异步：走走停停。\n2. 程序的一次执行。",
        "系统答案.docx",
    )
    first, second = pair([paper, key])[0].drafts
    assert first.answer == "并发、共享、虚拟、异步"
    assert first.flags == ()
    assert first.confidence == 1.0
    assert "同时发生" in (first.explanation or "")
    assert second.answer == "程序的一次执行。"


def test_blanks_in_another_order_are_no_conflict() -> None:
    paper = cut("一、填空题\n1. 系统分为<u>实时</u>和<u>分时</u>系统。\n2. 由____组成。", "甲试卷.docx")
    key = cut("甲答案\n一、填空题\n1. 分时、实时\n2. 原子", "甲答案.docx")
    first, second = pair([paper, key])[0].drafts
    assert (first.answer, first.flags) == ("实时；分时", ())
    assert second.answer == "原子"


def test_answers_that_follow_on_the_line() -> None:
    found = cut(
        "一、填空题\n1. 一年有____个月。（答案：12）\n2. 一周有____天。【答案】7\n"
        "二、选择题\n1. 最大的行星是____。A.地球 B.木星 C.火星 答案：B\n2. 最近的恒星是（ ）。A.太阳 B.天狼 [答案] A"
    ).drafts
    assert [d.answer for d in found] == ["12", "7", "B", "A"]
    assert all("答案" not in d.printed for d in found)


def test_points_of_one_answer_are_no_key() -> None:
    assert answers(
        "1. 光合作用的场所是什么？\n答：叶绿体。\n2. 产物是什么？\n答：氧气。\n3. 激素有哪些？\n答案要点：\n①生长素 ②赤霉素"
    ) == ["叶绿体。", "氧气。", "①生长素 ②赤霉素"]


def test_a_section_that_is_one_question_takes_all_its_answers() -> None:
    (draft,) = cut(
        "二、材料分析题（15分）\n材料1：某地坚持绿色发展。\n（1）体现了什么理念？\n（2）谈谈启示。\n"
        "参考答案\n二、材料分析题\n（1）绿色发展。\n（2）①和谐②创新"
    ).drafts
    assert [p.answer for p in draft.parts] == ["绿色发展。", "①和谐②创新"]


def test_a_paper_of_its_last_section_alone() -> None:
    assert answers(
        "三、计算题\n1、求加速度。\n2、求周期。\n参考答案：\n三、计算题\n1、解：a=3\n2、解：T=2"
    ) == ["a=3", "T=2"]


def test_a_key_that_goes_on_after_the_paper_ends_goes_to_review() -> None:
    paper = cut("1. Define cost.\n2. Define scarcity.\n3. Define utility.", "chapter_test.docx")
    key = cut(
        "Test Answers\n1. Markets clear.\n2. Sticky.\n3. Unions.\n4. Strikes.\n5. Taxes.",
        "chapter_test_answers.docx",
    )
    found = pair([paper, key])[0].drafts
    assert all("answer_conflict" in d.flags and d.confidence < 0.6 for d in found)


def test_corrections_inside_a_list_of_letters() -> None:
    assert answers(f"{CHOICES}\n参考答案\n一、1.A 2.B 3.C 4.D 5.B（更正：5.A）") == list("ABCDA")
