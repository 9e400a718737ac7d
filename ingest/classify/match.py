"""Finding many known words in a text in one pass: the longest wins, Latin words stay whole."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from schemas.text import simplified

MAX_CHARS = 200_000
"""Text read of one paper or question; more of it would not change the label."""


class Hit(NamedTuple):
    """One occurrence: the word as listed, and where it stands in the prepared text."""

    word: str
    start: int
    end: int


def prepare(text: str) -> str:
    """Text as words are looked up in it: NFKC, simplified, lower case, runs of white space as one space."""
    return " ".join(simplified(unicodedata.normalize("NFKC", text)).casefold().split())


def is_latin(char: str) -> bool:
    """Whether it is a letter or digit of ASCII, of which words do not run into each other."""
    return char.isascii() and char.isalnum()


class Matcher:
    """Looks words up by their first two characters, so time grows with the text, not with the list."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_head: dict[str, list[str]] = {}
        for word in sorted({prepare(w) for w in words}, key=lambda w: (-len(w), w)):
            if len(word) >= 2:
                self._by_head.setdefault(word[:2], []).append(word)

    def find(self, prepared: str) -> Iterator[Hit]:
        """Non-overlapping hits from left to right, the longest word at each place."""
        at, size = 0, len(prepared)
        while at < size - 1:
            hit = self._at(prepared, at)
            if hit is None:
                at += 1
            else:
                yield hit
                at = hit.end

    def _at(self, text: str, at: int) -> Hit | None:
        for word in self._by_head.get(text[at : at + 2], ()):
            if text.startswith(word, at) and (end := _bounded(text, word, at)):
                return Hit(word, at, end)
        return None


def _bounded(text: str, word: str, at: int) -> int:
    """End of the word at that place, 0 when it is only a part of a longer Latin word."""
    end = at + len(word)
    if is_latin(word[0]) and at > 0 and is_latin(text[at - 1]):
        return 0
    if is_latin(word[-1]) and end < len(text) and is_latin(text[end]):
        # A plural is the same word.
        plural = text[end] == "s" and word[-1].isalpha() and len(word) > 3
        return end + 1 if plural and not (end + 1 < len(text) and is_latin(text[end + 1])) else 0
    return end
