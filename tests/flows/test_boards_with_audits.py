"""`audit` with a bank's key and without, and `leaderboard --audit` as processes: what is said of a seal."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest
from flowkit import exambank, report_of
from test_audit import write

sys.path.append(str(Path(__file__).parents[1] / "evaluation"))  # bias is there by test_audit
from auditkit import House
from boardkit import made_run, ratings

PLAN = ("audit", "plan", "a", "--study", "study.toml", "--prompts", "prompts.jsonl")


@pytest.fixture
def house():
    made = House()
    yield made
    made.close()


def test_an_audit_over_a_file_is_sealed_with_the_banks_key(house: House, tmp_path: Path) -> None:
    write(tmp_path, house)
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "key").write_bytes(bytes(range(32)))
    for arguments in (PLAN, ("audit", "run", "a"), ("audit", "report", "a", "--resamples", "199")):
        done = exambank(*arguments, "--bank", "bank", cwd=tmp_path)
        assert done.returncode == 0 and "not sealed" not in done.stderr, done.stderr
    elsewhere = exambank("audit", "run", "a", "--bank", "other", cwd=tmp_path)
    assert elsewhere.returncode != 0 and "bank_key" in elsewhere.stderr
    board = ("leaderboard", "--published", "--audit", "a", "--bank", "bank")
    assert exambank(*board, cwd=tmp_path).returncode == 0
    report = tmp_path / "a" / "audit.json"
    report.write_bytes(report.read_bytes() + b" ")
    done = exambank(*board, "--out", "board", cwd=tmp_path)
    assert done.returncode == 1 and "run_edited" in done.stderr and "audit.json" in done.stderr
    assert not (tmp_path / "board").exists()


def test_an_audit_without_a_key_is_warned_of(house: House, tmp_path: Path) -> None:
    write(tmp_path, house)
    for arguments in (PLAN, ("audit", "run", "a"), ("audit", "report", "a", "--resamples", "199")):
        done = exambank(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("not sealed" in done.stderr) is (arguments[1] != "run")
    assert "未签封 not sealed" in (tmp_path / "a" / "audit.html").read_text(encoding="utf-8")
    made_run(tmp_path / "runs" / "one", ratings(0.9), model="model-one", judge="m0")
    made_run(tmp_path / "runs" / "two", ratings(0.8), model="model-two", judge="m0")
    done = exambank("leaderboard", "runs", "--audit", "a", "--out", "board", "--json", cwd=tmp_path)
    assert done.returncode == 0
    (audit,) = report_of(done)["audits"]
    assert (audit["model"], audit["very"], audit["seal"]) == ("m0", True, "not_sealed")
    for warning in ("judge m0: the audit is not sealed", "judge m0: the audit found it not fit"):
        assert warning in done.stderr
    page = (tmp_path / "board" / "index.html").read_text(encoding="utf-8")
    assert "未签封" in page and "不合格 not fit" in page and "ε = 0.25" in page
    text = (tmp_path / "board" / "leaderboard.csv").read_text(encoding="utf-8")
    (first, _) = csv.DictReader(io.StringIO(text))
    assert (first["audit"], first["audit_model"], first["audit_seal"]) == ("not_fit", "m0", "not_sealed")
    assert "not sealed" in first["audit_warnings"] and first["audit_bounds"].startswith("π ≥ 0.8")
    again = exambank("leaderboard", "runs", "--out", "board", "--json", cwd=tmp_path)
    assert "has shown a newer or worse finding" in again.stderr and "not_fit" in again.stderr
    assert "此前展示过" in (tmp_path / "board" / "index.html").read_text(encoding="utf-8")
