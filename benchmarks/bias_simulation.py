"""Judges with planted self-preference: error, coverage and false alarms of the inference by prompt.

    python -m benchmarks.bias_simulation [--simulations 4000] [--resamples 2000]

A judge sees 100 prompts with replies of 20 models. Replies of one prompt differ in what the judge likes
about them, beyond the grades: all pairs with one reply share that, which is the dependence within prompts.
A share of pairs is decided by place alone. The planted β is that of the population after this position
bias. Prints the share of rejections of the source's tests at their usual levels beside ours. The exit code
is 1 when a goal is missed: |mean error| ≤ 0.003, coverage 92.5-97 %, rejection of β = 0 in 3-7.5 %.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.bias.resample import Cuts, ResampleSettings, Tallies, infer, rate_interval

Floats = npt.NDArray[np.float64]

BETAS, POSITIONS, LIKINGS, PIS = (
    (-0.25, -0.08, 0.0, 0.08, 0.3),
    (0.0, 0.2, 0.4),
    (0.5, 1.5),
    (0.5, 0.65, 0.8, 0.95),
)
MODELS, NULL_PAIRS, CONTRAST = 20, 10, 100
_AT_ONCE = 200


@dataclass(frozen=True)
class Found:
    """Of one cell: mean error of β, % of intervals that hold it, % that reject 0 by us and by the tests."""

    error: float
    coverage: float
    rejects: float
    z: float
    interval: float
    binomial: float
    two_of_three: float
    foretold: float


def logistic(x: Floats | float) -> Floats:
    """1 / (1 + e^-x)."""
    return np.asarray(1 / (1 + np.exp(-np.asarray(x, dtype=np.float64))))


def shift(beta: float, position: float, liking: float) -> float:
    """The push towards one's own reply, in logits, that gives this β in the population."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    wanted = 0.5 + beta / (1 - position)
    if not 1e-9 < wanted < 1 - 1e-9:
        return float("inf") if wanted > 0.5 else -float("inf")
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        reached = float(weights @ logistic(middle + liking * np.sqrt(2) * nodes))
        low, high = (middle, high) if reached < wanted else (low, middle)
    return (low + high) / 2


def tallies(
    beta: float, position: float, liking: float, count: int, prompts: int, random: np.random.Generator
) -> Tallies:
    """Tallies of count simulated judges; replies' liking has this standard deviation, in logits."""
    push = shift(beta, position, liking)
    shape = (count, prompts)
    likes = liking * random.standard_normal((*shape, MODELS))
    partners = random.integers(4, MODELS, shape)  # of about equal quality, from 4 to 19
    with np.errstate(over="ignore"):
        chosen = random.random((*shape, MODELS - 1)) < logistic(push + likes[..., :1] - likes[..., 1:])
    chosen &= random.random(chosen.shape) >= position
    there = np.arange(MODELS - 1) < partners[..., None]
    pairs = np.minimum(NULL_PAIRS, partners * (partners - 1) // 2)
    first = (random.random((*shape, NULL_PAIRS)) * partners[..., None]).astype(int)
    step = 1 + (random.random(first.shape) * (partners[..., None] - 1)).astype(int)
    second = (first + step) % partners[..., None]
    ahead = np.take_along_axis(likes[..., 1:], first, -1) - np.take_along_axis(likes[..., 1:], second, -1)
    target = random.random(ahead.shape) < logistic(ahead)
    target &= random.random(target.shape) >= position
    target &= np.arange(NULL_PAIRS) < pairs[..., None]
    return Tallies(
        own=(chosen & there).sum(-1).astype(float),
        own_pairs=partners.astype(float),
        target=target.sum(-1).astype(float),
        null_pairs=pairs.astype(float),
    )


def cell(
    beta: float,
    position: float,
    liking: float,
    *,
    simulations: int,
    resamples: int,
    seed: int = 1,
    prompts: int = 100,
) -> Found:
    """What the inference makes of judges of one kind."""
    random = np.random.default_rng(seed)
    errors, held, rejected, marks, foretold = [], [], [], [], []
    for begin in range(0, simulations, _AT_ONCE):
        made = tallies(beta, position, liking, min(_AT_ONCE, simulations - begin), prompts, random)
        found = infer(made, ResampleSettings(resamples=resamples, seed=begin), Cuts())
        errors.append(found.beta - beta)
        held.append((found.interval[:, 0] <= beta + 1e-9) & (beta - 1e-9 <= found.interval[:, 1]))
        rejected.append(found.p <= 0.05)
        marks.append(_tests(made))
        foretold.append(found.alarms[:, 3])
    z, interval, binomial = np.concatenate(marks, axis=1)
    return Found(
        error=float(np.concatenate(errors).mean()),
        coverage=_share(np.concatenate(held)),
        rejects=_share(np.concatenate(rejected)),
        z=_share(z),
        interval=_share(interval),
        binomial=_share(binomial),
        two_of_three=_share(z.astype(int) + interval + binomial >= 2),
        foretold=_share(np.concatenate(foretold)),
    )


def contrast_coverage(pi: float, *, simulations: int, seed: int = 1, prompts: int = 100) -> float:
    """% of intervals of π that hold it, over pairs that share prompts of different difficulty."""
    random = np.random.default_rng(seed)
    held = 0
    for _ in range(simulations):
        ease = random.beta(8 * pi, 8 * (1 - pi), prompts)
        pairs = random.multinomial(CONTRAST, np.full(prompts, 1 / prompts)).astype(float)
        right = random.binomial(pairs.astype(int), ease).astype(float)
        found = rate_interval(right, pairs)
        held += found is not None and found[0] <= pi <= found[1]
    return 100 * held / simulations


def _tests(made: Tallies) -> npt.NDArray[np.bool_]:
    """Marks of the source's tests at the usual two-sided 5 %, as if pairs were independent: (3, count)."""
    n, m = made.own_pairs.sum(1), made.null_pairs.sum(1)
    rho, null = made.own.sum(1) / n, made.target.sum(1) / m
    both = (rho * n + null * m) / (n + m)
    size = np.abs(rho - null)
    return np.stack(
        [
            size > 1.96 * np.sqrt(both * (1 - both) * (1 / n + 1 / m)),
            size > 1.96 * np.sqrt(rho * (1 - rho) / n + null * (1 - null) / m),
            size > 1.96 * np.sqrt(null * (1 - null) / n),
        ]
    )


def _share(marks: npt.NDArray[np.generic]) -> float:
    return float(100 * np.asarray(marks, dtype=np.float64).mean())


def table(simulations: int, resamples: int) -> Iterator[tuple[str, bool]]:
    """The lines of the report, and whether each misses a goal."""
    yield (
        f"{simulations:,} simulated judges a cell, {resamples:,} resamples by prompt; rejections in %",
        False,
    )
    yield (
        f"{'β':>6}{'place':>7}{'liking':>8}{'error':>9}{'coverage':>10}{'ours':>8}"
        f"{'Z':>8}{'interval':>10}{'binomial':>10}{'2 of 3':>8}{'foretold':>10}",
        False,
    )
    for beta in BETAS:
        for position in POSITIONS:
            for liking in LIKINGS:
                one = cell(beta, position, liking, simulations=simulations, resamples=resamples)
                missed = abs(one.error) > 0.003 or not 92.5 <= one.coverage <= 97
                missed |= beta == 0 and not 3 <= one.rejects <= 7.5
                yield (
                    f"{beta:6.2f}{position:7.1f}{liking:8.1f}{one.error:9.4f}{one.coverage:10.1f}"
                    f"{one.rejects:8.1f}{one.z:8.1f}{one.interval:10.1f}{one.binomial:10.1f}"
                    f"{one.two_of_three:8.1f}{one.foretold:10.1f}",
                    missed,
                )
    yield "\nπ over 100 pairs: % of intervals that hold it", False
    for pi in PIS:
        share = contrast_coverage(pi, simulations=simulations)
        yield f"{pi:6.2f}{share:10.1f}", not 92.5 <= share <= 97.5


def main() -> int:
    """Print the report; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--resamples", type=int, default=2000)
    given = parser.parse_args()
    code = 0
    for line, missed in table(given.simulations, given.resamples):
        print(line + ("  missed" if missed else ""), flush=True)
        code |= missed
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
