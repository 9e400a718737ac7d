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

from bank import seals, sums
from bank.files import write_whole
from bank.ids import ledger_key, load_key
from bank.ledgerfile import (
    FORMAT,
    MARK,
    NAME,
    TABLES,
    WAIT_SECONDS,
    WORDS,
    Run,
    State,
    changed,
    failure,
    format_of,
    has_tables,
    has_words,
    id_of,
    lost,
    transaction,
)
from bank.names import named
from bank.seals import Entry, Given, given_in, has_seals
from bank.storage import storage, told, unwritten
from schemas.errors import BankError, UsageError
from schemas.evaluation import Manifest

__all__ = ["Given", "Ledger", "Run", "State"]
_SPACE = re.compile(r"\s+")
_LAST = "ledger-run"  # a mark among the digests: the number of the newest run there has been


class Ledger:
    """The ledger of a bank, in one SQLite file beside it. The file is made by the first reservation.

    Exposures name questions, not units: what belongs together is asked of the bank at each draw,
    so that a later merge of two questions unites their exposures. With each stands a fingerprint of the
    words as they were given: the question may be edited or taken out since, and its words come in again.

    A file beside it bears the ledger's id, and so does one among the digests; they are there before the
    first exposure. Where the ledger
    is missing, empty or another than it says, everything raises BankError `ledger_lost`: taken for a
    new one it would give out again what institutions have had. Where a run is not as it was entered,
    everything that reads it raises `ledger_changed`. Without both files the ledger is taken for what it is.
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
        named(institution, "An institution")
        named(run, "A run")
        with self._open() as base:
            self._begin(base)
        with self._open() as base, transaction(base):
            entries = self._entries(base, key)
            found = next((entry for entry in entries if entry.run == run), None)
            if found is not None:
                if found.state != State.RELEASED and found.request == told:
                    return Manifest.model_validate_json(found.manifest), False
                raise UsageError(
                    f"The run {run} of {institution} has been {found.state}, as another draw."
                    if found.state != State.RELEASED
                    else f"The run {run} of {institution} has been released.",
                    code="run_exists",
                    remedy="Name a new run: one that was released is not given again."
                    if found.state == State.RELEASED
                    else "Name a new run, or repeat the command of the old one as it was.",
                )
            manifest, words = draw(given_in(entries))
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
            seals.seal(base, self._secret, [number or 0])
        try:
            sums.mark(self.path.parent, _LAST, str(number))
        except OSError as error:
            unwritten("the number of its run", error, "The next draw writes its own.")
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
            self._begin(base)
            lacking: dict[int, list[tuple[int, str]]] = defaultdict(list)
            for version, number, name in base.execute(
                "SELECT version, run_id, question_id FROM exposures JOIN runs ON runs.id = run_id"
                " WHERE words = ''"
            ):
                lacking[version].append((number, name))
            for version, entries in lacking.items():
                said = words(version, sorted({name for _, name in entries}))
                filled = [(said[name], number, name) for number, name in entries if name in said]
                numbers = sorted({number for _, number, _ in filled})
                with transaction(base):
                    for number in numbers:
                        self._entries(base, number=number)
                    base.executemany(
                        "UPDATE exposures SET words = ? WHERE run_id = ? AND question_id = ?", filled
                    )
                    seals.seal(base, self._secret, numbers)

    def record(self, institution: str, run: str) -> None:
        """Note that the sample of a reserved run has been written and may have been seen."""
        self._turn(institution, run, State.RECORDED, (State.RESERVED,))

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
        states = (State.RESERVED, State.RECORDED) if unseen else (State.RESERVED,)
        turned = self._turn(institution, run, State.RELEASED, states, f"{why} ({who}, {at})")
        if not turned:
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
        return given_in(self._look(_key(institution)))

    def exposed(self, institution: str) -> list[str]:
        """The ids of all questions an institution has been given, or that are reserved for it."""
        return list(self.given(institution).ids)

    def manifest(self, institution: str, run: str) -> Manifest | None:
        """The manifest of a run, as it was drawn; None where the ledger has no such run."""
        found = [entry.manifest for entry in self._look(_key(institution)) if entry.run == run]
        return Manifest.model_validate_json(found[0]) if found else None

    def runs(self, institution: str | None = None) -> list[Run]:
        """The runs of an institution, or of all, in the order of their reservation."""
        return [
            Run(
                institution=entry.shown,
                run=entry.run,
                at=entry.at,
                version=entry.version,
                state=State(entry.state),
                note=entry.note,
                questions=len(entry.given),
            )
            for entry in self._look(_key(institution) if institution is not None else None)
        ]

    def exposures(self) -> list[tuple[str, str, str]]:
        """Every institution with each question it has been given and its words; released runs left out."""
        found = {
            (entry.institution, name, said)
            for entry in self._look()
            if entry.state != State.RELEASED
            for name, said in entry.given
        }
        return sorted(found, key=lambda one: (one[1], one[0]))

    @property
    def marks(self) -> tuple[str, ...]:
        """The files that tell which ledger must be there, and how far it goes, in the bank's folder."""
        return (MARK, f"{sums.FOLDER}/{MARK}", f"{sums.FOLDER}/{_LAST}")

    def lost_marks(self) -> list[str]:
        """Those of its marks that are not there, or do not say what they should."""
        folder = self.path.parent
        with self._open() as base:
            if not has_tables(base):
                return []
            name, newest = id_of(base), base.execute("SELECT max(id) FROM runs").fetchone()[0]
        said = [
            self.mark.exists(),
            sums.marked(folder, MARK) == (name or "?"),
            sums.marked(folder, _LAST).isdigit(),
        ]
        return [mark for mark, there in zip(self.marks, said, strict=True) if not there and newest]

    def unsealed(self) -> bool:
        """Whether there are runs of before they had digests."""
        if not self._there():
            return False
        with self._open() as base:
            return has_tables(base) and not has_seals(base)

    @property
    def _secret(self) -> bytes:
        return ledger_key(load_key(self.path.parent / "key"))

    def _look(self, institution: str | None = None) -> list[Entry]:
        """The runs of an institution, by its key, or of all; none where there is no ledger yet."""
        if not self._there():
            return []
        with self._open() as base:
            return self._entries(base, institution) if has_tables(base) else []

    def _entries(
        self, base: sqlite3.Connection, institution: str | None = None, number: int | None = None
    ) -> list[Entry]:
        """Runs as they were entered; BankError `ledger_changed` or `ledger_lost` where they are not."""
        known = sums.marked(self.path.parent, _LAST)  # read first: who sees the mark finds the run
        if not base.in_transaction:  # that nothing is entered in the middle of it
            base.execute("BEGIN")
        found, wrong = seals.look(base, self._secret, institution, number)
        if self._wanted():
            newest = base.execute("SELECT max(id) FROM runs").fetchone()[0] or 0
            if known.isdigit() and int(known) > newest:
                raise lost(self.path, f"is an old one, from before its last {int(known) - newest} runs")
            if wrong:
                raise changed(self.path, wrong)
        return found

    def _turn(
        self, institution: str, run: str, state: State, before: Sequence[State], note: str = ""
    ) -> bool:
        """Give a run another state, from one of these; whether it had one of them."""
        with self._open() as base:
            if has_tables(base):
                self._begin(base)
            with transaction(base):
                wanted = "SELECT id FROM runs WHERE institution = ? AND run = ?"
                number = base.execute(wanted, (_key(institution), run)).fetchone()
                found = self._entries(base, number=number[0]) if number is not None else []
                if not found or found[0].state not in before:
                    return False
                wanted = "UPDATE runs SET state = ?, note = ? WHERE id = ?"
                base.execute(wanted, (state, note, found[0].number))
                seals.seal(base, self._secret, [found[0].number])
        return True

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
        trusted = bool(self._wanted())
        with transaction(base):
            taken = not has_seals(base) or not trusted
            if trusted and has_tables(base):
                self._entries(base)
            for line in (TABLES + ";" + seals.TABLES).split(";"):
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
            if taken:
                seals.seal_all(base, self._secret)
            newest = base.execute("SELECT max(id) FROM runs").fetchone()[0] or 0
        # A kill between the two leaves a ledger without a mark, which the next reservation makes.
        with told(folder):
            if not self.mark.exists():
                write_whole(self.mark, f"{id_of(base)}\n".encode())
            if not trusted:
                sums.mark(folder, _LAST, str(newest))
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
    if not institution.strip():
        raise UsageError("An institution needs a name.")
    name = unicodedata.normalize("NFKC", institution.strip())
    seen = "".join(sign for sign in name if unicodedata.category(sign) != "Cf")
    return _SPACE.sub(" ", seen).strip().casefold() or name
