"""Pictures kept of scanned pages: tables and formulas, of which OCR gives words without their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingest.layout.runs import inside
from ingest.readers import formula_reading
from ingest.readers.common import png_asset
from schemas.document import Asset, Block, BlockKind, Box, Notice, Origin

if TYPE_CHECKING:
    from ingest.ocr.page import OcrPage

CODE = "scan_crop"
FIGURE = "[图]"
_OPERATOR = re.compile(r"[∑∏∫√]|\\(?:sum|int|prod|sqrt|frac)")
_CODE = re.compile(r"[;{}]|->|//|\+\+|==")
_LEAST = 2  # lines of text in a ruled area; what is empty is room for an answer


def with_pictures(
    number: int,
    blocks: Sequence[Block],
    page: OcrPage,
    points_per_pixel: float,
    formulas: formula_reading.FormulaReader | None,
) -> tuple[list[Block], list[Asset], list[Notice]]:
    """The blocks of scanned page number with a figure after the lines of each table and formula.

    A formula model's readings take the place of formulas where one is given; it keeps their pictures.
    """
    out, assets = _with_grids(number, blocks, page, points_per_pixel)
    if formulas is not None:
        out, crops = formulas.scanned_page(number, out, page.image, points_per_pixel)
        return out, assets + crops, _told(number, len(assets))
    out, crops = _with_formulas(number, out, page, points_per_pixel)
    return out, assets + crops, _told(number, len(assets) + len(crops))


def _told(number: int, count: int) -> list[Notice]:
    if not count:
        return []
    message = f"{count} tables, boxes and formulas of page {number} are kept as pictures too"
    return [Notice(code=CODE, message=message, page=number, count=count)]


def _with_grids(
    number: int, blocks: Sequence[Block], page: OcrPage, points_per_pixel: float
) -> tuple[list[Block], list[Asset]]:
    out, assets = list(blocks), []
    for box in page.grids:
        held = [
            place
            for place, block in enumerate(out)
            if block.kind is BlockKind.TEXT and block.box and inside(block.box, box, 0.0)
        ]
        if len(held) < _LEAST or _answered([out[place] for place in held]):
            continue
        asset = png_asset(formula_reading.cut(page.image, box, points_per_pixel, 0.0))
        assets.append(asset)
        out.insert(held[-1] + 1, _figure(number, box, asset, out[held[0]].indent))
    return out, assets


def _with_formulas(
    number: int, blocks: Sequence[Block], page: OcrPage, points_per_pixel: float
) -> tuple[list[Block], list[Asset]]:
    out: list[Block] = []
    assets: list[Asset] = []
    for group, box in formula_reading.displayed(blocks):
        out += group
        if box is None or not _built(group) or any(inside(box, grid, 0.0) for grid in page.grids):
            continue
        picture = formula_reading.cut(page.image, box, points_per_pixel)
        if picture.size:
            assets.append(png_asset(picture))
            out.append(_figure(number, box, assets[-1], group[0].indent))
    return out, assets


def _built(group: Sequence[Block]) -> bool:
    """Whether a formula is more than a line of signs, and no piece of a program."""
    text = " ".join(block.text for block in group)
    built = len(group) > 1 or bool(_OPERATOR.search(text))
    return built and not _CODE.search(text) and not _answered(group)


def _answered(blocks: Sequence[Block]) -> bool:
    """Whether there are words in another ink, as of an answer, which a picture would give away."""
    return any(block.colour or "<u>" in block.text for block in blocks)


def _figure(number: int, box: Box, asset: Asset, indent: float) -> Block:
    return Block(
        text=FIGURE,
        kind=BlockKind.FIGURE,
        page=number,
        box=box,
        origin=Origin.OCR,
        asset=asset.digest,
        indent=indent,
    )
