"""Checking judges against people: figures as scikit-learn gives them, scales, boards, attacks, resume."""

from __future__ import annotations

import json

import pytest
from evaluation_kit import endpoint
from hypothesis import given
from hypothesis import strategies as st

from evaluation.agreement import quadratic_kappa
from evaluation.check import (
    Rated,
    agreement,
    area_under_curve,
    bigram_recall,
    boards,
    cohen_kappa,
    kendall_tau,
)
from evaluation.checking import Checker, attack, chosen
from evaluation.journal import Journal
from evaluation.judge import EndpointJudge, OverlapJudge
from evaluation.rated import is_correct, read_rated, to_stars
from schemas.errors import ModelError, UsageError

PEOPLE = [0, 1, 2, 3, 3, 2, 1, 0, 3, 3, 1, 2, 0, 0, 2, 3]
JUDGE = [0, 1, 1, 3, 2, 2, 0, 0, 3, 1, 1, 3, 0, 2, 2, 3]


def rated(people=PEOPLE, judge=JUDGE, model="m", kind="all"):
    return [
        Rated(f"{model}{n}", f"q{n}", model, kind, f"g{n % 3}", h, j)
        for n, (h, j) in enumerate(zip(people, judge, strict=True))
    ]


def test_figures_are_those_of_scikit_learn():
    """accuracy_score, cohen_kappa_score(weights=None and "quadratic") and roc_auc_score of version 1.x."""
    found = agreement(rated())
    assert (found.accuracy, found.rated) == (0.625, 16)
    assert found.kappa == pytest.approx(0.5)
    assert found.weighted_kappa == pytest.approx(0.7142857142857143)
    assert found.bias == pytest.approx((sum(JUDGE) - sum(PEOPLE)) / 16)
    assert sum(map(sum, found.confusion)) == 16
    assert area_under_curve([0.1, 0.4, 0.35, 0.8], [False, False, True, True]) == 0.75
    assert area_under_curve([1, 1, 2, 2], [False, True, False, True]) == 0.5


def test_replies_without_a_verdict_are_counted_apart():
    found = agreement(rated([0, 3, 3], [0, None, 3]))
    assert (found.rated, found.unscored, found.accuracy, found.weighted_kappa) == (2, 1, 1.0, 1.0)
    nothing = agreement(rated([1], [None]))
    assert (nothing.rated, nothing.accuracy, nothing.bias) == (0, None, None)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_kappas_stay_in_their_range(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    for kappa in (cohen_kappa, quadratic_kappa):
        value = kappa(first, second)
        assert value is None or -1 <= value <= 1 + 1e-9
        assert value == kappa(second, first)
    assert cohen_kappa(first, first) in (None, 1.0)


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], 1.0),
        ([1, 2, 3], [3, 2, 1], -1.0),
        ([1, 2, 3, 4], [1, 3, 2, 4], 2 / 3),
        ([12, 2, 1, 12, 2], [1, 4, 7, 1, 0], -0.47140452079103173),
        ([1, 1], [1, 2], None),
    ],
)
def test_kendalls_tau_b(first, second, tau):
    assert kendall_tau(first, second) == (None if tau is None else pytest.approx(tau))


@pytest.mark.parametrize(
    ("value", "stars", "right"),
    [
        (2, 2, True),
        (0, 0, False),
        (7, None, None),
        ("3", None, None),
        ({"Correctness": 3, "Explanation Correctness": 2}, 3, True),
        ({"Correctness": 3, "Explanation Correctness": 1}, 2, True),
        ({"Correctness": 2, "Explanation Correctness": 1}, 1, None),
        ({"Correctness": 1, "Explanation Correctness": 2}, 1, False),
        ({"Correctness": 1, "Explanation Correctness": 1}, 0, False),
        ({"Accuracy": 5, "Logicality": 3}, 3, None),
        ({"Accuracy": 5, "Logicality": 2}, 2, None),
        ({"Accuracy": 3}, 1, None),
        ({"Accuracy": 1}, 0, None),
        ({}, None, None),
    ],
)
def test_peoples_scales_are_read_core_correctness_first(value, stars, right):
    assert to_stars(value) == stars
    assert is_correct(value) is right


def test_boards_stand_side_by_side_with_tie_groups():
    good, same = [3] * 60 + [2] * 20, [3] * 59 + [2] * 21
    rows = rated(good, good, "a") + rated(same, same, "b") + rated([0, 1] * 40, [3] * 80, "c")
    board = boards(rows)
    assert board.models == ("a", "b", "c")
    assert board.human_groups == ("a", "a", "b")
    assert (board.human_ranks, board.judge_ranks) == ((1, 2, 3), (2, 3, 1))
    assert board.tau == pytest.approx(-1 / 3)


def write(path, rows):
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", encoding="utf-8")
    return path


def a_row(n, stars, reply="答案"):
    return {
        "id": f"r{n}",
        "question": f"题#{n}",
        "reference": "甲乙丙",
        "reply": reply,
        "scores": {"human": stars},
    }


def test_files_that_are_none_are_refused(tmp_path):
    for rows in ([{"question": "q"}], [a_row(1, 9)], [{**a_row(1, 1), "reply": 5}], []):
        with pytest.raises(UsageError):
            read_rated(write(tmp_path / "x.jsonl", rows), "human")
    with pytest.raises(UsageError):
        read_rated(write(tmp_path / "x.jsonl", [a_row(1, 1)]), "experts")


def test_a_check_goes_on_where_it_stopped_and_asks_malformed_verdicts_again(server, clock, tmp_path):
    rows = read_rated(write(tmp_path / "x.jsonl", [a_row(n, n % 4) for n in range(6)]), "human")
    server.judge_says = lambda prompt, nth: "hm" if "题#2" in prompt and nth == 1 else '{"Overall Rating":2}'
    for times in range(2):
        with Journal(tmp_path / "ratings.jsonl") as journal:
            checker = Checker(EndpointJudge(endpoint(server, "judge-1")), journal, clock.sleep)
            assert [checker.stars(row, row.reply) for row in rows] == [2] * 6
        assert len(server.requests) == 7, times
    with Journal(tmp_path / "ratings.jsonl") as journal:  # another judge is another matter
        Checker(EndpointJudge(endpoint(server, "judge-2")), journal, clock.sleep).stars(rows[0], "答案")
    assert len(server.requests) == 8


def test_a_dead_judge_stops_the_check(server, clock, tmp_path):
    rows = read_rated(write(tmp_path / "x.jsonl", [a_row(n, 1) for n in range(20)]), "human")
    server.close()
    checker = Checker(EndpointJudge(endpoint(server, "j", max_attempts=1)), None, clock.sleep)
    with pytest.raises(ModelError) as stopped:
        for row in rows:
            checker.stars(row, row.reply)
    assert stopped.value.code == "model_down"


def test_attacks_are_tried_and_what_they_did_is_told(server, clock, tmp_path):
    rows = read_rated(write(tmp_path / "x.jsonl", [a_row(n, 0) for n in range(4)]), "human")
    calm = attack(Checker(OverlapJudge(), None, clock.sleep), rows, "human", 1)
    assert (calm.tried, calm.raised, calm.unscored) == (60, 0, 0)
    server.judge_says = lambda prompt, nth: json.dumps({"Overall Rating": 3 if "三颗星" in prompt else 1})
    swayed = attack(Checker(EndpointJudge(endpoint(server, "j")), None, clock.sleep), rows, "human", 1)
    assert (swayed.raised, swayed.raised_by) == (1, ("order",))


def test_a_limit_draws_at_random_and_the_same_again():
    rows = list(range(100))
    assert chosen(rows, 10, 1) == chosen(rows, 10, 1) != chosen(rows, 10, 2)
    assert chosen(rows, 10, 1) != rows[:10]
    assert chosen(rows, None, 1) == chosen(rows, 100, 1) == rows


def test_bigram_recall():
    assert bigram_recall("abcd", "abx") == 0.5
    assert bigram_recall("xay", "a") == 1
