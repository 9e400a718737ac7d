"""What a judge did with its pairs: firm choices, inconsistent and unreadable ones, and the pull of place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.bias.pairs import Mask, mirrored

Choices = npt.NDArray[np.int8]

FIRST, SECOND, UNREADABLE, NOT_ASKED = 1, 0, -1, -2


def blank(prompts: int, models: int) -> Choices:
    """No verdict yet: [q, a, b] is what the judge said when a was shown first and b second."""
    return np.full((prompts, models, models), NOT_ASKED, dtype=np.int8)


@dataclass(frozen=True)
class PairTally:
    """Pairs of one kind by prompt, shape (prompts,): every pair asked ends as one of the last four.

    asked: pairs with a verdict in both orders; target, other: the same reply chosen in both; inconsistent:
    the same place chosen in both; unreadable: no choice could be read in one order at least.
    """

    wanted: npt.NDArray[np.float64]
    asked: npt.NDArray[np.float64]
    target: npt.NDArray[np.float64]
    other: npt.NDArray[np.float64]
    inconsistent: npt.NDArray[np.float64]
    unreadable: npt.NDArray[np.float64]


def tally(choices: Choices, pairs: Mask) -> PairTally:
    """Count directional pairs, each asked in both orders."""
    there, back = choices, choices.transpose(0, 2, 1)
    asked = pairs & (there != NOT_ASKED) & (back != NOT_ASKED)
    target = asked & (there == FIRST) & (back == SECOND)
    other = asked & (there == SECOND) & (back == FIRST)
    lost = asked & ((there == UNREADABLE) | (back == UNREADABLE))
    return PairTally(
        wanted=_by_prompt(pairs),
        asked=_by_prompt(asked),
        target=_by_prompt(target),
        other=_by_prompt(other),
        inconsistent=_by_prompt(asked & ~target & ~other & ~lost),
        unreadable=_by_prompt(lost),
    )


def right(choices: Choices, contrast: Mask) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Of high-contrast pairs, the better one counted: chosen, and asked in the one order there is.

    An unreadable verdict is no right one. No pair is of equal quality and of high contrast.
    """
    there, back = choices, choices.transpose(0, 2, 1)
    chosen = np.where(there != NOT_ASKED, there == FIRST, back == SECOND)
    asked = contrast & ((there != NOT_ASKED) | (back != NOT_ASKED))
    return _by_prompt(asked & chosen), _by_prompt(asked)


def place(choices: Choices, pairs: Mask) -> tuple[int, int]:
    """How often the reply shown first, and the one shown second, was chosen, over both orders of pairs."""
    both = mirrored(pairs) & (choices != NOT_ASKED) & (choices.transpose(0, 2, 1) != NOT_ASKED)
    return int((both & (choices == FIRST)).sum()), int((both & (choices == SECOND)).sum())


def _by_prompt(mask: Mask) -> npt.NDArray[np.float64]:
    return np.asarray(mask.sum(axis=(1, 2)), dtype=np.float64)
