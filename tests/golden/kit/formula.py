"""Small builders that write a formula as OMML and as LaTeX at once, so that the two cannot differ."""

from __future__ import annotations

from xml.sax.saxutils import escape

from tests.golden.kit.model import Formula

_GREEK = {
    "α": r"\alpha",
    "β": r"\beta",
    "λ": r"\lambda",
    "≠": r"\neq",
    "−": "-",
    "≤": r"\leq",
    "×": r"\times",
}


def run(text: str) -> Formula:
    """Letters, digits and operators in a row."""
    latex = "".join(_GREEK[c] + " " if c in _GREEK and _GREEK[c] != "-" else _GREEK.get(c, c) for c in text)
    return Formula(f'<m:r><m:t xml:space="preserve">{escape(text)}</m:t></m:r>', latex.strip())


def _of(value: Formula | str) -> Formula:
    return run(value) if isinstance(value, str) else value


def row(*parts: Formula | str) -> Formula:
    """Formulas one after another."""
    made = [_of(part) for part in parts]
    return Formula("".join(p.omml for p in made), " ".join(p.latex for p in made))


def frac(top: Formula | str, bottom: Formula | str) -> Formula:
    """A fraction."""
    a, b = _of(top), _of(bottom)
    return Formula(
        f"<m:f><m:num>{a.omml}</m:num><m:den>{b.omml}</m:den></m:f>", rf"\frac{{{a.latex}}}{{{b.latex}}}"
    )


def sup(base: Formula | str, up: Formula | str) -> Formula:
    """A power."""
    a, b = _of(base), _of(up)
    return Formula(f"<m:sSup><m:e>{a.omml}</m:e><m:sup>{b.omml}</m:sup></m:sSup>", f"{a.latex}^{{{b.latex}}}")


def sub(base: Formula | str, down: Formula | str) -> Formula:
    """An index."""
    a, b = _of(base), _of(down)
    return Formula(f"<m:sSub><m:e>{a.omml}</m:e><m:sub>{b.omml}</m:sub></m:sSub>", f"{a.latex}_{{{b.latex}}}")


def _grid(rows: tuple[tuple[str, ...], ...]) -> tuple[str, str]:
    omml = "<m:m>" + "".join(
        "<m:mr>" + "".join(f"<m:e>{_of(cell).omml}</m:e>" for cell in line) + "</m:mr>" for line in rows
    )
    latex = r" \\ ".join(" & ".join(_of(cell).latex for cell in line) for line in rows)
    return omml + "</m:m>", latex


def _fence(left: str, right: str, inner: str) -> str:
    properties = f'<m:dPr><m:begChr m:val="{left}"/><m:endChr m:val="{right}"/></m:dPr>'
    return f"<m:d>{properties}<m:e>{inner}</m:e></m:d>"


def matrix(*rows: tuple[str, ...]) -> Formula:
    """A matrix in round brackets."""
    omml, latex = _grid(rows)
    return Formula(_fence("(", ")", omml), rf"\begin{{pmatrix}} {latex} \end{{pmatrix}}")


def det(*rows: tuple[str, ...]) -> Formula:
    """A determinant between bars."""
    omml, latex = _grid(rows)
    return Formula(_fence("|", "|", omml), rf"\begin{{vmatrix}} {latex} \end{{vmatrix}}")


def system(*lines: Formula) -> Formula:
    """Equations under one brace."""
    omml = "<m:eqArr>" + "".join(f"<m:e>{line.omml}</m:e>" for line in lines) + "</m:eqArr>"
    latex = r" \\ ".join(line.latex for line in lines)
    return Formula(_fence("{", "", omml), rf"\begin{{cases}} {latex} \end{{cases}}")
