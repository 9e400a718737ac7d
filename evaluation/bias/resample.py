"""Our inference on self-preference: prompts are drawn again, since all pairs of a prompt share replies.

Every rate is a ratio of sums over prompts, so that resamples are a matrix product: how often each prompt
was drawn, times what it counts. All judges are resampled with the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.intervals import proportion_interval

Floats = npt.NDArray[np.float64]

MIN_PROMPTS = 5  # with pairs of both kinds: below, nothing is inferred
_CHUNK = 500  # resamples at once
_EVEN = 1e-12


@dataclass(frozen=True)
class ResampleSettings:
    """How often prompts are drawn again, the seed, and the level of intervals and tests."""

    resamples: int = 10_000
    seed: int = 0
    alpha: float = 0.05


@dataclass(frozen=True)
class Tallies:
    """What each prompt counts: own replies firmly chosen of own pairs, targets of null pairs.

    All arrays have shape (judges, prompts). For a mean instead of a difference of rates, `mean`.
    """

    own: Floats
    own_pairs: Floats
    target: Floats
    null_pairs: Floats

    @classmethod
    def mean(cls, total: Floats, count: Floats) -> Tallies:
        """Tallies whose β is the mean Σ total / Σ count, with nothing to be taken from it."""
        return cls(total, count, np.zeros_like(count), np.ones_like(count))


@dataclass(frozen=True)
class Inference:
    """Rates with what resampling says: shapes (judges,), interval (judges, 2), draws (judges, resamples).

    Where fewer than MIN_PROMPTS prompts have pairs, everything but the rates is nan. alarms, (judges, 4), are
    the shares of resamples, the bias taken out, in which tests that take pairs as independent reject: the
    Z test, a normal interval, the binomial test against a fixed ρ_null, and two of these three.
    """

    rho: Floats
    rho_null: Floats
    beta: Floats
    error: Floats
    interval: Floats
    p: Floats
    draws: Floats
    alarms: Floats


@dataclass(frozen=True)
class Cuts:
    """|z| from which the tests reject whose false alarms are counted."""

    z: float = 1.959964
    interval: float = 1.959964
    binomial: float = 1.959964


def infer(tallies: Tallies, settings: ResampleSettings, cuts: Cuts | None = None) -> Inference:
    """Rates, standard errors, 95 % intervals and p values by resampling prompts.

    The interval is a symmetric bootstrap-t: β ± the quantile of |t*| times the standard error, where t* is
    the error of a resample in its own standard errors. The p value, (k + 1) / (B + 1), counts the k
    resamples whose |t*| is as large as the t of β: it is below alpha where the interval leaves out 0.
    """
    x, n, y, m = tallies.own, tallies.own_pairs, tallies.target, tallies.null_pairs
    judges, prompts = x.shape
    usable = (np.minimum((n > 0).sum(1), (m > 0).sum(1)) >= MIN_PROMPTS) & (prompts >= MIN_PROMPTS)
    features = np.stack([x, n, y, m, *_products(x, n, y, m)], axis=-1)  # (judges, prompts, 14)
    rho, null, error = _of_sums(features.sum(1), prompts)
    beta = rho - null
    draws = np.full((judges, settings.resamples), np.nan)
    sizes = np.full((judges, settings.resamples), np.inf)
    alarms = np.zeros((judges, 4))
    flat = np.ascontiguousarray(features.transpose(1, 0, 2).reshape(prompts, -1))
    for begin, drawn in _chunks(prompts, settings):
        sums = (drawn @ flat).reshape(len(drawn), judges, -1).transpose(1, 0, 2)
        one_rho, one_null, one_error = _of_sums(sums, prompts)
        part = slice(begin, begin + len(drawn))
        off = one_rho - one_null - beta[:, None]
        draws[:, part] = off + beta[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(off) / one_error
        sizes[:, part] = np.where(np.isnan(t), np.where(np.abs(off) > _EVEN, np.inf, 0.0), t)
        if cuts is not None:
            alarms += _alarms(off, one_rho, one_null, sums[..., 1], sums[..., 3], cuts)
    with np.errstate(divide="ignore", invalid="ignore"):
        own_t = np.where(np.abs(beta) > _EVEN, np.abs(beta) / error, 0.0)
        least = np.sum(sizes >= own_t[:, None] - _EVEN, axis=1)
        half = _quantile(sizes, 1 - settings.alpha) * error
    half = np.where(error > 0, half, 0.0)
    blank = np.where(usable, 0.0, np.nan)
    return Inference(
        rho=rho,
        rho_null=null,
        beta=beta,
        error=error + blank,
        interval=np.stack([beta - half, beta + half], axis=1) + blank[:, None],
        p=(least + 1) / (settings.resamples + 1) + blank,
        draws=draws + blank[:, None],
        alarms=alarms / settings.resamples + blank[:, None],
    )


def rate_draws(hits: Floats, pairs: Floats, settings: ResampleSettings) -> Floats:
    """Resampled rates Σ hits / Σ pairs, shape (judges, resamples), with the draws `infer` takes."""
    found = np.empty((len(hits), settings.resamples))
    for begin, drawn in _chunks(hits.shape[1], settings):
        with np.errstate(divide="ignore", invalid="ignore"):
            found[:, begin : begin + len(drawn)] = ((drawn @ hits.T) / (drawn @ pairs.T)).T
    return found


def rate_interval(hits: Floats, pairs: Floats) -> tuple[float, float] | None:
    """95 % interval of a rate by Wilson, for as many independent pairs as have its variance by prompt.

    Arrays have shape (prompts,). At most as many pairs as there are: prompts that happen to vary less than
    chance are no reason to be surer. None without pairs.
    """
    total = float(pairs.sum())
    if not total:
        return None
    rate = float(hits.sum()) / total
    prompts = int((pairs > 0).sum())
    spread = float(((hits - rate * pairs) ** 2).sum()) / total**2
    spread *= prompts / (prompts - 1) if prompts > 1 else 1
    alike = rate * (1 - rate) / spread if spread > 0 else total
    return proportion_interval(rate, max(1.0, min(total, alike)))


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm's p values over several judges, in the order given; None stays None and is not counted."""
    known = sorted((value, place) for place, value in enumerate(p) if value is not None)
    found: list[float | None] = [None] * len(p)
    least = 0.0
    for rank, (value, place) in enumerate(known):
        least = max(least, min(1.0, value * (len(known) - rank)))
        found[place] = least
    return found


def percentile(draws: Floats, alpha: float) -> tuple[float, float] | None:
    """The middle 1 - alpha of resampled values; None where any could not be taken."""
    if not len(draws) or not np.isfinite(draws).all():
        return None
    low, high = np.quantile(draws, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation with mean ranks for ties; None where one side does not vary."""
    if len(first) < 2:
        return None
    one, other = _ranks(np.asarray(first, float)), _ranks(np.asarray(second, float))
    one, other = one - one.mean(), other - other.mean()
    scale = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float((one * other).sum() / scale) if scale > 0 else None


def _ranks(values: Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], dtype=np.float64)


def _products(*columns: Floats) -> list[Floats]:
    return [a * b for place, a in enumerate(columns) for b in columns[place:]]


def _of_sums(sums: Floats, prompts: int) -> tuple[Floats, Floats, Floats]:
    """ρ, ρ_null and the standard error of their difference by linearisation, from sums over prompts."""
    x, n, y, m, xx, xn, xy, xm, nn, ny, nm, yy, ym, mm = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho, null = x / n, y / m
        own = (xx - 2 * rho * xn + rho**2 * nn) / n**2
        other = (yy - 2 * null * ym + null**2 * mm) / m**2
        both = (xy - null * xm - rho * ny + rho * null * nm) / (n * m)
        variance = (own + other - 2 * both) * prompts / (prompts - 1)
    # What is left of rounding where nothing varies is no spread.
    return rho, null, np.sqrt(np.where(variance > _EVEN, variance, 0.0))


def _alarms(off: Floats, rho: Floats, null: Floats, n: Floats, m: Floats, cuts: Cuts) -> Floats:
    """How many resamples the tests on pairs reject though the bias is taken out: (judges, 4)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        both = (rho * n + null * m) / (n + m)
        size = np.abs(off)
        marks = np.stack(
            [
                size > cuts.z * np.sqrt(both * (1 - both) * (1 / n + 1 / m)),
                size > cuts.interval * np.sqrt(rho * (1 - rho) / n + null * (1 - null) / m),
                size > cuts.binomial * np.sqrt(null * (1 - null) / n),
            ]
        )
    marks &= size > _EVEN
    counted = np.concatenate([marks, (marks.sum(0) >= 2)[None]])
    return np.asarray(counted.sum(-1).T, dtype=np.float64)


def _quantile(sizes: Floats, level: float) -> Floats:
    """The value that at least level of (B + 1) values reach, in each row."""
    count = sizes.shape[1]
    place = min(count - 1, int(np.ceil(level * (count + 1))) - 1)
    return np.asarray(np.partition(sizes, place, axis=1)[:, place], dtype=np.float64)


def _chunks(prompts: int, settings: ResampleSettings) -> Iterator[tuple[int, Floats]]:
    """How often each prompt is drawn, some resamples at a time: the same for the same settings."""
    random = np.random.default_rng([settings.seed, prompts])
    even = np.full(prompts, 1 / prompts)
    for begin in range(0, settings.resamples, _CHUNK):
        count = min(_CHUNK, settings.resamples - begin)
        yield begin, random.multinomial(prompts, even, count).astype(np.float64)
