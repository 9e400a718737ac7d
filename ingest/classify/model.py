"""The word model, made of the word lists on first use: what every word and pair of characters speaks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ingest.classify.kept import kept
from ingest.classify.match import prepare
from ingest.classify.terms import EVERYDAY, Force, leanings, listed, neighbours
from ingest.classify.tokens import Segmenter
from schemas.taxonomy import UNKNOWN, Node, names, taxonomy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RANKS = (1.0, 0.6, 0.4, 0.3)
"""What a word of leanings.tsv says for the first, second … of its codes."""

_SUBJECT, _HINT, _EVERYDAY = 2.5, 0.3, 0.5
"""Least weight of a word that says what a text is about (by benchmarks/classify_own.py); weight of a hint;
what an everyday word keeps."""

_FLOOR = 0.2
"""Share of a word below which a sub-discipline hardly has it: the smaller, the less sharing costs. By
benchmarks/classify_own.py."""

_LENGTH = 0.2
"""What a word loses when its discipline's lists are e times as long as others."""

_DOUBT = {1: 60.0, 2: 6.0, 3: 3.0}
"""Words that a character, pair or triple must occur in before it is believed by half."""

_SINGLE = 0.5
"""What a single character counts beside a pair or triple."""


@dataclass(frozen=True, slots=True)
class WordModel:
    """rows: evidence of each listed word, first for the disciplines, then for the sub-disciplines, in
    log-odds; gram_rows: evidence of characters, pairs and triples of them for the disciplines.
    gram_subs: the same for sub-disciplines, above what says nothing: those of gram n are in
    gram_codes and gram_subs from gram_starts[n] to gram_starts[n + 1].
    """

    disciplines: tuple[str, ...]
    subs: tuple[str, ...]
    members: NDArray[np.float32]
    ids: dict[str, int]
    plain: frozenset[str]
    rows: NDArray[np.float32]
    grams: dict[str, int]
    gram_rows: NDArray[np.float32]
    gram_starts: NDArray[np.int64]
    gram_codes: NDArray[np.uint8]
    gram_subs: NDArray[np.float32]
    segmenter: Segmenter


def _weight(word: str) -> float:
    """How much one word says before sharing: longer words are rarer and say more."""
    if word.isascii():
        letters = len(word.replace(" ", ""))
        return 0.8 if letters <= 3 else 1.4 if letters <= 7 else 2.0
    return {2: 1.0, 3: 1.4}.get(len(word), 1.6)


@dataclass(slots=True)
class _Words:
    """Shares of each word by sub-discipline, adding up to 1; its weight; the words that say nothing."""

    shares: dict[str, dict[str, float]]
    weights: dict[str, float]
    plain: set[str]


def _read() -> _Words:
    """The lists as one: names and terms, then what leanings.tsv says instead."""
    tax = taxonomy()
    shares: dict[str, dict[str, float]] = {}
    everyday: set[str] = set()
    for entry in listed():
        if entry.code == EVERYDAY:
            everyday.add(entry.word)
        else:
            shares.setdefault(entry.word, {})[entry.code] = 1.0
    nodes: list[tuple[Node, str]] = [(c, c.sub_discipline) for c in tax.courses.values()]
    nodes += [(s, s.code) for s in tax.sub_disciplines.values()]
    for node, code in nodes:
        for name in map(prepare, names(node)):
            # Short titles are everyday words; as a word of a text they need to be listed.
            if len(name) >= (6 if name.isascii() else 4):
                shares.setdefault(name, {})[code] = 1.0
    weights = {word: _weight(word) * (_EVERYDAY if word in everyday else 1.0) for word in shares}
    words = _Words(shares, weights, set())
    _lean(words)
    for word in words.plain:
        shares.pop(word, None)
    for word, found in shares.items():
        total = sum(found.values())
        shares[word] = {sub: share / total for sub, share in found.items()}
    return words


@cache
def _meant(code: str) -> dict[str, float]:
    """The sub-disciplines a code stands for, with equal shares of 1."""
    subs = [sub for sub in taxonomy().sub_disciplines if sub.startswith(code)]
    return dict.fromkeys(subs, 1 / max(len(subs), 1))


def _lean(words: _Words) -> None:
    """Put in what leanings.tsv says."""
    weights, plain = words.weights, words.plain
    said: dict[str, dict[str, float]] = {}
    hinted: set[str] = set()
    for leaning in leanings():
        if leaning.force is Force.PLAIN:
            plain.add(leaning.word)
            continue
        if leaning.force is Force.HINT:
            weights[leaning.word] = _HINT
            hinted.add(leaning.word)
            if leaning.word in said:
                continue
        elif leaning.word not in hinted:
            least = _SUBJECT if leaning.force is Force.SUBJECT else 0.0
            weights[leaning.word] = max(_weight(leaning.word), least, weights.get(leaning.word, 0.0))
        told = said.setdefault(leaning.word, {})
        times = 2.0 if leaning.force is Force.SUBJECT else 1.0
        for code, rank in zip(leaning.codes, _RANKS, strict=False):
            for sub, part in _meant(code).items():
                told[sub] = told.get(sub, 0.0) + times * rank * part
    words.shares |= said


def grams_of(text: str) -> set[str]:
    """Characters that are not ASCII, and pairs and triples of characters with one in every pair."""
    pairs = {
        at for at in range(len(text) - 1) if " " not in (pair := text[at : at + 2]) and not pair.isascii()
    }
    return (
        {char for char in text if not char.isascii()}
        | {text[at : at + 2] for at in pairs}
        | {text[at : at + 3] for at in pairs if at + 1 in pairs}
    )


@cache
def model() -> WordModel:
    """The files in terms/, leanings.tsv and the names of courses and sub-disciplines as one, made once."""
    import numpy as np

    disciplines, subs, members = _codes()
    arrays = kept(_made)
    words = arrays["words"].tobytes().decode().split("\n")
    grams = arrays["grams"].tobytes().decode().split("\n")
    plain = frozenset(arrays["plain"].tobytes().decode().split("\n"))
    rows = np.zeros(len(words) * (len(disciplines) + len(subs)), np.float32)
    rows[arrays["places"]] = arrays["values"]
    return WordModel(
        disciplines,
        subs,
        members,
        dict(zip(words, range(len(words)), strict=True)),
        plain,
        rows.reshape(len(words), -1),
        dict(zip(grams, range(len(grams)), strict=True)),
        arrays["gram_rows"].astype(np.float32, copy=False),
        arrays["gram_starts"].astype(np.int64),
        arrays["gram_codes"].astype(np.uint8, copy=False),
        arrays["gram_subs"].astype(np.float32, copy=False),
        Segmenter((*words, *plain)),
    )


def _codes() -> tuple[tuple[str, ...], tuple[str, ...], NDArray[np.float32]]:
    """Disciplines, sub-disciplines, and which belongs to which, (sub-disciplines, disciplines)."""
    import numpy as np

    disciplines = tuple(code for code in taxonomy().disciplines if code != UNKNOWN)
    subs = tuple(taxonomy().sub_disciplines)
    members = np.array([[sub.startswith(d) for d in disciplines] for sub in subs], np.float32)
    return disciplines, subs, members


def _made() -> dict[str, NDArray[np.generic]]:
    """The model as arrays: words as lines of UTF-8; of the rows, what is not 0 with its place."""
    import numpy as np

    words = _read()
    disciplines, subs, members = _codes()
    place = {code: at for at, code in enumerate(subs)}
    ids = {word: at for at, word in enumerate(words.shares)}
    by_sub = np.zeros((len(ids), len(subs)), np.float32)
    for word, at in ids.items():
        for sub, share in words.shares[word].items():
            by_sub[at, place[sub]] = share
    by_discipline = by_sub @ members
    grams, words_of, grams_in = _grams(ids)
    doubt = np.array([_DOUBT[len(gram)] for gram in grams])
    size = by_discipline.sum(axis=0)
    spread = by_sub @ _spread(place)
    shares = np.hstack([spread @ members, spread])
    weights = np.array([words.weights[word] for word in ids], np.float32)
    rows = np.log1p(shares / _FLOOR) * (weights / np.log1p(1 / _FLOOR))[:, None]
    # A discipline of long lists is met by chance more often, so that each of its words says less.
    rows[:, : len(disciplines)] *= 1 - _LENGTH * np.log(size / size.mean())
    flat = rows.astype(np.float32).ravel()
    places = np.flatnonzero(flat).astype(np.uint32)
    return {
        "words": _lines(ids),
        "plain": _lines(sorted(words.plain)),
        "grams": _lines(grams),
        "places": places,
        "values": flat[places],
        "gram_rows": _gram_rows(words_of, grams_in, by_discipline, doubt).astype(np.float16),
        **_gram_subs(words_of, grams_in, by_sub, doubt),
    }


def _lines(words: Iterable[str]) -> NDArray[np.generic]:
    import numpy as np

    return np.frombuffer("\n".join(words).encode(), np.uint8)


def _spread(place: dict[str, int]) -> NDArray[np.float32]:
    """What a word of each sub-discipline (rows) says for every other (columns), adding up to 1."""
    import numpy as np

    table = np.eye(len(place), dtype=np.float32)
    for code, other, weight in neighbours():
        table[place[code], place[other]] += weight
    result: NDArray[np.float32] = table / table.sum(axis=1, keepdims=True)
    return result


def _grams(ids: dict[str, int]) -> tuple[dict[str, int], NDArray[np.int64], NDArray[np.int64]]:
    """Characters, pairs and triples, and which word has which: two arrays, one entry an occurrence."""
    import numpy as np

    grams: dict[str, int] = {}
    which: list[int] = []
    where: list[int] = []
    for word, at in ids.items():
        for gram in sorted(grams_of(word)):
            where.append(grams.setdefault(gram, len(grams)))
            which.append(at)
    return grams, np.array(which), np.array(where)


def _even(shares: NDArray[np.float32]) -> NDArray[np.float32]:
    """Shares of words (words, places) by the length of each place's lists: a longer one has more words with
    any pair of characters by that alone.
    """
    import numpy as np

    size = np.maximum(shares.sum(axis=0), 1.0)
    result: NDArray[np.float32] = shares / (size / size.mean())
    return result


def _gram_rows(
    which: NDArray[np.int64],
    where: NDArray[np.int64],
    by_discipline: NDArray[np.float32],
    doubt: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Log-odds that grams carry for each discipline; one of few words is drawn towards saying nothing."""
    import numpy as np

    even = _even(by_discipline)
    number = even.shape[1]
    counts = np.stack(
        [np.bincount(where, weights=even[which, d], minlength=len(doubt)) for d in range(number)], axis=1
    )
    few = doubt[:, None]
    of_all = counts.sum(axis=1, keepdims=True) + few
    odds: NDArray[np.float64] = np.log((counts + few / number) / of_all * number)
    odds[doubt == _DOUBT[1]] *= _SINGLE
    return odds


def _gram_subs(
    which: NDArray[np.int64],
    where: NDArray[np.int64],
    by_sub: NDArray[np.float32],
    doubt: NDArray[np.float64],
) -> dict[str, NDArray[np.generic]]:
    """What grams say of sub-disciplines: log-odds over one that has no word with the gram."""
    import numpy as np

    even = _even(by_sub)
    number = even.shape[1]
    more = doubt[where] < _DOUBT[1]  # single characters say too little of these
    which, where = which[more], where[more]
    words, subs = np.nonzero(even)
    # One entry for each occurrence of a gram in a word and each sub-discipline of that word.
    per_word = np.bincount(words, minlength=len(even))
    first = np.cumsum(per_word) - per_word
    times = per_word[which]
    entry = np.repeat(first[which] - (np.cumsum(times) - times), times) + np.arange(times.sum())
    keys, at = np.unique(np.repeat(where, times) * number + subs[entry], return_inverse=True)
    counts = np.bincount(at, weights=even[words[entry], subs[entry]])
    grams = keys // number
    return {
        "gram_starts": np.searchsorted(grams, np.arange(len(doubt) + 1)).astype(np.uint32),
        "gram_codes": (keys % number).astype(np.uint8),
        "gram_subs": np.log1p(counts * number / doubt[grams]).astype(np.float16),
    }
