"""Which stretches of a line are set in colour, where the line itself is black."""

from __future__ import annotations

from collections.abc import Iterable

_VIVID = 0x50
"""How far the strongest and the weakest of red, green and blue lie apart in what is no grey."""


def inks(text: str, pieces: Iterable[tuple[str, str | None]]) -> tuple[tuple[str, str], ...]:
    """Stretches of text in colour, as (stretch, '#rrggbb'), in their order.

    pieces: what the line was put together from, each with its colour, None for black. Neighbours of one
    colour are one stretch, with the blanks between; a piece that was rewritten (raised, a formula) and so
    no longer stands in the text is passed over.
    """
    found: list[tuple[int, int, str]] = []
    at = 0
    for piece, colour in pieces:
        piece = piece.strip()
        begin = text.find(piece, at) if piece else -1
        if begin < 0:
            continue
        at = begin + len(piece)
        if not colour or not _vivid(colour):
            continue
        if found and found[-1][2] == colour and not text[found[-1][1] : begin].strip():
            found[-1] = (found[-1][0], at, colour)
        else:
            found.append((begin, at, colour))
    return tuple((text[begin:end], colour) for begin, end, colour in found if _worded(text[begin:end]))


def _worded(text: str) -> bool:
    return any(char.isalnum() or char in "√×✓✗" for char in text)


def _vivid(colour: str) -> bool:
    """Whether '#rrggbb' is a colour to the eye; grey print is none."""
    try:
        parts = bytes.fromhex(colour.lstrip("#"))
    except ValueError:
        return False
    return len(parts) == 3 and max(parts) - min(parts) >= _VIVID
