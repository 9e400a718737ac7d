"""Pairs of questions worth comparing, found by sorting: no step looks at all pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bank.dedup.grams import grams, ranges, rarest
from schemas.settings import DedupSettings

if TYPE_CHECKING:
    IntArray = NDArray[np.int64]
    BoolArray = NDArray[np.bool_]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DIGITS = re.compile(r"\d+")
FAMILY = 20  # texts that differ in their digits alone: a template, not a set of duplicates
BLOCK = 50  # texts with the same numbers, at most: a common signature says nothing
_CHUNK = 4_000_000  # pairs held at once


def candidates(texts: Sequence[str], new: Sequence[bool], settings: DedupSettings) -> IntArray:
    """Pairs (i, j), i < j, of texts that may be the same question; at least one of them is new.

    texts must be distinct. Returns an array of shape (pairs, 2), sorted. Two channels: sharing
    `min_shared` of the `rarest_grams` rarest grams; and the same numbers in the same order at
    about the same length. Both leave out what is frequent, so the work grows with the texts, not
    with their square, however large a family of like texts is.
    """
    fresh = np.asarray(new, dtype=bool)
    if len(texts) < 2 or not fresh.any():
        return np.empty((0, 2), dtype=np.int64)
    numbers = [signature(text) for text in texts]
    pairs = np.concatenate([_by_grams(texts, fresh, settings), _by_numbers(texts, numbers, fresh)])
    pairs = np.unique(pairs, axis=0) if len(pairs) else pairs
    return _guard_families(texts, numbers, pairs)


def _by_grams(texts: Sequence[str], fresh: BoolArray, settings: DedupSettings) -> IntArray:
    hashes, owner = rarest(*grams(texts), settings.rarest_grams, settings.max_df)
    if not len(hashes):
        return np.empty((0, 2), dtype=np.int64)
    per_text = np.bincount(owner, minlength=len(texts))
    order = np.lexsort((owner, hashes))
    hashes, owner = hashes[order], owner[order]
    # An entry meets the later ones of its gram, of which there are at most max_df - 1.
    ends = np.searchsorted(hashes, hashes, side="right")
    entries = np.argsort(owner, kind="stable")
    found = []
    # All entries of a text are in one chunk, so every pair is counted to its end there.
    for chunk in _chunks(owner[entries], (ends - np.arange(len(ends)) - 1)[entries]):
        places = entries[chunk]
        which, partners = ranges(places + 1, ends[places])
        left, right = owner[places][which], owner[partners]
        wanted = fresh[left] | fresh[right]
        codes = np.sort(left[wanted] * len(texts) + right[wanted])
        starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]][: len(codes)])
        shared = np.diff(np.r_[starts, len(codes)])
        left, right = np.divmod(codes[starts], len(texts))
        # A text with one usable gram can share no more than that one.
        need = np.minimum(settings.min_shared, np.minimum(per_text[left], per_text[right]))
        able = shared >= np.maximum(need, 1)
        found.append(np.stack([left[able], right[able]], axis=1))
    return np.concatenate(found)


def _chunks(owner: IntArray, sizes: IntArray) -> Iterator[slice]:
    """Slices of entries sorted by owner, of about _CHUNK pairs each, that part no owner."""
    sums = np.cumsum(sizes)
    start = 0
    while start < len(owner):
        limit = (int(sums[start - 1]) if start else 0) + _CHUNK
        stop = int(np.searchsorted(sums, limit, side="right"))
        # Back to the first entry of an owner, or on to the last where one owner fills the chunk.
        stop = int(np.searchsorted(owner, owner[min(stop, len(owner) - 1)])) if stop < len(owner) else stop
        if stop <= start:
            stop = int(np.searchsorted(owner, owner[start], side="right"))
        yield slice(start, stop)
        start = stop


def signature(text: str) -> str:
    """The numbers of a text, in order."""
    return " ".join(_NUMBER.findall(text))


def masked(text: str) -> str:
    """A text with its numbers hidden: equal for the members of a template family."""
    return _DIGITS.sub("0", text)


def _by_numbers(texts: Sequence[str], numbers: Sequence[str], fresh: BoolArray) -> IntArray:
    """Pairs with the same numbers (two at least, or one of three digits), lengths within 20 %."""
    able = np.asarray([i for i, n in enumerate(numbers) if " " in n or len(n) >= 3], dtype=np.int64)
    lengths = np.fromiter((len(t) for t in texts), dtype=np.int64, count=len(texts))
    pairs = with_same(able, _codes([numbers[i] for i in able.tolist()]), lengths)
    return pairs[fresh[pairs[:, 0]] | fresh[pairs[:, 1]]]


def with_same(able: IntArray, numbers: NDArray[Any], lengths: IntArray) -> IntArray:
    """Pairs of able texts, ascending, with equal numbers, lengths within 20 %; numbers: one an able text."""
    _, group, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    small = counts[group] <= BLOCK
    index, group = able[small], group[small]
    order = np.argsort(group, kind="stable")
    index, group = index[order], group[order]
    found = [np.empty((0, 2), dtype=np.int64)]
    for step in range(1, BLOCK):
        same = np.flatnonzero(group[step:] == group[:-step])
        if not len(same):
            break
        left, right = index[same], index[same + step]
        near = np.abs(lengths[left] - lengths[right]) * 5 <= np.maximum(lengths[left], lengths[right])
        found.append(np.stack([left[near], right[near]], axis=1))
    return np.concatenate(found)


def _guard_families(texts: Sequence[str], numbers: Sequence[str], pairs: IntArray) -> IntArray:
    """Members of a template family are compared only where their numbers agree."""
    if not len(pairs):
        return pairs
    family = _codes([masked(text) for text in texts])
    large = np.bincount(family)[family] >= FAMILY
    same = _codes(numbers)
    left, right = pairs[:, 0], pairs[:, 1]
    able = ~(large[left] | large[right]) | (same[left] == same[right])
    kept: IntArray = pairs[able]
    return kept


def _codes(values: Sequence[str]) -> NDArray[Any]:
    seen: dict[str, int] = {}
    return np.fromiter((seen.setdefault(v, len(seen)) for v in values), dtype=np.int64, count=len(values))
