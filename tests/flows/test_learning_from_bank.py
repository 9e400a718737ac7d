"""`train` and `reclassify` on a bank: from reviewed questions to a file, and never over a surer label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bank.store import Bank
from flows.cli import app, run
from tests.bank.makers import question

BY = {"who": "a curator", "why": "a test", "now": "2026-01-01T00:00:00Z"}
WORDS = ["揉鼓浴", "浸碱槽", "削匀刃", "粒纹层", "松纹面", "起绒轮", "片坯机", "伸幅架", "填脂乳", "涂浆辊"]


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.chdir(tmp_path)
    made = Bank.create(tmp_path / "bank")
    known = [
        question(f"简述{one}与{other}的关系。", source=f"{one}{other}.pdf", discipline="d08", sub_discipline="d0817",
                 label_confidence=1.0, label_method="reviewer", reviewer="li", draft=f"{one}{other}")
        for one in WORDS for other in WORDS if one < other
    ]  # fmt: skip
    fields = {"sub_discipline": "", "label_confidence": 0.3, "label_method": "text:矩阵"}
    unsure = question(
        "求矩阵的特征值与特征向量，并判断能否对角化。", source="a.pdf", discipline="d02", draft="a", **fields
    )
    sure = question("求行列式与逆矩阵的值，并解线性方程组。", source="b.pdf", discipline="d02", draft="b",
                    label_confidence=0.99, label_method="title:经济数学")  # fmt: skip
    given = question("什么是线性空间的基与维数，试证明之？", source="c.pdf", discipline="d02", draft="c",
                     label_confidence=0.2, label_method="reviewer", reviewer="li")  # fmt: skip
    made.add([*known, unsure, sure, given], batch="one", settle_duplicates=False, **BY)
    return made


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run(lambda: app([*arguments, "--bank", "bank", "--json"], standalone_mode=False)) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_bank_teaches_and_is_filed_anew(bank: Bank, capsys: pytest.CaptureFixture[str]) -> None:
    learned = told(capsys, "train", "--out", "m.npz")
    assert learned["bank_version"] == bank.version and learned["items"] == 46
    assert "d0817" in learned["held_out"]  # type: ignore[operator]
    shown = told(capsys, "reclassify", "--model", "m.npz", "--dry-run")
    (label,) = shown["labels"]  # type: ignore[misc]
    assert (label["from"]["discipline"], label["to"]["sub_discipline"]) == ("d02", "d0701")
    assert Bank.open(bank.path).version == bank.version
    assert told(capsys, "reclassify", "--model", "m.npz")["changed"] == 1
    after = {q.source: q for q in Bank.open(bank.path).read()}
    assert after["a.pdf"].discipline == "d07" and after["a.pdf"].label_method == "reclassified: learned"
    assert after["b.pdf"].discipline == after["c.pdf"].discipline == "d02"
    assert told(capsys, "reclassify", "--model", "m.npz")["changed"] == 0


def test_ingest_refuses_a_model_that_is_none_before_it_reads(
    bank: Bank, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "exambank.toml").write_text('[classify]\nmodel = "none.npz"\n')
    (tmp_path / "paper.txt").write_text("1. 什么是熵？")
    assert (
        run(lambda: app(["ingest", "paper.txt", "--batch", "x", "--bank", "bank"], standalone_mode=False))
        == 1
    )
    told = capsys.readouterr().err
    assert "none.npz cannot be used" in told and "paper.txt" not in told


@pytest.mark.parametrize("seed", ["-1", str(2**32)])
def test_a_seed_that_no_fit_takes_is_refused(
    bank: Bank, seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", "--out", "m.npz", "--seed", seed, "--bank", "bank"]
    assert run(lambda: app(arguments, standalone_mode=False)) == 2
    assert "--seed" in capsys.readouterr().err and not Path("m.npz").exists()
