"""Thousands of mutated documents through the reading pool: each read or refused within its limits.

    python -m benchmarks.fuzz_readers                  5,000 mutations, one table
    python -m benchmarks.fuzz_readers -n 200 --seed 9 --keep bad

Anything else (a crash, an unexpected error, a limit not kept, a process or folder left behind) is a
failure: it is listed, kept where --keep says, and the exit code is 1. The OCR engine is replaced by
one that finds nothing, so that pictures are decoded and rendered but not recognised; .doc goes to
antiword unless --office is given.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks.mutations import Seed, choose, mutate, seeds
from ingest.pool import DocumentPool
from schemas.errors import ExamBankError
from schemas.settings import ReadSettings, Settings

LIMITS = ReadSettings(
    max_seconds=30, max_memory_mb=1500, max_pages=40, max_pixels=20_000_000, max_bytes=20_000_000
)
GRACE_SECONDS = 8.0
BUGS = {"reader_failed", "reader_crashed"}
_CHILD = """
import sys
import ingest.ocr.engine as engine
class Blind:
    def read(self, image):
        return []
engine.engine = lambda settings: Blind()
if not int(sys.argv[1]):
    import ingest.readers.doc as doc
    doc._OFFICE = ()
from ingest.worker import main
main()
"""


@dataclass
class Tally:
    """What became of the mutations: by suffix and outcome, the slowest, and what must not be."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def run(number: int, seed: int, jobs: int, *, office: bool = False, keep: Path | None = None) -> Tally:
    """Put mutations 0 … number-1 of this seed through a pool; jobs are reading processes."""
    starts, tally = seeds(), Tally()
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    usual = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        tempfile.tempdir = str(folder / "tmp")  # where the pool's children get their folders
        command = [sys.executable, "-c", _CHILD, str(int(office))]
        pool = DocumentPool(jobs, Settings(read=LIMITS), folder / "assets", command=command)
        try:
            with pool, ThreadPoolExecutor(jobs) as threads:
                list(threads.map(lambda n: _one(pool, folder, starts, seed, n, tally, keep), range(number)))
        finally:
            tempfile.tempdir = usual
        tally.failures += [f"folder left behind: {path.name}" for path in (folder / "tmp").iterdir()]
    left = [c for c in psutil.Process().children(recursive=True) if c.pid not in before]
    tally.failures += [f"process left behind: {child}" for child in left]
    return tally


def _one(
    pool: DocumentPool,
    folder: Path,
    starts: list[Seed],
    seed: int,
    number: int,
    tally: Tally,
    keep: Path | None,
) -> None:
    rng = random.Random(f"{seed}:{number}")
    start = choose(starts, rng)
    data = mutate(start, starts, rng)
    path = folder / f"{number}{start.suffix}"
    path.write_bytes(data)
    begun = time.monotonic()
    try:
        pool.extract(path)
        outcome, told = "read", ""
    except ExamBankError as error:
        outcome, told = error.code, str(error)
        if not error.remedy or "Traceback" in told or str(folder) in told:
            outcome, told = "badly told", told
    except Exception as error:  # what a user would see as a traceback
        outcome, told = "raised", repr(error)
    took = time.monotonic() - begun
    path.unlink()
    with tally.lock:
        tally.outcomes[start.suffix, outcome] += 1
        tally.seconds[start.suffix] = max(took, tally.seconds.get(start.suffix, 0.0))
        if outcome in BUGS | {"badly told", "raised"} or took > LIMITS.max_seconds + GRACE_SECONDS:
            tally.failures.append(f"mutation {number} of {start.name}: {outcome} after {took:.1f} s: {told}")
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / path.name).write_bytes(data)


def show(tally: Tally) -> None:
    """One table: a row an outcome, a column a format."""
    kinds = sorted({kind for kind, _ in tally.outcomes})
    print("".join(f"{head:>22}" if n == 0 else f"{head:>8}" for n, head in enumerate(["", *kinds, "all"])))
    totals = Counter({o: sum(tally.outcomes[k, o] for k in kinds) for _, o in tally.outcomes})
    for outcome, total in totals.most_common():
        print(f"{outcome:>22}" + "".join(f"{tally.outcomes[k, outcome]:8}" for k in kinds) + f"{total:8}")
    slowest = [tally.seconds[kind] for kind in kinds]
    print(f"{'slowest, seconds':>22}" + "".join(f"{s:8.1f}" for s in [*slowest, max(slowest, default=0.0)]))
    for failure in tally.failures:
        print(f"FAILED {failure}")


def main() -> int:
    """The command line; 1 when anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-n", type=int, default=5000, help="how many mutations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="reading processes")
    parser.add_argument("--office", action="store_true", help="read .doc through LibreOffice")
    parser.add_argument("--keep", type=Path, help="folder for documents that failed")
    given = parser.parse_args()
    begun = time.monotonic()
    tally = run(given.n, given.seed, given.jobs, office=given.office, keep=given.keep)
    show(tally)
    print(f"{given.n} mutations of seed {given.seed} in {time.monotonic() - begun:.0f} s")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
