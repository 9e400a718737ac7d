"""Whether a judge gives its own replies more stars than equal ones of others."""

from __future__ import annotations

import numpy as np

from evaluation.bias.measure import known
from evaluation.bias.records import Pointwise
from evaluation.bias.resample import ResampleSettings, Tallies, holm, infer
from evaluation.bias.study import Study, pairs_of


def pointwise(study: Study, settings: ResampleSettings) -> dict[str, Pointwise]:
    """For each judge with stars: the mean over pairs of equal quality of own stars less the other's.

    Equal are replies whose grades by the independent graders are at most epsilon apart: a fair judge
    gives them the same stars on average.
    """
    judges = [label for label in study.labels if label in study.stars]
    if not judges:
        return {}
    totals, counts, lost = [], [], []
    for judge in judges:
        own = pairs_of(study, judge).own[:, study.place(judge), :].T  # (models, prompts)
        stars = study.stars[judge]
        gap = stars[study.place(judge)][None, :] - stars
        there = own & ~np.isnan(gap)
        totals.append(np.where(there, gap, 0.0).sum(0))
        counts.append(there.sum(0).astype(np.float64))
        lost.append(int((own & np.isnan(gap)).sum()))
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
        )
        for row, judge in enumerate(judges)
    }
