"""How the table's files are written: the same by every writer, and no matter to what is read or drawn."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from deltalake import WriterProperties

from bank import commits
from bank.draw import Request, draw_from
from bank.store import Bank
from bank.upkeep import compact
from tests.bank.makers import paper

AT = "2026-01-01T00:00:00+00:00"


def filled(path: Path) -> Bank:
    bank = Bank.create(path, bytes(32))
    for name, start in (("a.pdf", 0), ("b.pdf", 20)):
        bank.add(paper(name, 20, start), batch=name, who="test", why="", now=AT, settle_duplicates=False)
    return bank


def written(bank: Bank) -> list[tuple[str, bool, bool]]:
    """Of each file of the newest version: compression, and whether prompts and statuses have a dictionary."""
    found = []
    for uri in bank.delta().file_uris():
        told = pq.read_metadata(uri.removeprefix("file://")).row_group(0)
        columns = {one.path_in_schema: one for one in map(told.column, range(told.num_columns))}
        prompt, status = columns["prompt"], columns["status"]
        found.append((prompt.compression, prompt.has_dictionary_page, status.has_dictionary_page))
    return found


def test_row_groups_are_small_where_files_are_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "_GROUP", 4)
    bank = filled(tmp_path / "bank")
    compact(bank, who="test", why="", at=AT)
    for uri in bank.delta().file_uris():
        told = pq.read_metadata(uri.removeprefix("file://"))
        assert [told.row_group(n).num_rows for n in range(told.num_row_groups)] == [4, 4, 2]
    assert len(bank.read()) == 40


def test_whoever_writes_writes_for_draws(tmp_path: Path) -> None:
    bank = filled(tmp_path / "bank")
    assert written(bank) == [("LZ4", False, True)] * 8
    some = {bank.read({"discipline": "d01"})[0].question_id: {"reviewer": "Li"}}
    bank.amend(some, seen=bank.version, who="test", why="", now=AT)
    assert written(bank) == [("LZ4", False, True)] * 7
    compact(bank, who="test", why="", at=AT)
    assert written(bank) == [("LZ4", False, True)] * 4


def test_files_written_otherwise_read_and_draw_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(commits, "layout", lambda: WriterProperties(compression="SNAPPY"))
        old = filled(tmp_path / "old")
    assert written(old) == [("SNAPPY", True, True)] * 8
    new, request = filled(tmp_path / "new"), Request(seed=1, total=12)
    assert old.read() == new.read()
    drawn = draw_from(new, request)[0]
    assert draw_from(old, request)[0] == drawn
    compact(old, who="test", why="", at=AT)
    assert written(old) == [("LZ4", False, True)] * 4
    assert draw_from(old, request)[0] == drawn
