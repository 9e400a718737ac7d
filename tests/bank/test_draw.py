"""Stratified draws: reproducible, fair, and never two of one unit."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow.dataset as pads
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bank import rows
from bank.draw.allocation import shares
from bank.draw.drawing import choose, encode
from bank.draw.drawing import draw as draw_columns
from bank.draw.facts import facts
from bank.draw.pool import candidates, load
from bank.draw.rank import rank, ranks, smallest
from bank.draw.request import Request, checked
from bank.draw.units import units as columnar
from schemas.errors import ShortStratumError, UsageError
from schemas.evaluation import Manifest, SampleItem
from schemas.question import Question, Status
from tests.bank.makers import question

Drawn = tuple[list[SampleItem], Manifest]


def draw(
    questions: Sequence[Question], *, exposed: Iterable[str] = (), version: int = 0, **asked: Any
) -> Drawn:
    filters = {k: (v,) if isinstance(v, str) else tuple(v) for k, v in asked.pop("filters", {}).items()}
    request = Request(filters=filters, **asked)
    dataset = pads.dataset(rows.to_table(questions))
    return draw_columns(dataset, request, about={"bank_version": version}, exposed=exposed)


def units(questions: Sequence[Question]) -> dict[str, str]:
    """For each question the smallest id of its unit, found the slow way."""
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def root(name: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for q in questions:
        for other in (("o", q.original_id), ("q", q.duplicate_of)):
            if other[1]:
                parent[root(("q", q.question_id))] = root(other)
    smallest: dict[tuple[str, str], str] = {}
    for q in questions:
        top = root(("q", q.question_id))
        smallest[top] = min(smallest.get(top, q.question_id), q.question_id)
    return {q.question_id: smallest[root(("q", q.question_id))] for q in questions}


def make(n: int, discipline: str = "d01", original: int | None = None, **fields: object) -> Question:
    data = {"reference_answer": "答", "question_id": f"q{n:03d}", "discipline": discipline, **fields}
    return question(f"第{n}个问题", original_id=f"o{n if original is None else original:03d}", **data)


def eligible(q: Question) -> bool:
    return q.status is Status.ACTIVE and bool(q.reference_answer) and not q.needs_figure


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
        assert not any(eligible(q) for q in bank)
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
    _, by_two = draw(BANK, seed=0, per_stratum=1, by=("discipline", "question_type"))
    assert [s.name for s in by_two.strata] == [f"d0{i}/short_answer" for i in (1, 2, 3)]
    for wrong in ({"per_stratum": 1, "total": 1}, {}, {"per_stratum": 0}):
        with pytest.raises(UsageError):
            draw(BANK, seed=0, **wrong)
    with pytest.raises(UsageError, match="colour"):
        draw(BANK, seed=0, per_stratum=1, by=("colour",))


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
    items, manifest = draw(bank, seed=0, per_stratum=1, version=7)
    data = encode(items)
    assert "绝密" not in data.decode()
    assert items[0].prompt.startswith("先读这段材料。\n\n")
    assert manifest.items_sha256 == hashlib.sha256(data).hexdigest()
    assert (manifest.bank_version, manifest.ids) == (7, ("q001",))


def test_a_draw_is_the_same_for_ever() -> None:
    # No version of this software or of a library may draw others for this seed.
    _, manifest = draw(BANK, seed=20240601, per_stratum=5)
    drawn = hashlib.sha256("".join(manifest.ids).encode()).hexdigest()
    assert drawn == "15c7c82050e704bf81fc29b4f2b244a53c1e419913b800c9d72042fa29354f28"


@given(st.integers(-(2**70), 2**70), st.lists(st.text(max_size=200), max_size=20), st.integers(0, 25))
def test_ranks_in_bulk_are_those_of_each_name(seed: int, names: list[str], count: int) -> None:
    names = [name.encode("utf-8", "ignore").decode() for name in names]
    one_by_one = [rank(seed, "unit", name) for name in names]
    bulk = ranks(seed, "unit", [name.encode() for name in names])
    assert bulk.astype(">u8").tobytes() == b"".join(one_by_one)
    first = smallest(bulk, count).tolist()
    assert [one_by_one[i] for i in first] == sorted(one_by_one)[:count]


@settings(deadline=None)
@given(RANDOM_BANKS)
def test_units_are_the_closure_of_siblings_and_duplicates(bank: list[Question]) -> None:
    table = rows.to_table(bank)
    columns = [table[n].combine_chunks() for n in ("question_id", "original_id", "duplicate_of")]
    numbers = columnar(*columns).tolist()
    names = list(units(bank).values())
    assert len(set(numbers)) == len(set(names)) == len(set(zip(numbers, names, strict=True)))


def test_every_unit_and_every_pair_has_the_same_chance() -> None:
    dataset = pads.dataset(rows.to_table([make(n) for n in range(500)]))
    asked = Request(seed=0, per_stratum=50)
    pool = load(facts(dataset, ["discipline"]), asked)
    found = candidates(pool)
    nothing = np.zeros(500, dtype=bool)
    drawn = np.zeros((2000, 500), dtype=np.float64)
    for seed in range(2000):
        chosen = choose(pool, found, nothing, asked.model_copy(update={"seed": seed})).places
        assert len(set(chosen)) == 50
        drawn[seed, chosen] = 1
    for seed in (0, 1999):  # what is tested is what a draw does
        ids = draw_columns(dataset, asked.model_copy(update={"seed": seed}))[1].ids
        assert set(ids) == set(pool.named(found.name[np.flatnonzero(drawn[seed])]))
    times = drawn.sum(axis=0)
    units_ = ((times - 200) ** 2).sum() / 200 / (0.9 * 500 / 499)
    assert 401.52 < units_ < 609.57  # chi-squared, 499 degrees of freedom: 0.0005 and 0.9995 quantiles
    together = (drawn.T @ drawn)[np.triu_indices(500, 1)]
    chance = 50 * 49 / (500 * 499)
    pairs = ((together - 2000 * chance) ** 2).mean() / (2000 * chance * (1 - chance))
    assert 0.94 < pairs < 1.06  # random samples give 1, standard deviation 0.012
    assert together.max() < 55  # 19.6 on average; 47 was the most among 60 times as many random pairs


def test_proportional_shares_follow_the_bank_and_add_up() -> None:
    bank = [make(n, "d01") for n in range(60)] + [make(100 + n, "d02") for n in range(30)]
    bank += [make(200 + n, "d03") for n in range(9)] + [make(300, "d04", reference_answer=None)]
    items, manifest = draw(bank, seed=1, total=20, allocation="proportional")
    assert {s.name: s.drawn for s in manifest.strata} == {"d01": 12, "d02": 6, "d03": 2, "d04": 0}
    assert (len(items), manifest.total, manifest.allocation) == (20, 20, "proportional")


@given(st.dictionaries(st.text("abcd", min_size=1), st.integers(0, 1000), max_size=9), st.integers(1, 5000))
def test_a_total_is_divided_without_rest(eligible: dict[str, int], total: int) -> None:
    for allocation in ("equal", "proportional"):
        found = shares(Request(seed=1, total=total, allocation=allocation), eligible)
        whole = sum(eligible.values()) if allocation == "proportional" else len(eligible)
        assert sum(found.values()) == (total if whole else 0)
        for name, share in found.items():
            weight = eligible[name] if allocation == "proportional" else 1
            assert whole == 0 or abs(share - total * weight / whole) < 1


def test_a_given_allocation_takes_its_strata_and_no_others() -> None:
    items, manifest = draw(BANK, seed=1, allocation="given", given={"d01": 3, "d03": 7})
    assert Counter(item.discipline for item in items) == {"d01": 3, "d03": 7}
    assert [(s.name, s.wanted) for s in manifest.strata] == [("d01", 3), ("d02", 0), ("d03", 7)]
    with pytest.raises(ShortStratumError, match="d07: 0 of 1"):
        draw(BANK, seed=1, allocation="given", given={"d01": 3, "d07": 1})


def test_filters_of_numbers_and_names() -> None:
    bank = [make(n, points=float(n % 2 * 10), exam_year=2020 + n % 3, exam_kind="final") for n in range(30)]
    items, manifest = draw(bank, seed=1, per_stratum=2, filters={"points": "10.0", "exam_year": ["2021"]})
    drawn = [q for q in bank if q.question_id in manifest.ids]
    assert len(items) == 2
    assert all((q.points, q.exam_year) == (10, 2021) for q in drawn)
    assert len(draw(BANK, seed=1, per_stratum=1, filters={"discipline": "哲学"})[0]) == 1
    for name, text in (("question_type", "puzzle"), ("exam_year", "soon"), ("prompt", "x"), ("figures", "x")):
        with pytest.raises(UsageError):
            draw(bank, seed=1, per_stratum=1, filters={name: text})
    with pytest.raises(UsageError, match="reference_answer"):  # it would stand in the manifest
        draw(bank, seed=1, per_stratum=1, by=("reference_answer",))


def test_strata_whose_names_look_alike_stay_apart() -> None:
    bank = [make(1, batch="a/b", section="c"), make(2, batch="a", section="b/c")]
    _, manifest = draw(bank, seed=1, per_stratum=1, by=("batch", "section"))
    assert len(manifest.ids) == len({s.name for s in manifest.strata}) == 2


def test_what_was_given_before_is_passed_over_and_the_manifest_repeats_that() -> None:
    bank = [*BANK, make(100, "d01", original=0, status=Status.REVIEW)]
    first = draw(bank, seed=3, per_stratum=10)[1]
    exposed = [*first.ids, "q100", "q-of-no-bank"]  # q100 is not drawn itself, but its sibling q000 is out
    items, second = draw(bank, seed=3, per_stratum=10, exposed=exposed)
    assert not {*first.ids, "q000"} & set(second.ids)
    assert [s.exposed for s in second.strata] == [11 - ("q000" in first.ids), 10, 10]
    again = draw(bank, seed=3, per_stratum=10, exposed=second.excluded)
    assert again[0] == items
    with pytest.raises(ShortStratumError) as caught:
        draw(bank, seed=3, per_stratum=21, exposed=exposed)
    assert "d02: 20 of 21, 10 given before" in caught.value.message


STATEMENTS = st.lists(
    st.tuples(
        st.integers(0, 12), st.sampled_from(["正确。理由", "错误。理由", "√", "×", "不对", "True", "理由"])
    ),
    min_size=1,
    max_size=40,
)


@settings(deadline=None)
@given(STATEMENTS, st.integers(0, 50), st.integers(1, 12))
def test_verdicts_are_balanced_or_it_is_told(given_: list[tuple[int, str]], seed: int, n: int) -> None:
    bank = [
        make(i, original=original, question_type="true_false", reference_answer=answer)
        for i, (original, answer) in enumerate(given_)
    ]
    said = {"正": True, "√": True, "T": True, "错": False, "×": False, "不": False, "理": None}
    verdict = {q.question_id: said[str(q.reference_answer)[0]] for q in bank}
    plain = {q.original_id for q in bank if verdict[q.question_id] is None}
    asked: dict[str, Any] = {"seed": seed, "per_stratum": n, "balance_verdicts": True}
    try:
        items, manifest = draw(bank, **asked)
    except ShortStratumError as error:
        units_ = len({q.original_id for q in bank})
        assert ("balance" in error.message) == (units_ >= n)
        items, manifest = draw(bank, allow_short=True, **asked)
        assert len(items) == min(units_, n)
        return
    drawn = [q for item in items for q in bank if q.question_id == item.question_id]
    assert len({q.original_id for q in drawn}) == len(items) == n
    true, false = (sum(verdict[q.question_id] is wanted for q in drawn) for wanted in (True, False))
    assert manifest.strata[0].verdicts == (true, false)
    assert abs(true - false) <= 1
    # How many statements there are is left to chance, as in a draw that is not balanced.
    before = draw(bank, seed=seed, per_stratum=n)[1].ids
    originals = [q.original_id for q in bank if q.question_id in before]
    assert true + false == sum(name not in plain for name in originals)


def test_a_manifest_of_before_is_read() -> None:
    old = {"bank_version": 1, "seed": 2, "per_stratum": 3, "filters": {"discipline": "d01,d02"}}
    assert Manifest.model_validate(old).filters == {"discipline": ("d01", "d02")}


def test_codes_that_the_taxonomy_does_not_have_are_wrong_usage() -> None:
    by = ("discipline", "question_type")
    named = Request(
        seed=1, by=by, allocation="given", given={"法学/essay": 1}, filters={"discipline": ("法学",)}
    )
    assert checked(named).given == {"d03/essay": 1}
    for wrong in (
        named.model_copy(update={"given": {"d99/essay": 1}}),
        named.model_copy(update={"given": {"d03/poem": 1}}),
        named.model_copy(update={"given": {"d03": 1}}),
        named.model_copy(update={"given": {"d03/essay": 1, "法学/essay": 1}}),
        named.model_copy(update={"filters": {"course": ("炼金术",)}}),
        named.model_copy(update={"filters": {"status": ("foo",)}}),
    ):
        with pytest.raises(UsageError):
            checked(wrong)
    old = named.model_copy(update={"given": {"d99/essay": 1}, "filters": {"discipline": ("d99",)}})
    assert checked(old, old=True) == old  # of a manifest, whose taxonomy was another one
    odd = Request(seed=1, by=("batch", "section"), allocation="given", given={"a\\/b/": 1})
    assert checked(odd).given == {"a\\/b/": 1}
