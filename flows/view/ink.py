"""Colours of a paper's text on a page for looking: the eight hues a style sheet can name."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable

_HUES = (
    (0.04, "red"),
    (0.11, "orange"),
    (0.19, "yellow"),
    (0.43, "green"),
    (0.54, "cyan"),
    (0.72, "blue"),
    (0.83, "purple"),
    (0.95, "pink"),
    (1.0, "red"),
)
_GREY = 0.12  # saturation below which a colour has no hue


def hue(colour: str) -> str:
    """Name of the hue of '#rrggbb', 'grey' where it has none; '' for what is no colour."""
    try:
        red, green, blue = bytes.fromhex(colour.lstrip("#"))
    except ValueError:
        return ""
    angle, _, _ = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    high, low = max(red, green, blue), min(red, green, blue)
    if high == low or (high - low) / high < _GREY:
        return "grey"
    return next(name for limit, name in _HUES if angle <= limit)


def spans(text: str, inks: Iterable[tuple[str, str]]) -> list[tuple[int, int, str]]:
    """Where in a text its coloured stretches stand, as (begin, end, hue); inks in their order."""
    found = []
    at = 0
    for stretch, colour in inks:
        begin = text.find(stretch, at) if stretch else -1
        if begin < 0 or not hue(colour):
            continue
        at = begin + len(stretch)
        found.append((begin, at, hue(colour)))
    return found
