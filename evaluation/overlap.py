"""Overlap of a reply with the reference answer as 0-3 stars: a check of the pipes, not of knowledge."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise

from evaluation import closed
from schemas.text import fold, squeeze

VERSION = 2
SHORT = 8  # characters; a shorter reference is looked for as a whole
_MAX_CHARS = 100_000
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?")
_OF_QUESTION = 0.25  # weight of what the question says itself: repeating it shows little
_RIGHT, _LEANS, _SILENT = 0.95, 0.6, 0.1


def stars(reply: str, reference: str, question: str = "") -> int:
    """Stars for reply, from what it shares with reference and not with question.

    3: the same text, or a likeness of 0.75 and more without much else; 2: the same likeness in a
    longer reply, or the right option or verdict alone; 1: a likeness of two fifths; 0: less.
    A reference compared with itself always gives 3.
    """
    if squeeze(reply) == squeeze(reference):
        return 3
    given, wanted = _fold(reply[:_MAX_CHARS]), _fold(reference[:_MAX_CHARS])
    if not given or not wanted:
        return 0
    if given == wanted:
        return 3
    like = likeness(reply, reference, question)
    if like >= 0.75:
        mine, theirs = (Counter([*text, *_pairs(text)]) for text in (given, wanted))
        return 3 if 2 * (mine & theirs).total() >= 0.75 * (mine.total() + theirs.total()) else 2
    return 1 if like >= 0.4 else 0


def likeness(reply: str, reference: str, question: str = "") -> float:
    """How much of the reference a reply gives, 0 to 1.

    Where the reference is an option or a verdict, whether the reply chooses or says the same. Else
    the share of the reference's character pairs that the reply has, those of the question counting
    a quarter, in equal parts with the share of its numbers; a short one has to stand there whole.
    """
    reply, reference, question = (text[:_MAX_CHARS] for text in (reply, reference, question))
    if wanted := closed.letters(reference, question):
        return _options(closed.chosen(reply, question), wanted)
    if (says := closed.verdict(reference)) is not None:
        told = closed.leading_verdict(reply)
        if told is not None:
            return _RIGHT if told is says else 0.0
        return _LEANS if closed.leaning(reply) is says else _SILENT
    return _text(reply, reference, question)


def _options(given: str, wanted: str) -> float:
    if not given:
        return _SILENT
    mine, theirs = set(given), set(wanted)
    return _RIGHT if mine == theirs else 0.3 * len(mine & theirs) / len(mine | theirs)


def _text(reply: str, reference: str, question: str) -> float:
    given, wanted, asked = _fold(reply), _fold(reference), _fold(question)
    if not wanted:
        return float(squeeze(reference) in reply)
    mine, known = Counter(_pairs(given)), set(_pairs(asked))
    shared = total = 0.0
    for pair, times in Counter(_pairs(wanted)).items():
        weight = _OF_QUESTION if pair in known else 1.0
        total += weight * times
        shared += weight * min(times, mine[pair])
    share = shared / total if total else float(wanted in given)
    if numbers := Counter(_NUMBER.findall(reference)):
        found = (numbers & Counter(_NUMBER.findall(reply))).total() / numbers.total()
        share = (share + found) / 2
    if len(wanted) <= SHORT and not _stands_in(squeeze(reference), squeeze(reply)):
        share *= 0.35
    return share


def _fold(text: str) -> str:
    # An answer starting with a number is no list item: kept from losing '3.' of '3.14'.
    return fold("答" + text)[1:]


def _pairs(text: str) -> list[str]:
    return [a + b for a, b in pairwise(text)]


def _stands_in(short: str, text: str) -> bool:
    short, text = (unicodedata.normalize("NFKC", part).lower() for part in (short, text))
    alone = rf"(?<![a-z0-9不未非没无])(?<!\d\.)(?<!not )(?<!不是){re.escape(short)}(?![a-z0-9]|\.\d)"
    return re.search(alone, text) is not None
