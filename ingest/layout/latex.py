r"""Signs, letters and numbers of a formula as LaTeX: commands, spacing, indices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.readers.mtef.signs import LATEX, is_relation

_NAMES = (
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log lg exp max min sup inf det lim dim "
    "ker gcd deg arg Pr"
)
FUNCTIONS = frozenset(_NAMES.split())
LETTERLIKE = frozenset("ℵℜℑ℘ℓℏℝℤℕℚℂ")
_BINARY = frozenset("+±∓×÷∪∩⊕⊗⊙∧∨∖·⋅")
_OPERAND_END = re.compile(r"[A-Za-z0-9)\]}|'!]$|\\(?:infty|varnothing|emptyset)$")
_COMMAND_END = re.compile(r"\\[A-Za-z]+$")
_SPACES = re.compile(r" {2,}")


__all__ = ["FUNCTIONS", "LATEX", "LETTERLIKE", "Token", "is_letter", "joined", "scripts", "write"]


@dataclass(slots=True)
class Token:
    """A word, a number, a sign or a formula already written, with what hangs on it.

    kind is letters, number, sign, formula or stop; gap is the white space before it, wide when there is
    room for a sign; style says how it is set: m in a font for mathematics, i in italics, '.' otherwise.
    """

    text: str
    kind: str = "sign"
    gap: str = ""
    style: str = "."
    sub: str = ""
    sup: str = ""
    wide: bool = False


def is_letter(sign: str) -> bool:
    """Greek letters and letters that only mathematics has."""
    return (len(sign) == 1 and "\u0391" <= sign <= "\u03f5") or sign in LETTERLIKE


def scripts(token: Token) -> str:
    """Index and exponent as LaTeX; primes stay primes."""
    out = f"_{{{token.sub}}}" if token.sub else ""
    if token.sup.strip("'"):
        return f"{out}^{{{token.sup}}}"
    return out + token.sup


def joined(left: str, right: str) -> str:
    """Two pieces of LaTeX beside each other."""
    return f"{left} {right}" if _COMMAND_END.search(left) and right[:1].isalpha() else left + right


def write(tokens: Sequence[Token], compact: bool = False) -> str:
    """LaTeX of tokens. compact leaves out the spaces around operators, as in an index."""
    out = ""
    angles = 0
    space = "" if compact else " "
    for token in tokens:
        piece = _command(token) + scripts(token)
        sign = _narrow(token.text) if token.kind == "sign" else ""
        before = out.rstrip()
        if sign == "<" and (not before or before.endswith((",", "{", "(", "=", "["))):
            angles += 1
        elif sign == ">" and angles:
            angles -= 1
            out = before
        elif sign and is_relation(sign):
            opened = not before or before.endswith(("(", "[", "{"))
            piece = f"{piece}{space}" if opened else f"{space}{piece}{space}"
        elif sign and (sign in _BINARY or sign in "-−"):
            piece = f"{space}{piece}{space}" if _OPERAND_END.search(before) else piece
        elif sign in (",", ";"):
            out, piece = before, piece + space
        elif token.kind == "stop" and token.gap and out:
            piece = f" {piece}"
        out = joined(out, piece)
    return _SPACES.sub(" ", out).strip()


def _narrow(sign: str) -> str:
    """A full-width sign as the ordinary one."""
    return chr(ord(sign) - 0xFEE0) if len(sign) == 1 and "\uff01" <= sign <= "\uff5e" else sign


def _command(token: Token) -> str:
    """LaTeX of one token without what hangs on it."""
    text = token.text
    if token.kind == "formula":
        return text
    if token.kind == "letters":
        return f"\\{text}" if text in FUNCTIONS else text
    if token.kind == "number":
        return text
    if len(text) > 1:
        return rf"\text{{{text}}}"
    text = _narrow(text)
    if "\u2e80" <= text <= "\u9fff":
        return rf"\text{{{text}}}"
    if text in "^'\"`~":
        return {"^": "^", "'": "'", "~": r"\sim"}.get(text, text)
    return LATEX.get(text, text)
