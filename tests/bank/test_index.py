"""The index on disk: found by it alone, never trusted when it does not fit, never a reason to lose anything."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bank.dedup.index import NearIndex
from bank.store import Bank
from schemas.question import Question
from schemas.settings import DedupSettings
from tests.bank.makers import paper, question

NOW = "2026-01-01T00:00:00Z"
KEY = bytes(range(32))
ROOT = Path(__file__).parents[2]


def add(bank: Bank, questions: list[Question], batch: str = "b") -> dict[str, str]:
    """source + number -> status of what was added."""
    report = bank.add(questions, batch=batch, who="a", why="b", now=NOW)
    return {f"{q.source} {q.number}": o.status.value for q, o in zip(questions, report.outcomes, strict=True)}


def rows(texts: Sequence[str], start: int = 0) -> list[dict[str, Any]]:
    return [
        {"question_id": f"q{n:06}", "prompt": t, "printed": t, "material": ""}
        for n, t in enumerate(texts, start=start)
    ]


def manifest(bank: Bank) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((bank.path / "index" / "near.json").read_text())
    return data


def invented(size: int, seed: int) -> list[str]:
    signs = np.random.default_rng(seed).integers(0x4E00, 0x9FA5, size=(size, 20))
    return ["".join(map(chr, row)) for row in signs]


def test_a_batch_reads_no_texts_of_the_bank_but_those_it_meets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = Bank.create(tmp_path / "bank", KEY)
    add(bank, [*paper("a.pdf", 10), *(question(t, source="z.pdf") for t in invented(100, 3))])
    read: list[int] = []
    table = Bank.table

    def watched(self: Bank, *args: Any, **kwargs: Any) -> Any:
        found = table(self, *args, **kwargs)
        if "prompt" in found.schema.names:
            read.append(found.num_rows)
        return found

    monkeypatch.setattr(Bank, "table", watched)
    said = add(
        bank, [*paper("b.pdf", 1, 7), question("简述一九九八年长江洪水的成因和影响范围。", source="c.pdf")]
    )
    assert list(said.values()) == ["duplicate", "active"]
    assert sum(read) < 20


def test_the_index_belongs_to_the_version_and_follows_changes_that_touch_no_text(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", KEY)
    add(bank, paper("a.pdf"))
    assert manifest(bank)["made"]["version"] == bank.version == 1
    name = bank.read()[0].question_id
    bank.amend({name: {"reviewer": "somebody"}}, seen=1, who="a", why="b", now=NOW)
    assert manifest(bank)["made"]["version"] == bank.version == 2
    add(bank, paper("b.pdf", 30))
    assert manifest(bank)["made"]["version"] == 3


def spoil_byte(folder: Path) -> None:
    path = next(folder.glob("*.npz"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def drop_file(folder: Path) -> None:
    next(folder.glob("*.npz")).unlink()


def drop_manifest(folder: Path) -> None:
    (folder / "near.json").unlink()


def cut_manifest(folder: Path) -> None:
    path = folder / "near.json"
    path.write_text(path.read_text()[:40])


def other_version(folder: Path) -> None:
    path = folder / "near.json"
    path.write_text(path.read_text().replace('"version": 1', '"version": 0'))


def other_code(folder: Path) -> None:
    data = json.loads((folder / "near.json").read_text())
    data["made"]["code"] = "older"
    (folder / "near.json").write_text(json.dumps(data))


@pytest.mark.parametrize(
    "harm", [spoil_byte, drop_file, drop_manifest, cut_manifest, other_version, other_code]
)
def test_an_index_that_does_not_fit_is_made_anew(tmp_path: Path, harm: Any) -> None:
    bank = Bank.create(tmp_path / "bank", KEY)
    add(bank, paper("a.pdf", 30))
    harm(bank.path / "index")
    said = add(bank, paper("b.pdf", 10, 5))
    assert set(said.values()) == {"duplicate"}
    index = NearIndex.load(bank.path / "index", str(bank.delta().metadata().id), 2)
    assert index is not None
    assert sum(len(s.ids) for s in index.segments) == 40


def test_a_kill_between_commit_and_index_loses_nothing(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", KEY)
    add(bank, paper("a.pdf", 10))
    command = [sys.executable, "-m", "tests.bank.adder", str(bank.path), "b.pdf", "10", "10", "index"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert (bank.version, len(bank.read())) == (2, 20)
    assert manifest(bank)["made"]["version"] == 1
    assert set(add(bank, paper("c.pdf", 20)).values()) == {"duplicate"}
    assert manifest(bank)["made"]["version"] == 3


def test_in_steps_or_at_once_the_same_is_found(tmp_path: Path) -> None:
    texts = invented(900, 1)
    texts += [f"某车间第{n}号机床每小时加工{n * 7 % 97}个零件，求{n}小时的产量。" for n in range(60)] + texts[
        :40
    ]
    every = rows(texts)
    whole, steps = NearIndex(), NearIndex()
    whole.add(every)
    for n in range(0, len(every), 90):
        steps.add(every[n : n + 90])
    assert len(steps.segments) <= 5
    asked = [texts[n][:9] + "改" + texts[n][10:] for n in range(0, 900, 9)] + texts[895:965]
    new = rows(asked, start=5000)
    found = whole.near(new, DedupSettings())
    assert found == steps.near(new, DedupSettings())
    assert all(f"q{n * 9:06}" in found[f"q{5000 + n:06}"] for n in range(100))
    steps.save(tmp_path / "index", "t", 4)
    loaded = NearIndex.load(tmp_path / "index", "t", 4)
    assert loaded is not None
    assert loaded.near(new, DedupSettings()) == found
    assert NearIndex.load(tmp_path / "index", "t", 5) is None
    assert NearIndex.load(tmp_path / "index", "u", 4) is None


def test_many_copies_of_one_text_do_not_hide_it(tmp_path: Path) -> None:
    index = NearIndex()
    index.add(rows(["请默写并翻译下面的句子，再说明其中的修辞手法。"] * 400 + invented(50, 2)))
    (found,) = index.near(
        rows(["请默写和翻译下面的句子，再说明其中的修辞手法"], 9000), DedupSettings()
    ).values()
    assert found[0] == "q000000"
    assert len(found) < 20


def test_an_empty_index_finds_nothing() -> None:
    index = NearIndex()
    assert index.near(rows(["甲乙丙丁"]), DedupSettings()) == {"q000000": []}
    index.add([])
    index.add(rows(["", "。"]))
    assert index.near(rows(["", "甲"], 5), DedupSettings())["q000006"] == []
