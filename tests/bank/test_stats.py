"""Counts of a bank: what it holds, what is lacking, how many papers it gives, how it grew."""

from __future__ import annotations

from pathlib import Path

from bank.draw import Request
from bank.stats import Growth, stats
from bank.store import Bank
from schemas.taxonomy import taxonomy
from tests.bank.makers import paper, question

PAPER = Request(seed=0, per_stratum=2, filters={"discipline": ("d01", "d02", "d05")})


def test_what_a_bank_holds_and_lacks(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank")
    assert stats(bank, PAPER).papers == {"d01": 0, "d02": 0, "d05": 0}
    filed = [
        q.model_copy(update={"sub_discipline": "d0201"}) for q in paper("a.pdf", 20) if q.discipline == "d02"
    ]
    others = [q for q in paper("a.pdf", 20) if q.discipline != "d02"]
    bank.add([*filed, *others], batch="first", who="Li", why="", now="2026-01-01T00:00:00+00:00")
    bare = question("试述细胞骨架的组成和功能，并画出示意图。", source="b.pdf", discipline="d01")
    doubt = question(
        "某处看不清的题目说的是什么呢？", source="b.pdf", status="review", status_reason="truncated: x"
    )
    bank.add([bare, doubt], batch="second", who="Li", why="", now="2026-01-02T00:00:00+00:00")

    found = stats(bank, PAPER, target=6)
    assert (found.items, found.answered, found.status) == (22, 20, {"active": 21, "review": 1})
    assert found.types["d01"] == {"short_answer": 6}
    assert found.unanswered_by_discipline == {"d01": 1}
    assert found.papers == {"d01": 2, "d02": 2, "d05": 0}
    assert found.review_reasons == {"truncated": 1}
    assert found.below_target["d0201"] == 5
    assert len(found.below_target) == len(taxonomy().sub_disciplines)
    assert "d0201" not in stats(bank, PAPER, target=5).below_target
    assert found.growth == (
        Growth(batch="first", at="2026-01-01T00:00:00+00:00", versions=1, added=20),
        Growth(batch="second", at="2026-01-02T00:00:00+00:00", versions=1, added=2),
    )
    earlier = stats(bank, PAPER, version=1)
    assert (earlier.items, len(earlier.growth)) == (20, 1)
