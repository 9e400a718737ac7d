"""Scores: the mean over what was scored, from unrounded values, with the unscored in sight."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.design import design_of
from evaluation.intervals import proportion_interval
from evaluation.overlap import stars as overlap_stars
from evaluation.scoring import bounds, relative_to, score, shared_relative
from schemas.errors import UsageError
from schemas.evaluation import Verdict

RATINGS = st.lists(st.none() | st.integers(0, 3), max_size=60)


def scored(ratings, *, per=4, model="m", judge="j", prompt_hash="p", **more):
    disciplines = {f"q{n}": f"d{n % per:02}" for n in range(len(ratings))}
    verdicts = {
        f"q{n}": Verdict(
            question_id=f"q{n}", stars=stars, reason="" if stars is not None else "timeout", judge=judge
        )
        for n, stars in enumerate(ratings)
    }
    return score(disciplines, verdicts, model=model, judge=judge, prompt_hash=prompt_hash, **more)


def test_the_published_best_row_comes_out():
    """2,810 of 3,000 stars over ten disciplines are 93.67, the mean and not the sum."""
    ratings = [3] * 810 + [2] * 190
    result = scored(ratings, per=10)
    assert round(result.absolute, 2) == 93.67
    assert round(sum(d.score for d in result.disciplines), 2) == 93.67


def test_the_unscored_are_counted_by_reason_and_never_as_zero():
    result = scored([3, None, None, 3])
    assert (result.absolute, result.scored, result.asked) == (100.0, 2, 4)
    assert result.unscored == {"timeout": 2}
    assert bounds(result) == (50.0, 100.0)


def test_a_question_without_a_verdict_is_not_asked():
    result = score({"q1": "d01"}, {}, model="m", judge="j", prompt_hash="")
    assert result.unscored == {"not_asked": 1}
    assert result.absolute is result.interval is result.disciplines[0].score is None


@given(RATINGS)
def test_figures_agree_with_each_other(ratings):
    result = scored(ratings, publishable=True)
    given_stars = [r for r in ratings if r is not None]
    assert result.asked == len(ratings) == result.scored + sum(result.unscored.values())
    assert result.stars == sum(given_stars) == sum(d.stars for d in result.disciplines)
    assert result.publishable is bool(given_stars)
    if given_stars:
        assert result.absolute == pytest.approx(sum(given_stars) / (3 * len(given_stars)) * 100)
        low, high = result.interval
        assert 0 <= low <= result.absolute <= high <= 100
        worst, best = bounds(result)
        assert worst - 1e-9 <= result.absolute <= best + 1e-9
    for row in result.disciplines:
        assert row.score is None or 0 <= row.score <= 10


@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=10))
def test_with_equal_disciplines_absolute_is_ten_times_their_mean(table):
    ratings = [row[n] for n in range(5) for row in table]
    result = scored(ratings, per=len(table))
    mean = sum(d.score for d in result.disciplines) / len(table)
    assert result.absolute == pytest.approx(10 * mean)


@given(RATINGS, st.randoms())
def test_the_order_of_questions_does_not_matter(ratings, random):
    order = list(range(len(ratings)))
    random.shuffle(order)
    disciplines = {f"q{n}": f"d{n % 3}" for n in order}
    verdicts = {f"q{n}": Verdict(question_id=f"q{n}", stars=ratings[n], reason="x", judge="j") for n in order}
    again = score(disciplines, verdicts, model="m", judge="j", prompt_hash="p")
    straight = score(
        dict(sorted(disciplines.items())),
        dict(sorted(verdicts.items())),
        model="m",
        judge="j",
        prompt_hash="p",
    )
    assert again == straight


@given(st.integers(1, 3000), st.integers(0, 9000))
def test_more_questions_narrow_the_interval(count, stars):
    stars = min(stars, 3 * count)
    low, high = proportion_interval(stars / (3 * count), count)
    wider_low, wider_high = proportion_interval(stars / (3 * count), 4 * count)
    assert wider_high - wider_low < high - low


def test_relative_uses_unrounded_scores():
    base, mine = scored([3, 3, 2]), scored([2, 2, 1], model="other")
    result = relative_to(mine, base)
    assert result.relative == pytest.approx(100 * 5 / 8)
    assert (result.relative_to, result.baseline_absolute) == ("m", base.absolute)


@pytest.mark.parametrize("base", [{"judge": "k"}, {"prompt_hash": "other"}])
def test_another_judge_makes_no_baseline(base):
    with pytest.raises(UsageError, match="judge"):
        scored([3], baseline=scored([3], **base))


@pytest.mark.parametrize("ratings", [[], [None], [0, 0]])
def test_a_baseline_without_score_is_refused(ratings):
    with pytest.raises(UsageError, match="baseline"):
        scored([3], baseline=scored(ratings))


@given(st.text(min_size=1).filter(str.strip))
def test_a_reference_overlaps_itself_fully(text):
    assert overlap_stars(text, text) == 3


@given(st.text(max_size=300), st.text(max_size=300))
def test_overlap_is_always_a_number_of_stars(reply, reference):
    assert overlap_stars(reply, reference) in {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("reply", "reference", "stars"),
    [
        ("判断：正确。因为边际成本递增。", "正确", 2),
        ("判断：不正确。", "正确", 0),
        ("incorrect", "correct", 0),
        ("x = 312", "12", 0),
        ("结果为 12。", "12", 2),
        ("2.14", "3.14", 0),
        ("3.14", "14", 0),
        ("货币政策通过利率渠道影响总需求", "货币政策通过利率渠道影响总需求。", 3),
        ("完全无关的话", "货币政策通过利率渠道影响总需求", 0),
    ],
)
def test_overlap_of_plain_cases(reply, reference, stars):
    assert overlap_stars(reply, reference) == stars


def test_the_relative_score_of_2023_is_taken_on_common_questions_alone():
    mine, base = {"a": 3, "b": 0, "c": 2}, {"b": 2, "c": 2, "d": 0}
    assert shared_relative(mine, base) == (pytest.approx(50), 2)
    assert shared_relative(mine, {"d": 3}) is None
    assert shared_relative(mine, {"a": 0}) is None


def test_types_are_scored_apart_and_strata_keep_what_they_were_drawn_from():
    manifest = {
        "questions": [
            {"question_id": f"q{n}", "discipline": f"d0{n % 2}", "question_type": t, "language": "zh"}
            for n, t in enumerate(["essay", "essay", "analysis", "essay"])
        ],
        "sample": {
            "strata_fields": ["discipline"],
            "strata": [{"name": "d00", "eligible": 2}, {"name": "d01", "eligible": 400}],
        },
    }
    result = scored([3, 1, 3, None], per=2, design=design_of(manifest))
    assert [(t.question_type, t.asked, t.scored, t.stars) for t in result.types] == [
        ("analysis", 1, 1, 3),
        ("essay", 3, 2, 4),
    ]
    assert [(s.stratum, s.eligible, s.asked, s.counts) for s in result.strata] == [
        ("d00", 2, 2, (0, 0, 0, 2)),
        ("d01", 400, 2, (0, 1, 0, 0)),
    ]
    # Nothing is left to chance where all questions there are were asked.
    assert result.disciplines[0].interval == (10, 10)
    assert result.disciplines[1].interval[0] < 5
    assert result.coverage == 0.75


def test_strata_a_run_does_not_keep_are_taken_as_disciplines_without_end():
    questions = [{"question_id": "q0", "discipline": "d00", "question_type": "essay", "language": "zh"}]
    sample = {"strata_fields": ["sub_discipline"], "strata": [{"name": "d0001", "eligible": 1}]}
    result = scored([2], per=1, design=design_of({"questions": questions, "sample": sample}))
    assert (result.strata[0].stratum, result.strata[0].eligible) == ("d00", None)
