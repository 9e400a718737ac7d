"""A line of text as Markdown with its formulas as `$LaTeX$`: which signs belong to one sum.

A formula is a stretch of letters, numbers and signs in which something is surely set as mathematics: an
index, a fraction, a letter in italics, a sign in a font for mathematics. Han characters, Chinese
punctuation, words, labels of options and blanks end it. Where nothing is sure the text stays as printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from ingest.layout import latex
from ingest.layout.latex import FUNCTIONS, Token
from ingest.layout.runs import Run, median

_PIECE = re.compile(r"\$[^$]+\$|<u>.*?</u>|_{2,}|\d+(?:\.\d+)?|[A-Za-z]+|.", re.DOTALL)
_EVIDENCE = re.compile(
    r"[$\u0370-\u03ff\u2200-\u22ff\u2190-\u21ff\u2a00-\u2aff\u27e8-\u27ff\u2308-\u230b′″×÷±¬ℵℜℑ℘ℓℏ]"
)
_STRONG = frozenset("≤≥≦≧⩽⩾≠≡≢≈≅≃≪≫∝∈∉∋∌⊂⊃⊆⊇⊄⊈⊊⊕⊗⊙∪∩⋃⋂∧∨⋀⋁¬∀∃∄∑∏∐∫∬∭∮∂∇∅∞⇒⇔⇐⟹⟺⋯⋱⋮⋰≜⊢⊨ℵℜℑℓℏℝℤℕℚℂ⌈⌉⌊⌋∖")
_BIG = frozenset("∑∏∐∫∬∭∮⋃⋂√")  # OCR loses what stands above and below them
_ALONE = frozenset("∪∩⊕⊗∧∨¬∀∃∈⊆⊂∑∫∅∞")  # never prose, even by themselves
_WEAK = frozenset("+-−–=<>/*×÷±·⋅:,.!|()[]{}'′″^~∼∗…→←↔↦∘√⊥∥∠△\\%⟨⟩〈〉‖∶＝＋－＜＞／")
_OPEN, _CLOSE = frozenset("([{⌈⌊⟨〈（"), frozenset(")]}⌉⌋⟩〉）")
_ENDS = frozenset(",.:!…'、;/")
_OPERATORS = frozenset("+-−=<>/*×÷±·⋅|∘^~∼:∗→←↔↦\\＝＋－＜＞／") | _STRONG - frozenset("∅∞ℝℤℕℚℂℓℏℵ")
_BROKEN = _OPERATORS - {"-", "−", "|", "∀", "∃", "¬"}  # signs no whole formula begins with
_TAKES_SCRIPT = re.compile(r"[0-9A-Za-z\u0370-\u03ff)\]}|′'∑∏∫∮⋃⋂∪∩⊕∅∞∂∇!$⌉⌋⟩ℝℤℕℚℂ△]$")
_SCRIPT = re.compile(r"[^\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef_<$①-⓿]{1,16}")
_HAN_INDEX = re.compile(r"[\u4e00-\u9fff]{1,3}")
_CODE = re.compile(r"[;{]\s*$|^\s*[{}]|\+\+|--|[=!<>]=|&&|\|\||#include|printf|//|\bint\b|\breturn\b|[\"#@]")
_LABEL = re.compile(r"[A-Za-z0-9]{1,2}|[IVX]{1,4}|[Ⅰ-Ⅻ]")
_STOPS_BEFORE = frozenset("；。：，、")

Separator = Callable[[str, str, float, float, bool], str]


def has_signs(runs: Sequence[Run]) -> bool:
    """Whether a line may hold a formula at all: the quick look that spares plain lines the work."""
    sizes = [run.size for run in runs if run.baseline is not None]
    if sizes and min(sizes) < 0.8 * max(sizes):
        return True
    return any("i" in run.style or "m" in run.style or _EVIDENCE.search(run.text) for run in runs)


def markdown(runs: Sequence[Run], separator: Separator) -> str:
    """Runs of one line, from left to right, as text with formulas between dollar signs."""
    tokens = _tokens(runs, separator)
    coded = bool(_CODE.search("".join(run.text for run in runs)))
    _mark_stops(tokens)
    out = ""
    place = 0
    while place < len(tokens):
        end = place
        while end < len(tokens) and _goes_on(tokens, place, end):
            end += 1
        if end == place:
            out += _plain(tokens[place])
            place += 1
            continue
        out += _stretch(tokens[place:end], coded)
        place = end
    return out


def formula(runs: Sequence[Run], separator: Separator) -> str:
    """Runs of one line as the inside of a formula, words in it as text."""
    return latex.write(_tokens(runs, separator))


def _plain(token: Token) -> str:
    text = token.text.replace("−", "-")
    if token.kind == "formula":
        text = f"${text}$"
    if token.sub or token.sup:
        text += f"${latex.scripts(token)}$"
    return token.gap + text


# --- from runs to tokens -------------------------------------------------------------------------


def _tokens(runs: Sequence[Run], separator: Separator) -> list[Token]:
    """Words, numbers and signs of a line; raised and lowered ones stand with their base."""
    size = median([run.size for run in runs for _ in run.text], 10.0)
    bases = [run.baseline for run in runs if run.baseline is not None and run.size >= 0.85 * size]
    base = median(bases) if bases else None
    out: list[Token] = []
    last: Run | None = None
    for run in runs:
        level = _level(run, base, size) if out and last is not None else ""
        if level and last is not None and _hangs(run, last, out[-1], size):
            raised = latex.write(_pieces(run.text, run.style), compact=True)
            if level == "^":
                out[-1].sup = latex.joined(out[-1].sup, raised)
            else:
                out[-1].sub = latex.joined(out[-1].sub, raised)
            last = run if run.box.x1 > last.box.x1 else last
            continue
        new = _pieces(run.text, run.style)
        if last is not None and out and new:
            gap = run.box.x0 - last.box.x1
            new[0].wide = gap > 0.8 * size
            new[0].gap += separator(out[-1].text[-1], run.text[0], gap, max(size, 1.0), run.spaced)
        out += new
        last = run
    return out


def _level(run: Run, base: float | None, size: float) -> str:
    """'^' or '_' for a run that stands raised or lowered, else nothing."""
    if base is None or run.baseline is None or run.size > 0.8 * size:
        return ""
    rise = (base - run.baseline) / size
    if _HAN_INDEX.fullmatch(run.text):  # the complement of a number, the mass of a ball
        return "_" if rise < -0.02 and run.size < 0.7 * size else ""
    if not _SCRIPT.fullmatch(run.text):
        return ""
    low = -0.02 if run.size < 0.65 * size else -0.06
    return "^" if rise > 0.2 else "_" if rise < low else ""


def _hangs(run: Run, last: Run, token: Token, size: float) -> bool:
    """Whether a raised or lowered run belongs to the token before it."""
    if run.box.x0 - last.box.x1 > 0.4 * size:
        return False
    if token.kind == "number" and run.text in ("st", "nd", "rd", "th"):
        return False
    return token.kind == "formula" or bool(token.sub or token.sup or _TAKES_SCRIPT.search(token.text))


def _pieces(text: str, style: str) -> list[Token]:
    """Tokens of a run's text; a word breaks where its font changes."""
    if len(style) != len(text):
        style = " " * len(text)
    out: list[Token] = []
    gap = ""
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece.isspace():
            gap += piece
            continue
        if piece[0].isascii() and piece[0].isalpha():
            new = _words(piece, style[match.start() : match.end()])
        else:
            new = [_piece(piece, style[match.start()])]
        new[0].gap, gap = gap, ""
        out += new
    return out


def _piece(piece: str, style: str) -> Token:
    if piece[0] == "$" and len(piece) > 2:
        return Token(piece[1:-1], "formula")
    if piece.startswith(("<u>", "__")):
        return Token(piece, "stop")
    return Token(piece, "number" if piece[0].isdigit() and piece[0].isascii() else "sign", style=style)


def _words(word: str, style: str) -> list[Token]:
    """A word, cut where letters in italics meet upright ones, and before a function's name."""
    cuts = [0, *(i for i in range(1, len(word)) if style[i] != style[i - 1]), len(word)]
    out = []
    for begin, end in pairwise(cuts):
        part = word[begin:end]
        if len(part) > 2 and part not in FUNCTIONS and part[1:] in FUNCTIONS and style[begin] not in ". ":
            out.append(Token(part[0], "letters", style=style[begin]))
            part, begin = part[1:], begin + 1
        out.append(Token(part, "letters", style=style[begin]))
    return out


# --- which tokens are formulas -------------------------------------------------------------------


def _mark_stops(tokens: Sequence[Token]) -> None:
    """Make words, labels and all that no formula holds into stops."""
    for place, token in enumerate(tokens):
        if token.sub or token.sup or token.kind in ("formula", "stop"):
            continue
        if token.kind == "letters":
            if not _operand(token) or _in_prose(tokens, place):
                token.kind = "stop"
        elif token.kind == "sign" and not _mathematical(token.text) and token.text not in "（）":
            token.kind = "stop"
    _full_width(tokens)
    for place, token in enumerate(tokens):
        begins = place == 0 or "\t" in token.gap or len(token.gap) > 1
        if begins or tokens[place - 1].text in _STOPS_BEFORE or _labels_option(tokens, place):
            _mark_label(tokens, place)


def _full_width(tokens: Sequence[Token]) -> None:
    """Keep full-width brackets in a formula only where they hold a function's argument: `O（n）`."""
    open_at = -1
    for place, token in enumerate(tokens):
        if token.kind == "stop":
            open_at = -1
        elif token.text == "（":
            before = tokens[place - 1] if place else None
            held = before is not None and before.kind == "letters" and not token.gap
            token.kind = "stop"
            open_at = place if held and before is not None and before.style in ("i", "m") else -1
        elif token.text == "）":
            if 0 <= open_at < place - 1:
                tokens[open_at].kind = "sign"
            else:
                token.kind = "stop"
            open_at = -1


def _mathematical(sign: str) -> bool:
    return sign in _WEAK or sign in _STRONG or "\u0391" <= sign <= "\u03f5" or sign in latex.LETTERLIKE


def _operand(token: Token) -> bool:
    """Whether letters may be variables or the name of a function, rather than a word."""
    text, style = token.text, token.style
    if len(text) == 1 or text in FUNCTIONS:
        return True
    if len(text) == 2:
        return style in ("i", "m") or text.isupper()
    return len(text) <= 4 and ((style == "i" and text.isupper()) or style == "m")


def _in_prose(tokens: Sequence[Token], place: int) -> bool:
    """Whether a letter stands among words: the article, or a letter of a sentence in italics."""
    token = tokens[place]
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    near = [t for t in (before, after) if t is not None and t.kind in ("letters", "stop")]
    if token.style == "i" and any(_italic_word(t) for t in near):
        return True
    if token.style not in ". " or token.text in FUNCTIONS:
        return False
    spaced = token.gap == " " and after is not None and after.gap == " "
    beside = [t for t in (before, after) if t is not None]
    return spaced and not any(t.text in _OPERATORS or t.text in _OPEN or t.text in _CLOSE for t in beside)


def _italic_word(token: Token) -> bool:
    return token.style == "i" and len(token.text) > 2 and token.text.isalpha() and token.text not in FUNCTIONS


def _labels_option(tokens: Sequence[Token], place: int) -> bool:
    """Whether `B.` in the middle of a line labels an option."""
    token = tokens[place]
    if token.gap != " " or not re.fullmatch("[A-H]", token.text) or place + 2 >= len(tokens):
        return False
    return tokens[place + 1].text in (".", "．", "、") and tokens[place - 1].text not in _OPERATORS


def _mark_label(tokens: Sequence[Token], place: int) -> None:
    """Make the number or letter that labels a line or an option a stop."""
    end = place + (tokens[place].text in ("(", "（"))
    if end + 1 >= len(tokens) or tokens[end].sub or tokens[end].sup:
        return
    closers = ")）" if end > place else ".．、)）" if tokens[end].style == "i" else ".．、):：)）"
    if not _LABEL.fullmatch(tokens[end].text) or tokens[end + 1].text not in closers:
        return
    for token in tokens[place : end + 2]:
        token.kind = "stop"


def _goes_on(tokens: Sequence[Token], begin: int, place: int) -> bool:
    """Whether the stretch from begin holds the token at place too."""
    token = tokens[place]
    if token.kind == "stop":
        return False
    if place == begin:
        return True
    before = tokens[place - 1]
    if "\t" in token.gap or len(token.gap) > 1:
        return False
    if token.gap and before.kind == token.kind == "number":
        return False
    signs = before.kind == "sign" or token.kind == "sign"
    return not token.wide or signs


def _stretch(tokens: Sequence[Token], coded: bool) -> str:
    """A stretch without stops as text: the formula in it, and what is left around it."""
    first, last = 0, len(tokens)
    while first < last and _dangles_before(tokens[first]):
        first += 1
    while first < last and _dangles_after(tokens, first, last - 1):
        last -= 1
    odd = _unpaired(tokens[first:last])
    if odd is not None:
        odd += first
        parts = (tokens[:odd], tokens[odd : odd + 1], tokens[odd + 1 :])
        return _stretch(parts[0], coded) + "".join(map(_plain, parts[1])) + _stretch(parts[2], coded)
    inner = tokens[first:last]
    before, after = "".join(map(_plain, tokens[:first])), "".join(map(_plain, tokens[last:]))
    if not inner:
        return before + after
    if not _is_formula(inner, coded):
        return before + "".join(map(_plain, inner)) + after
    return f"{before}{inner[0].gap}${latex.write(inner)}${after}"


def _dangles_before(token: Token) -> bool:
    if token.kind != "sign" or token.sub or token.sup:
        return False
    return token.text in _ENDS or token.text in _CLOSE or token.text in "+×÷*%"


def _dangles_after(tokens: Sequence[Token], first: int, place: int) -> bool:
    token = tokens[place]
    if token.kind != "sign" or token.sub or token.sup:
        return False
    if token.text == "'" or token.text == "!":
        return place == first
    return token.text in _ENDS or token.text in _OPEN


def _unpaired(tokens: Sequence[Token]) -> int | None:
    """Place of the first bracket without a partner."""
    open_at: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in _OPEN:
            open_at.append(place)
        elif token.text in _CLOSE:
            if not open_at:
                return place
            open_at.pop()
    return open_at[0] if open_at else None


def _is_formula(tokens: Sequence[Token], coded: bool) -> bool:
    """Whether a stretch is surely set as mathematics.

    Signs typed in the font of the text do not count: there `1≤i≤n` is what the author wrote. Where fonts
    are not known (OCR) a sign that prose does not use counts, unless it has limits, which OCR scatters.
    """
    if any(token.sub or token.sup or token.kind == "formula" for token in tokens):
        return True
    if len(tokens) == 1:
        token = tokens[0]
        set_so = token.style == "m" or (token.style == "i" and not coded)
        return set_so and (token.kind == "letters" or token.text in _ALONE or latex.is_letter(token.text))
    operands = any(t.kind != "sign" or latex.is_letter(t.text) or t.text in "∅∞" for t in tokens)
    if any(t.style == "m" and t.kind != "number" and t.text not in _ENDS for t in tokens):
        return operands or all(t.text in _STRONG for t in tokens)
    if any(t.style == "i" and (t.kind == "letters" or latex.is_letter(t.text)) for t in tokens):
        return not coded
    if coded or not operands or any(t.style != " " for t in tokens) or tokens[0].text in _BROKEN:
        return False
    return any(t.text in _STRONG for t in tokens) and not any(t.text in _BIG for t in tokens)
