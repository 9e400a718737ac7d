"""One way to write a formula: what converters spell in many ways is brought to plain LaTeX."""

from __future__ import annotations

import re

_SPACE_COMMAND = re.compile(r"(?<!\\)\\(?: |,|;|:|!|quad(?![A-Za-z])|qquad(?![A-Za-z]))")
_SPACE_RUN = re.compile(r"\s+")
_TEXT_GROUP = re.compile(r"\\(?:text|mathrm|textrm|operatorname)\{[^{}]*\}")
_ACCENT = re.compile(r"\\(overrightarrow|widehat|widetilde|overline)\{ *(\\[A-Za-z]+|[A-Za-z]) *\}")
_SHORT = {"overrightarrow": "vec", "widehat": "hat", "widetilde": "tilde", "overline": "bar"}
_BRACED_BASE = re.compile(
    r"(?<![A-Za-z}\]])\{((?:\\[a-z]+\{ ?(?:\\[A-Za-z]+|[A-Za-z0-9]+) ?\})|\([^(){}]*\)|\|[^|{}]*\|)\}(?=[_^])"
)
_SIGN = re.compile(r"(^|[{(\[,&=<>] ?)([-+]) (?=[\w\\])")
_PRIMES = re.compile(r"\^\{ *('+) *\}")
_FUNCTION = "arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|ln|log|lg|exp|max|min|det|lim"
_PLAIN_FUNCTION = re.compile(rf"(?<![A-Za-z\\])([a-z]?)({_FUNCTION})([a-z]?)(?![A-Za-z])")
_LIMIT = re.compile(r"(\\lim ?_\{[^{}]*?)\\rightarrow\b")
_FENCED = re.compile(
    r"\\left ?(\(|\||\[|\\lbrack|\\\||\\\{) *"
    r"\\begin\{(?:matrix|array\}\{[lcr]*|aligned)\}"
    r"(?P<body>(?:(?!\\begin|\\end).)*)"
    r"\\end\{(?:matrix|array|aligned)\} *"
    r"\\right ?(\)|\||\]|\\rbrack|\\\||\\\}|\.)",
    re.S,
)
_KINDS = {
    ("(", ")"): "pmatrix",
    ("|", "|"): "vmatrix",
    ("[", "]"): "bmatrix",
    (r"\lbrack", r"\rbrack"): "bmatrix",
    (r"\|", r"\|"): "Vmatrix",
    (r"\{", "."): "cases",
    (r"\{", r"\}"): "Bmatrix",
}


def tidy(latex: str) -> str:
    r"""Formula with author's spacing dropped, short accents, and fenced arrays as cases or matrices.

    The meaning stays: only layout commands and spellings change, and sin typed as a word becomes \sin.
    Text inside \text{} is kept as it is.
    """
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\x00{len(kept) - 1}\x00"

    shown = _TEXT_GROUP.sub(keep, latex)
    shown = _SPACE_RUN.sub(" ", _SPACE_COMMAND.sub(" ", shown))
    shown = _ACCENT.sub(_accent, shown)
    shown = _BRACED_BASE.sub(r"\1", shown)
    shown = _PRIMES.sub(r"\1", shown)
    shown = _SIGN.sub(r"\1\2", shown)
    shown = _PLAIN_FUNCTION.sub(_function, shown)
    shown = _LIMIT.sub(r"\1\\to", shown)
    shown = _FENCED.sub(_fence, shown)
    shown = shown.replace(r"\left\lbrack", r"\left[").replace(r"\right\rbrack", r"\right]")
    shown = re.sub(r"\x00(\d+)\x00", lambda match: kept[int(match[1])], shown)
    return shown.strip()


def _accent(match: re.Match[str]) -> str:
    return f"\\{_SHORT[match[1]]}{{{match[2]}}}"


def _function(match: re.Match[str]) -> str:
    """A function typed as a word is a function; at most one variable may lean on it: xsin, cosy."""
    before, name, after = match[1], match[2], match[3]
    if before and after:
        return match[0]
    return f"{before}\\{name}" + (f" {after}" if after else "")


def _fence(match: re.Match[str]) -> str:
    body = match["body"].strip()
    kind = _KINDS.get((match[1], match[3]))
    if kind is None:
        return match[0]
    if kind != "cases" and "&" not in body and r"\\" not in body:
        return f"\\left{match[1]} {body} \\right{match[3]}"
    return f"\\begin{{{kind}}} {body} \\end{{{kind}}}"
