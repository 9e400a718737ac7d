"""Markdown of blocks and drafts as safe HTML: formulas as their LaTeX, tables, filled-in blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from flows.view.ink import spans

if TYPE_CHECKING:
    from markupsafe import Markup

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_PIECE = re.compile(r"(\$\$[^$]{1,5000}\$\$|\$[^$\n]{1,5000}\$)|<u>([^<]{0,2000})</u>|(\[图\])|(_{3,})")
_FORMULA = re.compile(r"(\$[^$\n]{1,5000}\$)")
_RULE = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
_CELL = re.compile(r"\$[^$\n]{1,5000}\$|\\.|\||[^|\\$]+|.")


_Span = tuple[int, int, str]  # begin, end and hue of what is set in colour


def plain(text: object) -> str:
    """Text without the characters HTML does not allow; Jinja escapes it afterwards."""
    return _CONTROL.sub("\ufffd", str(text))


def rich(text: str, inks: Sequence[tuple[str, str]] = ()) -> Markup:
    """Safe HTML of Markdown as the readers write it. Everything but its own marks is escaped.

    inks: stretches of the text that are set in colour, as (stretch, '#rrggbb').
    """
    from markupsafe import Markup

    out, begin = Markup(), 0
    coloured = spans(text, inks)
    for is_table, rows in groupby(plain(text).split("\n"), key=lambda line: line.lstrip().startswith("|")):
        lines = list(rows)
        if is_table and any(_RULE.fullmatch(line.strip()) for line in lines[:2]):
            out += _table(lines)
        else:
            here = [(first - begin, last - begin, hue) for first, last, hue in coloured]
            out += Markup('<div class="par" dir="auto">{}</div>').format(_inline("\n".join(lines), here))
        begin += sum(len(line) + 1 for line in lines)
    return out


def _inline(text: str, coloured: Sequence[_Span] = ()) -> Markup:
    from markupsafe import Markup

    out, end = Markup(), 0
    for match in _PIECE.finditer(text):
        out += _tinted(text, end, match.start(), coloured)
        formula, filled, figure, blank = match.groups()
        ink = next((f" ink {hue}" for a, b, hue in coloured if a < match.end() and b > match.start()), "")
        if formula is not None:
            out += Markup('<code class="tex{}">{}</code>').format(ink, formula.strip("$").strip())
        elif filled is not None:
            name = Markup(' class="{}"').format(ink.strip()) if ink else ""
            out += Markup("<u{}>{}</u>").format(name, _formulas(filled))
        elif figure is not None:
            out += Markup('<span class="mark">图</span>')
        else:
            out += Markup('<span class="blank">{}</span>').format(blank)
        end = match.end()
    return out + _tinted(text, end, len(text), coloured)


def _tinted(text: str, begin: int, end: int, coloured: Sequence[_Span]) -> Markup:
    """text[begin:end] with what is coloured in it."""
    from markupsafe import Markup, escape

    out = Markup()
    for first, last, hue in coloured:
        first, last = max(first, begin), min(last, end)
        if first < last:
            out += escape(text[begin:first])
            out += Markup('<span class="ink {}">{}</span>').format(hue, text[first:last])
            begin = last
    return out + escape(text[begin:end])


def _formulas(text: str) -> Markup:
    from markupsafe import Markup, escape

    out = Markup()
    for place, piece in enumerate(_FORMULA.split(text)):
        out += Markup('<code class="tex">{}</code>').format(piece.strip("$")) if place % 2 else escape(piece)
    return out


def _table(lines: list[str]) -> Markup:
    """A Markdown table; its first row is set as a head only where it says something."""
    from markupsafe import Markup

    rows = [_cells(line) for line in lines if not _RULE.fullmatch(line.strip())]
    body = Markup()
    for row in rows:
        body += Markup("<tr>{}</tr>").format(
            Markup().join(Markup("<td>{}</td>").format(_inline(c)) for c in row)
        )
    return Markup('<table class="grid"><tbody>{}</tbody></table>').format(body)


def _cells(line: str) -> list[str]:
    """Cells of a table row; a bar in a formula or after a backslash parts nothing."""
    cells = [""]
    for piece in _CELL.findall(line.strip().removeprefix("|").removesuffix("|")):
        if piece == "|":
            cells.append("")
        else:
            cells[-1] += piece[1:] if piece == "\\|" else piece.replace("<br>", "\n")
    return [cell.strip() for cell in cells]
