"""From the runs of one column to its visual lines, and from a line to its text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from ingest.layout import maths
from ingest.layout.runs import Line, Run, median, overlap, union

_RULE = re.compile(r"[_\s。.．]+")
_BRACKETED = re.compile(r"[（(]\s*\S{0,3}\s*[)）][.。·0]?")
TAB_GAP = 1.5  # em: a gap this wide is a stop, as between the options on one line
_SPACED_HAN = re.compile(r"(?<![^\s])(?:[\u4e00-\u9fff] ){2,}[\u4e00-\u9fff](?![^\s（(：:])")


def build(runs: Sequence[Run]) -> list[Line]:
    """Visual lines of one column, top to bottom, each with its runs from left to right."""
    if not runs:
        return []
    small = _small_print(runs)
    main = [run for run in runs if id(run) not in small]
    lines = _chain(main)
    lines += _chain(_attach([run for run in runs if id(run) in small], lines))
    for line in lines:
        line.runs.sort(key=lambda run: run.box.x0)
    lines.sort(key=lambda line: _anchor(line))
    _side_by_side(lines)
    left = min(run.box.x0 for run in runs)
    for line in lines:
        line.column_x0 = left
    return lines


def _side_by_side(lines: list[Line]) -> None:
    """Put tables and figures that stand beside each other, one after the other, from left to right."""
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and all(_beside(lines[end], other) for other in lines[start:end]):
            end += 1
        lines[start:end] = sorted(lines[start:end], key=lambda line: line.frame.x0)
        start = end


def _beside(line: Line, other: Line) -> bool:
    """Whether two lines are each a table or a figure, at the same height and not over each other."""
    if not all(one.runs[0].table or one.runs[0].asset for one in (line, other)):
        return False
    mine, theirs = line.frame, other.frame
    shared = overlap(mine.y0, mine.y1, theirs.y0, theirs.y1)
    if overlap(mine.x0, mine.x1, theirs.x0, theirs.x1) > 0:
        return False
    return shared > 0.5 * min(mine.y1 - mine.y0, theirs.y1 - theirs.y0)


def _small_print(runs: Sequence[Run]) -> set[int]:
    """Identities of the runs that stand small beside a larger one: indices, exponents, limits."""
    known = sorted((run for run in runs if run.baseline is not None), key=lambda run: run.box.y0)
    tops = [run.box.y0 for run in known]
    reach = max((run.box.y1 - run.box.y0 for run in known), default=0.0)
    small = set()
    for run in known:
        for other in known[bisect_left(tops, run.box.y0 - reach) : bisect_right(tops, run.box.y1)]:
            if run.size > 0.8 * other.size:
                continue
            gap = max(other.box.x0 - run.box.x1, run.box.x0 - other.box.x1)
            shared = overlap(run.box.y0, run.box.y1, other.box.y0, other.box.y1)
            if gap < 0.5 * other.size and shared > 0.3 * (run.box.y1 - run.box.y0):
                small.add(id(run))
                break
    return small


def segments(runs: Sequence[Run]) -> list[Line]:
    """Pieces of visual lines over the whole page, cut at gaps as wide as a tab stop.

    A gutter between columns always falls into such a gap; a word space never does.
    """
    out = []
    for line in build(runs):
        piece = Line([line.runs[0]])
        right = line.runs[0].box.x1
        for run in line.runs[1:]:
            if run.box.x0 - right > TAB_GAP * min(run.size, piece.runs[-1].size):
                out.append(piece)
                piece = Line([])
            piece.runs.append(run)
            right = max(right, run.box.x1)
        out.append(piece)
    return out


def _anchor(line: Line) -> tuple[float, float]:
    """Vertical middle of the line's text, left edge."""
    text = [run for run in line.runs if not run.asset] or line.runs
    return median([(run.box.y0 + run.box.y1) / 2 for run in text]), line.runs[0].box.x0


def _fits(run: Run, tail: Run) -> float:
    """How well run continues a line that ends in tail: 0 not at all, 1 perfectly."""
    if run.table or tail.table:
        return 0.0
    if run.asset and run.box.y1 - run.box.y0 > 3 * tail.size:
        return 0.0
    if tail.asset and tail.box.y1 - tail.box.y0 > 3 * run.size:
        return 0.0
    scanned = run.baseline is None or tail.baseline is None
    allowed = (1.5 if scanned else 0.6) * min(run.size, tail.size)  # OCR boxes are generous
    over = run.colour != tail.colour and scanned and run.box.x0 > tail.box.x0 + run.size
    if run.box.x0 < tail.box.x1 - allowed and not over:
        return 0.0
    if run.baseline is not None and tail.baseline is not None:
        apart = abs(run.baseline - tail.baseline) / max(run.size, tail.size, 1.0)
        return 1.0 - apart if apart < 0.45 else 0.0
    shared = overlap(run.box.y0, run.box.y1, tail.box.y0, tail.box.y1)
    ratio = shared / max(min(run.box.y1 - run.box.y0, tail.box.y1 - tail.box.y0), 0.1)
    return ratio if ratio >= 0.5 else 0.0


def _chain(runs: Sequence[Run]) -> list[Line]:
    """Lines grown from left to right, each run joining the line it continues best."""
    lines: list[Line] = []
    for run in sorted(runs, key=lambda run: (run.box.x0, run.box.y0)):
        best, fit = None, 0.0
        for line in lines:
            tail = line.runs[-1]
            if tail.box.y0 > run.box.y1 or tail.box.y1 < run.box.y0:
                continue
            here = _fits(run, tail)
            if here > fit:
                best, fit = line, here
        if best is None:
            lines.append(Line([run]))
        else:
            best.runs.append(run)
    return lines


def _attach(small: Sequence[Run], lines: Sequence[Line]) -> list[Run]:
    """Put indices, exponents and other small print into the lines they touch; return the rest."""
    rest = []
    frames = [line.frame for line in lines]
    for run in small:
        best, most = None, 0.0
        for line, frame in zip(lines, frames, strict=True):
            if frame.y0 > run.box.y1 or frame.y1 < run.box.y0:
                continue
            near = [
                other
                for other in line.runs
                if not other.asset
                and max(other.box.x0 - run.box.x1, run.box.x0 - other.box.x1) <= 0.5 * other.size
            ]
            for other in near:
                height = max(run.box.y1 - run.box.y0, 0.1)
                shared = overlap(run.box.y0, run.box.y1, other.box.y0, other.box.y1) / height
                if shared > max(most, 0.3):
                    best, most = line, shared
        if best is None:
            rest.append(run)
        else:
            best.runs.append(run)
    return rest


def is_han(char: str) -> bool:
    """Han characters and full-width forms: written without spaces between them."""
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\uff00" <= char <= "\uffef"


def separator(left: str, right: str, gap: float, em: float, typed: bool = False) -> str:
    """What stands between two characters gap points apart: nothing, a space, or a tab.

    typed says that the file has a space character there. Han next to Latin is set apart by
    typesetters, so that a small gap there is no space.
    """
    if left in "（(" and right in "）)" and gap > 0.4 * em:
        return " " * min(8, max(2, round(gap / em * 2)))
    if gap > TAB_GAP * em:
        return "\t"
    if is_han(left) or is_han(right):
        return " " if gap > 0.6 * em else ""
    if typed:
        return " " if gap > 0.05 * em else ""
    return " " if gap > 0.18 * em else ""


def line_text(line: Line) -> str:
    """Text of a line: gaps as spaces or tabs, formulas as `$LaTeX$`."""
    runs = [run for run in line.runs if run.text]
    if not runs:
        return ""
    filled = _filled(runs)
    if maths.has_signs(filled):
        return tidy(maths.markdown(filled, separator))
    size = median([run.size for run in runs for _ in run.text], 10.0)
    out = filled[0].text
    for last, run in pairwise(filled):
        out += separator(out[-1], run.text[0], run.box.x0 - last.box.x1, max(size, 1.0), run.spaced)
        out += run.text
    return tidy(out)


def formula(line: Line) -> str:
    """A line as the inside of a formula, without dollar signs."""
    return maths.formula([run for run in line.runs if run.text], separator)


def _filled(runs: Sequence[Run]) -> list[Run]:
    """Runs with what was filled into blanks in another colour marked as `<u>…</u>`."""
    plain = [run for run in runs if not run.colour and not _RULE.fullmatch(run.text)]
    if not plain or all(not run.colour for run in runs):
        return list(runs)
    out: list[Run] = []
    for colour, group in groupby(runs, key=lambda run: run.colour):
        members = list(group)
        if not colour:
            out += members
            continue
        text = ""
        for before, run in pairwise([None, *members]):
            if before is not None and run is not None:
                gap = run.box.x0 - before.box.x1
                text += separator(before.text[-1], run.text[0], gap, run.size, run.spaced).replace("\t", "  ")
            text += run.text if run is not None else ""
        last = members[-1]
        in_blank = bool(out) and (out[-1].text.endswith(("_", "：", ":")) or _follows_rule(runs, last))
        wide = bool(out) and members[0].box.x0 - out[-1].box.x1 > TAB_GAP * last.size
        index = next(i for i, run in enumerate(runs) if run is last)
        at_end = all(len(run.text) <= 1 for run in runs[index + 1 :])
        if (in_blank or (wide and at_end)) and not _BRACKETED.fullmatch(text):
            text = f"<u>{text}</u>"
        first = members[0]
        box = union(run.box for run in members)
        out.append(replace(first, text=text, box=box, seen=union(run.where for run in members)))
    return out


def _follows_rule(runs: Sequence[Run], run: Run) -> bool:
    """Whether the next run is the rest of a ruled blank."""
    index = next(i for i, other in enumerate(runs) if other is run)
    return index + 1 < len(runs) and runs[index + 1].text.startswith("_")


def tidy(text: str) -> str:
    """Stray white space and letter-spaced Han words pulled together."""
    text = text.strip()
    return _SPACED_HAN.sub(lambda match: match.group().replace(" ", ""), text)


def strip_controls(text: str) -> tuple[str, int]:
    """Text without control and private-use characters, and how many there were."""
    bad = [c for c in text if unicodedata.category(c) in ("Cc", "Co", "Cn", "Cs") or c == "\ufffd"]
    if not bad:
        return text, 0
    drop = set(bad)
    return "".join(c for c in text if c not in drop), len(bad)


def leading(lines: Sequence[Line]) -> float:
    """Usual distance between neighbouring lines, in points."""
    tops = sorted(line.box.y0 for line in lines)
    return median([b - a for a, b in pairwise(tops) if b - a > 1], 14.0)
