"""Answers and points of the parts of a question, out of what is said for the whole of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.segment.forms import count_blanks
from ingest.segment.marks import Mark, Style, han_value
from schemas.question import Draft, Part

_CIRCLES = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
# a part's mark: at the start of a line, or after a space or a sentence's end on the line
_MARK = re.compile(
    r"(?:^|(?<=[\s\u3000。.；;，,、）)]))(?:[（(]\s{0,3}(?:第\s{0,3})?(?P<a>\d{1,2}"
    r"|[一二三四五六七八九十]{1,3}|[a-h])\s{0,3}[)）]\s{0,3}[.．、]?"
    r"|(?P<b>[①-⑳])|第\s{0,3}(?P<c>\d{1,2}|[一二三四五六七八九十]{1,3})\s{0,3}(?:小?[问题]"
    r"|空)\s{0,3}[:：.、]?"
    r"|(?P<d>\d{1,2}"
    r"|[a-h])\s{0,3}(?:[)）、]|[.．](?!\d))|Part\s{0,3}(?P<e>[a-h])\s{0,3}[:.)]?)"
    r"\s{0,3}[:：]?\s{0,3}",
    re.MULTILINE,
)
_TIGHT = re.compile(r"(?:[（(]\s{0,3}(?P<a>\d{1,2})\s{0,3}[)）]|(?P<b>[①-⑳]))\s{0,3}")
_EACH = re.compile(
    r"每\s{0,3}(?:个)?\s{0,3}(?P<what>小?问|小?题|空格?"
    r"|点)\s{0,3}(?:各)?\s{0,3}(?P<n>\d+(?:\.\d+)?)\s{0,3}分"
    r"|(?P<m>\d+(?:\.\d+)?)\s{0,3}(?:points?|marks?)\s{0,3}each"
)
_EDGE = " \t\n，,；;、"


def with_parts(draft: Draft) -> Draft:
    """The draft with each part's own answer and points, where these can be told for every part."""
    if len(draft.parts) < 2:
        return draft
    parts = _answered(draft.parts, draft.answer)
    parts = _pointed(parts, draft)
    points = draft.points
    stated = [part.points for part in parts if part.points is not None]
    if len(stated) == len(parts) and points in (None, stated[-1], 2 * sum(stated)):
        points = sum(stated)  # not the last part's own, nor the total and the parts' added up
    if parts == draft.parts and points == draft.points:
        return draft
    return draft.model_copy(update={"parts": parts, "points": points})


def _value(found: re.Match[str]) -> int:
    raw = next((group for group in found.groups() if group), "")
    if raw.isdecimal():
        return int(raw)
    if raw in _CIRCLES:
        return _CIRCLES.index(raw) + 1
    return ord(raw) - 96 if raw.isascii() else han_value(raw)


def _answered(parts: Sequence[Part], answer: str | None) -> tuple[Part, ...]:
    if not answer or any(part.answer for part in parts):
        return tuple(parts)
    texts = cut_by_marks(answer, len(parts))
    if texts is None:
        return tuple(parts)
    return tuple(part.model_copy(update={"answer": text}) for part, text in zip(parts, texts, strict=True))


def cut_by_marks(answer: str, count: int) -> list[str] | None:
    """The answer cut at its marks 1 … count, all of one kind; None when they are not all there.

    Text before the first mark belongs to no part: then the answer is not cut.
    """
    for pattern in (_MARK, _TIGHT):
        for kind in pattern.groupindex:
            places: list[re.Match[str]] = []
            for found in pattern.finditer(answer):
                if found.group(kind) and _value(found) == len(places) + 1:
                    places.append(found)
            if len(places) != count or answer[: places[0].start()].strip(_EDGE):
                continue
            ends = [*(found.start() for found in places[1:]), len(answer)]
            texts = [
                answer[p.end() : end].strip().rstrip("；;，,") for p, end in zip(places, ends, strict=True)
            ]
            if all(text.strip(_EDGE + "。.") for text in texts):
                return texts
    return None


def _pointed(parts: Sequence[Part], draft: Draft) -> tuple[Part, ...]:
    if any(part.points is not None for part in parts):
        return tuple(parts)
    for text in (draft.stem, draft.section):
        found = _EACH.search(text)
        if found is None:
            continue
        each = float(found["n"] or found["m"])
        what = found["what"] or "问"
        if what.startswith("空"):
            blanks = [count_blanks(part.text) for part in parts]
            if all(blanks):
                return tuple(
                    part.model_copy(update={"points": each * n})
                    for part, n in zip(parts, blanks, strict=True)
                )
        elif what.endswith("问") or (what.endswith("题") and text is draft.stem):
            return tuple(part.model_copy(update={"points": each}) for part in parts)
    return tuple(parts)


_INLINE = re.compile(r"(?:^|(?<=[：:。；;？?！!）)\s]))[（(]\s{0,3}(\d{1,2})\s{0,3}[）)](?=\s{0,3}\S)")


def parts_in_line(text: str) -> list[tuple[str, str]]:
    """Parts that follow one another on a line («问：（1）…？（2）…？») as (mark, text), else [].

    Each must hold a sentence: short things in brackets are items of a list.
    """
    places: list[re.Match[str]] = []
    for found in _INLINE.finditer(text):
        if int(found.group(1)) == len(places) + 1:
            places.append(found)
    if len(places) < 2:
        return []
    ends = [*(found.start() for found in places[1:]), len(text)]
    parts = [
        (found.group(), text[found.end() : end].strip()) for found, end in zip(places, ends, strict=True)
    ]
    return parts if all(len(part) >= 4 and _ASKS.search(part) for _, part in parts) else []


_ASKS = re.compile(r"[？?]|[。；;]$|分\s{0,3}[)）]\s{0,3}[。；;]?$")


def answers_between(marks: Sequence[Mark | None], begins: Sequence[bool]) -> list[bool]:
    """Which lines of a question are answers, where each of its parts is followed by its own.

    marks: the number mark of each line; begins: whether an answer begins on it («答：»). All False
    when the answers do not stand between the parts: then whatever follows the first is answer.
    """
    none = [False] * len(marks)
    first = next((i for i, begin in enumerate(begins) if begin), len(marks))
    led = [mark for mark in marks[:first] if mark is not None and mark.style in _PART_STYLES]
    if not led or led[-1].value != 1:
        return none
    style, value, inside, answered = led[-1].style, 1, False, 0
    out = []
    for i, (mark, begin) in enumerate(zip(marks, begins, strict=True)):
        own = mark is not None and mark.style is style and mark.value == value + 1
        # the next part, if it is answered in its turn: else a list inside the answer
        if inside and own and any(begins[i : i + _REACH]):
            inside, value = False, value + 1
        if begin and not inside:
            inside, answered = True, answered + 1
        out.append(inside)
    return out if answered >= 2 and answered == value else none


_PART_STYLES = (Style.PAREN, Style.CIRCLE, Style.RIGHT_PAREN)
_REACH = 12
