"""Every other printed form made generative: statements, terms, blanks, materials with their parts."""

from __future__ import annotations

import re

from ingest.clean.answers import part_answers, verdict
from ingest.clean.choice import Item
from ingest.clean.text import BLANK, blanks, without_formulas
from ingest.clean.wording import CHINESE, ENGLISH, Wording
from schemas.question import Draft, PrintedForm, QuestionType
from schemas.text import han_share

_TERM_SECTION = re.compile(
    r"名词|术语|解释(?:下列|以下)|概念(?:解释|题)|definitions?|\bterms?\b", re.IGNORECASE
)
_DISCUSS_SECTION = re.compile(r"辨析|判断分析|判断说明")
_TERM_CHARS = 40
_ASKED = re.compile(
    r"[?？]|^(?:请|试|简|解释|什么|何|说明|叙述|论|写出|列举|举例|比较|分析|描述|谈|回答|指出|为什么|如何|怎样|评|翻译|计算|求|证明)"
    r"|是什么|为什么|有哪些|\b(?:explain|define|what|describe|why|how|list)\b",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"^判断|判断(?:下列|以下|下面|下述|正误|对错)|是否正确|对不对|对吗|正确吗"
    r"|true or false|true/false|is it true",
    re.IGNORECASE,
)
_END_BRACKET = re.compile(rf"\s*(?:[（(]\s*[)）]|{BLANK})\s*[。.]?\s*$")
_EARLIER_PART = re.compile(
    r"上一?[问题步]|前一?[问题]|[（(][1-9一二三四][)）](?:中|的|问|题|所)|由[（(][1-9]"
    r"|previous part|part \(?[a-d1-4]\b"
)
_TOLD = frozenset({QuestionType.ANALYSIS, QuestionType.TRUE_FALSE})
_OWN_TEXT = 8
"""Characters a sub-question needs to be asked on its own."""


def wording_of(text: str) -> Wording:
    """Instructions in Chinese unless the text is nearly without Chinese."""
    return CHINESE if han_share(without_formulas(text)) > 0.1 else ENGLISH


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
        _single(
            f"{draft.stem}\n{part.text}".strip(), answer, draft, kind, words, f"{at}/{count}", lead=draft.stem
        )
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
    text = text.strip()
    if kind is QuestionType.TRUE_FALSE:
        return _statement(text, answer, words, sibling)
    if _DISCUSS_SECTION.search(draft.section) and not _ASKED.search(text):
        return Item(f"{words.discuss}\n{text}", answer, sibling, "statement to discuss")
    if draft.form is PrintedForm.FILL_BLANK:
        filled = blanks(text)
        prompt = f"{words.fill}\n{filled}" if BLANK in filled else filled
        return Item(prompt, answer, sibling, "blanks to fill")
    if _TERM_SECTION.search(draft.section) and not _ASKED.search(text):
        term, colon, said = text.partition("：") if "：" in text else text.partition(":")
        if colon and answer is None and len(term) <= _TERM_CHARS and len(said.strip()) >= _OWN_TEXT:
            rule = "term to explain, its explanation printed after it"
            return Item(f"{words.explain}{term.strip()}", said.strip(), sibling, rule, unmarked=True)
        if len(text) <= _TERM_CHARS:
            return Item(f"{words.explain}{text}", answer, sibling, "term to explain")
    rule = "sub-question with its material" if lead or (draft.material and draft.parts) else "as it stands"
    return Item(text, answer, sibling, rule)


def _statement(text: str, answer: str | None, words: Wording, sibling: str) -> Item:
    """A statement to judge: verdict word first, then the reason where the key gives one."""
    said = _END_BRACKET.sub("", text).strip() or text
    prompt = said if _JUDGED.search(said) else f"{words.judge}\n{said}"
    if answer is None:
        return Item(prompt, None, sibling, "statement to judge", judged=True)
    value, reason = verdict(answer)
    if value is None:
        return Item(prompt, answer, sibling, "statement to judge, answer without a verdict", judged=True)
    word = words.right if value else words.wrong
    return Item(prompt, f"{word}{words.gap}{reason}".strip(), sibling, "statement to judge", judged=True)
