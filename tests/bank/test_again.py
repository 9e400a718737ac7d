"""A file read again by a newer reader: rows keep their ids, reviewers their decisions, nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bank.amend import Action, Change, apply
from bank.check import check
from bank.store import AddReport, Bank
from bank.versions import history
from schemas.question import Question, Region, Status
from tests.bank.makers import question, sha

NOW, LATER = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
OLD, NEW = {"extract": "1", "dedup": "1"}, {"extract": "2", "dedup": "1"}
TEXTS = ["什么是熵增原理？", "简述货币政策的三大工具。", "证明素数有无穷多个。", "试论唐代诗歌的分期。"]


def box(place: int, page: int = 1) -> tuple[Region, ...]:
    return (Region(page=page, box=(50, 100 + 60 * place, 500, 150 + 60 * place)),)


def item(text: str, place: int, **fields: Any) -> Question:
    data: dict[str, Any] = {
        "number": str(place + 1), "regions": box(place), "draft": f"{place}{text}", "source": "p.pdf",
        "reference_answer": f"答案{place}", "answer_source": "p.pdf: marked", "discipline": "d01",
        "label_confidence": 0.8,
    }  # fmt: skip
    return question(text, **{**data, **fields})


def paper(**changes: Question) -> list[Question]:
    return [changes.get(f"n{place}", item(text, place)) for place, text in enumerate(TEXTS)]


def add(bank: Bank, given: Sequence[Question], versions: dict[str, str] = OLD, at: str = NOW) -> AddReport:
    return bank.add(given, batch=at[:7], who="w", why="y", now=at, stage_versions=versions)


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    made = Bank.create(tmp_path / "b")
    made.sources.put(sha("p.pdf"), b"p.pdf")
    add(made, paper())
    return made


def by_number(bank: Bank) -> dict[str, Question]:
    return {q.number: q for q in bank.read()}


def test_a_better_reading_amends_the_row_and_keeps_its_id(bank: Bank) -> None:
    before = by_number(bank)
    better = item("什么是熵增加原理？请举例。", 0, regions=box(0), reference_answer="完整的答案")
    report = add(bank, paper(n0=better), NEW, LATER)
    assert (report.added, report.amended, report.already, report.committed) == (0, 1, 3, True)
    assert report.outcomes[0].question_id == before["1"].question_id
    assert report.outcomes[0].outcome == "amended"
    after = by_number(bank)
    assert len(after) == 4
    one = after["1"]
    assert (one.question_id, one.original_id) == (before["1"].question_id, before["1"].original_id)
    assert (one.prompt, one.reference_answer, one.revision) == (better.prompt, "完整的答案", 2)
    assert (one.created_at, one.updated_at, one.batch) == (NOW, LATER, "2026-01")
    assert after["2"] == before["2"]
    assert history(bank, 1)[0].counts["amended"] == 1
    assert check(bank).problems == ()
    again = add(bank, paper(n0=better), NEW, LATER)
    assert (again.committed, again.already, again.version) == (False, 4, 2)
    copy = add(bank, [item(better.prompt, 0, source="q.pdf")], NEW, LATER)
    assert copy.outcomes[0].duplicate_of == one.question_id


def test_the_same_reader_changes_nothing_and_adds_what_is_new(bank: Bank) -> None:
    other = item("另外一道完全不同的题目，讲的是法律。", 0)
    report = add(bank, [*paper(), other], OLD, LATER)
    assert (report.added, report.amended, report.already) == (1, 0, 4)
    assert bank.version == 2


def test_rows_without_a_reader_are_told_by_their_ids_alone(bank: Bank) -> None:
    given = [item("什么是熵增加原理？", 0, stage_versions=NEW)]
    report = bank.add(given, batch="rows", who="w", why="y", now=LATER)
    assert (report.added, report.amended) == (1, 0)
    assert all(q.status is Status.ACTIVE for q in by_number(bank).values() if q.number != "1")


def test_word_files_are_matched_by_section_and_number(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "w")
    regions = (Region(page=1),)
    given = [item(t, n, section="一、简答题", regions=regions) for n, t in enumerate(TEXTS)]
    add(bank, given)
    ids = {q.number: q.question_id for q in bank.read()}
    garbled = item("证明秦数有元穷多", 2, section="一、简答题", regions=regions)
    another = item("x²+y²=1 表示什么图形", 1, section="一、简答题", regions=regions)
    elsewhere = item("第二部分的第一题", 0, section="二、论述题", regions=regions)
    report = add(bank, [given[0], another, garbled, given[3], elsewhere], NEW, LATER)
    assert (report.amended, report.added) == (2, 2)
    assert bank.get(ids["3"]).prompt == garbled.prompt
    # An id never comes to mean another question, even one of the same number.
    assert bank.get(ids["2"]).prompt == TEXTS[1]
    assert bank.get(ids["2"]).status_reason.startswith("not_read_again")


def test_siblings_find_their_own_rows_and_new_ones_join_them(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "s")
    printed = "下列说法正确的是"

    def sibling(text: str) -> Question:
        return item(text, 0, printed=printed, draft="one", question_type="true_false")

    olds = ["熵总是增加，这个说法对吗？", "热量可以全部变成功，这个说法对吗？"]
    add(bank, [sibling(text) for text in olds])
    before = {q.prompt: q for q in bank.read()}
    news = [
        "热量可以全都变成功，这个说法对吗？",
        "熵总是增加的，这个说法对吗？",
        "温度是标量，这个说法对吗？",
    ]
    printed = "下列说法正确的是："
    report = add(bank, [sibling(text) for text in news], NEW, LATER)
    assert (report.amended, report.added) == (2, 1)
    assert bank.get(before[olds[0]].question_id).prompt == news[1]
    assert bank.get(before[olds[1]].question_id).prompt == news[0]
    assert len({q.original_id for q in bank.read()}) == 1


def test_a_reviewers_decision_is_never_overwritten(bank: Bank) -> None:
    before = by_number(bank)
    told = [
        Change(
            question_id=before["1"].question_id,
            action=Action.EDIT,
            fields={"prompt": "审过的题目"},
            reason="r",
        ),
        Change(question_id=before["2"].question_id, action=Action.APPROVE),
        Change(question_id=before["3"].question_id, action=Action.REJECT, reason="r"),
        Change(question_id=before["4"].question_id, action=Action.RETIRE, reason="r"),
    ]
    apply(bank, told, who="anna", why="review", at=NOW)
    assert add(bank, paper(), NEW, LATER).committed is False  # it reads as it did before the edit
    other = {f"n{n}": item(f"{text}（新读）", n) for n, text in enumerate(TEXTS)}
    report = add(bank, paper(**other), NEW, LATER)
    assert (report.amended, report.added, report.already) == (2, 0, 2)
    after = by_number(bank)
    assert after["1"].prompt == "审过的题目"
    assert after["2"].prompt == TEXTS[1]
    for number in ("1", "2"):
        assert after[number].status is Status.REVIEW
        assert after[number].status_reason == "read_otherwise: a newer reading differs in prompt"
        assert json.loads(after[number].evidence["reread"])["prompt"].endswith("（新读）")
    assert (after["3"].status, after["4"].status) == (Status.REJECTED, Status.RETIRED)
    assert {after[n].prompt for n in "34"} == set(TEXTS[2:])
    approve = Change(question_id=after["2"].question_id, action=Action.APPROVE)
    apply(bank, [approve], who="anna", why="it was right", at=LATER)
    assert "reread" not in bank.get(after["2"].question_id).evidence
    newest = {"extract": "3"}
    assert add(bank, paper(**other), newest, LATER).committed is False  # it was looked at


def test_an_answer_from_a_key_is_kept_when_the_key_is_not_read_this_time(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "k")
    add(bank, [item(TEXTS[0], 0, answer_source="key.pdf: number"), item(TEXTS[1], 1)])
    again = [item(t, n, reference_answer=None, answer_source="", points=5.0) for n, t in enumerate(TEXTS[:2])]
    report = add(bank, again, NEW, LATER)
    assert report.amended == 2
    after = by_number(bank)
    assert (after["1"].reference_answer, after["1"].answer_source) == ("答案0", "key.pdf: number")
    assert after["2"].reference_answer is None
    assert after["1"].points == 5.0
    assert check(bank, deep=True).problems[0].code == "sources_missing"


def test_a_surer_label_is_taken_and_the_row_moves(bank: Bank) -> None:
    sure = item(TEXTS[0], 0, discipline="d02", label_confidence=0.9)
    unsure = item(TEXTS[1], 1, discipline="d03", label_confidence=0.3, points=2.0)
    add(bank, paper(n0=sure, n1=unsure), NEW, LATER)
    after = by_number(bank)
    assert (after["1"].discipline, after["2"].discipline, after["2"].points) == ("d02", "d01", 2.0)
    assert len(bank.read()) == 4


def test_what_a_newer_reading_does_not_find_goes_to_review(bank: Bank) -> None:
    merged = item(TEXTS[2] + TEXTS[3], 2, regions=(*box(2), *box(3)))
    report = add(bank, [*paper()[:2], merged], NEW, LATER)
    after = by_number(bank)
    assert after["3"].prompt == merged.prompt
    assert after["4"].status is Status.REVIEW
    assert after["4"].status_reason.startswith("not_read_again")
    assert report.amended == 2


def test_duplicates_keep_their_keeper_when_they_are_read_again(bank: Bank) -> None:
    copy = item(TEXTS[0], 0, source="q.pdf")
    add(bank, [copy])
    better = item(TEXTS[0] + "（5分）", 0, source="q.pdf", points=5.0)
    report = add(bank, [better], NEW, LATER)
    (row,) = [q for q in bank.read() if q.source == "q.pdf"]
    assert report.amended == 1
    assert (row.status, row.points) == (Status.DUPLICATE, 5.0)
    assert (
        row.duplicate_of
        == next(q for q in bank.read() if q.number == "1" and q.source == "p.pdf").question_id
    )


def test_added_and_amended_are_one_version(bank: Bank) -> None:
    new = item("新发现的一道题，讲的是气象。", 5)
    report = add(bank, [*paper(n0=item(TEXTS[0] + "？", 0, points=1.0)), new], NEW, LATER)
    assert (report.added, report.amended, report.version) == (1, 1, 2)
    assert len(bank.read()) == 5
    assert len(bank.read(version=1)) == 4
