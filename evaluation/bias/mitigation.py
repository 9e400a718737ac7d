"""What another form of the verdict does to β on the same pairs: the reduction η with its interval."""

from __future__ import annotations

import numpy as np

from evaluation.bias.aspects import asked_in_both, relations, siblings
from evaluation.bias.measure import count, known, measures
from evaluation.bias.pairs import Floats
from evaluation.bias.records import Interval, Measure, Mitigation
from evaluation.bias.resample import Inference, ResampleSettings, percentile
from evaluation.bias.settings import Form
from evaluation.bias.study import JudgePairs, Study


def mitigations(
    study: Study, pairs: dict[str, JudgePairs], settings: ResampleSettings
) -> dict[str, list[Mitigation]]:
    """For each judge, every other form of the rules against the plain one.

    η = (β plain - β mitigated) / β plain. Plain and other are resampled with the same draws, so that
    what they share cancels; where the plain β may be 0, η has no meaning and is left out.
    """
    found: dict[str, list[Mitigation]] = {judge: [] for judge in study.judges}
    for form in study.settings.rules.forms:
        if form == "plain":
            continue
        shared = {
            judge: asked_in_both(pairs[judge], study.said("plain", judge), study.said(form, judge))
            for judge in study.judges
        }
        plain, plain_found = _of(study, "plain", shared, settings)
        other, other_found = _of(study, form, shared, settings)
        kin = relations(study, shared, settings, form)
        for row, judge in enumerate(study.judges):
            before, after = plain_found.draws[row], other_found.draws[row]
            apart = known(plain_found.beta[row] - other_found.beta[row])
            own = asked_in_both(pairs[judge], *[study.said(form, judge)] * 2)
            eta, reach = _reduction(plain[row], other[row], before, after, settings.alpha)
            found[judge].append(
                Mitigation(
                    measure=other[row],
                    wanted=int(pairs[judge].own.sum() + pairs[judge].null.sum()),
                    asked=int(own.own.sum() + own.null.sum()),
                    plain_beta=plain[row].beta,
                    plain_pi=plain[row].pi,
                    difference=apart,
                    difference_interval=percentile(before - after, settings.alpha),
                    reduction=eta,
                    reduction_interval=reach,
                    siblings=siblings(kin[judge]),
                )
            )
    return found


def _of(
    study: Study, form: Form, pairs: dict[str, JudgePairs], settings: ResampleSettings
) -> tuple[list[Measure], Inference]:
    counted = [count(study.said(form, judge), pairs[judge]) for judge in study.judges]
    return measures(study, form, counted, settings)


def _reduction(
    plain: Measure, other: Measure, before: Floats, after: Floats, alpha: float
) -> tuple[float | None, Interval]:
    if plain.beta is None or other.beta is None or plain.interval is None:
        return None, None
    if plain.interval[0] <= 0 <= plain.interval[1]:
        return None, None
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = np.asarray((before - after) / before)
    return (plain.beta - other.beta) / plain.beta, percentile(draws, alpha)
