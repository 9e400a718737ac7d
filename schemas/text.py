"""Folding: the one place that says when two texts read the same."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opencc import OpenCC

_LAYOUT = re.compile(r"\\(?:left|right|displaystyle|limits|quad|qquad|,|;|!)(?![A-Za-z])")
_SPACE = re.compile(r"\s+")
_NUMBER_HEAD = re.compile(
    r"^\s*(?:[（(]?\s*\d{1,3}\s*(?:[)）、]|[.．,，](?!\d))|第\s*\d{1,3}\s*题[:：.、]?"
    r"|[一二三四五六七八九十]{1,3}\s*[、.．])\s*"
)
_POINTS = re.compile(r"[（(\[【]\s*(?:本题|每小?题|共|满分)?\s*\d+(?:\.\d+)?\s*分\s*[)）\]】]")
_BLANKS = re.compile(r"_{2,}|[（(]\s*[)）]|﹍+|＿+")
_FIRST_DOTS = re.compile(r"^\.+(?!\d)")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def fold(text: str) -> str:
    """Text as compared for identity: NFKC, lower case, no spaces, punctuation or list number.

    Formula commands and operators stay, since `a+b` and `a-b` are different questions.
    """
    text = unicodedata.normalize("NFKC", text).lower()
    if head := _NUMBER_HEAD.match(text):
        text = text[head.end() :]
    text = _BLANKS.sub("□", _POINTS.sub("", text))
    if "\\" in text:
        text = _LAYOUT.sub("", text)
    return _FIRST_DOTS.sub("", text.translate(_KEPT).rstrip("."))


class _Kept(dict[int, int | None]):
    """Table for str.translate that keeps letters, numbers, symbols and operators, learnt as met."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        keep = char in "+-=<>^_*/|\\%□." or (unicodedata.category(char)[0] in "LNS" and char not in "$`")
        self[code] = code if keep else None
        return self[code]


_KEPT = _Kept()


def squeeze(text: str) -> str:
    """Runs of white space as one space, ends trimmed."""
    return _SPACE.sub(" ", text).strip()


def han_share(text: str) -> float:
    """Share of Han characters among the letters of text, 0 when it has none."""
    letters = sum(map(str.isalpha, text))
    return len(_HAN.findall(text)) / letters if letters else 0.0


def language_of(text: str) -> str:
    """'zh', 'en' or 'mixed' by the share of Chinese characters among the letters."""
    share = han_share(text)
    return "zh" if share >= 0.3 else "mixed" if share >= 0.05 else "en"


def simplified(text: str) -> str:
    """Traditional Chinese characters as simplified ones; the rest as it is."""
    return text if not _HAN.search(text) else str(_converter().convert(text))


@cache
def _converter() -> OpenCC:
    from opencc import OpenCC

    return OpenCC("t2s")


def digest(data: bytes) -> str:
    """BLAKE2b-256 hex: the name under which assets are kept."""
    return hashlib.blake2b(data, digest_size=32).hexdigest()
