"""Number marks at the start of a line: which style, which value, where the text begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_HAN_DIGITS = "零一二三四五六七八九"
_HAN = "[一二三四五六七八九十]{1,3}"
_WORDS = "(?:[A-Z][a-z]{1,12} )?(?:Question|question|QUESTION|Problem|PROBLEM|Exercise|Task|Case|Passage)"
# what a paper numbers besides questions: only with a sign after the number, or alone on its line
_NAMED = "(?:例题|习题|试题|问题|题目|论题|案例|案情|例|题)"
_ROMANS = {c: k for k, c in enumerate("ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ", 1)} | {
    c: k for k, c in enumerate(("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"), 1)
}


class Style(StrEnum):
    """How a number is written; styles of one family count as one numbering."""

    HAN = "han"  # 一、
    HAN_PAREN = "han_paren"  # （一）
    ROMAN = "roman"  # Ⅱ.  II.
    ARABIC = "arabic"  # 1.  1、  1．  1，
    BARE = "bare"  # 1 text
    PAREN = "paren"  # (1)
    RIGHT_PAREN = "right_paren"  # 1)
    CIRCLE = "circle"  # ①
    BRACKET = "bracket"  # 【1】
    WORD = "word"  # 第1题  Question 1  例1
    MULTI = "multi"  # 3.1


FAMILY: dict[Style, str] = {Style.BARE: "arabic", Style.ARABIC: "arabic"}


@dataclass(frozen=True, slots=True)
class Mark:
    """One reading of a line's start: value from 1, `end` is where the text after it begins."""

    style: Style
    value: int
    end: int
    printed: str

    @property
    def family(self) -> str:
        """Styles that one typist mixes within one numbering share a family."""
        return FAMILY.get(self.style, self.style.value)


def han_value(text: str) -> int:
    """The value of a Chinese numeral from 1 to 99, 0 when it is none."""
    text = text.strip()
    if not text or any(c not in _HAN_DIGITS + "十" for c in text):
        return 0
    if "十" not in text:
        return _HAN_DIGITS.index(text) if len(text) == 1 else 0
    tens, _, ones = text.partition("十")
    return (_HAN_DIGITS.index(tens) if tens else 1) * 10 + (_HAN_DIGITS.index(ones) if len(ones) == 1 else 0)


def han(value: int) -> str:
    """The Chinese numeral of a value from 1 to 10."""
    return "十" if value == 10 else _HAN_DIGITS[value]


_PATTERNS: tuple[tuple[Style, re.Pattern[str]], ...] = (
    (Style.WORD, re.compile(rf"(?:{_WORDS})\s*\.?\s*(?P<n>\d{{1,3}})\b\s*[:.．、）)]?\s*")),
    (Style.WORD, re.compile(r"(?:Q|No\.|#)\s?(?P<n>\d{1,3})\b\s*[:.．、）)]?\s*")),
    (Style.WORD, re.compile(r"[A-HT]\s?(?P<n>\d{1,2})\s*[.．、]\s*(?=[^\d\s])")),
    (
        Style.WORD,
        re.compile(
            rf"[【\[]?\s*第\s*(?P<n>\d{{1,3}}|{_HAN})\s*[题问]\s*(?:[】\]]|[:：.．、,，]|$"
            rf"|(?=[\s（(【\[]))\s*[:：]?\s*"
        ),
    ),
    (
        Style.WORD,
        re.compile(
            rf"[【\[]?{_NAMED}\s*(?P<n>\d{{1,3}}|{_HAN})\s*(?:[】\]]|[:：.．、]|\s*$|(?=[（(]))\s*[:：]?\s*"
        ),
    ),
    (Style.ROMAN, re.compile(r"(?P<n>[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ])\s*[、，.．。:：]?\s*")),
    (Style.ROMAN, re.compile(r"(?P<n>I{1,3}|IV|VI{0,3}|IX|X)\s*(?:[.．:：]\s+|[、．：]\s*)(?=\S)")),
    (Style.ROMAN, re.compile(r"(?P<n>I{1,3}|IV|VI{0,3}|IX|X) {2,}(?=[A-Z])")),
    (Style.HAN, re.compile(rf"(?P<n>{_HAN})\s*[、，,.．。:：]\s*")),
    (Style.HAN, re.compile(rf"(?P<n>{_HAN})(?:\s+|(?=[（(]))(?=\S)")),
    (Style.HAN_PAREN, re.compile(rf"[（(]\s*(?P<n>{_HAN})\s*[）)]\s*[、.．]?\s*")),
    (
        Style.ARABIC,  # «3．1949年», «3．3.14是», but not «3.14»
        re.compile(r"(?P<n>\d{1,3})\s*[．、，](?=\d{1,4}\s*[\u3400-\u9fff]|\d{2,5}[A-Za-z]|\d{1,4}\.\d)\s*"),
    ),
    (  # «2-1 什么是…», but no range of questions
        Style.MULTI,
        re.compile(r"\d{1,2}[-–](?P<n>\d{1,2})\s+(?=[\u3400-\u9fff])(?!小?题|页|章|节|[年月日])"),
    ),
    (
        Style.MULTI,
        re.compile(r"(?:[（(]\d{1,2}[.．](?P<m>\d{1,2})[）)]|\d{1,2}[.．](?P<n>\d{1,2})(?=[\s、]))\s*、?\s*"),
    ),
    (Style.ARABIC, re.compile(r"(?P<n>\d{1,3})\s*[.,](?=\d{2,4}\s*[\u3400-\u9fff]|\d{3,5}[A-Za-z])\s*")),
    (Style.PAREN, re.compile(r"[（(]\s*(?P<n>\d{1,3})\s*[）)]\s*[、.．]?\s*")),
    (Style.BRACKET, re.compile(r"[【\[［〔]\s*(?P<n>\d{1,3})\s*[】\]］〕]\s*")),
    (Style.ARABIC, re.compile(r"(?P<n>\d{1,3})\s*(?:[、。:：]|[.．，,](?!\d))\s*")),
    (Style.RIGHT_PAREN, re.compile(r"(?P<n>\d{1,3})\s*[)）]\s*[、.．]?\s*")),
    (Style.BARE, re.compile(r"(?P<n>[1-9]\d?)\s+(?=[\u3400-\u9fff《“\"‘'（A-Za-z$])")),
    (
        Style.BARE,
        re.compile(
            r"(?P<n>[1-9]\d?)(?=[\u3400-\u9fff《“【])"
            r"(?!分(?![析别类])|[年月日时个次人元世级种条项位天号代岁章节路春夏秋冬学届世层步])"
        ),
    ),
)
_CIRCLES = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def read_mark(text: str) -> Mark | None:
    """The number mark at the start of text (white space skipped), or None."""
    start = len(text) - len(text.lstrip(" \t\u3000"))
    if start < len(text) and text[start] in _CIRCLES:
        rest = start + 1
        while rest < len(text) and text[rest] in " \t\u3000、.．":
            rest += 1
        return Mark(Style.CIRCLE, _CIRCLES.index(text[start]) + 1, rest, text[start])
    for style, pattern in _PATTERNS:
        found = pattern.match(text, start)
        if found is None:
            continue
        raw = next(group for group in found.groups() if group)
        value = int(raw) if raw.isdecimal() else _ROMANS.get(raw) or han_value(raw)
        if value == 0:
            continue
        return Mark(style, value, found.end(), text[start : found.end()].strip())
    return None


def number_value(number: str) -> int:
    """The value of a number as printed with a question («3», «三», «Question 4»), 0 when it is none."""
    mark = read_mark(f"{number}、") if number else None
    return mark.value if mark else 0


_INNER = {
    "arabic": re.compile(r"(?:(?<=[\t\u3000])|(?<=\s\s))(?=\d{1,3}\s*(?:[、]|[.．](?!\d)))"),
    "paren": re.compile(r"(?:(?<=[\t\u3000])|(?<=\s\s))(?=[（(]\s*\d{1,3}\s*[）)])"),
}
# in keys, a page may have lost the blank before the next number («变质岩4．逆断层», «F6、T»)
_TIGHT = r"(?<=[\s;；。，,）)\u3400-\u9fff√×✓✗A-HTF])"
_INNER_TIGHT = {
    "arabic": re.compile(rf"{_TIGHT}(?=\d{{1,3}}\s*(?:[、]|[.．)）](?!\d)))|(?<=\s)(?=\d{{1,3}}．\d)"),
    "paren": re.compile(rf"{_TIGHT}(?=[（(]\s*\d{{1,3}}\s*[）)])"),
    "right_paren": re.compile(r"(?<=[\s;；。，,])(?=\d{1,3}\s*[)）])"),
    "bracket": re.compile(rf"{_TIGHT}(?=[【\[［〔]\s*\d{{1,3}}\s*[】\]］〕])"),
}


CLOSE = re.compile(r"(\d{1,3})\s?[.．](?=\d)")
"""«6.1mol»: a number close to a figure, a decimal unless the numbers around tell otherwise."""


def set_apart(text: str, close: re.Match[str]) -> str:
    """A text that begins with CLOSE with room between its number and the figure behind: «6. 1mol»."""
    return f"{close.group()} {text[close.end() :]}"


def _close_number(text: str) -> Mark | None:
    """«5．5730» behind a gap, where the number that goes on and its wide dot tell that it is no decimal."""
    found = re.match(r"(\d{1,3})．(?=\d)", text)
    return Mark(Style.ARABIC, int(found.group(1)), found.end(), found.group()) if found else None


def _apart(text: str, first: Mark) -> str:
    """A piece with room between its number and the number that its text begins with."""
    mark = read_mark(text)
    close = None
    if first.style is Style.ARABIC and (mark is None or mark.style is Style.MULTI):
        close = _close_number(text)
    return f"{text[: close.end]} {text[close.end :]}" if close else text


def split_inner(text: str, first: Mark, *, tight: bool = False) -> list[str]:
    """Split a line that holds several items in a row: '1、…   2、…' → ['1、…', '2、…'].

    Only numbers that go on by one from the first are cut; `tight` accepts a single space or a
    punctuation mark before the number, as answer keys are set.
    """
    pattern = (_INNER_TIGHT if tight else _INNER).get(first.family)
    if pattern is None:
        return [text]
    pieces, begin, value = [], 0, first.value
    for place in pattern.finditer(text):
        if place.start() <= first.end - 1:
            continue
        mark = read_mark(text[place.start() :])
        if first.style is Style.ARABIC and (mark is None or mark.style is Style.MULTI):
            mark = _close_number(text[place.start() :])
        if mark is not None and mark.family == first.family and mark.value == value + 1:
            pieces.append(text[begin : place.start()].rstrip())
            begin, value = place.start(), mark.value
    return [_apart(piece, first) for piece in [*pieces, text[begin:]]]
