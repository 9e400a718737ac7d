"""Answer keys: a block at the end, a grid, ranges, or a file of its own, read into entries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.segment.answers import ANSWER_LINE
from ingest.segment.forms import SECTION_NAME, heading_form, is_type_heading
from ingest.segment.grids import grid, key_ranges, listed, text_grid, unread_ranges
from ingest.segment.keylines import key_lines
from ingest.segment.lines import Line
from ingest.segment.marks import Style, read_mark
from ingest.segment.outline import Section, choose_items, find_sections
from ingest.segment.sections import extra_end
from schemas.document import BlockKind
from schemas.question import PrintedForm as Form
from schemas.question import Region

_TAG = re.compile(r"^(?:\s*[\[【][^\]】]{1,24}[\]】])+\s*")
_NOISE = re.compile(r"[\s\u3000]*(?:\.{3,}|…{1,})[\s\u3000]*(?=[（(]\s*\d+\s*分)")
_CHOICE = re.compile(r"^[（(]?\s*([A-H](?:[\s,，、]*[A-H]){0,7})\s*[)）]?[.．。;；,，]?$")
_SMALL = re.compile(r"^[（(]?\s?([a-h](?:[\s,，、]{0,2}[a-h]){0,5})\s?[)）]?[.。]?$")  # «(b)», «a, c»
_LETTER_LEAD = re.compile(r"^[（(]?\s*([A-H]{1,8})\s*[)）]?(?=[\s.．。,，、:：;；【（(]|解|$)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer of a key: where its section stands, its number, the text and where it was read."""

    section: int
    section_value: int
    heading: str
    form: Form | None
    number: int
    text: str
    regions: tuple[Region, ...] = ()
    rule: str = "key"


def read_key(lines: Sequence[Line], begin: int, end: int) -> list[Entry]:
    """Entries of lines[begin:end], in order. Sections are counted from 0; number 0 = none printed."""
    split = key_lines(lines[begin:end])
    sections = find_sections(split, 0, len(split))
    for section in sections:
        # in a key everything under a heading is an answer, also under «六、计算题(14分)»
        section.typed = True
    choose_items(split, sections)
    entries: list[Entry] = []
    for order, section in enumerate(sections):
        entries.extend(_section_entries(split, section, order))
    return entries


def _section_entries(lines: Sequence[Line], section: Section, order: int) -> list[Entry]:
    form = heading_form(section.title) if section.title else None
    found: list[Entry] = []

    def entry(number: int, text: str, regions: tuple[Region, ...], rule: str) -> None:
        found.append(Entry(order, section.value, section.title, form, number, tidy(text), regions, rule))

    for line, number, text, rule in _loose(lines, section):
        entry(number, text, (_region(line),), rule)
    if section.line is not None:
        for number, text in listed(section.title):
            entry(number, text, (_region(lines[section.line]),), "key range")
    section.items = [*_out_of_order(lines, section), *section.items]
    stops = [*section.items, section.end][1:]
    for i, stop in zip(section.items, stops, strict=True):
        mark = lines[i].mark
        assert mark is not None
        ranged = listed(lines[i].text)
        if ranged:
            for number, text in ranged:
                entry(number, text, (_region(lines[i]),), "key range")
            continue
        # «四、①甲 ②乙»: all points of one answer on a line, no number of a question
        points = mark.style is Style.CIRCLE and len(section.items) == 1 and "②" in lines[i].body
        number, first = (0, lines[i].text) if points else (mark.value, lines[i].body)
        pieces = [first, *(line.indent + line.text for line in lines[i + 1 : stop])]
        entry(number, "\n".join(pieces), tuple(_region(line) for line in lines[i:stop]), "key")
        for line in lines[i + 1 : stop]:
            for number, text in key_ranges(line.text) if line.kind is BlockKind.TEXT else ():
                entry(number, text, (_region(line),), "key range")
    body = [line for line in lines[section.begin : section.end] if line.kind is not BlockKind.FIGURE]
    head = _said_in_heading(section, body)
    own = [lines[section.line]] if head and section.line is not None else []
    if not found and section.line is not None:
        text = "\n".join([head, *(line.indent + line.text for line in body)]).strip()
        if text:
            entry(0, text, tuple(_region(line) for line in (*own, *body)), "key section")
    elif head.endswith(("。", "；", ";")):
        entry(0, head, tuple(map(_region, own)), "key section")
        found.insert(0, found.pop())
    return found


def _out_of_order(lines: Sequence[Line], section: Section) -> list[int]:
    """Numbered lines above the first item of a section («7. …» before «6. …»): answers in another order."""
    if not section.items:
        return []
    first = lines[section.items[0]].mark
    taken = {mark.value for i in section.items if (mark := lines[i].mark)}
    return [
        i
        for i in range(section.begin, section.items[0])
        if (mark := lines[i].mark) is not None
        and first is not None
        and mark.family == first.family == "arabic"
        and mark.style is not Style.BARE
        and mark.value not in taken
        and not listed(lines[i].text)
    ]


_ASKS = re.compile(
    r"[？?]|_{2,}|[（(]\s*[)）]|^(?:请|试|简述|论述|试述|叙述|计算|求|证明|说明|分析|编写|设计|画出|写出|比较|解释|设|已知|阅读"
    r"|根据|某|如图)"
)
_POINTS = re.compile(r"[（(\[]\s*(?:本|每|共|满分)?[^（）()]{0,8}?\d{1,3}\s*分[^（）()]{0,8}[)）\]]")


def _said_in_heading(section: Section, body: Sequence[Line]) -> str:
    """What a line with the number of a section answers («二、因势利导。»), '' where it names or asks."""
    if section.line is not None and extra_end(section.title):
        return section.title[extra_end(section.title) :].strip()
    mark = read_mark(section.title)
    if section.line is None or mark is None or mark.style is not Style.HAN or listed(section.title):
        return ""
    said = section.title[mark.end :].strip()
    if _SOLVES.match(said):
        return re.sub(r"^.*?[:：]", "", section.title)
    if (
        (told := _NAMED_TELLS.match(said))
        and is_type_heading(told.group(1))
        and not _ASKS.search(told.group(2))
    ):
        return told.group(2)
    if _CONCLUDES.search(said):
        return said
    named = is_type_heading(said) or not _POINTS.sub("", said).strip()
    if named or _ASKS.search(said) or (body and _SOLVES.match(body[0].text)):
        return ""
    return said


_NAMED_TELLS = re.compile(rf"({SECTION_NAME})\s?[:：]\s?(\S.*)$")
_CONCLUDES = re.compile(r"故|所以|因此|从而|得证|证毕|[∴⇒]")
_SOLVES = re.compile(r"\s*(?:解|答|证)")


def _loose(lines: Sequence[Line], section: Section) -> Iterator[tuple[Line, int, str, str]]:
    """What stands before the first numbered answer of a section: grids, ranges and lists of letters."""
    stop = section.items[0] if section.items else section.end
    for line, below in itertools.zip_longest(
        lines[section.begin : stop], lines[section.begin + 1 : stop], fillvalue=None
    ):
        assert line is not None
        if line.kind is BlockKind.TABLE:
            for number, text in grid(line.text):
                yield line, number, text, "key grid"
        elif line.kind is BlockKind.TEXT:
            ranges = listed(line.text)
            for number, text in ranges:
                yield line, number, text, "key range"
            for text in unread_ranges(line.text) if ranges else ():
                yield line, 0, text, "key range"
            if below is not None and below.kind is BlockKind.TEXT:
                for number, text in text_grid(line.text, below.text):
                    yield line, number, text, "key grid"


def _region(line: Line) -> Region:
    return Region(page=line.block.page, box=line.block.box)


def tidy(text: str) -> str:
    """An answer without its tags, its «答：» and the grader's dots."""
    text = _TAG.sub("", text.strip())
    text = _NOISE.sub(" ", text)
    lead = ANSWER_LINE.match(text)
    if lead:
        text = text[lead.end() :]
    text = text.strip()
    only = _CHOICE.match(text)
    if only:
        return re.sub(r"[\s,，、]", "", only.group(1))
    return text


def choice_of(text: str) -> tuple[str, str] | None:
    """Letters and the explanation after them of a choice answer «D 解析：…», None when it is none."""
    if small := _SMALL.match(text.strip()):
        return re.sub(r"[^A-Z]", "", small.group(1).upper()), ""
    found = _LETTER_LEAD.match(text.strip())
    if not found:
        return None
    rest = text.strip()[found.end() :].strip(" \n\t.．。,，、:：;；")
    return found.group(1), rest
