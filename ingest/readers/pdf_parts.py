"""What stands on a PDF page beside its text: pictures, ruled tables, blanks drawn as lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ingest.layout import formulas
from ingest.layout.bars import Slant
from ingest.layout.runs import Run, inside, overlap, union
from ingest.readers import pdf_drawings, pdf_tables
from ingest.readers.common import drawings, png_asset
from ingest.readers.pdf_drawings import Figure
from ingest.readers.pdf_text import TextLayer
from schemas.document import Asset, Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

T = TypeVar("T")
Render = Callable[..., tuple["Image", float]]
"""Renders (page, clip in points, dots to an inch) as BGR pixels, and points per pixel."""

_MIN_SIDE = 24.0  # points: smaller pictures are bullets, inline signs or dots
_LEAST_DPI = 150.0  # of a figure: letters may be printed over a coarse picture
_LONGEST_BAR = 120.0  # points
_MAX_DRAWINGS = 5000
_THIN = 2.5  # points: what is slimmer is a stroke
_STOPS = frozenset("。．.，,；;、")


def pictures(page: Any) -> list[Box]:  # noqa: ANN401 - PyMuPDF is untyped
    """Boxes of the embedded pictures, clipped to the page."""
    return [box for box, _ in _placed(page)]


def _placed(page: Any) -> list[tuple[Box, int]]:  # noqa: ANN401
    """The same with their dots from side to side."""
    area = page.rect
    placed = []
    for info in _image_info(page):
        x0, y0, x1, y1 = info["bbox"]
        box = Box(max(x0, area.x0), max(y0, area.y0), min(x1, area.x1), min(y1, area.y1))
        if box.x1 > box.x0 and box.y1 > box.y0:
            placed.append((box, max(info["width"], info["height"])))
    return placed


def largest_picture(page: Any) -> int:  # noqa: ANN401
    """Pixels of the largest embedded picture, as it declares them; nothing is decoded."""
    return max((info["width"] * info["height"] for info in _image_info(page)), default=0)


def _image_info(page: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Embedded pictures of the page in its frame of now."""
    return _once(page, "exambank_pictures", lambda: page.get_image_info())


def _once(page: Any, name: str, find: Callable[[], T]) -> T:  # noqa: ANN401
    """What find finds on a page in its frame of now, kept with the page: to look costs a walk through it."""
    frame = tuple(page.rect)
    known = getattr(page, name, None)
    if known is None or known[0] != frame:
        known = (frame, find())
        setattr(page, name, known)
    found: T = known[1]
    return found


def cover(page: Any) -> float:  # noqa: ANN401
    """Share of the page under pictures, 0-1 (overlaps counted twice, capped)."""
    area = max(page.rect.width * page.rect.height, 1.0)
    return float(min(1.0, sum((b.x1 - b.x0) * (b.y1 - b.y0) for b in pictures(page)) / area))


def drawing_count(page: Any) -> int:  # noqa: ANN401
    """Number of vector paths on the page."""
    return len(drawings(page))


def with_parts(
    page: Any,  # noqa: ANN401
    layer: TextLayer,
    render: Render,
    doubtful: list[Box],
) -> tuple[list[Run], list[float], list[Asset]]:
    """The page's runs with its blanks, tables and figures put among them; walls; the figures' bytes.

    Walls are the x of strokes more than 40 % of the page high: they may divide columns. Places of
    formulas that could not be put together are added to doubtful.
    """
    level, upright = strokes(page)
    runs = formulas.fold(layer.runs, level, upright, doubtful, slants(page))
    runs += layer.turned
    runs, boxes = _tables(page, runs, level, upright)
    figures = _embedded(page, boxes)
    figures += pdf_drawings.find(page, runs, [*boxes, *(figure.box for figure in figures)])
    taken = [*boxes, *(figure.box for figure in figures)]
    level = [stroke for stroke in level if not any(inside(stroke, box) for box in taken)]
    runs += _blanks([run for run in runs if not run.reason], level, upright)
    assets = []
    for figure in figures:
        image, _ = render(page, _shown(figure.box, boxes), figure.dpi)
        asset = png_asset(image)
        assets.append(asset)
        runs = [run for run in runs if id(run) not in figure.labels]
        runs.append(Run(figure.text, figure.box, figure.box.y1 - figure.box.y0, asset=asset.digest))
    walls = [post.x0 for post in upright if post.y1 - post.y0 > 0.4 * page.rect.height]
    return runs, walls, assets


def _shown(figure: Box, tables: Sequence[Box]) -> Box:
    """What a figure's picture shows: the whole of the tables that are drawn in it, too."""
    return union([figure, *(table for table in tables if _shared(figure, table) > 0.5 * _area(table))])


def _shared(one: Box, other: Box) -> float:
    """The area under both boxes."""
    return overlap(one.x0, one.x1, other.x0, other.x1) * overlap(one.y0, one.y1, other.y0, other.y1)


def _area(box: Box) -> float:
    return (box.x1 - box.x0) * (box.y1 - box.y0)


def inline_pictures(page: Any, runs: Sequence[Run], figures: Sequence[Box]) -> list[Box]:  # noqa: ANN401
    """Small pictures that stand in lines of text and are not read: formulas and signs.

    Not those inside a figure, and not those on which a run stands: a sign that was read.
    """
    lines = [run.box for run in runs if run.baseline is not None]
    out = []
    for box in pictures(page):
        small = box.x1 - box.x0 > 4 and 4 < box.y1 - box.y0 < 2 * _MIN_SIDE
        if not small or min(box.x1 - box.x0, box.y1 - box.y0) >= _MIN_SIDE:
            continue
        if any(inside(box, figure) for figure in figures) or any(inside(line, box, 0.0) for line in lines):
            continue
        middle = (box.y0 + box.y1) / 2
        if any(
            line.y0 < middle < line.y1 and max(line.x0 - box.x1, box.x0 - line.x1) < _MIN_SIDE
            for line in lines
        ):
            out.append(box)
    return out


def _embedded(page: Any, tables: Sequence[Box]) -> list[Figure]:  # noqa: ANN401
    """Pictures that are figures: not tiny, not the whole page, not inside a table."""
    area = page.rect.width * page.rect.height
    out: list[Figure] = []
    for box, wide in _placed(page):
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if min(width, height) < _MIN_SIDE or width * height > 0.8 * area:
            continue
        if any(inside(box, table) for table in tables) or any(box == figure.box for figure in out):
            continue
        dots = max(_LEAST_DPI, 72 * wide / width)  # more dots than the picture has show no more
        out.append(Figure(box, dpi=min(pdf_drawings.DPI, dots)))
    return out


def strokes(page: Any) -> tuple[list[Box], list[Box]]:  # noqa: ANN401
    """(level, upright) strokes of the page: thin lines, slim bars and the edges of boxes."""
    return _once(page, "exambank_strokes", lambda: _strokes(page))


def _strokes(page: Any) -> tuple[list[Box], list[Box]]:  # noqa: ANN401
    level: list[Box] = []
    upright: list[Box] = []
    for path in drawings(page)[:_MAX_DRAWINGS]:
        for item in path["items"]:
            if item[0] == "l":
                (ax, ay), (bx, by) = item[1], item[2]
                x0, y0, x1, y1 = min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1]
            else:
                continue
            if y1 - y0 <= _THIN and x1 - x0 > _THIN:
                level.append(Box(x0, y0, x1, y1))
            elif x1 - x0 <= _THIN and y1 - y0 > _THIN:
                upright.append(Box(x0, y0, x1, y1))
            elif item[0] == "re":
                level += [Box(x0, y0, x1, y0), Box(x0, y1, x1, y1)]
                upright += [Box(x0, y0, x0, y1), Box(x1, y0, x1, y1)]
    for box in pictures(page):  # some programs draw their strokes as pictures
        if box.y1 - box.y0 <= _THIN < box.x1 - box.x0:
            level.append(box)
    return _merged(level), _turn(_merged(_turn(upright)))


def short_bars(page: Any) -> list[Box]:  # noqa: ANN401
    """Level strokes that may be bars over letters, or of fractions and roots."""
    return [bar for bar in strokes(page)[0] if 2.0 < bar.x1 - bar.x0 < _LONGEST_BAR]


def slants(page: Any) -> list[Slant]:  # noqa: ANN401
    """Straight strokes of the page that are neither level nor upright."""
    out = []
    for path in drawings(page)[:_MAX_DRAWINGS]:
        for item in path["items"]:
            if item[0] != "l":
                continue
            (ax, ay), (bx, by) = sorted((tuple(item[1]), tuple(item[2])))
            if bx - ax > 0.3 and abs(by - ay) > 0.3:
                out.append(Slant(ax, ay, bx, by))
    return out


def _turn(boxes: Sequence[Box]) -> list[Box]:
    """Boxes with x and y exchanged."""
    return [Box(b.y0, b.x0, b.y1, b.x1) for b in boxes]


def _merged(level: Sequence[Box]) -> list[Box]:
    """Level strokes with those that continue or cover each other joined, if within a point in height."""
    rows: list[list[Box]] = []
    for seg in sorted(level, key=lambda s: s.y0):
        if not rows or seg.y0 - rows[-1][0].y0 >= 1.0:
            rows.append([])
        rows[-1].append(seg)
    out: list[Box] = []
    for row in rows:
        first, *rest = sorted(row, key=lambda s: s.x0)
        out.append(first)
        for seg in rest:
            if seg.x0 - out[-1].x1 < 2.0:
                out[-1] = union([out[-1], seg])
            else:
                out.append(seg)
    return out


def _blanks(runs: Sequence[Run], level: Sequence[Box], upright: Sequence[Box]) -> list[Run]:
    """Runs of underscores for blanks that are drawn as strokes with no text above them.

    A stroke that meets an upright one belongs to a box or a table, not to a blank.
    """
    out = []
    for seg in level:
        if any(
            min(abs(post.x0 - seg.x0), abs(post.x0 - seg.x1)) < 3.0 and post.y0 - 3 < seg.y0 < post.y1 + 3
            for post in upright
        ) or _is_rule(seg, level, runs):
            continue
        near = [
            run
            for run in runs
            if run.baseline is not None and -0.15 * run.size < seg.y0 - run.baseline < 0.4 * run.size
        ]
        beside = [r for r in near if max(r.box.x0 - seg.x1, seg.x0 - r.box.x1) < 3 * r.size]
        pattern = beside[0] if beside else _own_line(seg, level, runs)
        if pattern is None:
            continue
        for x0, x1 in _free(seg, near):
            if x1 - x0 > 1.4 * pattern.size:
                count = max(2, min(20, round((x1 - x0) / (0.5 * pattern.size))))
                down = 0.0 if beside else seg.y0 - 0.1 * pattern.size - (pattern.baseline or seg.y0)
                box = Box(x0, pattern.box.y0 + down, x1, pattern.box.y1 + down)
                out.append(Run("_" * count, box, pattern.size, (pattern.baseline or seg.y0) + down))
    return out


def _own_line(seg: Box, level: Sequence[Box], runs: Sequence[Run]) -> Run | None:
    """The run above a stroke that is a line of its own in the text: a line of a program left out.

    Text begins above and below it where it begins, and there is room for just this line between; lines
    to write an answer on stand in numbers, and nothing need follow them.
    """
    if any(other is not seg and abs(other.y0 - seg.y0) < 60 and other.x0 < seg.x0 + 3 for other in level):
        return None
    first = [
        run
        for run in runs
        if run.baseline is not None and abs(run.box.x0 - seg.x0) < 3 and run.text[0] != "_"
    ]
    above = [run for run in first if 0.8 * run.size < seg.y0 - (run.baseline or 0.0) < 2.6 * run.size]
    below = [run for run in first if 0.8 * run.size < (run.baseline or 0.0) - seg.y0 < 2.6 * run.size]
    if not above or not below or seg.x1 - seg.x0 < 3 * above[-1].size:
        return None
    return max(above, key=lambda run: run.box.y1)


def _is_rule(seg: Box, level: Sequence[Box], runs: Sequence[Run]) -> bool:
    """Whether a stroke is one of several equal ones with text on it: a rule of an open table."""
    twins = sum(abs(other.x0 - seg.x0) < 4 and abs(other.x1 - seg.x1) < 4 for other in level)
    if seg.x1 - seg.x0 < 150 or twins < 2:
        return False
    return any(
        overlap(run.box.x0, run.box.x1, seg.x0, seg.x1) > 0.5 * (run.box.x1 - run.box.x0)
        and 0 < seg.y0 - run.box.y0 < 1.6 * run.size
        for run in runs
        if run.text not in _STOPS  # at the end of a blank, over its last points
    )


def _free(seg: Box, runs: Sequence[Run]) -> list[tuple[float, float]]:
    """Parts of a stroke with no text above."""
    parts = [(seg.x0, seg.x1)]
    for run in runs:
        low, high = run.box.x0 + 0.5, run.box.x1 - 0.5
        cut = []
        for x0, x1 in parts:
            if overlap(x0, x1, low, high) <= 0:
                cut.append((x0, x1))
                continue
            cut += [(a, b) for a, b in ((x0, low), (high, x1)) if b > a]
        parts = cut
    return parts


def _tables(
    page: Any,  # noqa: ANN401
    runs: list[Run],
    level: Sequence[Box],
    upright: Sequence[Box],
) -> tuple[list[Run], list[Box]]:
    """Runs with those of every ruled data table replaced by one run that holds its Markdown."""
    if len(level) < 2:
        return runs, []
    boxes = []
    usable = [run for run in runs if not run.reason]
    for table in pdf_tables.find(usable, level, upright, page.rect.width * page.rect.height):
        size = max(1.0, min(run.size for run in usable if id(run) in table.members))
        runs = [run for run in runs if id(run) not in table.members]
        if table.reason:
            runs.append(Run(table.text, table.box, size, reason=table.reason))
        else:
            runs.append(Run(table.text, table.box, size, table=True))
        boxes.append(table.box)
    return runs, boxes
