"""From the loose runs of a page to its blocks: one visual line each, in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ingest.layout import columns, furniture, lines, options
from ingest.layout.inks import inks
from ingest.layout.runs import Line, Run, median, union
from schemas.document import Block, BlockKind, Origin


def blocks(runs: Sequence[Run], page: int, origin: Origin, walls: Sequence[float] = ()) -> list[Block]:
    """Blocks of one page (number from 1). Runs that carry a reason become FURNITURE, at the end.

    walls are the x of long upright strokes, which may divide columns.
    """
    level = [run for run in runs if not run.reason]
    aside = [_joined(stack, "seal") for stack in _upright_words(level) if _take(stack, level)]
    aside += [_joined(row, "answer_grid") for row in _bubbles(level) if _take(row, level)]
    segments = lines.segments(level)
    aside += [_joined(s.runs, "score_box") for s in segments if furniture.is_score_box(s.text)]
    body = [segment for segment in segments if not furniture.is_score_box(segment.text)]
    out: list[Block] = []
    for zone in columns.zones(body, walls):
        for line in options.unfolded(lines.build([run for segment in zone for run in segment.runs])):
            for piece in _without_margin_note(line) if origin is Origin.OCR else (line,):
                out.extend(_line_blocks(piece, page, origin))
    for run in [*aside, *runs]:
        if run.reason and run.text.strip():
            out.append(_furniture(run, page, origin))
    return out


def _upright_words(runs: Sequence[Run]) -> list[list[Run]]:
    """Words printed down the margin, one character below the other."""
    single = [run for run in runs if len(run.text) == 1 and not run.asset]
    long = [run for run in runs if len(run.text) > 4]
    if not long:
        return []
    left, right = min(run.box.x0 for run in long), max(run.box.x1 for run in long)
    columns: list[list[Run]] = []
    for run in sorted(single, key=lambda run: run.box.x0):
        if left < (run.box.x0 + run.box.x1) / 2 < right:
            continue
        # The boxes of a recogniser are of all widths: those of one column overlap.
        if not columns or run.box.x0 > columns[-1][0].box.x1 - 0.3 * run.size:
            columns.append([])
        columns[-1].append(run)
    for column in columns:
        column.sort(key=lambda run: run.box.y0)
    return [stack for column in columns for stack in _words_down(column)]


def _words_down(column: Sequence[Run]) -> list[list[Run]]:
    """The words in a column of single characters: those of a seal line at any distance, others close."""
    if furniture.is_seal("".join(run.text for run in column)):
        return [list(column)]
    stacks: list[list[Run]] = [[]]
    for run in column:
        if stacks[-1] and run.box.y0 - stacks[-1][-1].box.y1 > 3 * run.size:
            stacks.append([])
        stacks[-1].append(run)
    return [
        stack
        for stack in stacks
        if len(stack) >= 5 and sum("\u4e00" <= run.text <= "\u9fff" for run in stack) > 0.6 * len(stack)
    ]


def _without_margin_note(line: Line) -> list[Line]:
    """A scanned line in one piece, or cut after the coloured handwriting that stands before its print."""
    first = next((i for i, run in enumerate(line.runs) if not run.colour), None)
    if not first or sum(len(run.text) for run in line.runs[first:]) < 4:
        return [line]
    return [Line(line.runs[:first], line.column_x0), Line(line.runs[first:], line.column_x0)]


def _take(some: Sequence[Run], runs: list[Run]) -> bool:
    """Remove some from runs, by identity."""
    gone = {id(run) for run in some}
    runs[:] = [run for run in runs if id(run) not in gone]
    return True


def _bubbles(runs: Sequence[Run]) -> list[list[Run]]:
    """Rows of the same digit or letter five times or more, well apart: the bubbles of an answer card."""
    rows: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        if len(run.text) == 1 and run.text.isalnum() and run.text.isascii():
            rows.setdefault((run.text, round(run.box.y0 / 2)), []).append(run)
    out = []
    for row in rows.values():
        row.sort(key=lambda run: run.box.x0)
        steps = [b.box.x0 - a.box.x0 for a, b in pairwise(row)]
        if len(row) >= 5 and max(steps) < 1.3 * min(steps) + 1 and min(steps) > 1.2 * row[0].size:
            out.append(row)
    return out


def _joined(runs: Sequence[Run], reason: str) -> Run:
    """One run for furniture made of several pieces."""
    first = runs[0]
    return Run(
        text="".join(run.text for run in runs),
        box=union(run.box for run in runs),
        size=first.size,
        bold=first.bold,
        colour=first.colour,
        confidence=first.confidence,
        seen=union(run.where for run in runs),
        reason=reason,
    )


def _line_blocks(line: Line, page: int, origin: Origin) -> list[Block]:
    """The block of a line's text, after the blocks of pictures and tables standing in it."""
    out = []
    for run in line.runs:
        if run.asset or run.table:
            out.append(
                Block(
                    text=run.text,
                    kind=BlockKind.TABLE if run.table else BlockKind.FIGURE,
                    page=page,
                    box=run.where,
                    origin=origin,
                    confidence=run.confidence,
                    indent=max(0.0, run.box.x0 - line.column_x0),
                    asset=run.asset,
                )
            )
    text_line = Line([run for run in line.runs if not (run.asset or run.table)], line.column_x0)
    text = lines.line_text(text_line)
    if text:
        first = text_line.runs[0]
        typed = origin is Origin.TEXT_LAYER
        colour = first.colour if typed else _colour(text_line.runs)
        tinted = typed and not colour and any(run.colour for run in text_line.runs)
        letters = sum(len(run.text) for run in text_line.runs)
        out.append(
            Block(
                text=text,
                page=page,
                box=text_line.box,
                origin=origin,
                confidence=sum(run.confidence * len(run.text) for run in text_line.runs) / max(letters, 1),
                size=round(median([run.size for run in text_line.runs for _ in run.text], first.size), 1),
                bold=first.bold,
                indent=round(max(0.0, first.box.x0 - line.column_x0), 1),
                colour=colour,
                inks=inks(text, ((run.text, run.colour) for run in text_line.runs)) if tinted else (),
            )
        )
    return out


def _colour(runs: Sequence[Run]) -> str | None:
    """Colour of the first run, or of most of the line."""
    if runs[0].colour:
        return runs[0].colour
    weights: dict[str | None, int] = {}
    for run in runs:
        weights[run.colour] = weights.get(run.colour, 0) + len(run.text)
    best = max(weights, key=lambda key: weights[key])
    return best if best and weights[best] > 0.5 * sum(weights.values()) else None


def _furniture(run: Run, page: int, origin: Origin) -> Block:
    return Block(
        text=run.text.strip(),
        kind=BlockKind.FURNITURE,
        page=page,
        box=run.where,
        origin=origin,
        confidence=run.confidence,
        size=round(run.size, 1),
        bold=run.bold,
        colour=run.colour,
        reason=run.reason,
    )
