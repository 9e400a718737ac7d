"""One picture of a page to runs of text: sheet laid flat, orientation, skew, colour of the ink."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.layout.runs import Run, median
from ingest.ocr.engine import Engine, Found
from ingest.ocr.figures import figures, inside
from ingest.ocr.grids import grids
from ingest.ocr.ink import Inks, separate
from ingest.ocr.light import evened
from ingest.ocr.missed import missed
from ingest.ocr.patchwork import Piece, read_pieces
from ingest.ocr.sheet import laid_flat
from ingest.ocr.skew import Slopes, sides
from ingest.ocr.stacked import joined
from ingest.ocr.upright import upright
from ingest.readers.common import png_asset
from schemas.document import Asset, Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]
    Matrix = NDArray[np.float64]

Bounds = tuple[int, int, int, int]

_DOTS = re.compile(r"[.·…\-_—一:：、,，'\s]{2,}")
_EMPTY = re.compile(r"([（(])[\s.,。·、'-]*([)）])")
_WORD = re.compile(r"[^\W_]|[√✓×]")
FIGURE = "[图]"
_HAN = re.compile(r"[\u4e00-\u9fff]")
_COLOURED_ACCEPT = 0.6
_HAND_BELOW = 0.8  # words in another ink that are read less surely are written by hand
_ACCEPT = 0.3  # below this mean score a box is not text (drawings, stains)


@dataclass(frozen=True)
class OcrPage:
    """Runs of one page in points, its size as it reads, and the clockwise turn that was needed.

    image: the picture as it was given, turned; boxes of runs `seen` are on it. straightened: it shows a
    sheet at an angle, which was laid flat for reading. figures: the pictures that runs name as asset.
    grids: places of tables and boxes on the picture, in points; their words are among the runs.
    """

    runs: tuple[Run, ...]
    width: float
    height: float
    rotation: int
    image: Image
    straightened: bool = False
    figures: tuple[Asset, ...] = ()
    grids: tuple[Box, ...] = ()


def read_page(image: Image, engine: Engine, points_per_pixel: float) -> OcrPage:
    """Text of a page picture (height x width x 3, BGR, uint8), laid flat and turned upright if need be."""
    import numpy as np

    height, width = image.shape[:2]
    laid = laid_flat(image)
    picture, back = (image, np.eye(3)) if laid is None else laid
    raw, picture = picture, evened(picture)
    found, turn = upright(picture, engine)
    if turn:
        own = turning(turn, picture.shape[1], picture.shape[0])
        back = turning(turn, width, height) @ back @ np.linalg.inv(own)
        raw, picture, image = (
            np.ascontiguousarray(np.rot90(seen, -turn // 90)) for seen in (raw, picture, image)
        )
        if turn != 180:
            width, height = height, width
    found += missed(picture, found, engine)
    slopes = Slopes.of(found, picture.shape[1], picture.shape[0])

    drawn = figures(picture, found)
    labels = [item for item in found if any(inside(item, box) for box in drawn)]
    found = [item for item in found if item not in labels]

    def runs_of(items: Sequence[Found], coloured: bool) -> list[Run]:
        kept = [item for item in items if item.score >= _ACCEPT]
        return [_run(item, picture, slopes, points_per_pixel, back, coloured) for item in kept]

    def in_black(item: Found) -> bool:
        return ink(picture, _around(item.quad, 1.0), 1.0) is None

    inks = separate(picture)
    if inks is None:
        runs = runs_of(joined(found, in_black), False)
    else:
        pure, mixed = by_ink(found, inks)
        black = [item for item, coloured in pure if not coloured]
        coloured = [item for item, coloured in pure if coloured]
        if mixed:
            print_, pen = parted(mixed, inks, engine)
            black += print_
            coloured += pen
        runs = combine(runs_of(joined(black, in_black), False), runs_of(coloured, True))
    assets = []
    for x0, y0, x1, y1 in drawn:
        asset = png_asset(raw[y0:y1, x0:x1])
        corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        box = _around(slopes.level(corners), points_per_pixel)
        seen = _around(_moved(corners, back), points_per_pixel)
        runs.append(Run(FIGURE, box, box.y1 - box.y0, seen=seen, asset=asset.digest))
        assets.append(asset)
    for run in runs_of(labels, False):
        run.reason = "figure_label"
        runs.append(run)
    tables = []
    for x0, y0, x1, y1 in grids(picture, found):
        box = _around(_moved(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), back), points_per_pixel)
        if not any(run.asset and run.seen and _overlap(run.seen, box) for run in runs):
            tables.append(box)
    size = (width * points_per_pixel, height * points_per_pixel)
    return OcrPage(tuple(runs), *size, turn, image, laid is not None, tuple(assets), tuple(tables))


def _overlap(one: Box, other: Box) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1


def turning(turn: int, width: int, height: int) -> Matrix:
    """The matrix (3 x 3) that takes pixels of a picture to those of the picture turned clockwise."""
    import numpy as np

    rows = {
        90: ((0, -1, height), (1, 0, 0)),
        180: ((-1, 0, width), (0, -1, height)),
        270: ((0, 1, 0), (-1, 0, width)),
    }[turn]
    return np.array([*rows, (0, 0, 1)], dtype=np.float64)


def by_ink(found: Sequence[Found], inks: Inks) -> tuple[list[tuple[Found, bool]], list[Found]]:
    """Boxes of one ink, each with whether it is coloured; and boxes in which both inks stand."""
    pure, mixed = [], []
    for item in found:
        x0, y0, x1, y1 = _bounds(item)
        step = max(4, y1 - y0)
        top, bottom = y0 + step // 10, y1 - step // 5  # wavy lines at the lower edge are no writing
        shares = [inks.share_in(x, top, min(x + step, x1), bottom) for x in range(x0, x1, step)]
        coloured = sum(share > 0.6 for share in shares)
        black = sum(0.0 <= share < 0.25 for share in shares)
        if coloured >= 2 and black >= 2 and len(item.text) > 6:
            mixed.append(item)
        else:
            pure.append((item, coloured > black))
    return pure, mixed


def parted(mixed: Sequence[Found], inks: Inks, engine: Engine) -> tuple[list[Found], list[Found]]:
    """The black and the coloured text of boxes in which both inks stand."""
    import numpy as np

    boxes = [_padded(_bounds(item)) for item in mixed]
    shown = np.zeros(inks.mask.shape, dtype=bool)
    for x0, y0, x1, y1 in boxes:
        shown[y0:y1, x0:x1] = True
    pieces = []
    for image in (inks.black, inks.coloured):
        for x0, y0, x1, y1 in together(boxes):
            area = np.s_[y0:y1, x0:x1]
            pieces.append(Piece(np.where(shown[area][:, :, None], image[area], np.uint8(255)), x0, y0))
    read = read_pieces(pieces, engine)
    half = len(read) // 2
    return [item for found in read[:half] for item in found], [i for found in read[half:] for i in found]


def together(boxes: Sequence[Bounds]) -> list[Bounds]:
    """The boxes, those that overlap joined into the box around them."""
    out: list[Bounds] = []
    for box in boxes:
        joined = box
        while True:
            hit = next((o for o in out if _meet(o, joined)), None)
            if hit is None:
                break
            out.remove(hit)
            joined = (
                min(hit[0], joined[0]),
                min(hit[1], joined[1]),
                max(hit[2], joined[2]),
                max(hit[3], joined[3]),
            )
        out.append(joined)
    return out


def _meet(one: Bounds, other: Bounds) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _padded(box: Bounds) -> Bounds:
    """A box a quarter of its height larger on every side."""
    x0, y0, x1, y1 = box
    pad = (y1 - y0) // 4
    return max(0, x0 - pad), max(0, y0 - pad), x1 + pad, y1 + pad


def _bounds(item: Found) -> Bounds:
    """Upright box around a quad, in whole pixels (x0, y0, x1, y1)."""
    xs = [x for x, _ in item.quad]
    ys = [y for _, y in item.quad]
    return max(0, int(min(xs))), max(0, int(min(ys))), int(max(xs)) + 1, int(max(ys)) + 1


def combine(black: list[Run], coloured: Sequence[Run]) -> list[Run]:
    """Runs of both inks; a short coloured mark that stands in empty brackets is put between them."""
    for run in black:
        if _DOTS.fullmatch(run.text):  # what is left of a ruled blank under erased ink
            run.text = "____"
    usual = median([run.size for run in black])
    out = list(black)
    for mark in coloured:
        low = mark.size < 0.6 * usual  # a wavy line below a word
        if low or not _WORD.search(mark.text):
            continue
        if mark.confidence < _COLOURED_ACCEPT or mark.reason:
            mark.reason = "handwriting"
            out.append(mark)
            continue
        host = next((run for run in black if len(mark.text) <= 4 and _holds(run, mark)), None)
        if host is None:
            out.append(mark)
        else:
            host.text = _filled_in(host.text, mark.text)
    return out


def _filled_in(text: str, mark: str) -> str:
    """Text with mark between its empty brackets."""
    return _EMPTY.sub(lambda match: match[1] + mark + match[2], text, count=1)


def _holds(run: Run, mark: Run) -> bool:
    """Whether mark stands inside the only empty brackets of run."""
    if len(_EMPTY.findall(run.text)) != 1:
        return False
    middle = (mark.box.y0 + mark.box.y1) / 2
    within = run.box.x0 < mark.box.x0 and mark.box.x1 < run.box.x1 + run.size
    return within and run.box.y0 < middle < run.box.y1


def _run(item: Found, image: Image, slopes: Slopes, scale: float, back: Matrix, coloured: bool) -> Run:
    """A run in points: its box level for layout, and seen as it stands on the page as given."""
    stands = _around(item.quad, scale)
    colour = ink(image, stands, scale)
    _, height = sides(item)
    by_hand = (colour or coloured) and item.score < _HAND_BELOW and len(_HAN.findall(item.text)) > 1
    return Run(
        text=item.text.strip(),
        box=_around(slopes.level(item.quad), scale),
        size=max(1.0, 0.8 * height * scale),
        confidence=min(1.0, max(0.0, item.score)),
        seen=_around(_moved(item.quad, back), scale),
        colour=(colour or "#808080") if coloured else colour,
        reason="handwriting" if by_hand else "",
    )


def _around(corners: Sequence[tuple[float, float]], scale: float) -> Box:
    """The upright box around points, scaled."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(xs) * scale, min(ys) * scale, max(xs) * scale, max(ys) * scale)


def _moved(corners: Sequence[tuple[float, float]], matrix: Matrix) -> list[tuple[float, float]]:
    """Points taken through a projection."""
    out = []
    for x, y in corners:
        u, v, w = (float(row[0] * x + row[1] * y + row[2]) for row in matrix)
        out.append((u / w, v / w))
    return out


def ink(image: Image, box: Box, scale: float) -> str | None:
    """'#rrggbb' of the ink in box when it is clearly coloured, None for black and grey."""
    import numpy as np

    x0, y0, x1, y1 = (round(value / scale) for value in box)
    crop = image[max(0, y0) : y1, max(0, x0) : x1]
    if crop.size < 30:
        return None
    if crop.shape[0] > 24:  # every second row tells as much
        crop = crop[::2]
    pixels = crop.reshape(-1, 3).astype(np.int16)
    low = np.minimum(np.minimum(pixels[:, 0], pixels[:, 1]), pixels[:, 2])
    high = np.maximum(np.maximum(pixels[:, 0], pixels[:, 1]), pixels[:, 2])
    if np.count_nonzero(high - low > 45) < 10:
        return None
    paper = float(np.percentile(high, 90))
    dark = (low < 0.8 * paper) & (high < 1.02 * paper)
    vivid = dark & (high - low > 45)
    if np.count_nonzero(vivid) < max(10, 0.5 * np.count_nonzero(low < 0.6 * paper)):
        return None
    blue, green, red = (int(value) for value in np.median(pixels[vivid], axis=0))
    return f"#{red:02x}{green:02x}{blue:02x}"
