"""Deciding the duplicates of a whole bank anew, applying it, and taking it back."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bank.dedup.items import COLUMNS, answers_conflict
from bank.dedup.pool import processes
from bank.dedup.whole import Plan, apart, regroup
from bank.store import Bank
from bank.versions import history
from schemas.errors import BankError, UsageError
from schemas.question import Question, Status
from schemas.settings import DedupSettings
from tests.bank.makers import paper, question

NOW = "2026-01-01T00:00:00Z"
KEY = bytes(range(32))
STEM = "简述冒泡排序算法的基本思想和主要步骤。"


def bank_of(folder: Path, *batches: list[Question]) -> Bank:
    bank = Bank.create(folder, KEY)
    for n, batch in enumerate(batches):
        bank.add(batch, batch=f"b{n}", who="a curator", why="a test", now=f"2026-01-0{n + 1}T00:00:00Z")
    return bank


def plan_of(bank: Bank) -> Plan:
    return regroup(bank.table(COLUMNS).to_pylist(), DedupSettings())


def apply(bank: Bank, plan: Plan) -> int:
    return bank.amend(plan.changes, seen=bank.version, who="a curator", why="dedup", now=NOW)


def said(bank: Bank) -> dict[str, tuple[str, str, str]]:
    return {q.question_id: (q.status.value, q.duplicate_of, q.cluster_id) for q in bank.read()}


def copies() -> list[Question]:
    return [
        question(STEM, source="a.pdf"),
        question(STEM, source="b.pdf", reference_answer="相邻元素两两比较，逆序则交换，直到没有逆序为止。"),
        question(STEM.replace("简述", "试述"), source="c.pdf", reference_answer="相邻元素比较并交换。"),
    ]


def test_the_fullest_answer_is_kept_whatever_came_first(tmp_path: Path) -> None:
    a, b, c = copies()
    bank = bank_of(tmp_path / "bank", [a, *paper("p.pdf")], [b], [c])
    first = {q.source: q for q in bank.read()}
    assert first["a.pdf"].status is Status.ACTIVE  # what the bank has is not rewritten by a batch
    plan = plan_of(bank)
    (cluster,) = plan.clusters
    assert cluster.keeper.source == "b.pdf"
    before = bank.version
    assert apply(bank, plan) == before + 1
    found = {q.source: q for q in bank.read()}
    assert found["b.pdf"].status is Status.ACTIVE
    assert {found[s].duplicate_of for s in ("a.pdf", "c.pdf")} == {found["b.pdf"].question_id}
    assert plan_of(bank).changes == {}
    assert history(bank)[0].counts["changed"] == 3


def test_increments_then_dedup_equal_the_whole(tmp_path: Path) -> None:
    every = [*copies(), *paper("p.pdf", 40), *paper("q.pdf", 40, 20)]
    random.Random(1).shuffle(every)
    whole = bank_of(tmp_path / "whole", every)
    parts = bank_of(tmp_path / "parts", *[every[n::5] for n in range(5)])
    apply(whole, plan_of(whole))
    apply(parts, plan_of(parts))
    # The oldest is kept where all else is equal, and increments have other ages: the groups are the same.
    groups = []
    for bank in (whole, parts):
        sets: dict[str, set[str]] = {}
        for name, (_, _, cluster) in said(bank).items():
            sets.setdefault(cluster or name, set()).add(name)
        groups.append({frozenset(s) for s in sets.values()})
    assert groups[0] == groups[1]
    assert sum(len(group) > 1 for group in groups[0]) == 21


def test_the_plan_does_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    bank = bank_of(tmp_path / "bank", copies(), paper("p.pdf", 30), paper("q.pdf", 30, 10))
    rows = bank.table(COLUMNS).to_pylist()
    plans = []
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        plans.append(regroup(rows, DedupSettings()))
    assert plans[0] == plans[1] == plans[2]


def test_a_merge_is_undone_and_stays_undone(tmp_path: Path) -> None:
    bank = bank_of(tmp_path / "bank", copies())
    apply(bank, plan_of(bank))
    (cluster,) = plan_of(bank).clusters
    taken = cluster.members[0].question_id
    apply(bank, apart(bank.table(COLUMNS).to_pylist(), taken))
    assert said(bank)[taken] == ("active", "", "")
    assert len(plan_of(bank).clusters[0].members) == 1
    apply(bank, plan_of(bank))
    assert said(bank)[taken][0] == "active"
    apply(bank, apart(bank.table(COLUMNS).to_pylist(), cluster.cluster_id))
    assert {fields for fields in said(bank).values()} == {("active", "", "")}
    with pytest.raises(UsageError, match="merged under"):
        apart(bank.table(COLUMNS).to_pylist(), cluster.cluster_id)


def test_undoing_gives_back_the_reason_a_question_was_in_review(tmp_path: Path) -> None:
    a, b, _ = copies()
    a = a.model_copy(update={"status": Status.REVIEW, "status_reason": "label: unsure"})
    bank = bank_of(tmp_path / "bank", [b], [a])
    (cluster,) = plan_of(bank).clusters
    apply(bank, apart(bank.table(COLUMNS).to_pylist(), cluster.cluster_id))
    found = {q.source: q for q in bank.read()}["a.pdf"]
    assert (found.status, found.status_reason) == (Status.REVIEW, "label: unsure")


@pytest.mark.parametrize("status", [Status.REJECTED, Status.RETIRED])
def test_what_may_not_be_drawn_swallows_nothing(tmp_path: Path, status: Status) -> None:
    old, new, _ = copies()
    bank = bank_of(tmp_path / "bank", [old.model_copy(update={"status": status})], [new])
    found = {q.source: q for q in bank.read()}["b.pdf"]
    assert not found.duplicate_of
    if status is Status.REJECTED:
        assert found.status is Status.ACTIVE
    else:
        assert (found.status, found.status_reason[:12]) == (Status.REVIEW, "retired_copy")
    assert plan_of(bank).changes == {}


def test_answers_that_contradict_go_to_review(tmp_path: Path) -> None:
    text = "设函数在区间上连续，判断该函数在区间上必有最大值，并说明理由。"
    one, two = (question(text, source=s, reference_answer=a) for s, a in (("a", "对"), ("b", "错误")))
    bank = bank_of(tmp_path / "bank", [one], [two])
    newcomer = {q.source: q for q in bank.read()}["b"]
    assert newcomer.status is Status.REVIEW
    assert newcomer.status_reason.startswith("answers_conflict: ")
    plan = plan_of(bank)
    assert plan.clusters[0].conflict
    apply(bank, plan)
    assert sorted(s for s, _, _ in said(bank).values()) == ["duplicate", "review"]


def test_which_answers_contradict() -> None:
    assert answers_conflict("对", "×")
    assert answers_conflict("A", "答案：C".removeprefix("答案："))
    assert answers_conflict("12.5米", "13米")
    assert not answers_conflict("AB", "ba")
    assert not answers_conflict("相邻比较", "两两比较并交换相邻元素")
    assert not answers_conflict("", "错")


def test_changes_from_an_older_version_are_refused(tmp_path: Path) -> None:
    bank = bank_of(tmp_path / "bank", copies())
    plan, seen = plan_of(bank), bank.version
    bank.add(paper("p.pdf"), batch="more", who="a", why="b", now=NOW)
    with pytest.raises(BankError) as caught:
        bank.amend(plan.changes, seen=seen, who="a", why="b", now=NOW)
    assert caught.value.code == "bank_moved"


def test_neither_order_nor_workers_nor_the_way_of_joining_change_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = [
        question(f"{n}、{q.prompt.replace('的', '')}（5分）", source="q.pdf", draft=f"q{n}")
        for n, q in enumerate(paper("p.pdf", 60))
    ]
    family = [
        question(
            f"某车间第{n}号机床每小时加工{n * 7 % 97}个零件，求{n}小时的产量。", source="f.pdf", draft=f"f{n}"
        )
        for n in range(20, 60)
    ]
    bank = bank_of(tmp_path / "bank", [*copies(), *paper("p.pdf", 60), *noisy, *family, *family[:5]])
    table = bank.table(COLUMNS)
    plan = regroup(table.to_pylist(), DedupSettings())
    assert plan.merges > 50
    monkeypatch.setattr("bank.dedup.join.COMPILED_FROM", 0)
    monkeypatch.setattr("bank.dedup.pool._FROM", 0)
    order = random.Random(1).sample(range(table.num_rows), table.num_rows)
    assert regroup(table.take(order), DedupSettings()) == plan
    with processes(2, table.num_rows) as pool:
        assert regroup(table.take(order[::-1]), DedupSettings(), pool=pool, threads=4) == plan
        assert regroup(table, DedupSettings(), pool=pool, threads=2, shards=pool) == plan
