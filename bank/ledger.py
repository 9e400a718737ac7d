"""The ledger: which institution has been given which question, when, and in which run."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from bank import sums
from bank.files import write_whole
from bank.ledgerfile import (
    FORMAT,
    MARK,
    NAME,
    TABLES,
    WAIT_SECONDS,
    WORDS,
    Given,
    State,
    failure,
    format_of,
    given_in,
    has_tables,
    has_words,
    id_of,
    lost,
    transaction,
    words_of,
)
from bank.storage import storage, told
from schemas.document import Frozen
from schemas.errors import BankError, UsageError
from schemas.evaluation import Manifest

__all__ = ["Given", "Ledger", "Run", "State"]
_SPACE = re.compile(r"\s+")
_LONGEST = 200  # characters of a name


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
    so that a later merge of two questions unites their exposures. With each stands a fingerprint of the
    words as they were given: the question may be edited or taken out since, and its words come in again.

    A file beside it bears the ledger's id, and so does one among the digests; they are there before the
    first exposure. Where the ledger
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
            return lost(self.path, "is missing") if wanted else None
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
        draw: Callable[[Given], tuple[Manifest, Sequence[str]]],
    ) -> tuple[Manifest, bool]:
        """Draw for an institution and set the questions aside, both in one transaction.

        draw: called with all the institution has been given; returns what was drawn, and the
        fingerprints of its words in the order of its ids. Draws for one bank wait for each other, so
        no two for one institution overlap.
        The same institution, run and request again give the same manifest back and draw nothing;
        the second value tells whether this is the first time.
        UsageError `run_exists` when the run was another draw or was released.
        """
        key, told = _key(institution), json.dumps(request, sort_keys=True)
        _named(run, "A run")
        for name in (institution, run):
            if len(name.strip()) > _LONGEST:
                raise UsageError(f"The name {name.strip()[:20]}… has more than {_LONGEST} characters.")
        with self._open() as base:
            self._begin(base)
        with self._open() as base, transaction(base):
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
                    remedy="Name a new run: one that was released is not given again."
                    if found[0] == State.RELEASED
                    else "Name a new run, or repeat the command of the old one as it was.",
                )
            manifest, words = draw(given_in(base, key))
            number = base.execute(
                "INSERT INTO runs (institution, shown, run, at, version, state, request, manifest)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(key, _SPACE.sub(" ", institution.strip()), run, at),
                    *(manifest.bank_version, State.RESERVED, told, manifest.model_dump_json()),
                ),
            ).lastrowid
            base.executemany(
                "INSERT INTO exposures (run_id, question_id, words) VALUES (?, ?, ?)",
                [(number, name, said) for name, said in zip(manifest.ids, words, strict=True)],
            )
        return manifest, True

    def complete(self, words: Callable[[int, Sequence[str]], Mapping[str, str]]) -> None:
        """Bring an older ledger up to date: fill in the words of what it has without.

        words: called with a version of the bank and ids; what they said in it, as far as it can be read.
        """
        if not self._there():
            return
        with self._open() as base:
            if not has_tables(base):
                return
            if not has_words(base):
                self._begin(base)
            lacking: dict[int, list[tuple[int, str]]] = defaultdict(list)
            for version, number, name in base.execute(
                "SELECT version, run_id, question_id FROM exposures JOIN runs ON runs.id = run_id"
                " WHERE words = ''"
            ):
                lacking[version].append((number, name))
            for version, entries in lacking.items():
                said = words(version, sorted({name for _, name in entries}))
                with transaction(base):
                    base.executemany(
                        "UPDATE exposures SET words = ? WHERE run_id = ? AND question_id = ?",
                        [(said[name], number, name) for number, name in entries if name in said],
                    )

    def record(self, institution: str, run: str) -> None:
        """Note that the sample of a reserved run has been written and may have been seen."""
        with self._open() as base, transaction(base):
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
        with self._open() as base, transaction(base):
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

    def given(self, institution: str) -> Given:
        """All an institution has been given, or what is reserved for it."""
        if not self._there():
            return Given()
        with self._open() as base:
            return given_in(base, _key(institution)) if has_tables(base) else Given()

    def exposed(self, institution: str) -> list[str]:
        """The ids of all questions an institution has been given, or that are reserved for it."""
        return list(self.given(institution).ids)

    def manifest(self, institution: str, run: str) -> Manifest | None:
        """The manifest of a run, as it was drawn; None where the ledger has no such run."""
        if not self._there():
            return None
        with self._open() as base:
            found = None
            if has_tables(base):
                wanted = "SELECT manifest FROM runs WHERE institution = ? AND run = ?"
                found = base.execute(wanted, (_key(institution), run)).fetchone()
        return Manifest.model_validate_json(found[0]) if found is not None else None

    def runs(self, institution: str | None = None) -> list[Run]:
        """The runs of an institution, or of all, in the order of their reservation."""
        if not self._there():
            return []
        with self._open() as base:
            if not has_tables(base):
                return []
            rows = base.execute(
                "SELECT shown, run, at, version, state, note,"
                " (SELECT count(*) FROM exposures WHERE run_id = runs.id)"
                " FROM runs WHERE ? IS NULL OR institution = ? ORDER BY id",
                (institution, _key(institution) if institution is not None else ""),
            ).fetchall()
        names = ("institution", "run", "at", "version", "state", "note", "questions")
        return [Run.model_validate(dict(zip(names, row, strict=True))) for row in rows]

    def exposures(self) -> list[tuple[str, str, str]]:
        """Every institution with each question it has been given and its words; released runs left out."""
        if not self._there():
            return []
        with self._open() as base:
            if not has_tables(base):
                return []
            return base.execute(
                f"SELECT DISTINCT institution, question_id, {words_of(base)} FROM exposures"  # noqa: S608
                " JOIN runs ON runs.id = run_id WHERE state != ? ORDER BY question_id, institution",
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
            return sums.marked(self.path.parent, MARK)  # lost together with the ledger
        except OSError as error:
            raise storage(error, self.mark) or BankError(
                f"{self.mark} cannot be read: {error.strerror}.", code="ledger"
            ) from None

    def _begin(self, base: sqlite3.Connection) -> None:
        """Make what is not there yet: the tables with an id, and then the mark that bears it."""
        name, folder = id_of(base), self.path.parent
        if name and self.mark.exists() and sums.marked(folder, MARK) == name and format_of(base) == FORMAT:
            return
        with transaction(base):
            for line in TABLES.split(";"):
                base.execute(line)
            if not has_words(base):
                base.execute(WORDS)
                for number, shown in base.execute("SELECT id, shown FROM runs").fetchall():
                    base.execute(
                        "UPDATE OR IGNORE runs SET institution = ? WHERE id = ?", (_key(shown), number)
                    )
            base.execute(f"PRAGMA user_version = {FORMAT}")
            if not id_of(base):
                base.execute("INSERT INTO identity VALUES (?)", (secrets.token_hex(16),))
        # A kill between the two leaves a ledger without a mark, which the next reservation makes.
        with told(folder):
            if not self.mark.exists():
                write_whole(self.mark, f"{id_of(base)}\n".encode())
            sums.mark(folder, MARK, id_of(base))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        wanted = self._wanted()  # read first: who sees the mark finds in the ledger what it bears
        if wanted and not self.path.exists():
            raise lost(self.path, "is missing")
        try:
            base = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise failure(self.path, error) from error
        try:
            number = format_of(base)
            if number > FORMAT:
                raise BankError(
                    f"{self.path} was written by a newer exambank (format {number}).",
                    code="ledger_format",
                    remedy="Install the newest version.",
                )
            found = id_of(base)
            if wanted and found != wanted:
                raise lost(self.path, "is another one than it was" if found else "is empty or an old one")
            base.execute("PRAGMA foreign_keys = ON")
            base.execute("PRAGMA synchronous = FULL")  # what was said to be reserved stays reserved
            yield base
        except sqlite3.Error as error:
            raise failure(self.path, error) from error
        finally:
            base.close()


def _key(institution: str) -> str:
    """One institution, however its name is spaced or capitalised; signs that are not seen tell none apart."""
    name = unicodedata.normalize("NFKC", _named(institution, "An institution"))
    seen = "".join(sign for sign in name if unicodedata.category(sign) != "Cf")
    return _SPACE.sub(" ", seen).strip().casefold() or name


def _named(name: str, what: str) -> str:
    if not name.strip():
        raise UsageError(f"{what} needs a name.")
    return name.strip()
