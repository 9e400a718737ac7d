"""`classify` as a command: rows that are none, papers told by a field, and files that are read to their end."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from flows.cli import app, run

MATRIX, LIMIT = "求矩阵的特征值与特征向量。", "求函数的极限与导数。"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def classify(data: bytes | list[dict[str, Any]], *options: str) -> int:
    if isinstance(data, list):
        data = "".join(json.dumps(row) + "\n" for row in data).encode()
    Path("in.jsonl").write_bytes(data)
    return run(lambda: app(["classify", "in.jsonl", "--out", "out.jsonl", *options], standalone_mode=False))


def written() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]


def test_rows_that_are_none_are_told_and_the_others_filed(capsys: pytest.CaptureFixture[str]) -> None:
    good = json.dumps({"id": 1, "text": MATRIX}, ensure_ascii=False)
    bad = {
        good: "the id 1 again",
        "no json": "no JSON",
        '{"id": "\\ud800", "text": "x"}': "half a character",
        "[" * 100_000: "nested too deeply",
        '{"id": 2}': "no text",
        '{"id": true, "text": "x"}': "no id",
        "[1]": "no JSON object",
    }
    gbk = '{"id": 3, "text": "求导数"}\n'.encode("gbk")
    data = b"\xef\xbb\xbf" + "\n".join([good, "", *bad, ""]).encode() + gbk
    assert classify(data, "--json") == 3
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["filed"], told["refused"]) == (9, 1, 8)
    reasons = [row["reason"] for row in told["bad_rows"]]
    assert all(part in reason for part, reason in zip(bad.values(), reasons, strict=False))
    assert "no UTF-8" in reasons[-1]
    assert [row["id"] for row in written()] == [1] and written()[0]["discipline"] == "理学"


def test_nothing_to_file_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert classify(b"") == 0 and written() == []
    assert "0 questions" in capsys.readouterr().err
    assert classify(b"x\n") == 1


def test_a_paper_field_that_no_row_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": 1, "text": MATRIX, "source": "a"}, {"id": 2, "text": LIMIT, "source": "a"}]
    assert classify(rows, "--paper", "sauce") == 2
    assert "No row has the field sauce" in capsys.readouterr().err
    assert not Path("out.jsonl").exists()
    assert classify([*rows, {"id": 3, "text": LIMIT}], "--paper", "source", "--json") == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["alone"] == 1 and "1 row without source" in told.err
    one, other, _ = written()
    assert one["discipline_confidence"] == other["discipline_confidence"]


def test_a_row_of_any_length_is_filed() -> None:
    rows = [{"id": 1, "text": MATRIX * 500_000}, {"id": 2, "text": "a" * 5_000_000}]
    assert classify(rows) == 0
    assert [row["discipline"] for row in written()] == ["理学", None]


def test_rows_come_from_standard_input_and_go_to_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = json.dumps({"id": "甲", "text": MATRIX}, ensure_ascii=False).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(row)))
    assert run(lambda: app(["classify", "-", "--out", "-"], standalone_mode=False)) == 0
    told, said = capsys.readouterr()
    assert json.loads(told)["id"] == "甲" and "1 question on standard output" in said
