"""The leaderboard: order, baseline, what is shown without a rank, withheld, or cannot be there at all."""

from __future__ import annotations

import csv
import io

import pytest
from boardkit import made_run, ratings

from evaluation.agreement import agreements, quadratic_kappa
from evaluation.entries import find_runs, read_entry
from evaluation.export import board_csv
from evaluation.leaderboard import About, barred, build, pin, published_board
from evaluation.report.board import render_board
from schemas.errors import UsageError


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two good runs of one paper, one of another, a short one, one with many unscored, one unfinished."""
    home = tmp_path_factory.mktemp("runs")
    made_run(home / "best", ratings(0.9, seed=1), model="best")
    made_run(home / "equal", ratings(0.9, seed=2), model="equal")
    made_run(home / "worse", ratings(0.7, seed=3), model="worse", paper="second", at="2026-04-02T00:00:00Z")
    made_run(home / "short", ratings(0.95, 200), model="short")
    made_run(home / "silent", [*[None] * 40, *ratings(0.9, 960)], model="silent")
    made_run(home / "open", ratings(0.9), model="open", asked=500)
    made_run(home / "tried", ratings(0.9), model="tried", publishable=False)
    return home


@pytest.fixture(scope="module")
def entries(runs):
    about = {"best": About(organisation="One", access="API", released="2026-01-01")}
    found = [read_entry(name, path, about) for name, path in find_runs([runs]).items()]
    return [one for one in found if not barred(one.score)]


def test_what_is_not_finished_or_not_to_be_published_is_barred(runs):
    told = {name: barred(read_entry(name, path).score) for name, path in find_runs([runs]).items()}
    assert {name for name, reason in told.items() if reason} == {"open", "tried"}
    assert "500 of 1000" in told["open"]


def test_the_board_is_in_order_with_ties_and_the_best_as_baseline(entries):
    board = build(entries, pin(entries, None))
    assert [row.model for row in board.rows][2] == "worse"
    first, second, third = board.rows
    assert first.relative == 100
    assert board.baseline.model == first.model
    assert second.relative == pytest.approx(100 * second.absolute / first.absolute)
    assert set(first.tie_groups.split()) & set(second.tie_groups.split())
    assert not set(first.tie_groups.split()) & set(third.tie_groups.split())
    assert (first.rank_range, third.rank_range) == ((1, 2), (3, 3))
    assert (second.shared, third.shared) == (1000, 0)
    assert third.shared_relative is None
    assert third.evaluated == "2026-04-02"
    best = next(row for row in board.rows if row.model == "best")
    assert (best.organisation, best.access, best.released) == ("One", "API", "2026-01-01")
    assert sum(best.parts.values()) == pytest.approx(best.absolute)


def test_few_questions_or_many_unscored_are_shown_without_a_rank(entries):
    board = build(entries, pin(entries, None))
    told = {row.model: row.unranked for row in board.unranked}
    assert set(told) == {"short", "silent"}
    assert "1,000" in told["short"]
    assert "98%" in told["silent"]
    assert all(row.rank is None and not row.tie_groups for row in board.unranked)
    assert board.baseline.model != "short"  # though it scored best


def test_the_baseline_stays_when_a_better_run_comes(entries, runs, tmp_path):
    first = pin(entries, None)
    made_run(tmp_path / "newcomer", ratings(0.99), model="newcomer")
    more = [*entries, read_entry("newcomer", tmp_path / "newcomer")]
    board = build(more, pin(more, first))
    assert board.baseline == first.baseline
    assert board.rows[0].model == "newcomer"
    assert board.rows[0].relative > 100
    assert pin(more, first, baseline="newcomer").baseline.model == "newcomer"
    # Without its run the baseline is what it was.
    rest = [one for one in entries if one.run != first.baseline.run]
    away = {first.baseline.run: "its folder was lost"}
    assert build(rest, pin(rest, first, withhold=away)).rows[0].relative < 100.5


def test_runs_that_all_score_nothing_are_shown_without_a_baseline_until_one_does(tmp_path):
    made_run(tmp_path / "zero", [0] * 20, model="zero")
    none = [read_entry("zero", tmp_path / "zero")]
    kept = pin(none, None)
    board = build(none, kept)
    assert (board.baseline, [(row.absolute, row.relative) for row in board.unranked]) == (None, [(0, None)])
    assert "zero" in render_board(board, {}) and "zero" in board_csv(board)
    made_run(tmp_path / "some", [3, *[0] * 19], model="some")
    more = [*none, read_entry("some", tmp_path / "some")]
    assert pin(more, kept).baseline.model == "some"


def test_a_run_of_few_scores_is_no_baseline_beside_a_whole_one(tmp_path):
    made_run(tmp_path / "holes", [3, None, 3, None], model="holes")
    made_run(tmp_path / "whole", [1, 1, 1, 1], model="whole")
    both = [read_entry(name, tmp_path / name) for name in ("holes", "whole")]
    board = build(both, pin(both, None))
    assert board.baseline.model == "whole"
    assert "98%" in board.unranked[0].unranked and "1,000" in board.unranked[0].unranked


def test_a_run_is_withheld_with_a_reason_that_is_kept_and_can_be_lifted(entries):
    kept = pin(entries, None, withhold={"worse": "a wrong system prompt"}, at="2026-05-01")
    board = build(entries, kept)
    assert "worse" not in [row.model for row in board.rows]
    assert [(w.run, w.model, w.reason, w.at) for w in board.withheld] == [
        ("worse", "worse", "a wrong system prompt", "2026-05-01")
    ]
    assert pin(entries, kept).withheld == kept.withheld
    assert not pin(entries, kept, withhold={"worse": ""}).withheld
    with pytest.raises(UsageError, match="none of the board's runs"):
        pin(entries, kept, withhold={"nobody": "x"})


def test_a_run_that_was_shown_does_not_vanish_without_a_reason(entries):
    first = pin(entries, None)
    rest = [entry for entry in entries if entry.run != "worse"]
    with pytest.raises(UsageError, match="worse") as gone:
        pin(rest, first)
    assert gone.value.code == "run_gone"
    kept = pin(rest, first, withhold={"worse": "its folder was lost"})
    assert [(one.run, one.model) for one in kept.withheld] == [("worse", "worse")]
    assert pin(rest, kept).withheld == kept.withheld
    assert pin(rest, first, left_out=["worse"]).shown == first.shown  # told of apart, and still remembered


def test_scores_of_two_judges_make_no_board(entries, tmp_path):
    made_run(tmp_path / "other", ratings(0.8), model="m", judge="judge-2")
    other = read_entry("other", tmp_path / "other")
    with pytest.raises(UsageError, match="2 versions of a judge"):
        pin([*entries, other], None)
    with pytest.raises(UsageError, match="2 versions of a judge"):
        pin([other], pin(entries, None))


def test_two_runs_of_one_name_are_refused(runs, tmp_path):
    made_run(tmp_path / "best", ratings(0.9), model="best")
    with pytest.raises(UsageError, match="two runs have the name best"):
        find_runs([runs, tmp_path / "best"])


def test_csv_has_every_row_and_no_formula(entries):
    named = [
        one if one.run != "best" else type(one)(**{**vars(one), "about": About(organisation="=1+1")})
        for one in entries
    ]
    rows = list(csv.DictReader(io.StringIO(board_csv(build(named, pin(named, None))))))
    assert {row["model"] for row in rows} == {"best", "equal", "worse", "short", "silent"}
    assert {row["organisation"] for row in rows} == {"", "'=1+1"}
    assert all(float(row["absolute"]) > 0 and row["d02"] for row in rows)


def test_the_published_board_comes_as_printed():
    board = published_board()
    assert len(board.rows) == 59
    assert (board.rows[0].relative, board.rows[0].absolute) == (100, 93.67)
    tied = {row.model: row.rank for row in board.rows if row.absolute == 64.73}
    assert tied == {"Baidu-3.5": 33, "ChatGLM-Pro": 33}
    assert all(row.interval[0] < row.absolute < row.interval[1] for row in board.rows)
    assert all(row.rank_range[0] <= row.rank <= row.rank_range[1] for row in board.rows)


def test_judges_of_a_panel_are_compared_pair_by_pair(tmp_path):
    stars = ratings(0.6, 50)
    lower = [max(0, one - 1) for one in stars]
    made_run(tmp_path / "r", stars, model="m", votes={"a": stars, "b": lower, "c": stars})
    found = read_entry("r", tmp_path / "r").agreements
    assert [one.judges for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found[1].equal == found[1].kappa == 1
    assert found[0].equal < 0.5
    assert 0 < found[0].kappa < 1
    assert agreements({}) == ()


def test_kappa_of_a_known_table():
    """Σ (a - b)² is 2 over 4 pairs and 8/4 expected: 1 - 0.5/2 x 1."""
    assert quadratic_kappa([0, 1, 2, 3], [1, 1, 2, 2]) == pytest.approx(1 - 0.5 / 1.5)
    assert quadratic_kappa([2, 2], [2, 2]) is None
    assert quadratic_kappa([], []) is None
