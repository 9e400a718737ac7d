"""Blocks of answers in a paper: where each begins and ends, and which questions it answers.

A file may hold one paper with its key at the end, a key after each section, or several papers with
identical headings, each with its key after it or all keys at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from ingest.segment.align import attach
from ingest.segment.answers import ANSWER_LINE, is_answer_head
from ingest.segment.asking import Asking
from ingest.segment.corrections import with_flag
from ingest.segment.forms import heading_form
from ingest.segment.grids import key_ranges, listed, text_grid
from ingest.segment.key import Entry, read_key
from ingest.segment.keylines import NESTED, texts_after
from ingest.segment.lines import Line
from ingest.segment.marks import Mark, Style, read_mark, split_inner
from ingest.segment.sections import extra_end
from schemas.document import BlockKind
from schemas.question import Draft
from schemas.text import fold

_LETTER = re.compile(
    r"(?:[试考]?卷|试题|答案|解答|[Pp]aper|PAPER|[Tt]est|TEST|[Vv]ersion|VERSION|[Ff]orm|FORM"
    r"|[Ss]et)\s{0,3}[（(]?\s{0,3}([A-D甲乙丙丁]|[1-4](?!\d)"
    r"|[一二三四](?![、.．大]))\s{0,3}(?![A-Za-z\d])[)）]?"
    r"|(?<![A-Za-z])([A-D甲乙丙丁])\s{0,3}卷|(?:模拟|测试|练习)[试题卷]*\s{0,3}[（(]?([一二三四五\d])[)）]?"
    r"|第\s{0,3}([一二三四五\d])\s{0,3}[套份]"
)
_LETTERS = {"甲": "A", "乙": "B", "丙": "C", "丁": "D", "一": "1", "二": "2", "三": "3", "四": "4", "五": "5"}
_NAMED_LIST = re.compile(
    r"^\s{0,3}[^\d，。；:：]{0,16}答案\s{0,3}[:：]?\s{0,3}(?=[第（(]?\d)|^\s{0,3}(?:KEYS?"
    r"|Keys?)\s{0,3}[:：]\s{0,3}(?=[(（]?\d)"
)
_TITLE = 40
_TITLE_LINES = 12
_HEADS = 8
SAME_TITLE = 75.0
_FEW = 0.25
"""Which part of a key's lines may look like asking, and of a paper's lines does at least."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines [begin, end) of a key, `begin` its heading, and the letter of its paper, '' when it has none."""

    begin: int
    end: int
    letter: str = ""


def key_blocks(lines: Sequence[Line]) -> list[Block]:
    """The blocks of answers, in order.

    A heading counts when something numbered stands before it and what follows begins again: at 1, at a
    heading, with a grid or with a range. («答案» over the answer of one question is followed by the next.)
    A line «答案：1-5 AABCD» is a block, with the answers in words that go on below it. A block goes on to
    the end of the paper, unless the paper's own numbering goes on after it in a style that the answers do
    not use, another paper begins, or the next block does.
    """
    blocks: list[Block] = []
    heads = [i for i, line in enumerate(lines) if line.kind is BlockKind.TEXT and is_answer_head(line.text)]
    if not heads and not any(_named(line) for line in lines if line.kind is BlockKind.TEXT):
        return []
    asking = Asking(lines, heads)
    at = _key_in_front(lines, heads, asking)
    if at:
        blocks.append(Block(heads[0], at, letter_of(lines[heads[0]].text)))
    before: list[Mark] = []  # the numbers since the last block
    while at < len(lines):
        line = lines[at]
        if line.kind is not BlockKind.TEXT:
            before += [line.mark] if line.mark is not None else []
            at += 1
            continue
        if len(before) >= 2 and _listed_line(line):
            end = at + 1
            while end < len(lines) and lines[end].kind is BlockKind.TEXT and listed(lines[end].text):
                end += 1
            end = texts_after(lines, end, {one.value for one in before if one.family == "arabic"})
            blocks.append(Block(at, end))
            at, before = end, []
            continue
        if len(before) >= 2 and _numbered_line(lines, at, before):
            first = Line(_named(line), line.block, read_mark(_named(line)))
            end = _end(lines, at, before, first, heads, asking)
            blocks.append(Block(at, end, letter_of(line.text)))
            at, before = end, []
            continue
        begins = at in asking.heads and (len(before) >= 2 or (bool(blocks) and blocks[-1].end == at))
        after = _numbered_after(lines, at) if begins else None
        if begins and _begins_again(lines, at, before, after):
            end = _end(lines, at, before, after or line, heads, asking)
            blocks.append(Block(at, end, letter_of(line.text)))
            at, before = end, []
            continue
        before += [line.mark] if line.mark is not None else []
        at += 1
    return blocks


def _key_in_front(lines: Sequence[Line], heads: Sequence[int], asking: Asking) -> int:
    """Where the paper begins behind a key that opens the file, 0 when the file opens with no key."""
    if not heads or any(line.mark is not None for line in lines[: heads[0]]):
        return 0
    begin = heads[0] + 1
    ones = [i for i in range(begin, len(lines)) if (m := lines[i].mark) is not None and m.value == 1]
    outer = [i for i in ones if (m := lines[i].mark) is not None and m.style is Style.HAN]
    starts = outer if len(outer) > 1 else ones
    if len(starts) < 2:
        return 0
    told = asking.share(begin, starts[1])
    if told > _FEW or asking.share(starts[1], len(lines)) < max(2 * told, _FEW):
        return 0
    above = lines[starts[1] - 1]
    text = above.text.strip()
    titled = above.mark is None and above.kind is BlockKind.TEXT and not text.endswith(("。", "；", "."))
    return starts[1] - (titled and len(text) <= _TITLE and starts[1] > begin + 1)


def _numbered_after(lines: Sequence[Line], at: int) -> Line | None:
    """The first numbered line or table below a line."""
    below = (lines[place] for place in range(at + 1, len(lines)))
    return next((line for line in below if line.mark is not None or line.kind is BlockKind.TABLE), None)


def _begins_again(lines: Sequence[Line], at: int, before: Sequence[Mark], after: Line | None) -> bool:
    """Whether the lines below a heading begin as a key does: at a number that was there before.

    before: the marks above; after: the first numbered line or table below. ① and （1） under numbers of
    another kind are the points of one answer.
    """
    mark = after.mark if after is not None else None
    same = [one.value for one in before if mark is not None and one.family == mark.family]
    if after is not None and listed(after.text):
        return True
    inner = mark is not None and mark.style in (Style.PAREN, Style.CIRCLE, Style.RIGHT_PAREN)
    if mark is not None and inner and (not same or _in_parts(before, mark.family)):
        return False
    if after is not None and (mark is None or mark.value == 1):
        return True
    if mark is not None and same and mark.value <= same[-1]:
        return True
    below = [line.text for line in lines[at + 1 : at + 3] if line.kind is BlockKind.TEXT]
    nested = NESTED.match(below[0]) if below else None
    if nested is not None and int(nested.group(1)) == 1:
        return True
    if below and mark is None and re.match(r"\d{1,3}\s?[.．]\d|(?:Part|PART|Section|SECTION)\s", below[0]):
        return True  # «10.2369», a figure close to its number; «Part I  1. A»
    return bool(below and listed(below[0])) or (len(below) == 2 and bool(text_grid(*below)))


def _in_parts(before: Sequence[Mark], family: str) -> bool:
    """Whether the marks above end in the parts (1) (2) … of a question with a number of its own."""
    for mark in reversed(before):
        if mark.family != family:
            return mark.family in ("arabic", "word")
    return False


def title_lines(lines: Sequence[Line]) -> set[int]:
    """Places of the titles that begin a second paper: what is numbered next begins again at 1."""
    out = set()
    numbered = [index for index, line in enumerate(lines) if line.mark is not None]
    at = 0  # of the numbered lines, how many stand above
    for index, line in enumerate(lines):
        if line.mark is not None:
            at += 1
            continue
        if index < 2 or not 0 < at < len(numbered) or not _is_title(lines, index) or extra_end(line.text):
            continue
        after = lines[numbered[at]].mark
        if after is not None and after.value == 1:
            out.add(index)
    return out


def letter_of(text: str) -> str:
    """The letter or number by which a title or a heading tells papers of one kind apart, '' when none."""
    found = _LETTER.search(text) if len(text) <= _TITLE else None
    raw = next((group for group in found.groups() if group), "") if found else ""
    return _LETTERS.get(raw, raw)


def _named(line: Line) -> str:
    """What stands after «答案：» on a line, '' when the line does not begin so."""
    named = _NAMED_LIST.match(line.text) or ANSWER_LINE.match(line.text)
    said = named is not None and re.search(r"答案|nswer|ANSWER|^\s{0,3}K", named.group())
    return line.text[named.end() :] if named and said else ""


def _numbered_line(lines: Sequence[Line], at: int, before: Sequence[Mark]) -> bool:
    """Whether «答案：1. … 2. …» answers as many questions as stand before it, on one line or on several."""
    rest = _named(lines[at])
    mark = read_mark(rest) if rest else None
    if mark is None or mark.value != 1 or mark.style in (Style.PAREN, Style.CIRCLE, Style.RIGHT_PAREN):
        return False
    if mark.style is Style.HAN:
        return any(one.style is Style.HAN for one in before)
    asked = next((one.value for one in reversed(before) if one.family == mark.family), 0)
    on_line = len(split_inner(rest, mark, tight=True))
    follow = next((m for line in lines[at + 1 :] if (m := line.mark) and m.family == mark.family), None)
    return asked >= 2 and (on_line == asked or (on_line == 1 and follow is not None and follow.value == 2))


def _listed_line(line: Line) -> bool:
    """Whether a line gives by itself the letters of several questions, after «答案»."""
    rest = _named(line)
    mark = read_mark(rest)
    in_parts = mark is not None and mark.style in (Style.PAREN, Style.CIRCLE) and not key_ranges(rest)
    return not in_parts and len(listed(rest)) >= 2


def _end(
    lines: Sequence[Line],
    begin: int,
    before: Sequence[Mark],
    first: Line,
    heads: Sequence[int],
    asking: Asking,
) -> int:
    end = _numbering_goes_on(lines, begin, before, first)
    letter = letter_of(lines[begin].text)
    numbered = False
    for place in range(begin + 2, end):
        numbered = numbered or lines[place - 1].mark is not None
        if place not in asking.heads or lines[place].mark is not None:
            continue
        if heading_form(lines[place].text) is not None:
            continue  # the heading of a section of this key
        other = letter_of(lines[place].text)
        after = _numbered_after(lines, place)
        mark = after.mark if after is not None else None
        again = mark is not None and mark.value == 1 and mark.family == (first.mark or mark).family
        if (letter and other and other != letter) or (again and numbered):
            end = place
            break
    later = [head for head in heads if begin < head <= end][:_HEADS]
    return min(end, _next_paper(lines, begin, end, later, asking))


def _numbering_goes_on(lines: Sequence[Line], begin: int, before: Sequence[Mark], first: Line) -> int:
    own = first.mark.family if first.mark else ""
    outer = next((mark for mark in reversed(before) if mark.style in (Style.HAN, Style.HAN_PAREN)), None)
    if outer is None or outer.family == own:
        return len(lines)
    for index in range(begin + 1, len(lines)):
        mark = lines[index].mark
        if mark is not None and mark.family == outer.family:
            return index if mark.value == outer.value + 1 else len(lines)
    return len(lines)


def _next_paper(lines: Sequence[Line], begin: int, end: int, heads: Sequence[int], asking: Asking) -> int:
    """Where in a key, lines[begin:end], another paper starts: at its title or its first number; else end.

    heads: the headings of answers in the key and at its end, where a paper before them must end.
    """
    for head in [*heads, end] if end not in heads else heads:
        ones = [i for i in range(begin + 1, head) if (m := lines[i].mark) is not None and m.value == 1]
        outer = [i for i in ones if (m := lines[i].mark) is not None and m.style is Style.HAN] or ones
        starts = set(outer) if head < len(lines) else set()
        for index in range(begin + 2, head):
            if asking.between(begin + 1, index):
                break
            if (index in starts or _is_title(lines, index)) and asking.between(index, head):
                return index
    return end


def _is_title(lines: Sequence[Line], index: int) -> bool:
    line = lines[index]
    text = line.text.strip()
    if line.kind is not BlockKind.TEXT or line.mark is not None or len(text) > _TITLE or is_answer_head(text):
        return False
    first = next((one.text for one in lines[: min(index, _TITLE_LINES)] if len(fold(one.text)) >= 6), "")
    alike = len(fold(text)) >= 6 and fuzz.ratio(fold(text), fold(first)) >= SAME_TITLE
    return bool(letter_of(text)) or (index > 0 and alike)


def entries_of(lines: Sequence[Line], block: Block) -> list[Entry]:
    """The answers of a block, with those that stand in its heading's own line."""
    head = lines[block.begin]
    text = _named(head)
    if text:
        own = Line(text, head.block, read_mark(text), False, head.kind, head.index)
        rest = [own, *lines[block.begin + 1 : block.end]]
        return read_key(rest, 0, len(rest))
    return read_key(lines, block.begin + 1, block.end)


def attach_blocks(
    drafts: Sequence[Draft],
    begins: Mapping[str, int],
    lines: Sequence[Line],
    blocks: Sequence[Block],
    source: str,
) -> tuple[list[Draft], list[Entry]]:
    """Drafts with the answers of the blocks, each from the block of its own paper; and answers left over.

    begins: draft id → index of its first line. Where several keys follow several papers and it is not
    clear which belongs to which, none is attached and the drafts are flagged.
    """
    position = {line.index: place for place, line in enumerate(lines)}
    places = [position.get(begins.get(draft.draft_id, -1), -1) for draft in drafts]
    out = list(drafts)
    left: list[Entry] = []
    done = 0
    at = 0
    while at < len(blocks):
        chunk = [d for d, place in enumerate(places) if done <= place < blocks[at].begin]
        run = [blocks[at]]
        while at + len(run) < len(blocks) and not any(
            run[-1].end <= place < blocks[at + len(run)].begin for place in places
        ):
            run.append(blocks[at + len(run)])
        papers = [chunk] if len(run) == 1 else _papers(lines, [places[d] for d in chunk], chunk, run)
        if not chunk and len(run) == len(blocks):  # the key stands in front of its paper
            papers = [[d for d, place in enumerate(places) if place >= run[-1].end]]
        keys = [entries_of(lines, block) for block in run]
        if papers is not None and len(papers) == 1 < len(run):
            keys = [_as_one(keys)]
        if papers is None:
            left.extend(entry for key in keys for entry in key)
            for d in chunk:
                out[d] = with_flag(out[d], "answer_conflict")
        else:
            for members, key in zip(papers, keys, strict=True):
                answered, unused = attach([out[d] for d in members], key, source)
                left.extend(unused)
                for d, draft in zip(members, answered, strict=True):
                    out[d] = draft
        done = run[-1].end
        at += len(run)
    return out, left


def _as_one(keys: Sequence[Sequence[Entry]]) -> list[Entry]:
    """The answers of several blocks as those of one key, its sections counted on."""
    out: list[Entry] = []
    for key in keys:
        begin = max((entry.section for entry in out), default=-1) + 1
        out.extend(replace(entry, section=begin + entry.section) for entry in key)
    return out


def _papers(
    lines: Sequence[Line], places: Sequence[int], chunk: Sequence[int], run: Sequence[Block]
) -> list[list[int]] | None:
    """The drafts of a chunk told apart into the papers that the blocks of a run answer, in their order.

    One paper is one list, whatever the blocks; None where papers and blocks do not match.
    """
    if not places:
        return None
    titles = [i for i in range(places[-1]) if letter_of(lines[i].text) and _is_title(lines, i)]
    starts: list[tuple[int, str]] = []
    for i in titles:
        letter = letter_of(lines[i].text)
        if not starts or starts[-1][1] != letter:
            starts.append((i, letter))
    if len(starts) != len(run):
        first = lines[places[0]].mark
        family = first.family if first else ""
        heads = [
            i for i in range(places[-1]) if (m := lines[i].mark) and m.style is Style.HAN and m.value == 1
        ]
        again = heads or [p for p in places if (m := lines[p].mark) and m.value == 1 and m.family == family]
        starts = [(i, "") for i in again]
    if len(starts) <= 1:
        return [list(chunk)]
    if len(starts) != len(run):
        return None
    stops = [*(i for i, _ in starts[1:]), len(lines)]
    papers = [
        [d for d, place in zip(chunk, places, strict=True) if (begin <= place or n == 0) and place < stop]
        for n, ((begin, _), stop) in enumerate(zip(starts, stops, strict=True))
    ]
    letters = [letter for _, letter in starts]
    wanted = [block.letter for block in run]
    if all(letters) and all(wanted):
        if sorted(letters) != sorted(wanted):
            return None
        return [papers[letters.index(letter)] for letter in wanted]
    return papers
