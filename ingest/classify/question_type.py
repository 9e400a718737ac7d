"""The type of a generative item, from the printed form, the section heading and the wording."""

from __future__ import annotations

import re

from ingest.classify.match import prepare
from schemas.question import Draft, PrintedForm, QuestionType

_NUMERATE = frozenset({"d02", "d07", "d08", "d12"})
"""Disciplines where "证明" and "求" are asked of formulas: economics, science, engineering, management."""

_CASE_CHARS = 120
"""A Chinese question this long tells a case before it asks; an English one, four times as long."""

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

_JUDGE = re.compile(
    r"判断(?:下列|以下|下面|正误|对错|题|[:：])|^判断|是否正确|对还是错|正确还是错误"
    r"|true or false|true/false|[（(]\s*[)）]\s*$"
)
_PROVE = re.compile(
    r"(?:试|求|请|并|给出|写出)证|证明(?!力|责任|标准|材料|文件|书|人|对象)|\bprove\b|show that|\bproof\b"
)
_PROGRAM = re.compile(
    r"编写.{0,30}?(?:程序|函数|算法|语句|代码)|写出.{0,20}?(?:程序|算法|代码|sql|运行结果|输出结果)|编程|设计.{0,20}?算法"
    r"|算法.{0,6}?实现|write (?:a|an|the) (?:program|function|algorithm|method|query)|implement (?:a|an|the) "
)
_DRAW = re.compile(r"(?:画|绘|作)(?:出|制)?.{0,16}?(?:图|曲线|电路|树|结构)|^画|\bdraw\b|\bsketch\b")
_COMPUTE = re.compile(
    r"计算|(?<![要需追请征寻谋力务讲])求(?![助职偿援学知和真帮])|等于|值[为是]|是多少|为多少|多少|解方程|化简|估算|推导"
    r"|解不等式|分解因式|\\int|\\lim|=\s*$|\bcalculate\b|\bcompute\b|\bevaluate\b|\bfind\b|\bdetermine\b|\bsolve\b|\bestimate\b"
    r"|\bhow (?:many|much|far|long|fast)\b"
    r"|\bwhat (?:is|are|was|were) the (?:\w+ ){0,4}?(?:value|speed|velocity|probability|number|rate|"
    r"temperature|pressure|energy|force|mass|distance|frequency|wavelength|area|volume|magnitude)"
)
_QUANTITY = re.compile(r"\d|\$|\\[a-z]+|[=<>≤≥√∫∑]")
_ESSAY = re.compile(
    r"论述|试述|述评|试论|^论|阐述|谈谈|谈一谈|你的(?:看法|认识|理解|观点|见解)|你(?:怎么|如何|怎样)看|联系实际|结合实际"
    r"|\bdiscuss\b|write an essay|critically"
)
_ANALYSE = re.compile(
    r"材料|案例|案情|病例|病史|患者|分析|辨析|评析|赏析|请问[:：]?|要求[:：]|回答(?:下列|以下)?问题|根据(?:上述|以上|上面)"
    r"|结合(?:上述|以上)|说明理由|为什么说|\banaly[sz]e\b|\bcase\b|\bjustify\b|give (?:your )?reasons"
)
_STRONG_ANALYSE = re.compile(
    r"辨析|评析|赏析|试分析|请分析|分析(?:下列|以下|一下|上述|该|本|其|此)|案例|\banaly[sz]e\b"
)
_CASE = re.compile(
    r"材料[一二三四\d]?[:：]|案例[:：]|案情|请问|要求[:：]|回答(?:下列|以下)?问题|根据(?:上述|以上|材料|资料|案例)"
    r"|结合(?:上述|以上|材料)|患者|患儿|某(?:公司|企业|厂|市|校|男|女|甲|单位)|甲|求助者|问题[:：]|问[:：]"
)
_AMOUNT = re.compile(r"多少|\bhow (?:many|much|far|long|fast)\b")
_ARITHMETIC = re.compile(r"[\d\s.,+\-*/×÷^=()|a-z%<>]*")
_ASKS = re.compile(
    r"[?？]|什么|如何|怎样|怎么|为何|哪[些个种几一里]|几[个种类]|^(?:请|试)?(?:简述|叙述|列举|说明|解释|描述|比较|举例|指出|写出|概述|简要)"
    r"|\bwhat\b|\bhow\b|\bwhy\b|\bwhich\b|\bexplain\b|\bdescribe\b|\blist\b|\bdefine\b|\bname\b"
)  # fmt: skip
_YES_NO = re.compile(
    r"(?:^|[.,!?:;]\s|\bthen\s|=\s\S+\s)(?:is|are|was|were|do|does|did|can|could|will|has|have)\b[^?.]*\?\s*$"
)
_STATEMENT_END = re.compile(r"[。.．！!]\s*$|[（(]\s*[)）]\s*[。.]?\s*$")


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
    wording: material or case before the task    analysis
    wording: 论述, 试述, 谈谈, discuss           essay
    wording: compute, with a quantity            calculation
    wording: 辨析, 分析, 评析, 赏析              analysis
    wording: 判断, or a bare statement           true_false
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
        numeric = _COMPUTE.search(text) and _QUANTITY.search(text) and discipline in _NUMERATE
        return QuestionType.CALCULATION if numeric else QuestionType.SHORT_ANSWER
    for kind, heading in _HEADINGS:
        if heading.search(prepare(draft.section)):
            return kind
    if draft.form is not PrintedForm.OTHER:
        return QuestionType(draft.form.value)
    return _by_wording(text, prepare(draft.material), discipline)


def type_of_text(text: str, discipline: str) -> tuple[QuestionType, float]:
    """The type of a question of which only the text is known, and the probability that it is right."""
    return _by_wording(prepare(text), "", discipline), 0.9


def _by_wording(text: str, material: str, discipline: str) -> QuestionType:
    numerate = discipline in _NUMERATE or "$" in text or "\\" in text
    task = text[-300:]
    if (numerate and _PROVE.search(text)) or _PROGRAM.search(text) or (numerate and _DRAW.search(text)):
        return QuestionType.CALCULATION
    told = bool(material) or han_len(text) > _CASE_CHARS
    computes = bool(_COMPUTE.search(text)) and bool(_QUANTITY.search(text))
    if (_AMOUNT.search(text) and re.search(r"\d", text)) or (
        re.search(r"\d", text) and _ARITHMETIC.fullmatch(text)
    ):
        return QuestionType.CALCULATION
    if told and not material and computes and (discipline in {"d07", "d08"}) and "$" in text:
        return QuestionType.CALCULATION
    if material or (told and (_CASE.search(text) or not numerate)):
        return QuestionType.ANALYSIS
    if _ESSAY.search(text):
        return QuestionType.ESSAY
    if _STRONG_ANALYSE.search(task):
        return QuestionType.ANALYSIS
    if _JUDGE.search(text) or _YES_NO.search(task):
        return QuestionType.TRUE_FALSE
    if computes and (numerate or not _ASKS.search(text)):
        return QuestionType.CALCULATION
    if _ANALYSE.search(task) and (told or not _ASKS.search(text)):
        return QuestionType.ANALYSIS
    if _STATEMENT_END.search(text) and len(text) > 8 and not _ASKS.search(text):
        return QuestionType.TRUE_FALSE
    return QuestionType.SHORT_ANSWER


def han_len(text: str) -> float:
    """Length in Chinese characters; a Latin letter counts a quarter."""
    return sum(0.25 if char.isascii() else 1.0 for char in text)
