"""Strokes that belong to formulas: bars over letters, and root signs drawn as two slanted strokes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ingest.layout import lines
from ingest.layout.runs import Run, union
from schemas.document import Box

ROOT = "√"
_MOST = 400  # slanted strokes looked at: a page with more is a drawing
_JOINT = 1.6  # points between strokes that meet
_TALLEST = 60.0
_WORD = re.compile(r"[A-Za-z]*[a-z]{3,}")
_HELD = re.compile(r"[0-9A-Za-z\u0391-\u03f5$\\{}_^'′+\-−=·∙,⋅⊕()（） ]{1,60}")


class Slant(NamedTuple):
    """A stroke that is neither level nor upright, from its left end to its right end, in points."""

    x0: float
    y0: float
    x1: float
    y1: float


def drawn_roots(level: Sequence[Box], slants: Sequence[Slant]) -> list[Run]:
    """A run for each root sign that is drawn: a short stroke down, a long one up, a level one on top."""
    if len(slants) > _MOST:
        return []
    out = []
    for bar in level:
        for rise in slants:
            high = rise.y0 - rise.y1
            if not 5.0 < high < _TALLEST or rise.x1 - rise.x0 > high:
                continue
            if abs(rise.x1 - bar.x0) > _JOINT or abs(rise.y1 - (bar.y0 + bar.y1) / 2) > _JOINT:
                continue
            tick = next((s for s in slants if _ticks(s, rise, high)), None)
            if tick is not None:
                box = Box(tick.x0, bar.y0, bar.x0, rise.y0)
                out.append(Run(ROOT, box, high, rise.y0 - 0.15 * high, style="m"))
    return out


def _ticks(stroke: Slant, rise: Slant, high: float) -> bool:
    """Whether a stroke comes down to the foot of a rising one, from less than its height."""
    meets = abs(stroke.x1 - rise.x0) < _JOINT and abs(stroke.y1 - rise.y0) < _JOINT
    return meets and 0.15 * high < stroke.y1 - stroke.y0 < 0.8 * high


def over(runs: list[Run], bar: Box) -> list[Run] | None:
    r"""Runs with the letters right under a bar as `\bar` or `\overline`; None when it is no such bar.

    The bar must fit its letters, and no text may stand on it: then it underlines a word above.
    """
    y = (bar.y0 + bar.y1) / 2
    close = [r for r in runs if r.baseline is not None and r.box.x1 > bar.x0 - 20 and r.box.x0 < bar.x1 + 20]
    held = [r for r in close if bar.x0 - 1 < (r.box.x0 + r.box.x1) / 2 < bar.x1 + 1 and _hangs_close(r, y)]
    if not held:
        return None
    main = max(held, key=lambda r: r.size)
    hold = union(r.where for r in held)
    slack = 0.3 * main.size
    if abs(hold.x0 - bar.x0) > slack or abs(hold.x1 - bar.x1) > slack:
        return None
    ids = {id(r) for r in held}
    if any(id(r) not in ids and _stands_on(r, bar, y) for r in close):
        return None
    text = "".join(r.text for r in held)
    if not _HELD.fullmatch(text) or _WORD.search(re.sub(r"\\[a-z]+", "", text)):
        return None
    if all("$" not in r.text and r.style.strip("i" + "m") for r in held) and not _is_name(text):
        return None
    body = " ".join(lines.formula(line) for line in lines.build(held)).strip()
    if not body or r"\text" in body:
        return None
    sign = "bar" if len(body) == 1 else "overline"
    box = Box(min(bar.x0, hold.x0), main.box.y0, max(bar.x1, hold.x1), main.box.y1)
    whole = Run(
        f"$\\{sign}{{{body}}}$",
        box,
        main.size,
        main.baseline,
        main.bold,
        main.colour,
        seen=union([bar, hold]),
    )
    return [r for r in runs if id(r) not in ids] + [whole]


def _hangs_close(run: Run, y: float) -> bool:
    """Whether a run stands right under the height y: a bar may touch its letters, not leave them."""
    if run.seen is not None:
        return -0.1 * run.size < run.seen.y0 - y < 0.35 * run.size
    return 0.42 * run.size < (run.baseline or 0.0) - y < 1.15 * run.size


def _stands_on(run: Run, bar: Box, y: float) -> bool:
    """Whether a run has the bar as its underline."""
    beside = run.box.x1 < bar.x0 + 0.5 or run.box.x0 > bar.x1 - 0.5
    return not beside and -0.05 * run.size < y - (run.baseline or 0.0) < 0.35 * run.size


def _is_name(text: str) -> bool:
    """Upright letters that a bar may stand over: capitals, as names of signals, or a single letter."""
    return len(text) == 1 or not any(char.islower() for char in text)
