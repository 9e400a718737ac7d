"""How far the mean of a stratified draw can be from the mean of all questions: 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

Z95 = 1.959963984540054
METHOD = "stratified-wilson-95"

# Half an observation in all, spread evenly over the ratings and over the strata by their share: without
# it a stratum of full marks alone would have no variance. More would pull the middle of the scale in.
PRIOR_WEIGHT = 0.5


@dataclass(frozen=True)
class Cell:
    """What a stratum gave: how many questions had 0, 1, 2 and 3 stars, out of how many it was drawn.

    eligible is the number of questions (units) that could have been drawn; None stands for no end of
    them, and a number below the count of ratings for that count.
    """

    counts: tuple[int, int, int, int]
    eligible: int | None = None

    @property
    def scored(self) -> int:
        """Questions with a rating."""
        return sum(self.counts)

    @property
    def stars(self) -> int:
        """Sum of the ratings."""
        return sum(stars * count for stars, count in enumerate(self.counts))


def moments(cells: Sequence[Cell], *, finite: bool = True) -> tuple[float, float] | None:
    """Mean and variance, on 0-1, of the mean over all eligible questions; None without a rating.

    The strata are weighted as they were rated: by their share of the ratings. In each the ratings
    follow a Dirichlet distribution with the counts and PRIOR_WEIGHT, and the questions that were not
    drawn are predicted from it; where all were drawn nothing is left open. finite=False takes every
    stratum as without end: what the same model would have on other questions of the kind.
    """
    total = sum(cell.scored for cell in cells)
    if not total:
        return None
    mean = variance = 0.0
    for cell in cells:
        if cell.scored:
            share = cell.scored / total
            one, spread = _of_cell(cell, PRIOR_WEIGHT * share, finite=finite)
            mean += share * one
            variance += share * share * spread
    return mean, variance


def interval(cells: Sequence[Cell]) -> tuple[float, float] | None:
    """95 % interval, on 0-1, of the mean over all eligible questions; None without a rating.

    Wilson's score interval for the proportion that has this mean and this variance. It is wider
    towards the middle of the scale than towards the end that is near, as it should be near the
    ceiling, and holds the observed mean. It covers the draw of questions, not the judge's errors.
    """
    found = moments(cells)
    if found is None:
        return None
    mean, variance = found
    observed = sum(cell.stars for cell in cells) / (3 * sum(cell.scored for cell in cells))
    if variance <= 0:
        return observed, observed
    low, high = _wilson(mean, variance)
    return max(0.0, min(observed, low)), min(1.0, max(observed, high))


def proportion_interval(mean: float, count: float) -> tuple[float, float]:
    """Wilson's interval of a proportion: for a mean of ratings on 0-1 whose spread is not known.

    No value between 0 and 1 varies more than a yes-or-no one of the same mean, so that it is at most
    too wide.
    """
    z2 = Z95**2
    middle = (mean + z2 / (2 * count)) / (1 + z2 / count)
    half = Z95 * sqrt(mean * (1 - mean) / count + z2 / (4 * count**2)) / (1 + z2 / count)
    # The mean lies inside; min and max keep rounding from putting it a hair outside.
    return max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))


def _wilson(mean: float, variance: float) -> tuple[float, float]:
    """Wilson's interval for as many yes-or-no answers as have this variance."""
    return proportion_interval(mean, mean * (1 - mean) / variance)


def _of_cell(cell: Cell, prior: float, *, finite: bool) -> tuple[float, float]:
    """Posterior mean and variance of one stratum's mean over its eligible questions."""
    drawn = cell.scored
    size = None if cell.eligible is None or not finite else max(cell.eligible, drawn)
    if size is not None:
        # It stands for what was not seen. The square: where most was seen, the few outcomes left make
        # any interval wide enough, and with the plain share it held more than 97 % of simulations.
        prior *= (1 - drawn / size) ** 2
    weight = drawn + prior
    shares = [(count + prior / 4) / weight for count in cell.counts]
    mean = sum(share * stars for stars, share in enumerate(shares)) / 3
    spread = sum(share * stars**2 for stars, share in enumerate(shares)) / 9 - mean**2
    if size is None:
        return mean, max(0.0, spread) / (weight + 1)
    left = size - drawn
    observed = cell.stars / (3 * drawn)
    # A Pólya urn goes on with the questions that are left.
    variance = spread * left * (weight + left) / (size**2 * (weight + 1))
    return (cell.stars / 3 + left * mean) / size if left else observed, max(0.0, variance)
