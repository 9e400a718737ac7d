"""Cutting a text into listed words: as few pieces as can be, so that no word is found across two others."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_letters, digits

_LATIN = frozenset(ascii_letters + digits)
_LONGEST = 200
_COSTS = tuple(1.0 - 0.02 * min(length, 8) for length in range(_LONGEST + 1))
"""What a word costs by its length: one piece, a little less for a longer one, which wins where two
ways of cutting need as many pieces."""


class Segmenter:
    """Looks words up by their first two characters and the lengths that occur there."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(word for word in words if 2 <= len(word) <= _LONGEST)
        lengths: dict[str, set[int]] = {}
        for word in self._words:
            lengths.setdefault(word[:2], set()).add(len(word))
        self._lengths = {head: tuple(sorted(found)) for head, found in lengths.items()}

    def cut(self, prepared: str) -> list[tuple[int, int]]:
        """Where the words of a text stand, from left to right, as (start, end); what is no word is left out.

        A word of Latin letters is found whole or in the plural, never inside another or a decimal number.
        Time grows with the text.
        """
        size = len(prepared)
        cost = [0.0] * (size + 1)
        after = [0] * size
        words, lengths = self._words, self._lengths
        follows = ""
        for at in range(size - 1, -1, -1):
            char = prepared[at]
            inside = char in _LATIN and at > 0 and (prepared[at - 1] in _LATIN or _decimal(prepared, at))
            least, to = cost[at + 1] if inside or char == " " else cost[at + 1] + 1.0, at + 1
            found_lengths = lengths.get(char + follows)
            follows = char
            if found_lengths and not inside:
                for length in found_lengths:
                    end = at + length
                    if end > size:
                        break
                    found = cost[end] + _COSTS[length]
                    if found <= least and prepared[at:end] in words and whole(prepared, end):
                        least, to = found, end
            cost[at], after[at] = least, to
        cut, at = [], 0
        while at < size:
            end = after[at]
            if end > at + 1:
                cut.append((at, end))
            at = end
        return cut


def _decimal(text: str, at: int) -> bool:
    """Whether a digit stands behind a decimal point: "0.5s" has no "5s"."""
    return text[at - 1] == "." and at > 1 and text[at] in digits and text[at - 2] in digits


def whole(text: str, end: int) -> bool:
    """Whether a word that ends there is not the head of a longer Latin word; a plural is the same word."""
    if end >= len(text) or text[end] not in _LATIN or text[end - 1] not in _LATIN:
        return True
    plural = text[end] == "s" and end >= 4 and text[end - 4 : end].isalpha()
    return plural and not (end + 1 < len(text) and text[end + 1] in _LATIN)
