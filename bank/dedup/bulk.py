"""Verdicts on many pairs of folded questions at once, in as many processes as there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bank.dedup.columns import CHOOSING, ENGLISH, GLOSS, Folded, in_order
from bank.dedup.guards import content
from bank.dedup.join import strings
from bank.dedup.verdict import Finding, compare, compare_read
from bank.dedup.words import CHINESE_DIGITS, NUMERALS
from schemas.settings import DedupSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray = NDArray[np.int64]

_AT_ONCE = 20_000  # pairs that one worker judges
_GLOSSED = 50.0

Told = tuple[int, Finding, Finding]  # number of a pair, what is found from a to b, and from b to a


@dataclass(frozen=True)
class Known:
    """A question as it was read, without its text."""

    key: str
    tokens: tuple[str, ...]
    options: tuple[str, ...]
    english: bool
    choosing: bool


@dataclass(frozen=True)
class Work:
    """Pairs to judge: places in questions; texts are given where they are needed in full."""

    questions: list[Known]
    pairs: list[tuple[int, int]]
    texts: dict[int, str]
    settings: DedupSettings


def findings(
    folded: Folded,
    pairs: IntArray,
    settings: DedupSettings,
    text_of: Callable[[Sequence[int]], list[str]],
    pool: Executor | None = None,
) -> Iterator[Told]:
    """What is found of each pair that is not simply different, in order.

    pairs: shape (n, 2), places in folded, of questions that do not read the same. text_of: the texts
    of some places, for pairs in which a foreign name may have been left out.
    """
    before = 0
    for chunk, told in zip(
        _cut(pairs),
        in_order(judge, (_work(folded, p, settings, text_of) for p in _cut(pairs)), pool),
        strict=True,
    ):
        yield from ((before + number, forth, back) for number, forth, back in told)
        before += len(chunk)


def _cut(pairs: IntArray) -> Iterator[IntArray]:
    for start in range(0, len(pairs), _AT_ONCE):
        yield pairs[start : start + _AT_ONCE]


def _work(
    folded: Folded, pairs: IntArray, settings: DedupSettings, text_of: Callable[[Sequence[int]], list[str]]
) -> Work:
    places, inside = np.unique(pairs, return_inverse=True)
    inside = inside.reshape(pairs.shape)
    marks = folded.marks[places]
    named = places.tolist()
    questions = [
        Known(
            key=f"{folded.keys[place]:016x}",
            tokens=tokens,
            options=folded.options.get(place, ()),
            english=bool(mark & ENGLISH),
            choosing=bool(mark & CHOOSING),
        )
        for place, tokens, mark in zip(named, strings(folded, named), marks.tolist(), strict=True)
    ]
    glossed = np.unique(inside[((marks[inside] & GLOSS) > 0).any(axis=1)]).tolist()
    texts = dict(zip(glossed, text_of([named[n] for n in glossed]), strict=True)) if glossed else {}
    return Work(
        questions, list(zip(inside[:, 0].tolist(), inside[:, 1].tolist(), strict=True)), texts, settings
    )


def judge(work: Work) -> list[Told]:
    """Judge the pairs of one piece of work; those that are different are left out."""
    alike = _alike(work)
    numbers = [_numbers(question.tokens) for question in work.questions]
    for number in np.flatnonzero(alike).tolist():
        i, j = work.pairs[number]
        one, other = numbers[i], numbers[j]
        alike[number] = one is None or other is None or len(one) != len(other) or one == other
    told = []
    for number in np.flatnonzero(alike).tolist():
        i, j = work.pairs[number]
        if i in work.texts and j in work.texts:
            a, b = work.texts[i], work.texts[j]
            found = compare(a, b, settings=work.settings), compare(b, a, settings=work.settings)
        else:
            found = compare_read(work.questions[i], work.questions[j], work.settings)
        if found[0].verdict != "different":
            told.append((number, *found))
    return told


def _numbers(tokens: Sequence[str]) -> list[str] | None:
    """The numbers of a text in order of size; None where a letter may be one as well.

    Texts with as many others are different whatever else they say: the guard on numbers says so of each.
    """
    if any(sign == "|" or "a" <= sign[0] <= "z" for sign in tokens):
        return None
    return sorted(n.translate(CHINESE_DIGITS) for n in tokens if n[0].isdigit() or n in NUMERALS)


def _alike(work: Work) -> NDArray[np.bool_]:
    """Which pairs have a ratio from which a verdict can be anything but different."""
    from rapidfuzz import fuzz, process

    signs: dict[str, str] = {}  # token -> one character, so that the ratios are those of the verdict
    enough = np.zeros(len(work.pairs), dtype=np.bool_)
    least = np.array(
        [
            _GLOSSED if i in work.texts and j in work.texts else work.settings.review_at - 10.01
            for i, j in work.pairs
        ]
    )
    for part in (tuple, content):
        texts = [_encoded(part(question.tokens), signs) for question in work.questions]
        open_ = np.flatnonzero(~enough)
        left, right = ([texts[work.pairs[n][side]] for n in open_.tolist()] for side in range(2))
        ratios: Any = process.cpdist(left, right, scorer=fuzz.ratio, dtype=np.float32)
        enough[open_] = ratios >= least[open_]
    return enough


def _encoded(tokens: Sequence[str], signs: dict[str, str]) -> str:
    # Characters stand for themselves; longer tokens get one beyond all that are in use.
    return "".join(t if len(t) == 1 else signs.setdefault(t, chr(0xF0000 + len(signs))) for t in tokens)
