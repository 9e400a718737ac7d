"""Questions whose numbers were lost: under handwriting or a stamp on a scan, or forgotten by the typist."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ingest.segment.lines import Line
from ingest.segment.marks import Style, read_mark
from ingest.segment.pieces import pieces_of
from schemas.document import BlockKind, Origin

MOST = 9
_WORDS = re.compile(r"[\u3400-\u9fffA-Za-z]")
_ENDED = re.compile(r"[。？！?!.][”\"』」）)]?\s*$")


SAME_SIZE = 1.35


def _same_size(one: Line, other: Line) -> bool:
    """Whether two lines are set in type of one size: a title is no beginning of a question."""
    if one.block.box is None or other.block.box is None:
        return True
    heights = sorted(box.y1 - box.y0 for box in (one.block.box, other.block.box))
    return heights[1] <= SAME_SIZE * max(heights[0], 1.0)


def unnumbered_before(lead: Sequence[Line], first_value: int) -> list[list[Line]]:
    """The lines of each question before the first number seen, [] when they are not all there.

    lead: lines before the first numbered question of a section; first_value: its number. There must be
    exactly as many finished sentences directly before it as numbers are missing; lines in another ink
    (notes) are passed over. Only for scans: in a text layer a missing number was never printed.
    """
    missing = first_value - 1
    printed = [
        line
        for line in lead
        if line.block.origin is Origin.OCR and not line.block.colour and line.kind is BlockKind.TEXT
    ]
    if not 1 <= missing <= MOST or len(printed) < missing:
        return []
    groups: list[list[Line]] = []
    for line in printed:
        before = groups[-1][-1] if groups else None
        if (
            before is not None
            and _same_size(before, line)
            and not _ENDED.search(before.text)
            and len(pieces_of([before, line], first_body=False)) == 1
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
    last = groups[-missing:]
    texts = ["".join(line.text for line in group) for group in last]
    if len(last) < missing or any(len(_WORDS.findall(t)) < 6 or not _ENDED.search(t) for t in texts):
        return []
    return last


def with_forgotten(
    lines: Sequence[Line], runs: Sequence[Sequence[int]], asks: Callable[[str], bool]
) -> tuple[Sequence[Line], frozenset[int]]:
    """Lines with the number put in that one question lacks («1. …？ …？ 3. …？»), and their places.

    runs: items of each section, in order. A number is put in where exactly one is missing and exactly one
    line between begins a paragraph that asks, after one that has ended.
    """
    out = list(lines)
    places = set()
    for run in runs:
        for i, stop in itertools.pairwise(run):
            before, after = lines[i].mark, lines[stop].mark
            if (
                before is None
                or after is None
                or before.style is not Style.ARABIC
                or after.family != before.family
                or after.value != before.value + 2
            ):
                continue
            found = [
                k
                for k in range(i + 1, stop)
                if lines[k].mark is None
                and lines[k].kind is BlockKind.TEXT
                and _ENDED.search(lines[k - 1].text)
                and asks(lines[k].text)
            ]
            if len(found) == 1:
                sign = before.printed[-1:] if before.printed[-1:] in ".．、" else "."
                text = f"{before.value + 1}{sign} {lines[found[0]].text}"
                out[found[0]] = replace(lines[found[0]], text=text, mark=read_mark(text))
                places.add(found[0])
    return (out if places else lines), frozenset(places)


_VERDICT_PLACE = re.compile(r"[（(]\s{0,12}[)）]\s{0,4}[。.]?\s{0,4}$")


def with_lost_verdicts(
    lines: Sequence[Line], runs: Sequence[tuple[Sequence[int], int]]
) -> tuple[Sequence[Line], frozenset[int]]:
    """Lines with the number put in that a statement to be judged lacks, and their places.

    runs: items and end of each section of statements. «3. …（ ）», then a line «…（ ）» is a statement of
    its own where number 4 is printed nowhere: each has one place for its verdict.
    """
    out = list(lines)
    places = set()
    for items, end in runs:
        for i, stop in zip(items, [*items, None][1:], strict=True):
            before, after = lines[i].mark, lines[stop].mark if stop is not None else None
            if before is None or before.style is not Style.ARABIC:
                continue
            if after is not None and after.value != before.value + 2:
                continue
            inside = range(i + 1, end if stop is None else stop)
            found = [
                k
                for k in inside
                if lines[k].mark is None
                and lines[k].kind is BlockKind.TEXT
                and _VERDICT_PLACE.search(lines[k - 1].text)
            ]
            closes = [k for k in inside if found and k >= found[0] and _VERDICT_PLACE.search(lines[k].text)]
            if len(found) == 1 and len(closes) == 1:
                text = f"{before.value + 1}{before.printed[-1:]} {lines[found[0]].text}"
                out[found[0]] = replace(lines[found[0]], text=text, mark=read_mark(text))
                places.add(found[0])
    return (out if places else lines), frozenset(places)
