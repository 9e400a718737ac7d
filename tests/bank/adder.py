"""A process that adds one paper to a bank: `adder.py BANK PAPER COUNT START [DIE]`.

DIE: kill this process with SIGKILL at a point inside the add: settle, commit, write, index or after.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from bank import store
from tests.bank.makers import paper


def die(*_args: object, **_kwargs: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    folder, name, count, start, *rest = sys.argv[1:]
    bank = store.Bank.open(Path(folder))
    point = rest[0] if rest else ""
    if point == "settle":
        store.settle = die
    elif point == "commit":
        store.Bank._commit = die
    elif point == "index":
        # The rows are committed, the index is not told of them.
        store.NearIndex.save = die
    elif point == "write":
        import deltalake

        write = deltalake.write_deltalake
        # The rows are staged as files of the table, but no commit names them.
        deltalake.write_deltalake = lambda *a, **k: (staged(Path(folder)), write, die())
    questions = paper(name, int(count), int(start))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    report = bank.add(questions, batch=name, who="test", why="adder", now="2026-01-01T00:00:00Z")
    if point == "after":
        die()
    sys.stdout.write(report.model_dump_json() + "\n")


def staged(folder: Path) -> None:
    place = folder / "questions" / "discipline=d01"
    place.mkdir(exist_ok=True)
    (place / "part-00000-half.snappy.parquet").write_bytes(b"PAR1 half a file")


if __name__ == "__main__":
    main()
