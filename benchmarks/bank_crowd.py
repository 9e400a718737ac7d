"""Eight processes write and draw at once: every acknowledged row is there once, no exposure overlaps.

    python -m benchmarks.bank_crowd                       8 processes for 60 seconds
    python -m benchmarks.bank_crowd --seconds 10 --folder DIR

Half of them add batches and amend questions, half draw for one institution under run names of their
own. Each tells on its output what it was told is done; afterwards that is looked for in the bank.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.bank_kills import AT, QUIET, amend, append

INSTITUTION, FIRST, PER_DRAW = "institution", 2_000, 10


def work(folder: Path, kind: str, number: int, seconds: float) -> None:
    """What one of the processes does until its time is over; a JSON line for each thing done."""
    from bank.draw import Request
    from bank.draw.reserved import draw_for
    from bank.ledger import Ledger
    from bank.store import Bank
    from schemas.errors import ShortStratumError

    bank, rng, end, place = Bank.open(folder), random.Random(number), time.monotonic() + seconds, 0
    ledger = Ledger(folder)
    while time.monotonic() < end:
        place += 1
        if kind == "write":
            said = (amend if place % 3 == 0 else append)(bank, rng)
            told = {"added": [] if place % 3 == 0 else said["ids"]}
        else:
            asked = Request(seed=place, total=PER_DRAW)
            run = f"run-{number}-{place}"
            try:
                _, manifest = draw_for(bank, ledger, asked, institution=INSTITUTION, run=run, at=AT)
            except ShortStratumError:
                continue
            ledger.record(INSTITUTION, run)
            told = {"drawn": list(manifest.ids)}
        print(json.dumps(told), flush=True)


def crowd(folder: Path, processes: int, seconds: float) -> list[str]:
    """Let them work; what is wrong afterwards, nothing if all is well."""
    from bank.check import check
    from bank.draw.units import units
    from bank.store import Bank
    from benchmarks.bank_rows import questions

    bank = Bank.create(folder)
    bank.add(questions(FIRST, 1), batch="first", who="crowd", why="", now=AT)
    again = [sys.executable, "-m", "benchmarks.bank_crowd", "--folder", str(folder)]
    with tempfile.TemporaryFile("w+") as said:  # appended to by all, a line at a time
        running = [
            subprocess.Popen(
                [*again, "--seconds", str(seconds), "--work", ("write", "draw")[number % 2], str(number)],
                stdout=said,
            )
            for number in range(processes)
        ]
        for one in running:
            one.wait()
        said.seek(0)
        lines = [json.loads(line) for line in said.read().splitlines()]
    wrong = [f"a process ended with {one.returncode}" for one in running if one.returncode]
    added = [name for line in lines for name in line.get("added", [])]
    drawn = [line["drawn"] for line in lines if "drawn" in line]
    table = bank.table(["question_id", "original_id", "duplicate_of"])
    there = Counter(table["question_id"].to_pylist())
    wrong += [f"{n:,} acknowledged rows are missing" for n in [len(set(added) - set(there))] if n]
    wrong += [f"{name} stands {n} times" for name, n in there.items() if n > 1]
    columns = (table[name].combine_chunks() for name in ("question_id", "original_id", "duplicate_of"))
    of = dict(zip(table["question_id"].to_pylist(), units(*columns).tolist(), strict=True))
    given = Counter(of[name] for ids in drawn for name in ids)
    wrong += [f"unit {unit} was given {n} times" for unit, n in given.items() if n > 1]
    wrong += [str(p) for p in check(bank).problems if p.code not in QUIET]
    print(
        f"{processes} processes, {seconds:g} s: {len(lines):,} acknowledged operations, {len(added):,} rows "
        f"added, {len(drawn):,} draws of {PER_DRAW}, version {bank.version}: "
        + ("; ".join(wrong) or "all is well")
    )
    return wrong


def main() -> int:
    """The command line; 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--folder", type=Path, help="where the bank is made; a temporary folder if left out")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.folder, given.work[0], int(given.work[1]), given.seconds)
        return 0
    made = given.folder is None
    folder = given.folder or Path(tempfile.mkdtemp(prefix="bank-crowd-")) / "bank"
    try:
        return 1 if crowd(folder, given.processes, given.seconds) else 0
    finally:
        if made:
            shutil.rmtree(folder.parent, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
