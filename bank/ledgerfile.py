"""The inside of the ledger: its tables, what is read of them, and what is said when they cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from schemas.document import Frozen
from schemas.errors import BankError

NAME = "ledger.sqlite"
MARK = "ledger-id"  # beside it: the id of the ledger that must be there
WAIT_SECONDS = 900.0
FORMAT = 3  # 1 had no words, 2 no digests
TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY,
    institution TEXT NOT NULL,
    shown TEXT NOT NULL,
    run TEXT NOT NULL,
    at TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'recorded', 'released')),
    request TEXT NOT NULL,
    manifest TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    UNIQUE (institution, run)
);
CREATE TABLE IF NOT EXISTS exposures (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    question_id TEXT NOT NULL,
    words TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, question_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS identity (id TEXT NOT NULL)
"""
WORDS = "ALTER TABLE exposures ADD COLUMN words TEXT NOT NULL DEFAULT ''"


class State(StrEnum):
    """What became of a draw for an institution.

    RESERVED: its questions are set aside, but the sample was not written to its end. RECORDED: the
    sample was written, so the institution may have seen it. RELEASED: nobody has seen it, and the
    questions may be drawn again.
    """

    RESERVED = "reserved"
    RECORDED = "recorded"
    RELEASED = "released"


class Run(Frozen):
    """One draw for one institution."""

    institution: str
    run: str
    at: str = Field(description="RFC 3339, UTC: when it was reserved")
    version: int = Field(description="of the bank it was drawn from")
    state: State
    questions: int
    note: str = Field(default="", description="why it was released, by whom and when")


@contextmanager
def transaction(base: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and the only one that writes, from its first line on."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if base.in_transaction:  # a full disk has ended it already
            base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")


def has_tables(base: sqlite3.Connection) -> bool:
    """Whether anything has been entered: a file can be there without."""
    return base.execute("SELECT 1 FROM sqlite_master WHERE name = 'exposures'").fetchone() is not None


def id_of(base: sqlite3.Connection) -> str:
    """The ledger's id; '' where it has none."""
    if base.execute("SELECT 1 FROM sqlite_master WHERE name = 'identity'").fetchone() is None:
        return ""
    row = base.execute("SELECT id FROM identity").fetchone()
    return str(row[0]) if row is not None else ""


def format_of(base: sqlite3.Connection) -> int:
    """The number of its format."""
    return int(base.execute("PRAGMA user_version").fetchone()[0])


def has_words(base: sqlite3.Connection) -> bool:
    """Whether it has a column for the words as given."""
    return "words" in {column[1] for column in base.execute("PRAGMA table_info(exposures)")}


def words_of(base: sqlite3.Connection) -> str:
    """The column of the words; none in a ledger of before, until the next draw."""
    return "words" if has_words(base) else "''"


def lost(path: Path, what: str) -> BankError:
    """What to raise when the ledger is not the one that must be there."""
    return BankError(
        f"The ledger {path} {what}: what institutions have been given is not in it.",
        code="ledger_lost",
        remedy=_back(path),
    )


def changed(path: Path, wrong: Sequence[str]) -> BankError:
    """What to raise when runs are not as they were entered. wrong: their names."""
    more = f" and {len(wrong) - 5:,} more" if len(wrong) > 5 else ""
    return BankError(
        f"The ledger {path} has been changed by something else than exambank: {', '.join(wrong[:5])}{more} "
        "is not as it was entered.",
        code="ledger_changed",
        remedy=_back(path),
    )


def _back(path: Path) -> str:
    return (
        "Put it back from a backup. To go on with what is there, knowing that questions may be given "
        f"to an institution a second time, delete {path.with_name(MARK)} and {path.parent / 'sums' / MARK}."
    )


def failure(path: Path, error: sqlite3.Error) -> BankError:
    """What to raise for an error of SQLite; only what tells of damage advises a backup."""
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BankError(
            f"Another process has been writing to {path} for {WAIT_SECONDS / 60:.0f} minutes.",
            code="bank_busy",
            remedy="Wait for it and run the same command again.",
        )
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return BankError(
            f"The disk of the ledger {path} is full, or fails ({error}).",
            code="disk_full",
            remedy="Free some space, then run the same command again: the ledger is as it was before.",
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return BankError(
            f"The ledger {path} may not be read or written here ({error}).",
            code="bank_barred",
            remedy="Check the owner and the rights of its folder, and whether it is mounted read-only. "
            "The ledger itself is as it was.",
        )
    damaged = name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT"))
    return BankError(
        f"The ledger {path} cannot be used: {error}.",
        code="ledger",
        remedy="Restore it from a backup: without it nobody knows what an institution has been given."
        if damaged
        else "See with `exambank check` whether it is damaged: only then restore it from a backup.",
    )
