"""Characters of a text layer mended: private-use codes of symbol fonts, compatibility forms."""

from __future__ import annotations

import unicodedata

# Adobe Symbol encoding, codes 0x20-0xFE, as Word and MathType write it at U+F000 + code.
_SYMBOL = dict(
    zip(
        [*range(0x21, 0x7F), *range(0xA0, 0xFF)],
        "!∀#∃%&∋()*+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεϕγηιφκλμνοπθρστυϖωξψζ{|}∼"
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐―↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)

_EXTRA = {"K": "…", "L": "⋯", "M": "⋮", "O": "⋱", "N": "⋰", "l": "ℓ", "h": "ℏ"}
_SAME = frozenset("°±·")  # the same sign in Latin-1 and in the Symbol encoding
_PHI = {"φ": "ϕ", "ϕ": "φ"}  # the names of their glyphs stand for the straight and the curly letter crosswise
_EITHER = frozenset("×÷¬®©")  # a sign of both, at different codes


def raw_symbol_font(font: str, chars: set[str]) -> bool:
    """Whether a font in the Symbol encoding was left undecoded, judging by the characters it gives.

    Symbol has no Latin letters: where the text layer says `a`, the page shows α.
    """
    return is_symbol_font(font) and any(_only_raw(char) for char in chars)


def is_symbol_font(font: str) -> bool:
    """Symbol and its kin (SymbolMT, Euclid Symbol), by name."""
    return "symbol" in font.lower() and "segoe" not in font.lower()


def _only_raw(char: str) -> bool:
    """Characters that a decoded Symbol font cannot give."""
    return (char.isascii() and char.isalpha()) or (
        "\xa0" < char <= "\xff" and char not in _SAME and char not in _EITHER
    )


def repair(char: str, font: str, raw: bool = False) -> tuple[str, bool]:
    """(what the character means, whether that is sound).

    Private-use codes of symbol fonts are looked up, and all codes of a raw symbol font (see
    raw_symbol_font); what cannot be known is dropped and reported as unsound. Radicals and
    compatibility Han become the ordinary character.
    """
    code = ord(char[0])
    name = font.lower()
    if "\uf020" <= char <= "\uf0ff":
        if "extra" in name and chr(code - 0xF000) in _EXTRA:
            return _EXTRA[chr(code - 0xF000)], True
        meaning = _SYMBOL.get(code - 0xF000)
        return (meaning, True) if meaning and "dings" not in name else ("", False)
    if raw and code < 0x100:
        return _SYMBOL.get(code, char), True
    if char in _PHI and (is_symbol_font(font) or "cmmi" in name):
        return _PHI[char], True
    if "mt" in name and "extra" in name and char in _EXTRA:
        return _EXTRA[char], True
    if "\u2e80" <= char <= "\u2fdf" or "\uf900" <= char <= "\ufaff":
        return unicodedata.normalize("NFKC", char), True
    if "\ufb00" <= char <= "\ufb06":
        return unicodedata.normalize("NFKC", char), True
    if char == "\ufffd" or unicodedata.category(char) in ("Co", "Cc", "Cn", "Cs"):
        return "", False
    return char, True
