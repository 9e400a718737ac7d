"""Pairs of folded questions that are alike enough to be judged, among any number of them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bank.dedup.candidates import FAMILY, candidates, with_same
from bank.dedup.columns import GLOSS, Folded, in_order, light_codes, starts
from bank.dedup.grams import ranges
from schemas.settings import DedupSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    IntArray = NDArray[np.int64]

COMPILED_FROM = 20_000  # texts; below, compiling takes longer than it saves
SAME_STEM = 30  # questions with one stem and other options that are compared with each other
_STRETCH = 8_000  # texts whose pairs are looked for at once
_ROOM = 4_000_000  # pairs held at once
_GLOSSED = 50.0  # ratio from which a pair is looked at when a foreign name may be left out of it


@dataclass(frozen=True)
class Readings:
    """Which questions read the same. heads: the place of one question of each reading; reading: of each
    question the number of its reading. Readings are in the order of their hashes, and the head is the first
    by hash of its words: with other ids or in another order they are the same.
    """

    heads: IntArray
    reading: IntArray


def readings(folded: Folded) -> Readings:
    """Questions grouped by all they read."""
    order = np.lexsort((folded.raw, folded.keys))
    keys = folded.keys[order]
    new = np.ones(len(keys), dtype=np.bool_)
    new[1:] = keys[1:] != keys[:-1]
    reading = np.empty(len(keys), dtype=np.int64)
    reading[order] = np.cumsum(new) - 1
    return Readings(order[new].astype(np.int64), reading)


def pairs_of(
    folded: Folded,
    heads: IntArray,
    settings: DedupSettings,
    *,
    threads: int = 1,
    shards: Executor | None = None,
) -> IntArray:
    """Pairs of readings worth judging, shape (n, 2), sorted; the numbers are places in heads.

    The work grows with the readings, not with their square, and what is found does not depend on
    threads or shards. threads: how many look side by side. shards: where the grams are joined by
    shards of their hashes, on other machines say, instead of in the memory of this one.
    """
    _, first, text = np.unique(folded.texts[heads], return_index=True, return_inverse=True)
    places = heads[first]
    text = text.reshape(-1)
    if len(places) < COMPILED_FROM and shards is None:
        found = _few(folded, places, settings)
    else:
        found = _many(folded, places, settings, threads, shards)
    order = np.argsort(text, kind="stable")
    begins = starts(np.bincount(text, minlength=len(places)))
    sizes = np.minimum(np.diff(begins), SAME_STEM)
    begins = begins[:-1]
    # Each question of the one text with each of the other.
    left, right = found[:, 0], found[:, 1]
    which, mine = ranges(begins[left], begins[left] + sizes[left])
    again, theirs = ranges(begins[right][which], (begins + sizes)[right][which])
    met = [np.stack([order[mine][again], order[theirs]], axis=1)]
    for size in range(2, int(sizes.max(initial=0)) + 1):  # and those of one text with each other
        some = begins[sizes == size]
        one, other = np.triu_indices(size, 1)
        same = np.stack([order[some[:, None] + one].ravel(), order[some[:, None] + other].ravel()], axis=1)
        met.append(same)
    both = np.sort(np.concatenate(met), axis=1)
    codes = np.unique(both[:, 0] * len(heads) + both[:, 1]) if len(both) else np.empty(0, np.int64)
    return np.stack(np.divmod(codes, max(1, len(heads))), axis=1).astype(np.int64)


def _few(folded: Folded, places: IntArray, settings: DedupSettings) -> IntArray:
    begins = starts(folded.lengths)
    texts = [
        folded.chars[begins[p] : begins[p + 1]].tobytes().decode("utf-32-le", "surrogatepass")
        for p in places.tolist()
    ]
    return candidates(texts, [True] * len(texts), settings)


def _many(
    folded: Folded, places: IntArray, settings: DedupSettings, threads: int, shards: Executor | None
) -> IntArray:
    """Like `candidates`, compiled, and without those whose words are not alike."""
    from bank.dedup import kernels

    join = _Join(folded, places, settings)
    begins = starts(folded.tokens)
    code_begins, code_ends = begins[:-1][places], begins[1:][places]
    light = light_codes(folded)
    glossed = (folded.marks[places] & GLOSS) > 0

    def alike(pairs: IntArray) -> IntArray:
        kept = np.zeros(len(pairs), dtype=np.bool_)
        special = glossed[pairs[:, 0]] | glossed[pairs[:, 1]]
        for some, least in ((~special, settings.review_at - 10.01), (special, _GLOSSED)):
            if some.any():
                out = np.zeros(int(some.sum()), dtype=np.bool_)
                kernels.alike(pairs[some], folded.codes, code_begins, code_ends, light, least, out)
                kept[some] = out
        return pairs[kept]

    with ThreadPoolExecutor(threads) as pool:
        join.choose(pool)
        if shards is None:
            join.gather()
            stretches = [(b, min(b + _STRETCH, join.size)) for b in range(0, join.size, _STRETCH)]
            found = list(in_order(lambda s: alike(join.meet(*s)), stretches, pool, ahead=threads))
        else:
            whole = join.meet_by_shards(shards)
            pieces = [whole[b : b + _ROOM] for b in range(0, len(whole), _ROOM)]
            found = list(in_order(alike, pieces, pool, ahead=threads))
        by_numbers = join.by_numbers()
        cut = [by_numbers[b : b + _ROOM] for b in range(0, len(by_numbers), _ROOM)]
        found += list(in_order(alike, cut, pool, ahead=threads))
    return np.concatenate([np.empty((0, 2), np.int64), *found])


class _Join:
    """The texts of a join with their rarest grams, and who shares them."""

    def __init__(self, folded: Folded, places: IntArray, settings: DedupSettings) -> None:
        begins = starts(folded.lengths)
        self.chars = folded.chars
        self.begins, self.ends = begins[:-1][places], begins[1:][places]
        self.settings = settings
        self.size = len(places)
        self.lengths = folded.lengths[places]
        self.numbers = folded.numbers[places]
        self.numbered = folded.numbered[places]
        _, family, members = np.unique(folded.family[places], return_inverse=True, return_counts=True)
        self.family = members[family.reshape(-1)] >= FAMILY
        self.counts = np.zeros(self.size, dtype=np.int64)
        self._chosen: Array = np.empty((0, 0), np.uint64)
        self._postings: tuple[Array, ...] = ()

    def choose(self, pool: Executor) -> None:
        """Find the rarest grams of each text."""
        from bank.dedup import kernels

        table, shift = kernels.table_for(int((self.ends - self.begins).sum()))
        kernels.count_grams(self.chars, self.begins, self.ends, table, shift)
        self._chosen = np.zeros((self.size, self.settings.rarest_grams), dtype=np.uint64)
        stretches = [(b, min(b + 50_000, self.size)) for b in range(0, self.size, 50_000)]

        def some(stretch: tuple[int, int]) -> None:
            kernels.choose_grams(
                self.chars, self.begins, self.ends, table, shift, self.settings.max_df, *stretch,
                self._chosen, self.counts,
            )  # fmt: skip

        list(in_order(some, stretches, pool))

    def _entries(self) -> tuple[Array, IntArray]:
        """Gram and text of each chosen gram, by text."""
        there = np.arange(self._chosen.shape[1]) < self.counts[:, None]
        return self._chosen[there], np.repeat(np.arange(self.size, dtype=np.int64), self.counts)

    def gather(self) -> None:
        """Bring the texts of each gram together."""
        hashes, owners = self._entries()
        self._chosen = np.empty((0, 0), np.uint64)
        self._postings = postings(hashes, owners, self.size)

    def meet(self, begin: int, end: int) -> IntArray:
        """Pairs of texts from begin to end with earlier ones that share enough rare grams."""
        need = self.settings.min_shared
        pairs, _ = shared(self._postings, self.counts, need, self.family, self.numbers, begin, end)
        return pairs

    def meet_by_shards(self, shards: Executor) -> IntArray:
        """All such pairs, by the shares of each shard of the grams."""
        hashes, owners = self._entries()
        wanted = max(2, self.size // 25_000)
        part = (hashes >> np.uint64(40)) % np.uint64(wanted)
        work = [
            (hashes[part == n], owners[part == n].astype(np.uint32), self.family, self.numbers)
            for n in range(wanted)
        ]
        codes, counts = np.empty(0, np.int64), np.empty(0, np.int64)
        for pairs, met in in_order(shard, work, shards):
            # Those of one shard are distinct, so adding up as they come keeps no more than there are.
            both = np.concatenate([codes, pairs[:, 0] * self.size + pairs[:, 1]])
            codes, where = np.unique(both, return_inverse=True)
            counts = np.bincount(where.reshape(-1), np.concatenate([counts, met])).astype(np.int64)
        left, right = np.divmod(codes, max(1, self.size))
        need = np.minimum(self.settings.min_shared, np.minimum(self.counts[left], self.counts[right]))
        enough = counts >= np.maximum(1, need)
        return np.stack([left[enough], right[enough]], axis=1).astype(np.int64)

    def by_numbers(self) -> IntArray:
        """Pairs of texts with the same numbers and about the same length."""
        able = np.flatnonzero(self.numbered).astype(np.int64)
        return with_same(able, self.numbers[able], self.lengths)


def postings(hashes: Array, owners: Array, size: int) -> tuple[Array, ...]:
    """Grams by text and texts by gram, of entries sorted by text: groups and counts (one row a text),
    starts and owners (one run a gram).
    """
    order = np.argsort(hashes, kind="stable")
    by_gram = hashes[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = by_gram[1:] != by_gram[:-1]
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.cumsum(new, dtype=np.int32) - 1
    counts = np.bincount(owners, minlength=size)
    begins = starts(counts)
    groups = np.zeros((size, int(counts.max(initial=1))), dtype=np.int32)
    groups[owners, np.arange(len(owners)) - begins[owners]] = number
    runs = np.append(np.flatnonzero(new), len(order)).astype(np.int64)
    return groups, counts.astype(np.int64), runs, owners[order].astype(np.int32)


def shared(
    held: tuple[Array, ...], usable: Array, need: int, family: Array, numbers: Array, begin: int, end: int
) -> tuple[IntArray, IntArray]:
    """Pairs that share `need` grams, fewer where a text has fewer usable ones, and how many they share."""
    from bank.dedup import kernels

    groups, counts, runs, owners = held
    met = np.zeros(len(groups), dtype=np.uint8)
    touched = np.empty(len(groups), dtype=np.int32)
    out = np.empty((max(len(groups), 250_000), 2), dtype=np.int32)
    shares = np.empty(len(out), dtype=np.uint8)
    found = [(np.empty((0, 2), np.int64), np.empty(0, np.int64))]
    while begin < end:
        begin, size = kernels.meet(
            begin, end, groups, counts, usable, runs, owners, need, family, numbers, met, touched, out, shares
        )
        found.append((out[:size].astype(np.int64), shares[:size].astype(np.int64)))
    return np.concatenate([pairs for pairs, _ in found]), np.concatenate([met for _, met in found])


def shard(work: tuple[Array, Array, Array, Array]) -> tuple[IntArray, IntArray]:
    """Pairs of texts that share a gram of this shard, and how many of them."""
    hashes, owners, family, numbers = work
    held = postings(hashes, owners.astype(np.int64), len(family))
    return shared(held, held[1], 1, family, numbers, 0, len(family))


def strings(folded: Folded, places: Sequence[int]) -> list[tuple[str, ...]]:
    """The tokens of some questions."""
    begins = starts(folded.tokens)
    limit = 0x110000
    return [
        tuple(
            chr(code) if code < limit else folded.words[code - limit]
            for code in folded.codes[begins[place] : begins[place + 1]].tolist()
        )
        for place in places
    ]
