"""The outline of a paper: which numbered lines are sections, which are items, which only lists.

Numbering is a sequence. Every line with a number is a candidate; the set of candidates that reads
best as the numbering of the whole paper is found by dynamic programming over the document, with
points for numbers that go on and charges for gaps, repeats and restarts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ingest.segment.forms import heading_form, is_type_heading
from ingest.segment.lines import Line
from ingest.segment.marks import Mark, Style, han_value
from ingest.segment.sequence import Chain, best_chain
from schemas.document import BlockKind

_TERM_HEADING = re.compile(
    r"^(?:(?:19|20)?\d{2}\s*(?:年|级|春|秋|夏|冬|学年)\s*\S{0,8}|(?:19|20)\d{2}\s*[-—–~～/]+\s*(?:19|20)?\d{2}\S{0,14}|(?:19|20)\d{2}[.．/-]\d{1,2}\S{0,6}|\d{2}\s*小学期|"
    r"(?:[上下]学期|期中|期末)\S{0,4})$"
)
_PART = re.compile(r"^(?:Part|PART|Section|SECTION)\s+([A-Z]|\d{1,2}|[IVX]{1,4})\b[.:：]?\s*(.*)$")
_CHAPTER = re.compile(r"^第\s*([一二三四五六七八九十\d]{1,3})\s*(?:部分|大题|卷)\s*[:：、.．]?\s*(.*)$")
_ROMANS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")

INNER_CHARGE = 1.5
_WEIGHT = {
    "word": 1.4,
    "arabic": 1.0,
    "han": 0.9,
    "bracket": 0.7,
    "paren": 0.5,
    "han_paren": 0.5,
    "right_paren": 0.35,
    "multi": 0.2,
    "circle": 0.15,
}


@dataclass(slots=True)
class Section:
    """A heading and the lines up to the next one; `line` is None for what comes before any heading."""

    line: int | None
    title: str
    begin: int
    end: int = 0
    typed: bool = False
    value: int = 0
    paper: int = 0
    items: list[int] = field(default_factory=list)


def find_sections(lines: Sequence[Line], begin: int, end: int) -> list[Section]:
    """Cut lines[begin:end] at section headings; the first section may have no heading."""
    heads = _heads(lines, begin, end)
    sections = [Section(None, "", begin)]
    paper = 0
    last_value = 0
    for index, title, value, typed in heads:
        sections[-1].end = index
        if (value == 1 and last_value >= 1) or value == -1:
            paper += 1
        last_value = value if value != 0 else last_value
        sections.append(Section(index, title, index + 1, typed=typed, value=max(value, 0), paper=paper))
    sections[-1].end = end
    return sections


def _heads(lines: Sequence[Line], begin: int, end: int) -> list[tuple[int, str, int, bool]]:
    """(line, title, value, announces a form) of each heading. value -1 starts another paper."""
    found: list[tuple[int, str, int, bool]] = []
    han = _han_run(lines, begin, end)
    terms = {
        i
        for i in range(begin, end)
        if lines[i].kind is BlockKind.TEXT
        and len(text := lines[i].text.strip()) <= 24
        and _TERM_HEADING.match(text)
    }
    if len(terms) < 2:
        terms = set()  # one year is the paper's own title; a collection of past papers has several
    arabic_heads = _arabic_headings(lines, begin, end) if not han else set()
    for index in range(begin, end):
        line = lines[index]
        if line.kind is not BlockKind.TEXT:
            continue
        text = line.text.strip()
        if index in han and line.mark is not None:
            found.append(
                (index, _whole_heading(lines, index, end), line.mark.value, _announces(lines, index, end))
            )
        elif index in arabic_heads and line.mark is not None:
            found.append((index, text, line.mark.value, True))
        elif (part := _PART.match(text)) and len(text) < 120:
            number = part.group(1)
            value = (
                int(number)
                if number.isdecimal()
                else _ROMANS.index(number) + 1
                if number in _ROMANS
                else ord(number) - 64
            )
            found.append((index, text, value, True))
        elif (chapter := _CHAPTER.match(text)) and len(text) < 80:
            raw = chapter.group(1)
            found.append((index, text, int(raw) if raw.isdecimal() else han_value(raw), True))
        elif index in terms:
            found.append((index, text, -1, True))
        elif line.mark is None and len(text) <= 30 and is_type_heading(text) and _is_bare_heading(text):
            found.append((index, text, 0, True))
        elif (
            line.mark is not None
            and line.mark.style is Style.WORD
            and "第" in line.mark.printed
            and is_type_heading(line.body)
            and not line.body.endswith(("？", "?"))
        ):
            found.append((index, text, line.mark.value, True))
    return found


_BARE_HEADING = re.compile(
    r"^(?:[\u4e00-\u9fff]{0,6}(?:题|作文|简答|论述|名词解释|填空|判断|选择|单选|多选|问答|材料|案例分析|翻译)"
    r"|[A-Z][A-Za-z /-]{3,28} (?:questions|problems))"
    r"\s*(?:[（(【\[].{0,24}[)）】\]])?\s*[:：]?$"
)


def _is_bare_heading(text: str) -> bool:
    return bool(_BARE_HEADING.match(text)) and not re.search(
        r"答题|试题|考题|标题|命题|问题|习题|例题|做题", text
    )


def _whole_heading(lines: Sequence[Line], index: int, end: int) -> str:
    """The heading with its continuation: an open bracket, or a hard wrap of a page line."""
    title = lines[index].text.strip()
    for follow in range(index + 1, min(index + 3, end)):
        line = lines[follow]
        opened = title.count("（") + title.count("(") > title.count("）") + title.count(")")
        if (line.mark is not None and not opened) or line.kind is not BlockKind.TEXT:
            break
        starts_bracket = line.text.lstrip().startswith(("（", "("))
        if opened or (starts_bracket and len(line.text) < 60 and re.search(r"分|题|√|打|填|选", line.text)):
            title += line.text.strip()
        else:
            break
    return title


def _announces(lines: Sequence[Line], index: int, end: int) -> bool:
    """Whether a 一、 line is a heading over items, not a question of its own."""
    title = _whole_heading(lines, index, end)
    mark = lines[index].mark
    body = title[mark.end :].strip() if mark else title
    if is_type_heading(body):
        return True
    if body.endswith(("？", "?", "。")) and heading_form(body[:12]) is None:
        return False
    short = len(re.sub(r"[（(].*?[)）]", "", body)) <= 16
    for follow in range(index + 1, min(index + 4, end)):
        mark = lines[follow].mark
        if mark is not None:
            return short and mark.value == 1 and mark.style in (Style.ARABIC, Style.BARE)
    return False


def _han_run(lines: Sequence[Line], begin: int, end: int) -> set[int]:
    """Lines whose 一、二、三 read as the sections of one or more papers."""
    candidates = [
        i
        for i in range(begin, end)
        if (m := lines[i].mark) is not None and m.style is Style.HAN and _plausible_han(lines[i])
    ]

    def value(i: int) -> int:
        mark = lines[i].mark
        return mark.value if mark else 0

    def step(j: int, i: int) -> float:
        gap = value(i) - value(j)
        if gap == 1:
            return 0.3
        if 2 <= gap <= 3:
            return -0.4 * gap
        if value(i) == 1:
            return -0.3
        return -0.9 if gap == 0 else -1.6

    chain = best_chain(
        candidates,
        lambda i: 1.0 if is_type_heading(lines[i].body) else 0.55,
        lambda i: 0.0 if value(i) == 1 else -0.25 * min(value(i), 6),
        step,
    )
    if not chain.members or (chain.score <= 0.6 and not is_type_heading(lines[chain.members[-1]].body)):
        return set()
    return set(chain.members)


def _plausible_han(line: Line) -> bool:
    mark = line.mark
    assert mark is not None
    if mark.printed[-1:] not in "、，,.．。:：" and not line.automatic:
        # «一 …» with only a space, or «三（12分)»: a heading word must follow
        return is_type_heading(line.body) or line.body.startswith(("（", "("))
    return True


def _arabic_headings(lines: Sequence[Line], begin: int, end: int) -> set[int]:
    """«1. 名词解释 (9选6)» where there is no 一、: arabic numbers over items that start again at 1."""
    chosen = set()
    for index in range(begin, end):
        line = lines[index]
        if line.mark is None or line.mark.style is not Style.ARABIC or not is_type_heading(line.body):
            continue
        follow = next((lines[i].mark for i in range(index + 1, min(index + 4, end)) if lines[i].mark), None)
        if follow is not None and follow.value == 1:
            chosen.add(index)
    return chosen


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
    candidates = [
        i
        for i in where
        if lines[i].mark is not None and i not in heads and not _own_question(sections[where[i]])
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
    for i in chain.members:
        sections[where[i]].items.append(i)
    return chain


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
        if sections[section_i].value == -1:
            return -0.3
        return -0.6 - (0.1 * min(abs(step), 8))
    if same_style:
        if step == 1:
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
