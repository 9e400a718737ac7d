"""Corrections of a key («更正：第3题答案应为C»): found among the lines, and put over the key's answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.segment.answers import CORRECTED
from ingest.segment.forms import heading_form
from ingest.segment.lines import Line
from ingest.segment.marks import Style, han_value, number_value
from schemas.document import BlockKind
from schemas.question import Draft
from schemas.question import PrintedForm as Form
from schemas.text import squeeze

_HAN = "[一二三四五六七八九十]{1,3}"
_WORD = (
    r"(?:答案)?(?:更正|勘误|订正|修正|改正)(?:说明|表|启事)?|[Cc]orrections?|CORRECTIONS?"
    r"|[Ee]rrat(?:um|a)|ERRAT(?:UM"
    r"|A)|[Cc]orrigend(?:um|a)"
)
_LEAD = re.compile(
    rf"^\s{{0,3}}[【\[（(*※]*\s{{0,3}}(?:{_WORD})\s{{0,3}}[】\]）)]*\s{{0,3}}(?:[:：]"
    rf"|$)\s{{0,3}}"
)
_WHERE = (
    rf"(?:第?\s{{0,3}}(?P<part>{_HAN})\s{{0,3}}(?:大题|部分|、"
    rf"|[.．])?\s{{0,3}}[,，]?\s{{0,3}})?(?P<form>[\u4e00-\u9fff]{{2,6}}题)?\s{{0,3}}(?:的|中"
    rf"|部分)?\s{{0,3}}"
    r"(?:第\s{0,3}(?P<n>\d{1,3})\s{0,3}小?[题问]|(?P<bare>\d{1,3})\s{0,3}(?:[、.．]|小?题)|(?:试题"
    r"|题)\s{0,3}(?P<late>\d{1,3}))"
)
_BECOMES = (
    r"(?:应(?:该)?(?:更正|改|修改|选)?[为是选]?|(?:更正|修正|订正|改|修改|更改)[为成]"
    r"|正确的?(?:答案)?(?:应)?[为是]|[为是选])"
)
_CHINESE = re.compile(
    rf"^{_WHERE}\s{{0,3}}(?:的)?\s{{0,3}}(?:正确|参考|标准)?\s{{0,3}}(?P<said>答案|选项)?\s{{0,3}}(?:有误"
    rf"|错误)?\s{{0,3}}[,，]?\s{{0,3}}(?:由|从|原为"
    rf"|原答案)?\s{{0,3}}[“\"'‘「]?[^，,。；;：:]{{0,20}}?[”\"'’」]?\s{{0,3}}[,，]?\s{{0,3}}"
    rf"{_BECOMES}\s{{0,3}}[:：]?\s{{0,3}}[“\"'‘「（(]?(?P<answer>[^”\"'’」）)。；;]+)"
)
_ENGLISH = re.compile(
    r"^(?:the\s+)?(?:(?:correct\s+)?answers?\s+(?:to|for"
    r"|of)\s+)?(?:the\s+)?(?:(?P<form>[a-z][a-z -]{3,24}?)\s+)?"
    r"(?:section\s+(?P<part>[A-Z])\s{0,3},?\s{0,3})?(?:question|problem|item|q\.?"
    r"|no\.?)\s{0,3}(?P<n>\d{1,3})\s{0,3}(?:['’]s)?\s{0,3}[:,–-]?\s{0,3}"
    r"(?:(?:correct\s+)?answers?\s{0,3})?(?:should\s+(?:be|read)|must\s+be|is\s+now|is"
    r"|changed?\s+(?:from\s+\S+\s+)?to|→|->)\s{0,3}[:“\"'(]?\s{0,3}(?P<answer>[^”\"').;,]+)",
    re.IGNORECASE,
)
# what is said about a question's own text, not about its answer
_OF_THE_TEXT = re.compile(
    r"题干|题目|原题|条件|数据|图|公式|印刷|漏|选项\s{0,3}[A-H]|\b(?:stem|text|reads?|figure|option)\b"
)
_SAYS_SO = re.compile(r"更正|修正|订正|应[为是改]|改[为成]")
_SPLIT = re.compile(r"[；;。\n]")


@dataclass(frozen=True, slots=True)
class Correction:
    """The answer that a question's is replaced with; part 0 and form None where it does not say which.

    answer '' : the question's own text is corrected, which is left to a curator.
    """

    number: int
    answer: str
    part: int
    form: Form | None
    line: Line


def take_corrections(lines: Sequence[Line]) -> tuple[list[Line], list[Correction]]:
    """The lines without those that correct answers, and the corrections they make, in order.

    A line counts when it is headed as a correction, follows such a heading, or says by itself that a
    numbered question's answer «改为» something. What is no correction of an answer stays.
    """
    kept: list[Line] = []
    found: list[Correction] = []
    headed = False
    for one in lines:
        line, inside = _within(one)
        found.extend(inside)
        text = line.text.strip()
        lead = _LEAD.match(text) if line.kind is BlockKind.TEXT and len(text) <= 200 else None
        body = text[lead.end() :] if lead else text
        said = _read(body, line, headed or lead is not None) if len(text) <= 200 else []
        if line.kind is BlockKind.TEXT and said:
            found.extend(said)
            headed = headed or lead is not None
        elif lead and not body:
            headed = True
            heading = line
            kept.append(heading)
        else:
            headed = False
            kept.append(line)
    if found:  # a heading left over its corrections is none of the paper's lines
        kept = [line for line in kept if not re.fullmatch(rf"\W*(?:{_WORD})\W*", line.text.strip())]
    return kept, found


_WITHIN = re.compile(
    r"[（(\[【]\s{0,3}(?:更正|勘误"
    r"|订正)\s{0,3}[:：]\s{0,3}(?:第\s{0,3})?(\d{1,3})\s{0,3}[.．、题:：]*\s{0,3}(?:答案)?(?:应为"
    r"|改为)?\s{0,3}([A-H]{1,6}"
    r"|[√×✓✗对错])\s{0,3}[)）\]】]"
)


def _within(line: Line) -> tuple[Line, list[Correction]]:
    """A line of letters without the corrections put into it in brackets, and these."""
    if line.kind is not BlockKind.TEXT or not _WITHIN.search(line.text):
        return line, []
    part = line.mark.value if line.mark and line.mark.style is Style.HAN else 0
    found = [Correction(int(m.group(1)), m.group(2), part, None, line) for m in _WITHIN.finditer(line.text)]
    return replace(line, text=_WITHIN.sub("", line.text).rstrip()), found


def _read(text: str, line: Line, headed: bool) -> list[Correction]:
    out = []
    for piece in _SPLIT.split(text):
        about = re.search(r"(?:第\s{0,3}|[Qq]uestion\s{0,3}|Q\s?)(\d{1,3})", piece)
        if headed and about and _OF_THE_TEXT.search(piece) and "答案" not in piece:
            out.append(Correction(int(about.group(1)), "", 0, None, line))
            continue
        # one space at most in a row, so that the patterns' optional spaces have one reading
        piece = re.sub(r"^[\s\d]{0,4}[、.)）]\s?(?=第)", "", squeeze(piece))
        chinese = _CHINESE.match(piece)
        english = None if chinese else _ENGLISH.match(piece)
        if chinese and (
            headed or (chinese["said"] and re.search(r"更正|修正|订正|应[为是改]|改[为成]", piece))
        ):
            number = chinese["n"] or chinese["bare"] or chinese["late"]
            part = han_value(chinese["part"]) if chinese["part"] else 0
            form = heading_form(chinese["form"]) if chinese["form"] else None
            out.append(Correction(int(number), chinese["answer"].strip(), part, form, line))
        elif english and headed:
            form = heading_form(english["form"]) if english["form"] else None
            part = ord(english["part"].upper()) - 64 if english["part"] else 0
            out.append(Correction(int(english["n"]), english["answer"].strip(), part, form, line))
    return out


def corrected(drafts: Sequence[Draft], corrections: Sequence[Correction], source: str) -> list[Draft]:
    """Drafts with the corrected answers; where a correction fits several questions, all are flagged."""
    out = list(drafts)
    for one in corrections:
        places = [place for place, draft in enumerate(out) if _meant(draft, one)]
        if len(places) != 1:
            lettered = [
                p for p in places if out[p].options and one.answer in {o.label for o in out[p].options}
            ]
            places = lettered if len(lettered) == 1 else places
        for place in places:
            if not one.answer:
                out[place] = with_flag(out[place], "correction_unread")
            elif len(places) == 1:
                out[place] = _over(out[place], one, source)
            else:
                out[place] = with_flag(out[place], "answer_conflict")
    return out


def _meant(draft: Draft, one: Correction) -> bool:
    if number_value(draft.number) != one.number:
        return False
    if one.part and number_value(draft.section[:3].strip()) not in (one.part, 0):
        return False
    return one.form is None or not draft.section or heading_form(draft.section) is one.form


def with_flag(draft: Draft, flag: str) -> Draft:
    """The draft with the flag, once."""
    return draft if flag in draft.flags else draft.model_copy(update={"flags": (*draft.flags, flag)})


def _over(draft: Draft, one: Correction, source: str) -> Draft:
    labels = {option.label for option in draft.options}
    letters = re.sub(r"[\s,，、]", "", one.answer).upper()
    if labels and not set(letters) <= labels:
        return with_flag(draft, "answer_conflict")
    settled = ("answer_conflict", "answer_unmarked")
    evidence = {**draft.evidence, "answer": CORRECTED}
    if draft.answer:
        evidence["corrected"] = draft.answer[:200]
    return draft.model_copy(
        update={
            "answer": letters if labels else one.answer,
            "answer_source": f"{source}: {CORRECTED}",
            "flags": tuple(flag for flag in draft.flags if flag not in settled),
            "evidence": evidence,
        }
    )
