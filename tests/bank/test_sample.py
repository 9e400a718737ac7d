"""Stratified draws: reproducible, fair, and never two of one unit."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bank.sample import draw, encode, units
from schemas.errors import ShortStratumError, UsageError
from schemas.question import Question, Status
from tests.bank.makers import question


def make(n: int, discipline: str = "d01", original: int | None = None, **fields: object) -> Question:
    data = {"reference_answer": "答", "question_id": f"q{n:03d}", "discipline": discipline, **fields}
    return question(f"第{n}个问题", original_id=f"o{n if original is None else original:03d}", **data)


BANK = [make(n, f"d{n % 3 + 1:02d}") for n in range(90)]
RANDOM_BANKS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 25),
        st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.REVIEW, Status.DUPLICATE]),
        st.sampled_from(["答案", None]),
        st.booleans(),
        st.none() | st.integers(0, 39),
    ),
    min_size=1,
    max_size=40,
).map(
    lambda rows: [
        make(
            n,
            f"d{d:02d}",
            original,
            status=status,
            reference_answer=answer,
            needs_figure=figure,
            duplicate_of=f"q{other:03d}" if other is not None and status is Status.DUPLICATE else "",
        )
        for n, (d, original, status, answer, figure, other) in enumerate(rows)
    ]
)


@settings(deadline=None)
@given(RANDOM_BANKS, st.integers(0, 2**64), st.integers(1, 9), st.randoms())
def test_a_draw_depends_on_the_seed_and_not_on_the_order_of_rows(bank, seed, n, random) -> None:
    shuffled = list(bank)
    random.shuffle(shuffled)
    try:
        first, second = (draw(b, seed=seed, per_stratum=n, allow_short=True) for b in (bank, shuffled))
    except ShortStratumError:
        assert not any(q.status is Status.ACTIVE for q in bank)
        return
    assert first == second


@settings(deadline=None)
@given(RANDOM_BANKS, st.integers(0, 100), st.integers(1, 9))
def test_no_two_items_of_a_unit_and_none_that_may_not_be_asked(bank, seed, n) -> None:
    try:
        items, manifest = draw(bank, seed=seed, per_stratum=n, allow_short=True)
    except ShortStratumError:
        return
    by_id = {q.question_id: q for q in bank}
    unit_of = units(bank)
    drawn = [by_id[item.question_id] for item in items]
    assert len({unit_of[q.question_id] for q in drawn}) == len(drawn)
    assert len({q.original_id for q in drawn}) == len(drawn)
    assert all(q.status is Status.ACTIVE and q.reference_answer and not q.needs_figure for q in drawn)
    assert Counter(q.discipline for q in drawn) == Counter(
        {s.name: s.drawn for s in manifest.strata if s.drawn}
    )
    assert all(s.drawn == min(n, s.eligible) for s in manifest.strata)


def test_seeds_differ_and_larger_draws_hold_smaller_ones() -> None:
    draws = {seed: set(draw(BANK, seed=seed, per_stratum=10)[1].ids) for seed in range(5)}
    assert len({frozenset(d) for d in draws.values()}) == 5
    assert set(draw(BANK, seed=0, per_stratum=5)[1].ids) < draws[0]


def test_one_more_question_displaces_one_at_most() -> None:
    before = set(draw(BANK, seed=1, per_stratum=10)[1].ids)
    after = set(draw([*BANK, make(500)], seed=1, per_stratum=10)[1].ids)
    assert len(before - after) <= 1


def test_every_unit_is_drawn_about_as_often() -> None:
    times: Counter[str] = Counter()
    for seed in range(300):
        times.update(draw(BANK, seed=seed, per_stratum=10)[1].ids)
    # 300 draws of 10 out of 30: 100 each, standard deviation 8.
    assert len(times) == 90
    assert 60 < min(times.values()) <= max(times.values()) < 140


def test_duplicates_in_review_still_join_units() -> None:
    # q1 and q2 are no siblings, but a row that may not be drawn is a duplicate of one, sibling of the other.
    bank = [make(1, original=1), make(2, original=2)]
    bank += [make(3, original=2, status=Status.DUPLICATE, duplicate_of="q001")]
    items, _ = draw(bank, seed=0, per_stratum=1)
    assert len(items) == 1
    with pytest.raises(ShortStratumError):
        draw(bank, seed=0, per_stratum=2)


def test_a_short_stratum_is_told_with_numbers_and_ways_out() -> None:
    bank = [*BANK, make(200, "d09"), make(201, "d10", reference_answer=None)]
    with pytest.raises(ShortStratumError) as caught:
        draw(bank, seed=0, per_stratum=4)
    assert "d09: 1 of 4" in caught.value.message
    assert "d10: 0 of 4" in caught.value.message
    assert "--allow-short" in caught.value.remedy
    items, manifest = draw(bank, seed=0, per_stratum=4, allow_short=True)
    assert len(items) == 13
    assert manifest.allow_short
    with pytest.raises(ShortStratumError):
        draw([], seed=0, per_stratum=1, allow_short=True)


def test_filters_fields_and_totals() -> None:
    items, manifest = draw(BANK, seed=0, total=8, filters={"discipline": ["d01", "d02", "d03"]})
    assert sorted(s.wanted for s in manifest.strata) == [2, 3, 3]
    assert len(items) == 8
    with pytest.raises(ShortStratumError, match="d07: 0 of 1"):
        draw(BANK, seed=0, per_stratum=1, filters={"discipline": ["d01", "d07"]})
    _, by_two = draw(BANK, seed=0, per_stratum=1, fields=("discipline", "question_type"))
    assert [s.name for s in by_two.strata] == [f"d0{i}/short_answer" for i in (1, 2, 3)]
    for wrong in ({"per_stratum": 1, "total": 1}, {}, {"per_stratum": 0}):
        with pytest.raises(UsageError):
            draw(BANK, seed=0, **wrong)
    with pytest.raises(UsageError, match="colour"):
        draw(BANK, seed=0, per_stratum=1, fields=("colour",))


def test_the_items_hold_no_answer_and_no_source_and_match_the_manifest() -> None:
    bank = [
        make(
            1,
            reference_answer="绝密答案",
            material="先读这段材料。",
            explanation="绝密解析",
            source="绝密.pdf",
        )
    ]
    items, manifest = draw(bank, seed=0, per_stratum=1, bank_version=7)
    data = encode(items)
    assert "绝密" not in data.decode()
    assert items[0].prompt.startswith("先读这段材料。\n\n")
    assert manifest.items_sha256 == hashlib.sha256(data).hexdigest()
    assert (manifest.bank_version, manifest.ids) == (7, ("q001",))
