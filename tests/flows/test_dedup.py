"""The commands that find the same question twice, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from daskkit import cluster

from bank.store import Bank
from flows.cli import main
from tests.bank.makers import paper, question

KEY = bytes(range(32))
STEM = "简述冒泡排序算法的基本思想和主要步骤。"


def call(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in arguments])
    return int(str(ended.value.code)), capsys.readouterr().out


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    made = Bank.create(tmp_path / "bank", KEY)
    answers = {"a.pdf": None, "b.pdf": "<script>alert(1)</script>相邻元素两两比较，逆序则交换。"}
    for n, (source, answer) in enumerate(answers.items()):
        items = [question(STEM, source=source, reference_answer=answer), *paper(source, 5, n * 5)]
        made.add(items, batch=source, who="a", why="b", now=f"2026-01-0{n + 1}T00:00:00Z")
    return made


def test_dedup_reports_applies_once_and_is_undone(
    bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--bank", bank.path)
    page, report = tmp_path / "d.html", tmp_path / "d.json"
    code, text = call(capsys, "dedup", "--dry-run", "--html", page, "--out", report, "--json", *where)
    told = json.loads(text)
    assert (code, told["duplicates"], told["applied"], bank.version) == (0, 1, False, 2)
    (cluster,) = json.loads(report.read_text(encoding="utf-8"))["clusters"]
    assert cluster["keeper"]["source"] == "b.pdf"
    html = page.read_text(encoding="utf-8")
    assert cluster["cluster_id"] in html
    assert "<script>" not in html
    assert "://" not in html
    code, _ = call(capsys, "dedup", "--why", "tidy", *where)
    assert (code, bank.version) == (0, 3)
    call(capsys, "dedup", *where)
    assert bank.version == 3
    code, _ = call(capsys, "dedup", "--undo", cluster["cluster_id"], *where)
    assert (code, bank.version) == (0, 4)
    assert {q.status.value for q in bank.read()} == {"active"}
    assert call(capsys, "dedup", "--undo", "qnone", *where)[0] == 2


def test_a_dask_cluster_finds_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = Bank.create(tmp_path / "bank", KEY)
    items = [
        *paper("a.pdf", 60),
        *(
            q.model_copy(update={"prompt": f"3. {q.prompt}", "printed": f"3. {q.prompt}（5分）"})
            for q in paper("b.pdf", 40, 10)
        ),
    ]
    made.add(items, batch="b", who="a", why="b", now="2026-01-01T00:00:00Z", settle_duplicates=False)
    where = ("dedup", "--dry-run", "--json", "--bank", made.path)
    _, alone = call(capsys, *where)
    with cluster(tmp_path, workers=2) as address:
        code, shared = call(capsys, *where, "--runner", "dask", "--address", address)
    assert code == 0
    assert json.loads(shared) == json.loads(alone)
    assert json.loads(alone)["duplicates"] == 40
    assert call(capsys, *where, "--runner", "threads", "--address", address)[0] == 2


def test_compare_writes_a_line_a_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    rows = [
        {"id": 1, "a": STEM, "b": "3. " + STEM.replace("简述", "试述")},
        {"id": "two", "a": STEM, "b": STEM.replace("冒泡", "快速")},
    ]
    pairs.write_text("\n".join(json.dumps(r, ensure_ascii=False) for r in rows), encoding="utf-8")
    code, text = call(capsys, "compare", pairs, "--out", out, "--json")
    assert code == 0
    assert json.loads(text)["pairs"] == 2
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(r["id"], r["verdict"]) for r in found] == [(1, "duplicate"), ("two", "different")]
    assert all(0 <= r["score"] <= 1 and r["evidence"] for r in found)
    pairs.write_text('{"id": 1, "a": "x"}\n', encoding="utf-8")
    assert call(capsys, "compare", pairs, "--out", out)[0] == 2


def test_contamination_names_question_and_place(
    bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, out = tmp_path / "corpus.txt", tmp_path / "hits.jsonl"
    corpus.write_text(f"前言\n\n题目：{STEM}\n", encoding="utf-8")
    code, text = call(capsys, "contamination", corpus, "--bank", bank.path, "--out", out, "--json")
    told = json.loads(text)
    assert (code, told["verbatim"], told["near"]) == (0, 1, 0)
    (hit,) = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert (hit["line"], hit["how"]) == (3, "verbatim")
    assert bank.get(hit["question_id"]).prompt == STEM
    assert (
        json.loads(call(capsys, "contamination", corpus, "--all", "--bank", bank.path, "--json")[1])[
            "verbatim"
        ]
        == 2
    )
