"""Answer grids inside a paper («题号 | 1 | 2», «答案 | A | B»), at the head or the end of their section."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.segment.align import attach
from ingest.segment.grids import labelled_numbers, sheet_of
from ingest.segment.key import Entry
from ingest.segment.lines import Line
from ingest.segment.marks import number_value
from schemas.document import BlockKind
from schemas.question import Draft, Region

RULE = "answer grid"
# «请将答案填入下表：», «答题栏»
_ASKS_TO_FILL = re.compile(
    r"^[（(]?[^。；;]{0,16}(?:答案|选项)[^。；;]{0,12}[填写涂][^。；;]{0,16}[:：。.]?[)）]?[:：。.]?$"
    r"|^(?:选择题|判断题)?答题[栏表卡格][:：]?$|^[^。；;]{0,6}答案[栏表][:：]?$"
)
_OF_QUESTION = re.compile(r"[下上附]表|表格|如表|表中|表\s?\d|\b[Tt]able\b")
_FILL = re.compile(r"答案|选项|填[在入写]")
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Sheet:
    """A grid: its line, the answers in it by number (none in an empty one), the line that asks to fill it."""

    line: Line
    answers: tuple[tuple[int, str], ...]
    asks: Line | None = None


def take_sheets(lines: Sequence[Line]) -> tuple[list[Line], list[Sheet]]:
    """The lines without the answer grids, and these."""
    kept: list[Line] = []
    sheets: list[Sheet] = []
    skip = False
    for place, line in enumerate(lines):
        if skip:
            skip = False
            continue
        below = lines[place + 1] if place + 1 < len(lines) else None
        found: list[tuple[int, str]] | None = None
        if kept and _OF_QUESTION.search(kept[-1].text) and not _FILL.search(kept[-1].text):
            pass  # «根据下表计算»: the question's own table
        elif line.kind is BlockKind.TABLE:
            found = sheet_of(line.text)
        elif line.kind is BlockKind.TEXT and below is not None and below.kind is BlockKind.TEXT:
            found = labelled_numbers(line.text, below.text)
            skip = found is not None
        if found is None:
            kept.append(line)
            continue
        asks = kept.pop() if kept and _asks_to_fill(kept[-1]) else None
        sheets.append(Sheet(line, tuple(found), asks))
    return kept, sheets


def _asks_to_fill(line: Line) -> bool:
    text = line.text.strip()
    whole = all(text.count(a) == text.count(b) for a, b in ("（）", "()"))
    return (
        line.kind is BlockKind.TEXT
        and line.mark is None
        and len(text) <= _LONGEST
        and whole
        and _ASKS_TO_FILL.match(text) is not None
    )


def attach_sheets(
    drafts: Sequence[Draft],
    begins: Mapping[str, int],
    lines: Sequence[Line],
    sheets: Sequence[Sheet],
    source: str,
) -> tuple[list[Draft], list[Entry]]:
    """Drafts with the answers of the grids of their sections, and the answers left over.

    begins: draft id → index of its first line. A grid is its own section's: of the questions above it,
    or of those below where their heading stands between; it must have no number that these do not have.
    """
    out = list(drafts)
    left: list[Entry] = []
    for sheet in sheets:
        region = Region(page=sheet.line.block.page, box=sheet.line.block.box)
        entries = [Entry(0, 0, "", None, n, text, (region,), RULE) for n, text in sheet.answers]
        if not entries:
            continue
        members = _section(out, begins, lines, sheet, {n for n, _ in sheet.answers})
        answered, unused = attach([out[d] for d in members], entries, source) if members else ([], entries)
        left.extend(unused)
        for d, draft in zip(members, answered, strict=True):
            out[d] = draft
    return out, left


def _section(
    drafts: Sequence[Draft],
    begins: Mapping[str, int],
    lines: Sequence[Line],
    sheet: Sheet,
    numbers: set[int],
) -> list[int]:
    """The drafts of the section that a grid stands in, [] where none has all its numbers."""
    at = sheet.line.index
    above = [d for d, draft in enumerate(drafts) if begins.get(draft.draft_id, at) < at]
    below = [d for d, draft in enumerate(drafts) if begins.get(draft.draft_id, at) > at]
    near = [d for d in (above[-1:] + below[:1])]
    if above and below:
        begin, heading = begins[drafts[above[-1]].draft_id], drafts[below[0]].section
        between = (line.text.strip() for line in lines if begin < line.index < at)
        if heading and any(text and heading.startswith(text) for text in between):
            near.reverse()
    for d in near:
        first = last = d
        while first > 0 and drafts[first - 1].section == drafts[d].section:
            first -= 1
        while last + 1 < len(drafts) and drafts[last + 1].section == drafts[d].section:
            last += 1
        members = list(range(first, last + 1))
        if numbers <= {number_value(drafts[m].number) for m in members}:
            return members
    return []
