"""Fences and what they hold: determinants, matrices, cases, augmented matrices, plain brackets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.readers.mtef.pieces import Piece, join
from ingest.readers.mtef.records import Char, Line, Matrix, Node, Pile, Template

if TYPE_CHECKING:
    from ingest.readers.mtef.templates import Writer

_ENVIRONMENTS = {
    ("(", ")"): "pmatrix",
    ("[", "]"): "bmatrix",
    (r"\{", r"\}"): "Bmatrix",
    ("|", "|"): "vmatrix",
    (r"\|", r"\|"): "Vmatrix",
}
_RULES = {1: "|", 2: ":", 3: ":"}
_ELLIPSIS, _BARS = 0x22EE, {0x7C, 0x2223, 0x2502, 0x22EE}
_SPACE = 24


def fence(writer: Writer, template: Template, *, left: str, right: str) -> Piece:
    """The first slot between its fences; '' is a fence that is not drawn."""
    main = template.slots[0] if template.slots else Line()
    held = _held(main)
    if len(held) == 1:
        piece = _environment(writer, held[0], left, right)
        if piece is not None:
            return piece
    merged = _augmented(writer, held, left, right)
    if merged is not None:
        return merged
    inner = writer.text(main)
    if not inner.tall:
        return Piece(join([left, " " if left[:1] == "\\" and left[1:].isalpha() else "", inner.text, right]))
    return Piece(join([rf"\left{left or '.'}", inner.text, rf"\right{right or '.'}"]), tall=True)


def _held(main: Line | Pile) -> list[Node]:
    """What stands in a slot, spaces left out."""
    if isinstance(main, Pile):
        return [main]
    return [item for item in main.items if not (isinstance(item, Char) and item.typeface == _SPACE)]


def _environment(writer: Writer, node: Node, left: str, right: str) -> Piece | None:
    """A matrix with its fences, or cases; None when it is neither."""
    if isinstance(node, Matrix) and (any(node.row_parts) or any(node.col_parts)):
        return None
    name = "cases" if (left, right) == (r"\{", "") else _ENVIRONMENTS.get((left, right))
    if name is None or not isinstance(node, Matrix | Pile):
        return None
    rows = writer.block(node, marks=name == "cases")
    if rows is None:
        return None
    return Piece(rf"\begin{{{name}}}{lay(rows)}\end{{{name}}}", tall=True)


def _augmented(writer: Writer, held: list[Node], left: str, right: str) -> Piece | None:
    """Matrices side by side in one pair of fences are one matrix, with a rule where one was typed."""
    matrices = [node for node in held if isinstance(node, Matrix)]
    if len(matrices) < 2 or (left, right) not in _ENVIRONMENTS or not isinstance(held[0], Matrix):
        return None
    if len({matrix.rows for matrix in matrices}) != 1 or not isinstance(held[-1], Matrix):
        return None
    if not all(isinstance(node, Matrix) or _is_rule(node) for node in held):
        return None
    columns = ""
    blocks: list[list[list[str]]] = []
    for node in held:
        if isinstance(node, Matrix):
            blocks.append(writer.block(node) or [[""]])
            columns += "c" * len(blocks[-1][0])
        elif columns[-1] != "|":
            columns += "|"
    rows = [[cell for part in line for cell in part] for line in zip(*blocks, strict=True)]
    if "|" not in columns:
        name = _ENVIRONMENTS[(left, right)]
        return Piece(rf"\begin{{{name}}}{lay(rows)}\end{{{name}}}", tall=True)
    body = rf"\begin{{array}}{{{columns}}}{lay(rows)}\end{{array}}"
    return Piece(rf"\left{left}{body}\right{right}", tall=True)


def _is_rule(node: Node) -> bool:
    """A bar or a column of dots typed between two matrices."""
    if isinstance(node, Char):
        return node.code in _BARS
    if isinstance(node, Line):
        return all(_is_rule(item) for item in node.items)
    if isinstance(node, Pile):
        return all(_is_rule(line) for line in node.lines)
    return False


def lay(rows: list[list[str]]) -> str:
    r"""Rows of cells with `&` and `\\` between them."""
    return r" \\ ".join(" & ".join(row) for row in rows)


def ruled(matrix: Matrix, rows: list[list[str]]) -> str:
    """A matrix without fences; with rules between its rows or columns it is an array."""
    if not any(matrix.row_parts) and not any(matrix.col_parts):
        return rf"\begin{{matrix}}{lay(rows)}\end{{matrix}}"
    columns = _RULES.get(matrix.col_parts[0], "")
    for part in matrix.col_parts[1:]:
        columns += "c" + _RULES.get(part, "")
    body = ""
    for place, row in enumerate(rows):
        body += _line(matrix.row_parts[place]) + " & ".join(row) + (r" \\ " if place + 1 < len(rows) else "")
    if matrix.row_parts[-1]:
        body += r" \\ " + _line(matrix.row_parts[-1])
    return rf"\begin{{array}}{{{columns}}}{body}\end{{array}}"


def _line(part: int) -> str:
    return "" if part == 0 else r"\hline " if part == 1 else r"\hdashline "
