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
_EMPTY_RAISED = re.compile(r"([_^])\{ *\1\{([^{}]*)\} *\}")
_OPENS_BASE = re.compile(r"(?:^|[^A-Za-z}\]_^\\]|\\(?:%s))\Z")
_HAN = re.compile(r"[\u3001-\u3011\u4e00-\u9fff\uff01-\uff0f\uff1a-\uff1f]")
_MARK = re.compile(r"\\(?:left|right|begin|end)(?![A-Za-z])|\\\\|\\.|[{}]", re.S)
_DEPTH = {"{": 1, "}": -1, r"\left": 1, r"\right": -1, r"\begin": 1, r"\end": -1}
_SIGN = re.compile(r"(^|[{(\[,&=<>] ?)([-+]) (?=[\w\\])")
_GROUP = 400  # characters; longer groups are left as they are
_PRIMES = re.compile(r"\^\{ *('+) *\}")
_FUNCTION = "arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|ln|log|lg|exp|max|min|det|lim"
_OPENS_BASE = re.compile(_OPENS_BASE.pattern % _FUNCTION)
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
    shown = _unwrapped(shown)
    shown = _PRIMES.sub(r"\1", shown)
    shown = _SIGN.sub(r"\1\2", shown)
    shown = _PLAIN_FUNCTION.sub(_function, shown)
    shown = _LIMIT.sub(r"\1\\to", shown)
    shown = _FENCED.sub(_fence, shown)
    shown = shown.replace(r"\left\lbrack", r"\left[").replace(r"\right\rbrack", r"\right]")
    shown = re.sub(r"\x00(\d+)\x00", lambda match: kept[int(match[1])], shown)
    return shown.strip()


def _unwrapped(latex: str) -> str:
    """Groups that a script hangs on lose their braces where they cut a bracket in two: {(a}_{1} is (a_{1}.

    So do braces around the whole; and a script that raises nothing but a raised one is that one.
    """
    latex = _EMPTY_RAISED.sub(r"\1{\2}", latex)
    opened: list[int] = []
    dropped: set[int] = set()
    place = 0
    while place < len(latex):
        char = latex[place]
        if char == "\\":
            place += 2
            continue
        if char == "{":
            opened.append(place)
        elif char == "}" and opened:
            start = opened.pop()
            whole = start == 0 and place == len(latex) - 1
            if whole or (latex[place + 1 : place + 2] in {"_", "^"} and _is_cut(latex, start, place)):
                dropped |= {start, place}
        place += 1
    return "".join(char for at, char in enumerate(latex) if at not in dropped) if dropped else latex


def _is_cut(latex: str, start: int, end: int) -> bool:
    """Whether the group is no argument and holds one half of a pair of round brackets."""
    inner = latex[start + 1 : end] if end - start <= _GROUP else ""
    return inner.count("(") != inner.count(")") and bool(
        _OPENS_BASE.search(latex[max(start - 10, 0) : start])
    )


def prose_apart(latex: str) -> list[tuple[str, bool]]:
    """The formula cut where Han text stands in it: pieces in order, True for what is formula.

    Text inside groups, fences and arrays stays where it is, and so does text that carries a script.
    """
    depth, place, start = 0, 0, 0
    found: list[tuple[str, bool]] = []
    while place < len(latex):
        mark = _MARK.match(latex, place)
        if mark:
            if mark[0] == "\\\\" and depth == 0:
                return [(latex, True)]
            depth += _DEPTH.get(mark[0], 0)
            place = mark.end()
        elif depth == 0 and _HAN.match(latex, place):
            end = place
            while end < len(latex) and (latex[end] == " " or _HAN.match(latex, end)):
                end += 1
            if latex[end : end + 1] in {"_", "^", "'"} or latex[:place].rstrip()[-1:] in {"_", "^", "\\"}:
                return [(latex, True)]
            found += [(latex[start:place].strip(), True), (latex[place:end].strip(), False)]
            start = place = end
        else:
            place += 1
    found.append((latex[start:].strip(), True))
    return [(piece, formula) for piece, formula in found if piece]


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
