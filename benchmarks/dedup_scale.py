"""Near-duplicates at scale: time, memory, recall and wrong merges over banks of growing size.

    python -m benchmarks.dedup_scale                   100,000 and 300,000 questions, one table
    python -m benchmarks.dedup_scale 1000000 --seed 2

Texts in, clusters out: folding, candidates, verdicts, stars around keepers; then 2,000 new questions
against the index of all. The bank is invented (see made_bank) and its copies are known. The exit
code is 1 when fewer than 98 % of the copies are joined (99 % outside templates) or more than 0.1 %
of the merges are wrong.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bank.dedup.candidates import candidates
from bank.dedup.grams import gram_text
from bank.dedup.index import NearIndex
from bank.dedup.reading import Reading
from bank.dedup.verdict import compare_many
from benchmarks.made_bank import MadeBank, make
from schemas.settings import DedupSettings

NEW = 2_000


def measure(made: MadeBank, settings: DedupSettings) -> dict[str, float]:
    """Seconds of each stage, and what became of the known copies."""
    told: dict[str, float] = {"size": len(made.texts)}
    clock = time.perf_counter()

    def lap(name: str) -> None:
        nonlocal clock
        told[name] = time.perf_counter() - clock
        clock = time.perf_counter()

    readings = [Reading(text) for text in made.texts]
    first: dict[str, int] = {}
    group = [first.setdefault(reading.key, place) for place, reading in enumerate(readings)]
    heads = list(dict.fromkeys(group))
    texts: dict[str, list[int]] = {}
    for head in heads:
        texts.setdefault(gram_text(readings[head].stem, readings[head].options), []).append(head)
    lap("fold")
    distinct = list(texts)
    found = candidates(distinct, [True] * len(distinct), settings)
    lap("candidates")
    pairs = [(i, j) for a, b in found.tolist() for i in texts[distinct[a]] for j in texts[distinct[b]]]
    pairs += [(same[0], other) for same in texts.values() for other in same[1:]]
    verdicts = compare_many(readings, np.array(pairs, dtype=np.int64).reshape(-1, 2), settings)
    lap("verdicts")
    keeper = stars(len(made.texts), group, pairs, verdicts)
    lap("clusters")

    met = {(min(i, j), max(i, j)) for i, j in pairs}
    joined = [keeper[c] == keeper[o] for c, o in made.copies]
    plain = [ok for ok, (c, _) in zip(joined, made.copies, strict=True) if not made.family[c]]
    near = [
        group[c] == group[o] or (min(group[c], group[o]), max(group[c], group[o])) in met
        for c, o in made.copies
    ]
    origin = dict(made.copies)
    merged = [i for i, k in enumerate(keeper) if k != i]
    wrong = sum(origin.get(i, i) != origin.get(keeper[i], keeper[i]) for i in merged)
    told |= {
        "pairs": len(pairs),
        "met": sum(near) / len(near),
        "recall": sum(joined) / len(joined),
        "recall outside families": sum(plain) / max(1, len(plain)),
        "merges": len(merged),
        "wrong": wrong / max(1, len(merged)),
    }
    return told


def stars(size: int, group: list[int], pairs: list[tuple[int, int]], verdicts: list[str]) -> list[int]:
    """The keeper of each question; the earliest one keeps."""
    near: dict[int, list[int]] = {}
    for (i, j), verdict in zip(pairs, verdicts, strict=True):
        if verdict == "duplicate":
            near.setdefault(max(i, j), []).append(min(i, j))
    keeper = list(range(size))
    for place in range(size):
        if group[place] != place:
            keeper[place] = keeper[group[place]]
            continue
        for other in sorted(near.get(place, ())):
            if keeper[other] == other:
                keeper[place] = other
                break
    return keeper


def measure_index(made: MadeBank, settings: DedupSettings) -> dict[str, float]:
    """Seconds to index the bank, to load the index, and to look up 2,000 copies in it."""
    every = [
        {"question_id": f"q{n:024}", "prompt": t, "printed": t, "material": ""}
        for n, t in enumerate(made.texts)
    ]
    copies = {copy for copy, _ in made.copies[:NEW]}
    with tempfile.TemporaryDirectory() as folder:
        clock = time.perf_counter()
        index = NearIndex()
        index.add([row for n, row in enumerate(every) if n not in copies])
        index.save(Path(folder), "t", 1)
        made_in = time.perf_counter() - clock
        clock = time.perf_counter()
        loaded = NearIndex.load(Path(folder), "t", 1)
        assert loaded is not None
        near = loaded.near([every[n] for n in sorted(copies)], settings)
        took = time.perf_counter() - clock
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    met = sum(every[o]["question_id"] in near[str(every[c]["question_id"])] for c, o in made.copies[:NEW])
    return {"index": made_in, "lookup": took, "MB": size / 1e6, "found": met / max(1, len(copies))}


COLUMNS = (
    "questions", "fold s", "candidates s", "verdicts s", "clusters s", "all s", "pairs", "met", "recall",
    "recall outside families", "wrong %", "index s", "2,000 new s", "index MB", "found", "peak GB",
)  # fmt: skip


def row(size: int, seed: int) -> tuple[list[str], bool]:
    """The figures of one size, in the order of COLUMNS, and whether the goals are met."""
    settings = DedupSettings()
    made = make(size, seed)
    told = measure(made, settings)
    index = measure_index(made, settings)
    stages = [told[name] for name in ("fold", "candidates", "verdicts", "clusters")]
    good = told["recall"] >= 0.98 and told["recall outside families"] >= 0.99 and told["wrong"] <= 0.001
    return [
        f"{size:,}",
        *(f"{seconds:.1f}" for seconds in (*stages, sum(stages))),
        f"{told['pairs']:,.0f}",
        *(f"{told[name]:.4f}" for name in ("met", "recall", "recall outside families")),
        f"{100 * told['wrong']:.2f}",
        f"{index['index']:.1f}",
        f"{index['lookup']:.2f}",
        f"{index['MB']:.0f}",
        f"{index['found']:.4f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f}",
    ], good


def main() -> None:
    """Print one table, a row as soon as it is measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, default=[100_000, 300_000])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for cells in (COLUMNS, ["---"] * len(COLUMNS)):
        print("| " + " | ".join(cells) + " |")
    met = True
    for size in arguments.sizes:
        cells, good = row(size, arguments.seed)
        met &= good
        print("| " + " | ".join(cells) + " |", flush=True)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
