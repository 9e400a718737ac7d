"""Ctrl-C: before a commit it leaves the bank as it was; once one has begun, the write comes to its end."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bank import commits, sums
from bank.dedup.index import NearIndex
from bank.store import Bank
from bank.versions import restore
from flows.cli import app, run
from schemas.question import Status
from tests.bank.makers import paper

BY: dict[str, Any] = {"who": "a curator", "why": "a test", "now": "2026-01-01T00:00:00Z"}


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """A bank at version 1."""
    made = Bank.create(tmp_path / "bank")
    made.add(paper("first.pdf", 6), batch="first", **BY)
    return made


def interrupting(work: Callable[..., Any]) -> Callable[..., Any]:
    """The work, after Ctrl-C was pressed."""

    def pressed(*given: Any, **more: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return work(*given, **more)

    return pressed


def rows(path: Path, count: int = 3) -> Path:
    lines = [json.dumps({"prompt": f"Question {n} of a kind of its own?"}) for n in range(count)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def bring(bank: Bank, source: Path, *more: str) -> int:
    given = ["import", str(source), "--batch", "more", "--bank", str(bank.path), *more]
    return run(lambda: app(given, standalone_mode=False), given)


@pytest.mark.parametrize(
    ("owner", "name"),
    [(Bank, "_settle"), (Bank, "_commit"), (commits, "metadata"), (sums, "require")],
)
def test_before_the_commit_an_import_leaves_the_bank_alone(bank, tmp_path, monkeypatch, owner, name):
    monkeypatch.setattr(owner, name, interrupting(getattr(owner, name)))
    assert bring(bank, rows(tmp_path / "rows.jsonl")) == 130
    assert bank.version == 1 and len(bank.read()) == 6


@pytest.mark.parametrize(
    ("owner", "name"), [(commits, "properties"), (sums, "follow"), (NearIndex, "save"), (NearIndex, "add")]
)
def test_a_commit_that_has_begun_is_told_as_done(bank, tmp_path, monkeypatch, capsys, owner, name):
    usual = signal.getsignal(signal.SIGINT)
    once = interrupting(getattr(owner, name))
    if name == "add":  # also used before the commit, on an index that is made anew
        work = NearIndex.add
        monkeypatch.setattr(owner, name, lambda self, said: (once if bank.version > 1 else work)(self, said))
    else:
        monkeypatch.setattr(owner, name, once)
    assert bring(bank, rows(tmp_path / "rows.jsonl"), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["added"], told["version"]) == (3, 2) == (len(bank.read()) - 6, bank.version)
    assert signal.getsignal(signal.SIGINT) is usual


def test_other_writes_do_the_same(bank, monkeypatch):
    usual = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr(sums, "follow", interrupting(sums.follow))
        name = bank.read()[0].question_id
        assert bank.amend({name: {"status": Status.REVIEW}}, seen=1, **BY) == 2
    with pytest.raises(KeyboardInterrupt), monkeypatch.context() as patch:
        patch.setattr(commits, "replace", interrupting(commits.replace))
        bank.amend({name: {"status": Status.ACTIVE}}, seen=2, **BY)
    assert bank.version == 2 and signal.getsignal(signal.SIGINT) is usual
    assert restore(bank, 1, who="w", why="y", at=BY["now"]) and bank.version == 3


def test_ctrl_c_works_again_where_a_commit_fails(bank, monkeypatch):
    usual = signal.getsignal(signal.SIGINT)

    def fails(*given: Any) -> None:
        raise RuntimeError("no disk of that name")

    monkeypatch.setattr(commits, "properties", fails)
    with pytest.raises(RuntimeError):
        bank.add(paper("second.pdf", 3), batch="second", **BY)
    assert signal.getsignal(signal.SIGINT) is usual and bank.version == 1
