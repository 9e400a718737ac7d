"""The tree of an equation as one LaTeX string, with what could not be written named."""

from __future__ import annotations

from ingest.readers.mtef import chars
from ingest.readers.mtef.fences import lay, ruled
from ingest.readers.mtef.pieces import GROUP, MARK, SPACE, Piece, Text, attach, finish, join
from ingest.readers.mtef.records import Char, Line, Matrix, Node, Pile, Template, Tree
from ingest.readers.mtef.signs import is_relation
from ingest.readers.mtef.templates import renderer, scripts

_ALIGNED = 4  # a pile whose lines are aligned at their relations
_COLUMNS = {1: "l", 3: "r", 5: "r"}


def write(tree: Tree) -> tuple[str, tuple[str, ...]]:
    """(LaTeX without dollar signs, names of what was lost) of an equation."""
    writer = _Writer(tree)
    items: list[Node] = []
    for item in tree.items:
        items += item.items if isinstance(item, Line) else [item]
    return writer.text(Line(items)).text, tuple(writer.losses)


class _Writer:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.losses: list[str] = []

    # -- nodes ------------------------------------------------------------------------------------

    def text(self, node: Line | Pile, *, small: bool = False) -> Text:
        """A slot as text; small for limits and labels, where a pile is a list of conditions."""
        if isinstance(node, Pile):
            return self._pile(node, small=small)
        held = [item for item in node.items if isinstance(item, Pile)]
        if small and len(held) == len(node.items) == 1:
            return self._pile(held[0], small=True)
        return finish(self._pieces(node.items))

    def block(self, node: Node, *, marks: bool = False) -> list[list[str]] | None:
        """Rows of cells of a pile or matrix, None for anything else."""
        if isinstance(node, Matrix):
            return self._rows(node)
        if isinstance(node, Pile):
            return [[finish(self._pieces(line.items), marks=marks).text] for line in node.lines]
        return None

    def _rows(self, matrix: Matrix) -> list[list[str]]:
        """Cells as text. Columns added by nesting a matrix of one row are columns like the others."""
        width = max(matrix.cols, 1)
        plain = [matrix.cells[at : at + width] for at in range(0, len(matrix.cells), width)]
        spread = [[part for cell in row for part in _spread(cell)] for row in plain]
        even = len({len(row) for row in spread}) == 1 and not any(matrix.col_parts)
        found = spread if even else plain
        return [[self.text(cell).text for cell in row] for row in found]

    def _pile(self, pile: Pile, *, small: bool) -> Text:
        if len(pile.lines) <= 1:
            return self.text(pile.lines[0], small=small) if pile.lines else Text("")
        if small:
            rows = [finish(self._pieces(line.items)).text for line in pile.lines]
            return Text(",".join(row for row in rows if row), tall=True)
        lines = [self._pieces(line.items) for line in pile.lines]
        aligned = any(piece.kind == MARK for line in lines for piece in line)
        if not aligned and pile.align == _ALIGNED:
            aligned = True
            for line in lines:
                at = next((place for place, piece in enumerate(line) if piece.relation), None)
                if at is not None:
                    line.insert(at, Piece("", MARK))
        body = lay([[finish(line, marks=aligned).text] for line in lines])
        if aligned:
            return Text(rf"\begin{{aligned}}{body}\end{{aligned}}", tall=True)
        column = _COLUMNS.get(pile.align)
        if column is None:
            return Text(rf"\begin{{gathered}}{body}\end{{gathered}}", tall=True)
        return Text(rf"\begin{{array}}{{{column}}}{body}\end{{array}}", tall=True)

    # -- lines ------------------------------------------------------------------------------------

    def _pieces(self, items: list[Node]) -> list[Piece]:
        pieces: list[Piece] = []
        at = 0
        while at < len(items):
            item = items[at]
            if isinstance(item, Char):
                at = self._chars(items, at, pieces)
                continue
            at += 1
            if isinstance(item, Template):
                self._template(item, pieces)
            elif isinstance(item, Matrix):
                rows = self.block(item) or []
                pieces.append(Piece(ruled(item, rows), tall=True))
            elif isinstance(item, Pile):
                shown = self._pile(item, small=False)
                pieces.append(Piece(shown.text, GROUP, tall=shown.tall))
            else:
                pieces += self._pieces(item.items)
        return pieces

    def _template(self, template: Template, pieces: list[Piece]) -> None:
        version, selector, variation = self._tree.version, template.selector, template.variation
        place = scripts(version, selector, variation)
        if place:
            sub, sup = (
                self.text(slot, small=True).text for slot in (template.slots + [Line(null=True)] * 2)[:2]
            )
            if set(sup.replace(r"\prime", "'").replace(" ", "")) == {"'"} and place == "after":
                sup = sup.replace(r"\prime", "'").replace(" ", "")
            if place == "before":
                pieces.append(Piece("{}", sub=sub, sup=sup))
            else:
                attach(pieces, sub, sup)
            return
        render = renderer(version, selector, variation)
        if render is None:
            self.losses.append(f"template {selector}")
            shown = join(self.text(slot).text for slot in template.slots)
            pieces.append(Piece(shown, GROUP))
            return
        pieces.append(render(self, template))

    # -- characters -------------------------------------------------------------------------------

    def _chars(self, items: list[Node], at: int, pieces: list[Piece]) -> int:
        """Write the characters from place at that belong together; returns the place after them."""
        run = self._function(items, at)
        if run:
            pieces += [Piece(name) for name in chars.function("".join(chr(c.code or 0) for c in run))]
            return at + len(run)
        run = self._words(items, at)
        said = "".join(chars.read(char, self._tree).sign for char in run)
        if chars.is_words(said):
            pieces.append(Piece(chars.words(said)))
            return at + len(run)
        for item in run or items[at : at + 1]:
            if isinstance(item, Char):
                self._char(item, pieces)
        return at + max(len(run), 1)

    def _function(self, items: list[Node], at: int) -> list[Char]:
        """Letters in function style standing together."""
        run: list[Char] = []
        for item in items[at : at + 32]:
            if not isinstance(item, Char) or item.typeface != chars.FUNCTION or item.embellishments:
                break
            if item.code is None or not (chr(item.code).isascii() and chr(item.code).isalpha()):
                break
            if run and item.starts_function and self._tree.version == 5:
                break
            run.append(item)
        return run

    def _words(self, items: list[Node], at: int) -> list[Char]:
        """Characters in text style, or Han in any, standing together."""
        run: list[Char] = []
        for place in range(at, len(items)):
            item = items[place]
            if not isinstance(item, Char) or item.embellishments:
                break
            sign = chars.read(item, self._tree)
            textual = item.typeface in {chars.TEXT, chars.TEXT_FE} and sign.role != "skip" and not sign.loss
            if not (textual or (len(sign.sign) == 1 and chars.is_han(sign.sign))):
                break
            run.append(item)
        return run

    def _char(self, char: Char, pieces: list[Piece]) -> None:
        sign = chars.read(char, self._tree)
        if sign.loss:
            self.losses.append(sign.loss)
        if sign.role == "skip":
            return
        if sign.role == "space":
            pieces.append(Piece(sign.latex, SPACE))
        elif sign.role == "mark":
            pieces.append(Piece("", MARK))
        elif sign.role == "raised":
            attach(pieces, "", sign.latex)
        elif sign.sign == "\u2032" and pieces and pieces[-1].kind not in {SPACE, MARK}:
            attach(pieces, "", "'")
        else:
            latex = chars.bold(sign.latex) if chars.is_bold(char, self._tree) else sign.latex
            latex, unknown = chars.embellish(latex, char.embellishments)
            self.losses += unknown
            pieces.append(Piece(latex, relation=is_relation(sign.sign)))


def _spread(cell: Line | Pile) -> list[Line | Pile]:
    """The cells of a matrix of one row that is all a cell holds, else the cell itself."""
    if isinstance(cell, Line) and len(cell.items) == 1:
        inner = cell.items[0]
        if isinstance(inner, Matrix) and inner.rows == 1 and not any(inner.col_parts):
            return [part for own in inner.cells for part in _spread(own)]
    return [cell]
