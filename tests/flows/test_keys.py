"""Keys in files of their own: named by the user, named in vain, and those of no paper; what is told of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flowkit import exambank, report_of, write_pdf

PAPER = ["管理学试卷", "一、简答题", "1. 简述计划工作的程序。", "2. 简述控制的原则。"]
OTHER = [
    "会计学试卷",
    "一、简答题",
    "1. 什么是会计主体？",
    "2. 试述借贷记账法的规则。",
    "3. 简述会计凭证的作用。",
]
BARE = ["管理学", "一、简答题", "1. 先估量机会，再确定目标。", "2. 适时、适度、客观。"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_pdf(tmp_path / "in" / "植物学" / "试卷.pdf", PAPER)
    return tmp_path


def told(folder: Path, *arguments: str | Path) -> tuple[int, str, list[dict[str, Any]], dict[str, Any]]:
    """Exit code, messages, rows and report of an extract."""
    out, report = folder / "q.jsonl", folder / "r.json"
    done = exambank("extract", *arguments, "--out", out, "--report", report, "--quiet")
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return done.returncode, done.stderr, rows, json.loads(report.read_text(encoding="utf-8"))


def test_a_file_named_as_a_key_is_read_as_one_whatever_it_is_called(folder: Path) -> None:
    write_pdf(folder / "乙.pdf", BARE)
    paper = folder / "in" / "植物学" / "试卷.pdf"
    code, messages, rows, report = told(folder, paper, "--answers", folder / "乙.pdf")
    assert code == 0, messages
    assert [row["answer"] for row in rows if row["source"] == "试卷.pdf"] == [
        "先估量机会，再确定目标。",
        "适时、适度、客观。",
    ]
    assert [file["outcome"] for file in report["files"]] == ["kept", "key"]
    assert "2 questions: 2 with an answer, 0 without" in messages


def test_a_key_named_in_vain_is_told_everywhere(folder: Path) -> None:
    write_pdf(folder / "乙.pdf", OTHER)
    named = ("--answers", folder / "乙.pdf", "--html", folder / "pages")
    code, messages, _, report = told(folder, folder / "in" / "植物学" / "试卷.pdf", *named)
    assert code == 3
    assert messages.count("notice ") == 2
    assert "it reads as a paper" in messages
    codes = [[notice["code"] for notice in file["notices"]] for file in report["files"]]
    assert codes == [["answers_unused"], ["answers_unused"]]
    for page in (folder / "pages").iterdir():
        assert "named as" in page.read_text(encoding="utf-8")


def test_a_key_of_no_paper_is_named_and_every_draft_is_counted(folder: Path) -> None:
    write_pdf(folder / "in" / "植物学" / "答案.pdf", ["参考答案", *BARE[1:]])
    write_pdf(folder / "甲.pdf", OTHER)
    write_pdf(folder / "乙.pdf", [BARE[0], *BARE[1:]])
    named = ("--answers", f"{folder / '甲.pdf'}={folder / '乙.pdf'}")
    bank = ("--batch", "b", "--bank", folder / "bank", "--dry-run", "--json")
    done = exambank("ingest", folder / "in", folder / "甲.pdf", *named, *bank)
    assert done.returncode == 0, done.stderr
    assert "unpaired 植物学/答案.pdf" in done.stderr
    assert "it belongs to 试卷.pdf" in done.stderr
    summary = report_of(done)["summary"]
    assert (summary["unpaired_answers"], summary["key_answers"]) == (2, 4)
    assert (summary["questions"], summary["answered"], summary["unanswered"]) == (5, 2, 3)
    assert summary["drafts"] == 9
