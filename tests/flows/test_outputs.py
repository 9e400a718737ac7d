"""Where results go: never over what is read, never two to one place, and a place that fails is told first."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from flowkit import exambank, write_docx, write_pdf

from flows.cli import app, run
from flows.commands import common
from flows.files import find
from schemas.errors import UsageError

PAPER = ["管理学试卷", "一、简答题", "1. 简述计划工作的程序。", "2. 简述控制的原则。"]


def hashes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    write_docx(tmp_path / "in" / "a.docx", "数据结构")
    write_pdf(tmp_path / "in" / "key.pdf", PAPER)
    (tmp_path / "linked.docx").symlink_to(tmp_path / "in" / "a.docx")
    os.link(tmp_path / "in" / "a.docx", tmp_path / "hard.docx")
    (tmp_path / "pairs.jsonl").write_text('{"id": 1, "a": "x", "b": "y"}\n')
    (tmp_path / "exambank.toml").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "extract in/a.docx --out in/a.docx",
        "extract in/a.docx --out in/../linked.docx",
        "extract in/a.docx --out hard.docx",
        "extract in --out in/a.docx",
        "extract in --out hard.docx",
        "extract in/a.docx --out y --report in/a.docx",
        "extract in/a.docx --out y --html in/a.docx",
        "extract in/a.docx --answers in/key.pdf --out in/key.pdf",
        "extract in/a.docx --out exambank.toml",
        "extract in/a.docx --out y --report y",
        "extract in/a.docx --out y --report ./y",
        "extract in/a.docx --out y --report y/r.json",
        "extract in/a.docx --out y --html y",
        "extract in/a.docx --out y.html --html y.html",
        "extract in/a.docx --out pages/index.html --html pages",
        "extract in/a.docx --out /proc/y",
        f"extract in/a.docx --out {'y' * 250}",
        "extract in/a.docx --out y --report -",
        "extract in/a.docx --out - --json",
        "read in/a.docx --html in/a.docx",
        "read linked.docx --json in/a.docx",
        "read in/a.docx --html y --json y",
        "compare pairs.jsonl --out pairs.jsonl",
        "contamination pairs.jsonl --out pairs.jsonl",
        "import pairs.jsonl --batch b --skip-bad pairs.jsonl",
        "apply pairs.jsonl --skip-bad pairs.jsonl",
        "judge-check pairs.jsonl --recorded x --out pairs.jsonl",
        "dedup --out y --html y",
        "leaderboard in --out in",
        "evaluate in --out in",
    ],
)
def test_what_is_read_is_never_written_over(
    line: str, papers: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(papers)
    before = hashes(papers)
    assert run(lambda: app(args=line.split(), standalone_mode=False)) == 2
    told = capsys.readouterr().err
    assert "[1/" not in told  # told before anything is read
    assert "not_writable" in told or "one_output" in told or "folder_in_use" in told
    assert hashes(papers) == before


def test_the_files_of_a_bank_are_its_own(tmp_path: Path) -> None:
    (tmp_path / "bank" / "questions").mkdir(parents=True)
    for folder in (False, True):
        with pytest.raises(UsageError, match="in the bank"):
            common.check_out(tmp_path / "bank" / "x", folder=folder, bank=tmp_path / "bank")
    common.check_out(tmp_path / "beside", bank=tmp_path / "bank")


def test_what_an_earlier_run_wrote_among_the_papers_is_no_paper(papers: Path) -> None:
    (papers / "in" / "q.jsonl").write_text("")
    common.check_out(papers / "in" / "q.jsonl", papers / "in" / "new.docx", inputs=[papers / "in"])
    assert sorted(path.name for path in (papers / "in").iterdir()) == ["a.docx", "key.pdf", "q.jsonl"]


def test_links_and_pipes_are_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "there")
    common.check_out(tmp_path / "link", Path(os.devnull), Path(os.devnull))
    common.write_whole(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "there").read_bytes() == b"x"
    read, write = os.pipe()
    common.write_whole(Path(f"/dev/fd/{write}"), b"y")
    assert os.read(read, 9) == b"y"
    for end in (read, write):
        os.close(end)


def test_questions_or_their_summary_on_standard_output(papers: Path) -> None:
    done = exambank("extract", "in/a.docx", "--out", "-", cwd=papers)
    assert done.returncode == 0, done.stderr
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 3
    assert not (papers / "-").exists()
    done = exambank("extract", "in/a.docx", "--out", "q.jsonl", "--json", cwd=papers)
    told = json.loads(done.stdout)
    assert (told["out"], told["documents"], told["drafts"]) == ("q.jsonl", 1, 3)
    done = exambank("read", "in/a.docx", "--json", "-", "--quiet", cwd=papers)
    assert json.loads(done.stdout)["source"] == "a.docx"
    assert done.stderr == ""


def test_pages_of_an_earlier_run_go_and_those_of_others_stay(papers: Path) -> None:
    assert exambank("extract", "in", "--out", "q", "--html", "pages", cwd=papers).returncode == 0
    (papers / "pages" / "notes.html").write_text("mine")
    done = exambank("extract", "in/key.pdf", "--out", "q", "--html", "pages", cwd=papers)
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (papers / "pages").iterdir())
    assert names == ["001-key.pdf.html", "index.html", "notes.html"]
    (papers / "pages" / "002-mine.html").write_text("mine")
    done = exambank("extract", "in/key.pdf", "--out", "q", "--html", "pages", cwd=papers)
    assert done.returncode == 2
    assert "002-mine.html" in done.stderr
    assert (papers / "pages" / "002-mine.html").read_text() == "mine"


def test_every_empty_file_is_refused_as_empty(tmp_path: Path) -> None:
    for name in ("a.docx", "b.pdf"):
        (tmp_path / name).touch()
    found = find([tmp_path], 1000)
    assert [(file.outcome, file.code) for file in found.others] == [("refused", "empty")] * 2
    assert not found.sources


def test_a_disk_that_is_full_is_told_after_the_work_as_a_failure(papers: Path) -> None:
    done = exambank("extract", papers / "in" / "a.docx", "--out", "/dev/full", "--quiet")
    assert done.returncode == 1
    assert "not_written" in done.stderr


@pytest.mark.parametrize(("command", "goes_on"), [("ingest", True), ("extract", False)])
def test_an_interruption_says_whether_the_work_goes_on(
    command: str, goes_on: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.argv", ["exambank", command, "in"])
    assert run(stopped) == 130
    assert ("goes on where it stopped" in capsys.readouterr().err) == goes_on
