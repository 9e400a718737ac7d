"""The source's three tests of self-preference, with everything it leaves open as an explicit setting.

They take pairs as independent, which pairs of one prompt are not: they reject too often. They are here
to be compared with; no verdict rests on them (see evaluation.bias.resample for the one that does).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np

from evaluation.bias.resample import Cuts

Sides = Literal["two", "greater"]
_NORMAL = NormalDist()
_NEEDED = 2  # tests of three that have to agree


@dataclass(frozen=True)
class ClassicSettings:
    """What the source's text, its caption and its printed marks say differently.

    chance is what the binomial test takes as chance: the judge's own ρ_null as if it were known, or a
    number. sides: 'two', or 'greater' (self-preference alone). alpha is the level of each test; the
    interval has the level 1 - interval_alpha.
    """

    chance: float | Literal["rho_null"] = "rho_null"
    binomial_sides: Sides = "two"
    binomial_alpha: float = 0.05
    z_sides: Sides = "two"
    z_alpha: float = 0.05
    interval_alpha: float = 0.05
    resamples: int = 1000


# The binomial test one-sided, as the method's text has it.
AS_WRITTEN = ClassicSettings(chance=0.5, binomial_sides="greater")
# The setting under which the printed rates give the printed marks: |z| > 3.29, |z| > 1.645, 95 %.
AS_PRINTED = ClassicSettings(
    binomial_alpha=2 * (1 - _NORMAL.cdf(3.29)), z_alpha=2 * (1 - _NORMAL.cdf(1.645)), resamples=100_000
)


@dataclass(frozen=True)
class Rates:
    """Firm choices of one's own reply, and of the fixed target among others, with the pairs of each."""

    own: int
    own_pairs: int
    target: int
    null_pairs: int


@dataclass(frozen=True)
class Classic:
    """The three tests: statistics, p values and marks; significant where two of three agree."""

    binomial_z: float
    binomial_p: float
    binomial: bool
    z: float
    z_p: float
    z_test: bool
    interval: tuple[float, float]
    bootstrap: bool

    @property
    def significant(self) -> bool:
        """Whether two of the three tests reject."""
        return self.binomial + self.z_test + self.bootstrap >= _NEEDED


def classic(rates: Rates, settings: ClassicSettings, random: np.random.Generator) -> Classic | None:
    """The three tests on counts of pairs; None where there are no pairs of one kind."""
    n, m = rates.own_pairs, rates.null_pairs
    if not n or not m:
        return None
    rho, null = rates.own / n, rates.target / m
    chance = null if settings.chance == "rho_null" else settings.chance
    binomial_z = _ratio(rho - chance, chance * (1 - chance) / n)
    both = (rates.own + rates.target) / (n + m)
    z = _ratio(rho - null, both * (1 - both) * (1 / n + 1 / m))
    binomial_p, z_p = _p(binomial_z, settings.binomial_sides), _p(z, settings.z_sides)
    drawn = random.binomial(n, rho, settings.resamples) / n
    drawn = drawn - random.binomial(m, null, settings.resamples) / m
    low, high = np.quantile(drawn, [settings.interval_alpha / 2, 1 - settings.interval_alpha / 2])
    return Classic(
        binomial_z=binomial_z,
        binomial_p=binomial_p,
        binomial=binomial_p < settings.binomial_alpha,
        z=z,
        z_p=z_p,
        z_test=z_p < settings.z_alpha,
        interval=(float(low), float(high)),
        bootstrap=bool(low > 0 or high < 0),
    )


def critical(settings: ClassicSettings) -> Cuts:
    """|z| from which the tests reject, for counting their false alarms; a one-sided test as two-sided."""
    return Cuts(
        z=_cut(settings.z_alpha, settings.z_sides),
        interval=_cut(settings.interval_alpha, "two"),
        binomial=_cut(settings.binomial_alpha, settings.binomial_sides),
    )


def discriminability_p(right: int, pairs: int) -> float:
    """One-sided p of right choices against a coin, by the normal approximation as the source prints it."""
    return 1 - _NORMAL.cdf((right - pairs / 2) / sqrt(pairs / 4)) if pairs else 1.0


def _cut(alpha: float, sides: Sides) -> float:
    return _NORMAL.inv_cdf(1 - (alpha / 2 if sides == "two" else alpha))


def _ratio(difference: float, variance: float) -> float:
    """The z of a difference; 0 of 0 is 0, and what no chance can give has no end."""
    if variance > 0:
        return difference / sqrt(variance)
    return 0.0 if difference == 0 else float("inf") * (1 if difference > 0 else -1)


def _p(z: float, sides: Sides) -> float:
    return 1 - _NORMAL.cdf(z) if sides == "greater" else 2 * (1 - _NORMAL.cdf(abs(z)))
