"""Judges whose bias we planted: what is measured is what was planted, in rates, classes and mitigation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bias_planted import implied, planted, write_audit
from benchmarks.bias_simulation import cell, contrast_coverage
from evaluation.bias.analyse import analyse
from evaluation.bias.classes import Bounds, JudgeClass
from evaluation.bias.classic import AS_PRINTED
from evaluation.bias.judgement import judge_the_judge
from evaluation.bias.load import load
from evaluation.bias.pairs import Lots, PairSettings, contrast_pairs, equal, null_pairs, own_pairs, shown_once
from evaluation.bias.records import Mitigation, Point, Pointwise
from evaluation.bias.resample import ResampleSettings, Tallies, holm, infer, spearman
from evaluation.bias.settings import Rules
from evaluation.bias.tally import FIRST, NOT_ASKED, SECOND, UNREADABLE, blank, tally
from evaluation.bias.whole import gaps

FEW = ResampleSettings(resamples=999)


@pytest.mark.parametrize(
    ("beta", "position", "liking"), [(0.0, 0.0, 1.5), (0.0, 0.4, 0.5), (0.3, 0.4, 0.5), (-0.25, 0.2, 1.5)]
)
def test_error_coverage_and_false_alarms(beta, position, liking):
    """The short form of benchmarks.bias_simulation, with room for 400 simulations instead of 4,000."""
    found = cell(beta, position, liking, simulations=400, resamples=399)
    assert abs(found.error) <= 0.004
    assert 91 <= found.coverage <= 98.5
    if not beta:
        assert 2 <= found.rejects <= 9
        assert abs(found.foretold - found.two_of_three) <= 5  # measured by resampling, and in truth
    if liking > 1 and not beta:
        assert found.binomial > 20 and found.two_of_three > 10


def test_coverage_of_pi():
    assert 92 <= contrast_coverage(0.9, simulations=1000) <= 99


@pytest.fixture(scope="module")
def report():
    study = planted([0.3, 0.0, -0.2, 0.0, 0.0, 0.0, 0.0, 0.0], prompts=150, unreadable=0.01)
    return analyse(study, FEW, AS_PRINTED, classic_name="as printed")


def test_planted_bias_is_found(report):
    favours, fair, against = report.judges[:3]
    assert favours.measure.beta == pytest.approx(0.3, abs=0.06) and favours.measure.p_holm < 0.05
    assert against.measure.beta == pytest.approx(-0.2, abs=0.06) and against.measure.p_holm < 0.05
    assert fair.measure.interval[0] < 0 < fair.measure.interval[1]
    classes = [one.measure.judge_class for one in report.judges[:3]]
    assert classes == [JudgeClass.MACHIAVELLIAN, JudgeClass.OBJECTIVE, JudgeClass.BLIND]
    assert [one.verdict for one in report.judges[:3]] == ["not_fit", "fit", "not_fit"]
    assert favours.measure.class_probabilities["machiavellian"] > 0.9


def test_every_pair_has_an_end(report):
    for one in report.judges:
        for counts in (one.measure.own, one.measure.null):
            ends = counts.target + counts.other + counts.inconsistent + counts.unreadable
            assert ends == counts.asked == counts.wanted
    assert report.judges[0].measure.own.unreadable > 0


def test_curve_seeds_and_tasks_go_with_the_figure(report):
    one = report.judges[0]
    assert [point.name for point in one.curve] == ["0", "0.125", "0.25", "0.5", "0.75"]
    at = next(point for point in one.curve if point.name == "0.25")
    assert at.beta == pytest.approx(one.measure.beta) and at.own_pairs == one.measure.own.asked
    assert one.seeds.least < one.measure.beta < one.seeds.most and one.seeds.deviation < 0.06
    assert {point.name for point in one.tasks} == {"writing", "facts", "explaining"}
    assert sum(point.own_pairs for point in one.tasks) == one.measure.own.asked


def test_position_squeezes_beta_and_the_report_says_so():
    study = planted([0.15, 0.0, 0.0, 0.0, 0.0, 0.0], prompts=80, position=0.6)
    made = analyse(study, FEW, AS_PRINTED)
    first = made.judges[0].measure
    assert first.squeezed and first.consistency == pytest.approx(0.4, abs=0.06)
    assert first.first_share == pytest.approx(0.8, abs=0.04)
    assert first.self_share - 0.5 > 2 * first.beta  # of firm choices more than of all
    assert any("squeezed" in english for _, english in made.notes)
    assert made.judges[0].verdict == "not_fit"


def test_structured_verdicts_take_away_what_only_the_holistic_one_has():
    """Self-preference in one dimension of five: the majority keeps what that dimension implies."""
    dimensions = (0.0, 0.0, 0.0, 0.0, 1.0)
    study = planted(
        [0.3] * 6, prompts=400, dimensions=dimensions, rules=Rules(epsilons=(0.25,)), position=0.1
    )
    made = analyse(study, FEW, AS_PRINTED)
    left = implied(dimensions, 0.1, 0.8)
    assert 0.02 < left < 0.08
    etas = [one.mitigations[0].reduction for one in made.judges]
    assert float(np.mean(etas)) == pytest.approx(1 - left / 0.3, abs=0.07)
    for one in made.judges:
        eased = one.mitigations[0]
        low, high = eased.reduction_interval
        assert low < eased.reduction < high and low > 0
        assert eased.measure.pi == pytest.approx(eased.plain_pi, abs=0.15)
    eased = [one for one in made.judges if one.verdict == "fit_with_mitigation"]
    assert eased and all(abs(one.mitigations[0].measure.beta) <= 0.08 for one in eased)


def test_the_report_is_the_same_again(report):
    study = planted([0.3, 0.0, -0.2, 0.0, 0.0, 0.0, 0.0, 0.0], prompts=150, unreadable=0.01)
    assert analyse(study, FEW, AS_PRINTED, classic_name="as printed") == report


def test_kin_apart_from_oneself():
    study = planted([0.0] * 6, prompts=120, rules=Rules(epsilons=(0.25,), null_per_prompt=0))
    models = [
        m.model_copy(update={"family": "one"}) if n < 3 else m for n, m in enumerate(study.settings.models)
    ]
    study.settings = study.settings.model_copy(update={"models": tuple(models)})
    said = study.choices["plain"]["model-0"]
    for kin in (1, 2):  # the judge of model-0 always takes its kin
        asked = said[:, kin, 3:] != -2
        said[:, kin, 3:][asked], said[:, 3:, kin][asked.copy()] = FIRST, SECOND
    made = analyse(study, FEW, AS_PRINTED)
    relations = {point.name: point for point in made.judges[0].relations}
    assert relations["family_over_strangers"].beta > 0.4
    assert relations["self_over_strangers"].interval[0] < 0 < relations["self_over_strangers"].interval[1]
    assert not made.judges[5].relations
    assert relations["family_over_strangers"].p_holm == pytest.approx(
        3 * relations["family_over_strangers"].p
    )
    assert made.judges[0].verdict == "not_fit"
    assert any("its own family over strangers" in english for _, english in made.judges[0].reasons)
    fair = [one for one in made.judges[1:] if one.verdict == "fit"]
    assert fair and not any("beyond doubt" not in e and "family" in e for one in fair for _, e in one.reasons)


def siblings(beta, p_holm):
    return Point(name="x", own_pairs=9, null_pairs=9, beta=beta, interval=None, p=p_holm, p_holm=p_holm)


def test_a_judge_that_favours_its_siblings_is_not_plainly_fit(report):
    """Shown, it speaks against the judge; under a form that takes it away, with mitigation; else it is told."""
    fair = report.judges[1].measure
    common = {"bounds": Bounds(), "alpha": 0.05, "kin_graders": False}
    shown, unsure, small = siblings(0.3, 0.01), siblings(-0.3, 0.2), siblings(0.05, 0.001)
    verdict, reasons = judge_the_judge(fair, [], None, siblings=shown, **common)
    assert verdict == "not_fit" and "favours models of its own family" in reasons[0][1]
    verdict, reasons = judge_the_judge(fair, [], None, siblings=unsure, **common)
    assert verdict == "fit" and "disfavours models" in reasons[-1][1] and "beyond doubt" in reasons[-1][1]
    assert "未达显著" in reasons[-1][0]
    verdict, reasons = judge_the_judge(fair, [], None, siblings=small, **common)
    assert verdict == "fit" and not any("family" in english for _, english in reasons)
    verdict, reasons = judge_the_judge(fair, [], None, siblings=siblings(None, None), **common)
    assert verdict == "fit" and "too few pairs of kin" in reasons[-1][1]
    gone = eased(fair).model_copy(update={"siblings": small})
    verdict, reasons = judge_the_judge(fair, [gone], None, siblings=shown, **common)
    assert verdict == "fit_with_mitigation" and reasons[-1][1].endswith("kin over strangers +0.050")
    still = eased(fair).model_copy(update={"siblings": shown})
    assert judge_the_judge(fair, [still], None, siblings=shown, **common)[0] == "not_fit"


def test_siblings_are_measured_under_every_form():
    """Kin favoured in the holistic verdict alone: the structured one takes it away."""
    study = planted(
        [0.0] * 6, prompts=400, dimensions=(0.0,) * 5, rules=Rules(epsilons=(0.25,), null_per_prompt=0)
    )
    models = [
        m.model_copy(update={"family": "one"}) if n < 2 else m for n, m in enumerate(study.settings.models)
    ]
    study.settings = study.settings.model_copy(update={"models": tuple(models)})
    said = study.choices["plain"]["model-0"]
    asked = said[:, 1, 2:] != NOT_ASKED
    said[:, 1, 2:][asked], said[:, 2:, 1][asked] = FIRST, SECOND
    one = analyse(study, FEW, AS_PRINTED).judges[0]
    assert one.relations[1].beta > 0.3 and abs(one.mitigations[0].siblings.beta) < 0.1
    assert one.verdict == "fit_with_mitigation"
    assert any("own family" in english for _, english in one.reasons)


def quality_arrays():
    quarter = st.integers(20, 36).map(lambda n: n / 4)
    return st.lists(st.lists(quarter, min_size=5, max_size=5), min_size=1, max_size=4).map(
        lambda rows: np.array(rows, dtype=float).T
    )


@given(quality_arrays(), st.integers(0, 4), st.sampled_from([0.0, 0.25, 0.5]), st.integers(0, 3))
def test_pairs_keep_their_rules(quality, judge, epsilon, most):
    settings = PairSettings(epsilon=epsilon, gap=2.0, null_per_prompt=most, contrast=5)
    lots = Lots.draw(7, judge, quality.shape[1], 5)
    own, null = own_pairs(quality, judge, settings, lots), null_pairs(quality, judge, settings, lots)
    assert np.array_equal(own.any(axis=2).sum(1) > 0, equal(quality, epsilon)[:, judge].any(1))
    for q, a, b in np.argwhere(own):
        assert a == judge != b and abs(quality[a, q] - quality[b, q]) <= epsilon
    for q, a, b in np.argwhere(null):
        near = quality[[judge, a, b], q]
        assert len({judge, a, b}) == 3 and near.max() - near.min() <= epsilon and not null[q, b, a]
    if most:
        assert null.sum(axis=(1, 2)).max(initial=0) <= most
    far = contrast_pairs(quality, judge, settings, lots)
    for q, a, b in np.argwhere(far):
        assert quality[a, q] - quality[b, q] >= 2.0 and judge not in (a, b)
    assert far.sum() <= 5 and shown_once(far, lots.coin).sum() == far.sum()


def test_a_smaller_threshold_takes_from_the_same_lots():
    """What is asked for a wide threshold serves a narrow one: lots order pairs whatever the threshold."""
    quality = np.random.default_rng(3).integers(24, 30, (6, 30)) / 4
    lots = Lots.draw(0, 2, 30, 6)
    wide = null_pairs(quality, 2, PairSettings(epsilon=0.5, null_per_prompt=0), lots)
    narrow = null_pairs(quality, 2, PairSettings(epsilon=0.25, null_per_prompt=2), lots)
    assert not (narrow & ~wide).any()


def test_a_study_comes_back_from_the_folder_it_was_written_into(tmp_path):
    """The journals of the benchmark are such as an audit writes: read again word by word."""
    study = planted([0.3, 0.0, 0.0], prompts=12, dimensions=(0.0,) * 5, unreadable=0.1)
    write_audit(study, tmp_path)
    back = load(tmp_path)
    assert np.allclose(back.grades, study.grades) and not gaps(back)
    for form in ("plain", "structured"):
        for judge in study.judges:
            assert np.array_equal(back.choices[form][judge], study.choices[form][judge])


def test_only_firm_choices_count():
    said = blank(1, 3)
    said[0, 0, 1], said[0, 1, 0] = FIRST, SECOND  # firm for 0
    said[0, 0, 2], said[0, 2, 0] = FIRST, FIRST  # by place
    own = np.zeros((1, 3, 3), dtype=bool)
    own[0, 0, 1] = own[0, 0, 2] = True
    found = tally(said, own)
    assert (found.asked[0], found.target[0], found.inconsistent[0]) == (2, 1, 1)
    said[0, 2, 0] = UNREADABLE
    assert tally(said, own).unreadable[0] == 1 and tally(said, own).asked[0] == 2


def test_nothing_is_inferred_from_few_prompts():
    ones = np.ones((1, 4))
    found = infer(Tallies(ones, ones, 0 * ones, ones), FEW)
    assert found.beta[0] == 1 and np.isnan(found.p[0]) and np.isnan(found.interval).all()


def test_a_judge_without_spread():
    """A judge that always takes its own reply is significant; one that never takes any is not."""
    ones = np.ones((2, 30))
    own = ones.copy()
    own[1] = 0
    found = infer(Tallies(own, ones, 0 * ones, ones), FEW)
    assert found.p[0] == pytest.approx(1 / 1000) and found.p[1] == 1


def test_holm_and_spearman():
    assert holm([0.01, None, 0.04, 0.03]) == [0.03, None, 0.06, 0.06]
    assert spearman([1, 2, 3, 4], [10, 20, 20, 40]) == pytest.approx(0.948683, abs=1e-6)
    assert spearman([1, 1], [1, 2]) is None


def eased(measure):
    """Another form under which the judge measures so, on all of its pairs."""
    return Mitigation(
        measure=measure,
        wanted=100,
        asked=100,
        plain_beta=0.3,
        plain_pi=0.9,
        difference=None,
        difference_interval=None,
        reduction=None,
        reduction_interval=None,
    )


def test_a_judge_is_not_found_fit_by_what_was_not_asked(report):
    """A form of which a part is missing eases nothing, and ratings nobody could read show nothing."""
    fair = report.judges[1].measure
    biased = report.judges[0].measure
    whole = eased(fair)
    common = {"bounds": Bounds(), "alpha": 0.05, "kin_graders": False}
    assert judge_the_judge(biased, [whole], None, **common)[0] == "fit_with_mitigation"
    torn = whole.model_copy(update={"asked": 52})
    verdict, reasons = judge_the_judge(biased, [torn], None, **common)
    assert verdict == "not_fit" and "52 of 100" in reasons[-1][1]
    unread = Pointwise(pairs=0, prompts=0, gap=None, interval=None, p=None, p_holm=None, unscored=122)
    for pointwise, audited in ((unread, True), (unread, False), (None, True)):
        verdict, reasons = judge_the_judge(fair, [], pointwise, rates_replies=audited, **common)
        assert verdict == "not_fit" and "single replies" in reasons[-1][1]


def test_bounds_that_are_not_the_usual_ones_are_told(report):
    biased = report.judges[0].measure
    sure = biased.model_copy(update={"class_probabilities": {"objective": 1.0}})
    verdict, reasons = judge_the_judge(sure, [], None, Bounds(0.0, 1.0), alpha=0.05, kin_graders=False)
    assert verdict == "fit" and "not the usual" in reasons[-1][1]


def test_a_grader_that_left_replies_without_a_grade_is_named():
    study = planted([0.0] * 4, prompts=20)
    study.grades[0, 0, :5] = np.nan
    study.replies = 80
    told = [english for _, english in analyse(study, FEW, AS_PRINTED).notes]
    assert any("75 of 80" in line for line in told), told
