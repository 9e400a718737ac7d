"""Rates of judges with everything resampling says of them, at one threshold and under one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.bias.classes import classify, probabilities
from evaluation.bias.classic import discriminability_p
from evaluation.bias.pairs import Floats
from evaluation.bias.records import Counts, Interval, Measure, Point
from evaluation.bias.resample import (
    Cuts,
    Inference,
    ResampleSettings,
    Tallies,
    holm,
    infer,
    rate_draws,
    rate_interval,
)
from evaluation.bias.settings import Form
from evaluation.bias.study import JudgePairs, Study
from evaluation.bias.tally import Choices, PairTally, place, right, tally


@dataclass(frozen=True)
class Counted:
    """What one judge's choices count on its pairs; right and contrast are by prompt."""

    own: PairTally
    null: PairTally
    right: Floats
    contrast: Floats
    contrast_wanted: int
    first: int
    second: int


def count(choices: Choices, pairs: JudgePairs) -> Counted:
    """Count one judge's choices."""
    hits, asked = right(choices, pairs.contrast)
    first, second = place(choices, np.asarray(pairs.own | pairs.null))
    wanted = int(pairs.contrast.sum())
    return Counted(tally(choices, pairs.own), tally(choices, pairs.null), hits, asked, wanted, first, second)


def stacked(counted: Sequence[tuple[PairTally, PairTally]]) -> Tallies:
    """Own and null tallies of several judges as the arrays that `infer` takes."""
    return Tallies(
        own=np.stack([own.target for own, _ in counted]),
        own_pairs=np.stack([own.asked for own, _ in counted]),
        target=np.stack([null.target for _, null in counted]),
        null_pairs=np.stack([null.asked for _, null in counted]),
    )


def measures(
    study: Study, form: Form, counted: Sequence[Counted], settings: ResampleSettings, cuts: Cuts | None = None
) -> tuple[list[Measure], Inference]:
    """The measures of judges, with Holm's p over all of them, and the inference they rest on."""
    found = infer(stacked([(one.own, one.null) for one in counted]), settings, cuts)
    pi_draws = rate_draws(
        np.stack([one.right for one in counted]), np.stack([one.contrast for one in counted]), settings
    )
    held = holm([known(value) for value in found.p])
    return [
        _measure(study, form, one, row, found, pi_draws[row], held[row]) for row, one in enumerate(counted)
    ], found


def points(
    names: Sequence[str],
    counted: Sequence[tuple[PairTally, PairTally]],
    settings: ResampleSettings,
    prompts: Sequence[bool] | None = None,
) -> list[Point]:
    """β with interval and p for each pair of tallies, over some of the prompts."""
    tallies = stacked(counted)
    if prompts is not None:
        some = np.flatnonzero(prompts)
        tallies = Tallies(
            *(a[:, some] for a in (tallies.own, tallies.own_pairs, tallies.target, tallies.null_pairs))
        )
    found = infer(tallies, settings)
    return [
        Point(
            name=name,
            own_pairs=int(tallies.own_pairs[row].sum()),
            null_pairs=int(tallies.null_pairs[row].sum()),
            beta=known(found.beta[row]),
            interval=both(found.interval[row]),
            p=known(found.p[row]),
        )
        for row, name in enumerate(names)
    ]


def known(value: float) -> float | None:
    """The number, None for nan or no end."""
    return float(value) if np.isfinite(value) else None


def both(ends: Floats) -> Interval:
    """An interval from its two ends, None where one is not known."""
    low, high = known(ends[0]), known(ends[1])
    return None if low is None or high is None else (max(-1.0, low), min(1.0, high))


def _measure(
    study: Study,
    form: Form,
    one: Counted,
    row: int,
    found: Inference,
    pi_draws: Floats,
    p_holm: float | None,
) -> Measure:
    own, null = _counts(one.own), _counts(one.null)
    pairs, hits = int(one.contrast.sum()), int(one.right.sum())
    pi, beta = (hits / pairs if pairs else None), known(found.beta[row])
    asked, firm = own.asked + null.asked, own.target + own.other + null.target + null.other
    own_firm, chosen = own.target + own.other, one.first + one.second
    bounds = study.settings.rules.bounds
    shares = probabilities(pi_draws, found.draws[row], bounds) if known(found.p[row]) is not None else {}
    return Measure(
        form=form,
        own=own,
        null=null,
        rho=known(found.rho[row]),
        rho_null=known(found.rho_null[row]),
        beta=beta,
        error=known(found.error[row]),
        interval=both(found.interval[row]),
        p=known(found.p[row]),
        p_holm=p_holm,
        consistency=firm / asked if asked else None,
        first_share=one.first / chosen if chosen else None,
        self_share=own.target / own_firm if own_firm else None,
        contrast_wanted=one.contrast_wanted,
        contrast_pairs=pairs,
        contrast_right=hits,
        pi=pi,
        pi_interval=rate_interval(one.right, one.contrast),
        pi_p=discriminability_p(hits, pairs) if pairs else None,
        judge_class=classify(pi, beta, bounds),
        class_probabilities={name.value: share for name, share in shares.items()},
    )


def _counts(one: PairTally) -> Counts:
    return Counts(
        wanted=int(one.wanted.sum()),
        asked=int(one.asked.sum()),
        target=int(one.target.sum()),
        other=int(one.other.sum()),
        inconsistent=int(one.inconsistent.sum()),
        unreadable=int(one.unreadable.sum()),
    )
