"""Versions of a bank: tags, restoring, what differs between two of them, whatever their columns hold."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import given, settings
from hypothesis import strategies as st

from bank import commits, rows
from bank.amend import Change, apply
from bank.diff import diff, differs
from bank.store import Bank
from bank.tags import resolve, tag, tags, untag
from bank.versions import history, restore
from schemas.errors import BankError, ExamBankError
from schemas.question import Region, Status, arrow_schema
from tests.bank.makers import paper, question

NOW = "2026-01-01T00:00:00Z"
BY = {"who": "a curator", "why": "a test", "now": NOW}
AT = {"who": "a curator", "why": "a test", "at": NOW}


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """Version 1: 12 questions of three papers in d01 to d04."""
    made = Bank.create(tmp_path / "b")
    made.add(paper("p.pdf", 12), batch="first", **BY)
    return made


def ids(bank: Bank, discipline: str = "d01") -> list[str]:
    return [q.question_id for q in bank.read({"discipline": discipline})]


def test_a_tag_stands_for_a_version_and_never_moves_by_itself(bank: Bank) -> None:
    made = tag(bank, "中期-1", 1, **AT)
    assert (made.who, made.version, resolve(bank, "中期-1"), resolve(bank, "1")) == ("a curator", 1, 1, 1)
    assert tag(bank, "中期-1", 1, **AT) == made
    assert history(bank)[0].tags == ("中期-1",)
    for name, code in (
        ("7", "tag_name"),
        ("a b", "tag_name"),
        ("../x", "tag_name"),
        ("中期-1", "tag_exists"),
    ):
        with pytest.raises(ExamBankError) as caught:
            tag(bank, name, 0, **AT)
        assert caught.value.code == code
    with pytest.raises(BankError, match="no version june"):
        resolve(bank, "june")
    with pytest.raises(BankError, match="no version 9"):
        resolve(bank, 9)
    assert untag(bank, "中期-1").version == 1
    assert tags(bank) == []
    with pytest.raises(ExamBankError, match="No version has the name"):
        untag(bank, "中期-1")


def test_damaged_tags_are_told_and_not_taken_for_none(bank: Bank) -> None:
    (bank.path / "tags.json").write_text("[{}]", encoding="utf-8")
    with pytest.raises(BankError) as caught:
        tags(bank)
    assert caught.value.code == "tags_damaged"


def test_restoring_is_a_new_version_and_loses_nothing(bank: Bank) -> None:
    bank.add(paper("q.pdf", 8, 40), batch="second", **BY)
    first, second = (rows.to_table(bank.read(version=v)) for v in (1, 2))
    assert restore(bank, 1, **AT) == 3
    assert rows.to_table(bank.read()).equals(first)
    assert restore(bank, 1, **AT) == 3  # it is the newest already
    assert restore(bank, 2, **AT) == 4
    back = [q.model_copy(update={"revision": 1, "updated_at": NOW}) for q in bank.read()]
    assert rows.to_table(back).equals(second)
    assert sorted({q.revision for q in bank.read()}) == [1, 4]  # those that had been gone
    assert [(v.why, v.restored) for v in history(bank, 3)] == [("a test", 2), ("a test", 1), ("a test", None)]
    assert [v.counts for v in history(bank, 2)] == [
        {"changed": 0, "removed": 0, "returned": 8},
        {"changed": 0, "removed": 8, "returned": 0},
    ]
    report = bank.add(paper("q.pdf", 10, 40), batch="third", **BY)
    assert (report.added, report.already) == (2, 8)
    assert bank.version == 5


def test_no_change_made_before_a_restore_passes_for_one_made_after_it(bank: Bank) -> None:
    name, other = ids(bank)[:2]
    apply(bank, [Change(question_id=name, fields={"section": "seen by the first"}, reason="r")], **AT)
    assert restore(bank, 1, **AT) == 3
    assert (bank.get(name).revision, bank.get(other).revision) == (3, 1)
    apply(bank, [Change(question_id=name, fields={"prompt": "The second's wording?"}, reason="r")], **AT)
    stale = Change(question_id=name, revision=2, fields={"prompt": "The first's wording?"}, reason="r")
    assert [refusal.code for refusal in apply(bank, [stale], **AT).refused] == ["stale"]
    assert bank.get(name).prompt == "The second's wording?"


def test_a_version_whose_files_are_lost_can_be_left(bank: Bank) -> None:
    name = ids(bank)[0]
    first = set(bank.delta().file_uris())
    apply(bank, [Change(question_id=name, fields={"section": "s"}, reason="r")], **AT)
    for uri in set(bank.delta().file_uris()) - first:
        Path(uri.removeprefix("file://")).unlink()
    assert restore(bank, 1, **AT) == 3
    assert (bank.get(name).section, bank.get(name).revision) == ("", 3)


@given(st.lists(st.tuples(st.sampled_from(["edit", "add", "back"]), st.integers(0, 9)), max_size=6))
@settings(max_examples=8, deadline=None)
def test_a_revision_of_a_row_never_comes_again_with_other_words(steps: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        bank = Bank.create(Path(folder) / "b")
        bank.add(paper("p.pdf", 2), batch="first", **BY)
        for step, number in [*steps, ("back", 0), ("back", 1)]:
            before = bank.read()
            if step == "back":
                wanted = number % (bank.version + 1)
                restore(bank, wanted, **AT)
                assert [q.content_hash for q in bank.read()] == [
                    q.content_hash for q in bank.read(version=wanted)
                ]
            elif step == "add":
                bank.add(paper("q.pdf", 2, 40), batch="second", **BY)
            elif before:
                question = before[number % len(before)]
                change = {"section": f"{bank.version} {number}"}
                edit = Change(question_id=question.question_id, fields=change, reason="r")
                assert apply(bank, [edit], **AT).committed
        said: dict[tuple[str, int], str] = {}
        for version in range(bank.version + 1):
            for q in bank.read(version=version):
                assert said.setdefault((q.question_id, q.revision), q.section) == q.section


def test_diff_tells_rows_added_changed_by_field_and_moved(bank: Bank) -> None:
    one, two, three = ids(bank)[:3]
    bank.amend({one: {"discipline": "d02"}, two: {"status": Status.REVIEW, "points": 5.0}}, seen=1, **BY)
    bank.add(paper("q.pdf", 4, 40), batch="second", **BY)
    found = diff(bank, 1, 3)
    told = found.summary
    assert (told.added, told.removed, told.changed) == (4, 0, 2)
    assert told.fields == {"discipline": 1, "points": 1, "revision": 2, "status": 1}
    assert [(m.source, m.target, m.items) for m in told.moves] == [("d01", "d02", 1)]
    assert told.added_by_discipline == {"d01": 1, "d02": 1, "d03": 1, "d04": 1}
    by_id = {row.question_id: row for row in found.rows()}
    assert by_id[one].fields == {"discipline": ("d01", "d02"), "revision": (1, 2)}
    assert by_id[two].fields == {"status": ("active", "review"), "points": (None, 5.0), "revision": (1, 2)}
    assert three not in by_id
    assert [row.change for row in found.rows()] == ["added"] * 4 + ["changed"] * 2
    back = diff(bank, 3, 1).summary
    assert (back.added, back.removed, back.changed) == (0, 4, 2)
    assert diff(bank, 2, 2).summary.changed == 0


def test_a_row_that_leaves_its_discipline_stands_once_and_the_empty_partition_is_gone(bank: Bank) -> None:
    whole = ids(bank)
    bank.amend({name: {"discipline": "d09"} for name in whole}, seen=1, **BY)
    assert ids(bank) == []
    assert ids(bank, "d09") == whole
    assert len(bank.read()) == 12


def test_only_touched_partitions_are_written_anew(bank: Bank) -> None:
    before = set(bank.delta().file_uris())
    bank.amend({ids(bank)[0]: {"points": 1.0}}, seen=1, **BY)
    changed = before ^ set(bank.delta().file_uris())
    assert changed
    assert all("discipline=d01" in uri for uri in changed)


def test_diff_reads_only_what_one_version_has_alone(bank: Bank) -> None:
    bank.add(paper("q.pdf", 4, 40), batch="second", **BY)
    for uri in bank.delta(1).file_uris():
        Path(uri).rename(f"{uri}.away")
    assert diff(bank, 1, 2).summary.added == 4


def test_nested_fields_differ_by_value_and_not_by_the_order_of_a_map(bank: Bank) -> None:
    one, two = ids(bank)[:2]
    regions = (Region(page=1, box=(0, 0, 10, 10)), Region(page=2))
    bank.amend({one: {"evidence": {"a": "1", "b": "2"}, "regions": regions}}, seen=1, **BY)
    bank.amend({one: {"evidence": {"b": "2", "a": "1"}}, two: {"flags": ("x",)}}, seen=2, **BY)
    fields = {row.question_id: row.fields for row in diff(bank, 2, 3).rows()}
    assert fields == {one: {"revision": (2, 3)}, two: {"revision": (1, 2), "flags": ([], ["x"])}}
    found = {row.question_id: row.fields for row in diff(bank, 1, 2).rows()}[one]
    assert found["evidence"][1] == {"a": "1", "b": "2"}
    assert [r["page"] for r in found["regions"][1]] == [1, 2]


_TYPES: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.string(), st.text(max_size=3)),
    (pa.int32(), st.integers(0, 3)),
    (pa.list_(pa.string()), st.lists(st.text(max_size=2) | st.none(), max_size=3)),
    (
        arrow_schema().field("regions").type,
        st.lists(
            st.fixed_dictionaries(
                {
                    "page": st.integers(1, 2),
                    "box": st.none() | st.lists(st.sampled_from([0.0, 1.0]), min_size=4, max_size=4),
                }
            ),
            max_size=2,
        ),
    ),
    (
        pa.map_(pa.string(), pa.string()),
        st.lists(
            st.tuples(st.sampled_from("abc"), st.text(max_size=1)), max_size=3, unique_by=lambda p: p[0]
        ),
    ),
]


@given(st.data(), st.sampled_from(_TYPES))
def test_columns_differ_where_their_values_do(
    data: st.DataObject, kind: tuple[pa.DataType, st.SearchStrategy[Any]]
) -> None:
    pairs = data.draw(st.lists(st.tuples(st.none() | kind[1], st.none() | kind[1]), max_size=6))
    start = data.draw(st.integers(0, len(pairs)))
    one, two = (pa.array([pair[side] for pair in pairs], kind[0]).slice(start) for side in (0, 1))
    assert differs(one, two).tolist() == [
        a != b for a, b in zip(one.to_pylist(), two.to_pylist(), strict=True)
    ]
    assert differs(one, one).tolist() == [False] * len(one)
    assert differs(one, two).dtype == np.bool_


def outside(bank: Bank, name: str, discipline: str) -> None:
    """Another program adds a row, without asking for the bank's lock."""
    row = question("别处写来的一行。", discipline=discipline).model_copy(update={"question_id": name})
    write_deltalake(bank.path / "questions", rows.to_table([row]), mode="append")


def test_a_row_another_program_adds_meanwhile_is_never_lost(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = commits.replace

    def slow(delta: DeltaTable, *rest: Any) -> None:
        outside(bank, "qoutside", "d01")
        write(delta, *rest)

    monkeypatch.setattr(commits, "replace", slow)
    with pytest.raises(BankError) as caught:
        bank.amend({ids(bank)[0]: {"points": 1.0}}, seen=1, **BY)
    assert caught.value.code == "bank_moved"
    assert bank.get("qoutside").discipline == "d01"


def test_a_restore_that_is_overtaken_is_done_again(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    plain = commits.put

    def slow(*rest: Any) -> None:
        calls.append(1)
        if len(calls) < 3:
            outside(bank, f"qoutside{len(calls)}", "d01")
        plain(*rest)

    monkeypatch.setattr(commits, "put", slow)
    assert restore(bank, 0, **AT) == 4
    assert bank.read() == []
    assert len(bank.read(version=3)) == 14
    assert len(calls) == 3


def test_a_row_that_is_added_again_after_a_restore_goes_on_above_its_revisions(bank: Bank) -> None:
    def life(step: str) -> None:
        if step == "add":
            bank.add(paper("z.pdf", 1, 60), batch="z", **BY)
        elif step == "back":
            restore(bank, 1, **AT)
        else:
            (name,) = (q.question_id for q in bank.read() if q.source == "z.pdf")
            change = Change(question_id=name, fields={"section": f"at {bank.version}"}, reason="r")
            assert apply(bank, [change], **AT).committed

    for step in ("add", "edit", "back", "add", "edit", "back", "add", "edit", "edit"):
        life(step)
    seen = [
        (q.revision, q.section)
        for version in range(2, bank.version + 1)
        for q in bank.read(version=version)
        if q.source == "z.pdf"
    ]
    assert len({revision for revision, _ in seen}) == len(set(seen))
    assert [revision for revision, _ in seen] == sorted(revision for revision, _ in seen)
