"""Every other printed form made generative: statements, terms, blanks, materials with their parts."""

from __future__ import annotations

import re

from ingest.clean.answers import part_answers, verdict
from ingest.clean.asking import asks, is_topic, told_after
from ingest.clean.choice import Item
from ingest.clean.tasks import task
from ingest.clean.text import BLANK, NUMBERED_PLACE, blanks, without_formulas
from schemas.question import Draft, PrintedForm, QuestionType
from schemas.text import han_share
from schemas.wording import CHINESE, ENGLISH, Wording

_TERM_SECTION = re.compile(
    r"名词|术语|解释(?:下列|以下)|概念(?:解释|题)|definitions?|\bterms?\b", re.IGNORECASE
)
_DISCUSS_SECTION = re.compile(r"辨析|判断分析|判断说明")
_TERM_CHARS = 40
_JUDGED = re.compile(
    r"^判断|判断(?:下列|以下|下面|下述|正误|对错)|是否正确|对不对|对吗|正确吗"
    r"|true or false|true/false|is it true",
    re.IGNORECASE,
)
_END_BRACKET = re.compile(rf"\s*(?:[（(]\s*[)）]|{BLANK})\s*[。.]?\s*$")
_END_VERDICT = re.compile(r"[（(]\s*(√|×|✓|✗|╳|对|错|正确|错误|[TFXxVv])\s*[)）][\s。.+*]{0,3}$")
_ASPECT = re.compile(
    r"(?:意义|影响|特征|特点|内容|含义|原因|作用|区别|联系|关系|条件|过程|方法|原则|步骤|分类|类型|功能|优缺点|背景|措施|对策)[。.]?$"
)
"""What a line in a section of terms ends in when it is no term but an aspect of one."""

_EARLIER_PART = re.compile(
    r"上一?[问题步]|前一?[问题]|[（(][1-9一二三四][)）](?:中|的|问|题|所)|由[（(][1-9]"
    r"|previous part|part \(?[a-d1-4]\b"
)
_TOLD = frozenset({QuestionType.ANALYSIS, QuestionType.TRUE_FALSE})
_CHINESE_RUN = re.compile("[\u4e00-\u9fff，、]{6}")
_FEW_LETTERS = 6
_OWN_TEXT = 8
"""Characters a sub-question needs to be asked on its own."""


def wording_of(text: str) -> Wording:
    """Instructions in Chinese unless the text is nearly without Chinese; a program may have few words."""
    words = without_formulas(text)
    return CHINESE if han_share(words) > 0.1 or _CHINESE_RUN.search(words) else ENGLISH


def words_for(draft: Draft) -> Wording:
    """Instructions in a draft's language, or its heading's where it is a formula or to be translated."""
    own = f"{draft.material}{draft.printed}"
    silent = sum(char.isalpha() for char in without_formulas(own)) < _FEW_LETTERS
    return wording_of(draft.section if silent or "译" in draft.section else own)


def other_items(draft: Draft, kind: QuestionType, words: Wording) -> list[Item]:
    """Items of a draft that is no multiple choice, its texts already cleaned."""
    if draft.parts:
        separate = _separate(draft, kind, words)
        if separate:
            return separate
        answer = draft.answer or _joined(draft)
        return [_single(_whole(draft), answer, draft, kind, words, "1/1")]
    return [_single(draft.stem, draft.answer, draft, kind, words, "1/1")]


def _separate(draft: Draft, kind: QuestionType, words: Wording) -> list[Item]:
    """One item a sub-question, when each can be asked and answered on its own; else none."""
    told = draft.material or (kind in _TOLD and draft.stem.strip())
    if kind is QuestionType.CALCULATION or len(draft.parts) < 2 or not told:
        return []
    if any(len(part.text.strip()) < _OWN_TEXT or _EARLIER_PART.search(part.text) for part in draft.parts):
        return []
    answers = part_answers(draft.answer, draft.parts)
    if answers is None:
        return []
    count = len(draft.parts)
    return [
        _single(part.text, answer, draft, kind, words, f"{at}/{count}", lead=draft.stem.strip())
        for at, (part, answer) in enumerate(zip(draft.parts, answers, strict=True), 1)
    ]


def _whole(draft: Draft) -> str:
    parts = "\n".join(f"{part.number} {part.text}".strip() for part in draft.parts)
    return f"{draft.stem}\n{parts}".strip()


def _joined(draft: Draft) -> str | None:
    """The parts' answers under their marks; None unless every part has one."""
    if not all(part.answer for part in draft.parts):
        return None
    return "\n".join(f"{part.number} {part.answer}".strip() for part in draft.parts)


def _single(
    text: str,
    answer: str | None,
    draft: Draft,
    kind: QuestionType,
    words: Wording,
    sibling: str,
    lead: str = "",
) -> Item:
    """One item of a text; lead is what stands before a sub-question and belongs to it."""
    text = text.strip()
    if kind is QuestionType.TRUE_FALSE:
        return _statement(f"{lead}\n{text}".strip(), answer, words, sibling)
    if draft.form is PrintedForm.FILL_BLANK:
        filled = blanks(f"{lead}\n{text}".strip())
        return Item(_to_fill(filled, words), answer, sibling, "blanks to fill")
    prose = kind is not QuestionType.CALCULATION or not ("$" in text or re.search(r"\d", text[:40]))
    if prose and (split := told_after(text)):
        asked, said = split
        rule = "its answer printed below it without a mark"
        unmarked = answer is None
        return Item(
            _asked(asked, draft, kind, words, lead),
            answer or said,
            sibling,
            rule,
            unmarked=unmarked,
            cut=True,
        )
    if _TERM_SECTION.search(draft.section) and not asks(text):
        term, colon, said = text.partition("：") if "：" in text else text.partition(":")
        if colon and answer is None and len(term) <= _TERM_CHARS and len(said.strip()) >= _OWN_TEXT:
            rule = "term to explain, its explanation printed after it"
            return Item(f"{words.explain}{term.strip()}", said.strip(), sibling, rule, unmarked=True)
    prompt = _asked(text, draft, kind, words, lead)
    rule = "as it stands" if prompt == text else "with its task before it"
    if lead or (draft.material and draft.parts):
        rule = "sub-question with its material"
    return Item(prompt, answer, sibling, rule)


def _asked(text: str, draft: Draft, kind: QuestionType, words: Wording, lead: str) -> str:
    """The prompt: a text that asks as it stands, another one behind the task its heading tells."""
    if lead:
        return f"{lead}\n{text}"
    if _DISCUSS_SECTION.search(draft.section) and not asks(text):
        return f"{words.discuss}\n{text}"
    if _TERM_SECTION.search(draft.section) and not asks(text) and _names(text):
        aspect = _ASPECT.search(text)
        return f"{words.outline if aspect else words.explain}{text}"
    demand = task(text, draft.section, kind, words)
    inline = demand.endswith(("：", ": ")) and "\n" not in text
    return f"{demand}{text}" if inline or not demand else f"{demand.strip()}\n{text}"


def _names(text: str) -> bool:
    """Whether a text below a heading for terms is a term, not a sentence."""
    return len(text) <= _TERM_CHARS and (
        len(text) <= 4 or is_topic(text) or not re.search("[。，,；;]", text)
    )


def _to_fill(filled: str, words: Wording) -> str:
    if BLANK in filled:
        return f"{words.fill}\n{filled}"
    return f"{words.fill_numbered}\n{filled}" if NUMBERED_PLACE.search(filled) else filled


def _statement(text: str, answer: str | None, words: Wording, sibling: str) -> Item:
    """A statement to judge: verdict word first, then the reason where the key gives one."""
    said = _END_BRACKET.sub("", text).strip() or text
    marked = _END_VERDICT.search(said)
    if marked:
        said = said[: marked.start()].rstrip() or text
    prompt = said if _JUDGED.search(said) else f"{words.judge}\n{said}"
    if answer is None and not marked:
        return Item(prompt, None, sibling, "statement to judge", judged=True)
    value, reason = verdict(answer if answer is not None else str(marked and marked[1]))
    if value is None:
        return Item(prompt, answer, sibling, "statement to judge, answer without a verdict", judged=True)
    word = words.right if value else words.wrong
    return Item(
        prompt,
        f"{word}{words.gap}{reason}".strip(),
        sibling,
        "statement to judge",
        judged=True,
        unmarked=answer is None,
    )
