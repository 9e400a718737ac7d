"""The index of a bank's texts on disk: a batch finds its near-duplicates without reading the bank."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version as distribution
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bank.dedup.candidates import BLOCK, FAMILY, masked, signature
from bank.dedup.grams import grams, ranges
from bank.dedup.items import asked
from bank.dedup.reading import Reading
from bank.files import write_whole
from schemas.settings import DedupSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What must be read of a row to index it.
INDEXED = ("question_id", "prompt", "printed", "material")

_MANIFEST = "near.json"
_ROWS = 8  # rows of one text that a newcomer meets: the oldest, among which its keeper is
_NEAREST = 24  # texts that one newcomer meets by its grams: a copy shares most of them
_HOME = Path(__file__).resolve().parents[2]
_SOURCES = (
    "bank/dedup/index.py",
    "bank/dedup/items.py",
    "bank/dedup/reading.py",
    "bank/dedup/words.py",
    "bank/dedup/grams.py",
    "bank/dedup/candidates.py",
    "schemas/text.py",
)


@dataclass(frozen=True)
class Segment:
    """Rows that were indexed together, and the texts that were new with them.

    Per row: id, key (hash of the whole text, options too), text (number of its text in the whole
    index). Per new text: hash, numbers, family, length. Postings: gram, sorted, with its text.
    """

    ids: NDArray[np.bytes_]
    keys: NDArray[np.uint64]
    text: NDArray[np.uint32]
    hashes: NDArray[np.uint64]
    numbers: NDArray[np.uint64]
    family: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    grams: NDArray[np.uint64]
    owner: NDArray[np.uint32]

    def joined(self, later: Segment) -> Segment:
        """One segment of two, the later one after."""
        both = {
            name: np.concatenate([getattr(self, name), getattr(later, name)])
            for name in self.__dataclass_fields__
        }
        order = np.argsort(both["grams"], kind="stable")  # merges two sorted runs in linear time
        return Segment(**{**both, "grams": both["grams"][order], "owner": both["owner"][order]})


class NearIndex:
    """The segments of an index, and the version of the bank they belong to."""

    def __init__(self, segments: Sequence[Segment] = ()) -> None:
        self.segments = list(segments)
        self.files: list[dict[str, Any]] = []  # one a segment that is on disk as it is here

    @classmethod
    def load(cls, folder: Path, table: str, version: int) -> NearIndex | None:
        """The index of this version of this table, or None: missing, of another version, damaged.

        Each file must have the digest its manifest names; an index made by other code is not read.
        """
        try:
            manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
            if manifest["made"] != _made(table, version):
                return None
            segments = []
            for told in manifest["files"]:
                with (folder / told["name"]).open("rb") as file:
                    if hashlib.file_digest(file, "blake2b").hexdigest() != told["digest"]:
                        return None
                    file.seek(0)
                    with np.load(file, allow_pickle=False) as data:
                        segments.append(Segment(**{n: data[n] for n in Segment.__dataclass_fields__}))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        index = cls(segments)
        index.files = manifest["files"]
        return index

    def save(self, folder: Path, table: str, version: int) -> None:
        """Write what is not on disk yet, then the manifest: a crash leaves the old index or the new."""
        folder.mkdir(parents=True, exist_ok=True)
        for segment in self.segments[len(self.files) :]:
            name = f"near-{version}-{secrets.token_hex(4)}.npz"
            with (folder / name).open("xb") as out:
                np.savez(out, **{n: getattr(segment, n) for n in Segment.__dataclass_fields__})
                out.flush()
                os.fsync(out.fileno())
            with (folder / name).open("rb") as file:
                digest = hashlib.file_digest(file, "blake2b").hexdigest()
            self.files.append({"name": name, "digest": digest, "rows": len(segment.ids)})
        self._tell(folder, table, version)
        kept = {told["name"] for told in self.files}
        for path in folder.glob("near-*.npz"):
            if path.name not in kept:
                path.unlink(missing_ok=True)

    def _tell(self, folder: Path, table: str, version: int) -> None:
        manifest = {"made": _made(table, version), "files": self.files}
        write_whole(folder / _MANIFEST, json.dumps(manifest, indent=1).encode())

    @staticmethod
    def follow(folder: Path, table: str, before: int, version: int) -> None:
        """Let the index of version `before` stand for `version`, in which no text has changed."""
        try:
            manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
            if manifest["made"] == _made(table, before):
                manifest["made"] = _made(table, version)
                write_whole(folder / _MANIFEST, json.dumps(manifest, indent=1).encode())
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return  # it will be made anew

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Index rows with INDEXED. Segments grow in steps of two, so there are few of them."""
        if not rows:
            return
        self.segments.append(self._segment(rows))
        while len(self.segments) > 1 and 2 * len(self.segments[-1].ids) >= len(self.segments[-2].ids):
            self.segments[-2:] = [self.segments[-2].joined(self.segments[-1])]
        del self.files[len(self.segments) - 1 :]
        self.__dict__.pop("_all", None)

    def _segment(self, rows: Sequence[Mapping[str, Any]]) -> Segment:
        keys, texts = _texts(rows)
        hashes = _hashed(texts)
        known = self._all.numbers_of(hashes)
        new: dict[int, int] = {}  # hash -> number of a text
        distinct: list[str] = []
        numbers = np.empty(len(rows), dtype=np.uint32)
        for place, (number, value) in enumerate(zip(known.tolist(), hashes.tolist(), strict=True)):
            if number < 0 and value not in new:
                new[value] = self._all.texts + len(new)
                distinct.append(texts[place])
            numbers[place] = number if number >= 0 else new[value]
        return _segment_of(rows, keys, numbers, distinct, self._all.texts)

    @cached_property
    def _all(self) -> _Whole:
        return _Whole(self.segments)

    def near(self, rows: Sequence[Mapping[str, Any]], settings: DedupSettings) -> dict[str, list[str]]:
        """For each of these rows, the ids of indexed rows worth comparing with it, oldest first."""
        out: dict[str, list[str]] = {str(row["question_id"]): [] for row in rows}
        if not rows or not self.segments:
            return out
        keys, texts = _texts(rows)
        met = self._all.near(texts, settings)
        places, found = self._all.rows_with(keys, met)
        ids = self._all.ids
        bounds = np.searchsorted(places, np.arange(len(rows) + 1)).tolist()
        for name, (first, last) in zip(out, pairwise(bounds), strict=True):
            out[name] = [ids[row].decode() for row in found[first:last].tolist()]
        return out


class _Whole:
    """All segments side by side, with what is needed to look things up in them."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        def joined(name: str, kind: type[np.generic]) -> NDArray[Any]:
            return np.concatenate([np.empty(0, kind), *(getattr(s, name) for s in segments)])

        self.segments = segments
        self.ids = joined("ids", np.bytes_)
        self.numbers = joined("numbers", np.uint64)
        self.family = joined("family", np.uint64)
        self.lengths = joined("lengths", np.uint32).astype(np.int64)
        self.texts = len(self.lengths)
        self._by_key = _Lookup(joined("keys", np.uint64))
        self._by_hash = _Lookup(joined("hashes", np.uint64))
        self._by_text = _Lookup(joined("text", np.uint32))
        self._by_numbers = _Lookup(self.numbers)
        self._by_family = _Lookup(self.family)

    def numbers_of(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of the text with each hash, -1 where there is none."""
        left, right = self._by_hash.ranges(hashes)
        found = np.full(len(hashes), -1, dtype=np.int64)
        there = right > left
        found[there] = self._by_hash.order[left[there]]
        return found

    def rows_with(
        self, keys: NDArray[np.uint64], met: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The oldest rows that read exactly so, or have a text met: (place, row), sorted, each once.

        met: pairs (place in keys, number of an indexed text).
        """
        codes = []
        for places, lookup, values in (
            (np.arange(len(keys)), self._by_key, keys),
            (met[:, 0], self._by_text, met[:, 1].astype(np.uint32)),
        ):
            left, right = lookup.ranges(values)
            which, at = ranges(left, np.minimum(right, left + _ROWS))
            codes.append(places[which] * len(self.ids) + lookup.order[at])
        place, row = np.divmod(np.unique(np.concatenate(codes)), max(1, len(self.ids)))
        return place, row

    def near(self, texts: Sequence[str], settings: DedupSettings) -> NDArray[np.int64]:
        """Pairs (place in texts, number of an indexed text) worth comparing, shape (n, 2).

        Of the texts that share rare grams with one, those that share most.
        """
        numbers, family = _hashed([signature(t) for t in texts]), _hashed([masked(t) for t in texts])
        left, right = self._by_family.ranges(family)
        large = right - left >= FAMILY

        def able(pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
            ours, theirs = pairs[:, 0], pairs[:, 1]
            sizes = np.subtract(*reversed(self._by_family.ranges(self.family[theirs])))
            same: NDArray[np.bool_] = numbers[ours] == self.numbers[theirs]
            return same | ~(large[ours] | (sizes >= FAMILY))

        pairs, counts = self._by_grams(texts, settings)
        kept = able(pairs)
        pairs, counts = pairs[kept], counts[kept]
        order = np.lexsort((pairs[:, 1], -counts, pairs[:, 0]))
        pairs = pairs[order]
        begins = np.searchsorted(pairs[:, 0], np.arange(len(texts)))
        nearest = np.arange(len(pairs)) - begins[pairs[:, 0]] < _NEAREST
        others = np.concatenate([self._equal(texts), self._alike_numbers(texts)])
        return np.concatenate([pairs[nearest], others[able(others)]])

    def _equal(self, texts: Sequence[str]) -> NDArray[np.int64]:
        found = self.numbers_of(_hashed(texts))
        places = np.flatnonzero(found >= 0)
        return np.stack([places, found[places]], axis=1).astype(np.int64)

    def _by_grams(
        self, texts: Sequence[str], settings: DedupSettings
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs that share enough of their rarest grams, and how many."""
        hashes, owner = grams(texts)
        spans = [
            (np.searchsorted(s.grams, hashes, "left"), np.searchsorted(s.grams, hashes, "right"))
            for s in self.segments
        ]
        df = np.zeros(len(hashes), dtype=np.int64)
        for left, right in spans:
            df += right - left
        able = np.flatnonzero((df >= 1) & (df < settings.max_df))
        able = able[np.lexsort((hashes[able], df[able], owner[able]))]
        starts = np.flatnonzero(np.r_[True, np.diff(owner[able]) != 0])[: len(able)]
        rank = np.arange(len(able)) - np.repeat(starts, np.diff(np.r_[starts, len(able)]))
        able = able[rank < settings.rarest_grams]
        usable = np.bincount(owner[able], minlength=len(texts))
        codes = []
        for segment, (left, right) in zip(self.segments, spans, strict=True):
            which, places = ranges(left[able], right[able])
            codes.append(owner[able][which] * self.texts + segment.owner[places].astype(np.int64))
        unique, counts = np.unique(np.concatenate(codes), return_counts=True)
        ours, theirs = np.divmod(unique, max(self.texts, 1))
        enough = counts >= np.maximum(1, np.minimum(settings.min_shared, usable[ours]))
        return np.stack([ours[enough], theirs[enough]], axis=1), counts[enough]

    def _alike_numbers(self, texts: Sequence[str]) -> NDArray[np.int64]:
        signs = [signature(t) for t in texts]
        able = np.array([i for i, s in enumerate(signs) if " " in s or len(s) >= 3], dtype=np.int64)
        left, right = self._by_numbers.ranges(_hashed([signs[i] for i in able]))
        small = right - left < BLOCK
        which, places = ranges(left[small], right[small])
        ours, theirs = able[small][which], self._by_numbers.order[places]
        lengths = np.array([len(t) for t in texts], dtype=np.int64)
        gap = np.abs(lengths[ours] - self.lengths[theirs]) * 5
        near = gap <= np.maximum(lengths[ours], self.lengths[theirs])
        return np.stack([ours[near], theirs[near]], axis=1).astype(np.int64)


class _Lookup:
    """Where each value stands in an array."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.order = np.argsort(values, kind="stable")
        self._sorted = values[self.order]

    def ranges(self, values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return np.searchsorted(self._sorted, values, "left"), np.searchsorted(self._sorted, values, "right")


def _texts(rows: Sequence[Mapping[str, Any]]) -> tuple[NDArray[np.uint64], list[str]]:
    """Of each row the hash of all it reads, and the text whose grams stand for it."""
    readings = [Reading(asked(r["prompt"], r["printed"], r["material"])[0]) for r in rows]
    return _hashed([r.key for r in readings]), [r.gram_text for r in readings]


def _segment_of(
    rows: Sequence[Mapping[str, Any]],
    keys: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
    new: Sequence[str],
    before: int,
) -> Segment:
    hashes, owner = grams(new)
    order = np.argsort(hashes, kind="stable")
    return Segment(
        ids=np.array([str(row["question_id"]).encode() for row in rows]),
        keys=keys,
        text=numbers,
        hashes=_hashed(new),
        numbers=_hashed([signature(text) for text in new]),
        family=_hashed([masked(text) for text in new]),
        lengths=np.array([len(text) for text in new], dtype=np.uint32),
        grams=hashes[order],
        owner=(owner[order] + before).astype(np.uint32),
    )


def _hashed(texts: Sequence[str]) -> NDArray[np.uint64]:
    raw = b"".join(hashlib.blake2b(t.encode("utf-8", "surrogatepass"), digest_size=8).digest() for t in texts)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64)


def _made(table: str, version: int) -> dict[str, Any]:
    """What an index must have been made of and by to be trusted."""
    return {"table": table, "version": version, "code": code()}


@cache
def code() -> str:
    """A hash of the code that folds and looks up, and of the packages it rests on."""
    made = hashlib.blake2b(digest_size=16)
    for name in _SOURCES:
        made.update((_HOME / name).read_bytes())
    for package in ("opencc", "numpy"):
        made.update(distribution(package).encode())
    return made.hexdigest()
