"""What the digests of the ledger and the marks of a bank find, and how one goes on."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from bank.check import CheckReport, check
from bank.draw import Request
from bank.draw.reserved import draw_for
from bank.ledger import Ledger
from bank.store import Bank
from bank.tags import tag
from schemas.errors import BankError
from tests.bank.makers import paper

BY = {"who": "a curator", "why": "a test", "now": "2026-01-01T00:00:00Z"}
AT = {"who": "a curator", "why": "a test", "at": "2026-01-01T00:00:00Z"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Bank.create(tmp_path_factory.mktemp("seals") / "bank")
    questions = [q.model_copy(update={"source_sha256": ""}) for q in paper("a.pdf", 48)]
    made.add(questions, batch="a", settle_duplicates=False, **BY)
    return made.path


@pytest.fixture
def bank(made: Path, tmp_path: Path) -> Bank:
    """A copy of the bank to be hurt."""
    return Bank.open(shutil.copytree(made, tmp_path / "bank"))


def codes(report: CheckReport) -> set[str]:
    return {problem.code for problem in report.problems}


def test_a_ledger_changed_behind_our_back_stops_draws_and_the_check(bank: Bank) -> None:
    """A byte, a row taken out, put in or moved, a run's state, a whole run, an older copy: each is told."""
    asked = Request(seed=0, total=4)
    other = "q" + "a" * 24
    book = Ledger(bank.path)
    draw_for(bank, book, asked, institution="A", run="r", at=AT["at"])
    early = book.path.read_bytes()
    first = draw_for(bank, book, asked, institution="B", run="r", at=AT["at"])[1].ids[0]
    whole = book.path.read_bytes()

    def stops(checked: bool = False) -> None:
        if checked:
            assert codes(check(bank, deep=False)) & {"ledger_changed", "ledger_lost"}
        with pytest.raises(BankError):
            book.exposures()
        with pytest.raises(BankError, match="backup") as caught:
            draw_for(bank, book, asked, institution="B", run="s", at=AT["at"])
        assert caught.value.code in {"ledger_changed", "ledger_lost"}

    for harm in (
        f"UPDATE exposures SET question_id = '{other}' WHERE run_id = 2 AND question_id = '{first}'",
        "UPDATE exposures SET words = '' WHERE run_id = 2",
        "DELETE FROM exposures WHERE run_id = 2",
        f"INSERT INTO exposures VALUES (2, '{other}', '')",
        "UPDATE runs SET state = 'released' WHERE id = 2",
        "UPDATE runs SET institution = 'c' WHERE id = 2",
        "UPDATE seals SET institution = 'c' WHERE run_id = 2",
        "DELETE FROM seals; DELETE FROM sealed",
        "DELETE FROM exposures WHERE run_id = 2; DELETE FROM seals WHERE run_id = 2; DELETE FROM runs WHERE id = 2",
    ):
        with sqlite3.connect(book.path) as base:
            base.executescript(harm)
        base.close()
        stops()
        book.path.write_bytes(whole)
    book.path.write_bytes(whole.replace(first.encode(), other.encode()))
    stops(checked=True)
    book.path.write_bytes(early)
    stops(checked=True)
    for path in (book.mark, bank.path / "sums" / book.mark.name):  # to go on with it, knowingly
        path.unlink()
    assert draw_for(bank, book, asked, institution="B", run="s", at=AT["at"])[1].ids
    assert check(bank, deep=False).sound


def test_a_ledger_of_before_the_digests_gets_them_by_its_next_draw(bank: Bank) -> None:
    asked = Request(seed=0, total=4)
    book = Ledger(bank.path)
    draw_for(bank, book, asked, institution="A", run="r", at=AT["at"])
    old = "DROP TABLE seals; DROP TABLE sealed; PRAGMA user_version = 2"
    for harm in ("", "DELETE FROM exposures WHERE run_id = 1"):
        with sqlite3.connect(book.path) as base:
            base.executescript(old + ";" + harm)
        base.close()
        report = check(bank, deep=False)
        assert "ledger_unsealed" in codes(report)
        assert report.sound == (not harm)
        if harm:  # what it gave is not what its manifest says
            with pytest.raises(BankError, match="r of A"):
                book.record("A", "r")
        else:
            book.record("A", "r")
            assert "ledger_unsealed" not in codes(check(bank, deep=False))


def test_lost_marks_are_noted_and_made_again(bank: Bank) -> None:
    book, asked = Ledger(bank.path), Request(seed=0, total=4)
    draw_for(bank, book, asked, institution="A", run="r", at=AT["at"])
    tag(bank, "june", 1, **AT)
    assert "marks_missing" not in codes(check(bank, deep=False))
    gone = [bank.path / name for name in ("ledger-id", "sums/ledger-run", "sums/key", "sums/tags")]
    for path in gone:
        path.unlink()
    report = check(bank, deep=False)
    (told,) = (p for p in report.problems if p.code == "marks_missing")
    assert sorted(told.examples) == sorted(str(path.relative_to(bank.path)) for path in gone)
    assert report.sound
    draw_for(bank, book, asked, institution="A", run="s", at=AT["at"])
    tag(bank, "may", 0, **AT)
    bank.add(paper("x.pdf", 1, 60), batch="x", **BY)
    (bank.path / "sums" / "ledger-id").write_text("torn")
    assert "marks_missing" in codes(check(bank, deep=False))
    draw_for(bank, book, asked, institution="A", run="t", at=AT["at"])
    assert "marks_missing" not in codes(check(bank, deep=False))
    for name in book.marks:
        (bank.path / name).unlink()
    assert "ledger_unmarked" in codes(check(bank, deep=False))

    mark = bank.path / "sums" / "key"
    mark.write_text("0" * 32)
    with pytest.raises(BankError, match="key itself is good"):
        Bank.open(bank.path)
    (bank.path / "key").write_bytes(bytes(32))
    with pytest.raises(BankError, match="not the one"):
        Bank.open(bank.path)
