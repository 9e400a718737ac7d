"""Signs that a PDF draws as pictures inside its formulas, known by their shape: ∩, ∪, ⋯ and ….

Word prints formulas of an equation editor as pictures over text: the letters are text, but a sign of a
font that is not embedded is only ink in a gap between them. Nothing else is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ingest.layout.runs import Run
from schemas.document import Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

Render = Callable[[Any, tuple[float, float, float, float]], tuple["Image", float]]

_GAP = 0.45  # em: room for a sign
_MOST = 60  # gaps looked at on one page
_INK = 128


def drawn_signs(page: Any, runs: Sequence[Run], pictures: Sequence[Box], render: Render) -> list[Run]:  # noqa: ANN401
    """Runs for the signs that pictures draw in the gaps of the lines under them."""
    out: list[Run] = []
    looked = 0
    for picture in pictures:
        middle = (picture.y0 + picture.y1) / 2
        if not 4 < picture.y1 - picture.y0 < 48:
            continue
        row = sorted(
            (
                run
                for run in runs
                if run.baseline is not None
                and run.box.y0 < middle < run.box.y1
                and run.box.x1 > picture.x0 - run.size
                and run.box.x0 < picture.x1 + run.size
            ),
            key=lambda run: run.box.x0,
        )
        for left, right in pairwise(row):
            x0, x1 = max(left.box.x1, picture.x0), min(right.box.x0, picture.x1)
            looked += 1
            if x1 - x0 < _GAP * left.size or x1 - x0 > 3 * left.size or looked > _MOST:
                continue
            size, base = max(left.size, right.size), left.baseline or 0.0
            top = base - size
            image, scale = render(page, (x0, top, x1, base + 0.25 * size))
            sign, ink = _shape(image, size / scale, (base - top) / scale)
            if sign:
                box = Box(x0 + ink[0] * scale, left.box.y0, x0 + ink[1] * scale, left.box.y1)
                out.append(Run(sign, box, size, base, style="m"))
    return out


def _shape(image: Image, em: float, base: float) -> tuple[str, tuple[int, int]]:
    """The sign in a picture and its first and last column, '' when it is none of the known.

    em and base (the baseline, from the top) are in pixels.
    """
    dark = image.min(axis=2) < _INK
    parts = _parts(dark.any(axis=0))
    if len(parts) != 3:  # letters beside it lean in
        parts = [part for part in parts if part[0] > 0 and part[1] < dark.shape[1]]
    if not parts:
        return "", (0, 0)
    first, last = parts[0][0], parts[-1][1]
    rows = dark[:, first:last].any(axis=1).nonzero()[0]
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    ink = dark[top:bottom, first:last]
    height, width = ink.shape
    if len(parts) == 3 and height < 0.25 * em and all(b - a < 0.25 * em for a, b in parts):
        return ("⋯" if base - (top + bottom) / 2 > 0.15 * em else "…"), (first, last)
    if len(parts) != 1 or not (0.35 * em < height < 1.0 * em and 0.35 * em < width < 1.1 * em):
        return "", (0, 0)
    edge = max(1, width // 4)
    quarter = max(1, height // 4)
    legs = ink[:, :edge].any(axis=1), ink[:, -edge:].any(axis=1)
    hollow = ~ink[quarter:-quarter, edge:-edge].any(axis=1)
    if hollow.mean() < 0.9 or min(leg[quarter:-quarter].mean() for leg in legs) < 0.9:
        return "", (0, 0)
    upper, lower = ink[:quarter, edge:-edge].any(axis=0), ink[-quarter:, edge:-edge].any(axis=0)
    if upper.mean() > 0.9 and lower.mean() < 0.1:
        return "∩", (first, last)
    if lower.mean() > 0.9 and upper.mean() < 0.1:
        return "∪", (first, last)
    return "", (0, 0)


def _parts(filled: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Stretches of filled columns."""
    out: list[tuple[int, int]] = []
    for place, full in enumerate(filled):
        if full and out and out[-1][1] == place:
            out[-1] = (out[-1][0], place + 1)
        elif full:
            out.append((place, place + 1))
    return out
