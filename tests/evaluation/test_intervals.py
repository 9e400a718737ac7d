"""Intervals and tie groups: they cover and part as often as they say; the short form of the benchmark."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.score_intervals import coverage, shared_group
from evaluation.intervals import Cell, interval, moments
from evaluation.ties import Standing, rank_ranges, ranks, separable, separations, tie_groups

COUNTS = st.tuples(*[st.integers(0, 120)] * 4)
CELLS = st.lists(st.builds(Cell, COUNTS, st.none() | st.integers(0, 2000)), min_size=1, max_size=10)


@pytest.mark.parametrize(
    ("shape", "mean", "size"),
    [("graded", 0.60, 2000), ("graded", 0.975, 150), ("graded", 0.975, None), ("binomial", 0.94, 150)],
)
def test_intervals_cover(shape, mean, size):
    found = coverage(shape, mean, size, 1000, seed=1)
    assert 93 <= found.overall <= 97
    assert 93 <= found.discipline <= 97


@pytest.mark.parametrize(("paper", "size"), [(False, 150), (False, None), (True, None)])
def test_equal_models_tie_and_models_six_points_apart_do_not(paper, size):
    more = {"seed": 3, "shape": "graded", "paper": paper}
    assert shared_group(0, 0.60, size, 300, **more) >= 93
    assert shared_group(0.06, 0.60, size, 300, **more) <= 5


@given(CELLS)
def test_an_interval_holds_the_mean_and_stays_on_the_scale(cells):
    found = interval(cells)
    total = sum(cell.scored for cell in cells)
    assert (found is None) is (total == 0)
    if found is not None:
        mean = sum(cell.stars for cell in cells) / (3 * total)
        assert -1e-12 <= found[0] <= mean + 1e-12
        assert mean - 1e-12 <= found[1] <= 1 + 1e-12


@given(COUNTS.filter(any))
def test_fewer_questions_left_make_a_narrower_interval(counts):
    total = sum(counts)
    widths = []
    for size in (total, total + 50, 10 * total + 500, None):
        low, high = interval([Cell(counts, size)])
        widths.append(high - low)
    assert widths == sorted(widths)
    assert widths[0] == 0


@given(st.integers(1, 200))
def test_full_marks_leave_a_doubt_as_long_as_questions_are_left(count):
    low, high = interval([Cell((0, 0, 0, count))])
    assert low < 1 == high
    assert moments([Cell((0, 0, 0, count), count)]) == (1, 0)


def standing(*counts, stars=None):
    return Standing((Cell(counts),), stars or {})


def test_one_paper_tells_apart_what_two_papers_do_not():
    """Better on 20 questions of 400 and worse on none: plain on one paper, luck on two."""
    mine = dict.fromkeys(range(400), 2) | dict.fromkeys(range(150), 0)
    other = mine | dict.fromkeys(range(20), 1)
    one, two = standing(150, 0, 250, 0, stars=mine), standing(130, 20, 250, 0, stars=other)
    assert separable(one, two)
    elsewhere = Standing(two.cells, {f"x{q}": s for q, s in other.items()})
    assert not separable(one, elsewhere)
    assert not separable(one, standing(150, 0, 250, 0, stars=mine))


TABLES = st.integers(0, 7).flatmap(
    lambda n: st.lists(st.booleans(), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2).map(
        lambda bits: (n, dict(zip(combinations(range(n), 2), bits, strict=True)))
    )
)


@given(TABLES)
def test_two_models_share_a_letter_if_and_only_if_they_are_not_apart(table):
    count, pairs = table
    apart = [[pairs.get((min(i, j), max(i, j)), False) for j in range(count)] for i in range(count)]
    letters = [set(text.split()) for text in tie_groups(apart)]
    assert all(letters)
    for i, j in combinations(range(count), 2):
        assert bool(letters[i] & letters[j]) is not apart[i][j]


def test_letters_follow_the_board_and_ranks_have_a_range():
    rows = [
        standing(0, 0, 40, 960),
        standing(0, 0, 45, 955),
        standing(300, 0, 0, 700),
        standing(900, 0, 0, 100),
    ]
    apart = separations(rows)
    assert tie_groups(apart) == ["a", "a", "b", "c"]
    means = [row.mean for row in rows]
    assert rank_ranges(means, apart) == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert ranks([0.9, 0.9, 0.5]) == [1, 1, 3]
