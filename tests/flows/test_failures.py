"""How a command that fails tells it: as JSON where that is asked for, with no sign that moves a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bank.ledger import Ledger
from bank.store import Bank
from flows.cli import main
from schemas.evaluation import Manifest
from tests.bank.makers import paper

BY = {"who": "a curator", "why": "a test", "now": "2026-01-01T00:00:00Z"}


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.chdir(tmp_path)
    made = Bank.create(tmp_path / "bank")
    made.add(paper("a.pdf", 8), batch="a", settle_duplicates=False, **BY)
    return made


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.mark.parametrize(
    ("line", "code", "exit_code"),
    [
        ("log --bank nowhere", "no_bank", 1),
        ("log --bank bank --colour", "usage", 2),
        ("diff 7 8 --bank bank", "no_version", 1),
        ("sample --seed 1 --bank bank", "usage", 2),
        ("check --bank bank", "", 1),  # it fails, and has printed its own
    ],
)
def test_json_is_printed_whatever_happens(
    bank: Bank, capsys: pytest.CaptureFixture[str], line: str, code: str, exit_code: int
) -> None:
    done, out, err = call(capsys, *line.split(), "--json")
    assert done == exit_code
    error = json.loads(out).get("error", {"code": "", "message": "-"})
    assert error["code"] == code
    assert error["message"]
    assert bool(err) == bool(code)
    if code:
        assert call(capsys, *line.split())[1] == ""


def test_names_with_control_characters_are_refused_and_old_ones_spelled_out(
    bank: Bank, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = ("sample", "--seed", "1", "-n", "1", "--disciplines", "d01", "--out", "o", "--bank", "bank")
    for name, run in (("X\x1b[31m", "r"), ("X", "a\nb"), ("X", "\udcff")):
        assert call(capsys, *sample, "--institution", name, "--run", run)[0] == 2
    Path("rows.jsonl").write_text('{"prompt": "什么是函数？"}\n')
    assert call(capsys, "import", "rows.jsonl", "--batch", "a\nb", "--bank", "bank")[0] == 2

    manifest = Manifest(bank_version=1, seed=0, per_stratum=1)
    book = Ledger(bank.path)
    book.reserve("A", "r", at=BY["now"], request={}, draw=lambda _: (manifest, []))
    book.release("A", "r", who="w", why="\x1b[31mred", at=BY["now"])
    code, out, _ = call(capsys, "ledger", "status", "--bank", "bank")
    assert code == 0
    assert "\x1b" not in out
    assert "\\x1b[31mred" in out


def test_no_output_stands_in_a_bank_that_is_not_there_yet(
    bank: Bank, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("rows.jsonl").write_text('{"prompt": ""}\n')
    for line in (
        "import rows.jsonl --batch b --bank new --skip-bad new/key",
        "sample --seed 1 --out new/draw --bank new",
        "export new/all.jsonl --bank new",
    ):
        code, _, err = call(capsys, *line.split())
        assert code == 2, line
        assert "in the bank" in err
    assert not Path("new").exists()
