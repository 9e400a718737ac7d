"""Answer keys: a block at the end, a grid, ranges, or a file of its own, read into entries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.segment.answers import ANSWER_LINE
from ingest.segment.forms import heading_form
from ingest.segment.lines import Line
from ingest.segment.marks import read_mark, split_inner
from ingest.segment.outline import Section, choose_items, find_sections
from schemas.document import BlockKind
from schemas.question import PrintedForm as Form
from schemas.question import Region

_TAG = re.compile(r"^(?:\s*[\[【][^\]】]{1,24}[\]】])+\s*")
_NOISE = re.compile(r"[\s\u3000]*(?:\.{3,}|…{1,})[\s\u3000]*(?=[（(]\s*\d+\s*分)")
_RANGE = re.compile(
    r"(?<!\d)(\d{1,3})\s*[-—–~～至]+\s*(\d{1,3})\s*(?:题)?\s*[:：.、]?\s*((?:[A-H√×TF对错][\s,，、]*){2,})"
)
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
    split = [piece for line in lines[begin:end] for piece in _pieces(line)]
    sections = find_sections(split, 0, len(split))
    for section in sections:
        # in a key everything under a heading is an answer, also under «六、计算题(14分)»
        section.typed = True
    choose_items(split, sections)
    entries: list[Entry] = []
    for order, section in enumerate(sections):
        entries.extend(_section_entries(split, section, order))
    return entries


def _pieces(line: Line) -> list[Line]:
    if line.mark is None or line.kind is not BlockKind.TEXT:
        return [line]
    return [
        Line(part.strip(), line.block, read_mark(part), line.automatic, line.kind, line.index)
        for part in split_inner(line.text, line.mark, tight=True)
    ]


def _section_entries(lines: Sequence[Line], section: Section, order: int) -> list[Entry]:
    form = heading_form(section.title) if section.title else None
    found: list[Entry] = []

    def entry(number: int, text: str, regions: tuple[Region, ...], rule: str) -> None:
        found.append(Entry(order, section.value, section.title, form, number, tidy(text), regions, rule))

    loose = [i for i in range(section.begin, section.items[0] if section.items else section.end)]
    for i in loose:
        for number, text in _grid(lines[i].text) if lines[i].kind is BlockKind.TABLE else ():
            entry(number, text, (_region(lines[i]),), "key grid")
        for number, text in key_ranges(lines[i].text) if lines[i].kind is BlockKind.TEXT else ():
            entry(number, text, (_region(lines[i]),), "key range")
    if section.line is not None:
        for number, text in key_ranges(section.title):
            entry(number, text, (_region(lines[section.line]),), "key range")
    stops = [*section.items, section.end][1:]
    for i, stop in zip(section.items, stops, strict=True):
        mark = lines[i].mark
        assert mark is not None
        ranged = key_ranges(lines[i].text)
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


def _region(line: Line) -> Region:
    return Region(page=line.block.page, box=line.block.box)


def key_ranges(text: str) -> list[tuple[int, str]]:
    """«1-5 AAABC» → [(1, 'A'), …]; ranges whose letters do not match their length are left alone."""
    out: list[tuple[int, str]] = []
    for found in _RANGE.finditer(text):
        first, last = int(found.group(1)), int(found.group(2))
        raw = found.group(3).strip()
        tokens = re.split(r"[\s,，、]+", raw)
        want = last - first + 1
        letters = tokens if len(tokens) == want else list(re.sub(r"[\s,，、]", "", raw))
        if want == len(letters) and 1 <= want <= 60:
            out.extend((first + offset, letter) for offset, letter in enumerate(letters))
    return out


def _cell_number(cell: str) -> int:
    return int(re.sub(r"\D", "", cell)) if re.fullmatch(r"[（(]?\d{1,3}[)）.、]?", cell) else 0


def _grid(markdown: str) -> list[tuple[int, str]]:
    """Answers of a Markdown grid: a row of numbers over a row of answers, or number | answer rows."""
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        for line in markdown.split("\n")
    ]
    rows = [row for row in rows if not all(re.fullmatch(r":?-{2,}:?|", cell) for cell in row)]
    out: list[tuple[int, str]] = []
    for upper, lower in itertools.pairwise(rows):
        numbers = [_cell_number(cell) for cell in upper]
        filled = [n for n in numbers if n]
        if (
            len(filled) >= 2
            and filled == list(range(filled[0], filled[0] + len(filled)))
            and len(lower) == len(upper)
        ):
            out.extend((n, cell) for n, cell in zip(numbers, lower, strict=True) if n and cell)
    if not out:
        for row in rows:
            if len(row) == 2 and re.fullmatch(r"\d{1,3}[.、]?", row[0]) and row[1]:
                out.append((int(re.sub(r"\D", "", row[0])), row[1]))
        if len(out) < 2:
            return []
    # two readings of one number (a grid printed as several rows) keep the first
    seen: dict[int, str] = {}
    for number, text in out:
        seen.setdefault(number, text)
    return sorted(seen.items())


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
