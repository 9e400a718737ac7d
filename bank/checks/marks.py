"""Checks of the exposure ledger, and of the marks of what a bank has had."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from bank import sums, tags
from bank.checks.problem import Checked, Problem, problem
from bank.ledger import Ledger
from schemas.errors import BankError


def marks(here: Checked) -> Iterator[Problem]:
    """Each mark is there and says what its twin says; those of a ledger without any do not protect it."""
    path = here.bank.path
    folder = path / sums.FOLDER
    if not folder.is_dir():  # told of by itself
        return
    lost = [f"{sums.FOLDER}/{sums.KEY}"] if not sums.marked(path, sums.KEY) else []
    if (path / tags.FILE).exists() and not tags.digests(path):
        lost.append(f"{sums.FOLDER}/{tags.MARK}")
    book = Ledger(path)
    bare: list[str] = []
    with suppress(BankError):  # a ledger that cannot be used is told of by itself
        bare = book.lost_marks() if book.path.is_file() and not book.lost() else []
    if bare and len(bare) < len(book.marks):
        lost += bare
    yield from problem(
        "marks_missing",
        "note",
        "{n} marks of what the bank has had are missing, damaged or of before there were such.",
        "Nothing to do: what each one tells is still known, and the next change of its kind writes it again.",
        lost,
    )
    yield from problem(
        "ledger_unmarked",
        "warning",
        "The exposure ledger has no mark: were it lost or changed, nobody would know.",
        "Restore the files from a backup if they were lost; else the next draw for an institution makes "
        "them, and takes the ledger for what it is.",
        bare if len(bare) == len(book.marks) else [],
    )


def ledger(here: Checked) -> Iterator[Problem]:
    """The exposure ledger is the one it must be, whole, and each of its runs is as it was entered."""
    book = Ledger(here.bank.path)
    lost = book.lost()
    if lost is not None:
        yield from problem(lost.code, "error", lost.message, lost.remedy)
    if lost is not None or not book.path.is_file():
        return
    try:
        state, given = _exposed(book.path, here.deep)
    except sqlite3.Error as error:
        state, given = str(error), set()
    if state != "ok":
        yield from problem(
            "ledger_damaged",
            "error",
            f"The exposure ledger is damaged: {state}.",
            "Restore ledger.sqlite from a backup: what institutions have seen is in it alone.",
        )
        return
    unsealed = False
    try:
        unsealed = book.unsealed()
        book.exposures()
    except BankError as error:
        yield from problem(error.code, "error", error.message, error.remedy)
    yield from problem(
        "ledger_unsealed",
        "note",
        "The runs of the exposure ledger have no digests yet: an older exambank wrote it.",
        "Nothing to do: the next draw for an institution takes them.",
        [""] if unsealed else [],
    )
    known = set(here.facts["question_id"].to_pylist())
    yield from problem(
        "ledger_unknown",
        "note",
        "The exposure ledger tells of {n} questions that this version does not have.",
        "Nothing to do: their words are in the ledger, so nobody is given them again.",
        sorted(given - known),
    )


def _exposed(path: Path, deep: bool) -> tuple[str, set[Any]]:
    """Whether the ledger is whole ('ok'), and the ids it tells of."""
    # Not read-only: what a killed writer left half done must be undone before anything can be read.
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)
    try:
        look = "integrity_check" if deep else "quick_check"
        state = str(connection.execute(f"PRAGMA {look}").fetchone()[0]).replace("\n", " ")
        held = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        given: set[Any] = set()
        if state == "ok" and "exposures" in held:
            given = {row[0] for row in connection.execute("SELECT DISTINCT question_id FROM exposures")}
        return state, given
    finally:
        connection.close()
