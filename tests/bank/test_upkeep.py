"""Compacting, vacuuming and sweeping a bank, and what `check` says of one that was hurt."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from bank import rows
from bank.check import CheckReport, check
from bank.diff import diff
from bank.ledger import Ledger
from bank.store import Bank
from bank.tags import tag
from bank.upkeep import compact, leftovers, sweep, vacuum
from bank.versions import history, restore
from schemas.errors import BankError
from schemas.evaluation import Manifest
from schemas.question import Question, Status
from tests.bank.makers import paper, question, sha

NOW = "2026-01-01T00:00:00Z"
BY = {"who": "a curator", "why": "a test", "now": NOW}
AT = {"who": "a curator", "why": "a test", "at": NOW}


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """Versions 1 to 4: four papers of 8 questions each, their sources kept."""
    made = Bank.create(tmp_path / "b")
    for n in range(4):
        name = f"p{n}.pdf"
        made.sources.put(sha(name), name.encode())
        made.add(paper(name, 8, 8 * n), batch=name, **BY)
    return made


def codes(report: CheckReport) -> set[str]:
    return {problem.code for problem in report.problems}


def named(bank: Bank) -> list[str]:
    return [q.question_id for q in bank.read()]


def test_compacting_keeps_every_row_and_the_index(bank: Bank) -> None:
    before = rows.to_table(bank.read())
    told = compact(bank, **AT)
    assert (told.version, told.files_before, told.files_after) == (5, 16, 4)
    assert rows.to_table(bank.read()).equals(before)
    summary = diff(bank, 4, 5).summary
    assert (summary.added, summary.removed, summary.changed) == (0, 0, 0)
    assert "index_stale" not in codes(check(bank))
    again = compact(bank, **AT)
    assert (again.version, again.files_after) == (5, 4)
    assert bank.table(["number"], {"discipline": "d01", "status": "active"}).num_rows == 8
    assert len(list((bank.path / "questions/_delta_log").glob("*.checkpoint.parquet"))) == 1


def test_a_vacuum_leaves_the_newest_and_the_tagged_versions(bank: Bank) -> None:
    tag(bank, "two", 2, **AT)
    compact(bank, **AT)
    held = {v: rows.to_table(bank.read(version=v)) for v in (0, 1, 2, 5)}
    plan = vacuum(bank, keep=1, dry_run=True, **AT)
    assert (plan.version, plan.kept, plan.versions, plan.files) == (5, (2, 5), (3, 4), 8)
    assert plan.bytes > 0
    assert bank.version == 5
    done = vacuum(bank, keep=1, **AT)
    assert (done.version, done.files, done.bytes) == (7, plan.files, plan.bytes)
    for version, data in held.items():
        assert rows.to_table(bank.read(version=version)).equals(data)
    assert rows.to_table(bank.read()).equals(held[5])
    for version in (3, 4):
        with pytest.raises(BankError) as caught:
            bank.read(version=version)
        assert caught.value.code == "version_gone"
        with pytest.raises(BankError, match="missing"):
            restore(bank, version, **AT)
        with pytest.raises(BankError, match="missing"):
            tag(bank, "late", version, **AT)
    assert {v.version for v in history(bank) if not v.readable} == {3, 4}
    assert check(bank).sound
    again = vacuum(bank, keep=1, **AT)
    assert (again.files, again.version) == (0, 7)
    assert restore(bank, 2, **AT) == 8
    assert len(bank.read()) == 16
    with pytest.raises(BankError) as caught:
        diff(bank, 3, 7)
    assert caught.value.code == "version_gone"


def test_a_vacuum_refuses_while_the_tags_cannot_be_read(bank: Bank) -> None:
    (bank.path / "tags.json").write_text("{", encoding="utf-8")
    with pytest.raises(BankError) as caught:
        vacuum(bank, keep=1, **AT)
    assert caught.value.code == "tags_damaged"
    assert "tags_damaged" in codes(check(bank))


def test_the_index_goes_on_after_upkeep(bank: Bank) -> None:
    compact(bank, **AT)
    vacuum(bank, keep=1, **AT)
    assert "index_stale" not in codes(check(bank))
    report = bank.add([question(paper("p1.pdf", 1, 8)[0].prompt, source="copy.pdf")], batch="c", **BY)
    assert report.by_status == {"duplicate": 1}


def test_a_sweep_takes_what_killed_writers_left_and_nothing_else(bank: Bank) -> None:
    root = bank.path
    strays = [
        root / "questions/discipline=d01/part-1.snappy.parquet",
        root / "questions/discipline=d01/part-2.snappy.parquet#1",
        root / "questions/_delta_log/00000000000000000005.json#1",
        root / "questions/_delta_log/_commit_1.json.tmp",
        root / "index/near-9-abcdef01.npz",
        root / ".tags.json.123.0a1b2c3d",
    ]
    old = root / "sources/ab/.abc.123.0a1b2c3d"
    young = root / "sources/ab/.abd.123.0a1b2c3d"
    for path in (*strays, old, young):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    kept = {p for p in root.rglob("*") if p.is_file()} - {*strays, old}
    report = check(bank)
    assert codes(report) == {"leftovers"}
    assert report.sound
    assert report.problems[0].count == 7
    assert len(sweep(bank, dry_run=True)) == 7
    assert all(path.exists() for path in strays)
    assert {left.path for left in sweep(bank)} == {str(p.relative_to(root)) for p in (*strays, old)}
    assert {p for p in root.rglob("*") if p.is_file()} == kept
    assert leftovers(bank) == []
    assert check(bank).problems == ()


def overwrite(bank: Bank, questions: list[Question]) -> None:
    """Another program writes rows that the bank would not."""
    write_deltalake(bank.path / "questions", rows.to_table(questions), mode="append")


def spoil(bank: Bank, **update: object) -> Callable[[], None]:
    return lambda: overwrite(bank, [bank.read()[0].model_copy(update={"question_id": "qodd", **update})])


def test_check_finds_each_kind_of_harm_and_says_how_to_mend_it(bank: Bank) -> None:
    assert check(bank).problems == ()
    table = rows.to_table(bank.read()[:1])

    def typed(name: str, value: str) -> None:
        place = table.schema.get_field_index(name)
        data = table.set_column(place, name, pa.array([value], pa.string()))
        data = data.set_column(0, "question_id", pa.array(["qodd"], pa.string()))
        write_deltalake(bank.path / "questions", data, mode="append")

    figure = bank.path / "figures" / "ab" / ("ab" * 32)
    harms: list[tuple[Callable[[], object], str]] = [
        (lambda: overwrite(bank, bank.read()[:1]), "ids_repeated"),
        (spoil(bank, original_id=""), "ids_missing"),
        (lambda: typed("status", "maybe"), "value_unknown"),
        (spoil(bank, discipline="d99"), "value_unknown"),
        (spoil(bank, sub_discipline="d9999"), "value_unknown"),
        (spoil(bank, discipline="d01", sub_discipline="d0801"), "discipline_mismatch"),
        (spoil(bank, status=Status.DUPLICATE, duplicate_of="qgone"), "duplicate_dangling"),
        (spoil(bank, status=Status.DUPLICATE), "duplicate_odd"),
        (spoil(bank, cluster_id="qgone"), "cluster_lost"),
        (spoil(bank, figures=("cd" * 32,)), "figures_missing"),
        (spoil(bank, source_sha256="ef" * 32), "sources_missing"),
        (spoil(bank, reference_answer="someone else's"), "content_changed"),
    ]
    for harm, code in harms:
        whole = bank.version
        harm()
        report = check(bank)
        assert code in codes(report), (code, report)
        assert not report.sound
        assert all(problem.remedy for problem in report.problems)
        restore(bank, whole, **AT)
    assert codes(check(bank)) <= {"index_stale"}
    figure.parent.mkdir()
    figure.write_bytes(b"not that")
    assert codes(check(bank)) >= {"figures_damaged"}
    assert "figures_damaged" not in codes(check(bank, deep=False))


def test_check_tells_lost_and_torn_files_tags_reports_and_ledger(bank: Bank) -> None:
    tag(bank, "one", 1, **AT)
    (bank.path / "batches" / "x.json").write_text("{", encoding="utf-8")
    made = Manifest(bank_version=1, seed=0, per_stratum=1, ids=("qgone",))
    Ledger(bank.path).reserve("A", "r", at=AT["at"], request={}, draw=lambda _: (made, ["words"]))
    assert codes(check(bank)) == {"batch_report", "ledger_unknown"}
    (bank.path / "ledger.sqlite").write_bytes(b"x" * 4096)
    assert "ledger_damaged" in codes(check(bank))
    first = Path(bank.delta(1).file_uris()[0])
    data = first.read_bytes()
    for torn in (data[:-10], data[:40] + bytes(len(data) - 400) + data[-360:]):
        first.write_bytes(torn)
        assert "files_damaged" in codes(check(bank))
        with pytest.raises(BankError) as caught:
            bank.read()
        assert caught.value.code == "bank_damaged"
    first.unlink()
    assert {"files_missing", "tag_lost"} <= codes(check(bank))
    with pytest.raises(BankError) as caught:
        bank.read()
    assert caught.value.code == "bank_damaged"


def test_a_check_beside_a_writer_does_not_take_its_files_for_leftovers(bank: Bank) -> None:
    code = (
        "import sys, time; from pathlib import Path; from bank.files import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(bank.path)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        (bank.path / "questions/discipline=d01/part-1.snappy.parquet#1").write_bytes(b"")
        assert codes(check(bank)) == {"writer_at_work"}
    finally:
        child.kill()
        child.wait()
    assert codes(check(bank)) == {"leftovers"}
