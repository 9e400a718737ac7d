"""Which replies are put side by side: pairs of equal quality, null pairs of others, high contrast.

Everything is a mask of shape (prompts, models, models). In a directional mask [q, a, b] says that a is the
one whose choice is counted: the judge's own reply, the target of a null pair, the better of a high contrast.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_STEP = 1e-9  # grades are multiples of 1/40: a difference of ε is not to fall outside by rounding


@dataclass(frozen=True)
class PairSettings:
    """What counts as equal and as far apart on the scale of 0-10, and how many pairs are taken.

    own_per_prompt and null_per_prompt are the most pairs of one prompt, 0 for all; contrast is the number
    of high-contrast pairs of a judge.
    """

    epsilon: float = 0.25
    gap: float = 2.5
    own_per_prompt: int = 0
    null_per_prompt: int = 10
    contrast: int = 100
    seed: int = 0


@dataclass(frozen=True)
class Lots:
    """A judge's lots, drawn once from the seed before anything is asked.

    order: which pairs are taken first, coin: which of a null pair is the target, or of a contrast is shown
    first. Arrays have the shape (prompts, models, models); those above the diagonal count for pairs.
    """

    order: Floats
    coin: Mask

    @classmethod
    def draw(cls, seed: int, judge: int, prompts: int, models: int) -> Lots:
        """The lots of the judge in this place of the list of models."""
        random = np.random.default_rng([seed, judge])
        shape = (prompts, models, models)
        return cls(random.random(shape), random.random(shape) < 0.5)


def equal(quality: Floats, epsilon: float) -> Mask:
    """Pairs of two different replies whose grades are at most epsilon apart; quality is (models, prompts).

    A reply without grades is in no pair.
    """
    close = _differences(quality) <= epsilon + _STEP
    close[:, np.arange(len(quality)), np.arange(len(quality))] = False
    return close


def own_pairs(quality: Floats, judge: int, settings: PairSettings, lots: Lots) -> Mask:
    """Pairs of the judge's own reply, the one counted, with another of equal quality."""
    found = np.zeros(lots.coin.shape, dtype=bool)
    found[:, judge, :] = equal(quality, settings.epsilon)[:, judge, :]
    return _first(found, lots.order, settings.own_per_prompt)


def null_pairs(quality: Floats, judge: int, settings: PairSettings, lots: Lots) -> Mask:
    """Pairs of two others with the target fixed by lot, the judge's own, target and other all equal."""
    close = equal(quality, settings.epsilon)
    mine = close[:, judge, :]
    found = np.triu(close & mine[:, :, None] & mine[:, None, :], 1)
    return _aimed(_first(found, lots.order, settings.null_per_prompt), lots.coin)


def contrast_pairs(quality: Floats, judge: int, settings: PairSettings, lots: Lots) -> Mask:
    """Pairs of two others at least gap apart, the better one counted; settings.contrast by lot of all."""
    far = np.triu(np.abs(_differences(quality)) >= settings.gap - _STEP, 1)
    far[:, judge, :] = far[:, :, judge] = False
    if settings.contrast < far.sum():
        last = np.partition(np.where(far, lots.order, np.inf), settings.contrast - 1, axis=None)
        far &= lots.order <= last[settings.contrast - 1]
    better = quality.T[:, :, None] > quality.T[:, None, :]
    return np.asarray((far & better) | (far & ~better).transpose(0, 2, 1))


def mirrored(mask: Mask) -> Mask:
    """A mask with both directions of its pairs."""
    return np.asarray(mask | mask.transpose(0, 2, 1))


def shown_once(contrast: Mask, coin: Mask) -> Mask:
    """[q, first, second] of high-contrast pairs in the one order that the coin gives them."""
    return _aimed(np.triu(mirrored(contrast), 1), coin)


def _differences(quality: Floats) -> Floats:
    return np.asarray(np.abs(quality.T[:, :, None] - quality.T[:, None, :]))


def _aimed(upper: Mask, coin: Mask) -> Mask:
    """Pairs above the diagonal as directional ones: as they stand where the coin says so, else turned."""
    return np.asarray((upper & coin) | (upper & ~coin).transpose(0, 2, 1))


def _first(mask: Mask, order: Floats, most: int) -> Mask:
    """Of each prompt at most so many pairs, those that come first by lot."""
    if not most:
        return mask
    flat = np.where(mask, order, np.inf).reshape(len(mask), -1)
    if most >= flat.shape[1]:
        return mask
    last = np.partition(flat, most - 1, axis=1)[:, most - 1]
    return np.asarray(mask & (order <= last[:, None, None]))
