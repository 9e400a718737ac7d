"""Where questions begin: numbering styles, headings, lists that look like items, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papermaker import cut, document, table

from ingest.segment import segment
from ingest.segment.marks import number_value
from schemas.document import Block, Box, Origin
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


def test_a_table_of_questions_is_cut_row_by_row() -> None:
    rows = "| 序号 | 题目 | 答案 |\n| --- | --- | --- |\n| 1 | 主键可以为空。 | × |\n| 2 | 视图是虚表。 | √ |"
    found = cut(["一、判断题（每题2分）", table(rows), "二、简答题", "1. 什么是事务？"]).drafts
    assert [(d.number, d.stem, d.answer, d.points) for d in found] == [
        ("1", "主键可以为空。", "×", 2.0),
        ("2", "视图是虚表。", "√", 2.0),
        ("1", "什么是事务？", None, None),
    ]


def test_a_table_with_a_column_for_each_option() -> None:
    rows = (
        "| 题号 | 题干 | A | B | C | D | 答案 |\n| --- | --- | --- | --- | --- | --- | --- |\n"
        "| 1 | 属于输入设备的是 | 键盘 | 显示器 | 打印机 | 音箱 | A |\n| 2 | 属于输出设备的是 | 键盘 | 鼠标 | 打印机 | 话筒 | C |"
    )
    found = cut(["一、单项选择题", table(rows)]).drafts
    assert [(d.answer, [o.text for o in d.options]) for d in found] == [
        ("A", ["键盘", "显示器", "打印机", "音箱"]),
        ("C", ["键盘", "鼠标", "打印机", "话筒"]),
    ]


@pytest.mark.parametrize(
    ("rows", "want"),
    [
        (
            "| 1 | 什么是栈？ |\n| --- | --- |\n| 2 | 什么是队列？ |\n| 3 | 什么是图？ |",
            ["什么是栈？", "什么是队列？", "什么是图？"],
        ),
        ("| 1. 堆栈 | 3. 树形 |\n| --- | --- |\n| 2. 队列 | 4. 图形 |", ["堆栈", "队列", "树形", "图形"]),
    ],
)
def test_tables_without_a_head(rows: str, want: list[str]) -> None:
    assert [d.printed for d in cut(["一、名词解释", table(rows)]).drafts] == want


@pytest.mark.parametrize(
    "rows",
    [
        "| 题号 | 一 | 二 | 总分 |\n| --- | --- | --- | --- |\n| 得分 |  |  |  |",
        "| 题号 | 1 | 2 |\n| --- | --- | --- |\n| 答案 |  |  |",
        "| 1 | 2000 | 3000 |\n| --- | --- | --- |\n| 2 | 4000 | 5000 |",
        "| 项目 | 甲 | 乙 |\n| --- | --- | --- |\n| 收入 | 10 | 20 |",
    ],
)
def test_other_tables_stay_whole(rows: str) -> None:
    found = cut(["一、计算题", "1. 根据下表计算总和。", table(rows), "2. 计算平均值。"]).drafts
    assert [d.number for d in found] == ["1", "2"]
    assert rows.split("\n")[0] in found[0].printed


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("一、名词解释\n移情、共情、阻抗、投射", ["移情", "共情", "阻抗", "投射"]),
        ("一、简答题\n什么是移情？\n什么是阻抗？", ["什么是移情？", "什么是阻抗？"]),
        (
            "Section B: Essays. Choose ONE.\nA. To what extent was the reform a turning point?\nB. Assess the causes of the war.",
            ["To what extent was the reform a turning point?", "Assess the causes of the war."],
        ),
        ("一、单项选择题\n水是\nA. 气体 B. 液体\n铁是\nA. 金属 B. 非金属", ["水是", "铁是"]),
        ("问题一：什么是甲？\n问题二：什么是乙？", ["什么是甲？", "什么是乙？"]),
        (
            "二、作文题（二选一）\n题目一：以甲为题写评论。\n题目二：以乙为题写评论。",
            ["以甲为题写评论。", "以乙为题写评论。"],
        ),
    ],
)
def test_questions_without_numbers(text: str, want: list[str]) -> None:
    assert stems(text) == want


def test_a_text_without_any_number_is_asked_about_and_doubted() -> None:
    found = cut("《管理学》期末考查\n请结合一家企业的实际，论述其组织变革。")
    assert [d.printed for d in found.drafts] == ["请结合一家企业的实际，论述其组织变革。"]
    assert found.drafts[0].confidence < 0.6
    assert not cut("管理学的历史很长。\n它始于工业时代。\n人们为什么管理？\n答案很多。").drafts


def test_text_shared_by_several_questions_goes_to_each_of_them() -> None:
    found = cut(
        "一、单项选择题\n1. 甲（ ）\nA. 一 B. 二\n（2～3题共用题干）\n患者，男，50岁，胸痛2小时。\n2. 首先考虑（ ）\nA. 一 B. 二\n"
        "3. 首选检查（ ）\nA. 一 B. 二\n4. 乙（ ）\nA. 一 B. 二"
    ).drafts
    assert ["患者" in d.material for d in found] == [False, True, True, False]
    assert all("患者" not in d.printed for d in found)


def test_columns_to_be_joined_are_one_question() -> None:
    (draft,) = cut(
        "一、连线题（4分）\n1. 斯密    A. 通论\n2. 凯恩斯    B. 国富论\n3. 马克思    C. 资本论"
    ).drafts
    assert draft.form is Form.OTHER
    assert "资本论" in draft.printed


@pytest.mark.parametrize(
    ("heading", "want"),
    [
        ("二、论述题（任选一题，20分）", 20.0),
        ("二、论述题（四选二，共40分）", 20.0),
        ("Section II: Essays (60 marks). Answer any THREE questions.", 20.0),
        ("二、论述题（共40分）", None),
    ],
)
def test_points_of_questions_to_choose_from(heading: str, want: float | None) -> None:
    found = cut("\n".join([heading, *(f"{n}. 论述第{n}个问题的意义。" for n in range(1, 5))])).drafts
    assert [d.points for d in found] == [want] * 4


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Write a function that reverses a linked list.", Form.OTHER),
        ("True or false? A stack is LIFO.", Form.TRUE_FALSE),
        ("Suppose x = 3 and y = 4. Find the distance.", Form.CALCULATION),
        ("Perform Prim's algorithm on the graph.", Form.CALCULATION),
        ("Determine whether the series converges.", Form.CALCULATION),
        ("To what extent does free trade benefit all?", Form.ESSAY),
        ("Translate into Chinese: the early bird.", Form.OTHER),
        ("State the mean value theorem.", Form.SHORT_ANSWER),
        ("解线性方程组。", Form.CALCULATION),
        ("以《史记》为例，谈史传文学的特点。", Form.ESSAY),
    ],
)
def test_forms_told_by_wording(text: str, form: Form) -> None:
    assert cut(f"1. {text}\n2. What is a stack?").drafts[0].form is form


def test_the_heading_asks_for_what_its_items_only_name() -> None:
    found = cut("一.求下列极限（每小题5分）\n1. $\\lim n^{1/n}$\n2. $\\lim e^{-n}$").drafts
    assert [d.form for d in found] == [Form.CALCULATION] * 2
    (fill,) = cut("一、程序填空题\n1. 补全：r = ____; 循环____。").drafts
    assert fill.form is Form.FILL_BLANK


def test_small_letters_that_ask_are_parts_and_bare_letters_are_options() -> None:
    asked, chosen = cut(
        "1. Suppose Y = C + I.\na. Find the level of output.\nb. What is the multiplier?\n2. Light is fastest in\nA vacuum\nB water\nC glass\nD diamond"
    ).drafts
    assert len(asked.parts) == 2
    assert not asked.options
    assert [o.text for o in chosen.options] == ["vacuum", "water", "glass", "diamond"]


def test_points_in_square_brackets_at_the_ends_of_lines() -> None:
    found = cut(
        "1. A car moves.\n(a) Find its speed. [2]\n(b) Find its path. [3]\n2. Describe an experiment. [8]"
    ).drafts
    assert [d.points for d in found] == [5.0, 8.0]


def test_an_item_that_names_its_own_kind() -> None:
    found = cut(
        "（单选题）1. 世界卫生日在（ ）\nA. 四月 B. 五月\n（判断题）2. 糖尿病可以传染。（ ）\n（填空题）3. 水由____组成。"
    ).drafts
    assert [(d.number, d.form) for d in found] == [
        ("1", Form.MULTIPLE_CHOICE),
        ("2", Form.TRUE_FALSE),
        ("3", Form.FILL_BLANK),
    ]


@pytest.mark.parametrize("style", ["#{} ", "T{}. ", "Q{}: ", "{}【简答题】", "{}。", "〔{}〕"])
def test_rare_numbers(style: str) -> None:
    found = cut("\n".join(f"{style.format(n)}Name the compound {'甲乙丙'[n - 1]}." for n in (1, 2, 3))).drafts
    assert len(found) == 3


def test_letters_over_items_are_headings() -> None:
    found = cut(
        "A. 名词解释（每题3分）\n1. 板块构造\n2. 岩浆岩\nB. 简答题（每题8分）\n1. 简述岩石循环。\n2. 简述风化作用。"
    ).drafts
    assert [d.points for d in found] == [3.0, 3.0, 8.0, 8.0]


def test_numbered_blanks_are_blanks() -> None:
    found = cut(
        "一、填空题（每空1分）\n1、最大的器官是 ① ，最大的腺体是 ② 。\n2、单位是（1）        和（2）        。"
    ).drafts
    assert [d.points for d in found] == [2.0, 2.0]
    assert all(d.confidence == 1.0 for d in found)


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("1. 简述甲的含义和\n特点，\n2. 什么是乙？", "breaks off"),
        ("1. 的含义，是什么？\n2. 什么是乙？", "begins in the middle"),
        ("1. 甲（ ）\nA. 一\nB. 二\n乙（ ）\nA. 三\nB. 四\n2. 丙（ ）\nA. 一\nB. 二", "two sets of options"),
        ("1. 什么是甲？\n附加 简答题（每题5分）\n2. 什么是乙？", "a heading stands inside"),
        ("1. 什么是甲？（5分）其特点是什么？（6分）\n2. 什么是乙？", "points of several questions"),
        ("1. 什么是甲？第 3 页\n2. 什么是乙？", "words of the page"),
        ("1. 求下图的面积。\n2. 什么是乙？", "a figure is spoken of"),
        ("1. 流程图如下，说明其功能。\nbegin Y N X=0 b=a end\n2. 什么是乙？", "labels of a figure"),
        ("一、判断题\n1. 栈后进先出 (X)+。\n2. 队列先进先出。（ ）", "a verdict left"),
    ],
)
def test_doubts_about_the_text(text: str, doubt: str) -> None:
    found = cut(text).drafts
    assert doubt in found[0].evidence.get("doubts", "")
    assert "doubts" not in found[-1].evidence


def test_doubts_about_what_differs_from_its_neighbours() -> None:
    items = [f"{n}. 第{n}题问的是（ ）（2分）\nA. 一 B. 二 C. 三 D. 四" for n in range(1, 6)]
    items[3] = f"4. 第4题的背景很长：{'背景' * 400}，问的是（ ）\nA. 一 B. 二 C. 三"
    doubts = [
        d.evidence.get("doubts", "") for d in cut(["一、单项选择题", *"\n".join(items).split("\n")]).drafts
    ]
    assert doubts[0] == doubts[1] == doubts[4] == ""
    for said in ("far longer", "3 options where the others have 4", "no points where the others have some"):
        assert said in doubts[3]


def test_lines_of_a_page_that_begin_with_bare_letters_are_options() -> None:
    lines = [
        "1. The SI unit of the force is called the",
        "A joule",
        "B newton",
        "C watt",
        "D pascal",
        "2. Why?",
    ]
    found = segment(document(lines, "paper.pdf", Origin.TEXT_LAYER)).drafts
    assert [o.text for o in found[0].options] == ["joule", "newton", "watt", "pascal"]


def test_numbers_of_two_levels_go_on_over_the_first() -> None:
    lines = ["1-1 什么是信号？", "1-2 什么是系统？", "2-1 什么是卷积？", "2-2 什么是变换？"]
    assert len(segment(document(lines, "paper.pdf", Origin.TEXT_LAYER)).drafts) == 4


def test_directions_over_several_lines_are_no_part_of_the_question() -> None:
    lines = [
        "Section A Cloze (10 points)",
        "Directions: Fill in each blank with one proper word from",
        "the list below.",
        "The sun rises in the __1__ and sets in the __2__.",
    ]
    (draft,) = segment(document(lines, "paper.pdf", Origin.TEXT_LAYER)).drafts
    assert draft.printed.startswith("The sun")


def test_a_number_that_the_typist_forgot_is_put_in_and_doubted() -> None:
    found = cut(
        "一、论述题\n1. 论述光的干涉及其应用。\n论述光的衍射及其应用。\n3. 论述光的偏振及其应用。"
    ).drafts
    assert [d.number for d in found] == ["1", "2", "3"]
    assert found[1].confidence < 0.6


def test_numbers_on_lines_of_their_own() -> None:
    assert stems("论文选题\n1\n试论唐诗繁荣的原因\n2\n宋词两派之比较\n3\n元杂剧的艺术成就") == [
        "试论唐诗繁荣的原因",
        "宋词两派之比较",
        "元杂剧的艺术成就",
    ]


def test_headings_without_any_number() -> None:
    found = cut(
        "单项选择题\n1. 甲（ ）\nA. 一 B. 二\n2. 乙（ ）\nA. 一 B. 二\n判断题\n1. 丙是对的。（ ）\n2. 丁是对的。（ ）\n"
        "简答题\n1. 什么是戊？\n2. 什么是己？"
    ).drafts
    assert [d.form for d in found] == [
        *[Form.MULTIPLE_CHOICE] * 2,
        *[Form.TRUE_FALSE] * 2,
        *[Form.SHORT_ANSWER] * 2,
    ]


def test_letters_before_numbers() -> None:
    found = cut(
        "Part B. Answer ONE question (25 marks)\nB1. Discuss the causes of inflation.\nB2. Evaluate the use of fiscal policy."
    ).drafts
    assert [(d.number, d.points, d.form) for d in found] == [
        ("B1", 25.0, Form.ESSAY),
        ("B2", 25.0, Form.ESSAY),
    ]
    assert len(cut("1. 进程如下：\nP1: 读\nP2: 写\n2. 什么是死锁？").drafts) == 2


def test_points_between_number_and_text() -> None:
    found = cut(
        "Problem 1 (30 points). A ball falls.\nA. (10 points) Find the time.\nB. (20 points) Find the speed.\nProblem 2 (5 points). Why?"
    )
    assert [(d.printed.split("\n")[0], d.points) for d in found.drafts] == [
        ("A ball falls.", 30.0),
        ("Why?", 5.0),
    ]
    assert not found.drafts[0].options


def test_letters_in_a_sentence_are_no_options() -> None:
    (draft,) = cut("1. 对于如图的波形，A、B、C三点中速度最大的是____。").drafts
    assert not draft.options


def test_rules_in_the_middle_of_a_text_are_no_questions() -> None:
    found = cut(
        "1. 第一点说明。\n2. 第二点说明。\n考试规则\n1. 考生须携带准考证。\n2. 答案写在答题纸上。\n3. 交回试卷。\n1. 什么是公共政策？\n2. 简述政策过程。"
    )
    assert any(d.reason == "rules of the examination" for d in found.dropped)
    assert all("准考证" not in d.printed for d in found.drafts)


def test_a_title_is_no_beginning_of_a_question_whose_number_was_lost() -> None:
    def line(row: int, text: str, height: float = 11) -> Block:
        box = Box(50, 20.0 * row, 50 + height * len(text), 20.0 * row + height)
        return Block(text=text, origin=Origin.OCR, box=box)

    lines = [line(0, "民俗学考试提纲", 17), line(1, "如何理解节日的含义？"), line(2, "2 简述丁的主要特征。")]
    found = segment(document(lines, "photo.jpg", Origin.OCR)).drafts
    assert [d.printed for d in found] == ["如何理解节日的含义？", "简述丁的主要特征。"]


_WORDS = st.text(alphabet="天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏", min_size=4, max_size=20)
_HEADS = st.sampled_from(["{han}、", "（{han}）", "{roman}. ", "{letters}. ", "Part {n}: ", "第{han}部分 "])
_ITEMS = st.sampled_from(
    ["{}. ", "{}、", "{}．", "（{}）", "({}) ", "{}) ", "【{}】", "第{}题 ", "Q{}. ", "Question {}: "]
)
_ASKED = st.lists(
    st.tuples(
        st.sampled_from(["简答题", "论述题", "名词解释", "计算题"]), st.lists(_WORDS, min_size=2, max_size=6)
    ),
    min_size=2,
    max_size=4,
)
_NOISE = st.sampled_from([[], ["得分 评卷人"], ["（请将答案写在答题纸上）"]])


@settings(max_examples=80, deadline=None)
@given(head=_HEADS, item=_ITEMS, sections=_ASKED, noise=_NOISE, runs_on=st.booleans())
def test_a_paper_in_any_numbering_comes_back_whole(
    head: str, item: str, sections: list[tuple[str, list[str]]], noise: list[str], runs_on: bool
) -> None:
    lines, want, number = ["某大学期末考试试卷"], [], 0
    for place, (kind, texts) in enumerate(sections):
        dress = {"han": "一二三四"[place], "roman": "ⅠⅡⅢⅣ"[place], "letters": ("I", "II", "III", "IV")[place]}
        lines += [*noise, f"{head.format(n=place + 1, **dress)}{kind}（每小题5分，共{5 * len(texts)}分）"]
        number = number if runs_on else 0
        for text in texts:
            number += 1
            lines.append(f"{item.format(number)}{text}是什么？")
            want.append((number, f"{text}是什么？"))
    found = cut(lines).drafts
    assert [(number_value(d.number), d.printed) for d in found] == want
    assert {d.points for d in found} == {5.0}


def test_what_is_said_to_the_candidates_below_a_question_is_no_part_of_it() -> None:
    found = cut(
        "一、试论审美意识形态的性质。\n二、联系实际，谈网络文学的发展。\n（以上两题任选一题，不少于1500字）"
    )
    assert [d.printed for d in found.drafts] == ["试论审美意识形态的性质。", "联系实际，谈网络文学的发展。"]
    assert found.drafts[1].form is Form.ESSAY
    terms = cut(
        "一、简答题\n1. 什么是甲？\n2. 什么是乙？\n（以上两题任选一题）\n附加\n1. 焓变\n2. 熵变"
    ).drafts
    assert [d.printed for d in terms][-1] == "熵变"


@pytest.mark.parametrize(
    "piece", ["求" + " " * 9, " ", "find the ", "，", "A ", "insert in ", "（", "1. ", "字"]
)
def test_long_lines_cost_no_more_than_their_length(piece: str) -> None:
    import time

    begin = time.process_time()
    cut(["1. 题", f"求{piece * (30000 // len(piece))}x", "2. 什么是乙？"])
    assert time.process_time() - begin < 4


@pytest.mark.parametrize("last", ["", "\n三、论述题\n7. 试述群落的演替。\n8. 试述种群的增长。"])
@pytest.mark.parametrize("number", ["Q6.", "第6题", "Question 6:"])
def test_a_number_in_another_style_goes_on_with_the_sequence(number: str, last: str) -> None:
    found = cut(
        "一、简答题\n4. 简述生态位。\n答：物种在群落中的地位。\n5. 简述食物链。\n答：生物之间的营养关系。\n"
        f"{number} 简述能量的流动。\n1) 输入\n2) 输出{last}"
    ).drafts
    assert [number_value(d.number) for d in found][:3] == [4, 5, 6]
    assert found[1].answer == "生物之间的营养关系。"


def test_a_bracketed_number_fills_the_gap_between_two_items() -> None:
    found = cut(
        "一、简答题\n1. 简述甲。\n2. 简述乙。\n（3）简述丙。\n4. 简述丁。\n（1）其一\n（2）其二"
    ).drafts
    assert [number_value(d.number) for d in found] == [1, 2, 3, 4]


@pytest.mark.parametrize("between", ["", "二、论述题\n"])
def test_a_jump_in_the_numbers_is_doubted_on_both_sides(between: str) -> None:
    found = cut(
        f"一、简答题\n1. 简述甲的含义。\n2. 简述乙的含义。\n{between}4. 简述丁的含义。\n5. 简述戊。"
    ).drafts
    assert found[1].confidence < 0.6 and found[2].confidence < 1.0
    assert found[0].confidence == 1.0


@pytest.mark.parametrize(
    "case",
    [
        "病例分析：患者男，40岁，咳嗽三天。问题：",
        "病例分析\n患者男，40岁，咳嗽三天。\n问题：",
        "Case: a man of 40 coughs.\nQuestions:",
        "案例：某厂停产。根据材料回答下列问题：",
    ],
)
@pytest.mark.parametrize(("last", "numbers"), [("\n3. 简述糖尿病的分型。", [1, 2, 3]), ("", [1, 2])])
def test_numbers_that_restart_below_a_case_are_its_parts(case: str, last: str, numbers: list[int]) -> None:
    found = cut(f"一、简答题\n1. 简述肝硬化。\n2. {case}\n1. 初步诊断？\n2. 检查什么？{last}").drafts
    assert [number_value(d.number) for d in found] == numbers
    assert [part.text for part in found[1].parts] == ["初步诊断？", "检查什么？"]


def test_questions_numbered_in_two_styles_are_all_kept() -> None:
    found = cut("一、简答题\n1. 甲是什么？\n2. 乙是什么？\nQ3. 丙是什么？\nQ4. 丁是什么？").drafts
    assert [number_value(draft.number) for draft in found] == [1, 2, 3, 4]


def test_a_short_case_under_a_heading_is_material() -> None:
    found = cut("一、案例分析题\n案例：甲乙签约。问题：\n1. 合同有效吗？\n2. 如何救济？").drafts
    assert [draft.material for draft in found] == ["案例：甲乙签约。问题："] * 2
