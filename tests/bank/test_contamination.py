"""Finding the questions of a bank in other people's text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bank.dedup.contamination import Searcher, read_lines
from schemas.errors import UsageError
from schemas.settings import DedupSettings
from tests.bank.makers import paper

ROWS = [
    {**q.model_dump(include={"prompt", "printed", "material"}), "question_id": f"q{n:02}"}
    for n, q in enumerate(paper("p.pdf", 60))
] + [{"question_id": "short", "prompt": "何谓熵？", "printed": "何谓熵？", "material": ""}]
FILL = "这一段是课本里的文字，讲的是与考题没有关系的事情，读来平平无奇。\n"


def found(folder: Path, name: str, text: str, *fields: str) -> list[tuple[str, int, str]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    searcher = Searcher(ROWS, DedupSettings())
    result = searcher.search(read_lines(path, fields))
    assert (result.questions, result.short) == (60, 1)
    return [(hit.question_id, hit.line, hit.how) for hit in result.hits]


def test_a_question_in_a_book_is_found_at_its_line_whatever_the_layout(tmp_path: Path) -> None:
    wanted = ROWS[7]["prompt"]
    broken = f"12. {wanted[:6]}\n  {wanted[6:]}\n"
    text = FILL * 1500 + broken + FILL * 1500
    assert found(tmp_path, "book.txt", text) == [("q07", 1501, "verbatim")]


def test_a_rewording_is_near_and_another_question_is_nothing(tmp_path: Path) -> None:
    wanted = ROWS[0]["prompt"]
    near = wanted.replace("简述", "试述").replace("生活里", "生活中")
    assert near != wanted
    assert found(tmp_path, "near.txt", FILL + near + "\n" + FILL) == [("q00", 2, "near")]
    assert found(tmp_path, "other.txt", FILL + "简述板块运动的主要过程，并举三个地震带里的例子。\n") == []


def test_rows_are_searched_one_by_one_and_by_field(tmp_path: Path) -> None:
    wanted = ROWS[3]["prompt"]
    rows = [
        {"text": "x", "meta": {"from": wanted}},
        {"text": wanted, "n": 3},
        {"text": [wanted[:7]]},
        {"text": wanted[7:]},
    ]
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    assert found(tmp_path, "rows.jsonl", text) == [("q03", 1, "verbatim"), ("q03", 2, "verbatim")]
    assert found(tmp_path, "rows.jsonl", text, "text") == [("q03", 2, "verbatim")]


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        list(read_lines(tmp_path / "none.txt"))
    (tmp_path / "bad.jsonl").write_text('{"a": 1}\nno\n', encoding="utf-8")
    with pytest.raises(UsageError, match="line 2"):
        list(read_lines(tmp_path / "bad.jsonl"))


def test_an_empty_bank_and_an_empty_corpus_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    assert Searcher([], DedupSettings()).search(read_lines(tmp_path / "empty.txt")).hits == ()
    assert Searcher(ROWS, DedupSettings()).search([]).lines == 0
