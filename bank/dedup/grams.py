"""Texts as arrays of gram hashes: Han characters by two and three, digits by three, letters by five."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    IntArray = NDArray[np.int64]
    HashArray = NDArray[np.uint64]

_HAN, _DIGIT, _OTHER = 2, 3, 5  # gram lengths
_HAN_TOO = 3  # among a million texts most pairs of characters stand in too many to tell anything
_PRIME = np.uint64(0x9E3779B97F4A7C15)


def grams(texts: Sequence[str]) -> tuple[HashArray, IntArray]:
    """Hashes of all grams of all texts, each once a text, and the index of the text of each.

    Both arrays have one entry per distinct gram of a text, sorted by text, then hash. A text
    shorter than a gram gives one gram of what there is. Equal grams have equal hashes everywhere.
    """
    lengths = np.fromiter((len(t) for t in texts), dtype=np.int64, count=len(texts))
    chars = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    if not len(chars):
        return np.empty(0, np.uint64), np.empty(0, np.int64)
    owner = np.repeat(np.arange(len(texts), dtype=np.int64), lengths)
    ends = np.repeat(np.cumsum(lengths), lengths)
    places = np.arange(len(chars), dtype=np.int64)
    size = np.full(len(chars), _OTHER, dtype=np.int64)
    size[(chars >= 0x30) & (chars <= 0x39)] = _DIGIT
    size[chars >= 0x2E80] = _HAN
    starts = ends - np.repeat(lengths, lengths)
    # A gram may not reach over the end of its text, but a text must not be left without any.
    whole = places + size <= ends
    keep = whole | (places == starts)
    hashes = np.zeros(len(chars), dtype=np.uint64)
    padded = np.concatenate([chars.astype(np.uint64) + np.uint64(1), np.zeros(_OTHER, np.uint64)])
    for step in range(_OTHER):
        inside = (step < size) & (places + step < ends)
        hashes = np.where(inside, _mixed(hashes, padded[step : step + len(chars)]), hashes)
    longer = np.flatnonzero((size == _HAN) & (places + _HAN_TOO <= ends))
    hashes = np.concatenate([hashes[keep], _mixed(hashes[longer], padded[longer + _HAN])])
    owner = np.concatenate([owner[keep], owner[longer]])
    order = np.lexsort((hashes, owner))
    hashes, owner = hashes[order], owner[order]
    first = np.ones(len(hashes), dtype=bool)
    first[1:] = (hashes[1:] != hashes[:-1]) | (owner[1:] != owner[:-1])
    return hashes[first], owner[first]


def _mixed(hashes: HashArray, chars: HashArray) -> HashArray:
    """Hashes with one more character each."""
    mixed: HashArray = (hashes ^ chars) * _PRIME
    return mixed ^ (mixed >> np.uint64(29))


def ranges(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """All places of the spans [left, right): for each place the number of its span, and the place."""
    sizes = right - left
    which = np.repeat(np.arange(len(left), dtype=np.int64), sizes)
    places = np.arange(len(which), dtype=np.int64) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return which, places + np.repeat(left, sizes)


def rarest(hashes: HashArray, owner: IntArray, keep: int, max_df: int) -> tuple[HashArray, IntArray]:
    """The `keep` rarest grams of each text among those that 2 to max_df texts have."""
    if not len(hashes):
        return hashes, owner
    _, number, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    df = counts[number]
    able = (df >= 2) & (df <= max_df)
    hashes, owner, df = hashes[able], owner[able], df[able]
    order = np.lexsort((hashes, df, owner))
    hashes, owner = hashes[order], owner[order]
    if not len(owner):
        return hashes, owner
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    rank = np.arange(len(owner)) - np.repeat(starts, np.diff(np.r_[starts, len(owner)]))
    chosen = rank < keep
    return hashes[chosen], owner[chosen]
