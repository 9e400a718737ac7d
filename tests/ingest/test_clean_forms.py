"""Generative forms: what each printed form is asked as, and that no item shows its own answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.made_papers import paper
from ingest.clean import check_paper, itemise
from ingest.clean.asking import asks, heading_task, told_after
from ingest.clean.choice import reason_of
from ingest.clean.confusions import repaired
from ingest.clean.text import clean_text
from schemas.question import Draft, Label, Option, Part, PrintedForm, QuestionType, Status
from schemas.settings import CleanSettings
from schemas.text import fold

LABEL = Label(discipline="d08", confidence=0.9)
SHORT, CALCULATION = PrintedForm.SHORT_ANSWER, PrintedForm.CALCULATION


def draft(stem, **fields):
    fields.setdefault("printed", stem)
    return Draft.model_validate(
        {"source": "a.docx", "sha256": "1" * 64, "draft_id": "d", "stem": stem, **fields}
    )


def items(stem, **fields):
    return itemise(draft(stem, **fields), LABEL, CleanSettings())


def choice(stem, *texts, answer="B", **fields):
    options = tuple(Option(label=label, text=text) for label, text in zip("ABCDE", texts, strict=False))
    return items(stem, options=options, form=PrintedForm.MULTIPLE_CHOICE, answer=answer, **fields)


@pytest.mark.parametrize(
    ("stem", "texts"),
    [
        ('有以下程序\nint main() { printf("%d", 3); }\n程序运行后的输出结果是（ ）', ("1", "3", "5")),
        ("如下表所示，平均数是（ ）\n| a | b |\n| --- | --- |\n| 1 | 5 |", ("1", "3", "5")),
        ("最早提出日心说的天文学家是（ ）", ("托勒密", "哥白尼", "牛顿")),
        ("算法的空间复杂度是指（ ）", ("指令条数", "执行过程中所需要的全部存储空间的大小", "程序长度")),
    ],
)
def test_stems_that_stand_alone(stem, texts):
    (item,) = choice(stem, *texts)
    assert item.reference_answer == texts[1] and item.question_type is not QuestionType.TRUE_FALSE


@pytest.mark.parametrize(
    "stem",
    [
        "若 $a>b$，则错误的赋值是（ ）",
        "下列数据结构中，属于线性结构的是（ ）",
        "编译时会出现错误的是（ ）",
        "设 $AB=0$，则必有（ ）",
        "哪种运算不能用于判断连通（ ）",
        "数据库管理系统是（ ）",
        "微分方程不可能（ ）",
    ],
)
def test_stems_that_need_their_options(stem):
    texts = ("第一种相当长的说法和它的理由", "第二种相当长的说法和它的理由", "第三种相当长的说法和它的理由")
    assert len(choice(stem, *texts)) == 3


def test_lower_case_names_joined_by_and_are_no_options():
    assert (
        len(choice("下列函数的功能说法正确的是（ ）", "比较a和b的长短大小关系", "把a和b连接在一起输出")) == 2
    )


def test_sets_of_numbered_statements_are_asked_by_number():
    (item,) = choice("可能的操作有（ ）\nI.读入 II.换页 III.分配", "仅I", "仅II、III", "I、II")
    assert item.reference_answer == "仅II、III" and "编号" in item.prompt and "仅I" not in item.prompt


def test_an_explanation_becomes_the_reason_without_its_letter():
    found = choice(
        "下列说法正确的是（ ）", "栈先进先出", "栈后进先出", explanation="解析：栈只在一端操作。因此答案选B。"
    )
    assert [q.reference_answer for q in found] == [
        "错误。该题的正确选项是：栈后进先出。理由：栈只在一端操作。",
        "正确。理由：栈只在一端操作。",
    ]
    assert reason_of("A项错误，B项正确。") == ""


def test_a_program_with_few_words_is_asked_in_their_language():
    code = "\n".join(f'printf("%d", value[{n}]);' for n in range(30))
    found = choice(
        f"下列程序段中语法正确的是\n{code}", "for (i = 0; i < 3; i++) f(i);", "while (x) { x = g(x); }"
    )
    assert found[0].prompt.startswith("请判断")


@pytest.mark.parametrize(
    ("section", "stem", "form", "prompt"),
    [
        ("三、计算下列极限（每题5分）", "$\\lim x$", CALCULATION, "计算下列极限：$\\lim x$"),
        ("三、计算题", "$\\int x\\,dx$", CALCULATION, "请计算：$\\int x\\,dx$"),
        ("四、证明题", "$a^2+b^2\\ge 2ab$", CALCULATION, "请证明：$a^2+b^2\\ge 2ab$"),
        ("五、把下列句子译成英语", "春天来了。", SHORT, "把下列句子译成英语：春天来了。"),
        ("五、英译汉", "Spring has come.", SHORT, "请将下面的内容译成汉语。\nSpring has come."),
        (
            "六、编程题",
            "输入三个整数，输出其中最大的一个。",
            CALCULATION,
            "请编写程序，完成下面的要求。\n输入三个整数，输出其中最大的一个。",
        ),
        ("七、简答题", "宋代山水画的特点", SHORT, "请简述：宋代山水画的特点"),
        ("一、名词解释", "比较优势", SHORT, "请解释下列术语：比较优势"),
        ("一、名词解释", "新技术革命的意义", SHORT, "请简述：新技术革命的意义"),
        ("七、简答题", "比较两种制度的异同。", SHORT, "比较两种制度的异同。"),
        (
            "四、证明题",
            "利用中值定理证明不等式 $x>\\sin x$。",
            CALCULATION,
            "利用中值定理证明不等式 $x>\\sin x$。",
        ),
    ],
)
def test_what_asks_nothing_is_asked_by_its_heading(section, stem, form, prompt):
    assert items(stem, section=section, form=form)[0].prompt == prompt


def test_numbered_blanks():
    (item,) = items("主关键字是【5】，外关键字是【6】。", form=PrintedForm.FILL_BLANK)
    assert item.prompt.startswith("请填写下面编号空白处")
    assert clean_text("x ____(1)____ y ____(2)____") == "x ____(1) y ____(2)"


TOLD = "需求的价格弹性是需求量变动率与价格变动率之比。弹性大的商品降价可以增加收益，弹性小的商品提价可以增加收益。"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (f"什么是需求弹性？它对定价有何意义？\n{TOLD}", "什么是需求弹性？它对定价有何意义？"),
        (f"简述需求弹性的意义。{TOLD}", "简述需求弹性的意义。"),
        (f"需求弹性的意义\n{TOLD}{TOLD}", "需求弹性的意义"),
        (f"需求弹性：\n需求弹性是{TOLD}", "需求弹性"),
        (f"企业的建设中应该怎样利用需求弹性？\n{TOLD}", "企业的建设中应该怎样利用需求弹性？"),
        (f"谈谈需求弹性。P42\n{TOLD}", "谈谈需求弹性。"),
    ],
)
def test_an_answer_printed_below_its_question_is_taken_out(text, asked):
    split = told_after(text)
    assert split is not None and split[0] == asked
    (item,) = items(text, form=SHORT)
    assert "弹性大的商品" not in item.prompt and "弹性大的商品" in item.reference_answer
    assert item.status is Status.REVIEW and "answer_unmarked" in item.flags


@pytest.mark.parametrize(
    "text",
    [
        f"分析下面的观点。\n{TOLD}",
        f"什么是需求弹性？\n{TOLD}请据此说明薄利多销。",
        "甲厂为什么亏损？（不超过二百字）",
        f"阅读材料，说明需求弹性的意义。\n{TOLD}",
        "求最大利润。设某厂的成本函数为二次函数，固定成本为一百元，每增加一件产品成本增加五元。",
    ],
)
def test_what_belongs_to_a_question_stays_with_it(text):
    assert told_after(text) is None


def test_a_sub_question_loses_the_answer_below_it():
    parts = tuple(Part(number=f"({n})", text=f"为什么价格会影响第{n}类商品的收益？\n{TOLD}") for n in (1, 2))
    found = items(
        "", material="一份关于商品价格的材料。", parts=parts, form=PrintedForm.ANALYSIS, printed="材料"
    )
    assert len(found) == 2 and all("变动率" not in q.prompt and q.reference_answer for q in found)


def test_an_answer_told_below_the_stem_is_cut_off():
    (item,) = items("什么是栈？\n参考答案：后进先出的线性表。", form=SHORT)
    assert item.prompt == "什么是栈？" and item.reference_answer == "后进先出的线性表。"
    assert "answer_in_stem" in item.flags and item.status is Status.REVIEW
    (item,) = items("什么是栈？ 答案：后进先出。", form=SHORT)
    assert item.prompt == "什么是栈？"
    (judged,) = items("栈是先进先出的。（×）", form=PrintedForm.TRUE_FALSE)
    assert "×" not in judged.prompt and judged.reference_answer == "错误。" and judged.status is Status.REVIEW


def test_numbers_points_and_origin_leave_the_stem():
    (item,) = items("3. 什么是栈？（5分）", number="3", form=SHORT)
    assert (item.prompt, item.points) == ("什么是栈？", 5)
    (item,) = items("栈的容量至少是多少？[2009考研试题]", form=SHORT, points=2.0)
    assert item.prompt == "栈的容量至少是多少？" and item.evidence["origin"] == "2009考研试题"
    (item,) = items("有两盒药，每盒多少钱（10分）", form=SHORT, points=5.0)
    assert "10分" in item.prompt


def test_traditional_characters_stay_with_a_simplified_form_beside():
    (item,) = items("簡述資產負債表的結構。", form=SHORT)
    assert item.prompt == "簡述資產負債表的結構。" and item.evidence["simplified"] == "简述资产负债表的结构。"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("己知20l3年人日增长", "已知2013年人口增长"),
        ("若千时侯的慨率", "若干时候的概率"),
        ("int a=l, b=0;", "int a=1, b=0;"),
        ("期未考试与未端节点", "期末考试与末端节点"),
        ("区问套定理", "区间套定理"),
        ("第l章共3O分", "第1章共30分"),
    ],
)
def test_confusions_are_put_right(wrong, right):
    assert repaired(wrong)[0] == right
    (item,) = items(f"{wrong}，请说明。", form=SHORT)
    assert right in item.prompt and ">" in item.evidence["repaired"] and wrong in item.printed


@pytest.mark.parametrize(
    "text",
    [
        "自己经历的小时问题",
        "连接日志与地区问题",
        "2O2 与 H2O 和 CO2",
        "int l=3, a=l;",
        "改正错别字：己知",
        "$a=l$ 和 $2O1$",
        "5l 水，0O 键",
    ],
)
def test_what_may_be_right_stays(text):
    assert repaired(text) == (text, ())


_PIECES = st.sampled_from(
    [
        "己知",
        "____",
        "(1)",
        "（ ）",
        "什么是栈",
        "\n",
        "。",
        "？",
        "答案：",
        "后进先出",
        "A. ",
        "$x$",
        "2O13年",
        "​",
        "＿",
        "ﬁ",
        "㎡",
        "𝑥",
        "、",
        "栈",
        "（5分）",
    ]
)
_TEXT = st.lists(_PIECES, max_size=14).map("".join)


@given(_TEXT)
def test_cleaning_and_repairing_twice_changes_nothing(text):
    once = repaired(clean_text(text))[0]
    assert clean_text(once) == once and repaired(once) == (once, ())


@settings(max_examples=60)
@given(
    _TEXT,
    _TEXT,
    st.sampled_from(list(PrintedForm)),
    st.sampled_from(["", "名词解释", "计算题", "简答题", "判断题"]),
)
def test_no_active_item_shows_its_answer(stem, answer, form, section):
    options = (
        tuple(Option(label=x, text=f"{answer}{x}") for x in "ABC")
        if form is PrintedForm.MULTIPLE_CHOICE
        else ()
    )
    for item in items(stem, answer=answer or None, form=form, section=section, options=options):
        if (
            item.status is Status.ACTIVE
            and item.reference_answer
            and item.question_type is not QuestionType.TRUE_FALSE
        ):
            said = fold(f"答{item.reference_answer}")[1:]
            kept = "options_kept" in item.flags
            assert kept or len(said) < 6 or said.isdigit() or said not in fold(item.prompt)
        assert "\n答案：后" not in item.prompt or item.status is Status.REVIEW


def test_items_of_whole_papers_show_no_answer():
    for seed in range(6):
        for made in check_paper(paper(seed)):
            found = itemise(made, LABEL, CleanSettings())
            assert found
            for item in found:
                if (
                    item.printed_form is PrintedForm.MULTIPLE_CHOICE
                    and item.question_type is not QuestionType.TRUE_FALSE
                ):
                    assert not any(option.text in item.prompt for option in made.options)
                assert item.printed


def test_headings_that_demand():
    assert (
        heading_task("Part B. Translate the following sentences (20 points)")
        == "Translate the following sentences"
    )
    assert heading_task("二、名词解释（每题4分）") == ""
    assert asks("结合作品分析画家的成就") and not asks("分析化学") and not asks("成本分析方法")
