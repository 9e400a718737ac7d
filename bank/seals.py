"""The ledger's digests: one a run, over all it says and all it gave, and one over the list of runs.

They are keyed with the bank's key, so that a row that was changed, taken out or put in by anything else
is told from what was entered, and written in the transaction that enters it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from bank.ledgerfile import FORMAT, State, words_of

TABLES = """
CREATE TABLE IF NOT EXISTS seals (
    run_id INTEGER PRIMARY KEY,
    institution TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS sealed (digest TEXT NOT NULL)
"""
THE_LIST = "the list of runs"


@dataclass(frozen=True)
class Given:
    """What an institution has been given, or what is reserved for it: ids, and fingerprints of the words."""

    ids: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Entry:
    """A run as the ledger has it, with the ids and the fingerprints of what it gave."""

    number: int
    institution: str
    shown: str
    run: str
    at: str
    version: int
    state: str
    request: str
    manifest: str
    note: str
    given: tuple[tuple[str, str], ...]


_COLUMNS = ", ".join(field.name for field in fields(Entry)[1:-1])


def has_seals(base: sqlite3.Connection) -> bool:
    """Whether runs have digests: a ledger of before has none until it is next written to."""
    if base.execute("SELECT 1 FROM sqlite_master WHERE name = 'seals'").fetchone() is not None:
        return True
    return int(base.execute("PRAGMA user_version").fetchone()[0]) >= FORMAT


def look(
    base: sqlite3.Connection, secret: bytes, institution: str | None = None, number: int | None = None
) -> tuple[list[Entry], list[str]]:
    """The runs of an institution by its key, or one run, or all; and which of them are not as entered.

    Runs are found by their digests, which are all in one small table, not by an index. In a ledger of
    before there were digests, a run is as entered when it gave what its manifest says.
    """
    told: dict[int, str] = {}
    wrong: list[str] = []
    sealed = has_seals(base)
    if sealed:
        rows = base.execute("SELECT run_id, institution, digest FROM seals ORDER BY run_id").fetchall()
        runs = base.execute("SELECT count(*) FROM runs").fetchone()[0]
        if runs != len(rows) or base.execute("SELECT digest FROM sealed").fetchall() != [
            (_digest(secret, rows),)
        ]:
            wrong.append(THE_LIST)
        numbers = [n for n, holder, _ in rows if institution in (None, holder) and number in (None, n)]
        told = {n: digest for n, _, digest in rows}
    else:
        wanted = "SELECT id FROM runs WHERE ? IN ('', institution) AND ? IN (0, id) ORDER BY id"
        numbers = [row[0] for row in base.execute(wanted, (institution or "", number or 0))]
    found = []
    for one in numbers:
        entry = _entry(base, one)
        if entry is None:
            wrong.append(f"run number {one}")
            continue
        found.append(entry)
        if told[one] != digest_of(secret, entry) if sealed else not _as_drawn(entry):
            wrong.append(f"{entry.run} of {entry.shown}")
    return found, wrong


def given_in(entries: Sequence[Entry]) -> Given:
    """All that these runs gave; released ones left out."""
    pairs = [pair for entry in entries if entry.state != State.RELEASED for pair in entry.given]
    ids = tuple(dict.fromkeys(name for name, _ in pairs))
    return Given(ids, frozenset(said for _, said in pairs if said))


def seal(base: sqlite3.Connection, secret: bytes, numbers: Sequence[int]) -> None:
    """Take the digests of these runs as they are, and the one of the list. Call it in a transaction."""
    for number in numbers:
        entry = _entry(base, number)
        if entry is not None:
            row = (number, entry.institution, digest_of(secret, entry))
            base.execute("INSERT OR REPLACE INTO seals VALUES (?, ?, ?)", row)
    rows = base.execute("SELECT run_id, institution, digest FROM seals ORDER BY run_id").fetchall()
    base.execute("DELETE FROM sealed")
    base.execute("INSERT INTO sealed VALUES (?)", (_digest(secret, rows),))


def seal_all(base: sqlite3.Connection, secret: bytes) -> None:
    """Take the ledger for what it is now. Call it inside a transaction."""
    base.execute("DELETE FROM seals")
    seal(base, secret, [row[0] for row in base.execute("SELECT id FROM runs").fetchall()])


def digest_of(secret: bytes, entry: Entry) -> str:
    """The digest of a run, 64 hex digits."""
    return _digest(secret, list(vars(entry).values()))


def _entry(base: sqlite3.Connection, number: int) -> Entry | None:
    row = base.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (number,)).fetchone()  # noqa: S608
    if row is None:
        return None
    given = base.execute(
        f"SELECT question_id, {words_of(base)} FROM exposures"  # noqa: S608
        " WHERE run_id = ? ORDER BY question_id",
        (number,),
    ).fetchall()
    values: list[Any] = [number, *row, tuple(given)]
    return Entry(*values)


def _as_drawn(entry: Entry) -> bool:
    try:
        ids = json.loads(entry.manifest)["ids"]
    except (ValueError, KeyError, TypeError):
        return False
    return sorted(ids) == [name for name, _ in entry.given]


def _digest(secret: bytes, what: Sequence[object]) -> str:
    data = json.dumps(what, default=repr).encode()  # repr: a damaged row may hold bytes
    return hashlib.blake2b(data, digest_size=32, key=secret).hexdigest()
