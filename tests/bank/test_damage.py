"""What the check finds in a bank whose bytes were changed, and how it tells a full or barred disk."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deltalake
import filelock
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bank import rows, sums
from bank.check import CheckReport, check
from bank.dedup.index import NearIndex
from bank.draw import Request, draw_from
from bank.draw.again import redraw
from bank.exposure import papers_left
from bank.ledger import Ledger
from bank.stats import stats
from bank.storage import native, storage
from bank.store import Bank
from bank.tags import relative, tag
from bank.upkeep import compact, sweep, vacuum
from bank.versions import restore
from schemas.errors import BankError
from schemas.evaluation import Manifest
from tests.bank.makers import paper

BY = {"who": "a curator", "why": "a test", "now": "2026-01-01T00:00:00Z"}
AT = {"who": "a curator", "why": "a test", "at": "2026-01-01T00:00:00Z"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve versions of 4 questions each, so that the table opens from a checkpoint."""
    made = Bank.create(tmp_path_factory.mktemp("made") / "b 中")
    for n in range(12):
        questions = [q.model_copy(update={"source_sha256": ""}) for q in paper(f"p{n}.pdf", 4, 4 * n)]
        made.add(questions, batch=f"p{n}", settle_duplicates=False, **BY)
    made.follow(made.version)
    return made.path


@pytest.fixture
def bank(made: Path, tmp_path: Path) -> Bank:
    """A copy of the bank to be hurt."""
    return Bank.open(shutil.copytree(made, tmp_path / "b 中"))


def codes(report: CheckReport) -> set[str]:
    return {problem.code for problem in report.problems}


@pytest.mark.parametrize(
    ("harm", "name"), [("empty", "05"), ("gone", "05"), ("torn", "05"), ("empty", "12"), ("torn", "12")]
)
def test_a_lost_commit_is_an_error_and_nothing_is_removed(bank: Bank, harm: str, name: str) -> None:
    path = bank.path / "questions" / "_delta_log" / f"{name:0>20}.json"
    data = path.read_bytes()
    if harm == "gone":
        path.unlink()
    else:
        path.write_bytes(data[: len(data) // 2] if harm == "torn" else b"")
    before = {p for p in (bank.path / "questions").rglob("*.parquet")}
    if (harm, name) != ("torn", "12"):  # such a table cannot be opened at all
        report = check(bank)
        assert "log_broken" in codes(report)
        assert not report.sound
    for work in (lambda: sweep(bank), lambda: vacuum(bank, keep=1, **AT)):
        with pytest.raises(BankError) as caught:
            work()
        assert caught.value.code in {"log_broken", "bank_damaged"}
    assert {p for p in (bank.path / "questions").rglob("*.parquet")} == before
    path.write_bytes(data)
    assert codes(check(bank)) <= {"index_stale"}


def test_ids_that_the_bank_does_not_make_are_told(bank: Bank) -> None:
    from deltalake import write_deltalake

    first = bank.read()[0]
    for column in ("question_id", "original_id", "duplicate_of", "cluster_id"):
        whole = bank.version
        odd = first.model_copy(update={"question_id": "q" + "a" * 24, column: 'q"' + "a" * 23})
        write_deltalake(bank.path / "questions", rows.to_table([odd]), mode="append")
        report = check(bank)
        assert "ids_odd" in codes(report)
        assert any(column in example for p in report.problems for example in p.examples)
        bank.delta().restore(whole)


def test_a_full_or_barred_disk_is_not_told_as_damage(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        errno.ENOSPC: "disk_full",
        errno.EDQUOT: "disk_full",
        errno.EROFS: "bank_barred",
        errno.EACCES: "bank_barred",
    }
    for number, code in told.items():
        error = storage(OSError(number, "words"))
        assert error is not None
        assert error.code == code
        assert "backup" not in error.remedy
    words = storage(RuntimeError("Generic error: No space left on device (os error 28)"))
    assert words is not None
    assert words.code == "disk_full"
    assert storage(OSError(errno.EIO, "Input/output error")) is None
    assert storage(OSError("Corrupt snappy compressed data.")) is None

    def barred(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(filelock.FileLock, "acquire", barred)
    report = check(bank)
    assert report.sound
    assert codes(report) - {"index_stale"} == {"bank_barred"}
    with pytest.raises(BankError) as caught:
        bank.add(paper("x.pdf", 1, 60), batch="x", **BY)
    assert caught.value.code == "bank_barred"


def test_a_column_that_nothing_else_reads_is_decoded(bank: Bank) -> None:
    uri = bank.delta().file_uris()[0]
    path = bank.path / "questions" / uri[uri.index("discipline=") :]
    data = path.read_bytes()
    group = pq.read_metadata(path).row_group(0)
    chunks = {c.path_in_schema.split(".")[0]: c for c in map(group.column, range(group.num_columns))}
    for column in ("printed", "evidence", "label_method", "created_at"):
        start = chunks[column].dictionary_page_offset or chunks[column].data_page_offset
        hurt = bytearray(data)
        for place in range(start, start + chunks[column].total_compressed_size):
            hurt[place] ^= 0x55
        path.write_bytes(hurt)
        assert "files_damaged" in codes(check(bank)), column
    path.write_bytes(data)
    assert codes(check(bank)) <= {"index_stale"}


def places(bank: Bank) -> list[Path]:
    return [bank.path / "questions" / uri[uri.index("discipline=") :] for uri in bank.delta().file_uris()]


def test_any_flipped_byte_is_found(bank: Bank) -> None:
    rng = random.Random(5)
    for _ in range(12):
        path = rng.choice(places(bank))
        data = path.read_bytes()
        place = rng.randrange(len(data))
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :])
        assert "files_damaged" in codes(check(bank)), place
        path.write_bytes(data)
    compact(bank, **AT)
    kept = places(bank)[0]
    assert "sums_missing" not in codes(check(bank))
    restore(bank, 3, **AT)
    assert "sums_missing" not in codes(check(bank))
    data = kept.read_bytes()
    kept.write_bytes(data[:9] + b"x" + data[10:])
    assert "old_files_damaged" in codes(check(bank))


def test_digests_left_out_are_told_and_taken_later(bank: Bank) -> None:
    gone = [bank.path / "sums" / f"{n:020d}.json" for n in (4, 12)]
    texts = [path.read_bytes() for path in gone]
    for work in (lambda: sweep(bank), lambda: bank.add(paper("x.pdf", 1, 60), batch="x", **BY)):
        for path in gone:
            path.unlink()
        report = check(bank)
        assert report.sound
        assert "sums_missing" in codes(report)
        work()
        assert "sums_missing" not in codes(check(bank))
        assert [path.read_bytes() for path in gone] == texts
    gone[0].write_bytes(texts[0].replace(b"a", b"b"))
    assert {"sums_damaged", "sums_missing"} <= codes(check(bank))
    gone[0].unlink()
    shutil.rmtree(bank.path / "sums")  # a bank from before there were digests
    assert "sums_missing" in codes(check(bank))
    sweep(bank)
    assert "sums_missing" not in codes(check(bank))
    assert gone[0].read_bytes() == texts[0]


def test_what_a_bank_has_had_is_not_lost_unnoticed(bank: Bank) -> None:
    """Each loss is told by the check, and nobody writes on as if there had been nothing."""
    tag(bank, "june", 3, **AT)
    Ledger(bank.path).reserve(
        "A",
        "r",
        at=AT["at"],
        request={},
        draw=lambda _: (Manifest(bank_version=1, seed=0, per_stratum=1), []),
    )
    log = bank.path / "questions" / "_delta_log"
    losses: dict[str, tuple[list[Path], Callable[[], object]]] = {
        "log_behind": (
            [log / f"{12:020d}.json", log / f"{11:020d}.json"],
            lambda: bank.add(paper("x.pdf", 1, 70), batch="x", **BY),
        ),
        "tags_damaged": ([bank.path / "tags.json"], lambda: vacuum(bank, keep=1, **AT)),
        "ledger_lost": (
            [bank.path / "ledger.sqlite", bank.path / "ledger-id"],
            lambda: Ledger(bank.path).exposed("A"),
        ),
    }
    for code, (paths, write) in losses.items():
        kept = {path: path.read_bytes() for path in paths}
        for path in paths:
            path.unlink()
        report = check(bank)
        assert code in codes(report)
        assert not report.sound
        with pytest.raises(BankError) as caught:
            write()
        assert caught.value.code == code
        for path, data in kept.items():
            path.write_bytes(data)
    assert not codes(check(bank)) & losses.keys()

    key = (bank.path / "key").read_bytes()
    (bank.path / "key").write_bytes(bytes(32))
    with pytest.raises(BankError, match="not the one"):
        Bank.open(bank.path)
    (bank.path / "key").write_bytes(key)

    lock = bank.path / "lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    with pytest.raises(BankError, match="lock"):
        bank.add(paper("x.pdf", 1, 70), batch="x", **BY)
    lock.rmdir()

    first = log / f"{0:020d}.json"
    data = first.read_bytes()
    for checkpoint in log.glob("*checkpoint*"):
        checkpoint.unlink()
    first.write_text("no JSON\n")
    report = check(bank)
    assert codes(report) == {"bank_damaged", "log_broken"}
    assert not any("\n" in problem.message for problem in report.problems)
    first.write_bytes(data)

    shutil.rmtree(bank.path / "sums")
    report = check(bank)
    assert "sums_missing" in codes(report)
    assert not report.sound
    for folder in (log, bank.path / "questions"):
        shutil.rmtree(folder)
        for way in (Bank.open, Bank.create):
            with pytest.raises(BankError) as caught:
                way(bank.path)
            assert caught.value.code == "bank_damaged"
            assert "backup" in caught.value.remedy


def test_a_change_that_is_made_is_not_told_as_one_that_is_not(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A disk that is full after the commit: what is missing beside it is told, and made later."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as there:
        there.setattr(NearIndex, "save", full)
        there.setattr(sums, "complete", full)
        report = bank.add(paper("x.pdf", 2, 70), batch="x", **BY)
    assert report.committed
    assert report.version == bank.version == 13
    told = [record.getMessage() for record in caplog.records if record.name == "exambank"]
    assert len(told) == 2
    assert all("the change is made" in one and "No space left" in one for one in told)
    assert bank.add(paper("x.pdf", 2, 70), batch="x", **BY).already == 2

    write = deltalake.write_deltalake

    def then_full(*given: Any, **more: Any) -> None:  # as where the checkpoint has no room any more
        write(*given, **more)
        full()

    caplog.clear()
    with monkeypatch.context() as there:
        there.setattr(deltalake, "write_deltalake", then_full)
        assert bank.add(paper("y.pdf", 2, 72), batch="y", **BY).version == 14
        assert "checkpoint" in caplog.text
        there.setattr(deltalake, "write_deltalake", full)
        with pytest.raises(BankError, match="full"):
            bank.add(paper("z.pdf", 2, 74), batch="z", **BY)
    assert bank.version == 14


def test_panics_of_native_threads_are_kept_from_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    class PanicException(BaseException):
        pass

    with native(Path("b")):
        os.write(2, b"a line of ours\nthread 'worker' panicked at x.rs:1:\nstack backtrace:\n")
    with pytest.raises(BankError) as caught, native(Path("b")):
        raise PanicException("Already shut down")
    assert caught.value.code == "bank_failed"
    assert capfd.readouterr().err == "a line of ours\n"


def test_files_that_are_gone_or_torn_are_told_by_whatever_reads_them(bank: Bank) -> None:
    paper_of = Request(seed=0, per_stratum=1)
    made = draw_from(bank, paper_of)[1]
    shutil.rmtree(bank.path / "cache")
    bank.add(paper("x.pdf", 4, 60), batch="x", **BY)
    looks: list[tuple[str, Callable[[], object]]] = [
        ("bank_damaged", lambda: stats(bank, paper_of)),
        ("version_gone", lambda: stats(bank, paper_of, version=12)),
        ("bank_damaged", lambda: draw_from(bank, paper_of)),
        ("version_gone", lambda: redraw(bank, made)),
        ("bank_damaged", lambda: papers_left(bank, Ledger(bank.path), "A", paper_of)),
    ]
    path = bank.path / "questions" / relative(bank, bank.delta(12).file_uris()[0])
    for torn in (True, False):
        if torn:
            path.write_bytes(path.read_bytes()[:500])
        else:
            path.unlink()
        for code, look in looks:
            with pytest.raises(BankError) as caught:
                look()
            assert caught.value.code == ("bank_damaged" if torn else code)


def test_an_edited_log_or_tag_is_found(bank: Bank) -> None:
    tag(bank, "june", 3, **AT)
    tag(bank, "may", 2, **AT)
    commit = bank.path / "questions" / "_delta_log" / f"{12:020d}.json"
    file = bank.path / "tags.json"
    harms = (
        (commit, b'{"discipline":"d01"}', b'{"discipline":"d04"}', "files_misfiled"),
        (commit, b'"who":"a curator"', b'"who":"a visitor"', "log_changed"),
        (file, b"june", b"jury", "tags_damaged"),
        (file, b'"version": 3', b'"version": 4', "tags_damaged"),
    )
    for path, old, new, code in harms:
        data = path.read_bytes()
        assert old in data
        path.write_bytes(data.replace(old, new))
        report = check(bank, deep=path == commit)
        assert code in codes(report)
        assert not report.sound
        path.write_bytes(data)
    (path,) = commit.parent.glob("*.checkpoint.parquet")
    data, held = path.read_bytes(), pq.read_table(path)
    lost = next(place for place, row in enumerate(held["add"].to_pylist()) if row)
    pq.write_table(pa.concat_tables([held.slice(0, lost), held.slice(lost + 1)]), path)
    assert "checkpoint_odd" in codes(check(bank, deep=False))
    path.write_bytes(data)
    summed = bank.path / "sums" / commit.name  # as of before commits had digests
    with_commit = summed.read_bytes()
    files = json.loads(with_commit)["files"]
    del files[f"_delta_log/{commit.name}"]
    summed.write_text(json.dumps({"files": files, "own": sums._own(files)}))
    report = check(bank)
    assert report.sound
    assert "commits_unsummed" in codes(report)
    sweep(bank)
    assert "commits_unsummed" not in codes(check(bank))
    assert json.loads(summed.read_bytes()) == json.loads(with_commit)


def test_a_missing_file_of_an_old_version_is_told_until_the_version_is_let_go(bank: Bank) -> None:
    compact(bank, **AT)
    old = bank.path / "questions" / relative(bank, bank.delta(1).file_uris()[0])
    old.unlink()
    report = check(bank, deep=False)
    told = next(p for p in report.problems if p.code == "old_files_missing")
    assert not report.sound
    assert "version 1" in told.examples[0]
    made = vacuum(bank, keep=1, **AT)
    assert 1 in made.versions
    assert "old_files_missing" not in codes(check(bank, deep=False))
    assert vacuum(bank, keep=3, dry_run=True, **AT).versions == ()
