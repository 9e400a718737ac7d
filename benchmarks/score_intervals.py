"""Do the intervals cover and the tie groups part, as they say? Simulated draws against known truths.

    python -m benchmarks.score_intervals [--simulations 4000] [--seed 1]

Each simulation draws ten strata of 100 questions whose true means differ by a few points around the
mean named. A stratum of 150 or 2,000 is a population that is drawn anew each time and then sampled
without replacement; its own mean is the truth. Three shapes of ratings: `graded` (wrong answers and
half-right ones in the usual mixture), `binomial` (three points gained one by one) and, without a goal,
`all-or-nothing` (0 or 3 stars), where a stratum of 150 leaves so few outcomes near the ceiling that no
interval can cover 95 %. Beside ours stands the percentile bootstrap, the usual way.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from evaluation.intervals import Cell, interval
from evaluation.ties import Standing, separations, tie_groups

MEANS, SIZES = (0.60, 0.94, 0.975), (150, 2000, None)
STRATA, DRAWN = 10, 100
STARS = np.arange(4) / 3
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Coverage:
    """Share of simulations, in %, in which the interval held the truth."""

    overall: float
    discipline: float


def shares(shape: str, mean: float) -> Floats:
    """Probabilities of 0 to 3 stars with this mean (0-1)."""
    if shape == "binomial":
        return np.array([comb(3, k) * mean**k * (1 - mean) ** (3 - k) for k in range(4)])
    if shape == "all-or-nothing":
        return np.array([1 - mean, 0, 0, mean])
    # Below 80 half-right answers are common: the spread of a question is about one star there.
    lost = np.array([0.15, 0.20, 0.35] if mean < 0.8 else [0.40, 0.35, 0.25])
    lost *= (1 - mean) / (lost @ (1 - STARS[:3]))
    return np.append(lost, 1 - lost.sum())


def draws(
    shape: str, mean: float, size: int | None, simulations: int, random: np.random.Generator
) -> tuple[Ints, Floats]:
    """Counts of ratings (simulations, strata, 4) and true means of the strata (simulations, strata)."""
    counts = np.empty((simulations, STRATA, 4), dtype=np.int64)
    truth = np.empty((simulations, STRATA))
    for place, off in enumerate(np.linspace(-1, 1, STRATA) * min(0.02, 0.6 * (1 - mean))):
        chances = shares(shape, mean + off)
        if size is None:
            counts[:, place], truth[:, place] = (
                random.multinomial(DRAWN, chances, simulations),
                chances @ STARS,
            )
        else:
            whole = random.multinomial(size, chances, simulations)
            counts[:, place] = [random.multivariate_hypergeometric(one, DRAWN) for one in whole]
            truth[:, place] = whole @ STARS / size
    return counts, truth


@cache
def _one(counts: tuple[int, int, int, int], size: int | None) -> tuple[float, float]:
    found = interval([Cell(counts, size)])
    assert found is not None
    return found


def coverage(shape: str, mean: float, size: int | None, simulations: int, seed: int) -> Coverage:
    """How often our intervals hold the true means, overall and by stratum."""
    counts, truth = draws(shape, mean, size, simulations, np.random.default_rng(seed))
    rows: list[list[tuple[int, int, int, int]]] = [[tuple(c) for c in one] for one in counts.tolist()]  # type: ignore[misc]
    whole = [interval([Cell(c, size) for c in row]) for row in rows]
    parts = np.array([[_one(c, size) for c in row] for row in rows])
    ends, goal = np.array(whole), truth.mean(1)
    return Coverage(_inside(ends, goal), _inside(parts, truth))


def bootstrap(shape: str, mean: float, size: int | None, simulations: int, seed: int) -> Coverage:
    """The same for the percentile bootstrap within strata (400 resamples)."""
    random = np.random.default_rng(seed)
    counts, truth = draws(shape, mean, size, simulations, random)
    means = random.multinomial(DRAWN, counts / DRAWN, size=(400, *counts.shape[:2])) @ STARS / DRAWN
    parts = np.moveaxis(np.quantile(means, [0.025, 0.975], axis=0), 0, -1)
    whole = np.moveaxis(np.quantile(means.mean(2), [0.025, 0.975], axis=0), 0, -1)
    return Coverage(_inside(whole, truth.mean(1)), _inside(parts, truth))


def shared_group(
    gap: float, mean: float, size: int | None, simulations: int, seed: int, *, shape: str, paper: bool
) -> float:
    """Share in % of pairs in one tie group; the second model is better by gap; paper: asked the same.

    On one paper a quarter of the questions is as lucky for the one as for the other.
    """
    random = np.random.default_rng(seed)
    together = 0
    for _ in range(simulations):
        pair = _same_paper(shape, mean, gap, random) if paper else _two_draws(shape, mean, gap, size, random)
        letters = tie_groups(separations(pair))
        together += bool(set(letters[0].split()) & set(letters[1].split()))
    return 100 * together / simulations


def _two_draws(
    shape: str, mean: float, gap: float, size: int | None, random: np.random.Generator
) -> list[Standing]:
    pair = []
    for one in (mean, mean + gap):
        counts, _ = draws(shape, one, size, 1, random)
        cells = tuple(Cell((a, b, c, d), size) for a, b, c, d in counts[0].tolist())
        pair.append(Standing(cells, {}))
    return pair


def _same_paper(shape: str, mean: float, gap: float, random: np.random.Generator) -> list[Standing]:
    total = STRATA * DRAWN
    luck, own = random.random(total), random.random(total)
    own = np.where(random.random(total) < 0.25, luck, own)
    first, second = (
        np.minimum(3, np.searchsorted(np.cumsum(shares(shape, one)), u))
        for one, u in ((mean, luck), (mean + gap, own))
    )
    return [
        Standing(
            (Cell(tuple(np.bincount(stars, minlength=4).tolist())),),  # type: ignore[arg-type]
            dict(enumerate(stars.tolist())),  # type: ignore[arg-type]
        )
        for stars in (first, second)
    ]


def _inside(ends: Floats, truth: Floats) -> float:
    slack = 1e-9
    held = (ends[..., 0] <= truth + slack) & (truth <= ends[..., 1] + slack)
    return float(100 * held.mean())


def table(simulations: int, seed: int) -> Iterator[tuple[str, bool]]:
    """The lines of the report, and whether each misses a goal: 93-97 %, 93 % in one group, 5 % not parted."""
    yield (
        f"coverage of 95 % intervals, %, over {simulations:,} simulations (of disciplines ten times that)",
        False,
    )
    heads = f"{'shape':15}{'mean':>6}{'stratum':>10}"
    yield heads + f"{'overall':>10}{'discipline':>12}{'bootstrap':>11}{'discipline':>12}", False
    for shape in ("graded", "binomial", "all-or-nothing"):
        for mean in MEANS:
            for size in SIZES:
                ours = coverage(shape, mean, size, simulations, seed)
                usual = bootstrap(shape, mean, size, min(simulations, 500), seed)
                line = (
                    f"{shape:15}{100 * mean:6.1f}{size or 'unbounded':>10}{ours.overall:10.1f}"
                    f"{ours.discipline:12.1f}{usual.overall:11.1f}{usual.discipline:12.1f}"
                )
                within = 93 <= ours.overall <= 97 and 93 <= ours.discipline <= 97
                yield line, not within and shape != "all-or-nothing"
    yield (
        "\npairs of models in one tie group, %: equal ones, and 6 points apart (100 less that is parted)",
        False,
    )
    yield f"{'shape':15}{'mean':>6}{'paper':>12}{'equal':>10}{'6 apart':>10}", False
    for shape in ("graded", "binomial"):
        for mean in (0.60, 0.90):
            for paper, size in ((False, 150), (False, 2000), (False, None), (True, None)):
                equal, apart = (
                    shared_group(gap, mean, size, simulations // 2, seed, shape=shape, paper=paper)
                    for gap in (0, 0.06)
                )
                name = "the same" if paper else str(size or "unbounded")
                yield (
                    f"{shape:15}{100 * mean:6.1f}{name:>12}{equal:10.1f}{apart:10.1f}",
                    equal < 93 or apart > 5,
                )


def main() -> int:
    """Print the report; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    code = 0
    for line, missed in table(given.simulations, given.seed):
        print(line + ("  missed" if missed else ""), flush=True)
        code |= missed
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
