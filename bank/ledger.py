"""The ledger: which institution has been given which question, when, and in which run."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import Field

from bank.files import write_whole
from schemas.document import Frozen
from schemas.errors import BankError, UsageError
from schemas.evaluation import Manifest

NAME = "ledger.sqlite"
MARK = "ledger-id"  # beside it: the id of the ledger that must be there
_WAIT_SECONDS = 900.0
_FORMAT = 1
_SPACE = re.compile(r"\s+")
_TABLES = """
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
    PRIMARY KEY (run_id, question_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS identity (id TEXT NOT NULL);
PRAGMA user_version = 1
"""


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


class Ledger:
    """The ledger of a bank, in one SQLite file beside it. The file is made by the first reservation.

    Exposures name questions, not units: what belongs together is asked of the bank at each draw,
    so that a later merge of two questions unites their exposures.

    A file beside it bears the ledger's id, and is there before the first exposure. Where the ledger
    is missing, empty or another than it says, everything raises BankError `ledger_lost`: taken for a
    new one it would give out again what institutions have had.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.mark = folder / MARK

    def lost(self) -> BankError | None:
        """Whether the ledger is not the one it must be: the error that says so, or None."""
        wanted = self._wanted()
        if not wanted or not self.path.exists():
            return _lost(self.path, "is missing") if wanted else None
        try:
            with self._open():
                return None
        except BankError as error:
            return error if error.code == "ledger_lost" else None

    def reserve(
        self,
        institution: str,
        run: str,
        *,
        at: str,
        request: Any,  # noqa: ANN401 - JSON values
        draw: Callable[[list[str]], Manifest],
    ) -> tuple[Manifest, bool]:
        """Draw for an institution and set the questions aside, both in one transaction.

        draw: called with the ids of all questions the institution has been given; returns what was
        drawn. Draws for one bank wait for each other, so no two for one institution overlap.
        The same institution, run and request again give the same manifest back and draw nothing;
        the second value tells whether this is the first time.
        UsageError `run_exists` when the run was another draw or was released.
        """
        key, told = _key(institution), json.dumps(request, sort_keys=True)
        _named(run, "A run")
        with self._open() as base:
            self._begin(base)
        with self._open() as base, _transaction(base):
            found = base.execute(
                "SELECT state, request, manifest FROM runs WHERE institution = ? AND run = ?", (key, run)
            ).fetchone()
            if found is not None:
                if found[0] != State.RELEASED and found[1] == told:
                    return Manifest.model_validate_json(found[2]), False
                raise UsageError(
                    f"The run {run} of {institution} has been {found[0]}, as another draw."
                    if found[0] != State.RELEASED
                    else f"The run {run} of {institution} has been released.",
                    code="run_exists",
                    remedy="Name a new run, or repeat the command of the old one as it was.",
                )
            manifest = draw(_exposed(base, key))
            number = base.execute(
                "INSERT INTO runs (institution, shown, run, at, version, state, request, manifest)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(key, _SPACE.sub(" ", institution.strip()), run, at),
                    *(manifest.bank_version, State.RESERVED, told, manifest.model_dump_json()),
                ),
            ).lastrowid
            base.executemany("INSERT INTO exposures VALUES (?, ?)", [(number, name) for name in manifest.ids])
        return manifest, True

    def record(self, institution: str, run: str) -> None:
        """Note that the sample of a reserved run has been written and may have been seen."""
        with self._open() as base, _transaction(base):
            base.execute(
                "UPDATE runs SET state = ? WHERE institution = ? AND run = ? AND state = ?",
                (State.RECORDED, _key(institution), run, State.RESERVED),
            )

    def release(
        self, institution: str, run: str, *, who: str, why: str, at: str, unseen: bool = False
    ) -> Run:
        """Let the questions of a run be drawn again for its institution; the run itself stays on record.

        UsageError for a run that is not there or was released before, and for a recorded one unless
        `unseen` says that nobody has seen its sample.
        """
        found = next((r for r in self.runs(institution) if r.run == run), None)
        if found is None:
            raise UsageError(
                f"The ledger has no run {run} of {institution}.",
                code="no_run",
                remedy="See the runs with `exambank ledger status`.",
            )
        with self._open() as base, _transaction(base):
            states = (State.RESERVED, State.RECORDED) if unseen else (State.RESERVED, State.RESERVED)
            changed = base.execute(
                "UPDATE runs SET state = ?, note = ? WHERE institution = ? AND run = ? AND state IN (?, ?)",
                (State.RELEASED, f"{why} ({who}, {at})", _key(institution), run, *states),
            ).rowcount
        if not changed:
            raise UsageError(
                f"The run {run} of {institution} has been {found.state.value}.",
                code="run_released" if found.state is State.RELEASED else "run_recorded",
                remedy=""
                if found.state is State.RELEASED
                else "Its sample was written; add --unseen if nobody has seen it.",
            )
        return next(r for r in self.runs(institution) if r.run == run)

    def exposed(self, institution: str) -> list[str]:
        """The ids of all questions an institution has been given, or that are reserved for it."""
        if not self._there():
            return []
        with self._open() as base:
            return _exposed(base, _key(institution)) if _has_tables(base) else []

    def runs(self, institution: str | None = None) -> list[Run]:
        """The runs of an institution, or of all, in the order of their reservation."""
        if not self._there():
            return []
        with self._open() as base:
            if not _has_tables(base):
                return []
            rows = base.execute(
                "SELECT shown, run, at, version, state, note,"
                " (SELECT count(*) FROM exposures WHERE run_id = runs.id)"
                " FROM runs WHERE ? IS NULL OR institution = ? ORDER BY id",
                (institution, _key(institution) if institution is not None else ""),
            ).fetchall()
        names = ("institution", "run", "at", "version", "state", "note", "questions")
        return [Run.model_validate(dict(zip(names, row, strict=True))) for row in rows]

    def exposures(self) -> list[tuple[str, str]]:
        """Every pair of an institution and a question it has been given; released runs left out."""
        if not self._there():
            return []
        with self._open() as base:
            if not _has_tables(base):
                return []
            return base.execute(
                "SELECT DISTINCT institution, question_id FROM exposures JOIN runs ON runs.id = run_id"
                " WHERE state != ? ORDER BY question_id, institution",
                (State.RELEASED,),
            ).fetchall()

    def _there(self) -> bool:
        """Whether there is a ledger to look into; one that has been lost is opened, and told by that."""
        return self.path.exists() or bool(self._wanted())

    def _wanted(self) -> str:
        """The id the ledger must have; '' before its first reservation."""
        try:
            return self.mark.read_text(encoding="utf-8", errors="replace").strip() or "?"
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise BankError(f"{self.mark} cannot be read: {error.strerror}.", code="ledger") from None

    def _begin(self, base: sqlite3.Connection) -> None:
        """Make what is not there yet: the tables with an id, and then the mark that bears it."""
        if self.mark.exists() and _id(base):
            return
        with _transaction(base):
            for line in _TABLES.split(";"):
                base.execute(line)
            if not _id(base):
                base.execute("INSERT INTO identity VALUES (?)", (secrets.token_hex(16),))
        # A kill between the two leaves a ledger without a mark, which the next reservation makes.
        if not self.mark.exists():
            write_whole(self.mark, f"{_id(base)}\n".encode())

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        wanted = self._wanted()  # read first: who sees the mark finds in the ledger what it bears
        if wanted and not self.path.exists():
            raise _lost(self.path, "is missing")
        try:
            base = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise _failure(self.path, error) from error
        try:
            number = base.execute("PRAGMA user_version").fetchone()[0]
            if number > _FORMAT:
                raise BankError(
                    f"{self.path} was written by a newer exambank (format {number}).",
                    code="ledger_format",
                    remedy="Install the newest version.",
                )
            found = _id(base)
            if wanted and found != wanted:
                raise _lost(self.path, "is another one than it was" if found else "is empty or an old one")
            base.execute("PRAGMA foreign_keys = ON")
            base.execute("PRAGMA synchronous = FULL")  # what was said to be reserved stays reserved
            yield base
        except sqlite3.Error as error:
            raise _failure(self.path, error) from error
        finally:
            base.close()


@contextmanager
def _transaction(base: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and the only one that writes, from its first line on."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")


def _has_tables(base: sqlite3.Connection) -> bool:
    return base.execute("SELECT 1 FROM sqlite_master WHERE name = 'exposures'").fetchone() is not None


def _id(base: sqlite3.Connection) -> str:
    if base.execute("SELECT 1 FROM sqlite_master WHERE name = 'identity'").fetchone() is None:
        return ""
    row = base.execute("SELECT id FROM identity").fetchone()
    return str(row[0]) if row is not None else ""


def _exposed(base: sqlite3.Connection, key: str) -> list[str]:
    rows: Sequence[tuple[str]] = base.execute(
        "SELECT DISTINCT question_id FROM exposures JOIN runs ON runs.id = run_id"
        " WHERE institution = ? AND state != ?",
        (key, State.RELEASED),
    ).fetchall()
    return [name for (name,) in rows]


def _key(institution: str) -> str:
    """One institution, however its name is spaced or capitalised."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", _named(institution, "An institution"))).casefold()


def _named(name: str, what: str) -> str:
    if not name.strip():
        raise UsageError(f"{what} needs a name.")
    return name.strip()


def _lost(path: Path, what: str) -> BankError:
    return BankError(
        f"The ledger {path} {what}: what institutions have been given is not in it.",
        code="ledger_lost",
        remedy=f"Put it back from a backup. To go on with what is there, knowing that questions may be given "
        f"to an institution a second time, delete {path.with_name(MARK)}.",
    )


def _failure(path: Path, error: sqlite3.Error) -> BankError:
    if "locked" in str(error) or "busy" in str(error):
        return BankError(
            f"Another process has been writing to {path} for {_WAIT_SECONDS / 60:.0f} minutes.",
            code="bank_busy",
            remedy="Wait for it and run the same command again.",
        )
    return BankError(
        f"The ledger {path} cannot be used: {error}.",
        code="ledger",
        remedy="Restore it from a backup: without it nobody knows what an institution has been given.",
    )
