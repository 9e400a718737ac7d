"""From drafts to generative items: form, references, checks, and text kept as it was meant."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.clean import exam_facts, itemise
from ingest.clean.answers import choice_letters, part_answers, verdict
from ingest.clean.personal import REMOVED, remove_personal_data
from ingest.clean.text import blanks, clean_text
from schemas.question import Draft, Label, Option, Part, PrintedForm, QuestionType, Status
from schemas.settings import CleanSettings

LABEL = Label(discipline="d08", sub_discipline="d0809", confidence=0.9, method="title:数据结构")
SETTINGS = CleanSettings()
FOUR = ("进程", "线程", "作业", "程序")


def draft(stem, **fields):
    fields.setdefault("printed", stem)
    return Draft(source="a.docx", sha256="1" * 64, draft_id="d1", stem=stem, **fields)


def choice(stem, answer="B", texts=FOUR, **fields):
    options = tuple(Option(label=label, text=text) for label, text in zip("ABCDEFGH", texts, strict=False))
    printed = stem + "\n" + "\n".join(f"{o.label}. {o.text}" for o in options)
    return draft(
        stem, form=PrintedForm.MULTIPLE_CHOICE, options=options, answer=answer, printed=printed, **fields
    )


def items(d, label=LABEL, **options):
    return itemise(d, label, SETTINGS, **options)


def one(d, **options):
    (item,) = items(d, **options)
    return item


def test_short_answer_stays_as_it_stands():
    item = one(draft("什么是栈？", answer="后进先出的线性表。", form=PrintedForm.SHORT_ANSWER))
    assert item.prompt == "什么是栈？"
    assert item.reference_answer == "后进先出的线性表。"
    assert item.status is Status.ACTIVE and item.flags == ()
    assert (item.discipline, item.sub_discipline, item.label_method) == ("d08", "d0809", "title:数据结构")
    assert item.evidence["draft_id"] == "d1" and item.evidence["sibling"] == "1/1"
    assert item.question_id == item.batch == item.created_at == ""


def test_term_is_to_be_explained():
    item = one(draft("虚拟内存", section="一、名词解释", form=PrintedForm.SHORT_ANSWER))
    assert item.prompt == "请解释下列术语：虚拟内存"
    asked = one(draft("简述虚拟内存。", section="一、名词解释与简答", form=PrintedForm.SHORT_ANSWER))
    assert asked.prompt == "简述虚拟内存。"
    english = one(draft("Virtual memory", section="Part A. Terms", form=PrintedForm.SHORT_ANSWER))
    assert english.prompt == "Explain the following term: Virtual memory"
    assert english.language == "en"


def test_a_term_printed_with_its_explanation_does_not_show_it():
    item = one(
        draft("死锁：若干进程互相等待而都不能前进的状态", section="名词解释", form=PrintedForm.SHORT_ANSWER)
    )
    assert "等待" not in item.prompt and item.reference_answer.startswith("若干进程")
    assert item.status is Status.REVIEW and "answer_unmarked" in item.flags


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("√", "正确。"),
        ("×", "错误。"),
        ("T", "正确。"),
        ("F", "错误。"),
        ("错误。栈是后进先出的。", "错误。栈是后进先出的。"),
        ("不正确，栈是后进先出", "错误。栈是后进先出"),
    ],
)
def test_statement_is_to_be_judged_with_the_reason(answer, reference):
    item = one(draft("栈是先进先出的线性表。（  ）", answer=answer, form=PrintedForm.TRUE_FALSE))
    assert item.prompt == "请判断下列说法是否正确，并说明理由。\n栈是先进先出的线性表。"
    assert item.reference_answer.rstrip("。") == reference.rstrip("。")
    assert item.question_type is QuestionType.TRUE_FALSE


def test_blanks_make_one_item():
    item = one(
        draft(
            "栈的特点是（  ），队列的特点是______。", answer="后进先出；先进先出", form=PrintedForm.FILL_BLANK
        )
    )
    assert item.prompt.endswith("栈的特点是____，队列的特点是____。")
    assert item.prompt.startswith("请填写")


def test_choice_that_stands_alone_is_asked_openly():
    item = one(choice("调度的基本单位是（  ）。"))
    assert item.prompt == "请填写下面空白处（____）的内容。\n调度的基本单位是____。"
    assert item.reference_answer == "线程"
    assert not any(text in item.prompt for text in FOUR)
    asked = one(choice("调度的基本单位是什么？"))
    assert asked.prompt == "调度的基本单位是什么？"


def test_choice_that_needs_its_options_gives_one_statement_each():
    found = items(choice("下列关于调度的说法中，正确的是（  ）。"))
    assert [q.evidence["sibling"] for q in found] == ["1/4", "2/4", "3/4", "4/4"]
    assert len({q.evidence["draft_id"] for q in found}) == 1
    assert len({q.prompt for q in found}) == 4
    assert {q.question_type for q in found} == {QuestionType.TRUE_FALSE}
    assert [q.reference_answer.startswith("正确") for q in found] == [False, True, False, False]
    assert "线程" in found[0].reference_answer and "线程" not in found[0].prompt


def test_several_right_options_give_statements():
    found = items(choice("线程的特点有（  ）", answer="A、C"))
    assert [q.reference_answer.startswith("正确") for q in found] == [True, False, True, False]
    assert "进程；作业" in found[1].reference_answer


def test_a_comparison_shows_all_options():
    found = items(choice("下列调度单位中最小的是", answer="B"))
    assert all(all(text in q.prompt for text in FOUR) for q in found)


def test_policy_statements():
    found = itemise(choice("调度的基本单位是（  ）。"), LABEL, CleanSettings(choice_policy="statements"))
    assert len(found) == 4


@pytest.mark.parametrize("last", ["以上都是", "A和B"])
def test_options_that_name_one_another_stay_together(last):
    item = one(choice("下列属于调度单位的是（  ）", answer="D", texts=("进程", "线程", "作业", last)))
    assert "A. 进程" in item.prompt and item.reference_answer == f"D. {last}"


def test_combinations_of_numbered_statements_are_asked_openly():
    stem = "下列说法正确的是 Ⅰ 栈可以用数组实现 Ⅱ 队列可以用链表实现"
    item = one(choice(stem, answer="C", texts=("仅Ⅰ", "仅Ⅱ", "Ⅰ和Ⅱ", "Ⅱ、Ⅲ")))
    assert item.reference_answer == "Ⅰ和Ⅱ"


def test_choice_without_answer_waits():
    item = one(choice("下列正确的是（  ）", answer=None))
    assert "A. 进程" in item.prompt and item.reference_answer is None
    assert item.status is Status.REVIEW and "no_answer" in item.flags


@pytest.mark.parametrize(
    ("texts", "flag"),
    [(("甲",), "options_missing"), (("甲", ""), "options_missing"), (("甲", "乙", "甲"), "options_repeated")],
)
def test_damaged_options_are_reported(texts, flag):
    item = one(choice("哪个对？", answer="A", texts=texts))
    assert flag in item.flags and item.status is Status.REVIEW and flag in item.status_reason


def test_an_option_left_in_other_text_is_reported():
    item = one(choice("秩的条件是（  ）\nA. $r(", answer="B", texts=("= n$", "$r(A)<n$\nC. $r(A)>n$")))
    assert "options_missing" in item.flags and item.status is Status.REVIEW


def test_formulas_tell_neither_language_nor_letters():
    item = one(choice("设 $ABCDEFG$ 可逆，则 $(AB)^{-1}$ 等于（  ）", texts=("$BA$", "$A'B'$")))
    assert item.prompt.startswith("请填写") and item.language == "zh" and item.flags == ()


def test_a_view_is_to_be_discussed():
    item = one(draft("环境决定人的发展。", section="二、辨析题", answer="错误。", form=PrintedForm.ANALYSIS))
    assert item.prompt == "请辨析下列说法，并说明理由。\n环境决定人的发展。"


def test_a_statement_that_speaks_of_judging_is_still_to_be_judged():
    item = one(draft("拓扑排序可以判断图中是否有环。", answer="√", form=PrintedForm.TRUE_FALSE))
    assert item.prompt.startswith("请判断下列说法")


def test_gap_in_the_labels():
    options = (Option(label="A", text="甲"), Option(label="C", text="丙"))
    item = one(draft("哪个对？", form=PrintedForm.MULTIPLE_CHOICE, options=options, answer="A"))
    assert "options_missing" in item.flags


CASE = "甲公司任命乙为经理，并告知他不得对外提供担保。乙仍以公司名义订立了保证合同。"


def test_material_is_repeated_for_every_sub_question():
    parts = (
        Part(number="(1)", text="保证合同是否有效？请说明理由。", answer="有效。"),
        Part(number="(2)", text="甲公司可以向谁追偿？请说明依据。", answer="向乙。"),
    )
    found = items(draft("", material=CASE, parts=parts, form=PrintedForm.ANALYSIS, printed=CASE))
    assert [q.material for q in found] == [CASE, CASE]
    assert [q.reference_answer for q in found] == ["有效。", "向乙。"]
    assert [q.evidence["sibling"] for q in found] == ["1/2", "2/2"]


def test_answers_that_cannot_be_told_apart_keep_the_question_whole():
    parts = (
        Part(number="(1)", text="保证合同是否有效？请说明。"),
        Part(number="(2)", text="可以向谁追偿？请说明依据。"),
    )
    whole = one(
        draft(
            "", material=CASE, parts=parts, form=PrintedForm.ANALYSIS, answer="有效，向乙追偿。", printed=CASE
        )
    )
    assert "(1)" in whole.prompt and "(2)" in whole.prompt
    split = items(
        draft(
            "",
            material=CASE,
            parts=parts,
            form=PrintedForm.ANALYSIS,
            answer="(1)有效。(2)向乙。",
            printed=CASE,
        )
    )
    assert [q.reference_answer for q in split] == ["有效。", "向乙。"]


def test_steps_of_a_calculation_stay_together():
    parts = (
        Part(number="(1)", text="求函数的导数表达式；"),
        Part(number="(2)", text="求函数在区间上的最大值。"),
    )
    assert len(items(draft("设 $f(x)=x^3$。", parts=parts, form=PrintedForm.CALCULATION))) == 1


def test_an_answer_alone_makes_no_item():
    assert items(draft("", answer="B", flags=("answer_only",), printed="1. B")) == ()


@pytest.mark.parametrize(
    ("stem", "fields", "flag"),
    [
        ("求下图所示网络的最短路径。", {}, "points_outside"),
        ("根据上述材料，说明其意义。", {}, "points_outside"),
        ("什么是锟斤拷？", {}, "mojibake"),
        ("设有\ufffd个结点的树，求其高度。", {}, "mojibake"),
        ("性能的决定因素有，", {}, "truncated"),
        ("什么是栈？", {"flags": ("truncated",)}, "truncated"),
        ("什么是栈？\n答案：后进先出", {}, "answer_in_stem"),
        ("栈是后进先出的线性表，请说明。", {"answer": "后进先出的线性表"}, "answer_in_stem"),
        ("什么是栈？", {"confidence": 0.3}, "low_extraction_confidence"),
        ("设[公式]为方阵，求其行列式。", {}, "formula_lost"),
        ("有疑问请联系 someone@example.org，什么是栈？", {}, "personal_data"),
    ],
)
def test_what_needs_a_person_goes_to_review(stem, fields, flag):
    item = one(draft(stem, **{"form": PrintedForm.SHORT_ANSWER, "answer": "略述如下", **fields}))
    assert flag in item.flags
    assert item.status is Status.REVIEW and flag in item.status_reason.split(", ")


def test_unsure_label_goes_to_review():
    unsure = Label(discipline="d05", confidence=0.4)
    assert one(draft("什么是栈？", answer="线性表"), label=unsure).status_reason == "low_label_confidence"
    assert (
        one(draft("什么是栈？", answer="线性表"), label=unsure, min_label_confidence=0.3).status
        is Status.ACTIVE
    )


def test_without_a_reference_it_stays_active_and_says_so():
    item = one(draft("什么是栈？", form=PrintedForm.SHORT_ANSWER))
    assert item.status is Status.ACTIVE and item.flags == ("no_answer",)


def test_figure_is_marked():
    item = one(draft("求下图的最短路径。[图]", figures=("ab",), answer="7", form=PrintedForm.SHORT_ANSWER))
    assert item.needs_figure and item.status is Status.ACTIVE


def test_personal_data_is_gone_everywhere():
    phone = "13912345678"
    item = one(
        draft(
            "什么是栈？",
            answer=f"请拨 {phone}",
            explanation="学号：2012011234",
            material="张三（2012011234）",
        ),
    )
    assert phone not in item.model_dump_json() and "2012011234" not in item.model_dump_json()
    assert REMOVED in item.reference_answer


@pytest.mark.parametrize(
    "text", ["$13912345678$ 的平方根", "总数为2012345678元", "3.14159265358979", "编号20120112"]
)
def test_numbers_are_no_personal_data(text):
    assert remove_personal_data(text) == (text, False)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("什 么 是 栈 ？", "什么是栈？"),
        ("ＡＢＣ１２３＋４＝５", "ABC123+4=5"),
        ("用 C 语言 编写", "用 C 语言编写"),
        ("答：______ 和 ＿＿＿。", "答：____ 和 ____。"),
        ("x² 与 ①，Ⅱ；（完）", "x² 与 ①，Ⅱ；（完）"),
        ("公式 $a　＝　b$ 不变", "公式 $a　＝　b$ 不变"),
        ("oﬀset\u200b\x07", "offset"),
        ("| a  | b |\n|---|---|", "| a  | b |\n|---|---|"),
    ],
)
def test_text_in_one_form(raw, clean):
    assert clean_text(raw) == clean


def test_a_sentence_broken_by_the_page_is_joined():
    first = "社会主义国家的大型国有企业普遍存在预算软约束的现象，试说明何谓预算"
    assert clean_text(f"{first}\n软约束。") == f"{first}软约束。"
    assert clean_text("短行\n第二行") == "短行\n第二行"
    assert clean_text(f"{first}\n(1) 原因") == f"{first}\n(1) 原因"


@given(st.text(max_size=200))
def test_cleaning_twice_changes_nothing(text):
    once = clean_text(text)
    assert clean_text(once) == once


@given(
    st.text(st.sampled_from("栈A1（）_ ？，$\n√B:：答案"), max_size=60), st.sampled_from(list(PrintedForm))
)
def test_every_draft_is_accounted_for(stem, form):
    found = items(draft(stem, form=form))
    assert bool(found) or not clean_text(stem)
    for item in found:
        assert item.status in (Status.ACTIVE, Status.REVIEW)
        assert bool(item.status_reason) == (item.status is Status.REVIEW)


@given(st.sets(st.sampled_from("ABCD"), min_size=1), st.sampled_from(["", "、", ", ", " "]))
def test_letters_however_written(letters, joiner):
    assert set(choice_letters(joiner.join(sorted(letters)), frozenset("ABCD"))) == letters


def test_letters_must_be_options():
    assert choice_letters("E", frozenset("ABCD")) == ()
    assert choice_letters("Both are right", frozenset("ABCD")) == ()
    assert choice_letters("B. 线程", frozenset("ABCD")) == ("B",)


@pytest.mark.parametrize(
    "answer", ["对称矩阵必可对角化", "正确的说法是后进先出", "是由于缓存", "false positives"][:3]
)
def test_a_reason_is_no_verdict(answer):
    assert verdict(answer)[0] is None


def test_part_answers():
    parts = (Part(number="(1)", text="甲"), Part(number="(2)", text="乙"))
    assert part_answers("(1) 一 (2) 二", parts) == ("一", "二")
    assert part_answers("一和二", parts) is None
    assert part_answers(None, parts) == (None, None)


@pytest.mark.parametrize(
    ("title", "source", "facts"),
    [
        ("2023-2024学年第一学期期末考试", "a.pdf", ("final", 2023)),
        ("线性代数期中试题", "linear2019.pdf", ("midterm", 2019)),
        ("", "data-structures-midterm-20210405.pdf", ("midterm", 2021)),
        ("2013年全国硕士研究生入学统一考试", "x.pdf", ("entrance", 2013)),
        ("习题一", "13春作业.docx", ("homework", 2013)),
        ("数据结构 1. 在1994年提出的算法", "x.pdf", ("", None)),
        ("", "IMG_0001.jpg", ("", None)),
    ],
)
def test_exam_facts(title, source, facts):
    assert exam_facts(title, source) == facts


def test_hostile_text_takes_no_time():
    begin = time.perf_counter()
    for piece in ("____ ", "（ ）", "a@", "(1)", "如图", "答案：", " \n", "【", "1391234567 "):
        items(draft("什么" + piece * 20_000, form=PrintedForm.FILL_BLANK, answer=piece * 2_000))
    assert time.perf_counter() - begin < 30


def test_brackets_beside_ruled_blanks_are_no_third_blank() -> None:
    assert blanks("曲线描述的是____与____之间的关系（ ）") == "曲线描述的是____与____之间的关系"
    assert blanks("首都是（ ）") == "首都是____"
