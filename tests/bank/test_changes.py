"""Changes from files: each kind read, each bad row refused with line and column, whatever the bytes."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from bank.amend import apply
from bank.changes import ChangeFile, read_changes
from bank.edits import Action
from bank.exchange.rowfile import refused_rows
from bank.store import Bank
from schemas.errors import UsageError
from tests.bank.makers import paper

HEAD = "question_id,revision,action,reason,prompt,points\n"


def read(tmp_path: Path, data: bytes | str, name: str = "changes") -> ChangeFile:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_changes(path)


def bad(found: ChangeFile) -> list[tuple[int, str, str]]:
    return [(r.line, r.column, r.code) for r in found.refused]


def workbook(tmp_path: Path, *rows: list[Any]) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    path = tmp_path / "changes.xlsx"
    book.save(path)
    return path


def test_the_three_kinds_say_the_same(tmp_path: Path) -> None:
    row = {
        "question_id": "q1",
        "revision": 3,
        "action": "edit",
        "reason": "typo",
        "prompt": "新题",
        "points": 2.5,
    }
    clear = {"question_id": "q2", "revision": 1, "action": "approve", "reason": "", "explanation": None}
    lines = "\n".join(json.dumps(r, ensure_ascii=False) for r in (row, clear)) + "\n"
    head = "question_id,revision,action,reason,prompt,points,explanation\n"
    sheet = head + "q1,3,edit,typo,新题,2.5,\n" + "q2,1,approve,,,,(clear)\n"
    book = workbook(
        tmp_path,
        head.strip().split(","),
        ["q1", 3, "edit", "typo", "新题", 2.5],
        [None] * 7,
        ["q2", 1.0, "approve", None, None, None, "(clear)"],
    )
    kinds = [
        read(tmp_path, lines), read(tmp_path, "\ufeff" + lines), read(tmp_path, sheet), read(tmp_path, "\ufeff" + sheet),
        read(tmp_path, sheet.replace(",", ";")), read(tmp_path, sheet.replace(",", "\t").encode("utf-16")), read_changes(book),
    ]  # fmt: skip
    for found in kinds:
        assert found.refused == []
        one, two = found.changes
        assert (one.question_id, one.revision, one.action, one.reason) == ("q1", 3, Action.EDIT, "typo")
        assert {k: str(v) for k, v in one.fields.items()} == {"prompt": "新题", "points": "2.5"}
        assert (two.action, two.fields) == (Action.APPROVE, {"explanation": None})
    assert [c.line for c in kinds[0].changes] == [1, 2]
    assert [c.line for c in kinds[-1].changes] == [2, 4]


def test_bad_lines_of_json_are_told_with_line_and_place(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        b'{"question_id": "q1", "revision": 1, "action": "retyre"}\n'
        b'{"question_id": "q1", "revision": "x"}\n'
        b'{"question_id": "q1"}\n'
        b'{"question_id": 7, "revision": 1}\n'
        b'{"question_id": "q1", "revision": 1, "promt": "x"}\n'
        b'{"question_id": "q1", "revision": 1, "points": NaN}\n'
        b'{"question_id": "q1", "revision": 1, "points": 1, "points": 2}\n'
        b'{"question_id": "q1", "revision": 1, "prompt": "\xe9\xa2"}\n'
        b"[1]\n" + b"[" * 100_000 + b"\n"
        b'{"question_id": "q9", "revision": 1, "reason": "fine"}\n'
        b'{"question_id": "q1", "revision": 1, "points": ' + b"9" * 6_000 + b"}\n"
        b'{"question_id": "q1", "revi',
    )
    assert bad(found) == [
        (1, "action", "value"), (2, "revision", "type"), (3, "revision", "no_revision"), (4, "question_id", "no_id"),
        (5, "promt", "no_field"), (6, "", "json"), (7, "points", "json"), (8, "byte 49", "encoding"), (9, "", "json"),
        (10, "", "json"), (12, "", "json"), (13, "character 23", "json"),
    ]  # fmt: skip
    assert "did you mean prompt?" in found.refused[4].message
    assert [c.question_id for c in found.changes] == ["q9"]


def test_bad_rows_of_csv_are_told_by_the_line_they_begin_on(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        HEAD.encode() + b'q1,1,edit,"two\nlines",x,1\n'
        b"q2,1,edit,,x,1,9\n"
        b"q3,,edit,,x,1\n"
        b"\n"
        b'q4,1,edit,,"x"y,1\n'
        b"q5,1,ed",
    )
    assert [c.question_id for c in found.changes] == ["q1"]
    assert bad(found) == [
        (4, "", "cells"),
        (5, "revision", "no_revision"),
        (7, "", "csv"),
        (8, "reason", "cells"),
    ]
    half = read(tmp_path, HEAD + 'q1,1,edit,"no end')
    assert bad(half) == [(2, "", "csv")]
    huge = read(tmp_path, HEAD + "q1,1,edit,,x,1\nq2,1,edit,," + "长" * 10_000_000 + ",1\nq3,1,edit,,x,1\n")
    assert bad(huge) == [(3, "", "csv")]
    assert [c.question_id for c in huge.changes] == ["q1", "q3"]


def test_what_cannot_be_taken_apart_is_kept_as_it_stands(tmp_path: Path) -> None:
    lines = [b'{"question_id": "q1", "prompt": "half', b'{"question_id": "q\xff"}', b'{"a": 1, "a": 2}']
    torn = read(tmp_path, b"\n".join([b"{}", *lines]))
    sheet = read(tmp_path, HEAD + 'q1,1,edit,"a\nb","x"y,1\nq2,1,edit,r,x,1,9\nq3,1,ed\n')
    book = read_changes(
        workbook(
            tmp_path, ["question_id", "revision", "prompt"], ["q1", 1, "=1+1"], ["q2", dt.date(2026, 1, 2)]
        )
    )
    kept = [
        [json.loads(line).get("raw") for line in refused_rows(f.rows, f.refused).splitlines()]
        for f in (torn, sheet, book)
    ]
    assert [raw.encode("utf-8", "surrogateescape") for raw in kept[0][1:]] == lines
    assert kept[1] == ['q1,1,edit,"a\nb","x"y,1\n', "q2,1,edit,r,x,1,9\n", "q3,1,ed\n"]
    assert kept[2][0] == "q1\t1\t=1+1"
    assert kept[2][1].startswith("q2\t2026-01-02")


def test_broken_utf8_in_a_cell_is_told_by_its_column(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "b")
    bank.add(paper("p.pdf", 2), batch="b", who="w", why="y", now="2026-01-01T00:00:00Z")
    one, two = (q.question_id for q in bank.read())
    data = HEAD.encode() + f"{one},1,edit,r,好,1\n{two},1,edit,r,".encode() + b"\xe9\xa2,1\n"
    found = read(tmp_path, data)
    told = {"who": "w", "why": "y", "at": "2026-01-01T00:00:00Z"}
    report = apply(bank, found.changes, refused=found.refused, **told)
    assert (report.committed, bank.version) == (False, 1)
    (refusal,) = report.refused
    assert (refusal.line, refusal.column, refusal.code, refusal.question_id) == (3, "prompt", "encoding", two)
    report = apply(bank, found.changes, refused=found.refused, skip_bad=True, **told)
    assert (report.version, report.changed) == (2, (one,))
    (kept,) = [json.loads(line) for line in refused_rows(found.rows, report.refused).splitlines()]
    assert kept["question_id"] == two
    assert kept["refused"].startswith("line 3: prompt: ")
    # The file of refused rows is one of changes itself, once it is mended.
    mended = json.dumps({**kept, "prompt": "题"})
    again = read(tmp_path, mended)
    assert apply(bank, again.changes, refused=again.refused, **told).changed == (two,)


def test_cells_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = workbook(
        tmp_path,
        ["question_id", "revision", "reason", "prompt", "reference_answer"],
        ["q1", 1, "r", "=1+1", None],
        ["q2", 1, "r", None, dt.date(2026, 1, 1)],
        ["q3", 1, "r", None, 42],
        ["q4", 1, "r", None, True, "too many"],
    )
    found = read_changes(path)
    assert bad(found) == [(2, "prompt", "formula"), (3, "reference_answer", "type"), (5, "", "cells")]
    assert found.changes[0].fields == {"reference_answer": "42"}


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b"a,b\n1,2\n", "no column question_id"),
        (b"question_id,revision,revision\n", "two columns"),
        (b"question_id,revison\n", "did you mean revision?"),
        (b"PK\x03\x04 half a workbook", "no whole workbook"),
    ],
)
def test_a_file_that_is_no_use_as_a_whole_is_told_so(tmp_path: Path, data: bytes, word: str) -> None:
    with pytest.raises(UsageError, match="no file of changes") as caught:
        read(tmp_path, data)
    assert word in caught.value.message


def test_a_workbook_that_breaks_off_is_told_so(tmp_path: Path) -> None:
    whole = workbook(tmp_path, ["question_id", "revision"], *([f"q{n}", 1] for n in range(500))).read_bytes()
    for share in (0.3, 0.6, 0.95):
        with pytest.raises(UsageError, match="no whole workbook"):
            read(tmp_path, whole[: int(len(whole) * share)])
    with pytest.raises(UsageError, match="cannot be read"):
        read_changes(tmp_path / "none.csv")


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", HEAD.encode(), b'{"question_id": "q1", ']))
def test_no_bytes_end_in_anything_but_rows_and_refusals(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, head: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(head + data)
    try:
        found = read_changes(path)
    except UsageError:
        return
    assert all(refusal.line and refusal.message for refusal in found.refused)
    refused_rows(found.rows, found.refused)
