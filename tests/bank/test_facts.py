"""The facts a draw keeps beside a version: never stale, never needed, never trusted when damaged."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bank import rows
from bank.check import check
from bank.draw import Request, draw_from
from bank.draw.drawing import draw
from bank.draw.facts import facts, spoilt
from bank.store import Bank
from schemas.errors import BankError
from schemas.question import Question, Status
from tests.bank.makers import paper, question

AT = "2026-01-01T00:00:00+00:00"


def kept(bank: Bank) -> list[Path]:
    return sorted((bank.path / "cache" / "draw").glob("*.arrow"))


def files(bank: Bank, discipline: str) -> set[Path]:
    return set((bank.path / "questions" / f"discipline={discipline}").glob("*.parquet"))


def told(known: pa.Table) -> list[dict[str, object]]:
    """Facts with units named by their rows, since their numbers mean nothing."""
    found = known.to_pylist()
    members: dict[int, list[str]] = {}
    for row in found:
        members.setdefault(row["unit"], []).append(row["question_id"])
    assert max(members, default=0) <= 2 * len(found)
    return [{**row, "unit": members[row["unit"]]} for row in found]


def test_kept_facts_change_no_draw_and_go_with_their_version(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", bytes(32))
    bank.add(paper("a.pdf", 80), batch="a", who="test", why="", now=AT)
    requests = [
        Request(seed=1, total=20),
        Request(seed=2, per_stratum=3, filters={"discipline": ("d01", "d04")}),
        Request(seed=3, total=7, by=("discipline", "question_type"), balance_verdicts=True),
        Request(
            seed=4, total=7, by=("source",), filters={"number": ("1", "2", "3", "4", "5", "6", "7", "8")}
        ),
    ]
    plain = [draw(bank.delta().to_pyarrow_dataset(), request)[0] for request in requests]
    assert not kept(bank)
    assert [draw_from(bank, request)[0] for request in requests] == plain
    (first,) = kept(bank)
    assert [draw_from(bank, request)[0] for request in requests] == plain

    whole = first.read_bytes()
    bits = random.Random(1)
    for size in (1000, *[len(whole)] * 40):  # cut off, or with a bit changed somewhere
        hurt = bytearray(whole[:size])
        hurt[bits.randrange(size)] ^= 1 << bits.randrange(8)
        first.write_bytes(hurt)
        assert spoilt(bank.path) == [str(first.relative_to(bank.path))]
    assert "cache_damaged" in {problem.code for problem in check(bank, deep=False).problems}
    assert [draw_from(bank, request)[0] for request in requests] == plain
    assert first.read_bytes() == whole

    out = plain[0][0].question_id
    change = {"status": Status.RETIRED}
    bank.amend({out: change}, seen=bank.version, who="test", why="", now=AT)
    assert out not in draw_from(bank, requests[0])[1].ids
    assert len(kept(bank)) == 1
    assert kept(bank) != [first]

    shutil.rmtree(first.parent)
    first.parent.write_bytes(b"")  # no room for what is kept: drawn all the same
    assert len(draw_from(bank, requests[0])[0]) == 20


def test_the_next_version_reads_the_files_it_has_more_and_no_other(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", bytes(32))
    bank.add(paper("a.pdf", 40), batch="a", who="test", why="", now=AT)
    request = Request(seed=1, per_stratum=3, filters={"discipline": ("d01", "d02")})
    draw_from(bank, request)
    first = files(bank, "d04")
    bank.add(paper("b.pdf", 30, start=40), batch="b", who="test", why="", now=AT)
    ids = [q.question_id for q in bank.read({"discipline": ["d01", "d03"]})]
    changes: dict[str, dict[str, object]] = {ids[0]: {"status": Status.RETIRED}}
    changes[ids[-1]] = {"duplicate_of": ids[0]}
    bank.amend(changes, seen=bank.version, who="test", why="", now=AT)
    dataset = bank.delta().to_pyarrow_dataset()
    plain, whole = draw(dataset, request)[0], facts(dataset)
    assert first
    for file in first & files(bank, "d04"):
        file.unlink()  # nothing in it is drawn
    assert draw_from(bank, request)[0] == plain
    (path,) = kept(bank)
    assert told(pa.ipc.open_file(path.read_bytes()[:-32]).read_all()) == told(whole)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.sampled_from(["", "", "A", "B", "C"]), st.integers(-9, 9)),
        min_size=8,
        max_size=8,
    ),
    st.sampled_from(["0123", "012", "123", "01"]),
    st.sampled_from(["0123", "123", "012"]),
)
def test_units_made_of_those_of_another_version_are_what_they_are_anyhow(
    made: list[tuple[int, str, int]], before: str, after: str
) -> None:
    order = random.Random(str(made)).sample(range(10), 8)  # so keepers are nowhere, too
    files: dict[str, list[Question]] = {}
    for (file, original, keeper), place in zip(made, order, strict=True):
        names = {"question_id": f"q{place}", "original_id": original}
        names["duplicate_of"] = f"q{keeper}" if keeper >= 0 else ""
        # Most rows stand in two files, so that most of what is known holds.
        files.setdefault("12120312"[file], []).append(question("", reference_answer="a", **names))
    with TemporaryDirectory() as folder:
        for file, questions in files.items():
            pq.write_table(rows.to_table(questions), f"{folder}/{file}.parquet")

        def version(named: str) -> pads.Dataset:
            there = sorted(f"{folder}/{file}.parquet" for file in files.keys() & set(named))
            return pads.dataset(there, schema=rows.to_table([]).schema, format="parquet")

        whole = facts(version(after))
        assert told(facts(version(after), before=facts(version(before)))) == told(whole)


def test_kept_facts_of_a_history_that_a_backup_undid_are_not_used(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", bytes(32))
    bank.add(paper("a.pdf", 40), batch="a", who="test", why="", now=AT)
    shutil.copytree(bank.path / "questions", tmp_path / "backup")
    one, two = (q.question_id for q in bank.read()[:2])

    bank.amend({one: {"status": Status.RETIRED}}, seen=1, who="test", why="", now=AT)
    assert one not in draw_from(bank, Request(seed=1, per_stratum=10, allow_short=True))[1].ids
    shutil.rmtree(bank.path / "questions")
    shutil.copytree(tmp_path / "backup", bank.path / "questions")
    with pytest.raises(BankError, match="log ends at version 1"):  # not without being told
        bank.amend({two: {"status": Status.RETIRED}}, seen=1, who="test", why="", now=AT)
    (bank.path / "sums" / f"{2:020d}.json").unlink()
    assert bank.amend({two: {"status": Status.RETIRED}}, seen=1, who="test", why="", now=AT) == 2
    found = draw_from(bank, Request(seed=1, per_stratum=10, allow_short=True))[1].ids
    assert one in found
    assert two not in found
