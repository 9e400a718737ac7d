"""A process that draws for an institution: `drawer.py BANK INSTITUTION RUN COUNT [DIE]`.

DIE: kill this process with SIGKILL inside the transaction (draw, insert), or after it (after).
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from bank import ledger
from bank.draw import reserved
from bank.draw.request import Request
from bank.store import Bank


def die(*_args: object, **_kwargs: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    folder, institution, run, count, *rest = sys.argv[1:]
    bank = Bank.open(Path(folder))
    book = ledger.Ledger(bank.path)
    point = rest[0] if rest else ""
    if point == "draw":
        reserved.draw_from = die
    elif point == "insert":
        # What was drawn is in the transaction and on its way to the disk, the commit is not.
        look = ledger.seals.look

        def spill(base, *wanted):  # type: ignore[no-untyped-def]
            base.execute("PRAGMA cache_size = 1")
            base.create_function("die", 0, die)
            base.execute(
                "CREATE TEMP TRIGGER half AFTER INSERT ON main.exposures WHEN"
                " (SELECT count(*) FROM exposures) % 7 = 6 BEGIN SELECT die(); END"
            )
            return look(base, *wanted)

        ledger.seals.look = spill
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    asked = Request(seed=int(rest[1]) if len(rest) > 1 else 1, total=int(count))
    _, manifest = reserved.draw_for(
        bank, book, asked, institution=institution, run=run, at="2026-01-01T00:00:00+00:00"
    )
    if point == "after":
        die()
    book.record(institution, run)
    sys.stdout.write(manifest.model_dump_json() + "\n")


if __name__ == "__main__":
    main()
