"""Rows to files and back: every kind, every bad row with its place, and nothing a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from bank.changes import read_changes
from bank.edits import Refusal
from bank.exchange.incoming import QuestionFile, read_questions
from bank.exchange.known import sort
from bank.exchange.outgoing import SHEET, columns_of, encoded
from bank.exchange.rowfile import refused_rows
from bank.rows import to_table
from bank.store import Bank
from schemas.errors import UsageError
from schemas.question import PrintedForm, Question, Region
from tests.bank.makers import paper, question

AT = "2026-01-01T00:00:00+00:00"
FORMULA = '=HYPERLINK("http://example.org";"看答案")'


def read(tmp_path: Path, *rows: dict[str, Any] | bytes) -> QuestionFile:
    path = tmp_path / "rows.jsonl"
    lines = [row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() for row in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return read_questions(path)


def filled() -> list[Question]:
    return [
        question(
            FORMULA,
            source="甲.pdf",
            reference_answer="-1 或 +1",
            points=2.5,
            exam_year=2019,
            figures=("a" * 64,),
            flags=("review",),
            regions=(Region(page=2, box=(1.0, 2.0, 3.0, 4.0)),),
            original_id="o1",
            question_id="q1",
        ),
        question("'引号开头", source="甲.pdf", needs_figure=True, original_id="o1", question_id="q2"),
        question(
            "多行\n题干,有逗号", source="甲.pdf", question_type="essay", original_id="o3", question_id="q3"
        ),
    ]


@pytest.mark.parametrize("kind", [".jsonl", ".csv", ".xlsx", ".parquet"])
def test_what_is_written_is_read_again(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows{kind}"
    names = [name for name in Question.model_fields if name not in {"evidence", "stage_versions"}]
    path.write_bytes(encoded(to_table(filled()).select(names), kind))
    found = read_questions(path)
    assert found.refused == []
    for was, now in zip(filled(), found.questions, strict=True):
        for name in ("prompt", "reference_answer", "points", "exam_year", "figures", "flags", "regions",
                     "needs_figure", "question_type", "printed_form", "discipline", "source", "source_sha256"):  # fmt: skip
            assert getattr(now, name) == getattr(was, name), name
    first, second, third = (q.evidence for q in found.questions)
    assert first["draft_id"] == second["draft_id"] != third["draft_id"]
    assert first["imported_question_id"] == "q1"


def test_siblings_stay_siblings_and_the_same_file_adds_nothing_again(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank")
    found = read(
        tmp_path, *({"prompt": text, "original_id": "o1"} for text in ("简述光合作用", "试论货币政策"))
    )
    for committed in (True, False):
        report = bank.add(found.questions, batch="b", who="Li", why="", now=AT)
        assert report.committed is committed
    assert len({q.original_id for q in bank.read()}) == 1
    assert len({q.question_id for q in bank.read()}) == 2


def test_no_cell_of_a_sheet_is_a_formula(tmp_path: Path) -> None:
    data = to_table(filled()).select(list(SHEET))
    book = load_workbook(io.BytesIO(encoded(data, ".xlsx")))
    assert all(cell.data_type != "f" for row in book.active.iter_rows() for cell in row)
    cells = [
        cell for row in csv.reader(io.StringIO(encoded(data, ".csv").decode("utf-8-sig"))) for cell in row
    ]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    path = tmp_path / "sheet.csv"
    path.write_bytes(encoded(data, ".csv"))
    assert read_changes(path).changes[0].fields["prompt"] == FORMULA


@pytest.mark.parametrize("kind", [".csv", ".xlsx"])
def test_a_sheet_nobody_touched_changes_nothing(kind: str, tmp_path: Path) -> None:
    from bank.amend import apply

    bank = Bank.create(tmp_path / "bank")
    words = ("(clear)", " (clear) ", "'(clear)", "=1+1", "''")
    rows = [question(f"题目 {n}", reference_answer=word) for n, word in enumerate(words)]
    bank.add(rows, batch="b", who="Li", why="", now=AT)
    path = tmp_path / f"sheet{kind}"
    path.write_bytes(encoded(bank.table(list(SHEET)), kind))
    changes = [c.model_copy(update={"reason": "r"}) for c in read_changes(path).changes]
    assert len(changes) == len(words)
    report = apply(bank, changes, who="Wu", why="review", at=AT)
    assert (report.refused, report.changed) == ((), ())


def test_a_sheet_goes_out_is_edited_and_comes_back(tmp_path: Path) -> None:
    from bank.amend import apply

    bank = Bank.create(tmp_path / "bank")
    bank.add(paper("a.pdf", 4), batch="b", who="Li", why="", now=AT)
    path = tmp_path / "review.xlsx"
    path.write_bytes(encoded(bank.table(list(SHEET)).sort_by("question_id"), ".xlsx"))
    book = load_workbook(path)
    sheet = book.active
    sheet.cell(2, SHEET.index("reference_answer") + 1).value = "=1+1 是公式"[1:]
    book.save(path)
    found = read_changes(path)
    assert found.refused == []
    changes = [c.model_copy(update={"reason": "r", "reviewer": "Wu"}) for c in found.changes]
    report = apply(bank, changes, who="Wu", why="review", at=AT)
    assert not report.refused
    edited = [q for q in bank.read() if q.revision == 2]
    assert [q.reference_answer for q in edited] == ["1+1 是公式"]


@pytest.mark.parametrize(
    ("row", "column", "code"),
    [
        ({"prompt": "  "}, "prompt", "empty"),
        ({"question_type": "essay"}, "prompt", "empty"),
        ({"prompt": "题", "question_type": "poem"}, "question_type", "value"),
        ({"prompt": "题", "discipline": "炼金术"}, "discipline", "unknown_discipline"),
        ({"prompt": "题", "discipline": "d02", "sub_discipline": "d0809"}, "sub_discipline", "mismatch"),
        ({"prompt": "题", "points": "多"}, "points", "type"),
        ({"prompt": "题", "points": -1}, "points", "type"),
        ({"prompt": "题", "figures": "x"}, "figures", "type"),
        ({"prompt": "题", "figures": [1]}, "figures", "type"),
        ({"prompt": "题", "figures": ["a" * 64, "../key"]}, "figures", "value"),
        ({"prompt": "题", "regions": [{"page": 0}]}, "regions", "type"),
        ({"prompt": "题", "source_sha256": "abc"}, "source_sha256", "value"),
        ({"prompt": "题", "status": "fine"}, "status", "value"),
        ({"prompt": "题", "revision": "x"}, "revision", "type"),
        ({"prompt": "题", "evidence": "x"}, "evidence", "type"),
        ({"prompt": "题", "created_at": "yesterday"}, "created_at", "type"),
        ({"prompt": "题", "duplicate_of": "qnone"}, "duplicate_of", "value"),
        ({"prompt": "题", "label_confidence": 2}, "label_confidence", "type"),
        ({"prompt": "题", "anwser": "x"}, "anwser", "no_field"),
        ({"prompt": "题" * 1_000_001}, "prompt", "too_long"),
        ({"prompt": "题", "reference_answer": ["x"]}, "reference_answer", "type"),
        (b'{"prompt": "\xff"}', "byte 13", "encoding"),
        (b'{"prompt": "half', "character 12", "json"),
        (b'{"prompt": "\\ud800"}', "prompt", "encoding"),
        (b'{"prompt": "' + b"x" * 25_000_000 + b'"}', "", "too_long"),
        (b"[1]", "", "json"),
    ],
)
def test_a_bad_row_is_refused_with_its_place(
    row: dict[str, Any] | bytes, column: str, code: str, tmp_path: Path
) -> None:
    found = read(tmp_path, {"prompt": "好题"}, row, {"prompt": "又一道好题"})
    assert [(r.line, r.column, r.code) for r in found.refused] == [(2, column, code)]
    assert [q.prompt for q in found.questions] == ["好题", "又一道好题"]


def test_what_a_bank_says_of_its_rows_is_read_and_duplicates_are_counted(tmp_path: Path) -> None:
    said = {
        "revision": 3,
        "evidence": {"a": "b"},
        "created_at": AT,
        "duplicate_of": "q" + "a" * 24,
        "stage_versions": {},
    }
    found = read(tmp_path, {"prompt": "题", **said}, {"prompt": "又一题", "status": "duplicate"})
    assert (found.refused, found.duplicates) == ([], 2)


def test_a_refusal_without_a_column_is_told_without_an_empty_place(tmp_path: Path) -> None:
    found = read(tmp_path, b"{}x", b"[1]")
    kept = json.loads(refused_rows(found.rows, found.refused).splitlines()[-1])
    assert kept["refused"] == "line 2: the line is no object [json]"
    assert str(Refusal(code="json", message="it is none")) == "it is none [json]"


def test_a_row_without_a_language_has_that_of_its_prompt(tmp_path: Path) -> None:
    rows = [{"prompt": "什么是机会成本？"}, {"prompt": "What is an opportunity cost?"}]
    found = read(tmp_path, *rows, {**rows[1], "number": "3", "language": "mixed"})
    assert [one.language for one in found.questions] == ["zh", "en", "mixed"]


def test_an_id_told_twice_is_refused(tmp_path: Path) -> None:
    found = read(tmp_path, {"prompt": "甲", "question_id": "q1"}, {"prompt": "乙", "question_id": "q1"})
    assert [(r.line, r.code) for r in found.refused] == [(2, "repeated")]


def test_half_a_parquet_file_is_refused_whole(tmp_path: Path) -> None:
    data = encoded(to_table(paper("a.pdf", 20)), ".parquet")
    for cut in (8, len(data) // 2, len(data) - 4):
        path = tmp_path / "half.parquet"
        path.write_bytes(data[:cut])
        with pytest.raises(UsageError, match="no whole Parquet file"):
            read_questions(path)


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).filter(str.strip))
def test_any_text_survives_a_sheet(text: str) -> None:
    table = to_table([question(text, reference_answer=text)]).select(
        ["question_id", "prompt", "reference_answer"]
    )
    (row,) = csv.DictReader(io.StringIO(encoded(table, ".csv").decode("utf-8-sig"), newline=""))
    cell = load_workbook(io.BytesIO(encoded(table, ".xlsx"))).active["B2"].value
    for found in (row["prompt"], cell):
        assert found in (text, "'" + text)
        assert not found.startswith(("=", "+", "-", "@"))


def test_columns_and_kinds_that_are_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"rows\.doc"):
        columns_of(tmp_path / "rows.doc", [])
    with pytest.raises(UsageError, match="promt"):
        columns_of(tmp_path / "rows.csv", ["promt"])


def test_nothing_is_added_unless_all_rows_pass_or_the_bad_ones_are_kept(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"prompt": "简述光合作用的过程", "reference_answer": "略"}\n{"prompt": ""}\n', encoding="utf-8"
    )
    bank, bad = tmp_path / "bank", tmp_path / "bad.jsonl"

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        line = [
            sys.executable,
            "-m",
            "flows.cli",
            "import",
            str(rows),
            "--batch",
            "b",
            "--bank",
            str(bank),
            *more,
        ]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    refused = run()
    assert refused.returncode == 1
    assert "line 2, prompt" in refused.stderr
    assert not bank.exists()
    assert run("--skip-bad", str(bad)).returncode == 3
    assert [q.prompt for q in Bank.open(bank).read()] == ["简述光合作用的过程"]
    assert "line 2" in json.loads(bad.read_text(encoding="utf-8"))["refused"]
    assert run("--skip-bad", str(bad)).returncode == 3  # its own file of refused rows it may replace
    other = tmp_path / "notes.txt"
    other.write_text("what somebody wrote", encoding="utf-8")
    for target in (other, bank / "key", rows):
        before = target.read_bytes()
        assert run("--skip-bad", str(target)).returncode == 2
        assert target.read_bytes() == before
    assert run("--skip-bad", str(other), "--force").returncode == 3
    assert "line 2" in json.loads(other.read_text(encoding="utf-8"))["refused"]


def test_questions_of_this_bank_do_not_come_in_beside_themselves(tmp_path: Path) -> None:
    """What was edited since it was written, here or in the file, is told or refused, and never added."""
    from bank.amend import Change, apply

    bank = Bank.create(tmp_path / "bank")
    bank.add(paper("a.pdf", 4), batch="b", who="Li", why="", now=AT)
    one = bank.read()[0]
    change = Change(question_id=one.question_id, reason="r", fields={"prompt": "换了一种问法的题目"})
    before = bank.table(list(SHEET))
    apply(bank, [change], who="Wu", why="", at=AT)
    for kind in (".csv", ".jsonl"):
        path = tmp_path / f"out{kind}"
        names = list(SHEET) if kind == ".csv" else list(Question.model_fields)
        path.write_bytes(encoded(bank.table(names), kind))
        parted = sort(bank, read_questions(path).questions, {})
        assert not parted.refused
        assert bank.add(parted.fresh, batch="c", who="Li", why="", now=AT).added == 0
    path.with_suffix(".csv").write_bytes(encoded(before, ".csv"))  # of before the edit
    parted = sort(bank, read_questions(path.with_suffix(".csv")).questions, {one.question_id: 7})
    assert [(r.code, r.line, r.question_id) for r in parted.refused] == [("known", 7, one.question_id)]
    assert (parted.fresh, parted.already) == ((), 3)
    other = Bank.create(tmp_path / "other")  # where nobody knows them
    assert len(sort(other, read_questions(path).questions, {}).fresh) == 4


@pytest.mark.parametrize("kind", [".csv", ".xlsx"])
def test_siblings_survive_a_sheet(kind: str, tmp_path: Path) -> None:
    bank, other = Bank.create(tmp_path / "bank"), Bank.create(tmp_path / "other")
    rows = [
        question(
            text, draft="one", printed="下列说法正确的是", flags=("review",), printed_form="multiple_choice"
        )
        for text in ("植物都进行光合作用", "货币政策由央行制定")
    ]
    bank.add(rows, batch="b", who="Li", why="", now=AT)
    path = tmp_path / f"sheet{kind}"
    path.write_bytes(encoded(bank.table(columns_of(path, ())), kind))
    other.add(read_questions(path).questions, batch="b", who="Li", why="", now=AT)
    found = other.read()
    assert len(found) == 2
    assert len({q.original_id for q in found}) == 1
    assert {(q.flags, q.printed_form) for q in found} == {(("review",), PrintedForm.MULTIPLE_CHOICE)}
