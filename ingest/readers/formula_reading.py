"""What a formula model makes of displayed formulas: checked, compared with the page, taken if alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ingest.layout.runs import union
from ingest.ocr.formula import Recogniser, recogniser
from ingest.readers import pdf_formulas
from ingest.readers.common import png_asset
from ingest.readers.latex import tidy
from ingest.readers.latex_check import fault
from ingest.score.formulas import normalise
from schemas.document import Asset, Block, BlockKind, Box, Notice, Origin
from schemas.settings import ReadSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

AGREE = 0.8
"""Likeness, 0-1, of the signs of a reading and of the page from which the reading is believed."""
MOST = 0.9
"""Confidence of a formula that is taken over: its signs are confirmed, their arrangement is not."""

_SCAN_AGREE = 0.6  # OCR takes a built formula for something like it
_MOST_CHARS = 200
_MOST_LINES = 4
_HAN = re.compile(r"[㐀-䶿一-鿿]")
_WORD = re.compile(r"[A-Za-z]{4,}")
_FUNCTION = re.compile(r"arcsin|arccos|arctan|sinh|cosh|tanh|rank")
_RELATION = re.compile(r"[=<>≤≥≠≈≡→⇒∈⊂⊆∫∑∏√]")
_LABEL = re.compile(r"\s*(?:[（(]?[A-Ha-h][.、．:：)）]|[（(]?\d{1,3}[.、．)）])")
_FORMULA = re.compile(r"\$([^$]+)\$")
_FACTOR = re.compile(r"[^\W_]|[-+=<>≤≥≠±×·∫∑∏√∞]")


class FormulaReader:
    """Reads the displayed formulas of one document with a configured model, up to settings.formula_max.

    Where the model's reading has no fault and has the signs that stand on the page, it becomes the
    text, at a confidence below 1; else the text stays. The picture is kept in both cases.
    """

    def __init__(self, model: Recogniser, settings: ReadSettings) -> None:
        self._model, self._left, self._most = model, settings.formula_max, settings.formula_max
        self._told: list[Notice] = []
        self._page = 1
        self._counts: Counter[str] = Counter()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What became of the readings, page by page; formula_limit where some were not read."""
        return tuple(self._told)

    def text_page(self, number: int, blocks: Sequence[Block], assets: Sequence[Asset]) -> list[Block]:
        """The blocks of a page with a text layer, each crop compared with the line before it.

        A line that could not be put together (its picture has no reason) is replaced; one that was
        loses confidence where the model reads other signs.
        """
        self._begin(number)
        pictures = {asset.digest: asset.data for asset in assets}
        out = list(blocks)
        for at in range(1, len(out)):
            crop, line = out[at], out[at - 1]
            if crop.kind is not BlockKind.FIGURE or line.kind is not BlockKind.TEXT:
                continue
            if crop.asset not in pictures or line.box is None or not _only_formula(line.text):
                continue
            latex = self._read(_pixels(pictures[crop.asset]))
            if not latex:
                continue
            share = likeness(latex, line.text)
            if crop.reason == pdf_formulas.REASON:
                out[at - 1] = self._compared(line, share)
            elif share >= AGREE:
                out[at - 1] = self._taken(line, latex, min(share, MOST, line.confidence))
            else:
                self._counts["unlike"] += 1
        self._end()
        return out

    def scanned_page(
        self, number: int, blocks: Sequence[Block], image: Image, points_per_pixel: float
    ) -> tuple[list[Block], list[Asset]]:
        """The blocks of a page read by OCR with its displayed formulas read again; their pictures.

        image: the page as it reads, height x width x 3, BGR.
        """
        self._begin(number)
        out: list[Block] = []
        assets: list[Asset] = []
        for group, box in displayed(blocks):
            if box is None:
                out += group
                continue
            picture = cut(image, box, points_per_pixel)
            latex = self._read(picture) if picture.size else ""
            if not latex:
                out += group
                continue
            share = likeness(latex, " ".join(block.text for block in group))
            if share >= _SCAN_AGREE:
                sure = min(share, MOST, *(block.confidence for block in group))
                out.append(self._taken(group[0].model_copy(update={"box": box}), latex, sure))
            else:
                self._counts["unlike"] += 1
                out += group
            asset = png_asset(picture)
            assets.append(asset)
            out.append(
                Block(
                    text="",
                    kind=BlockKind.FIGURE,
                    page=number,
                    box=box,
                    origin=Origin.OCR,
                    asset=asset.digest,
                    reason=pdf_formulas.REASON,
                    indent=group[0].indent,
                )
            )
        self._end()
        return out, assets

    def _read(self, picture: Image) -> str:
        """LaTeX without a fault, '' where there is none."""
        if self._left <= 0:
            self._counts["over"] += 1
            return ""
        self._left -= 1
        try:
            latex = tidy(self._model.read(picture)[: 10 * _MOST_CHARS])
        except MemoryError:
            raise
        except Exception:  # the model must not stop the reading of the page
            self._counts["failed"] += 1
            return ""
        if fault(latex):
            self._counts["faulty"] += 1
            return ""
        return latex

    def _taken(self, line: Block, latex: str, confidence: float) -> Block:
        self._counts["taken"] += 1
        new = {"text": f"${latex}$", "origin": Origin.OCR, "confidence": round(confidence, 4)}
        return line.model_copy(update=new)

    def _compared(self, line: Block, share: float) -> Block:
        if share >= AGREE:
            self._counts["same"] += 1
            return line
        self._counts["doubted"] += 1
        return line.model_copy(update={"confidence": round(min(line.confidence, share), 4)})

    def _begin(self, number: int) -> None:
        self._page = number
        self._counts.clear()

    def _end(self) -> None:
        for kind, code, what in _TELL:
            count = self._counts[kind]
            if count:
                told = what.format(count=count, page=self._page, most=self._most)
                self._told.append(Notice(code=code, message=told, page=self._page, count=count))


_TELL = (
    ("taken", "formula_read", "{count} formulas of page {page} are as the formula model reads them"),
    ("same", "formula_checked", "{count} formulas of page {page} are confirmed by the formula model"),
    (
        "doubted",
        "formula_doubted",
        "the formula model reads {count} formulas of page {page} otherwise; their confidence was lowered",
    ),
    (
        "unlike",
        "formula_unread",
        "what the formula model makes of {count} formulas of page {page} is unlike what stands there",
    ),
    (
        "faulty",
        "formula_unread",
        "what the formula model writes for {count} formulas of page {page} is no sound LaTeX",
    ),
    ("failed", "formula_unread", "the formula model failed on {count} formulas of page {page}"),
    (
        "over",
        "formula_limit",
        "{count} formulas of page {page} were not read by the formula model; the limit formula_max is {most}",
    ),
)


def formula_reader(settings: ReadSettings) -> FormulaReader | None:
    """A reader of one document's formulas, None where no model is configured.

    Raises MissingToolError (formula_model_missing) for a model that is not there or cannot be loaded.
    """
    model = recogniser(settings)
    return None if model is None else FormulaReader(model, settings)


def likeness(latex: str, shown: str) -> float:
    """Share, 0-1, of the letters, digits and signs that LaTeX and a text with formulas have in common."""
    one, two = (Counter(_FACTOR.findall(normalise(text))) for text in (latex, shown))
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 0.0


def _only_formula(text: str) -> bool:
    """Whether a line has no words beside its formulas."""
    plain = _FORMULA.sub(" ", text)
    return not _HAN.search(text) and not _WORD.search(_FUNCTION.sub("", plain))


def displayed(blocks: Sequence[Block]) -> Iterator[tuple[list[Block], Box | None]]:
    """The blocks of a scanned page in groups: those of a displayed formula with its box, others with None."""
    for group in _groups(blocks):
        boxes = [block.box for block in group if block.box]
        yield group, union(boxes) if _is_formula(group) else None


def _groups(blocks: Sequence[Block]) -> list[list[Block]]:
    """Blocks one by one, those that lie close together and have no words as one formula."""
    groups: list[list[Block]] = []
    for block in blocks:
        last = groups[-1] if groups else []
        if last and len(last) < _MOST_LINES and _may_be(block) and _may_be(last[-1]) and _near(last, block):
            last.append(block)
        else:
            groups.append([block])
    return groups


def _may_be(block: Block) -> bool:
    short = 0 < len(block.text) <= _MOST_CHARS
    plain = block.kind is BlockKind.TEXT and block.box is not None and not block.colour
    return plain and short and _only_formula(block.text) and not _LABEL.match(block.text)


def _near(group: Sequence[Block], block: Block) -> bool:
    """Whether a block lies on, or right below, a group, and not beside it at a distance."""
    if block.box is None:
        return False
    box = union([one.box for one in group if one.box])
    height = min(box.y1 - box.y0, block.box.y1 - block.box.y0)
    apart = max(block.box.y0 - box.y1, box.y0 - block.box.y1)
    beside = max(block.box.x0 - box.x1, box.x0 - block.box.x1)
    return apart < 0.3 * height and beside < height


def _is_formula(group: Sequence[Block]) -> bool:
    text = " ".join(block.text for block in group)
    return all(map(_may_be, group)) and len(text) > 4 and bool(_RELATION.search(text))


def cut(image: Image, box: Box, points_per_pixel: float, margin: float = 0.3) -> Image:
    """The part of a page picture under a box, with a margin for bars and limits that OCR does not see.

    margin: in heights of the box.
    """
    margin *= box.y1 - box.y0
    x0, y0 = (max(0, round((side - margin) / points_per_pixel)) for side in (box.x0, box.y0))
    x1, y1 = (round((side + margin) / points_per_pixel) for side in (box.x1, box.y1))
    return image[y0:y1, x0:x1]


def _pixels(png: bytes) -> Image:
    """A PNG asset as BGR pixels."""
    import io

    import numpy as np
    from PIL import Image as Pillow

    with Pillow.open(io.BytesIO(png)) as picture:
        return np.ascontiguousarray(np.asarray(picture.convert("RGB"), dtype=np.uint8)[:, :, ::-1])
