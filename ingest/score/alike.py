"""How alike two texts are to the yardstick, and which questions are the same one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

PAIR_AT, ANSWER_AT = 0.70, 0.60
_SHORT = 4  # letters below which an answer is compared with its signs
_LAYOUT = re.compile(
    r"\\(?:left|right|displaystyle|mathrm|mathbf|boldsymbol|text|quad|qquad|limits|operatorname|[,;!])\b|\\[,;!]"
)
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[^}]*\}(?:\{[^}]*\})?")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_PROSE = dict.fromkeys(map(ord, " \t\r\n$*`_~()[]【】{},。.、;:?!“”\"'‘’《》<>—-·"))  # after NFKC
_GREEK = range(0x370, 0x400)


def wording(text: str | None) -> str:
    """Letters, digits and Han characters only: what any way of writing a formula keeps."""
    text = unicodedata.normalize("NFKC", text or "")
    text = _COMMAND.sub("", _ENVIRONMENT.sub("", text)).lower()
    return "".join(char for char in text if char.isalnum() and ord(char) not in _GREEK)


def strict(text: str | None) -> str:
    """Text with its formulas, without what a typesetter is free to choose."""
    return _LAYOUT.sub("", unicodedata.normalize("NFKC", text or "")).lower().translate(_PROSE)


def similarity(one: str, other: str) -> float:
    """Normalised Levenshtein similarity, 0-1."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(one, other))


def pairs(gold: Sequence[str], found: Sequence[str]) -> list[tuple[int, int, float]]:
    """(place in gold, place in found, similarity) of texts at least PAIR_AT alike, each used once.

    The most alike are paired first; among equals those that stand first. Sorted by place in gold.
    """
    import numpy as np
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    if not gold or not found:
        return []
    alike = cdist(gold, found, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
    out: list[tuple[int, int, float]] = []
    free_gold, free_found = set(range(len(gold))), set(range(len(found)))
    for flat in np.argsort(-alike, axis=None, kind="stable"):
        g, f = divmod(int(flat), len(found))
        value = float(alike[g, f])
        if value < PAIR_AT:
            break
        if g in free_gold and f in free_found:
            free_gold.remove(g)
            free_found.remove(f)
            out.append((g, f, value))
    return sorted(out)


def same_answer(want: str, got: str | None) -> bool:
    """Whether got says what the reference answer says; short answers are compared with their signs."""
    if not (got or "").strip():
        return False
    form = wording if len(wording(want)) >= _SHORT else strict
    return similarity(form(want), form(got)) >= ANSWER_AT
