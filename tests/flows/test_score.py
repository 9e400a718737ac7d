"""score-extraction: the forms of gold it takes, the figures it prints, and how it refuses what is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flowkit import exambank

QUESTIONS = [
    ("1", "已知$x^{2}+\\frac{1}{2}=1$，求$x$的值。", "$\\pm\\frac{1}{\\sqrt{2}}$", "calculation", 10),
    ("2", "简述计划工作的程序及其主要步骤。", "估量机会、确定目标、拟定方案。", "short_answer", 5),
    ("3", "简述有效控制的基本要求与原则。", "适时控制、适度控制、客观控制。", "short_answer", None),
    ("4", "论述管理的二重性及其现实意义。", None, "essay", 20),
]


def rows(**changes: dict[str, Any]) -> list[dict[str, Any]]:
    """The questions as rows; changes by number: {'n1': {...}}."""
    out = []
    for number, question, answer, form, points in QUESTIONS:
        row = {"number": number, "section": "", "question": question, "answer": answer}
        out.append({**row, "type": form, "score": points, **changes.get(f"n{number}", {})})
    return out


def write(path: Path, lines: list[dict[str, Any]], source: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    told = [{**line, "source": source} if source else line for line in lines]
    path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in told), encoding="utf-8")
    return path


def figures(gold: Path, predicted: Path, *more: str | Path) -> dict[str, Any]:
    done = exambank("score-extraction", gold, predicted, *more, "--json")
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def test_gold_against_itself_is_perfect_in_either_form(tmp_path: Path) -> None:
    write(tmp_path / "gold" / "甲.pdf.jsonl", rows())
    one = write(tmp_path / "one.jsonl", rows(), "甲.pdf")
    counts = tmp_path / "counts.tsv"
    counts.write_text("file\texpected_questions\texpected_exact\n甲.pdf\t4\texact\n乙.pdf\t3\tapprox\n")
    for gold in (tmp_path / "gold", one):
        data = figures(gold, one, "--counts", counts)
        every = data["all"]
        assert {
            every[name] for name in ("P", "R", "F1", "text", "strict", "answer", "type", "score", "order")
        } == {1.0}
        assert every["formula_loss"] == every["built_loss"] == 0.0
        assert every["answers"] == {
            "right": 3,
            "wrong_question": 0,
            "differs": 0,
            "missing": 0,
            "invented": 0,
        }
        assert data["count_within_10pct"] == "1/1"
    assert "mean F1" in exambank("score-extraction", one, one).stdout


def test_each_fault_shows_in_its_own_figure(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold" / "甲.pdf.jsonl", rows())
    found = rows(
        n1={"question": "已知x2+12=1，求x的值。", "answer": None, "score": 9},
        n2={"answer": QUESTIONS[2][2], "type": "essay"},
        n3={"answer": "完全是另外的一段话，与此无关"},
        n4={"answer": "管理既有自然属性又有社会属性"},
    )
    predicted = write(tmp_path / "p.jsonl", [found[0], found[2], found[1], found[3]], "folder/甲.pdf")
    every = figures(gold.parent, predicted)["all"]
    assert every["answers"] == {"right": 0, "wrong_question": 1, "differs": 1, "missing": 1, "invented": 1}
    assert every["answer"] == 0.0
    assert every["type"] == 0.75
    assert every["score"] == pytest.approx(2 / 3, abs=1e-4)
    assert every["order"] == pytest.approx(2 / 3, abs=1e-4)
    assert every["formula_loss"] == 0.5  # the built one is lost, x is there
    assert every["built_loss"] == 1.0
    assert every["text"] == 1.0
    assert every["strict"] < 1.0


def test_merged_and_missing_questions_cost_both_sides(tmp_path: Path) -> None:
    gold = write(tmp_path / "甲.pdf.jsonl", rows())
    merged = [*rows()[:1], {**rows()[1], "question": "".join(row[1] for row in QUESTIONS[1:])}]
    data = figures(gold, write(tmp_path / "p.jsonl", merged, "甲.pdf"))
    assert (data["all"]["P"], data["all"]["R"]) == (0.5, 0.25)
    assert data["all"]["answers"]["missing"] == 2
    assert data["all"]["formula_loss"] == 0.0


def test_documents_not_extracted_count_and_are_named(tmp_path: Path) -> None:
    write(tmp_path / "gold" / "甲.pdf.jsonl", rows())
    write(tmp_path / "gold" / "乙.pdf.jsonl", rows())
    predicted = write(tmp_path / "p.jsonl", rows(), "甲.pdf")
    done = exambank("score-extraction", tmp_path / "gold", predicted, "--json")
    data = json.loads(done.stdout)
    assert "乙.pdf" in done.stderr
    assert data["macro_F1"] == 0.5
    assert data["all"]["R"] == 0.5


@pytest.mark.parametrize(
    ("gold", "predicted", "word"),
    [
        ("none", "{}", "no_path"),
        ("folder", "{}", "no_gold"),
        ('{"number": "1"}', "", "bad_gold"),
        ("not json", "", "bad_line"),
        ('{"question": "问"}', '{"question": "问"}', "no_source"),
    ],
)
def test_what_is_no_gold_is_refused(gold: str, predicted: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "gold"
    if gold == "folder":
        path.mkdir()
    elif gold != "none":
        path.write_text(gold, encoding="utf-8")
    (tmp_path / "p.jsonl").write_text(predicted, encoding="utf-8")
    done = exambank("score-extraction", path, tmp_path / "p.jsonl")
    assert done.returncode == 2, done.stderr
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_gold_without_types_has_no_figure_for_them(tmp_path: Path) -> None:
    bare = [{"question": row["question"]} for row in rows()]
    gold, found = write(tmp_path / "g.jsonl", bare, "甲.pdf"), write(tmp_path / "p.jsonl", rows(), "甲.pdf")
    assert figures(gold, found)["all"]["type"] is None
    (tmp_path / "甲.docx").write_bytes(b"PK\x03\x04\xff\xfe")
    done = exambank("score-extraction", gold, tmp_path / "甲.docx")
    assert (done.returncode, "no_json_lines" in done.stderr) == (2, True)
