"""The four classes of judges, by how well they tell good from poor and how far they favour themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt


class JudgeClass(StrEnum):
    """A place in the plane of discriminability π and bias β. Whether β is significant is another question."""

    OBJECTIVE = "objective"
    MACHIAVELLIAN = "machiavellian"
    RANDOMIZER = "incompetent_randomizer"
    BLIND = "blindly_biased"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Bounds:
    """π from which a judge tells good from poor, and |β| up to which it counts as unbiased."""

    pi: float = 0.8
    beta: float = 0.08


ORDER = (JudgeClass.OBJECTIVE, JudgeClass.MACHIAVELLIAN, JudgeClass.RANDOMIZER, JudgeClass.BLIND)
# Printed rates have three digits: 0.08 as a difference of two of them is not to fall outside by rounding.
_SLACK = 1e-9


def classify(pi: float | None, beta: float | None, bounds: Bounds) -> JudgeClass:
    """The class of a judge; UNKNOWN where a figure it needs is not there."""
    if pi is None:
        return JudgeClass.UNKNOWN
    if pi < bounds.pi - _SLACK:
        return JudgeClass.RANDOMIZER
    if beta is None:
        return JudgeClass.UNKNOWN
    if abs(beta) <= bounds.beta + _SLACK:
        return JudgeClass.OBJECTIVE
    return JudgeClass.MACHIAVELLIAN if beta > 0 else JudgeClass.BLIND


def probabilities(
    pi: npt.NDArray[np.float64], beta: npt.NDArray[np.float64], bounds: Bounds
) -> dict[JudgeClass, float]:
    """Share of each class over resamples; pi and beta have shape (resamples,), nan where there was none."""
    known = ~np.isnan(pi) & ((pi < bounds.pi - _SLACK) | ~np.isnan(beta))
    if not known.any():
        return {}
    pi, beta = pi[known], beta[known]
    weak = pi < bounds.pi - _SLACK
    unbiased = ~weak & (np.abs(beta) <= bounds.beta + _SLACK)
    favours = ~weak & ~unbiased & (beta > 0)
    shares: Sequence[float] = [float(part.mean()) for part in (unbiased, favours, weak)]
    return dict(zip(ORDER, (*shares, max(0.0, 1 - sum(shares))), strict=True))
