"""Overlap of a reply with the reference answer as 0-3 stars: a check of the pipes, not of knowledge."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise

from schemas.text import fold, squeeze

VERSION = 1
SHORT = 8  # characters; a shorter reference is looked for as a whole
_MAX_CHARS = 100_000


def stars(reply: str, reference: str, question: str = "") -> int:
    """Stars for reply, from the characters and character pairs it shares with reference.

    3: the same text, or an F-measure of 0.75 and more; 2: three quarters of the reference are in
    the reply, or a short reference stands in it as a word of its own, not negated; 1: two fifths;
    0: less. A reference compared with itself always gives 3.
    """
    if squeeze(reply) == squeeze(reference):
        return 3
    given, wanted = _fold(reply[:_MAX_CHARS]), _fold(reference[:_MAX_CHARS])
    if not given or not wanted:
        return 0
    if given == wanted:
        return 3
    if len(wanted) <= SHORT:
        return 2 if _stands_in(squeeze(reference), squeeze(reply[:_MAX_CHARS])) else 0
    mine, theirs = _grams(given), _grams(wanted)
    shared = (mine & theirs).total()
    f_measure = 2 * shared / (mine.total() + theirs.total())
    recall = shared / theirs.total()
    if f_measure >= 0.75:
        return 3
    return 2 if recall >= 0.75 else 1 if recall >= 0.4 else 0


def _fold(text: str) -> str:
    # An answer starting with a number is no list item: kept from losing '3.' of '3.14'.
    return fold("答" + text)[1:]


def _grams(text: str) -> Counter[str]:
    return Counter(text) + Counter(a + b for a, b in pairwise(text))


def _stands_in(short: str, text: str) -> bool:
    short, text = (unicodedata.normalize("NFKC", part).lower() for part in (short, text))
    alone = rf"(?<![a-z0-9不未非没无])(?<!\d\.)(?<!not ){re.escape(short)}(?![a-z0-9]|\.\d)"
    return re.search(alone, text) is not None
