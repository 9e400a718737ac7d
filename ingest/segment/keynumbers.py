"""Keys numbered (1) (2), ① ②, [1] [2], 第1题 or 1— 2— all through, as if they were numbered 1. 2."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.segment.lines import Line
from ingest.segment.marks import CLOSE, Style, read_mark, set_apart
from schemas.document import BlockKind

_ARABIC = re.compile(r"\s{0,3}\d{1,2}\s{0,3}[.．、](?!\d)\s{0,3}\S")
# numbers in a style that mostly numbers the points of one answer
_CIRCLED = re.compile(r"([①-⑳])\s?")
_BRACKETED = re.compile(r"(?:^|(?<=[\s;；。，、A-H√×\u3400-\u9fff]))[（(]\s?(\d{1,3})\s?[)）]\s?")
_HALF = re.compile(r"(?:^|(?<=[\s;；。，、A-H√×\u3400-\u9fff]))(\d{1,3})\s?[)）]\s?")
# and in styles that number nothing else
_SQUARE = re.compile(r"[【\[［〔]\s?(\d{1,3})\s?[】\]］〕]\s?")
_WORD = re.compile(r"第\s?(\d{1,3})\s?题\s?[:：、.．]?\s?")
_DASHED = re.compile(r"(?:^|(?<=\s))(\d{1,3})\s?[—–－-]{1,2}\s?(?=[^\d\s])")


def in_arabic(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines of a key, with «1．» for other numbers where these number its answers all through.

    All through means over the sections of the key («一、①B ②C», «二、③…»), or in a style that numbers
    nothing else (1—, [1], 第1题). The numbers must go on one by one from 1; in a key with «1．» nothing
    is changed.
    """
    texts = [line for line in lines if line.kind is BlockKind.TEXT]
    if any(_ARABIC.match(_bare(line)) for line in texts):
        return lines
    for style in (_BRACKETED, _HALF, _CIRCLED, _SQUARE, _WORD, _DASHED):
        firsts = [_count(found.group(1)) for line in texts if (found := style.match(_bare(line)))]
        heads = [
            _count(found.group(1)) for line in texts if _headed(line) and (found := style.match(_bare(line)))
        ]
        through = len(heads) > 1 and heads[0] == 1 and heads[1] > 2
        if firsts[:1] != [1] or firsts != sorted(set(firsts)):
            continue
        if through or (style in (_SQUARE, _WORD, _DASHED) and len(firsts) > 2):
            return _renumbered(lines, style)
    return lines


def with_close_numbers(lines: Sequence[Line]) -> list[Line]:
    """Lines of a key with «1.3», «2.99» under each other read as answers 3 and 99 to questions 1 and 2.

    Only where the numbers go on one by one, from 1 or from the number above, and none comes again.
    """
    out = list(lines)
    last = 0
    for k, line in enumerate(lines):
        if line.kind is not BlockKind.TEXT:
            continue
        value = _number(line)
        if _headed(line) and not value:
            last = 0 if _number_below(lines, k) == 1 else last
            continue
        close = _close(line)
        if close is None:
            last = value or last
            continue
        value = int(close.group(1))
        on_line = re.search(rf"\s{value + 1}\s?[.．]\s?\S", line.text)
        follows = value + 1 if on_line else _number_below(lines, k)
        nests = _NESTS.match(line.text)  # «2．1．发现问题；»: a list within the second answer
        if (value == last + 1 and follows in (value + 1, 0)) or (last == 0 and follows == value + 1) or nests:
            text = set_apart(line.text, close)
            out[k] = replace(line, text=text, mark=read_mark(text))
            last = value
    return out


_NESTS = re.compile(r"\d{1,3}\s?[.．]\s?1\s?[.．、]\s?[^\d\s]")


def _close(line: Line) -> re.Match[str] | None:
    """«2.99» at the start of a line that bears no number, or is read as number 2.99."""
    return CLOSE.match(line.text) if line.mark is None or line.mark.style is Style.MULTI else None


def _number(line: Line) -> int:
    """The arabic number that a line bears, 0 for none."""
    return line.mark.value if line.mark is not None and line.mark.family == "arabic" else 0


def _number_below(lines: Sequence[Line], k: int) -> int:
    """The number of the next line that has one, close to its text or not; 0 before a heading or the end."""
    for line in lines[k + 1 :]:
        if line.kind is not BlockKind.TEXT or _headed(line):
            return 0
        close = _close(line)
        if value := (int(close.group(1)) if close else _number(line)):
            return value
    return 0


def _renumbered(lines: Sequence[Line], style: re.Pattern[str]) -> list[Line]:
    out: list[Line] = []
    last = 0
    for line in lines:
        text, at = "", 0
        for found in style.finditer(line.text) if line.kind is BlockKind.TEXT else ():
            if _count(found.group(1)) == last + 1:
                last += 1
                gap = "  " if line.text[: found.start()].strip() else ""
                text += f"{line.text[at : found.start()]}{gap}{last}． "
                at = found.end()
        text += line.text[at:]
        out.append(replace(line, text=text, mark=read_mark(text)) if at else line)
    return out


def _headed(line: Line) -> bool:
    return line.mark is not None and line.mark.style is Style.HAN


def _bare(line: Line) -> str:
    """A line without the number of the section that it begins."""
    return line.body if _headed(line) else line.text


def _count(number: str) -> int:
    return int(number) if number.isascii() else ord(number) - ord("①") + 1
