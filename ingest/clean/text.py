"""Text as kept in the bank: one width for letters, mended spaces and lines, one kind of blank."""

from __future__ import annotations

import re
import unicodedata

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK = _HAN + "\u3001\u3002\u300a-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\u201c\u201d"
_CJK_GAP = re.compile(rf"(?<=[{_CJK}])[ \t]+(?=[{_CJK}])")
_SPACES = re.compile(r"[ \t]+")
_MANY_LINES = re.compile(r"\n{3,}")
_DRAWN_BLANK = re.compile(r"<u>[\s_]*</u>|[\uff3f\ufe4d\ufe4e]+|\u2014{3,}")
_BLANK = re.compile(r"_{2,}(?:[ \t]*_+)*")
# ____(1)____ and (1)____ are one blank with its number
_NUMBERED_BLANK = re.compile(
    r"(?<![)）①-⑳])_{4}[ \t]*([（(][ \t]?\d{1,2}[ \t]?[)）]|[①-⑳])[ \t]*_{4}(?![ \t]*[（(①-⑳_])"
)
# main() is code, not a blank
_LETTER_PLACE = re.compile(r"[（(][ \t\u3000]*[)）]\s*$")
_BLANK_BRACKETS = re.compile(r"(?<![A-Za-z0-9_])[（(][ \t\u3000]*[)）]")
NUMBERED_PLACE = re.compile(r"【[ \t]?\d{1,2}[ \t]?】")
"""【5】: the place of a numbered answer, as computer exams print it."""

_FORMULA = re.compile(r"(\${1,2})([^$]+)\1")
_INVISIBLE = frozenset({0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF})
_STARTS_OWN_LINE = re.compile(
    r"[ \t]*(?:[（(]?\d{1,3}[ \t]*[)）.．、:：]|[（(]\d|[①-⑳ⅠⅡⅢⅣⅤ|]|[（(]?[A-Ha-h][)）.．、]|\[图\]"
    r"|[一二三四五六七八九十]+[、.]|[-*•·])"
)
_LEADS_TO_LIST = re.compile(r"(?:下|列|表|据|果|列为|顺序|序列)$")
_DIGITS_ALONE = re.compile(r"[\s\d.,，、+-]*$")
_ENDS_LINE = re.compile(r"[。？！；：?!;:|\]）)]\s*$")
# What NFKC makes plain: ligatures, radicals, compatibility ideographs, small and vertical forms,
# half-width kana and signs, mathematical alphabets, units in one square (but not m² and the like).
_FOLDED = (
    (0xFB00, 0xFB06), (0x2F00, 0x2FD5), (0xF900, 0xFAFF), (0xFE30, 0xFE44), (0xFE50, 0xFE6B),
    (0xFF61, 0xFFDC), (0x1D400, 0x1D7FF), (0x3380, 0x339F), (0x33A9, 0x33C7),
)  # fmt: skip
_SMALL = dict(zip("﹐﹑﹒﹔﹕﹖﹗﹙﹚︰︳﹍﹎﹏", "，、.；：？！（）：|﹍﹎﹏", strict=True))
"""Small forms of Chinese punctuation become the full-width signs, not the Latin ones."""

_FULL_LINE = 22
"""Characters from which a line may have been broken by the edge of the page alone."""

BLANK = "____"


def clean_text(text: str) -> str:
    """The text with letters, spaces, blanks and lines in one form; formulas stay as they are.

    Full-width letters, digits and operators, ligatures and radical look-alikes become the plain
    characters; Chinese punctuation, superscripts, circled and Roman numbers keep their own.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    out, last = [], 0
    for formula in _FORMULA.finditer(text):
        out += [_plain(text[last : formula.start()]), formula[0]]
        last = formula.end()
    out.append(_plain(text[last:]))
    return _MANY_LINES.sub("\n\n", "\n".join(_mended_lines("".join(out)))).strip()


def without_formulas(text: str) -> str:
    """The words alone: formulas tell neither language nor letters."""
    return _FORMULA.sub(" ", text)


def blanks(text: str) -> str:
    """The text with empty brackets as blanks too: for questions that ask to fill something in.

    Brackets that end a text with ruled blanks are the place for the answer's letter and go.
    """
    if BLANK in text:
        text = _LETTER_PLACE.sub("", text)
    return _BLANK_BRACKETS.sub(BLANK, text)


def _plain(text: str) -> str:
    text = text.translate(_CHARS)
    return _NUMBERED_BLANK.sub(rf"{BLANK}\1", _BLANK.sub(BLANK, _DRAWN_BLANK.sub(BLANK, text)))


def _char(char: str) -> str:
    if char.isascii():
        return char if char in "\n\t" or char.isprintable() else ""
    code = ord(char)
    if code in (0x3000, 0x00A0, 0x2002, 0x2003, 0x2009):
        return " "
    letters = 0xFF10 <= code <= 0xFF19 or 0xFF21 <= code <= 0xFF3A or 0xFF41 <= code <= 0xFF5A
    if letters or char in "＋－＝＜＞％＃＊／＆＠｜＾＼" or any(low <= code <= high for low, high in _FOLDED):
        return _SMALL.get(char) or unicodedata.normalize("NFKC", char)
    return "" if 0x80 <= code < 0xA0 else char


class _Chars(dict[int, str]):
    """Table for str.translate that gives every character its one form, learnt as met."""

    def __missing__(self, code: int) -> str:
        self[code] = "" if code in _INVISIBLE else _char(chr(code))
        return self[code]


_CHARS = _Chars()


def _mended_lines(text: str) -> list[str]:
    """Lines without ragged spaces; a Chinese sentence broken by the page's edge is joined again."""
    lines: list[str] = []
    for raw in text.split("\n"):
        line = raw.rstrip()
        if not line.lstrip().startswith("|"):
            head = line[: len(line) - len(line.lstrip())]
            line = head.replace("\t", "    ") + _SPACES.sub(" ", _CJK_GAP.sub("", line.lstrip()))
        if lines and line and _broken(lines[-1], line):
            lines[-1] += line.lstrip()
        else:
            lines.append(line)
    return lines


def _broken(before: str, after: str) -> bool:
    if len(before) < _FULL_LINE or before.lstrip().startswith("|") or _ENDS_LINE.search(before[-8:]):
        return False
    if _STARTS_OWN_LINE.match(after):
        return False
    first = after.lstrip()[:1]
    if first.isdigit():  # a quantity parted from its sentence, not a row of numbers
        return not (_LEADS_TO_LIST.search(before[-4:]) or _DIGITS_ALONE.match(after)) and _is_han(before[-1])
    return _is_han(before[-1]) and _is_han(first)


def _is_han(char: str) -> bool:
    return bool(char) and ("\u3400" <= char <= "\u9fff" or char in "，、“”（《")
