"""`ingest`: whole runs as processes of their own, killed, doubled, run again, and on a Dask cluster."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

from daskkit import cluster
from flowkit import (
    KEY,
    Made,
    exambank,
    ids_of,
    kill_when,
    report_of,
    start,
    stop_when,
    write_docx,
)

from bank.store import Bank
from bank.versions import history

ROOT = Path(__file__).parents[2]


def test_refused_files_do_not_stop_the_batch(made: Made) -> None:
    report = report_of(made.done)
    assert made.done.returncode == 3, made.done.stderr
    told = {file["source"]: file for file in report["files"]}
    assert told["坏文件.pdf"]["outcome"] == told["空文件.docx"]["outcome"] == "refused"
    assert told["坏文件.pdf"]["reason"]
    assert told["坏文件.pdf"]["remedy"]
    assert told["~$期末试卷.docx"]["outcome"] == told[".hidden.pdf"]["outcome"] == "skipped"
    assert told["说明.txt"]["outcome"] == told["链接.docx"]["outcome"] == "skipped"
    assert told["期末试卷（副本）.docx"]["outcome"] == "repeated"
    summary = report["summary"]
    assert (summary["documents"], summary["refused"], summary["repeated"]) == (6, 2, 1)
    assert summary["drafts"] == 17
    assert summary["items"] == summary["added"] == made.bank.table(["question_id"]).num_rows
    for name in ("坏文件.pdf", "空文件.docx"):
        assert name in made.done.stderr
    assert told["数据结构补考.docx"]["path"] == "补充/数据结构补考.docx"
    assert str(made.papers) not in json.dumps(made.bank.reports.all(), ensure_ascii=False)


def test_one_version_with_who_and_counts(made: Made) -> None:
    newest = history(made.bank)[0]
    assert newest.version == 1
    assert (newest.batch, bool(newest.who), newest.counts["documents"]) == ("first", True, 6)


def test_items_say_where_they_came_from(made: Made) -> None:
    questions = made.bank.read()
    assert all(q.batch == "first" and q.source_sha256 and q.stage_versions for q in questions)
    one = next(q for q in questions if q.source == "管理学原理.pdf")
    assert one.reference_answer
    assert one.regions[0].box
    assert made.bank.sources.find(one.source_sha256)


def test_again_adds_nothing_and_makes_no_version(made: Made) -> None:
    before = made.ids()
    done = exambank("ingest", made.papers, "--batch", "first", "--bank", made.path, "--quiet")
    assert done.returncode == 3
    assert "Nothing new" in done.stdout
    assert made.ids() == before
    assert made.bank.version == 1
    assert not list((made.path / "cache" / "prefect").iterdir())


def test_show_finds_questions_and_files(made: Made, tmp_path: Path) -> None:
    one = next(q for q in made.bank.read() if q.source == "管理学原理.pdf")
    done = exambank("show", one.question_id[1:9], "--bank", made.path, "--crop", tmp_path / "q.png")
    assert done.returncode == 0, done.stderr
    assert one.prompt in done.stdout
    assert (tmp_path / "q.png").read_bytes().startswith(b"\x89PNG")
    word = next(q for q in made.bank.read() if q.source.endswith(".docx"))
    done = exambank("show", word.question_id, "--bank", made.path, "--crop", tmp_path / "w.png")
    assert done.returncode == 2
    assert "Word" in done.stderr
    done = exambank("show", "坏文件.pdf", "--bank", made.path)
    assert done.returncode == 0
    assert "refused" in done.stdout
    assert exambank("show", "没有.pdf", "--bank", made.path).returncode == 2


def test_stats_and_log(made: Made) -> None:
    data = json.loads(exambank("stats", "--bank", made.path, "--json").stdout)
    assert data["items"] == len(made.ids())
    assert data["batch"] == {"first": data["items"]}
    assert data["answered"] + data["unanswered"] == data["status"]["active"]
    text = exambank("stats", "--bank", made.path).stdout
    assert "active" in text
    versions = json.loads(exambank("log", "--bank", made.path, "--json").stdout)["versions"]
    assert [v["version"] for v in versions] == [1, 0]


def test_a_dry_run_changes_nothing_nor_does_any_touch_the_users_prefect(papers: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = exambank(
        *("ingest", papers, "--batch", "b", "--bank", tmp_path / "bank", "--dry-run", "--json", "--quiet"),
        HOME=str(home),
        PREFECT_API_URL="http://127.0.0.1:9/api",
        PREFECT_PROFILE="nowhere",
    )
    report = report_of(done)
    assert done.returncode == 0, done.stderr
    assert report["dry_run"]
    assert report["summary"]["duplicates"] is None  # not looked for, which is not 0
    assert report["summary"]["items"] > 0
    assert not (tmp_path / "bank").exists()
    assert not (home / ".prefect").exists()


def test_killed_at_five_moments_gives_the_same_ids(made: Made, tmp_path: Path) -> None:
    """A run killed at its start, while reading (twice), while keeping sources, and at the commit."""
    bank = tmp_path / "bank"
    Bank.create(bank, KEY)
    arguments = ("ingest", made.papers, "--batch", "first", "--bank", bank, "--jobs", "1")

    def count(folder: str, name: str = "*") -> int:
        return sum(1 for path in (bank / folder).rglob(name) if path.is_file())

    def results() -> int:
        return count("cache/results", "?" * 48)

    moments = [
        lambda: any((bank / "cache" / "prefect").glob("run-*")),
        lambda: results() >= 1,
        lambda: results() >= 4,
        lambda: count("sources") >= 1,
        lambda: (bank / "questions" / "_delta_log" / "00000000000000000001.json").exists(),
    ]
    for moment in moments:
        assert kill_when(start(*arguments), moment) in (-signal.SIGKILL, 0, 3)
    kept = results()
    done = exambank(*arguments)
    assert done.returncode == 3, done.stderr
    assert results() == kept == 6
    assert ids_of(bank) == made.ids()
    assert Bank.open(bank).version == 1


def test_a_changed_setting_is_not_answered_from_the_cache(papers: Path, tmp_path: Path) -> None:
    arguments = ("ingest", papers / "管理学原理.pdf", "--batch", "b", "--bank", tmp_path / "bank", "--json")
    first = report_of(exambank(*arguments))
    assert first["summary"]["items"] == 2
    second = report_of(exambank(*arguments, EXAMBANK_READ__MAX_CHARS="10"))
    assert [file["code"] for file in second["files"]] == ["max_chars"]


def test_two_ingests_at_once_lose_nothing(papers: Path, tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    write_docx(tmp_path / "more" / "史学.docx", "中国古代史", year=1988)
    both = [
        start("ingest", papers, "--batch", "one", "--bank", bank),
        start("ingest", tmp_path / "more", papers / "数据结构", "--batch", "two", "--bank", bank),
    ]
    assert [process.wait(timeout=240) for process in both] == [0, 0]
    opened = Bank.open(bank)
    assert opened.version == 2
    read = opened.read()
    assert len({q.question_id for q in read}) == len(read)
    assert {q.source for q in read} == {p.name for p in papers.rglob("*.*")} | {"史学.docx"}
    assert {report["batch"] for report in opened.reports.all()} == {"one", "two"}


def test_ctrl_c_is_130_and_ends_every_child(papers: Path, tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    process = start("ingest", papers, "--batch", "b", "--bank", bank, "--jobs", "1")
    results = bank / "cache" / "results"
    assert stop_when(process, lambda: results.is_dir() and any(results.iterdir()), signal.SIGINT) == 130
    assert Bank.open(bank).version == 0


def test_no_scheduler_is_told_at_once(papers: Path, tmp_path: Path) -> None:
    begun = time.monotonic()
    done = exambank(
        *("ingest", papers, "--batch", "b", "--bank", tmp_path / "bank"),
        *("--runner", "dask", "--address", "tcp://127.0.0.1:9"),
    )
    assert done.returncode == 1
    assert "dask scheduler" in done.stderr
    assert time.monotonic() - begun < 60


def test_a_dask_cluster_gives_the_same_bank(made: Made, tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    Bank.create(bank, KEY)
    with cluster(tmp_path, workers=2) as address:
        done = exambank(
            *("ingest", made.papers, "--batch", "first", "--bank", bank, "--json"),
            *("--runner", "dask", "--address", address),
        )
    assert done.returncode == 3, done.stderr
    assert ids_of(bank) == made.ids()
    mine, other = (_rows(path) for path in (bank, made.path))
    assert mine == other


def _rows(path: Path) -> list[dict[str, Any]]:
    """Everything a bank says of its questions, but for the times."""
    times = {"created_at", "updated_at"}
    return [q.model_dump(exclude=times) for q in Bank.open(path).read()]
