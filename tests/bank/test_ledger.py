"""The ledger: no question twice for an institution, whatever is merged, killed or done at once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bank.amend import Action, Change, apply
from bank.check import check
from bank.draw.again import redraw, same
from bank.draw.drawing import draw_from
from bank.draw.request import Request
from bank.draw.reserved import draw_for
from bank.exposure import overexposed, papers_left, retire
from bank.ledger import Ledger, State
from bank.store import Bank
from bank.upkeep import vacuum
from bank.versions import restore
from schemas.errors import BankError, ShortStratumError, UsageError
from schemas.evaluation import Manifest
from schemas.question import Status
from tests.bank.makers import paper, question

KEY = bytes(range(32))
ROOT = Path(__file__).parents[2]
AT = "2026-01-01T00:00:00+00:00"
UNI = "Example University"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bank of 80 questions, twenty in each of four disciplines."""
    bank = Bank.create(tmp_path_factory.mktemp("ledger") / "bank", KEY)
    bank.add(paper("a.pdf", 80), batch="a", who="test", why="", now=AT)
    return bank.path


@pytest.fixture
def bank(whole: Path, tmp_path: Path) -> Bank:
    import shutil

    shutil.copytree(whole, tmp_path / "bank")
    return Bank.open(tmp_path / "bank")


@pytest.fixture
def ledger(bank: Bank) -> Ledger:
    return Ledger(bank.path)


def give(bank: Bank, run: str, total: int = 8, institution: str = UNI, seed: int = 1) -> Manifest:
    ledger = Ledger(bank.path)
    _, manifest = draw_for(
        bank, ledger, Request(seed=seed, total=total), institution=institution, run=run, at=AT
    )
    ledger.record(institution, run)
    return manifest


def drawer(bank: Bank, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "drawer.py"), str(bank.path), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_runs_of_an_institution_share_no_question_and_others_are_free(bank: Bank, ledger: Ledger) -> None:
    drawn = [set(give(bank, f"run {n}", 16).ids) for n in range(5)]
    assert len(set.union(*drawn)) == 80
    with pytest.raises(ShortStratumError, match="given all"):
        give(bank, "run 6", 4)
    assert set(give(bank, "run 0", 16, "Another").ids) == drawn[0]  # the same seed, nothing given before
    assert [r.state for r in ledger.runs(UNI)] == [State.RECORDED] * 5
    assert len(ledger.exposed(UNI)) == 80
    assert give(bank, "run 0", 16, "  example   UNIVERSITY ").ids == give(bank, "run 0", 16).ids
    assert give(bank, "run 0", 16, "Exam\u200bple\u00a0University\u200d").ids == give(bank, "run 0", 16).ids
    with pytest.raises(UsageError, match="200"):
        give(bank, "run 0", 1, "A" * 201)


def test_a_run_repeated_is_the_same_draw_and_a_changed_one_is_refused(bank: Bank, ledger: Ledger) -> None:
    first = give(bank, "june")
    bank.add(paper("b.pdf", 10, start=80), batch="b", who="test", why="", now=AT)
    assert give(bank, "june") == first
    with pytest.raises(UsageError, match="recorded") as caught:
        give(bank, "june", seed=2)
    assert caught.value.code == "run_exists"
    assert len(ledger.exposed(UNI)) == 8


def test_the_manifest_repeats_a_draw_without_the_ledger(bank: Bank, ledger: Ledger, tmp_path: Path) -> None:
    give(bank, "first", 20)
    second = give(bank, "second", 20)
    assert second.excluded
    ledger.path.unlink()
    bank.add(paper("b.pdf", 10, start=80), batch="b", who="test", why="", now=AT)
    items, again = redraw(Bank.open(bank.path), second)
    assert same(second, again)
    assert [item.question_id for item in items] == list(second.ids)
    with pytest.raises(BankError, match="other"):
        redraw(bank, second.model_copy(update={"bank_id": "other"}))
    assert not same(second, redraw(bank, second.model_copy(update={"excluded": ()}))[1])


def test_a_vacuum_leaves_the_versions_of_draws(bank: Bank) -> None:
    bank.amend({bank.read()[0].question_id: {"course": "c"}}, seen=1, who="test", why="", now=AT)
    given = give(bank, "june")
    for number, one in enumerate(bank.read()[:3]):
        change = {one.question_id: {"course": f"c{number}"}}
        bank.amend(change, seen=bank.version, who="test", why="", now=AT)
    done = vacuum(bank, keep=1, who="test", why="", at=AT)
    assert given.bank_version in done.kept
    assert given.bank_version not in done.versions
    assert done.versions
    assert same(given, redraw(bank, given)[1])


def test_a_later_merge_unites_exposures(bank: Bank) -> None:
    given = give(bank, "first", 4).ids[0]
    question = bank.get(given)
    twin = next(
        q
        for q in bank.read({"discipline": question.discipline})
        if q.question_id not in give(bank, "first", 4).ids
    )
    version = bank.version
    change = {"status": Status.DUPLICATE, "duplicate_of": twin.question_id}
    bank.amend({given: change}, seen=version, who="test", why="", now=AT)
    rest = give(bank, "second", 72)  # all there is but the 4, one of which is now the twin
    assert twin.question_id not in rest.ids
    with pytest.raises(ShortStratumError):
        draw_from(bank, Request(seed=1, per_stratum=20), Ledger(bank.path).exposed(UNI))


def test_papers_left_and_release(bank: Bank, ledger: Ledger) -> None:
    paper_of = Request(seed=0, per_stratum=6)
    assert [(s.left, s.papers) for s in papers_left(bank, ledger, UNI, paper_of)] == [(20, 3)] * 4
    assert not ledger.path.exists()  # looking makes no ledger
    give(bank, "june", 36)
    assert [(s.exposed, s.left, s.papers) for s in papers_left(bank, ledger, UNI, paper_of)] == [
        (9, 11, 1)
    ] * 4
    assert {s.papers for s in papers_left(bank, ledger, "Another", paper_of)} == {3}
    with pytest.raises(UsageError) as caught:
        ledger.release(UNI, "june", who="w", why="never sent", at=AT)
    assert caught.value.code == "run_recorded"
    done = ledger.release(UNI, "june", who="w", why="never sent", at=AT, unseen=True)
    assert (done.state, done.questions) == (State.RELEASED, 36)
    assert "never sent" in done.note
    assert ledger.exposed(UNI) == []
    for wrong in ("june", "july"):
        with pytest.raises(UsageError):
            ledger.release(UNI, wrong, who="w", why="again", at=AT, unseen=True)
    with pytest.raises(UsageError, match="released"):
        give(bank, "june", 36)


def test_questions_too_many_have_been_given_are_retired_with_their_units(bank: Bank, ledger: Ledger) -> None:
    first = set(give(bank, "r", 8, "A").ids)
    assert set(give(bank, "r", 8, "B").ids) == first
    give(bank, "r", 4, "C", seed=5)
    assert set(overexposed(bank, ledger, 2)) >= first
    assert overexposed(bank, ledger, 4) == {}
    found, version = retire(bank, ledger, 2, who="w", why="too well known", at=AT)
    assert (set(found) >= first, version) == (True, bank.version)
    assert {bank.get(name).status for name in found} == {Status.RETIRED}
    assert retire(bank, ledger, 2, who="w", why="again", at=AT) == ({}, version)


@pytest.mark.parametrize("point", ["draw", "insert", "after"])
def test_a_kill_leaves_all_or_nothing_and_the_command_again_mends_it(
    bank: Bank, ledger: Ledger, point: str
) -> None:
    before = set(give(bank, "first", 16).ids)
    process = drawer(bank, UNI, "june", 24, point)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, errors
    assert ledger.path.with_name("ledger.sqlite-journal").exists() == (point == "insert")
    assert not [found.code for found in check(bank, deep=False).problems if found.code.startswith("ledger")]
    runs = {r.run: r for r in ledger.runs(UNI)}
    if point == "after":
        assert (runs["june"].state, runs["june"].questions) == (State.RESERVED, 24)
    else:
        assert set(runs) == {"first"}
        assert set(ledger.exposed(UNI)) == before
    base = sqlite3.connect(ledger.path)
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    base.close()
    manifest = give(bank, "june", 24)
    assert not before & set(manifest.ids)
    assert set(ledger.exposed(UNI)) == before | set(manifest.ids)
    assert {r.state for r in ledger.runs(UNI)} == {State.RECORDED}


def test_eight_processes_at_once_draw_nothing_twice(bank: Bank, ledger: Ledger) -> None:
    processes = [drawer(bank, UNI, f"run {n}", 8, "", n) for n in range(8)]
    done = [process.communicate(timeout=240) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, done
    drawn = [Manifest.model_validate_json(out.splitlines()[-1]).ids for out, _ in done]
    assert len({name for ids in drawn for name in ids}) == sum(map(len, drawn)) == 64
    assert len(ledger.exposed(UNI)) == 64


def test_a_ledger_that_cannot_be_read_is_told(bank: Bank, ledger: Ledger) -> None:
    ledger.path.write_bytes(b"this is no database, and has not been one" * 100)
    for look in (lambda: ledger.runs(), lambda: give(bank, "june")):
        with pytest.raises(BankError) as caught:
            look()
        assert caught.value.code == "ledger"
    with pytest.raises(UsageError):
        ledger.reserve(
            " ",
            "run",
            at=AT,
            request={},
            draw=lambda _: (Manifest(bank_version=0, seed=0, per_stratum=1), []),
        )


def test_a_ledger_that_was_lost_stops_every_draw_until_it_is_back(bank: Bank, ledger: Ledger) -> None:
    give(bank, "june")
    whole = ledger.path.read_bytes()
    other = Ledger(bank.path / "batches")
    other.path.parent.mkdir(exist_ok=True)
    (other.path.parent / "key").write_bytes(KEY)
    with pytest.raises(RuntimeError):  # its first reservation fails: a ledger with an id and no run
        other.reserve("A", "r", at=AT, request={}, draw=_fails)
    for bad in (None, b"", other.path.read_bytes()):
        ledger.path.unlink()
        if bad is not None:
            ledger.path.write_bytes(bad)
        looks = (ledger.runs, ledger.exposures, lambda: ledger.exposed(UNI), lambda: give(bank, "july"))
        for look in looks:
            with pytest.raises(BankError) as caught:
                look()
            assert caught.value.code == "ledger_lost"
            assert "backup" in caught.value.remedy
        assert ledger.path.exists() == (bad is not None)  # and none is made
        told = ledger.lost()
        assert told is not None
        assert told.code == "ledger_lost"
        assert "ledger_lost" in [found.code for found in check(bank, deep=False).problems]
        ledger.path.write_bytes(whole)
    assert ledger.lost() is None
    assert len(ledger.exposed(UNI)) == 8
    ledger.path.unlink()
    ledger.mark.unlink()  # lost with the ledger
    with pytest.raises(BankError, match="missing"):
        give(bank, "june")
    (bank.path / "sums" / "ledger-id").unlink()  # to begin anew, knowingly
    assert len(give(bank, "june").ids) == len(ledger.exposed(UNI)) == 8


def test_a_ledger_from_before_the_mark_is_marked_by_its_next_draw(bank: Bank, ledger: Ledger) -> None:
    first = set(give(bank, "june").ids)
    base = sqlite3.connect(ledger.path)
    base.execute("DROP TABLE identity")
    base.commit()
    base.close()
    ledger.mark.unlink()
    (bank.path / "sums" / "ledger-id").unlink()
    assert set(ledger.exposed(UNI)) == first
    assert not first & set(give(bank, "july").ids)
    assert ledger.mark.exists()
    assert len(ledger.exposed(UNI)) == 16


@pytest.mark.parametrize("step", ["reject", "edit", "restore", "older ledger", "no dedup"])
def test_words_given_once_are_not_given_again_under_another_id(bank: Bank, ledger: Ledger, step: str) -> None:
    all_of = Request(seed=1, per_stratum=20, filters={"discipline": ("d01",)})
    draw_for(bank, ledger, all_of, institution=UNI, run="june", at=AT)
    given = bank.read({"discipline": "d01"})
    first = given[0]
    if step == "older ledger":  # of before there were words in it
        base = sqlite3.connect(ledger.path)
        base.execute("ALTER TABLE exposures DROP COLUMN words")
        base.executescript("DROP TABLE seals; DROP TABLE sealed")
        base.execute("PRAGMA user_version = 1")
        base.commit()
        base.close()
        assert len(ledger.exposed(UNI)) == 20
    if step == "restore":  # a wrong batch, mended and read from another file
        restore(bank, 0, who="w", why="wrong batch", at=AT)
    elif step == "edit":
        new_words = {"prompt": "用自己的话说明唐代的两税法。"}
        change = Change(question_id=first.question_id, reason="r", fields=new_words)
        apply(bank, [change], who="w", why="", at=AT)
    elif step != "no dedup":
        change = Change(question_id=first.question_id, reason="r", action=Action.REJECT)
        apply(bank, [change], who="w", why="", at=AT)
    again = [first, *given[1:20]] if step == "restore" else [first]
    copies = [
        question(f"1. {q.prompt} ", source="copy.pdf", discipline="d01", reference_answer=q.reference_answer)
        for q in again
    ]
    new = question("简述唐代的科举制度。", source="new.pdf", discipline="d01", reference_answer="略")
    bank.add([*copies, new], batch="c", who="w", why="", now=AT, settle_duplicates=step != "no dedup")
    fresh = [q for q in bank.read({"batch": "c"}) if q.status is Status.ACTIVE]
    assert len(fresh) == len(copies) + 1
    short = all_of.model_copy(update={"allow_short": True})
    items, manifest = draw_for(bank, ledger, short, institution=UNI, run="july", at=AT)
    assert [item.prompt for item in items] == [new.prompt]
    assert manifest.strata[0].exposed == manifest.strata[0].eligible - 1
    assert same(manifest, redraw(bank, manifest)[1])
    assert [s.left for s in papers_left(bank, ledger, UNI, all_of)] == [0]
    assert len(draw_for(bank, ledger, short, institution="Another", run="july", at=AT)[0]) >= 20
    assert {q.question_id for q in fresh} <= set(overexposed(bank, ledger, 1))


def _fails(_: object) -> tuple[Manifest, list[str]]:
    raise RuntimeError("no draw")
