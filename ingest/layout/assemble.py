"""From the loose runs of a page to its blocks: one visual line each, in reading order."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.layout import columns, furniture, lines
from ingest.layout.runs import Line, Run, median
from schemas.document import Block, BlockKind, Origin


def blocks(runs: Sequence[Run], page: int, origin: Origin) -> list[Block]:
    """Blocks of one page (number from 1). Runs that carry a reason become FURNITURE, at the end."""
    segments = lines.segments([run for run in runs if not run.reason])
    boxes = [segment for segment in segments if furniture.is_score_box(segment.text)]
    out: list[Block] = []
    for zone in columns.zones([segment for segment in segments if segment not in boxes]):
        for line in lines.build([run for segment in zone for run in segment.runs]):
            out.extend(_line_blocks(line, page, origin))
    for segment in boxes:
        for run in segment.runs:
            run.reason = "score_box"
    for run in runs:
        if run.reason and run.text.strip():
            out.append(_furniture(run, page, origin))
    return out


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
                colour=_colour(text_line.runs),
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
