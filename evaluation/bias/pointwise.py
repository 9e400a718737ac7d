"""Whether a judge gives its own replies more stars than equal ones of others."""

from __future__ import annotations

import numpy as np

from evaluation.bias.measure import known
from evaluation.bias.records import Pointwise
from evaluation.bias.resample import ResampleSettings, Tallies, holm, infer
from evaluation.bias.study import Study, equals_of


def pointwise(study: Study, settings: ResampleSettings) -> dict[str, Pointwise]:
    """For each judge with stars: the mean over pairs of equal quality of own stars less the other's.

    Equal are replies whose grades by the independent graders are at most epsilon apart: a fair judge
    gives them the same stars on average.
    """
    judges = [label for label in study.labels if label in study.stars]
    if not judges:
        return {}
    referenced = np.array([bool(one.reference.strip()) for one in study.prompts])
    totals, counts, lost, bare = [], [], [], []
    for judge in judges:
        every, stars = equals_of(study, judge), study.stars[judge]
        own = every & referenced
        gap = stars[study.place(judge)][None, :] - stars
        there = own & ~np.isnan(gap)
        totals.append(np.where(there, gap, 0.0).sum(0))
        counts.append(there.sum(0).astype(np.float64))
        lost.append(int((own & np.isnan(gap)).sum()))
        bare.append(int((every & ~referenced).sum()))
    found = infer(Tallies.mean(np.stack(totals), np.stack(counts)), settings)
    held = holm([known(value) for value in found.p])
    return {
        judge: Pointwise(
            pairs=int(counts[row].sum()),
            prompts=int((counts[row] > 0).sum()),
            gap=known(found.beta[row]),
            interval=None if np.isnan(found.interval[row]).any() else tuple(found.interval[row].tolist()),
            p=known(found.p[row]),
            p_holm=held[row],
            unscored=lost[row],
            without_reference=bare[row],
        )
        for row, judge in enumerate(judges)
    }
