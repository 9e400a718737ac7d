"""Parts of sums that detection boxes by themselves, such as limits and denominators, put into their line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ingest.layout.runs import median
from ingest.ocr.engine import Found
from ingest.ocr.skew import sides

_OPERATOR = re.compile(r"[ΣΣ∑∏∫∬∭∮]|lim|max|min|sup|inf")
_SUM = re.compile(r"[A-Za-z\u0370-\u03ff=+∑∏∫√]")
_HAN = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
_STRETCH = re.compile(r"[^\u2e80-\u9fff\uff00-\uffef，。；：？！、]+")
_ITEM = re.compile(r"\s*[(（]?\d{1,3}\s*[.．、)）]\s*(?![\d=+])")
_LIMIT = re.compile(r"\s*[A-Za-z]\s*(?:=|→|≥|>)")
_CLOSING = " \t.,;:?!"
_HOST = 8  # characters of a line that parts can belong to
_PART = 16  # characters of a part
_REACH, _REACH_SMALL = 0.3, 0.55  # of the usual height, beyond the box of the line; for small print
_SMALL = 0.85
_NEAR = 4.0  # characters' breadths from an operator or a sum on the line


def joined(found: Sequence[Found], is_print: Callable[[Found], bool]) -> list[Found]:
    """The boxes of a page, those that hold no more than a part of another's sum merged into that text.

    A limit goes behind its operator, anything else behind the sum it stands over or under. A part whose
    line shows no sum where it stands is left alone, and so is what is_print tells to be a note in ink.
    """
    if len(found) < 2:
        return list(found)
    every = median([sides(item)[1] for item in found])
    em = median([sides(item)[1] for item in found if len(item.text) >= _HOST], every)
    hosts = {
        index: item
        for index, item in enumerate(found)
        if len(item.text.strip()) >= _HOST or (len(item.text.strip()) >= 3 and _SUM.search(item.text))
    }
    gone: set[int] = set()
    parts = [index for index, item in enumerate(found) if _is_part(item) and is_print(item)]
    for index in sorted(parts, key=lambda index: (_middle(found[index])[0], -_middle(found[index])[1])):
        best = min(
            (place for place in hosts if place != index and _covers(hosts[place], found[index], em)),
            key=lambda place: abs(_middle(hosts[place])[1] - _middle(found[index])[1]),
            default=None,
        )
        text = None if best is None else _inserted(hosts[best], found[index])
        if best is not None and text is not None:
            host = hosts[best]
            hosts[best] = Found(host.quad, text, min(host.score, found[index].score))
            hosts.pop(index, None)
            gone.add(index)
    return [hosts.get(index, item) for index, item in enumerate(found) if index not in gone]


def _is_part(item: Found) -> bool:
    text = item.text.strip()
    return len(text) <= _PART and not _HAN.search(text) and not _ITEM.match(text)


def _covers(host: Found, part: Found, em: float) -> bool:
    """Whether a part lies over or under a stretch of a host's line, touching its box."""
    left, right = min(x for x, _ in host.quad), max(x for x, _ in host.quad)
    small = sides(part)[1] < _SMALL * em
    long = len(host.text.strip()) >= _HOST
    slack = 0.0 if long else 0.3 * em
    if min(x for x, _ in part.quad) < left - slack or max(x for x, _ in part.quad) > right + slack:
        return False
    if long and sides(part)[0] > 0.4 * sides(host)[0]:
        return False
    x, y = _middle(part)
    if not long and not (small and sides(host)[1] > 0.8 * em and y > _middle(host)[1]):
        return False  # only what stands under a piece of a sum, as a denominator does
    y0, y1, y2, y3 = (corner[1] for corner in host.quad)
    share = (x - left) / max(right - left, 1.0)
    top, bottom = y0 + (y1 - y0) * share, y3 + (y2 - y3) * share
    reach = em * (_REACH_SMALL if small else _REACH)
    return top - reach < y < bottom + reach


def _inserted(host: Found, part: Found) -> str | None:
    """The host's text with the part in it, None where no sum stands near."""
    text = host.text
    widths = [1.0 if _HAN.match(char) else 0.5 for char in text]
    left, right = min(x for x, _ in host.quad), max(x for x, _ in host.quad)
    at = (_middle(part)[0] - left) / max(right - left, 1.0) * sum(widths)

    def place(index: int) -> float:
        return sum(widths[:index])

    operators = [(abs(place(match.start()) + 0.5 - at), match.end()) for match in _OPERATOR.finditer(text)]
    near = min((item for item in operators if item[0] < _NEAR), default=None)
    if near is not None:
        end = near[1]
    elif _LIMIT.match(part.text) or not (_HAN.search(text) or _middle(part)[1] > _middle(host)[1]):
        return None
    else:
        stretches = [match for match in _STRETCH.finditer(text) if _SUM.search(match[0])]
        distances = [
            (max(place(match.start()) - at, at - place(match.end()), 0.0), match.end()) for match in stretches
        ]
        best = min((item for item in distances if item[0] < _NEAR), default=None)
        if best is None:
            return None
        end = best[1]
        while end and text[end - 1] in _CLOSING:
            end -= 1
    return text[:end] + part.text.strip() + text[end:]


def _middle(item: Found) -> tuple[float, float]:
    return sum(x for x, _ in item.quad) / 4, sum(y for _, y in item.quad) / 4
