"""Section headings: where a paper says what kind of questions follows, in any numbering or in none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ingest.segment.forms import heading_form, is_type_heading
from ingest.segment.lines import Line
from ingest.segment.marks import Mark, Style, read_mark
from ingest.segment.sequence import best_chain
from ingest.segment.shared import span_of
from schemas.document import BlockKind
from schemas.question import PrintedForm as Form

_TERM_HEADING = re.compile(
    r"^(?:(?:19|20)?\d{2}\s*(?:年|级|春|秋|夏|冬|学年)\s*\S{0,8}|(?:19|20)\d{2}\s*[-—–~～/]+\s*(?:19"
    r"|20)?\d{2}\S{0,14}|(?:19|20)\d{2}[.．/-]\d{1,2}\S{0,6}|\d{2}\s*小学期|"
    r"(?:[上下]学期|期中|期末)\S{0,4})$"
)
_PART = re.compile(
    r"^(?:Part|PART|Section|SECTION)\s+([A-Z]|\d{1,2}|[IVX]{1,4}|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive"
    r"|ONE|TWO|THREE|FOUR|FIVE)\b"
    r"\s*[.:：–—-]?\s*(.*)$"
)
_CHAPTER = re.compile(
    r"^第\s*([一二三四五六七八九十\d]{1,3}|[ⅠⅡⅢⅣⅤI]{1,3})\s*(?:部分|大题|卷)\s*[:：、.．]?\s*(.*)$"
)
# a collection of exercises by chapter: each begins the numbering again
_UNIT = re.compile(
    r"^(?:第\s*(?:[一二三四五六七八九十]{1,3}|\d{1,2})\s*(?:章|单元|讲"
    r"|篇)(?:[\s:：]\s*[^，。？；]{0,24})?|Chapter\s+\d{1,2}\b[^.?]{0,50})$"
)
# questions for extra points, printed without a number; alone on its line the name needs no sign
_EXTRA = re.compile(
    r"(?P<name>Bonus|BONUS|Extra [Cc]redit|附加题|加分题|附加试题|选做题)"
    r"(?:\s+(?:[Qq]uestions?|[Pp]roblems?))?\s{0,3}"
    r"(?:[（(\[【][^（()）\[\]【】]{1,30}[)）\]】]\s{0,3}[.:：]?|[.:：]|$)\s{0,3}"
)
EXTRA = 99
"""Stands for the number of a section for extra points, in paper and key."""
_WORD_NUMBERS = ("one", "two", "three", "four", "five")


@dataclass(slots=True)
class Section:
    """A heading and the lines up to the next one; `line` is None for what comes before any heading.

    typed: the heading announces questions; otherwise it is a question itself.
    """

    line: int | None
    title: str
    begin: int
    end: int = 0
    typed: bool = False
    value: int = 0
    items: list[int] = field(default_factory=list)


def find_sections(lines: Sequence[Line], begin: int, end: int) -> list[Section]:
    """Cut lines[begin:end] at section headings; the first section may have no heading."""
    heads = _heads(lines, begin, end)
    sections = [Section(None, "", begin)]
    for index, title, value, typed in heads:
        sections[-1].end = index
        sections.append(Section(index, title, index + 1, typed=typed, value=value))
    sections[-1].end = end
    return sections


def _heads(lines: Sequence[Line], begin: int, end: int) -> list[tuple[int, str, int, bool]]:
    """(line, title, value, announces a form) of each heading; value 0 where it has no number of its own."""
    found: list[tuple[int, str, int, bool]] = []
    outer = _outer_run(lines, begin, end)
    nested = _nested_headings(lines, begin, end, outer)
    terms = {
        i
        for i in range(begin, end)
        if lines[i].kind is BlockKind.TEXT
        and len(text := lines[i].text.strip()) <= 24
        and _TERM_HEADING.match(text)
    }
    if len(terms) < 2:
        terms = set()  # one year is the paper's own title; a collection of past papers has several
    units = {
        i for i in range(begin, end) if lines[i].kind is BlockKind.TEXT and _UNIT.match(lines[i].text.strip())
    }
    arabic_heads = _arabic_headings(lines, begin, end) if not outer else set()
    over = ""
    for index in range(begin, end):
        line = lines[index]
        if line.kind is not BlockKind.TEXT:
            continue
        text = line.text.strip()
        if index in outer and line.mark is not None:
            over = _whole_heading(lines, index, end)
            found.append((index, over, line.mark.value, _announces(lines, index, end)))
        elif index in nested:
            found.append((index, f"{over} {_whole_heading(lines, index, end)}".strip(), 0, True))
        elif index in arabic_heads and line.mark is not None:
            found.append((index, text, line.mark.value, True))
        elif (part := _PART.match(text)) and len(text) < 120:
            found.append((index, text, _part_value(part.group(1)), True))
        elif (chapter := _CHAPTER.match(text)) and len(text) < 80:
            mark = read_mark(f"{chapter.group(1)}、")
            found.append((index, text, mark.value if mark else 0, True))
        elif extra_end(text):
            follow = lines[index + 1].mark if index + 1 < end else None
            listed = follow is not None and (follow.value == 1 or follow.style is Style.ARABIC)
            found.append((index, text, EXTRA, listed and len(text) <= 40))
        elif index in terms or (index in units and len(units) >= 2) or _is_bare_heading(line):
            found.append((index, text, 0, True))
        elif _is_lettered(lines, index, end, ord(found[-1][1][0]) if found and found[-1][1] else 0):
            found.append((index, text, ord(text[0]) - 64, True))
        elif line.mark is not None and (kind := _named_by_word(line, found[-1][1:3] if found else ("", 0))):
            found.append((index, text, line.mark.value, kind == "heading"))
    return found


def _named_by_word(line: Line, last: tuple[str, int]) -> str:
    """What «第3题 …» is: a heading over questions, a question among such headings, or neither ('').

    last: title and number of the heading before.
    """
    if line.mark is None or line.mark.style is not Style.WORD or "第" not in line.mark.printed:
        return ""
    if is_type_heading(line.body) and not line.body.endswith(("？", "?")):
        return "heading"
    return "question" if last[0].startswith("第") and last[1] == line.mark.value - 1 else ""


def _part_value(number: str) -> int:
    """«Part B», «Section 2», «Part IV», «Part One» as a number from 1."""
    if number.isdecimal():
        return int(number)
    if number.lower() in _WORD_NUMBERS:
        return _WORD_NUMBERS.index(number.lower()) + 1
    mark = read_mark(f"{number}. x")
    return mark.value if mark and mark.style is Style.ROMAN else ord(number[0].upper()) - 64


def _outer_run(lines: Sequence[Line], begin: int, end: int) -> set[int]:
    """Lines whose numbers read as the outermost headings: 一、 where there are any, else Ⅰ. or （一）.

    The weaker two count only when they name kinds of questions: （一）（二） are mostly questions
    themselves, and I. II. III. are the statements of a question.
    """
    han = _heading_run(lines, begin, end, Style.HAN)
    if han:
        return han
    for style in (Style.ROMAN, Style.HAN_PAREN):
        run = _heading_run(lines, begin, end, style)
        named = sum(
            1 for i in run if _names_kind(lines[i]) or (style is Style.ROMAN and _announces(lines, i, end))
        )
        if run and 2 * named >= len(run):
            return run
    return set()


def _names_kind(line: Line) -> bool:
    """Whether a line names a kind of question; 「（一）阅读材料」 is a question itself."""
    return is_type_heading(line.body) and heading_form(line.body) not in (None, Form.ANALYSIS)


def _nested_headings(lines: Sequence[Line], begin: int, end: int, outer: set[int]) -> set[int]:
    """（一）单项选择 below 二、选择题: lines in another numbering that name a kind of question over items."""
    if not outer:
        return set()
    style = next(iter({mark.style for i in outer if (mark := lines[i].mark)}))
    chosen = set()
    for index in range(begin, end):
        mark = lines[index].mark
        if (
            mark is None
            or mark.style is style
            or mark.style not in (Style.HAN_PAREN, Style.ROMAN)
            or not _names_kind(lines[index])
        ):
            continue
        follow = next((m for i in range(index + 1, min(index + 4, end)) if (m := lines[i].mark)), None)
        if follow is not None and follow.value == 1 and follow.style is not mark.style:
            chosen.add(index)
    return chosen


_ENGLISH_HEADING = re.compile(
    r"^(?:(?:Multiple|Single)[- ]Choices?|True\s*(?:/|or|and|-)\s*False"
    r"|(?:Short|Long|Brief)[- ]Answers?|Fill[- ]in[- ]the[- ]Blanks?"
    r"|Essays?|Matching|Definitions?|Identifications?|Problems?|Calculations?"
    r"|Cloze|Reading Comprehension|Translations?|Writing|Proofs?)"
    r"(?:\s+(?:Questions?|Problems?|Section|Part"
    r"|Items))?\s*(?:[（(\[][^（()）\[\]]{1,60}[)）\]])?\s*[:：.]?$",
    re.IGNORECASE,
)
_BARE_HEADING = re.compile(
    r"^(?:[\u4e00-\u9fff]{0,6}(?:题|作文|简答|论述|名词解释|填空|判断|选择|单选|多选|问答|材料|案例分析|翻译)"
    r"|[A-Z][A-Za-z /-]{3,28} (?:questions|problems))"
    r"\s*(?:[（(【\[].{0,24}[)）】\]])?\s*[:：]?$"
)


_LETTERED = re.compile(r"^[A-F]\s*[.．、]\s*(?=\S)")


def _is_lettered(lines: Sequence[Line], index: int, end: int, last: int) -> bool:
    """«A. 名词解释（每题3分）» over items from 1; an option that names a kind has none below it.

    last: the first letter, by its code, of the heading before; after «A.», «B. …» needs to name no kind.
    """
    found = _LETTERED.match(lines[index].text.strip())
    if found is None or index + 1 >= end:
        return False
    body = lines[index].text.strip()[found.end() :]
    mark = lines[index + 1].mark
    if mark is None or mark.family != "arabic":
        return False
    goes_on = ord(lines[index].text.strip()[0]) == last + 1 and len(body) <= 60
    named = is_type_heading(body) and heading_form(body) is not None
    return (named and mark.value == 1) or (goes_on and mark.value in (1, _number_above(lines, index) + 1))


def _is_bare_heading(line: Line) -> bool:
    """Whether a line without a number only names a kind of question."""
    text = line.text.strip()
    if line.mark is not None:
        return False
    if _ENGLISH_HEADING.match(text):
        return True
    return (
        len(text) <= 30
        and is_type_heading(text)
        and bool(_BARE_HEADING.match(text))
        and not re.search(r"(?<![简问解选必])答题|试题|考题|标题|命题|问题|习题|例题|做题", text)
    )


def _whole_heading(lines: Sequence[Line], index: int, end: int) -> str:
    """The heading with its continuation: an open bracket, or a hard wrap of a page line."""
    title = lines[index].text.strip()
    if title.endswith(("。", "？", "?")) and not is_type_heading(lines[index].body):
        return title  # a question: what stands in brackets below it is no part of a heading
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
    if is_type_heading(body) or (span_of(body) and len(body) <= _LONG_SPAN):
        return True
    if body.endswith(("？", "?", "。")) and heading_form(body[:12]) is None:
        return False
    bare = re.sub(r"[（(].*?[)）]", "", body)
    short = len(bare) <= 24 if _HAN.search(bare) else len(bare.split()) <= 12
    said = _number_above(lines, index)
    for follow in range(index + 1, min(index + 4, end)):
        mark = lines[follow].mark
        if mark is not None:
            return short and mark.value in (1, said + 1) and mark.style in (Style.ARABIC, Style.BARE)
    return False


_LONG_SPAN = 120
_HAN = re.compile(r"[\u3400-\u9fff]")


def _number_above(lines: Sequence[Line], index: int) -> int:
    """The last arabic number above a line, from which a numbering may run on; 0 for none."""
    above = (mark for line in reversed(lines[:index]) if (mark := line.mark) and mark.family == "arabic")
    return next(above, Mark(Style.ARABIC, 0, 0, "")).value


def _heading_run(lines: Sequence[Line], begin: int, end: int, style: Style) -> set[int]:
    """Lines whose numbers of one style read as the sections of one or more papers."""
    candidates = [
        i
        for i in range(begin, end)
        if (m := lines[i].mark) is not None and m.style is style and _plausible(lines[i])
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
    before = sum(1 for i in range(begin, chain.members[0]) if lines[i].mark is not None)
    if before >= 4 and 2 * sum(1 for i in chain.members if _says(lines, i, end)) < len(chain.members):
        return set()  # the rows of a form («一、营业收入 二、营业利润») after the questions
    return set(chain.members)


_SAYS = re.compile(r"分|[？?]|题|求|证|试|述|论|计算|解|说明|分析|写|画|what|why|how|[$=]")


def _says(lines: Sequence[Line], index: int, end: int) -> bool:
    """Whether a numbered line or what directly follows it asks or announces anything."""
    return any(_SAYS.search(line.text) for line in lines[index : min(index + 3, end)])


def _plausible(line: Line) -> bool:
    mark = line.mark
    assert mark is not None
    if mark.style is Style.HAN and mark.printed[-1:] not in "、，,.．。:：" and not line.automatic:
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


def extra_end(text: str) -> int:
    """Where the text of a question for extra points begins («附加题（10分）：…»), 0 where it is none."""
    found = _EXTRA.match(text)
    return found.end() if found else 0


def extra_name(text: str) -> str:
    """«附加题» as printed, '' where a text does not begin with such a name."""
    found = _EXTRA.match(text)
    return found.group("name") if found else ""


def title_value(title: str) -> int:
    """The number of a heading as printed («二、», «Ⅱ.», «第二部分», «Part B»), 0 when it has none."""
    title = title.strip()
    if extra_end(title):
        return EXTRA
    if part := _PART.match(title):
        return _part_value(part.group(1))
    if chapter := _CHAPTER.match(title):
        mark = read_mark(f"{chapter.group(1)}、")
        return mark.value if mark else 0
    mark = read_mark(title)
    return mark.value if mark and mark.style in (Style.HAN, Style.ROMAN, Style.HAN_PAREN) else 0
