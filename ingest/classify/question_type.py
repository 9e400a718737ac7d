"""The type of a generative item, from the printed form, the section heading and the wording."""

from __future__ import annotations

import re

from ingest.classify.match import MAX_CHARS, prepare
from ingest.classify.wording import COMPUTE, CUES, NUMERATE, QUANTITY, cue
from schemas.question import Draft, PrintedForm, QuestionType

# Section headings that settle the type, tried in this order on the heading's own words.
_HEADINGS: tuple[tuple[QuestionType, re.Pattern[str]], ...] = (
    (QuestionType.TRUE_FALSE, re.compile(
        r"判断(?!分析|改错|说理)|是非题?|对错|true\s*(?:or|/|and|-)?\s*false"
    )),
    (QuestionType.ESSAY, re.compile(r"论述|作文|小论文|论文题|essay")),
    (QuestionType.ANALYSIS, re.compile(
        r"辨析|案例|病例|病案|材料(?:分析|解析|题)|分析题|分析说明|评析|赏析|case (?:study|analysis)|analysis"
    )),
    (QuestionType.CALCULATION, re.compile(
        r"计算(?!机)|证明|求解|解方程|算法|编程|程序(?:设计|填空|分析|阅读|改错)|编写|作图|画图|绘图|设计题"
        r"|calculation|proof|programming"
    )),
    (QuestionType.SHORT_ANSWER, re.compile(
        r"简答|名词|术语|解释|填空|简述|short answer|definitions?|fill in"
    )),
)  # fmt: skip


def question_type(draft: Draft, discipline: str) -> QuestionType:
    """The type of the item a draft becomes; discipline is a code, 'd00' when unknown.

    Decided in this order, the first that speaks wins:

    ===========================================  ==============================================
    evidence                                     type
    ===========================================  ==============================================
    printed form true_false                      true_false
    heading 判断, 是非, True or False            true_false
    heading 论述, 作文, essay                    essay
    heading 辨析, 案例, 材料分析, 病例, 赏析     analysis
    heading 计算, 证明, 编程, 算法, 作图         calculation
    heading 简答, 名词解释, 填空                 short_answer
    printed form calculation, analysis, essay,   as printed
    short_answer
    wording: prove, write a program, draw        calculation
    wording: how many; compute, in formulas      calculation
    wording: a blank, options                    short_answer
    wording: material or case before the task    analysis
    wording: 论述, 试述, 谈谈, discuss           essay
    wording: 辨析, 分析, 评析, 赏析              analysis
    wording: 判断                                true_false
    wording: compute, with a quantity            calculation
    a question, an order, the name of a subject  short_answer
    a bare statement                             true_false
    anything else                                short_answer
    ===========================================  ==============================================

    Proofs, programs and drawings count as calculation: like it they have a checkable result
    reached by steps. A multiple-choice or fill-in question is a calculation when it asks for a
    computed quantity, otherwise a short answer; one true/false item per option is made in
    ingest.clean, where the options are.
    """
    if draft.form is PrintedForm.TRUE_FALSE:
        return QuestionType.TRUE_FALSE
    closed = draft.form in {PrintedForm.MULTIPLE_CHOICE, PrintedForm.FILL_BLANK}
    text = prepare(" ".join((draft.stem, *(part.text for part in draft.parts))))
    if closed:
        numeric = COMPUTE.search(text) and QUANTITY.search(text) and discipline in NUMERATE
        return QuestionType.CALCULATION if numeric else QuestionType.SHORT_ANSWER
    for kind, heading in _HEADINGS:
        if heading.search(prepare(draft.section)):
            return kind
    if draft.form is not PrintedForm.OTHER:
        return QuestionType(draft.form.value)
    return CUES[cue(text, prepare(draft.material), discipline)][0]


def type_of_text(text: str, discipline: str) -> tuple[QuestionType, float]:
    """The type of a question of which only the text is known, and the probability that it is right."""
    return CUES[cue(prepare(text[:MAX_CHARS]), "", discipline)]
