"""Lines that hold several items, an item's number at their end, or the answer's place before the number."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.segment.forms import is_type_heading
from ingest.segment.lines import Line
from ingest.segment.marks import Mark, read_mark, split_inner
from schemas.document import BlockKind

_PLACE = re.compile(
    r"^(?P<place>[（(\[][\s_\u3000]*(?P<inside>[A-H]{0,5}|[√×✓✗TF对错])[\s_\u3000]*[)）\]]"
    r"|_{2,}[\s_]*)\s*(?=\d{1,3}\s*[.．、]|[（(]\d{1,3}[)）])"
)
_TAG = re.compile(
    r"^(?P<place>[（(【\[](?:[单多]项?选择?题?|不定项选择?题?|判断题?|填空题?|简答题?|论述题?|名词解释"
    r"|计算题?)[)）】\]])\s*(?=\d{1,3}\s*[.．、])"
)
_AT_END = re.compile(r"(?<=[\s。；;？?！!）)_])(?P<number>(?P<n>\d{1,3})\s*[.．、])\s*$")
_INNER = {
    "arabic": re.compile(r"(?<=[\s\u3000。；;？?！!）)_])(?=(\d{1,3})\s*[.．、](?!\d))"),
    "paren": re.compile(r"(?<=[\s\u3000。；;？?！!_])(?=[（(]\s*(\d{1,3})\s*[）)])"),
}
SHORT = 24


def resplit(lines: Sequence[Line]) -> list[Line]:
    """Lines cut where the numbering of the lines around shows that a number inside one begins an item."""
    turned = _lone_numbers(_places_behind(_headed_items(lines)))
    out: list[Line] = []
    for position, line in enumerate(turned):
        for part in _cut(turned, position, line):
            out.append(replace(part, index=len(out)))
    return out


# «一、名词解释：1. 六艺 2. 元认知»: a heading and its items on one line
_HEADED = re.compile(
    r"(?P<head>[一二三四五六七八九十]{1,2}\s?[、.．]\s?(?P<name>[^\d。；;？?！!：:]{2,24}[：:]))\s?(?=1\s?[.．、]\s?\S)"
)


def _headed_items(lines: Sequence[Line]) -> list[Line]:
    """Lines with a heading that is followed by its items cut apart; the first of them is number 1."""
    out: list[Line] = []
    for line in lines:
        found = _HEADED.match(line.text) if line.kind is BlockKind.TEXT else None
        first = (
            read_mark(line.text[found.end() :])
            if found and is_type_heading(found.group("name").rstrip("：:"))
            else None
        )
        if found is None or first is None:
            out.append(line)
            continue
        items = split_inner(line.text[found.end() :], first, tight=True)
        out += [replace(line, text=text, mark=read_mark(text)) for text in (found.group("head"), *items)]
    return out


def _places_behind(lines: Sequence[Line]) -> list[Line]:
    """«（ B ）3. 题» and «（单选题）3. 题» with the number first, where two in a row are printed so."""
    found = [
        (_PLACE.match(line.text) or _TAG.match(line.text)) if line.kind is BlockKind.TEXT else None
        for line in lines
    ]
    marks = [read_mark(line.text[m.end() :]) if m else None for line, m in zip(lines, found, strict=True)]
    values = [mark.value for mark in marks if mark]
    if not values or not any(b == a + 1 for a, b in itertools.pairwise(values)):
        return list(lines)
    out = []
    for line, place, mark in zip(lines, found, marks, strict=True):
        if place is None or mark is None:
            out.append(line)
            continue
        rest = line.text[place.end() :]
        text = f"{rest[: mark.end]}{place.group('place').strip()}{rest[mark.end :]}"
        out.append(replace(line, text=text, mark=read_mark(text)))
    return out


_LONE = re.compile(r"^\d{1,2}$")


def _lone_numbers(lines: Sequence[Line]) -> list[Line]:
    """«1» on a line of its own as «1.», where such lines count from 1 and a text follows each."""
    places = [k for k, line in enumerate(lines) if line.kind is BlockKind.TEXT and _LONE.match(line.text)]
    values = [int(lines[k].text) for k in places]
    if len(values) < 3 or values != list(range(1, len(values) + 1)):
        return list(lines)
    if any(k + 1 >= len(lines) or lines[k + 1].mark or len(lines[k + 1].text) < 4 for k in places):
        return list(lines)
    out = list(lines)
    for k in places:
        text = f"{lines[k].text}."
        out[k] = replace(lines[k], text=text, mark=read_mark(text))
    return out


def _next_mark(lines: Sequence[Line], position: int, family: str) -> Mark | None:
    for line in lines[position + 1 : position + 30]:
        if line.mark is not None and line.mark.family == family:
            return line.mark
    return None


def _cut(lines: Sequence[Line], position: int, line: Line) -> list[Line]:
    mark = line.mark
    pattern = _INNER.get(mark.family) if mark else None
    if mark is None or pattern is None or line.kind is not BlockKind.TEXT:
        return [line]
    begins, value = [0], mark.value
    for place in pattern.finditer(line.text, mark.end):
        if int(place.group(1)) == value + 1 and line.text[mark.end : place.start()].strip():
            begins.append(place.start())
            value += 1
    ahead = _next_mark(lines, position, mark.family)
    tail = _AT_END.search(line.text)
    follows = lines[position + 1] if position + 1 < len(lines) else None
    if (
        tail
        and mark.family == "arabic"
        and int(tail.group("n")) in (value, value + 1)
        and follows is not None
        and follows.mark is None
        and follows.kind is BlockKind.TEXT
        and (ahead is None or ahead.value != int(tail.group("n")))
    ):
        if tail.start("number") not in begins:
            begins.append(tail.start("number"))
            value += 1
    elif len(begins) > 1 and not _goes_on(line, begins, value, mark, ahead, lines, position):
        return [line]
    if len(begins) == 1:
        return [line]
    pieces = [line.text[a:b].strip() for a, b in zip(begins, [*begins[1:], len(line.text)], strict=True)]
    return [
        replace(line, text=piece, mark=read_mark(piece), automatic=line.automatic and k == 0)
        for k, piece in enumerate(pieces)
    ]


def _goes_on(
    line: Line,
    begins: Sequence[int],
    value: int,
    mark: Mark,
    ahead: Mark | None,
    lines: Sequence[Line],
    at: int,
) -> bool:
    """Whether the numbers inside belong to the paper's numbering: the lines around go on with it.

    Without a neighbour to tell, only a row of short entries in equal dress (terms) is cut.
    """
    if ahead is not None and ahead.value == value + 1:
        return True
    if ahead is not None and ahead.value == mark.value + 1:
        return False
    before = next((m for one in reversed(lines[max(0, at - 30) : at]) if (m := one.mark)), None)
    split_before = (
        before is not None and before.family == mark.family and _cuttable(lines[at - 1], mark.value)
    )
    lengths = [b - a for a, b in zip(begins, [*begins[1:], len(line.text)], strict=True)]
    return split_before or (len(begins) >= 3 and max(lengths) <= SHORT)


def _cuttable(line: Line, value: int) -> bool:
    """Whether the line before holds several numbers, the last of them directly before this one."""
    return bool(re.search(rf"(?<=[\s。；;？?！!）)_]){value - 1}\s*[.．、](?!\d)", line.text))
