"""The lines of a key before it is read: one answer a line, and the list of an answer kept whole."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from types import EllipsisType

from ingest.segment.forms import SECTION_NAME, heading_form, is_type_heading
from ingest.segment.grids import grid, listed
from ingest.segment.keynumbers import in_arabic, with_close_numbers
from ingest.segment.lines import Line
from ingest.segment.marks import Mark, Style, han, read_mark, split_inner
from schemas.document import BlockKind

NESTED = re.compile(
    r"^\s{0,3}(\d{1,2})\s{0,3}[.．]?\s{0,3}(?=[（(]\s{0,3}(?:[a-h]|[ivx]{1,4}"
    r"|\d)\s{0,3}[)）])"
)
# «简答题（每题10分）：» between the number of a section and that of its first answer
_NAME = re.compile(rf"{SECTION_NAME}\s{{0,3}}[:：]?\s{{0,3}}(?=[（(]?\s{{0,3}}\d)")
# «单选：1-5 ABCDA», «判断题（每题1分）：1.√ 2.×»
_SECTION_NAME = re.compile(rf"({SECTION_NAME})\s{{0,3}}[:：]\s{{0,3}}(?=[（(]?\s{{0,3}}\d)")
_PART_NAME = re.compile(
    r"(?:Part|PART|Section|SECTION)\s{1,3}(?:[A-Z]|\d{1,2}|[IVX]{1,4}|[A-Za-z]{3,5})\s{0,3}[.:：]?\s{1,3}(?=[（(]?\d)"
)
_OWN = re.compile(r"\s{0,3}(\d{1,2})\s{0,3}[.．、](?!\d)\s{0,3}(?=\S)")
_REACH = 60


def key_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines of a key, each with one answer at most; «三、5．…» becomes a heading and its answer."""
    return _own_lists([_whole_program(line) for line in _pieces(with_close_numbers(in_arabic(lines)))])


def texts_after(lines: Sequence[Line], at: int, asked: Collection[int]) -> int:
    """Where the answers in words end that go on below letters («Key: 1. A 2. B», then «3. Only by …»).

    at: the line after the letters; asked: the numbers that the paper has asked before them. A number that
    was not asked yet is the next question's.
    """
    letters = lines[at - 1].text
    found = listed(letters) or listed(_KEY_WORD.sub("", letters))
    end, last = at, found[-1][0] if found else 0
    for place in range(at, len(lines)):
        line = lines[place]
        mark = line.mark
        if line.kind is not BlockKind.TEXT or is_type_heading(line.body):
            break
        if mark is None or mark.style in (Style.PAREN, Style.CIRCLE):
            if end == at or (len(line.text) < _SHORT and mark is None):
                break
        elif mark.family == "arabic" and mark.value == last + 1 and mark.value in asked:
            last += 1
        else:
            break
        end = place + 1
    return end


_KEY_WORD = re.compile(r"^[^:：]{0,16}[:：]\s{0,3}")
_SHORT = 12


def _pieces(lines: Sequence[Line]) -> Iterator[Line]:
    number = last = roman = 0  # of the answer in parts, of the answer read last, of the section «Ⅱ»
    for place, line in enumerate(lines):
        if line.kind is not BlockKind.TEXT:
            if line.kind is BlockKind.TABLE:
                last = max((n for n, _ in grid(line.text)), default=last)
            yield line
            continue
        nested = NESTED.match(line.text)
        if nested:
            # «2(a) …», «2(b) …»: parts of one answer, its number printed with each
            again = int(nested.group(1)) == number
            number = last = int(nested.group(1))
            rest = line.text[nested.end() :].strip()
            yield _changed(line, rest if again else f"{number}. {rest}", None if again else ...)
            continue
        mark = line.mark
        named = _named_section(line) if mark is None else 0
        if named:
            yield _changed(line, line.text[:named].rstrip(" :："), None)
            told = _changed(line, line.text[named:])
            split = [told.text]
            if told.mark is not None and not listed(told.text):
                split = split_inner(told.text, told.mark, tight=True)
            yield from (_changed(line, text) for text in split)
            continue
        if mark is None:
            for text in _running_on(lines, place, last):
                changed = _changed(line, text)
                last = changed.mark.value if changed.mark is not None else last
                yield changed
            continue
        line, roman = _han_section(line, roman, last)
        mark = line.mark
        assert mark is not None
        cut = _first_answer(line, last) if mark.style is Style.HAN else 0
        if cut:
            yield _changed(line, line.text[:cut].rstrip(" \t\u3000:："))
            rest = line.text[cut:]
            first = read_mark(rest)
            assert first is not None
            parts = _several(lines, place, rest, first)
        else:
            parts = _several(lines, place, line.text, mark)
        for part in parts:
            changed = _changed(line, part)
            if changed.mark is not None and changed.mark.family in ("arabic", "right_paren"):
                last = changed.mark.value
            yield changed
        if found := listed(line.text):
            last = found[-1][0]


def _named_section(line: Line) -> int:
    """Where after «单选：» on a line without a number the answers of that section begin, 0 for nowhere."""
    if part := _PART_NAME.match(line.text):
        return part.end()
    found = _SECTION_NAME.match(line.text)
    named = found is not None and is_type_heading(found.group(1)) and heading_form(found.group(1)) is not None
    return found.end() if found is not None and named else 0


def _several(lines: Sequence[Line], place: int, text: str, first: Mark) -> list[str]:
    """The answers on a line («1.B 2.C»), or the line whole where its numbers are those of a list in it.

    They are a list's where it begins at 1 within the answer («1. 原因有：1. 垄断；2. 外部性»), or where the
    answers of these numbers stand below.
    """
    pieces = split_inner(text, first, tight=True)
    if len(pieces) == 1:
        return pieces
    inside = re.search(r"(?<!\d)1\s?[.．、](?!\d)", pieces[0][first.end :])
    second = read_mark(pieces[1])
    comes = second is not None and _comes_again(lines, place, second.value)
    return [text] if inside or comes else pieces


def _running_on(lines: Sequence[Line], place: int, last: int) -> list[str]:
    """A line of a page that ends one answer and begins the next («…context 12. the relation»), in pieces."""
    line = lines[place]
    pieces: list[str] = []
    begin = 0
    for found in _NEXT.finditer(line.text) if line.paged and last else ():
        value = last + 1 + len(pieces)
        if int(found.group(1)) == value and not _comes_again(lines, place, value):
            pieces.append(line.text[begin : found.start()].strip())
            begin = found.start()
    return [*pieces, line.text[begin:]]


_NEXT = re.compile(r"(?<=[\s；;。])(\d{1,3})\s?[.．、](?!\d)")


def _han_section(line: Line, roman: int, last: int) -> tuple[Line, int]:
    """A line «Ⅱ 4)A 5)B» or «第二题：4.A» as «二、4)A 5)B» with the number of the section; else as it is.

    Roman numbers head the sections of a key only from the first on, which must stand over answers: within
    an answer they number its points. roman: the section before; last: the number of the answer before.
    """
    mark = line.mark
    if (named := _NAMED_BY_WORD.match(line.text)) and (
        read_mark(line.text[named.end() :]) or listed(line.text[named.end() :])
    ):
        return _changed(line, f"{named.group(1)}、{line.text[named.end() :]}"), roman
    if mark is None or mark.style is not Style.ROMAN or mark.value != roman + 1 or mark.value > 10:
        return line, roman
    text = f"{han(mark.value)}、{line.body}"
    changed = _changed(line, text)
    answers = roman or listed(line.body) or not line.body or _first_answer(changed, last)
    return (changed, mark.value) if answers else (line, roman)


_NAMED_BY_WORD = re.compile(r"第\s?([一二三四五六七八九十]{1,2})\s?大?题\s?[:：、.．]?\s{0,3}")


def _first_answer(line: Line, last: int) -> int:
    """Where on the line of a section («二、3．…», «二、简答题：3．…») its first answer begins, 0 for nowhere.

    last: number of the answer before, from which a numbering that runs over the sections goes on.
    """
    assert line.mark is not None
    at = line.mark.end
    inner = read_mark(line.text[at:])
    if inner is not None:
        if inner.style is Style.HAN:
            return 0
        rest = line.text[at + inner.end :]
        sign = inner.printed[-1:]
        signed = inner.style is Style.ARABIC and (
            sign == "、" or (sign in (".", "．") and not rest[:1].isdigit())
        )
        goes_on = inner.style is not Style.BARE and inner.value == last + 1
        return at if inner.value == 1 or goes_on or signed else 0
    name = _NAME.match(line.text, at)
    if name is None or listed(line.text):
        return 0
    said = name.group().strip(" \t\u3000:：")
    inner = read_mark(line.text[name.end() :])
    if inner is None or inner.style not in (Style.ARABIC, Style.PAREN) or not is_type_heading(said):
        return 0
    return name.end() if heading_form(said) is not None and inner.value in (1, last + 1) else 0


def _whole_program(line: Line) -> Line:
    """A numbered line that is a program from brace to brace: an answer, not a line of a listing."""
    mark = line.mark
    if mark is None or mark.style is not Style.ARABIC or line.automatic:
        return line
    whole = line.body.endswith("}") and line.body.count("{") == line.body.count("}")
    return replace(line, automatic=True) if whole else line


def _own_lists(lines: Sequence[Line]) -> list[Line]:
    """The lines without the numbers of a list that an answer opens with («1. 0. 甲», then «1. 乙», «2. 丙»).

    Such numbers run against those of the answers: read as answers they would go to other questions. A
    number that both could have is the list's only where the answer's own stands below.
    """
    out: list[Line] = []
    want = item = 0  # next number of the list (0: none is open), number of the answer it stands in
    for place, line in enumerate(lines):
        mark = line.mark
        zero = mark is None and item and line.kind is BlockKind.TEXT and _value(line.text) == 0
        if zero:
            want = 1
        elif (
            want
            and line.kind is BlockKind.TEXT
            and _value(line.text) == want
            and (want != item + 1 or _comes_again(lines, place, want))
        ):
            out.append(replace(line, mark=None, automatic=False))
            want += 1
            continue
        if mark is not None:
            item, want = (mark.value, 0) if mark.family == "arabic" else (0, 0)
            first = _value(line.body)
            if item and first in (0, 1):
                want = first + 1
        out.append(line)
    return out


def _value(text: str) -> int:
    """The number with its sign that opens a text, -1 for none."""
    found = _OWN.match(text)
    return int(found.group(1)) if found else -1


def _comes_again(lines: Sequence[Line], place: int, value: int) -> bool:
    """Whether an answer of that number follows before a numbering begins again."""
    for line in lines[place + 1 : place + 1 + _REACH]:
        mark = line.mark
        if mark is None:
            continue
        if mark.style is Style.HAN or (mark.family == "arabic" and mark.value == 1):
            return False
        if mark.family == "arabic" and mark.value == value:
            return True
    return False


def _changed(line: Line, text: str, mark: Mark | EllipsisType | None = ...) -> Line:
    text = text.strip()
    read = read_mark(text) if mark is ... else mark
    return replace(line, text=text, mark=read)
