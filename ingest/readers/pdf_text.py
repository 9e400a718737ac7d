"""The text layer of a PDF page as runs: characters on one baseline without a wide gap."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ingest.layout.formulas import APART
from ingest.layout.lines import is_han
from ingest.layout.runs import Run, median
from ingest.readers import accents
from ingest.readers.common import mupdf
from ingest.readers.glyphs import raw_symbol_font, repair
from schemas.document import Box

_BOLD = 16
_INVISIBLE_ALPHA = 0.02
_MOST, _ENOUGH = 0.7, 30  # share and number of characters by which a page lies on its side
_ITALIC = 2
_MATHS = re.compile(r"symbol|mt-?extra|euclid|^(?:[A-Z]{6}\+)?(?:cm(?:mi|sy|ex)|ms[ab]m)|math", re.IGNORECASE)
_FULL = frozenset("，。；：、（）！？")
_NARROW = dict(zip("，；：（）！？", ",;:()!?", strict=True))
_LIMITED = frozenset(["lim", "max", "min", "sup", "inf"])
_MAX_ROW = 300  # runs of one row looked at; no honest row has more
_SPECK = 0.35  # of the usual size
_RUN_GAP = 0.12  # em: a wider gap may hold something printed on its own, such as a comma in a formula


@dataclass
class TextLayer:
    """Runs of a page, runs that do not stand level, and counts that say how far to trust it."""

    runs: list[Run] = field(default_factory=list)
    turned: list[Run] = field(default_factory=list)
    chars: int = 0
    bad: int = 0
    strange: int = 0
    hidden: int = 0
    raw_fonts: frozenset[str] = frozenset()
    directions: Counter[int] = field(default_factory=Counter)

    @property
    def turn(self) -> int:
        """Clockwise degrees that make most of the print stand level: 0, 90, 180 or 270."""
        direction, chars = max(self.directions.items(), key=lambda item: item[1], default=(0, 0))
        return direction if chars > _MOST * self.directions.total() and chars >= _ENOUGH else 0


@dataclass(slots=True)
class _Char:
    """One visible character; baseline and size in points, style as in Run."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    bold: bool
    colour: str | None
    typed_space: bool
    style: str


def text_layer(page: Any, max_chars: int, bars: Sequence[Box] = ()) -> TextLayer:  # noqa: ANN401
    """Text layer of a PyMuPDF page, in points of the page as it reads.

    bars are level strokes: a run ends where one begins or ends right above it.
    """
    pymupdf = mupdf()
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_INHIBIT_SPACES | pymupdf.TEXT_MEDIABOX_CLIP
    layer = TextLayer()
    content = page.get_text("rawdict", flags=flags)["blocks"]
    layer.raw_fonts = _raw_fonts(content)
    for block in content:
        for line in block.get("lines", ()):
            if layer.chars > max_chars:
                return layer
            cos, sin = line["dir"]
            layer.directions[_direction(cos, sin)] += sum(len(span["chars"]) for span in line["spans"])
            if cos > 0.98:
                top, bottom = line["bbox"][1] - 4, line["bbox"][3]
                near = [bar for bar in bars if top < bar.y0 < bottom]
                for run in _runs(accents.joined(_chars(line, layer)), near):
                    layer.runs.append(run)
            else:
                turned = _turned(line, layer, abs(cos) < 0.02 or cos < -0.98)
                if turned is not None:
                    layer.turned.append(turned)
    _narrow(layer.runs)
    _specks(layer)
    return layer


def _specks(layer: TextLayer) -> None:
    """Set apart signs so small that nobody sees them: left over in a line's format when it was retyped."""
    usual = median([run.size for run in layer.runs for _ in run.text[:40]])
    specks = [run for run in layer.runs if run.size < _SPECK * usual and run.text in _FULL]
    for run in specks:
        run.reason = "speck"
        layer.runs.remove(run)
    layer.turned += specks


def _narrow(runs: list[Run]) -> None:
    """Give full-width punctuation that is set narrow the box of its ink, and the sign that is meant.

    Some fonts squeeze a full-width comma or bracket between digits: the em box then lies over the
    neighbours, and the order of boxes is not the order of signs.
    """
    rows: dict[int, list[Run]] = {}
    for run in runs:
        rows.setdefault(int((run.baseline or 0.0) // 3), []).append(run)
    for run in runs:
        if len(run.text) > 1 or run.text not in _FULL:
            continue
        box, row = run.box, int((run.baseline or 0.0) // 3)
        slack = 0.2 * run.size
        beside = [
            other
            for key in (row - 1, row, row + 1)
            for other in rows.get(key, ())[:_MAX_ROW]
            if other.box.x0 < box.x1 - slack and other.box.x1 > box.x0 + slack and other is not run
        ]
        level = [o for o in beside if abs((o.baseline or 0.0) - (run.baseline or 0.0)) < 0.15 * run.size]
        if not any(not is_han(other.text[0]) for other in level):
            continue
        middle = (box.x0 + box.x1) / 2
        opening = run.text == "（"
        run.box = Box(middle if opening else box.x0, box.y0, box.x1 if opening else middle, box.y1)
        before = [o for key in (row - 1, row, row + 1) for o in rows.get(key, ()) if o.box.x0 < run.box.x0]
        last = max(before[:_MAX_ROW], key=lambda o: o.box.x0, default=None)
        plain = last is not None and not is_han(last.text[-1])
        listed = plain and not any(other.text[0].isalpha() for other in level)
        if listed or run.text in "（）":  # numbers or signs; between clauses the comma is the sentence's
            run.text = _NARROW.get(run.text, run.text)


def _direction(cos: float, sin: float) -> int:
    """Clockwise degrees by which a line has to be turned to stand level, the nearest quarter."""
    if abs(cos) >= abs(sin):
        return 0 if cos > 0 else 180
    return 90 if sin < 0 else 270


def _raw_fonts(blocks: list[dict[str, Any]]) -> frozenset[str]:
    """Names of the page's undecoded symbol fonts."""
    chars: dict[str, set[str]] = {}
    for block in blocks:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                chars.setdefault(span["font"], set()).update(item["c"] for item in span["chars"])
    return frozenset(font for font, found in chars.items() if raw_symbol_font(font, found))


def _colour(value: int) -> str | None:
    """'#rrggbb', None for black and near black."""
    return None if max(value >> 16 & 255, value >> 8 & 255, value & 255) < 64 else f"#{value:06x}"


def _chars(line: dict[str, Any], layer: TextLayer) -> Iterator[_Char]:
    """Visible characters of a MuPDF line; white space becomes the mark on the next one."""
    space = False
    seen: dict[tuple[str, int, int], None] = {}
    for span in line["spans"]:
        bold = bool(span["flags"] & _BOLD) or "bold" in span["font"].lower()
        colour = _colour(span["color"])
        size = float(span["size"])
        hidden = span.get("alpha", 255) <= _INVISIBLE_ALPHA * 255
        style = _style(span["font"], bool(span["flags"] & _ITALIC))
        for item in span["chars"]:
            char = item["c"]
            if not char.strip() or char in "\u200b\ufeff\u00ad":
                space = True
                continue
            text, sound = repair(char, span["font"], span["font"] in layer.raw_fonts)
            layer.chars += 1
            layer.bad += not sound
            layer.strange += _is_strange(text)
            layer.hidden += hidden
            if not text:
                continue
            x0, y0, x1, y1 = item["bbox"]
            key = (text, round(x0 / max(0.15 * size, 0.1)), round(y0 / max(0.15 * size, 0.1)))
            if key in seen:  # bold made by printing the same character twice
                continue
            seen[key] = None
            yield _Char(text, x0, y0, x1, y1, item["origin"][1], size, bold, colour, space, style)
            space = False


@cache
def _style(font: str, italic: bool) -> str:
    """`m` for a font that only formulas are set in, `i` for italics, '.' otherwise, by the font's name."""
    if _MATHS.search(font):
        return "m"
    return "i" if italic or "italic" in font.lower() or "oblique" in font.lower() else "."


def _is_strange(text: str) -> bool:
    """Letters of scripts that exam papers hardly use, or that Chinese becomes when its bytes are misread."""
    if "\u00c0" <= text <= "\u00ff":  # few in any language, nearly all in GBK read as Latin-1
        return text not in "×÷"
    if not text or text < "\u0530":
        return False
    if "\u1e00" <= text <= "\u2fff" or "\u3000" <= text <= "\u30ff" or "\u3400" <= text <= "\u9fff":
        return False
    if text >= "\uf900":
        return False
    return unicodedata.category(text[0])[0] == "L"


def _under(char: _Char, bars: Sequence[Box]) -> Box | None:
    """The bar right above a character."""
    middle = (char.x0 + char.x1) / 2
    for bar in bars:
        if bar.x0 < middle < bar.x1 and 0.3 * char.size < char.baseline - bar.y0 < 1.2 * char.size:
            return bar
    return None


def _runs(chars: Iterator[_Char], bars: Sequence[Box] = ()) -> Iterator[Run]:
    """Characters joined while size, baseline and colour stay and there is no gap."""
    group: list[_Char] = []
    text = ""
    for char in chars:
        if group:
            last = group[-1]
            em = max(char.size, last.size)
            gap = char.x0 - last.x1
            alike = abs(char.size - last.size) < 0.15 * em and abs(char.baseline - last.baseline) < 0.12 * em
            alone = (
                char.text in APART
                or "$" in (char.text[0], last.text[0])
                or last.text in APART
                or (text in _LIMITED and not char.text.isalpha())
            )
            squeezed = gap < -0.2 * em and last.text in _FULL
            if (
                alone
                or (bars and _under(char, bars) is not _under(last, bars))
                or squeezed
                or not alike
                or char.typed_space
                or gap > _RUN_GAP * em
                or gap < -0.5 * em
                or char.colour != last.colour
            ):
                if squeezed and len(group) > 1:
                    yield _run(group[:-1], text[: -len(last.text)])
                    group, text = [last], last.text
                yield _run(group, text)
                group, text = [], ""
        group.append(char)
        text += char.text
    if group:
        yield _run(group, text)


def _run(group: list[_Char], text: str) -> Run:
    first = group[0]
    return Run(
        text=text,
        box=Box(
            min(c.x0 for c in group),
            min(c.y0 for c in group),
            max(c.x1 for c in group),
            max(c.y1 for c in group),
        ),
        size=first.size,
        baseline=first.baseline,
        bold=first.bold,
        colour=first.colour,
        spaced=first.typed_space,
        style="".join(c.style for c in group) if len(text) == len(group) else "",
    )


def _turned(line: dict[str, Any], layer: TextLayer, straight: bool) -> Run | None:
    """One run for a line that runs up, down or slantwise."""
    text = ""
    size = 0.0
    colour = None
    for span in line["spans"]:
        size, colour = float(span["size"]), _colour(span["color"])
        for item in span["chars"]:
            text += repair(item["c"], span["font"], span["font"] in layer.raw_fonts)[0]
    text = " ".join(text.split())
    if not text:
        return None
    layer.chars += len(text)
    return Run(
        text=text,
        box=Box(*line["bbox"]),
        size=size,
        colour=colour,
        reason="seal" if straight else "watermark",
    )
