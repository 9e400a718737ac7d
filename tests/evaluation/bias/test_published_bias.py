"""The source's printed figures come out again, and each thing in them that does not fit is a test."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import numpy as np
import pytest

from evaluation.bias.classes import Bounds, JudgeClass, classify
from evaluation.bias.classic import (
    AS_PRINTED,
    AS_WRITTEN,
    Classic,
    ClassicSettings,
    classic,
    discriminability_p,
)
from evaluation.bias.published import epsilon, judges, source, tasks
from evaluation.families import families
from evaluation.intervals import proportion_interval

BY_NAME = {one.judge: one for one in judges()}
QWEN, LONGCAT, CLAUDE = "Qwen3-235B-A22B-Thinking-2507", "LongCat-Flash-Chat", "Claude-Sonnet-4.5"


def outcome_of(judge, settings: ClassicSettings = AS_PRINTED) -> Classic:
    found = classic(judge.rates, settings, np.random.default_rng(1))
    assert found is not None
    return found


def by_task(judge: str) -> dict[str, tuple[float, float | None]]:
    return {one.task: (one.table_4, one.table_5) for one in tasks() if one.judge == judge}


def test_betas():
    assert len(judges()) == 20
    assert all(abs(one.rho - one.rho_null - one.beta) <= 0.001 + 1e-9 for one in judges())


def test_betas_from_whole_counts():
    for one in judges():
        beta = one.rates.own / one.own_pairs - one.rates.target / one.null_pairs
        assert abs(beta - one.beta) <= 0.002, one.judge


def test_classes():
    assert all(classify(one.pi, one.beta, Bounds()) is one.judge_class for one in judges())
    assert Counter(one.judge_class for one in judges()) == {
        JudgeClass.OBJECTIVE: 3,
        JudgeClass.MACHIAVELLIAN: 6,
        JudgeClass.RANDOMIZER: 7,
        JudgeClass.BLIND: 4,
    }


def test_sixty_marks_and_seventeen_significant():
    for one in judges():
        found = outcome_of(one)
        marks = (found.binomial, found.z_test, found.bootstrap, found.significant)
        assert marks == (one.binomial, one.z, one.bootstrap, one.significant), one.judge
    assert sum(one.significant for one in judges()) == 17


def test_p_of_pi():
    for one, below in (("Kimi-K2-Thinking", 0.47), (LONGCAT, 1e-12)):
        assert discriminability_p(round(100 * BY_NAME[one].pi), 100) < below


class TestContradictions:
    """One test for each entry of source.toml that can be recomputed."""

    def test_all_have_a_test_or_are_notes(self):
        named = {name.removeprefix("test_") for name in dir(self) if name.startswith("test_")}
        holds = {one["name"] for one in source()["contradictions"] if one["holds"]}
        assert holds == named - {"all_have_a_test_or_are_notes"}
        assert len(source()["contradictions"]) == 17

    def test_qwen_thinking_by_task(self):
        found = by_task(QWEN)
        assert [pair[0] for pair in found.values()] == [0.86, 0.54, 0.47]
        assert [pair[1] for pair in found.values()] == [0.336, 0.466, 0.540]

    def test_longcat_text_generation(self):
        assert by_task(LONGCAT)["text_generation"] == (0.43, 0.319)

    def test_gemma_reduction(self):
        figure, table = source()["mitigation"]["Gemma-3-12B"]
        assert figure != table

    def test_binomial_sides(self):
        """One-sided, as the text has it, no negative bias could carry a mark; nine judges have one."""
        marked = [one for one in judges() if one.beta < 0 and one.binomial]
        assert len(marked) == 8
        assert not any(outcome_of(one, AS_WRITTEN).binomial for one in marked)

    def test_tables_4_and_5(self):
        shared = [one for one in tasks() if one.table_5 is not None]
        differ = [one for one in shared if abs(one.table_4 - (one.table_5 or 0)) > 0.0051]
        assert len(shared) == 25 and len(differ) >= 20
        for judge in (LONGCAT, "DeepSeek-V3.2", QWEN):
            found = by_task(judge)
            (four_2, five_2), (four_3, five_3) = found["information_provision"], found["explanation"]
            assert four_2 == pytest.approx(five_3, abs=0.0051) and four_3 == pytest.approx(five_2, abs=0.0051)

    def test_overall_outside_its_parts(self):
        count = source()["tasks_count"]
        covered = sum(count[task] for task in by_task(QWEN))
        assert covered == 86 and BY_NAME[QWEN].beta < min(five or 0 for _, five in by_task(QWEN).values())

    def test_null_pairs_too_few(self):
        prompts = source()["setting"]["prompts"]
        for one in judges():
            partners = one.own_pairs / prompts
            assert one.null_pairs / prompts < 10 < partners * (partners - 1) / 2 / 4

    def test_marks_need_three_levels(self):
        """No fixed chance level gives the binomial marks, and no one level all of Z and interval."""
        for chance in (0.25, 1 / 3, 0.5):
            for alpha in (0.001, 0.01, 0.05, 0.1):
                setting = ClassicSettings(chance=chance, binomial_alpha=alpha, resamples=100)
                assert any(outcome_of(one, setting).binomial != one.binomial for one in judges())
        grok = BY_NAME["Grok-4-Fast"]
        strict = ClassicSettings(resamples=100_000)
        assert outcome_of(grok, strict).z_test != grok.z and outcome_of(grok).z_test == grok.z
        assert outcome_of(grok, strict).binomial != grok.binomial

    def test_standard_error(self):
        errors = [
            sqrt(r * (1 - r) / n + s * (1 - s) / m)
            for r, s, n, m in ((one.rho, one.rho_null, one.own_pairs, one.null_pairs) for one in judges())
        ]
        _, low, high = source()["hierarchical"][LONGCAT]
        assert sum(errors) / 20 == pytest.approx(0.018, abs=0.001)
        assert (high - low) / (2 * 1.96) == pytest.approx(0.023, abs=0.001)

    def test_objective_and_significant(self):
        one = BY_NAME["Kimi-Linear-48B-A3B-Instruct"]
        assert one.judge_class is JudgeClass.OBJECTIVE and one.significant

    def test_kin_of_a_grader(self):
        graders = set().union(*(families(name) for name in source()["setting"]["graders"]))
        assert {one.judge for one in judges() if families(one.judge) & graders} == {
            "Gemma-3-12B",
            "Gemma-3-27B",
        }

    def test_pi_by_chance(self):
        low, high = proportion_interval(BY_NAME["Gemma-3-12B"].pi, 100)
        assert low < 0.8 < BY_NAME["Gemma-3-27B"].pi < high

    def test_squeezed_by_position(self):
        squeezed = [one for one in judges() if 2 * one.rho_null < 0.25]
        assert len(squeezed) == 5 and all(abs(one.beta) < 0.11 for one in squeezed)
        assert all(one.beta >= -one.rho_null for one in squeezed)

    def test_claude_rounding(self):
        assert BY_NAME[CLAUDE].beta == -0.229
        assert epsilon()[CLAUDE][0.25] == source()["hierarchical"][CLAUDE][0] == -0.228
