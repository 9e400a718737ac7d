"""Cutting a text into listed words: as few pieces as can be, so that no word is found across two others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from ingest.classify.match import is_latin

_LONGER = 0.02
"""What a character more of one word is worth where two ways of cutting need as many pieces."""


class Segmenter:
    """Looks words up by their first character and the lengths that occur there; time grows with the text."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        lengths: dict[str, set[int]] = {}
        for word in self._words:
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {head: tuple(sorted(found)) for head, found in lengths.items()}

    def cut(self, prepared: str) -> list[tuple[int, int]]:
        """Where the words of a text stand, from left to right, as (start, end); what is no word is left out.

        A word of Latin letters is found whole or in the plural, never inside another.
        """
        size = len(prepared)
        cost = [0.0] * (size + 1)
        after = [0] * size
        words, lengths = self._words, self._lengths
        for at in range(size - 1, -1, -1):
            char = prepared[at]
            inside = at > 0 and is_latin(char) and is_latin(prepared[at - 1])
            least, to = cost[at + 1] + (0.0 if inside or char == " " else 1.0), at + 1
            for length in () if inside else lengths.get(char, ()):
                end = at + length
                if end > size:
                    break
                found = cost[end] + 1.0 - _LONGER * min(length, 8)
                if found < least and prepared[at:end] in words and whole(prepared, end):
                    least, to = found, end
            cost[at], after[at] = least, to
        ends, at = [0], 0
        while at < size:
            at = after[at]
            ends.append(at)
        return [(start, end) for start, end in pairwise(ends) if prepared[start:end] in words]


def whole(text: str, end: int) -> bool:
    """Whether a word that ends there is not the head of a longer Latin word; a plural is the same word."""
    if end >= len(text) or not (is_latin(text[end - 1]) and is_latin(text[end])):
        return True
    plural = text[end] == "s" and end >= 4 and text[end - 4 : end].isalpha()
    return plural and not (end + 1 < len(text) and is_latin(text[end + 1]))
