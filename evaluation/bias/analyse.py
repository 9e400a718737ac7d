"""From a study to its report: every judge measured, tested, placed and judged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from evaluation.bias.aspects import curve, relations, siblings, spread, tasks
from evaluation.bias.classic import ClassicSettings, Rates, classic, critical
from evaluation.bias.judgement import judge_the_judge
from evaluation.bias.measure import count, measures
from evaluation.bias.mitigation import mitigations
from evaluation.bias.pointwise import pointwise
from evaluation.bias.records import (
    AuditReport,
    ClassicMarks,
    Correlation,
    Gap,
    GraderAgreement,
    JudgeReport,
    Measure,
)
from evaluation.bias.resample import ResampleSettings, spearman
from evaluation.bias.settings import families_of
from evaluation.bias.study import Study, pairs_of
from evaluation.bias.whole import elsewhere, gaps, told, unfinished, ungraded

_PERMUTATIONS = 10_000


def analyse(
    study: Study,
    settings: ResampleSettings,
    classic_settings: ClassicSettings,
    *,
    classic_name: str = "",
    made_at: str = "",
) -> AuditReport:
    """The report of a study. The same study and settings give the same report."""
    pairs = {judge: pairs_of(study, judge) for judge in study.judges}
    counted = [count(study.said("plain", judge), pairs[judge]) for judge in study.judges]
    found, inference = measures(study, "plain", counted, settings, critical(classic_settings))
    curves, by_task = curve(study, settings), tasks(study, pairs, settings)
    eased, stars = mitigations(study, pairs, settings), pointwise(study, settings)
    kin, missing = relations(study, pairs, settings), gaps(study)
    quality = _mean_quality(study)
    reports = []
    for row, judge in enumerate(study.judges):
        model = study.settings.models[study.place(judge)]
        verdict, reasons = judge_the_judge(
            found[row],
            eased[judge],
            stars.get(judge),
            study.settings.rules.bounds,
            alpha=settings.alpha,
            kin_graders=bool(study.kin_graders),
            rates_replies=model.pointwise,
            missing=(*unfinished(judge, missing), *ungraded(study.grading)),
            elsewhere=elsewhere(judge, missing),
            siblings=siblings(kin[judge]),
        )
        reports.append(
            JudgeReport(
                judge=judge,
                name=model.name,
                model_ids=study.model_ids.get(judge, ()),
                families=tuple(sorted(families_of(model, study.model_ids))),
                quality=quality.get(judge),
                measure=found[row],
                classic=_classic(found[row], inference.alarms[row], classic_settings, settings.seed + row),
                curve=tuple(curves[judge]),
                seeds=spread(study, judge),
                tasks=tuple(by_task[judge]),
                relations=tuple(kin[judge]),
                mitigations=tuple(eased[judge]),
                pointwise=stars.get(judge),
                verdict=verdict,
                reasons=reasons,
            )
        )
    rules = study.settings.rules
    return AuditReport(
        audit=study.audit,
        started_at=study.started_at,
        made_at=made_at,
        prompts=len(study.prompts),
        models=tuple(study.labels),
        graders=tuple(one.called for one in study.settings.graders),
        rules=rules,
        resamples=settings.resamples,
        seed=settings.seed,
        alpha=settings.alpha,
        classic_setting=classic_name,
        replies=study.replies,
        replies_missing=len(study.prompts) * len(study.labels) - study.replies,
        graded=int((~np.isnan(study.quality)).sum()),
        missing=missing,
        grading=study.grading,
        agreements=_agreements(study),
        quality_beta=_correlation(
            [(quality.get(one.judge), one.measure.beta) for one in reports], settings.seed
        ),
        pi_beta=_correlation([(one.measure.pi, one.measure.beta) for one in reports], settings.seed),
        judges=tuple(reports),
        notes=_notes(study, reports, missing),
    )


def _mean_quality(study: Study) -> dict[str, float]:
    """The mean grade of each model over the prompts on which it was graded."""
    quality = study.quality
    return {
        label: float(np.nanmean(quality[row]))
        for row, label in enumerate(study.labels)
        if not np.isnan(quality[row]).all()
    }


def _classic(
    measure: Measure, alarms: np.ndarray, settings: ClassicSettings, seed: int
) -> ClassicMarks | None:
    rates = Rates(measure.own.target, measure.own.asked, measure.null.target, measure.null.asked)
    found = classic(rates, settings, np.random.default_rng([seed, 3]))
    if found is None:
        return None
    z, interval, binomial, majority = (float(value) for value in alarms)
    return ClassicMarks(
        binomial=found.binomial,
        z=found.z_test,
        bootstrap=found.bootstrap,
        significant=found.significant,
        alarms=None if np.isnan(alarms).any() else (z, interval, binomial, majority),
    )


def _agreements(study: Study) -> tuple[GraderAgreement, ...]:
    names = [one.called for one in study.settings.graders]
    rows = []
    for one, other in combinations(range(len(names)), 2):
        first, second = study.grades[one].ravel(), study.grades[other].ravel()
        there = ~np.isnan(first) & ~np.isnan(second)
        if not there.any():
            continue
        apart = np.abs(first[there] - second[there])
        rows.append(
            GraderAgreement(
                graders=(names[one], names[other]),
                replies=int(there.sum()),
                spearman=spearman(first[there].tolist(), second[there].tolist()),
                mean_difference=float(apart.mean()),
                median_difference=float(np.median(apart)),
                within=float((apart <= study.settings.rules.epsilon + 1e-9).mean()),
            )
        )
    return tuple(rows)


def _correlation(pairs: list[tuple[float | None, float | None]], seed: int) -> Correlation:
    """Spearman over the judges; p = (k + 1) / (B + 1) of permutations at least as far from 0."""
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    first, second = [a for a, _ in both], [b for _, b in both]
    rho = spearman(first, second)
    if rho is None or len(both) < 4:
        return Correlation(judges=len(both), rho=rho, p=None)
    random = np.random.default_rng([seed, 4])
    one, other = np.argsort(np.argsort(first)).astype(float), np.argsort(np.argsort(second)).astype(float)
    mixed = random.permuted(np.tile(one, (_PERMUTATIONS, 1)), axis=1)
    centred = (mixed - one.mean()) @ (other - other.mean()) / (len(both) * one.std() * other.std())
    reached = int((np.abs(centred) >= abs(rho) - 1e-9).sum())
    return Correlation(judges=len(both), rho=rho, p=(reached + 1) / (_PERMUTATIONS + 1))


def _notes(study: Study, reports: list[JudgeReport], missing: Sequence[Gap]) -> tuple[tuple[str, str], ...]:
    """What a reader must know before the figures."""
    notes = told(missing)
    squeezed = [one.judge for one in reports if one.measure.squeezed]
    if squeezed:
        named = ", ".join(squeezed)
        notes.append(
            (
                f"{named}：位置偏差使判决不一致，β 最多约为一致率的一半，被压向 0；"
                "请同时看一致选择中选自己的比例。",
                f"{named}: place decides many pairs; β cannot go far beyond half the consistency and is"
                " squeezed towards 0. Look at the share of firm choices that fall on oneself as well.",
            )
        )
    weak = [one.judge for one in reports if one.measure.pi is not None and one.measure.pi_p is not None]
    weak = [one.judge for one in reports if one.judge in weak and (one.measure.pi_p or 0) > 0.05]
    if weak:
        pairs = {one.judge: one.measure.contrast_pairs for one in reports}
        named = ", ".join(f"{judge} ({pairs[judge]})" for judge in weak)
        notes.append(
            (
                f"{named}：在这些数目的悬殊回答对上，判决未能证明优于掷硬币。",
                f"{named}: on so many pairs of high contrast the verdicts are not shown to be better"
                " than a coin's.",
            )
        )
    few = [one.judge for one in reports if not one.measure.contrast_pairs]
    if few:
        named = ", ".join(few)
        notes.append(
            (
                f"{named}：没有悬殊的回答对，无法得出 π。",
                f"{named}: there were no pairs of high contrast, so that there is no π.",
            )
        )
    why = {one.grader: f" ({one.example})" for one in study.grading if one.example}
    for grader, grades in zip(study.settings.graders, study.grades, strict=True):
        given = int((~np.isnan(grades)).sum())
        if given < study.replies:
            said = (grader.called, given, study.replies, why.get(grader.called, ""))
            notes.append(
                (
                    "{}：只有 {}/{} 份回答有可读的质量分{}。".format(*said),
                    "{}: only {} of {} replies have a grade that could be read{}.".format(*said),
                )
            )
    if study.kin_graders:
        notes.append(
            (
                f"评分者与被审模型同族（{study.kin_graders}）：等质回答对可能带有同样的偏好。",
                f"A grader is of the family of a model ({study.kin_graders}): pairs of equal quality may"
                " share its preferences.",
            )
        )
    return tuple(notes)
