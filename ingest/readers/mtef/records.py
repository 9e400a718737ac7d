"""MTEF, the byte stream inside an equation object, as a tree: versions 2 to 5, with strict limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.readers.mtef.errors import EquationError

MAX_BYTES = 1_000_000  # the largest real equation seen has 7 kB
MAX_RECORDS = 60_000
MAX_DEPTH = 64
MAX_EMBELLISHMENTS = 8

END, LINE, CHAR, TMPL, PILE, MATRIX, EMBELL, RULER, FONT, SIZE = range(10)
_FULL, _SUBSYM = 10, 14
_COLOR, _COLOR_DEF, _FONT_DEF, _EQN_PREFS, _ENCODING_DEF, _FUTURE = 15, 16, 17, 18, 19, 100


@dataclass(slots=True)
class Char:
    """One character. code is Unicode (or MathType's private use), None when only position is known."""

    typeface: int
    code: int | None
    position: int | None = None
    starts_function: bool = False
    embellishments: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Line:
    """A row of characters and templates; null when the slot it fills is left out."""

    items: list[Node] = field(default_factory=list)
    null: bool = False


@dataclass(slots=True)
class Pile:
    """Lines above each other. align: 1 left, 2 centre, 3 right, 4 at relations, 5 at decimal points."""

    align: int
    lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class Matrix:
    """rows x cols cells, row by row; parts are the rules between them: 0 none, 1 solid, 2 and 3 broken."""

    rows: int
    cols: int
    row_parts: list[int]
    col_parts: list[int]
    cells: list[Line | Pile] = field(default_factory=list)


@dataclass(slots=True)
class Template:
    """A fraction, root, fence and the like: its slots in order, and the signs drawn with it."""

    selector: int
    variation: int
    slots: list[Line | Pile] = field(default_factory=list)
    signs: list[Char] = field(default_factory=list)


Node = Char | Line | Pile | Matrix | Template


@dataclass(frozen=True, slots=True)
class Style:
    """What a font of the equation looks like: its name in lower case, whether it is bold."""

    font: str = ""
    bold: bool = False


@dataclass(slots=True)
class Tree:
    """One equation: its version, what stands at the top, the styles of its typefaces."""

    version: int
    items: list[Node]
    styles: dict[int, Style]


def parse(data: bytes) -> Tree:
    """The tree of an MTEF stream. Raises EquationError."""
    if len(data) > MAX_BYTES:
        raise EquationError(f"the equation has {len(data)} bytes", code="equation_limit")
    return _Parser(data).tree()


class _Parser:
    def __init__(self, data: bytes) -> None:
        self._data, self._at, self._records = data, 0, 0
        self._version = 0
        self._fonts: list[str] = []
        self._styles: dict[int, Style] = {}
        self._defined: list[Style] = []

    # -- bytes ------------------------------------------------------------------------------------

    def _u8(self) -> int:
        if self._at >= len(self._data):
            raise EquationError("the equation ends too early")
        self._at += 1
        return self._data[self._at - 1]

    def _u16(self) -> int:
        low = self._u8()
        return low | self._u8() << 8

    def _uint(self) -> int:
        """A byte, or 255 and two bytes."""
        value = self._u8()
        return self._u16() if value == 0xFF else value

    def _skip(self, count: int) -> None:
        if count > len(self._data) - self._at:
            raise EquationError("the equation ends too early")
        self._at += count

    def _name(self) -> str:
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise EquationError("a name in the equation has no end")
        raw = self._data[self._at : end]
        self._at = end + 1
        return raw.decode("gb18030", errors="ignore").lower()

    # -- records ----------------------------------------------------------------------------------

    def tree(self) -> Tree:
        self._version = self._u8()
        if self._version not in {2, 3, 4, 5}:
            raise EquationError(f"equations of version {self._version} are not known")
        self._skip(4)  # platform, product, its version
        if self._version == 5:
            self._name()
            self._u8()
        items = self._list(0, top=True)
        if not items:
            raise EquationError("the equation holds nothing")
        return Tree(self._version, items, self._styles)

    def _tag(self) -> tuple[int, int]:
        """(record type, options)."""
        self._records += 1
        if self._records > MAX_RECORDS:
            raise EquationError(f"the equation has more than {MAX_RECORDS} records", code="equation_limit")
        first = self._u8()
        if self._version < 5:
            return first & 0x0F, first >> 4
        return first, self._u8() if LINE <= first <= EMBELL else 0

    def _list(self, depth: int, *, top: bool = False) -> list[Node]:
        """Records up to the END of this list; sizes, colours and the like are read and left out."""
        if depth > MAX_DEPTH:
            raise EquationError(f"the equation is nested deeper than {MAX_DEPTH}", code="equation_limit")
        found: list[Node] = []
        while True:
            if top and found and self._at >= len(self._data):
                return found  # some writers leave out the last END
            kind, options = self._tag()
            if kind == END:
                return found
            node = self._node(kind, options, depth)
            if node is not None:
                found.append(node)

    def _node(self, kind: int, options: int, depth: int) -> Node | None:
        if LINE <= kind <= EMBELL and options & 8:
            self._nudge()
        if kind == LINE:
            return self._line(options, depth)
        if kind == CHAR:
            return self._char(options)
        if kind == TMPL:
            return self._template(depth)
        if kind == PILE:
            align, _ = self._u8(), self._u8()
            return Pile(align, _lines(self._list(depth + 1)))
        if kind == MATRIX:
            return self._matrix(depth)
        self._other(kind)
        return None

    def _nudge(self) -> None:
        across, down = self._u8(), self._u8()
        if across == down == 128:
            self._skip(4)

    def _line(self, options: int, depth: int) -> Line:
        if options & 4:
            self._u16()
        if options & 1:
            return Line(null=True)
        return Line(self._list(depth + 1))

    def _char(self, options: int) -> Char:
        if self._version < 5:
            typeface = self._u8() - 128
            code = self._u8() if self._version == 2 else self._u16()
            char = Char(typeface, code)
            embellished = bool(options & 2)
        else:
            first = self._u8()
            typeface = self._u16() - 32768 if first == 0xFF else first - 128
            char = Char(typeface, None if options & 0x20 else self._u16())
            if options & 0x04:
                char.position = self._u8()
            if options & 0x10:
                char.position = self._u16()
            char.starts_function = bool(options & 2)
            embellished = bool(options & 1)
        if embellished:
            self._embellishments(char)
        return char

    def _embellishments(self, char: Char) -> None:
        while True:
            kind, options = self._tag()
            if kind == END:
                break
            if kind != EMBELL:
                self._other(kind)
                continue
            if options & 8:
                self._nudge()
            if self._version == 5:
                char.embellishments.append(self._u8())
                continue
            while (embellishment := self._u8()) != 0:
                char.embellishments.append(embellishment)
        if len(char.embellishments) > MAX_EMBELLISHMENTS:
            raise EquationError("a character has too many embellishments", code="equation_limit")

    def _template(self, depth: int) -> Template:
        selector, variation = self._u8(), self._u8()
        if self._version == 5 and variation & 0x80:
            variation = (variation & 0x7F) | self._u8() << 8
        self._u8()
        template = Template(selector, variation)
        for node in self._list(depth + 1):
            if isinstance(node, Line | Pile):
                template.slots.append(node)
            elif isinstance(node, Char):
                template.signs.append(node)
            else:  # a slot that holds one thing may come without its line
                template.slots.append(Line([node]))
        return template

    def _matrix(self, depth: int) -> Matrix:
        self._skip(3)
        rows, cols = self._u8(), self._u8()
        row_parts, col_parts = self._parts(rows + 1), self._parts(cols + 1)
        matrix = Matrix(rows, cols, row_parts, col_parts)
        matrix.cells += [
            node if isinstance(node, Line | Pile) else Line([node]) for node in self._list(depth + 1)
        ]
        if len(matrix.cells) != rows * cols:
            raise EquationError(f"a matrix of {rows} x {cols} has {len(matrix.cells)} cells")
        return matrix

    def _parts(self, count: int) -> list[int]:
        """Two bits for each rule, low bits first."""
        raw = [self._u8() for _ in range((count + 3) // 4)]
        return [raw[i // 4] >> 2 * (i % 4) & 3 for i in range(count)]

    # -- what says how it looks --------------------------------------------------------------------

    def _other(self, kind: int) -> None:
        """Read a record that holds no content, keeping fonts and styles."""
        if kind == RULER:
            self._skip(3 * self._u8())
        elif kind == FONT:
            self._font()
        elif kind == SIZE:
            self._size()
        elif _FULL <= kind <= _SUBSYM:
            return
        elif self._version < 5:
            raise EquationError(f"record type {kind} does not exist")
        elif kind == _COLOR:
            self._uint()
        elif kind == _COLOR_DEF:
            options = self._u8()
            self._skip(8 if options & 1 else 6)
            if options & 4:
                self._name()
        elif kind == _FONT_DEF:
            self._uint()
            self._fonts.append(self._name())
        elif kind == _EQN_PREFS:
            self._preferences()
        elif kind == _ENCODING_DEF:
            self._name()
        elif kind >= _FUTURE:
            self._skip(self._uint())
        else:
            raise EquationError(f"record type {kind} does not exist")

    def _font(self) -> None:
        if self._version == 5:
            style = self._style_of(self._uint(), self._u8())
            self._defined.append(style)
            self._styles[-len(self._defined)] = style
        else:
            typeface, bits = -self._u8(), self._u8()
            self._styles[typeface] = Style(self._name(), bool(bits & 2))

    def _style_of(self, font: int, bits: int) -> Style:
        return Style(self._fonts[font - 1] if 0 < font <= len(self._fonts) else "", bool(bits & 1))

    def _size(self) -> None:
        first = self._u8()
        if first == 101:
            self._u16()
        elif first == 100:
            self._skip(3)
        else:
            self._u8()

    def _preferences(self) -> None:
        self._u8()
        self._dimensions()
        self._dimensions()
        for typeface in range(1, self._u8() + 1):
            font = self._uint()
            if font:
                self._styles[typeface] = self._style_of(font, self._u8())

    def _dimensions(self) -> None:
        """An array of lengths in half bytes, each ended by 15, padded to a whole byte."""
        left = self._u8()
        while left:
            byte = self._u8()
            for half in (byte >> 4, byte & 15):
                if half == 15 and left:
                    left -= 1


def _lines(nodes: list[Node]) -> list[Line]:
    return [node if isinstance(node, Line) else Line([node]) for node in nodes]
