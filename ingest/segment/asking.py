"""Whether numbered lines are questions or answers: what asks, and answers that stand below each question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.segment.answers import ANSWER_LINE, begins_answer, is_answer_head
from ingest.segment.lines import Line
from ingest.segment.marks import Style, read_mark
from schemas.document import BlockKind

ASKS = re.compile(
    r"[？?]|_{2,}|（\s{0,3}）|\(\s{0,3}\)|^(?:请|试)?(?:简述|论述|试述|说明|什么是|比较|计算|求|证明|分析"
    r"|解释)|^[A-D]\s{0,3}[.．、)]"
    r"|\b(?:[Ww]hat|[Ww]hich|[Ww]hy|[Hh]ow|[Ee]xplain|[Dd]efine|[Cc]ompare|[Ss]tate|[Dd]escribe"
    r"|[Cc]alculate|[Ss]how)\b"
)
SEEN = 300


class Asking:
    """Whether the numbered lines of a stretch are questions, looked up in sums over the lines."""

    def __init__(self, lines: Sequence[Line], heads: Sequence[int]) -> None:
        self.heads = frozenset(heads)
        self._numbered, self._asked = [0], [0]
        for index, line in enumerate(lines):
            item = line.mark is not None and line.mark.style is not Style.HAN
            # an item asks, leaves blanks, or has options under it
            ask = item and any(ASKS.search(one.body[:SEEN]) for one in _item(lines, index))
            self._numbered.append(self._numbered[-1] + item)
            self._asked.append(self._asked[-1] + ask)

    def share(self, begin: int, end: int) -> float:
        """Which part of the numbered lines in [begin, end) asks something."""
        numbered = self._numbered[end] - self._numbered[begin]
        return (self._asked[end] - self._asked[begin]) / max(1, numbered)

    def between(self, begin: int, end: int) -> bool:
        """Whether at least half of the numbered lines in [begin, end) ask something."""
        numbered = self._numbered[end] - self._numbered[begin]
        return self._asked[end] - self._asked[begin] >= max(1, 0.5 * numbered)


def _item(lines: Sequence[Line], index: int) -> Sequence[Line]:
    stop = index + 1
    while stop < min(index + 3, len(lines)) and lines[stop].mark is None:
        stop += 1
    return lines[index:stop]


def own_answers(lines: Sequence[Line]) -> list[Line]:
    """Lines without the numbers inside answers that stand below their questions after a word for it.

    «1. 简述甲。 / 答：1．… / 2．… / 2. 简述乙。 / 答：…»: where one question stands above such a word,
    what follows is its answer, up to the last line before the next such word that bears the next number.
    """
    heads = [i for i, line in enumerate(lines) if line.kind is BlockKind.TEXT and _opens_answer(line.text)]
    hidden: set[int] = set()
    begin = 0  # where the question above the heading begins to be looked for
    for place, head in enumerate(heads):
        stop = heads[place + 1] if place + 1 < len(heads) else len(lines)
        asked = [m for line in lines[begin:head] if (m := line.mark) and m.style not in _NO_ITEMS]
        one = len(asked) == 1 and asked[0].family == "arabic"
        end = _next_question(lines, head + 1, stop, asked[-1].value, place + 1 < len(heads)) if asked else 0
        if one and end and _lists(lines[head:end]):
            hidden |= set(range(head + 1, end))
        begin = end or head + 1
    return [replace(line, mark=None) if i in hidden else line for i, line in enumerate(lines)]


# sections, and the parts of a question
_NO_ITEMS = (Style.HAN, Style.ROMAN, Style.HAN_PAREN, Style.PAREN, Style.CIRCLE)


def _opens_answer(text: str) -> bool:
    return begins_answer(text) or is_answer_head(text)


def _next_question(lines: Sequence[Line], begin: int, stop: int, value: int, more: bool) -> int:
    """Where in lines[begin:stop] the next section or question begins, 0 where that is not to be told.

    value: number of the question that is answered; more: whether another answer follows, so that the last
    line of the next number is its question.
    """
    for index in range(begin, stop):
        mark = lines[index].mark
        if mark is not None and mark.style is Style.HAN:
            return index
    nexts = [
        i
        for i in range(begin, stop)
        if (m := lines[i].mark) and m.family == "arabic" and m.value == value + 1
    ]
    if more:
        return nexts[-1] if nexts else 0
    return next((i for i in nexts if ASKS.search(lines[i].body[:SEEN])), stop)


def _lists(answer: Sequence[Line]) -> bool:
    """Whether an answer is a list from 1: its first number stands with the word for it, or right below."""
    first = answer[0].text
    at = ANSWER_LINE.match(first)
    mark = read_mark(first[at.end() :]) if at else None
    below = answer[1].mark if len(answer) > 1 else None
    return any(m is not None and m.value == 1 for m in (mark, below))
