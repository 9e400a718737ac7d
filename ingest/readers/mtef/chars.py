"""One character of an equation as LaTeX: typeface and code, embellishments, names of functions, words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ingest.readers.mtef.records import Char, Style, Tree
from ingest.readers.mtef.signs import LATEX, MT_EXTRA, SYMBOL, private

TEXT, FUNCTION, LCGREEK, UCGREEK, SYMBOLS, VECTOR, MTEXTRA, TEXT_FE = 1, 2, 4, 5, 6, 7, 11, 12
_USER = (9, 10)
_EXPAND, _MARKER, _SPACE = 22, 23, 24
UNKNOWN = "□"

_LIMIT_FUNCTIONS = ("lim", "max", "min", "sup", "inf", "det", "gcd", "Pr", "limsup", "liminf")
_FUNCTIONS = frozenset(
    (
        *("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan"),
        *("sinh", "cosh", "tanh", "coth", "log", "ln", "lg", "exp", "arg", "deg", "dim", "hom", "ker"),
        *_LIMIT_FUNCTIONS,
    )
)
LIMIT_NAMES = frozenset(rf"\{name}" for name in _LIMIT_FUNCTIONS)
_SPACES = {2: r"\,", 3: r"\:", 4: r"\;", 5: r"\quad", 6: r"\qquad"}
_ESCAPED = str.maketrans(
    {
        "\\": r"\textbackslash ",
        "~": r"\textasciitilde ",
        "^": r"\^{}",
        **{char: "\\" + char for char in "#$%&_{}"},
    }
)
_WORD = re.compile(r"[A-Za-z]{2}")
_RAISED = {"°": r"\circ", "²": "2", "³": "3", "¹": "1", "º": r"\circ"}

_NEGATED = {
    "=": r"\neq",
    "<": r"\nless",
    ">": r"\ngtr",
    **{
        f"\\{name}": f"\\{negated}"
        for name, negated in (
            ("in", "notin"),
            ("leq", "nleq"),
            ("geq", "ngeq"),
            ("sim", "nsim"),
            ("cong", "ncong"),
            ("mid", "nmid"),
            ("parallel", "nparallel"),
            ("subseteq", "nsubseteq"),
            ("supseteq", "nsupseteq"),
            ("exists", "nexists"),
            ("prec", "nprec"),
            ("succ", "nsucc"),
            ("Rightarrow", "nRightarrow"),
            ("Leftarrow", "nLeftarrow"),
            ("Leftrightarrow", "nLeftrightarrow"),
            ("to", "nrightarrow"),
            ("leftarrow", "nleftarrow"),
            ("leftrightarrow", "nleftrightarrow"),
        )
    },
}
_PRIMES = {5: "'", 6: "''", 18: "'''"}
_WRAPS = {
    2: r"\dot{%s}",
    3: r"\ddot{%s}",
    4: r"\dddot{%s}",
    7: r"%s^{\backprime}",
    8: r"\tilde{%s}",
    9: r"\hat{%s}",
    11: r"\vec{%s}",
    12: r"\overleftarrow{%s}",
    13: r"\overleftrightarrow{%s}",
    14: r"\overset{\rightharpoonup}{%s}",
    15: r"\overset{\leftharpoonup}{%s}",
    16: r"\sout{%s}",
    17: r"\overline{%s}",
    19: r"\overset{\frown}{%s}",
    20: r"\breve{%s}",
    21: r"\xcancel{%s}",
    22: r"\cancel{%s}",
    23: r"\bcancel{%s}",
    24: r"\ddddot{%s}",
    25: r"\underset{.}{%s}",
    26: r"\underset{..}{%s}",
    27: r"\underset{...}{%s}",
    28: r"\underset{....}{%s}",
    29: r"\underline{%s}",
    30: r"\underset{\sim}{%s}",
    31: r"\underset{\frown}{%s}",
    32: r"\underset{\smile}{%s}",
    33: r"\underrightarrow{%s}",
    34: r"\underleftarrow{%s}",
    35: r"\underleftrightarrow{%s}",
    36: r"\underset{\rightharpoonup}{%s}",
    37: r"\underset{\leftharpoonup}{%s}",
}


@dataclass(frozen=True, slots=True)
class Sign:
    """What a CHAR means. sign is its Unicode character, '' for none; role says how it is set.

    role: skip, space, mark (of alignment), raised (a degree sign and the like), text, plain.
    """

    sign: str
    latex: str
    role: str = "plain"
    loss: str = ""


def read(char: Char, tree: Tree) -> Sign:
    """The meaning of a character, without its embellishments."""
    if char.typeface in {_EXPAND, _MARKER}:
        return Sign("", "", "skip")
    code = char.code
    is_space_code = code is not None and code & 0xFFF0 == 0xEF00
    if char.typeface == _SPACE or is_space_code:
        return _space(code or 0)
    sign = _unicode(char, tree)
    if sign in {"\0", ""}:
        return Sign("", "", "skip")
    if sign.isspace():
        return Sign(" ", r"\ ", "space")
    if sign in _RAISED:
        return Sign(sign, _RAISED[sign], "raised")
    latex = private(ord(sign)) if "\ue000" <= sign <= "\uf8ff" else LATEX.get(sign)
    if latex is not None:
        return Sign(sign, latex)
    if "\x20" < sign < "\x7f":
        return Sign(sign, sign)
    if sign == UNKNOWN or unicodedata.category(sign)[0] == "C":
        return Sign(UNKNOWN, r"\square", loss=f"character {_name(char)}")
    return Sign(sign, rf"\text{{{sign}}}", "text")


def _name(char: Char) -> str:
    if char.code is not None:
        return f"U+{char.code:04X}"
    return f"{char.position or 0} of typeface {char.typeface}"


def _space(code: int) -> Sign:
    low = code & 0xFF
    if low == 0:
        return Sign("", "", "mark")
    if low in _SPACES:
        return Sign(" ", _SPACES[low], "space")
    return Sign("", "", "skip") if low in {1, 8} else Sign(" ", r"\ ", "space")


def _unicode(char: Char, tree: Tree) -> str:
    font = tree.styles.get(char.typeface, Style()).font
    explicit = char.typeface < 0
    symbol = char.typeface in {LCGREEK, UCGREEK, SYMBOLS} or (explicit and font.startswith("symbol"))
    extra = char.typeface == MTEXTRA or (explicit and font.startswith("mt extra"))
    table = SYMBOL if symbol else MT_EXTRA if extra else {}
    code = char.code
    if code is None:
        return _by_position(char.position or 0, table)
    if explicit and table and 0xF020 <= code <= 0xF0FF:
        return table.get(code & 0xFF, UNKNOWN)
    letter = code < 0x80 and chr(code).isalpha()
    if tree.version == 2 or (tree.version < 5 and code < 0x100 and (extra or letter)):
        sign = table.get(code, chr(code))
    elif 0xD800 <= code <= 0xDFFF or (char.typeface in {TEXT, TEXT_FE} and 0xAC00 <= code <= 0xF8FF):
        sign = _gbk(code)
    else:
        sign = chr(code)
    return unicodedata.normalize("NFKC", sign) if "\uff01" <= sign <= "\uff5e" else sign


def _by_position(position: int, table: dict[int, str]) -> str:
    if position in table:
        return table[position]
    if 0x20 <= position < 0x7F:
        return chr(position)
    return _gbk(position)


def _gbk(code: int) -> str:
    """Chinese text may hold the two bytes of the author's code page in place of Unicode."""
    try:
        sign = bytes((code >> 8, code & 0xFF)).decode("gbk")
    except (UnicodeDecodeError, ValueError):
        return chr(code) if 0xE000 <= code <= 0xF8FF else UNKNOWN
    return sign if len(sign) == 1 else UNKNOWN


def is_bold(char: Char, tree: Tree) -> bool:
    """Whether a character is set in bold: vectors, and fonts chosen by the author."""
    if char.typeface == VECTOR:
        return True
    return (char.typeface < 0 or char.typeface in _USER) and tree.styles.get(char.typeface, Style()).bold


def bold(latex: str) -> str:
    """A letter, digit or symbol in bold; signs that have none stay as they are."""
    if latex.isalnum() and latex.isascii():
        return rf"\mathbf{{{latex}}}"
    return rf"\boldsymbol{{{latex}}}" if latex[:1] == "\\" and latex[1:].isalpha() else latex


def embellish(latex: str, embellishments: list[int]) -> tuple[str, tuple[str, ...]]:
    """(the character under its embellishments, what of them is unknown)."""
    unknown = []
    primes = ""
    for kind in embellishments:
        if kind in _PRIMES:
            primes += _PRIMES[kind]
        elif kind == 10:
            latex = _NEGATED.get(latex) or (r"\not" + (latex if latex[:1] == "\\" else f" {latex}"))
        elif kind == 16 and latex == "h":
            latex = r"\hbar"
        elif kind in _WRAPS:
            latex = _WRAPS[kind] % latex
        else:
            unknown.append(f"embellishment {kind}")
    return latex + primes, tuple(unknown)


def function(name: str) -> list[str]:
    """LaTeX of letters in function style: one command, or several when names were run together."""
    if len(name) == 1:
        return [name]
    if name in _FUNCTIONS:
        return [rf"\{name}"]
    for cut in range(min(len(name) - 2, 10), 1, -1):
        if name[:cut] in _FUNCTIONS and name[cut:] in _FUNCTIONS:
            return [rf"\{name[:cut]}", rf"\{name[cut:]}"]
    return [rf"\operatorname{{{name}}}"]


def is_words(text: str) -> bool:
    """Whether text is words to be set as such, not single signs that happen to be in text style."""
    return _WORD.search(text) is not None or any(is_han(char) for char in text)


def is_han(char: str) -> bool:
    """Whether a character is Han or of its punctuation."""
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff"


def words(text: str) -> str:
    """Text with what LaTeX would take as its own escaped."""
    return rf"\text{{{text.translate(_ESCAPED)}}}"
