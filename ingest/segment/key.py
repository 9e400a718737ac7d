"""Answer keys: a block at the end, a grid, ranges, or a file of its own, read into entries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import EllipsisType

from ingest.segment.answers import ANSWER_LINE
from ingest.segment.forms import heading_form
from ingest.segment.grids import grid, key_ranges, listed, text_grid
from ingest.segment.lines import Line
from ingest.segment.marks import Mark, Style, read_mark, split_inner
from ingest.segment.outline import Section, choose_items, find_sections
from schemas.document import BlockKind
from schemas.question import PrintedForm as Form
from schemas.question import Region

_TAG = re.compile(r"^(?:\s*[\[【][^\]】]{1,24}[\]】])+\s*")
_NOISE = re.compile(r"[\s\u3000]*(?:\.{3,}|…{1,})[\s\u3000]*(?=[（(]\s*\d+\s*分)")
_CHOICE = re.compile(r"^[（(]?\s*([A-H](?:[\s,，、]*[A-H]){0,7})\s*[)）]?[.．。;；,，]?$")
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
    split = list(_pieces(lines[begin:end]))
    sections = find_sections(split, 0, len(split))
    for section in sections:
        # in a key everything under a heading is an answer, also under «六、计算题(14分)»
        section.typed = True
    choose_items(split, sections)
    entries: list[Entry] = []
    for order, section in enumerate(sections):
        entries.extend(_section_entries(split, section, order))
    return entries


def _pieces(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines with several answers cut apart; «三、（1）…» becomes a heading and its first answer."""
    number = 0
    for line in lines:
        if line.kind is not BlockKind.TEXT:
            yield line
            continue
        nested = NESTED.match(line.text)
        if nested:
            # «2(a) …», «2(b) …»: parts of one answer, its number printed with each
            again = int(nested.group(1)) == number
            number = int(nested.group(1))
            rest = line.text[nested.end() :].strip()
            yield _changed(line, rest if again else f"{number}. {rest}", None if again else ...)
            continue
        mark = line.mark
        if mark is None:
            yield line
            continue
        inner = read_mark(line.body) if mark.style is Style.HAN else None
        if inner is not None and inner.value == 1 and inner.style is not Style.HAN:
            yield _changed(line, line.text[: mark.end].strip())
            yield from (_changed(line, part) for part in split_inner(line.body, inner, tight=True))
            continue
        yield from (_changed(line, part) for part in split_inner(line.text, mark, tight=True))


NESTED = re.compile(
    r"^\s{0,3}(\d{1,2})\s{0,3}[.．]?\s{0,3}(?=[（(]\s{0,3}(?:[a-h]|[ivx]{1,4}"
    r"|\d)\s{0,3}[)）])"
)


def _changed(line: Line, text: str, mark: Mark | EllipsisType | None = ...) -> Line:
    text = text.strip()
    read = read_mark(text) if mark is ... else mark
    return Line(text, line.block, read, line.automatic, line.kind, line.index)


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
    stops = [*section.items, section.end][1:]
    for i, stop in zip(section.items, stops, strict=True):
        mark = lines[i].mark
        assert mark is not None
        ranged = listed(lines[i].text)
        if ranged:
            for number, text in ranged:
                entry(number, text, (_region(lines[i]),), "key range")
            continue
        pieces = [lines[i].body, *(line.text for line in lines[i + 1 : stop])]
        entry(mark.value, "\n".join(pieces), tuple(_region(line) for line in lines[i:stop]), "key")
        for line in lines[i + 1 : stop]:
            for number, text in key_ranges(line.text) if line.kind is BlockKind.TEXT else ():
                entry(number, text, (_region(line),), "key range")
    if not found and section.line is not None:
        body = [line for line in lines[section.begin : section.end] if line.kind is not BlockKind.FIGURE]
        head = (
            re.sub(r"^.*?[:：]", "", section.title)
            if re.match(r"^\S{1,3}\s*[、.．]\s*(?:解|答|证)", section.title)
            else ""
        )
        text = "\n".join([head, *(line.text for line in body)]).strip()
        if text:
            entry(0, text, tuple(_region(line) for line in body), "key section")
    return found


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
            for number, text in listed(line.text):
                yield line, number, text, "key range"
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
    found = _LETTER_LEAD.match(text.strip())
    if not found:
        return None
    rest = text.strip()[found.end() :].strip(" \n\t.．。,，、:：;；")
    return found.group(1), rest
