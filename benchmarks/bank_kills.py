"""Writers killed at any moment: afterwards the bank is sound and everything they said was done is there.

    python -m benchmarks.bank_kills                        200 kills over all operations
    python -m benchmarks.bank_kills --kills 20 --seed 7 --folder DIR

Each round starts a process that does one kind of operation again and again and says so after each;
it is killed with SIGKILL at a random moment. Then the bank is checked, and every operation that was
said to be done is looked for.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bank.store import Bank

AT = "2026-01-01T00:00:00+00:00"
TOLD = {"who": "killed", "why": "a kill", "at": AT}
ADDED, AMENDED, DRAWN, FIRST = 40, 20, 3, 400
HOLDER = "institution"
# What may be said of a bank after a kill, and after a restore that takes out what was drawn.
QUIET = {"leftovers", "index_stale", "sources_missing", "sums_missing", "ledger_unknown"}
Said = dict[str, Any]


def append(bank: Bank, rng: random.Random) -> Said:
    """A batch of new questions, their near-duplicates settled."""
    from benchmarks.bank_rows import questions

    seed = rng.getrandbits(60)
    report = bank.add(questions(ADDED, seed), batch=f"b{seed}", who="killed", why="a kill", now=AT)
    return {"version": report.version, "ids": [o.question_id for o in report.outcomes]}


def amend(bank: Bank, rng: random.Random) -> Said:
    """An edit of some questions, a few of which move to another discipline."""
    from bank.amend import Change, apply

    names = sorted(map(str, bank.table(["question_id"])["question_id"].to_pylist()))
    points = float(rng.randrange(1, 1000))
    chosen = rng.sample(names, AMENDED)
    moved = {name: f"d{rng.randrange(1, 14):02d}" for name in chosen[:3]}
    changes = [
        Change(
            question_id=name,
            fields={"points": points, **({"discipline": moved[name]} if name in moved else {})},
            reason="a kill",
        )
        for name in chosen
    ]
    report = apply(bank, changes, **TOLD)
    return {"version": report.version, "ids": list(report.changed), "points": points}


def compact(bank: Bank, rng: random.Random) -> Said:
    """The small files put together."""
    from bank.upkeep import compact as work

    rows = bank.table(["question_id"]).num_rows
    return {"version": work(bank, **TOLD).version, "rows": rows}


def restore(bank: Bank, rng: random.Random) -> Said:
    """A version of a while ago made the newest."""
    from bank.versions import restore as work

    of = rng.randrange(max(1, bank.version - 12), bank.version + 1)
    return {"version": work(bank, of, **TOLD), "of": of}


def reserve(bank: Bank, rng: random.Random) -> Said:
    """A draw set aside for an institution."""
    from bank.draw.request import Request
    from bank.draw.reserved import draw_for
    from bank.ledger import Ledger

    run = f"r{rng.getrandbits(60)}"
    asked = Request(seed=1, total=DRAWN, allow_short=True)
    _, manifest = draw_for(bank, Ledger(bank.path), asked, institution=HOLDER, run=run, at=AT)
    return {"run": run, "ids": list(manifest.ids)}


OPERATIONS: dict[str, Callable[[Any, random.Random], Said]] = {
    "append": append,
    "amend": amend,
    "compact": compact,
    "restore": restore,
    "reserve": reserve,
}


def work(folder: Path, name: str, seed: int) -> None:
    """Do one kind of operation until killed; a line of JSON after each."""
    from bank.store import Bank

    bank, rng = Bank.open(folder), random.Random(seed)
    said = _round(bank, name, rng)  # what is loaded on the way is not what is to be killed
    print("ready", flush=True)
    while True:
        for told in said:
            print(json.dumps(told), flush=True)
        said = _round(bank, name, rng)


def _round(bank: Bank, name: str, rng: random.Random) -> list[Said]:
    """One operation, after an append where it needs something to do."""
    names = ["append", name] if name in {"compact", "restore"} else [name]
    return [{"operation": kind, **OPERATIONS[kind](bank, rng)} for kind in names]


def killed(folder: Path, name: str, seed: int, wait: float) -> list[Said]:
    """Let a process do it, kill it so many seconds after it began, and return what it said."""
    command = [sys.executable, "-m", "benchmarks.bank_kills", "--work", name]
    child = subprocess.Popen(
        [*command, "--seed", str(seed), "--folder", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert child.stdout is not None
    if child.stdout.readline() != "ready\n":
        raise SystemExit(f"{name} did not start: exit code {child.wait()}")
    time.sleep(wait)
    child.send_signal(signal.SIGKILL)
    lines = child.stdout.read().splitlines()
    if child.wait() != -signal.SIGKILL:
        raise SystemExit(f"{name} ended by itself with exit code {child.returncode}")
    return [json.loads(line) for line in lines]


def missing(bank: Bank, said: Iterable[Said]) -> Iterator[str]:
    """What was said to be done and is not there."""
    from bank.ledger import Ledger
    from bank.versions import history

    versions = {v.version: v for v in history(bank)}
    given = set(Ledger(bank.path).exposed(HOLDER))
    for told in said:
        name = told["operation"]
        if name == "reserve":
            if not set(told["ids"]) <= given:
                yield f"{told['run']}: {sorted(set(told['ids']) - given)} are not in the ledger"
            continue
        version = told["version"]
        if version not in versions:
            yield f"{name}: there is no version {version}"
        elif name == "append":
            yield from _lost(bank, told, None)
        elif name == "amend":
            yield from _lost(bank, told, told["points"])
        elif name == "compact" and bank.table(["question_id"], version=version).num_rows != told["rows"]:
            yield f"compact: version {version} has not the rows it had"
        elif name == "restore":
            both = [
                bank.table(version=v).sort_by("question_id").drop_columns(["revision", "updated_at"])
                for v in (version, told["of"])
            ]
            if not both[0].equals(both[1]):
                yield f"restore: version {version} is not as version {told['of']}"


def _lost(bank: Bank, told: Said, points: float | None) -> Iterator[str]:
    """Rows that are not, or not so, in the version that was named, or in the newest one."""
    from bank.versions import history

    after = [v for v in history(bank) if v.version > told["version"]]
    for version in (
        told["version"],
        *([bank.version] if all(v.restored is None for v in after) else []),
    ):
        rows = bank.table(
            ["question_id", "points"], {"question_id": told["ids"]}, version=version
        ).to_pylist()
        if len(rows) != len(told["ids"]):
            yield f"{told['operation']}: version {version} lacks {len(told['ids']) - len(rows)} rows"
        if points is not None and version == told["version"] and any(r["points"] != points for r in rows):
            yield f"amend: version {version} has other points"


def run(folder: Path, kills: int, seed: int, operations: Iterable[str] = OPERATIONS) -> dict[str, Any]:
    """Kill so many writers, over the operations in turn; what went wrong is in `faults`."""
    from bank.check import check
    from bank.store import Bank
    from bank.upkeep import sweep
    from benchmarks.bank_rows import questions

    bank, rng = Bank.create(folder), random.Random(seed)
    for n in range(3):
        bank.add(questions(FIRST, 1000 + n), batch=str(n), who="first", why="first", now=AT)
    usual = _usual(bank, list(operations))
    counts, acknowledged, swept = Counter[str](), Counter[str](), 0
    faults: list[str] = []
    names = list(operations)
    for place in range(kills):
        name = names[place % len(names)]
        said = killed(folder, name, rng.getrandbits(32), rng.uniform(0, 2.5 * usual[name]))
        counts[name] += 1
        acknowledged.update(told["operation"] for told in said)
        bank = Bank.open(folder)
        report = check(bank, deep=False)
        faults += [
            f"{name} {place}: {p.message} {p.examples}" for p in report.problems if p.code not in QUIET
        ]
        faults += [f"{name} {place}: {lost}" for lost in missing(bank, said)]
        left = sweep(bank)
        swept += len(left)
        if any(p.code == "leftovers" for p in check(bank, deep=False).problems):
            faults.append(f"{name} {place}: the sweep left something")
    deep = [p for p in check(bank).problems if p.code not in QUIET]
    faults += [f"at the end: {p.message}" for p in deep]
    return {
        "kills": dict(counts),
        "acknowledged": dict(acknowledged),
        "version": bank.version,
        "swept": swept,
        "faults": faults,
    }


def _usual(bank: Bank, names: list[str]) -> dict[str, float]:
    """Seconds an operation takes here when nobody kills it."""
    rng, found = random.Random(0), {}
    for name in names:
        _round(bank, name, rng)
        begun = time.monotonic()
        _round(bank, name, rng)
        found[name] = max(0.05, time.monotonic() - begun)
    return found


def main() -> None:
    """Run the kills and print what they did; exit code 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--work", choices=sorted(OPERATIONS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.folder, given.work, given.seed)
    folder = given.folder or Path(tempfile.mkdtemp(prefix="kills-"))
    begun = time.monotonic()
    try:
        told = run(folder / "bank", given.kills, given.seed)
    finally:
        if given.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{'operation':12}{'kills':>8}{'done before them':>20}")
    for name in OPERATIONS:
        print(f"{name:12}{told['kills'].get(name, 0):>8}{told['acknowledged'].get(name, 0):>20}")
    print(f"{told['version']} versions, {told['swept']} files swept, {time.monotonic() - begun:.0f} s")
    for fault in told["faults"]:
        print(f"FAULT  {fault}")
    sys.exit(1 if told["faults"] else 0)


if __name__ == "__main__":
    main()
