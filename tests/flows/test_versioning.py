"""The commands on versions and on the care of a bank, as a user gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bank.store import Bank
from flows.cli import app, run
from schemas.question import Status
from tests.bank.makers import paper, sha

BY = {"who": "a curator", "why": "a test", "now": "2026-01-01T00:00:00Z"}


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    """Versions 1 and 2: two papers; version 3: one question in review."""
    monkeypatch.chdir(tmp_path)
    made = Bank.create(tmp_path / "bank")
    for n in range(2):
        made.sources.put(sha(f"p{n}.pdf"), f"p{n}.pdf".encode())
        made.add(paper(f"p{n}.pdf", 8, 8 * n), batch=f"batch {n}", **BY)
    made.amend({made.read()[0].question_id: {"status": Status.REVIEW}}, seen=2, **BY)
    return made


class Told:
    """What a command said, and its exit code."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        assert run(lambda: app([*arguments, "--bank", "bank"], standalone_mode=False)) == code
        out, err = self._capsys.readouterr()
        return out + err

    def json(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self(*arguments, "--json", code=code))
        return found


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Told:
    return Told(capsys)


def test_versions_are_tagged_compared_shown_and_restored(bank: Bank, tell: Told, tmp_path: Path) -> None:
    name = bank.read()[0].question_id
    assert tell.json("tag", "六月", "2", "--why", "the paper of June")["version"] == 2
    assert "六月" in tell("log")
    assert tell.json("tag")["tags"][0]["why"] == "the paper of June"
    found = tell.json("diff", "六月", "--rows", "rows.jsonl")
    assert (found["before"], found["after"], found["changed"]) == (2, 3, 1)
    (line,) = (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["fields"]["status"] == ["active", "review"]
    assert "1 changed" in tell("diff", "2", "3")
    assert "8 added" in tell("diff", "1", "2")
    assert tell.json("show", name)["status"] == "review"
    assert tell.json("show", name, "--at", "六月")["status"] == "active"
    assert "nothing_found" in tell("show", name, "--at", "0", code=2)
    assert tell.json("restore", "六月", "--dry-run")["version"] == 3
    assert tell.json("restore", "六月", "--why", "back")["version"] == 4
    assert tell.json("show", name)["status"] == "active"
    newest = tell.json("log")["versions"][0]
    assert (newest["why"], newest["restored"], newest["counts"]["changed"]) == ("back", 2, 1)
    assert "back (restored version 2: 1 changed)" in tell("log")
    assert "the same already" in tell("restore", "六月")
    assert tell.json("tag", "六月", "--delete")["deleted"] is True
    assert "no_version" in tell("restore", "六月", code=1)
    assert "give no version" in tell("tag", "x", "1", "--delete", code=2)
    assert "needs the name" in tell("tag", "--delete", code=2)
    assert "no version has a tag" in tell("tag")


def test_a_bank_is_checked_compacted_vacuumed_and_swept(bank: Bank, tell: Told) -> None:
    assert "sound" in tell("check")
    assert tell.json("compact")["files_after"] == 4
    plan = tell.json("vacuum", "--keep", "1", "--dry-run")
    assert plan["versions"] == [1, 2, 3]
    assert "can no longer be read: 1, 2, 3" in tell("vacuum", "--keep", "1")
    assert "(vacuumed)" in tell("log")
    assert "version_gone" in tell("restore", "2", code=1)
    stray = bank.path / "questions" / "part-1.parquet#1"
    stray.write_bytes(b"x" * 2000)
    assert "exambank sweep" in tell("check", "--quick")
    assert tell.json("sweep", "--dry-run")["files"][0]["bytes"] == 2000
    assert "1 file (2.0 KB) removed" in tell("sweep")
    assert not stray.exists()
    next((bank.path / "questions").glob("discipline=*/*.parquet")).unlink()
    report = tell.json("check", code=1)
    assert (report["sound"], report["problems"][0]["code"]) == (False, "files_missing")


def test_a_reviewer_decides_one_by_one(bank: Bank, tell: Told) -> None:
    one, two, three = (q.question_id for q in bank.read()[:3])
    told = tell.json(
        "edit", two, "--set", "points=5", "--set", "prompt=什么=什么？", "--revision", "1", "--why", "slip"
    )
    assert (told["version"], told["changed"]) == (4, [two])
    assert bank.get(two).prompt == "什么=什么？"
    assert "stale" in tell("edit", two, "--clear", "points", "--revision", "1", "--why", "slip", code=1)
    assert "changed 1 question (1 approve)" in tell("approve", one[:9].upper(), "--reviewer", "安娜")
    assert bank.get(one).reviewer == "安娜"
    assert "it is so already" in tell("approve", one, "--reviewer", "安娜")
    assert "no_reason" in tell("reject", one, code=1)
    assert "would change 2 questions" in tell("merge", one, "--into", two, "--why", "same", "--dry-run")
    assert tell.json("merge", one, "--into", two, "--why", "same")["along"] == [two]
    assert "1 unmerge" in tell("unmerge", one, "--why", "no")
    assert "2 retire" in tell("retire", one, three, "--why", "published")
    assert "nothing_found" in tell("retire", "qnone", "--why", "x", code=2)
    assert "beginning of 16 ids" in tell("approve", "q", code=2)
    assert "of one question" in tell("approve", one, two, "--revision", "1", code=2)
    assert "FIELD=VALUE" in tell("edit", one, "--set", "points", code=2)
    assert "two values" in tell("edit", one, "--set", "points=2", "--clear", "points", code=2)
    assert "nothing to change" in tell("edit", one, code=2)
    assert tell.json("check")["sound"]


def test_a_file_of_changes_is_applied_whole_or_not_at_all(bank: Bank, tell: Told, tmp_path: Path) -> None:
    rows = bank.read()[1:4]
    lines = [
        "question_id,revision,action,reason,points",
        *(f"{q.question_id},1,,,{n}" for n, q in enumerate(rows)),
    ]
    lines[2] = lines[2].replace(",1,,,1", ",7,,,1")
    (tmp_path / "changes.csv").write_text("\n".join(lines), encoding="utf-8")
    said = tell("apply", "changes.csv", "--why", "June", code=1)
    assert f"line 3, revision, {rows[1].question_id}: " in said
    assert "1 change of 3 refused; nothing was changed" in said
    assert bank.version == 3
    assert "refused" in tell("apply", "changes.csv", "--why", "June", "--dry-run", code=1)
    told = tell.json("apply", "changes.csv", "--why", "June", "--skip-bad", "bad.jsonl", code=3)
    assert (told["version"], told["applied"], len(told["refused"])) == (4, {"edit": 2}, 1)
    kept = json.loads((tmp_path / "bad.jsonl").read_text(encoding="utf-8"))
    assert kept["revision"] == "7"
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    assert "file_exists" in tell("apply", "changes.csv", "--why", "r", "--skip-bad", "mine.txt", code=2)
    (tmp_path / "bad.jsonl").write_text(json.dumps({**kept, "revision": 1}), encoding="utf-8")
    assert "changed 1 question (1 edit)" in tell("apply", "bad.jsonl", "--why", "June")
    assert tell.json("log")["versions"][0]["why"] == "June"
    assert "bad_changes" in tell("apply", "bank/key", code=2)
    (tmp_path / "empty.csv").write_text("question_id,revision\n", encoding="utf-8")
    assert "has no changes" in tell("apply", "empty.csv", code=2)
