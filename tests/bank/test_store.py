"""Adding, reading, and what survives kills and crowds."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bank as bank_package
from bank.files import FileStore, Reports
from bank.store import AddReport, Bank
from bank.versions import history
from schemas.errors import BankError
from schemas.question import Question, Status
from tests.bank.makers import paper, question

NOW = "2026-01-01T00:00:00Z"
ROOT = Path(bank_package.__file__).parents[1]
KEY = bytes(range(32))


def add(bank: Bank, questions: list[Question], batch: str = "first") -> AddReport:
    return bank.add(questions, batch=batch, who="a curator", why="a test", now=NOW)


def adder(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bank.adder", str(folder), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def ids(bank: Bank) -> list[str]:
    return [q.question_id for q in bank.read()]


def test_no_bank_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(BankError) as caught:
        Bank.open(tmp_path / "none")
    assert caught.value.code == "no_bank"
    assert caught.value.remedy
    assert not (tmp_path / "none").exists()


def test_creating_twice_is_refused_and_a_half_made_bank_is_finished(tmp_path: Path) -> None:
    half = tmp_path / "half"
    half.mkdir()
    (half / "key").write_bytes(KEY)
    assert Bank.create(half).version == 0
    assert (half / "key").read_bytes() == KEY
    with pytest.raises(BankError, match="already"):
        Bank.create(half)


def test_the_key_is_private_and_no_other_takes_its_place(tmp_path: Path) -> None:
    Bank.create(tmp_path / "b")
    key = tmp_path / "b" / "key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_bytes()) == 32
    key.write_bytes(b"short")
    with pytest.raises(BankError, match="32 bytes"):
        Bank.open(tmp_path / "b")


def test_adding_again_adds_nothing_and_makes_no_version(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    first = add(bank, paper("p.pdf"))
    assert (first.version, first.committed, first.added) == (1, True, 20)
    again = add(bank, paper("p.pdf"), batch="second")
    assert (again.version, again.committed, again.added, again.already) == (1, False, 0, 20)
    assert [o.question_id for o in again.outcomes] == [o.question_id for o in first.outcomes]
    assert add(bank, []).committed is False


def test_an_unseen_part_of_a_known_file_is_added_alone(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    add(bank, paper("p.pdf", 5))
    report = add(bank, paper("p.pdf", 8), batch="second")
    assert (report.added, report.already, report.version) == (3, 5, 2)


def test_a_file_given_twice_in_one_batch_gives_its_items_once(tmp_path: Path) -> None:
    report = add(Bank.create(tmp_path / "b"), paper("p.pdf", 4) * 2)
    assert (report.added, report.repeated) == (4, 4)


def test_rows_carry_batch_times_and_stage_versions(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    given = question("什么是熵？", stage_versions={"read": "r1"})
    bank.add([given], batch="热学", who="w", why="y", now=NOW, stage_versions={"clean": "c1"})
    (kept,) = bank.read()
    assert (kept.batch, kept.created_at, kept.updated_at, kept.revision) == ("热学", NOW, NOW, 1)
    assert kept.stage_versions == {"read": "r1", "clean": "c1"}
    assert kept.question_id.startswith("q")
    assert kept.original_id.startswith("o")
    assert kept.content_hash


def test_filters_columns_and_unknown_names(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    add(bank, paper("p.pdf"))
    assert {q.discipline for q in bank.read({"discipline": ["d01", "d03"]})} == {"d01", "d03"}
    assert bank.table(["number"], {"discipline": "d02"}).num_rows == 5
    assert bank.get(ids(bank)[0]).question_id == ids(bank)[0]
    with pytest.raises(BankError, match="no field colour"):
        bank.table(["colour"])
    with pytest.raises(BankError, match="no question q1"):
        bank.get("q1")


def test_an_all_null_batch_does_not_break_the_next(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    add(bank, [question("只有题目，没有别的。", evidence={})])
    full = question(
        "已知圆的半径为三，求面积。", points=5.0, exam_year=2020, figures=("a" * 64,), source="x.pdf"
    )
    add(bank, [full], batch="second")
    assert {q.points for q in bank.read()} == {None, 5.0}


def test_a_bad_discipline_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    with pytest.raises(BankError) as caught:
        add(bank, [question("一题", discipline="法学")])
    assert caught.value.code == "discipline_code"
    assert bank.version == 0


def test_history_says_who_why_and_counts_and_old_versions_stay(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    bank.add(paper("p.pdf", 3), batch="一", who="甲", why="first", now=NOW, counts={"documents": 1})
    add(bank, paper("p.pdf", 7), batch="二")
    newest, first, empty = history(bank)
    assert (first.version, first.who, first.why, first.batch, first.at) == (1, "甲", "first", "一", NOW)
    assert first.counts == {"documents": 1, "added": 3, "active": 3}
    assert (newest.batch, newest.counts["added"], empty.version, empty.batch) == ("二", 4, 0, "")
    assert [len(bank.read(version=v)) for v in (0, 1, 2)] == [0, 3, 7]
    with pytest.raises(BankError) as caught:
        bank.read(version=3)
    assert caught.value.code == "no_version"


def test_a_damaged_table_is_told_without_a_traceback(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    for log in (tmp_path / "b" / "questions" / "_delta_log").glob("*.json"):
        log.write_text("{broken", encoding="utf-8")
    with pytest.raises(BankError) as caught:
        _ = bank.version
    assert caught.value.code == "bank_damaged"


@pytest.mark.parametrize("point", ["settle", "commit", "write", "after"])
def test_killed_inside_an_add_the_rerun_gives_the_same_bank(tmp_path: Path, point: str) -> None:
    calm = Bank.create(tmp_path / "calm", key=KEY)
    add(calm, paper("p.pdf", 10))
    add(calm, paper("p.pdf", 30), batch="second")

    bank = Bank.create(tmp_path / "killed", key=KEY)
    add(bank, paper("p.pdf", 10))
    child = adder(bank.path, "p.pdf", "30", "0", point)
    child.communicate(timeout=120)
    assert child.returncode == -signal.SIGKILL
    survivor = Bank.open(bank.path)
    assert len(survivor.read()) == (30 if point == "after" else 10)
    add(survivor, paper("p.pdf", 30), batch="second")
    assert ids(survivor) == ids(calm)
    assert survivor.version == 2


def test_killed_at_any_time_the_bank_stays_readable(tmp_path: Path) -> None:
    calm = Bank.create(tmp_path / "calm", key=KEY)
    started = time.monotonic()
    add(calm, paper("p.pdf", 90))
    usual = time.monotonic() - started
    bank = Bank.create(tmp_path / "killed", key=KEY)
    for share in (0.2, 0.5, 0.8, 1.0, 1.3):
        child = adder(bank.path, "p.pdf", "90", "0")
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(usual * share)
        child.kill()
        child.communicate(timeout=60)
        assert len(Bank.open(bank.path).read()) in (0, 90)
    add(bank, paper("p.pdf", 90))
    assert ids(bank) == ids(calm)
    assert bank.version == 1


def test_two_processes_at_once_lose_nothing_and_settle_against_each_other(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    # The second paper holds questions 20 to 59, the first 0 to 39: 20 stand in both.
    children = [adder(bank.path, "a.pdf", "40", "0"), adder(bank.path, "b.pdf", "40", "20")]
    told = [json.loads(child.communicate(timeout=120)[0].splitlines()[-1]) for child in children]
    assert sorted(report["version"] for report in told) == [1, 2]
    rows = bank.read()
    assert len(rows) == 80
    duplicates = [q for q in rows if q.status is Status.DUPLICATE]
    assert len(duplicates) == 20
    keepers = {q.question_id: q for q in rows}
    assert all(keepers[q.duplicate_of].printed == q.printed for q in duplicates)


def test_files_are_kept_under_their_digest_once(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "sources")
    original = tmp_path / "试卷.pdf"
    original.write_bytes(b"%PDF-1.4 a paper")
    name = store.put_file(original)
    assert store.put_file(original) == name
    found = store.find(name)
    assert found is not None
    assert found.read_bytes() == original.read_bytes()
    assert store.find("../key") is None
    figure = store.put_figure(b"picture")
    assert (store.find(figure) or tmp_path).read_bytes() == b"picture"
    assert len([p for p in (tmp_path / "sources").rglob("*") if p.is_file()]) == 2


def test_batch_reports_keep_what_an_earlier_run_said_of_other_files(tmp_path: Path) -> None:
    reports = Reports(tmp_path)
    refused = {"source": "a.pdf", "sha256": "1", "outcome": "refused", "reason": "encrypted"}
    reports.save("期末/一", {"files": [refused]})
    reports.save("期末/一", {"files": [{"source": "b.pdf", "sha256": "2", "outcome": "kept"}]})
    reports.save("期末/二", {"files": []})
    report = reports.load("期末/一")
    assert report is not None
    assert [f["source"] for f in report["files"]] == ["a.pdf", "b.pdf"]
    assert [r["batch"] for r in reports.all()] == ["期末/一", "期末/二"]
    assert reports.load("none") is None
    reports.path("期末/二").write_text("{", encoding="utf-8")
    with pytest.raises(BankError, match="cannot be read"):
        reports.all()
