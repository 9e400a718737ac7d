"""Text as kept in the bank: one width for letters, mended spaces and lines, one kind of blank."""

from __future__ import annotations

import re
import unicodedata

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK = _HAN + "\u3001\u3002\u300a-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\u201c\u201d"
_CJK_GAP = re.compile(rf"(?<=[{_CJK}])[ \t]+(?=[{_CJK}])")
_SPACES = re.compile(r"[ \t]+")
_MANY_LINES = re.compile(r"\n{3,}")
_BLANK = re.compile(r"<u>[\s_]*</u>|_{2,}(?:[ \t]?_+)*|[\uff3f\ufe4d\u2014]{3,}|\ufe4d+|\uff3f+")
# main() is code, not a blank
_LETTER_PLACE = re.compile(r"[（(][ \t\u3000]*[)）]\s*$")
_BLANK_BRACKETS = re.compile(r"(?<![A-Za-z0-9_])[（(][ \t\u3000]*[)）]")
_FORMULA = re.compile(r"(\${1,2})([^$]+)\1")
_INVISIBLE = dict.fromkeys([0x00AD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF])
_STARTS_OWN_LINE = re.compile(
    r"[ \t]*(?:[（(]?\d|[①-⑳ⅠⅡⅢⅣⅤ|]|[（(]?[A-Ha-h][)）.．、]|\[图\]|[一二三四五六七八九十]+[、.]|[-*•·])"
)
_ENDS_LINE = re.compile(r"[。？！；：?!;:|\]）)]\s*$")
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
    text = "".join(_char(char) for char in text.translate(_INVISIBLE))
    return _BLANK.sub(BLANK, text)


def _char(char: str) -> str:
    if char.isascii():
        return char if char in "\n\t" or char.isprintable() else ""
    code = ord(char)
    if code in (0x3000, 0x00A0, 0x2002, 0x2003, 0x2009):
        return " "
    letters = 0xFF10 <= code <= 0xFF19 or 0xFF21 <= code <= 0xFF3A or 0xFF41 <= code <= 0xFF5A
    if letters or char in "＋－＝＜＞％＃＊／＆＠｜＾＼" or 0xFB00 <= code <= 0xFB06:
        return unicodedata.normalize("NFKC", char)
    if 0x2F00 <= code <= 0x2FD5 or 0xF900 <= code <= 0xFAFF:
        return unicodedata.normalize("NFKC", char)
    return "" if 0x80 <= code < 0xA0 else char


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
    return _is_han(before[-1]) and _is_han(after.lstrip()[:1])


def _is_han(char: str) -> bool:
    return bool(char) and ("\u3400" <= char <= "\u9fff" or char in "，、“”（《")
