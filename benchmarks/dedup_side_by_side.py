"""Candidates for near-duplicates, ours beside four libraries, in one run over the same folded texts.

    pip install 'exambank[benchmarks]'
    python -m benchmarks.dedup_side_by_side                 100,000 questions
    python -m benchmarks.dedup_side_by_side 20000 --only ours,sparse_dot_topn

From folded texts to the pairs worth judging: rare grams here; rensa, gaoya and datasketch with 32 bands
of 4 rows over grams of two characters; sparse_dot_topn over TF-IDF of them, at the best of a few
settings that reach our recall. Recall is the share of planted copies that meet their origin. The last
columns are times as multiples of ours.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from bank.dedup.columns import Folded, fold, starts
from bank.dedup.join import pairs_of, readings
from benchmarks.made_bank import MadeBank, make
from schemas.settings import DedupSettings

_PERMUTATIONS, _BANDS = 128, 32
Pairs = tuple[int, int]  # found of the copies asked for, and how many pairs in all
Wanted = list[tuple[int, int]]


def ours(texts: list[str], wanted: Wanted, folded: Folded, threads: int) -> Pairs:
    """The join of rare grams, with what is not alike left out already."""
    del texts
    heads = np.arange(len(folded), dtype=np.int64)
    found = pairs_of(folded, heads, DedupSettings(), threads=threads)
    codes = found[:, 0] * len(folded) + found[:, 1]
    return sum(_has(codes, i * len(folded) + j) for i, j in wanted), len(found)


def _has(codes: Any, code: int) -> bool:  # noqa: ANN401
    place = int(np.searchsorted(codes, code))
    return place < len(codes) and int(codes[place]) == code


def _grams(text: str) -> list[str]:
    return [text[n : n + 2] for n in range(len(text) - 1)] or [text]


def _told(found: Callable[[int], Iterable[int]], size: int, wanted: Wanted) -> Pairs:
    """Ask for the partners of every text, as a deduplication must."""
    partners: dict[int, set[int]] = {}
    asked = {j for _, j in wanted}
    count = 0
    for place in range(size):
        met = found(place)
        others = met if isinstance(met, set | list) else list(met)
        count += len(others)
        if place in asked:
            partners[place] = set(others)
    return sum(i in partners[j] for i, j in wanted), max(0, count - size) // 2


def with_rensa(texts: list[str], wanted: Wanted, folded: Folded, threads: int) -> Pairs:
    """Rensa's MinHash and LSH."""
    del folded, threads
    rensa: Any = importlib.import_module("rensa")
    hashes = []
    for text in texts:
        made = rensa.RMinHash(num_perm=_PERMUTATIONS, seed=1)
        made.update(_grams(text))
        hashes.append(made)
    index = rensa.RMinHashLSH(threshold=0.5, num_perm=_PERMUTATIONS, num_bands=_BANDS)
    for place, made in enumerate(hashes):
        index.insert(place, made)
    return _told(lambda place: index.query(hashes[place]), len(texts), wanted)


def with_gaoya(texts: list[str], wanted: Wanted, folded: Folded, threads: int) -> Pairs:
    """Gaoya's MinHash index; it checks the likeness of what it meets."""
    del folded, threads
    gaoya: Any = importlib.import_module("gaoya.minhash")
    index = gaoya.MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=0.4,
        num_bands=_BANDS,
        band_size=4,
        analyzer="char",
        ngram_range=(2, 2),
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    met = index.par_bulk_query(texts)
    return _told(lambda place: met[place], len(texts), wanted)


def with_datasketch(texts: list[str], wanted: Wanted, folded: Folded, threads: int) -> Pairs:
    """Datasketch's MinHash and LSH."""
    del folded, threads
    datasketch: Any = importlib.import_module("datasketch")
    hashes = datasketch.MinHash.bulk(
        [[gram.encode() for gram in _grams(text)] for text in texts], num_perm=_PERMUTATIONS, seed=1
    )
    index = datasketch.MinHashLSH(num_perm=_PERMUTATIONS, params=(_BANDS, 4))
    with index.insertion_session() as session:
        for place, made in enumerate(hashes):
            session.insert(place, made, check_duplication=False)
    return _told(lambda place: index.query(hashes[place]), len(texts), wanted)


def with_sparse_dot_topn(top: int, most: int) -> Callable[[list[str], Wanted, Folded, int], Pairs]:
    """TF-IDF of grams, each text with its nearest; grams that more than `most` texts have are left out."""

    def found(texts: list[str], wanted: Wanted, folded: Folded, threads: int) -> Pairs:
        del folded
        text: Any = importlib.import_module("sklearn.feature_extraction.text")
        sparse: Any = importlib.import_module("sparse_dot_topn")
        made = text.TfidfVectorizer(
            analyzer="char", ngram_range=(2, 2), min_df=2, max_df=most, dtype=np.float32
        ).fit_transform(texts)
        near = sparse.sp_matmul_topn(made, made.T.tocsr(), top_n=top, threshold=0.3, n_threads=threads)
        rows = near.indptr, near.indices
        return _told(lambda place: rows[1][rows[0][place] : rows[0][place + 1]].tolist(), len(texts), wanted)

    return found


WAYS: dict[str, Callable[[list[str], Wanted, Folded, int], Pairs]] = {
    "ours": ours,
    "rensa": with_rensa,
    "gaoya": with_gaoya,
    "datasketch": with_datasketch,
    **{
        f"sparse_dot_topn, top {top}, df {most:,}": with_sparse_dot_topn(top, most)
        for top, most in ((5, 200), (10, 1_000), (10, 5_000))
    },
}


def prepared(made: MadeBank) -> tuple[list[str], Wanted, Folded]:
    """The distinct folded texts, and those copies among them that are not equal to their origins."""
    every = fold((text, text, "") for text in made.texts)
    read = readings(every)
    folded = fold((made.texts[place], made.texts[place], "") for place in read.heads.tolist())
    begins = starts(folded.lengths).tolist()
    characters = folded.chars.tobytes().decode("utf-32-le")
    texts = [characters[a:b] for a, b in pairwise(begins)]
    pairs = {tuple(sorted((int(read.reading[c]), int(read.reading[o])))) for c, o in made.copies}
    return texts, sorted((a, b) for a, b in pairs if a != b), folded


def main() -> None:
    """Print one table, a row as soon as it is measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("size", nargs="?", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="ways by the beginning of their names, joined by commas")
    arguments = parser.parse_args()
    chosen = tuple(filter(None, arguments.only.split(",")))
    texts, wanted, folded = prepared(make(arguments.size, arguments.seed))
    small = prepared(make(25_000, 2))
    ours(*small, arguments.threads)  # compiled by now
    print(
        "| way | wall s | CPU s | pairs | recall | wall, times ours | CPU, times ours |\n"
        + "| --- " * 7
        + "|"
    )
    base: tuple[float, float] | None = None
    for name, way in WAYS.items():
        if chosen and not name.startswith(chosen):
            continue
        wall, cpu = time.perf_counter(), time.process_time()
        met, pairs = way(texts, wanted, folded, arguments.threads)
        took = time.perf_counter() - wall, time.process_time() - cpu
        base = base or took
        print(
            f"| {name} | {took[0]:.1f} | {took[1]:.1f} | {pairs:,} | {met / max(1, len(wanted)):.4f} | "
            f"{took[0] / base[0]:.1f} | {took[1] / base[1]:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
