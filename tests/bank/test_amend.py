"""Amendments: what each action does, what is refused and why, what a merge and its undoing leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable, write_deltalake

from bank import commits, rows
from bank.amend import Action, AmendReport, Change, apply
from bank.check import check
from bank.dedup.items import COLUMNS
from bank.dedup.whole import regroup
from bank.diff import diff
from bank.store import Bank
from bank.versions import history
from schemas.errors import BankError
from schemas.question import Question, QuestionType, Status
from schemas.settings import DedupSettings
from tests.bank.makers import paper, question, sha

NOW, LATER = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """12 questions of one paper; version 1."""
    made = Bank.create(tmp_path / "b")
    made.sources.put(sha("p.pdf"), b"p.pdf")
    made.add(paper("p.pdf", 12), batch="first", who="w", why="y", now=NOW)
    return made


def act(bank: Bank, *changes: Change, skip_bad: bool = False, dry_run: bool = False) -> AmendReport:
    return apply(bank, changes, who="account", why="a test", at=LATER, skip_bad=skip_bad, dry_run=dry_run)


def change(question: Question | str, action: str = "edit", **more: Any) -> Change:
    name = question if isinstance(question, str) else question.question_id
    fields = more.pop("fields", {})
    return Change(
        question_id=name, action=Action(action), reason=more.pop("reason", "because"),
        reviewer=more.pop("reviewer", "anna"), fields=fields, **more,
    )  # fmt: skip


def codes(report: AmendReport) -> list[tuple[str, str]]:
    return [(refusal.column, refusal.code) for refusal in report.refused]


def test_an_edit_keeps_the_id_and_raises_the_revision(bank: Bank) -> None:
    one = bank.read()[0]
    text = "重新写过的题目：什么是熵？"
    report = act(
        bank, change(one, revision=1, fields={"prompt": text, "points": "2.5", "question_type": "essay"})
    )
    assert (report.version, report.committed, report.changed) == (2, True, (one.question_id,))
    now = bank.get(one.question_id)
    assert (now.prompt, now.points, now.question_type) == (text, 2.5, QuestionType.ESSAY)
    assert (now.revision, now.reviewer, now.updated_at, now.created_at) == (2, "anna", LATER, NOW)
    assert now.content_hash != one.content_hash
    assert now.evidence["review"] == "edit by anna: because"
    assert now.evidence["edited"] == "points prompt question_type"
    assert bank.get(one.question_id, version=1) == one
    assert check(bank).problems == ()
    newest = history(bank, 1)[0]
    assert (newest.who, newest.why, newest.counts) == ("account", "a test", {"changed": 1, "edit": 1})
    copy = bank.add([question(text, source="q.pdf")], batch="b", who="w", why="y", now=NOW)
    assert copy.outcomes[0].duplicate_of == one.question_id  # the index knows the new text


def test_an_edit_that_changes_nothing_makes_no_version(bank: Bank) -> None:
    one = bank.read()[0]
    report = act(bank, change(one, fields={"prompt": one.prompt, "discipline": one.discipline}))
    assert (report.committed, report.unchanged, report.version) == (False, 1, 1)


def test_a_stale_edit_is_refused_and_not_applied(bank: Bank) -> None:
    one, two = bank.read()[:2]
    act(bank, change(one, fields={"points": 1}))
    late = [change(one, revision=1, fields={"points": 3}), change(two, revision=1, fields={"points": 3})]
    report = act(bank, *late)
    assert codes(report) == [("revision", "stale")]
    assert "revision 2" in report.refused[0].message
    assert "anna" in report.refused[0].message
    assert (bank.version, bank.get(two.question_id).points) == (2, None)
    report = act(bank, *late, skip_bad=True)
    assert (report.version, report.applied) == (3, {"edit": 1})
    assert [bank.get(q.question_id).points for q in (one, two)] == [1, 3]


def test_moving_a_question_rewrites_the_two_partitions_and_no_other(bank: Bank) -> None:
    (one, *_) = bank.read({"discipline": "d01"})
    act(bank, change(one, fields={"discipline": "法学"}))
    before = set(bank.delta().file_uris())
    report = act(bank, change(one, fields={"discipline": "理学"}))
    now = bank.get(one.question_id)
    assert (now.discipline, now.label_method, now.label_confidence) == ("d07", "reviewer", 1.0)
    assert len(bank.read()) == 12
    assert bank.table(["question_id"], {"discipline": "d03"}).num_rows == 3
    touched = {uri.split("discipline=")[1][:3] for uri in before ^ set(bank.delta().file_uris())}
    assert touched <= {"d03", "d07"}
    assert diff(bank, 2, report.version).summary.moves[0].target == "d07"


@pytest.mark.parametrize(
    ("fields", "column", "code"),
    [
        ({"prompt": " "}, "prompt", "empty"),
        ({"prompt": 7}, "prompt", "type"),
        ({"prompt": "半个\ud800字"}, "prompt", "encoding"),
        ({"reference_answer": "a\x00b"}, "reference_answer", "encoding"),
        ({"reference_answer": "长" * 3_500_000}, "reference_answer", "too_long"),
        ({"points": "five"}, "points", "type"),
        ({"points": float("nan")}, "points", "type"),
        ({"points": True}, "points", "type"),
        ({"needs_figure": "maybe"}, "needs_figure", "type"),
        ({"question_type": "riddle"}, "question_type", "value"),
        ({"discipline": "占星学"}, "discipline", "unknown_discipline"),
        ({"sub_discipline": "d9999"}, "sub_discipline", "unknown_sub_discipline"),
        ({"discipline": "d01", "sub_discipline": "d0801"}, "sub_discipline", "mismatch"),
        ({"exam_year": 20.5}, "exam_year", "type"),
        ({"status": "active"}, "status", None),
        ({"status": "retired"}, "status", "not_editable"),
        ({"question_id": "q1"}, "question_id", "not_editable"),
        ({"colour": "red"}, "colour", "no_field"),
    ],
)
def test_a_value_that_is_none_is_refused_with_its_column(
    bank: Bank, fields: dict[str, Any], column: str, code: str | None
) -> None:
    one = bank.read()[0]
    report = act(bank, change(one, fields={**fields}))
    assert codes(report) == ([(column, code)] if code else [])
    assert bank.version == 1


def test_what_else_is_refused(bank: Bank) -> None:
    one, two = bank.read()[:2]
    report = act(
        bank,
        change("qnone", "approve"),
        change(one, "reject", reason=" "),
        change(one, "edit", fields={"points": 1}, line=3),
        change(one, "approve", line=4),
        change(two, "edit", into="q1"),
    )
    assert sorted(codes(report)) == [
        ("into", "value"), ("question_id", "no_question"), ("question_id", "repeated"), ("reason", "no_reason"),
    ]  # fmt: skip
    assert "line 3" in str(next(r for r in report.refused if r.code == "repeated"))
    assert bank.version == 1


def test_a_course_brings_its_discipline_and_a_new_discipline_drops_the_course(bank: Bank) -> None:
    one = bank.read()[0]
    act(bank, change(one, fields={"course": "数据结构"}))
    now = bank.get(one.question_id)
    assert now.discipline == now.sub_discipline[:3] == "d08"
    assert now.course
    act(bank, change(one, fields={"discipline": "d01"}))
    now = bank.get(one.question_id)
    assert (now.discipline, now.sub_discipline, now.course) == ("d01", "", "")


def test_approve_reject_and_retire_set_the_status_with_reviewer_and_reason(bank: Bank) -> None:
    one, two, three = bank.read()[:3]
    bank.amend({one.question_id: {"status": Status.REVIEW, "status_reason": "truncated"}}, seen=1, who="w", why="y", now=NOW)  # fmt: skip
    act(
        bank,
        change(one, "approve", reason="", fields={"reference_answer": "补上的答案"}, revision=2),
        change(two, "reject", reason="not a question"),
        change(three, "retire", reason="leaked"),
    )
    told = [bank.get(q.question_id) for q in (one, two, three)]
    assert [(q.status, q.status_reason) for q in told] == [
        (Status.ACTIVE, ""), (Status.REJECTED, "not a question"), (Status.RETIRED, "leaked"),
    ]  # fmt: skip
    assert {q.reviewer for q in told} == {"anna"}
    assert told[0].reference_answer == "补上的答案"
    assert act(bank, change(one, "approve", reason="")).committed is False
    assert act(bank, change(one, "approve", reason="", reviewer="")).changed == (one.question_id,)
    assert bank.get(one.question_id).reviewer == "account"


def merged(bank: Bank) -> list[Question]:
    """Three questions, of which two were merged into the first."""
    keep, *others = (bank.read({"discipline": code})[0] for code in ("d01", "d02", "d03"))
    act(bank, *(change(q, "merge", into=keep.question_id) for q in others))
    return [keep, *others]


def replan(bank: Bank) -> dict[str, Any]:
    return regroup(bank.table(COLUMNS).to_pylist(), DedupSettings()).changes


def test_a_merge_stays_when_all_duplicates_are_decided_anew_and_is_undone(bank: Bank) -> None:
    keep, one, two = merged(bank)
    now = {q.question_id: q for q in bank.read()}
    for name in (one.question_id, two.question_id):
        assert (now[name].status, now[name].duplicate_of) == (Status.DUPLICATE, keep.question_id)
    assert now[keep.question_id].cluster_id == keep.question_id
    assert check(bank).problems == ()
    assert replan(bank) == {}
    assert act(bank, change(one, "merge", into=two.question_id)).unchanged == 1
    assert act(bank, change(keep, "merge", into=one.question_id)).refused[0].code == "value"
    assert act(bank, change(one, "approve")).refused[0].code == "duplicate"
    assert act(bank, change(one, "retire")).refused[0].code == "duplicate"
    act(bank, change(one, "unmerge", reason="another question"))
    again = bank.get(one.question_id)
    assert (again.status, again.duplicate_of, again.cluster_id) == (Status.ACTIVE, "", "")
    assert bank.get(two.question_id).duplicate_of == keep.question_id
    report = act(bank, change(two, "unmerge"))
    assert report.along == (keep.question_id,)
    assert check(bank).problems == ()
    assert replan(bank) == {}
    assert act(bank, change(two, "unmerge")).refused[0].code == "no_cluster"
    act(bank, change(two, "merge", into=keep.question_id, reason="they are the same after all"))
    assert bank.get(two.question_id).duplicate_of == keep.question_id
    assert replan(bank) == {}


def test_merging_a_keeper_takes_its_copies_along(bank: Bank) -> None:
    keep, one, two = merged(bank)
    (other,) = bank.read({"discipline": "d04"})[:1]
    report = act(bank, change(keep, "merge", into=other.question_id))
    assert set(report.along) == {one.question_id, two.question_id, other.question_id}
    assert {bank.get(q.question_id).duplicate_of for q in (keep, one, two)} == {other.question_id}
    assert check(bank).problems == ()


def test_rejecting_a_keeper_lets_its_best_copy_take_its_place(bank: Bank) -> None:
    keep, one, two = merged(bank)
    act(bank, change(one, "edit", fields={"reference_answer": "这是其中最完整的一个答案"}))
    act(bank, change(keep, "reject", reason="a bad scan"))
    gone, heir, copy = (bank.get(q.question_id) for q in (keep, one, two))
    assert (gone.status, gone.duplicate_of) == (Status.REJECTED, one.question_id)
    assert (heir.status, heir.duplicate_of, heir.cluster_id) == (Status.ACTIVE, "", one.question_id)
    assert (copy.status, copy.duplicate_of) == (Status.DUPLICATE, one.question_id)
    assert check(bank).problems == ()
    assert replan(bank) == {}


def test_retiring_a_keeper_keeps_its_copies_from_being_drawn(bank: Bank) -> None:
    keep, one, two = merged(bank)
    act(bank, change(keep, "retire", reason="leaked"))
    assert {bank.get(q.question_id).status for q in (one, two)} == {Status.DUPLICATE}
    assert check(bank).problems == ()


def test_a_dry_run_tells_and_writes_nothing(bank: Bank) -> None:
    one = bank.read()[0]
    report = act(bank, change(one, "reject"), dry_run=True)
    assert (report.changed, report.committed, bank.version) == ((one.question_id,), False, 1)


def test_a_row_another_program_adds_meanwhile_is_kept(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    write, calls = commits.replace, []

    def slow(delta: DeltaTable, *rest: Any) -> None:
        calls.append(delta.version())
        if len(calls) < 3:
            row = question("别处写来的。", discipline="d01").model_copy(
                update={"question_id": f"qout{len(calls)}"}
            )
            write_deltalake(bank.path / "questions", rows.to_table([row]), mode="append")
        write(delta, *rest)

    monkeypatch.setattr(commits, "replace", slow)
    (one, *_) = bank.read({"discipline": "d01"})
    assert act(bank, change(one, fields={"points": 1})).version == 4
    assert calls == [1, 2, 3]
    assert {"qout1", "qout2"} <= {q.question_id for q in bank.read()}
    assert bank.get(one.question_id).points == 1


def test_what_is_refused_as_a_whole_tells_of_nothing_done_and_of_what_is_missing(bank: Bank) -> None:
    one, other = bank.read()[:2]
    report = act(bank, change(one, fields={"points": 5}), change(other, "merge"))
    assert codes(report) == [("into", "no_into")]
    assert (report.applied, report.changed, report.committed) == ({}, (), False)


def test_values_of_closed_sets_are_asked_for_by_name(bank: Bank) -> None:
    assert bank.table(filters={"status": ["active", "review"]}).num_rows == 12
    with pytest.raises(BankError) as caught:
        bank.table(filters={"status": "foo"})
    assert caught.value.code == "no_value"
