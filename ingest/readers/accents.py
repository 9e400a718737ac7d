"""Accents over letters, which typesetters print as signs of their own on top of the letter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from ingest.layout.latex import LATEX

_ACCENTS = {
    "¯": "bar", "ˉ": "bar", "\u0304": "bar", "\u0305": "bar", "‾": "bar",
    "ˆ": "hat", "\u0302": "hat", "˜": "tilde", "\u0303": "tilde", "˙": "dot", "\u0307": "dot",
    "¨": "ddot", "\u0308": "ddot", "⃗": "vec", "ˇ": "check", "\u030c": "check", "˘": "breve",
}  # fmt: skip


class Char(Protocol):
    """What is needed of a character: its text and its place in points."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float


C = TypeVar("C", bound=Char)


def joined(chars: Iterable[C]) -> Iterator[C]:
    r"""The same characters, each letter under an accent with it as `$\bar{x}$`."""
    held: C | None = None
    for char in chars:
        if held is not None:
            letter, accent = (char, held) if held.text in _ACCENTS else (held, char)
            if accent.text in _ACCENTS and _over(accent, letter):
                body = LATEX.get(letter.text, letter.text)
                letter.text = f"$\\{_ACCENTS[accent.text]}{{{body}}}$"
                held = letter
                continue
            yield held
        held = char
    if held is not None:
        yield held


def _over(accent: Char, letter: Char) -> bool:
    """Whether an accent stands over a letter, and not beside it as a sign typed alone."""
    if len(letter.text) != 1 or not (letter.text.isascii() or "\u0391" <= letter.text <= "\u03f5"):
        return False
    if not letter.text.isalpha():
        return False
    shared = min(accent.x1, letter.x1) - max(accent.x0, letter.x0)
    return shared > 0.4 * min(accent.x1 - accent.x0, letter.x1 - letter.x0)
