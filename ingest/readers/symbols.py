"""Characters of symbol fonts (Symbol, Wingdings) as Unicode; Word stores them at U+F000 + code."""

from __future__ import annotations

_SYMBOL = {
    **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
    **dict(zip(range(0x61, 0x7B), "αβχδεϕγηιφκλμνοπθρστυϖωξψζ", strict=True)),
    **dict(
        zip(
            range(0xA1, 0xFF),
            "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
            "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
            strict=True,
        )
    ),
    0x22: "∀",
    0x24: "∃",
    0x27: "∋",
    0x2A: "∗",
    0x2D: "−",
    0x40: "≅",
    0x5C: "∴",
    0x5E: "⊥",
    0x7E: "∼",
}
_WINGDINGS = {
    **{0x80 + n: chr(0x245F + n) for n in range(1, 11)},
    **{0x8B + n: chr(0x2775 + n) for n in range(1, 11)},
    0x80: "⓪",
    0x4A: "☺",
    0x4C: "☹",
    0x6C: "●",
    0x6E: "■",
    0x6F: "□",
    0x71: "□",
    0x72: "□",
    0x75: "◆",
    0x76: "❖",
    0x77: "◆",
    0x9E: "•",
    0x9F: "•",
    0xA1: "○",
    0xA2: "○",
    0xA4: "◎",
    0xA6: "○",
    0xA7: "▪",
    0xA8: "□",
    0xAB: "★",
    0xD8: "➢",
    0xDF: "←",
    0xE0: "→",
    0xE1: "↑",
    0xE2: "↓",
    0xE8: "→",
    0xEF: "⇦",
    0xF0: "⇨",
    0xFB: "✗",
    0xFC: "✓",
    0xFD: "☒",
    0xFE: "☑",
}
_WINGDINGS2 = {0x50: "✓", 0x4F: "✗", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0xA3: "□", 0x97: "●", 0x99: "○"}
_GREEK_LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩϑϕϖς"
_GREEK_NAMES = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega "
    "vartheta phi varpi varsigma"
)
_GREEK = dict(zip(_GREEK_LETTERS, _GREEK_NAMES.split(), strict=True))
_FONTS = {"wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS2}


def from_symbol_font(text: str, font: str = "Symbol") -> str:
    """Text with its private-use characters turned into Unicode by the font's table.

    A code the table does not know stays as it is when it is plain ASCII, else becomes '□'.
    Characters outside U+F000-U+F0FF are left alone, so ordinary text passes through.
    """
    if not any("\uf000" <= char <= "\uf0ff" for char in text):
        return text
    table = _FONTS.get(font.lower(), _SYMBOL)
    return "".join(_one(ord(char) & 0xFF, table) if "\uf000" <= char <= "\uf0ff" else char for char in text)


def _one(code: int, table: dict[int, str]) -> str:
    known = table.get(code)
    if known is not None:
        return known
    return chr(code) if 0x20 <= code < 0x7F and table is _SYMBOL else "□"


def greek(text: str) -> str:
    """Greek letters as LaTeX commands, for text that goes between dollar signs."""
    shown = ""
    for place, char in enumerate(text):
        name = _GREEK.get(char)
        following = text[place + 1 : place + 2]
        shown += (
            char
            if name is None
            else f"\\{name}" + (" " if following.isalpha() and following.isascii() else "")
        )
    return shown
