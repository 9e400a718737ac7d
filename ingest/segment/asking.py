"""Whether numbered lines are questions or answers: what asks, and answers that stand below each question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.segment.answers import is_answer_head
from ingest.segment.lines import Line
from ingest.segment.marks import Style
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
    """Lines without the numbers inside answers that stand, under a heading each, below their questions.

    «1. 简述甲。 / 答案 / 1．… / 2．… / 2. 简述乙。»: what follows a heading answers one question where
    the next question comes before the next heading, and that for at least two headings.
    """
    heads = [i for i, line in enumerate(lines) if line.kind is BlockKind.TEXT and is_answer_head(line.text)]
    inside: list[tuple[int, int]] = []
    for place, head in enumerate(heads):
        stop = heads[place + 1] if place + 1 < len(heads) else len(lines)
        above = next(
            (m for line in reversed(lines[:head]) if (m := line.mark) and m.family == "arabic"), None
        )
        if above is None:
            return list(lines)
        nexts = [
            i
            for i in range(head + 1, stop)
            if (m := lines[i].mark)
            and m.family == "arabic"
            and m.value == above.value + 1
            and ASKS.search(lines[i].body[:SEEN])
        ]
        if nexts:
            inside.append((head + 1, nexts[0]))
        elif place + 1 == len(heads) and len(inside) == place >= 2:
            han = (i for i in range(head + 1, stop) if (m := lines[i].mark) and m.style is Style.HAN)
            inside.append((head + 1, next(han, stop)))
    if len(inside) < 2 or len(inside) < len(heads) - 1:
        return list(lines)
    hidden = {i for begin, end in inside for i in range(begin, end)}
    return [replace(line, mark=None) if i in hidden else line for i, line in enumerate(lines)]
