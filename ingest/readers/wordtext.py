"""One Word paragraph as pieces of text: final state of revisions, formulas, blanks, raised characters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from ingest.layout.inks import inks
from ingest.readers.eqfield import eq_field
from ingest.readers.latex import prose_apart
from ingest.readers.symbols import from_symbol_font
from ingest.readers.worddrawing import Drawing, choose, inspect
from ingest.readers.wordequation import Found
from ingest.readers.wordpackage import MC, M, W, attr
from ingest.readers.wordparts import colour
from ingest.readers.wordscripts import SIGNS, with_script
from ingest.readers.wordstyles import Look, Styles

FIGURE = "[图]"
FORMULA = "[公式]"
_PASS = {W + name for name in ("hyperlink", "ins", "moveTo", "smartTag", "sdtContent", "fldSimple",
                               "customXml", "dir", "bdo", "rubyBase")}  # fmt: skip
_GONE = {W + name for name in ("del", "moveFrom", "pPr", "sdtPr", "rPr", "delText", "instrText", "rt")}
_BLANK = "____"
_BLANK_RUN = re.compile(r"[ \u3000\u00a0\t]{2,}")


@dataclass
class Piece:
    """A stretch of text with one look; kind is text, math, mark, picture or break."""

    text: str
    look: Look
    kind: str = "text"
    asset: str | None = None


@dataclass
class Line:
    """One visual line: its text, the look of its first run, the assets shown inside it."""

    text: str
    look: Look
    assets: list[str] = field(default_factory=list)
    only_figures: bool = False
    inks: tuple[tuple[str, str], ...] = ()
    underlined: tuple[str, ...] = ()


@dataclass
class Content:
    """A paragraph as read: its pieces, and what hangs on it."""

    pieces: list[Piece] = field(default_factory=list)
    floating: list[str | None] = field(default_factory=list)
    boxes: list[tuple[Any, Drawing]] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)  # what stands beside the text, not in it
    shapes: int = 0
    solid: int = 0
    grouped: bool = False


@dataclass
class Helpers:
    """What the paragraph reader asks of the document: formulas, pictures, and a place for notices."""

    styles: Styles
    latex: Callable[[Any], str | None]
    picture: Callable[[str, Drawing], str | None]
    drawn: Callable[[Drawing], str]
    object_equation: Callable[[Drawing], Found | None]
    notice: Callable[[str], None]


@dataclass
class _Field:
    instruction: str = ""
    result: bool = False


class ParagraphReader:
    """Reads paragraphs one after another (a field may run over several of them)."""

    def __init__(self, helpers: Helpers) -> None:
        self._help = helpers
        self._fields: list[_Field] = []

    def read(self, paragraph: Any, look: Look) -> Content:  # noqa: ANN401
        """Pieces of a w:p; look is that of the paragraph."""
        content = Content()
        self._walk(paragraph, look, content)
        return content

    def _walk(self, node: Any, look: Look, content: Content) -> None:  # noqa: ANN401
        for child in node.iterchildren():
            tag = child.tag
            if tag == W + "r":
                self._run(child, look, content)
            elif tag in _GONE:
                continue
            elif tag in _PASS:
                self._walk(child, look, content)
            elif tag == M + "oMath":
                self._equation(child, look, content)
            elif tag == M + "oMathPara":
                self._walk(child, look, content)
            elif tag == MC + "AlternateContent":
                branch = choose(child)
                if branch is not None:
                    self._walk(branch, look, content)
            elif tag == W + "sdt":
                inner = child.find(W + "sdtContent")
                if inner is not None:
                    self._walk(inner, look, content)

    def _run(self, run: Any, paragraph: Look, content: Content) -> None:  # noqa: ANN401
        look = self._help.styles.run(run.find(W + "rPr"), paragraph)
        if look.struck and run.find(W + "t") is not None:
            self._help.notice("struck_text")
        if look.hidden:
            if run.find(W + "t") is not None:
                self._help.notice("hidden_text")
            return
        self._inside(run, look, content)

    def _inside(self, run: Any, look: Look, content: Content) -> None:  # noqa: ANN401
        for child in run.iterchildren():
            tag = child.tag
            if tag == W + "t":
                self._say(from_symbol_font(child.text or "", look.font or "Symbol"), look, content)
            elif tag in {W + "drawing", W + "pict", W + "object"}:
                self._drawing(inspect(child), look, content)
            elif tag == MC + "AlternateContent":
                branch = choose(child)
                if branch is not None:
                    self._inside(branch, look, content)
            elif tag == W + "ruby":
                self._ruby(child, look, content)
            elif tag == W + "instrText":
                if self._fields and not self._fields[-1].result:
                    self._fields[-1].instruction += child.text or ""
            elif tag == W + "fldChar":
                self._field(attr(child, "fldCharType"), child, look, content)
            elif tag.startswith(W):
                self._special(tag[len(W) :], child, look, content)

    def _special(self, name: str, child: Any, look: Look, content: Content) -> None:  # noqa: ANN401
        if name in {"tab", "ptab"}:
            self._say("\t", look, content)
        elif name in {"br", "cr"}:
            content.pieces.append(Piece("\n", look, "break"))
        elif name == "noBreakHyphen":
            self._say("-", look, content)
        elif name == "sym":
            code = attr(child, "char")
            try:
                char = chr(int(code, 16))
            except (ValueError, OverflowError):
                return
            char = char if char >= "\uf000" else chr(0xF000 | (ord(char) & 0xFF))
            self._say(from_symbol_font(char, attr(child, "font")), look, content)
        elif name in {"footnoteReference", "endnoteReference"}:
            prefix = "" if name[0] == "f" else "e"
            content.pieces.append(Piece(f"[^{prefix}{attr(child, 'id')}]", look, "mark"))

    def _say(self, text: str, look: Look, content: Content) -> None:
        if not text:
            return
        if self._fields and not self._fields[-1].result:
            self._fields[-1].instruction += text
            return
        last = content.pieces[-1] if content.pieces else None
        if last and last.kind == "text" and last.look == look:
            last.text += text
        else:
            content.pieces.append(Piece(text, look))

    def _ruby(self, ruby: Any, look: Look, content: Content) -> None:  # noqa: ANN401
        base, reading = ruby.find(W + "rubyBase"), ruby.find(W + "rt")
        if base is not None:
            self._walk(base, look, content)
        above = "".join(node.text or "" for node in reading.iter(W + "t")) if reading is not None else ""
        if above.strip():
            self._say(f"({above.strip()})", look, content)

    def _field(self, kind: str, node: Any, look: Look, content: Content) -> None:  # noqa: ANN401
        if kind == "begin":
            self._fields.append(_Field())
            box = node.find(f"{W}ffData/{W}checkBox")
            if box is not None:
                content.pieces.append(Piece("□", look, "mark"))
        elif kind == "separate" and self._fields:
            self._fields[-1].result = True
        elif kind == "end" and self._fields:
            done = self._fields.pop()
            words = done.instruction.strip()
            if not done.result and words[:2].lower() == "eq":
                shown = eq_field(words[2:])
                if shown is None:
                    self._help.notice("equation_lost")
                    shown = words[2:].strip()
                self._say(shown, look, content)

    def _equation(self, equation: Any, look: Look, content: Content) -> None:  # noqa: ANN401
        latex = self._help.latex(equation)
        if latex is None:
            self._help.notice("equation_lost")
            content.pieces.append(Piece(FORMULA, look, "mark"))
        for piece, formula in prose_apart(latex) if latex else ():
            content.pieces.append(Piece(f"${piece}$", look, "math") if formula else Piece(piece, look))

    def _drawing(self, drawing: Drawing, look: Look, content: Content) -> None:
        content.boxes += [(box, drawing) for box in drawing.boxes]
        equation = self._help.object_equation(drawing) if drawing.program or drawing.pictures else None
        if equation is not None and equation.latex is not None:
            if equation.part:
                self._help.notice("equation_part")
            if equation.latex:
                content.pieces.append(Piece(f"${equation.latex}$", look, "math"))
            return
        assets = [self._help.picture(rid, drawing) for rid in drawing.pictures]
        if equation is not None:
            self._help.notice("equation_lost")
            content.pieces += [Piece(FORMULA, look, "mark", asset) for asset in (assets or [None])[:1]]
            return
        if drawing.program or drawing.chart:
            if assets:
                self._help.notice("embedded_object")
            assets = assets or [self._help.drawn(drawing)]
        if drawing.floating or drawing.grouped or not assets:
            content.drawings.append(drawing)
        if drawing.floating or drawing.grouped:
            content.floating += assets
        else:
            content.pieces += [Piece(FIGURE, look, "picture", asset) for asset in assets]
        content.grouped = content.grouped or drawing.grouped
        if not assets:
            content.shapes += max(drawing.shapes - len(drawing.boxes), 0)
            content.solid += max(drawing.solid - len(drawing.boxes), 0)


def lines(content: Content) -> list[Line]:
    """The paragraph cut at its soft breaks, each line put together; empty lines are left out."""
    found: list[Line] = []
    group: list[Piece] = []
    for piece in [*content.pieces, Piece("\n", Look(), "break")]:
        if piece.kind != "break":
            group.append(piece)
            continue
        if group:
            text = _assemble(group)
            if text.strip():
                first = next((p for p in group if p.text.strip()), group[0])
                only = all(p.kind == "picture" or not p.text.strip() for p in group)
                assets = [p.asset for p in group if p.asset]
                tints = () if _tint(first) else ((p.text, _tint(p)) for p in group)
                said = _underlined_words(group)
                found.append(Line(text.rstrip(), first.look, assets, only, inks(text, tints), said))
        group = []
    return found


def _underlined_words(pieces: list[Piece]) -> tuple[str, ...]:
    """The words underlined in a line, none where all of it is."""
    told = [piece for piece in pieces if piece.kind == "text" and piece.text.strip()]
    words = tuple(piece.text.strip() for piece in told if piece.look.underline)
    return words if len(words) < len(told) else ()


def _assemble(pieces: list[Piece]) -> str:
    """Text of one line: raised runs as $x^{2}$, underlined white space as a blank to fill in."""
    text = ""
    for group, written in _written(pieces):
        if not written:
            text = _joined(text, group)
            continue
        bare = [replace(piece, look=replace(piece.look, underline=None)) for piece in group]
        text += f"<u>{_joined('', bare).strip()}</u>"
    return text


def _written(pieces: list[Piece]) -> list[tuple[list[Piece], bool]]:
    """The line in stretches; True for what somebody wrote into a blank: underlined, of its own colour."""
    plain = {_pen(piece) for piece in pieces if piece.text.strip() and not piece.look.underline}
    groups = [list(group) for _, group in groupby(pieces, key=_pen)]
    found: list[tuple[list[Piece], bool]] = []
    for place, group in enumerate(groups):
        tint = _pen(group[0])
        beside = [near[-1] for near in groups[:place][-1:]] + [
            near[0] for near in groups[place + 1 : place + 2]
        ]
        lined = any(piece.look.underline and piece.text.strip() for piece in group)
        # underlined neighbours are the rest of the blank, and tell what was written without colours
        alone = not any(piece.look.underline for piece in beside)
        written = lined and alone and bool(plain) and tint not in {"", *plain}
        if found and not written and not found[-1][1]:
            found[-1][0].extend(group)
        else:
            found.append((group, written))
    return found


def _pen(piece: Piece) -> str:
    """The colour a piece was written in; a stop beside a blank often has the colour of what fills it."""
    written = piece.look.underline or any(char.isalnum() for char in piece.text)
    return _tint(piece) if written else ""


def _tint(piece: Piece) -> str:
    return colour(piece.look.colour) or ""


def _joined(text: str, pieces: list[Piece]) -> str:
    """Pieces put at the end of a text."""
    for kind, group in _grouped(pieces):
        words = "".join(piece.text for piece in group)
        if kind in SIGNS:
            text = with_script(text, words, SIGNS[kind])
        elif kind == "underline":
            text += _underlined(words)
        else:
            text += " " + words if kind == "math" and text.endswith("$") else words
    return text


def _grouped(pieces: list[Piece]) -> list[tuple[str, list[Piece]]]:
    groups: list[tuple[str, list[Piece]]] = []
    for piece in pieces:
        kind = ""
        if piece.kind == "text":
            raised = piece.look.raised or ""
            kind = raised if raised in SIGNS else "underline" if piece.look.underline else ""
        elif piece.kind == "math":
            kind = "math"  # two formulas side by side need a space, or $$ would open a display
        if groups and groups[-1][0] == kind != "math":
            groups[-1][1].append(piece)
        else:
            groups.append((kind, [piece]))
    return groups


def _underlined(words: str) -> str:
    """Underlined white space is a blank; text padded inside its underline is one that was filled in."""
    inner = words.strip()
    padding = _width(words) - _width(inner)
    if not inner:
        return _BLANK if padding >= 2 else words
    inner = _BLANK_RUN.sub(_BLANK, inner)
    return f"<u>{inner}</u>" if padding >= 2 else words.replace(words.strip(), inner)


def _width(text: str) -> int:
    return len(text.replace("\t", "    ").replace("\u3000", "  "))
