"""Near-duplicates at scale: time, memory, recall and wrong merges over banks of growing size.

    python -m benchmarks.dedup_scale                   100,000 and 300,000 questions, one table
    python -m benchmarks.dedup_scale 1000000 --seed 2

A table in, clusters out, as `exambank dedup` makes them: folding, candidates, verdicts, clusters;
then 2,000 new questions against the index of all. The bank is invented (see made_bank) and its
copies are known. The exit code is 1 when fewer than 98 % of the copies are joined (99 % outside
templates) or more than 0.1 % of the merges are wrong.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from bank.dedup.index import NearIndex
from bank.dedup.items import COLUMNS
from bank.dedup.pool import processes
from bank.dedup.whole import regroup
from benchmarks.made_bank import MadeBank, make
from schemas.settings import DedupSettings

NEW = 2_000


def table_of(made: MadeBank) -> pa.Table:
    """The bank as the table that `exambank dedup` reads."""
    size = len(made.texts)
    ids = [name_of(n) for n in range(size)]
    columns = {name: pa.array([""] * size) for name in COLUMNS} | {
        "question_id": pa.array(ids),
        "original_id": pa.array(ids),
        "prompt": pa.array(made.texts),
        "printed": pa.array(made.texts),
        "status": pa.array(["active"] * size),
        "figures": pa.array([[]] * size, pa.list_(pa.string())),
        "flags": pa.array([[]] * size, pa.list_(pa.string())),
        "needs_figure": pa.array([False] * size),
        "extraction_confidence": pa.array([1.0] * size),
        "evidence": pa.array([[]] * size, pa.map_(pa.string(), pa.string())),
    }
    return pa.table(columns)


def name_of(place: int) -> str:
    """The id of a question of the made bank."""
    return f"q{place:024}"


def measure(made: MadeBank, settings: DedupSettings, workers: int) -> dict[str, float]:
    """Seconds of each stage, and what became of the known copies."""
    told: dict[str, float] = {"size": len(made.texts)}
    table = table_of(made)
    began: list[tuple[str, float]] = []
    with processes(workers, len(made.texts)) as pool:
        plan = regroup(
            table,
            settings,
            pool=pool,
            threads=workers,
            progress=lambda stage: began.append((stage, time.perf_counter())),
        )
    began.append(("", time.perf_counter()))
    told |= {stage: after[1] - at for (stage, at), after in pairwise(began)}
    keeper = list(range(len(made.texts)))
    for cluster in plan.clusters:
        for member in cluster.members:
            keeper[int(member.question_id[1:])] = int(cluster.cluster_id[1:])
    joined = [keeper[c] == keeper[o] for c, o in made.copies]
    plain = [ok for ok, (c, _) in zip(joined, made.copies, strict=True) if not made.family[c]]
    origin = dict(made.copies)
    merged = [i for i, k in enumerate(keeper) if k != i]
    wrong = sum(origin.get(i, i) != origin.get(keeper[i], keeper[i]) for i in merged)
    return told | {
        "recall": sum(joined) / len(joined),
        "recall outside families": sum(plain) / max(1, len(plain)),
        "merges": len(merged),
        "wrong": wrong / max(1, len(merged)),
    }


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


STAGES = ("folding", "candidates", "verdicts", "clusters")
SHOWN = (
    "questions", *(f"{stage} s" for stage in STAGES), "all s", "CPU s", "recall", "recall outside families",
    "wrong %", "peak GB", "index s", "2,000 new s", "index MB", "found",
)  # fmt: skip


def cpu() -> float:
    """Seconds of CPU of this process and of those it has waited for."""
    told = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(t.ru_utime + t.ru_stime for t in told)


def row(size: int, seed: int, workers: int, *, index: bool) -> tuple[list[str], bool]:
    """The figures of one size, in the order of SHOWN, and whether the goals are met."""
    settings = DedupSettings()
    made = make(size, seed)
    before = cpu()
    told = measure(made, settings, workers)
    took = cpu() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    stages = [told[name] for name in STAGES]
    good = told["recall"] >= 0.98 and told["recall outside families"] >= 0.99 and told["wrong"] <= 0.001
    cells = [
        f"{size:,}",
        *(f"{seconds:.1f}" for seconds in (*stages, sum(stages), took)),
        *(f"{told[name]:.4f}" for name in ("recall", "recall outside families")),
        f"{100 * told['wrong']:.3f}",
        f"{peak:.2f}",
    ]
    if index:
        found = measure_index(made, settings)
        cells += [
            f"{found['index']:.1f}",
            f"{found['lookup']:.2f}",
            f"{found['MB']:.0f}",
            f"{found['found']:.4f}",
        ]
    return cells + [""] * (len(SHOWN) - len(cells)), good


def main() -> None:
    """Print one table, a row as soon as it is measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, default=[100_000, 300_000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--no-index", action="store_true", help="leave out the index on disk")
    arguments = parser.parse_args()
    for cells in (SHOWN, ["---"] * len(SHOWN)):
        print("| " + " | ".join(cells) + " |")
    met = True
    for size in arguments.sizes:
        cells, good = row(size, arguments.seed, arguments.workers, index=not arguments.no_index)
        met &= good
        print("| " + " | ".join(cells) + " |", flush=True)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
