"""The outline of a paper: which numbered lines are items, and which only lists.

Numbering is a sequence. Every line with a number is a candidate; the set of candidates that reads
best as the numbering of the whole paper is found by dynamic programming over the document, with
points for numbers that go on and charges for gaps, repeats and restarts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ingest.segment.inner import inner_lines
from ingest.segment.lines import Line
from ingest.segment.marks import Mark, Style
from ingest.segment.sections import Section, find_sections
from ingest.segment.sequence import Chain, best_chain

__all__ = ["Section", "choose_items", "find_sections"]

INNER_CHARGE = 1.5
_WEIGHT = {
    "word": 1.4,
    "arabic": 1.0,
    "han": 0.9,
    "bracket": 0.7,
    "paren": 0.5,
    "han_paren": 0.5,
    "roman": 0.5,
    "right_paren": 0.35,
    "multi": 0.2,
    "circle": 0.15,
}


def choose_items(lines: Sequence[Line], sections: Sequence[Section]) -> Chain:
    """Choose the numbered lines that are items, and write them into their sections.

    Returns the chain of items; `behind` tells how close each numbered line left out came to being one.
    """
    where = _section_of(lines, sections)
    outer: list[str] = []
    last = 0
    for section in sections:
        outer.append(_outer_family(lines, section, last))
        run = [
            m.value
            for i in range(section.begin, section.end)
            if (m := lines[i].mark) and m.family == outer[-1]
        ]
        last = run[-1] if run else last
    heads = {s.line for s in sections if s.line is not None}
    inner = inner_lines(lines, sections)
    candidates = [
        i
        for i in where
        if lines[i].mark is not None
        and i not in heads
        and i not in inner
        and not _own_question(sections[where[i]])
    ]

    def own(i: int) -> float:
        mark = lines[i].mark
        charge = INNER_CHARGE if outer[where[i]] and mark and mark.family != outer[where[i]] else 0.0
        return _weight(lines, i) - charge

    chain = best_chain(
        candidates,
        own,
        lambda i: _entry(lines[i].mark),
        lambda j, i: _step(lines, j, i, where[j], where[i], sections),
    )
    for i in sorted({*chain.members, *_in_gaps(lines, chain.members, candidates)}):
        sections[where[i]].items.append(i)
    return chain


def _in_gaps(lines: Sequence[Line], members: Sequence[int], candidates: Sequence[int]) -> list[int]:
    """Numbered lines of another style that are exactly the numbers missing between two items.

    «5. …», «Q6. …», «7. …» is one numbering in two styles. After the last item only a style that names
    the question counts («Q6.», «第6题»): nothing there tells how far the numbering goes.
    """
    out: list[int] = []
    for i, stop in zip(members, [*members, None][1:], strict=True):
        before, after = lines[i].mark, lines[stop].mark if stop is not None else None
        assert before is not None
        missing = after.value - before.value - 1 if after is not None else 0
        inside = candidates[
            bisect_right(candidates, i) : len(candidates) if stop is None else bisect_left(candidates, stop)
        ]
        for family in dict.fromkeys(mark.family for k in inside if (mark := lines[k].mark)):
            if family == before.family or not (family == "word" if missing < 1 else family in _FILLS):
                continue
            run = [k for k in inside if (mark := lines[k].mark) and mark.family == family]
            values = [mark.value for k in run if (mark := lines[k].mark)]
            wanted = list(range(before.value + 1, before.value + 1 + (missing if missing > 0 else len(run))))
            ends = stop is None or missing > 0 or (after is not None and after.value == 1)
            if ends and values == wanted and all(lines[k].body for k in run):
                out += run
                break
    return out


_FILLS = ("word", "arabic", "bracket", "paren", "right_paren", "han_paren")


def _section_of(lines: Sequence[Line], sections: Sequence[Section]) -> dict[int, int]:
    return {i: number for number, section in enumerate(sections) for i in range(section.begin, section.end)}


def _own_question(section: Section) -> bool:
    """A 一、 line that asks by itself: what is numbered below it are its parts."""
    return section.line is not None and not section.typed


def _outer_family(lines: Sequence[Line], section: Section, last: int) -> str:
    """The style that numbers the items of a section: the outermost list, '' when none starts at 1.

    Lists nest: the style met first is the outer one, unless a stronger style starts later and the
    first list does not go on around it (a list in an introduction, then the items). `last` is the
    number of the last item of the section before, since numbering may run on.
    """
    marks = [
        (i, mark)
        for i in range(section.begin, section.end)
        if (mark := lines[i].mark) is not None and mark.style is not Style.HAN
    ]
    starts: dict[str, int] = {}
    for position, (_, mark) in enumerate(marks):
        if mark.value in (1, last + 1) or (
            # numbering that runs on after a gap: its first number here, and the next one follows
            all(other.family != mark.family for _, other in marks[:position])
            and any(
                other.family == mark.family and other.value == mark.value + 1 for _, other in marks[position:]
            )
        ):
            starts.setdefault(mark.family, position)
    outer = ""
    for family, position in sorted(starts.items(), key=lambda item: item[1]):
        if not outer:
            outer = family
            continue
        above = next((m.value for _, m in reversed(marks[:position]) if m.family == outer), 0)
        if marks[position][1].value == above + 1 > 1:
            continue  # «1. 2. Q3. Q4.» is one numbering in two styles
        second = marks[starts[outer]][1].value + 1
        runs_on = any(mark.family == outer and mark.value == second for _, mark in marks[position:])
        ran_before = any(mark.family == outer and mark.value == second for _, mark in marks[:position])
        length = sum(1 for _, mark in marks if mark.family == family)
        if _WEIGHT[family] > _WEIGHT[outer] and length >= 2 and not runs_on and (ran_before or length > 2):
            outer = family
    return outer


def _weight(lines: Sequence[Line], index: int) -> float:
    line = lines[index]
    mark = line.mark
    assert mark is not None
    weight = _WEIGHT[mark.family]
    if mark.style is Style.BARE:
        weight = 0.65 if re.search(r"\s$", line.text[: mark.end]) else 0.3
    if line.automatic:
        weight += 0.1
    if not line.body:
        nearest = lines[index + 1] if index + 1 < len(lines) else None
        weight -= 0.6 if nearest is None or nearest.mark is not None else 0.2
    elif len(line.body) <= 2 and mark.style is not Style.ARABIC:
        weight -= 0.3
    if mark.value > 120:
        weight -= 1.0
    return weight


def _entry(mark: Mark | None) -> float:
    value = mark.value if mark else 0
    return 0.2 if value == 1 else -0.1 * min(value, 7)


def _major(mark: Mark) -> int:
    """The 2 of «2.1» and «2-1», 0 where there is none."""
    found = re.match(r"[（(]?(\d{1,2})", mark.printed)
    return int(found.group(1)) if found else 0


def _step(
    lines: Sequence[Line], j: int, i: int, section_j: int, section_i: int, sections: Sequence[Section]
) -> float:
    before, after = lines[j].mark, lines[i].mark
    assert before is not None and after is not None
    step = after.value - before.value
    same_style = before.family == after.family
    if section_j != section_i:
        if after.value == 1:
            return 0.2
        if step == 1 and same_style:
            return 0.2
        return -0.6 - (0.1 * min(abs(step), 8))
    if same_style:
        if step == 1 or (
            after.style is Style.MULTI and after.value == 1 and _major(after) == _major(before) + 1
        ):
            return 0.4
        if 2 <= step <= 3:
            return -0.3 * step
        if step == 0:
            return -0.9
        if step > 0 or after.value != 1:
            return -1.3 if step > 0 else -1.8
        # a list inside a question begins at 1 too: mostly with another sign after the number, its
        # entries parted by semicolons
        listed = lines[i].text.rstrip().endswith(("；", ";"))
        return -1.3 - (0.7 if before.printed[-1:] != after.printed[-1:] else 0.0) - (0.7 if listed else 0.0)
    # a change of style inside a section: rarely a typist's slip, mostly a list inside an item
    return -0.9 if step == 1 else -1.9
