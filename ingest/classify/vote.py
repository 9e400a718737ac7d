"""How surely questions are filed: probabilities by sub-discipline, of one text and of those of a paper."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.classify.evidence import SCALE, Found, find, times
from ingest.classify.lessons import TEMPER, UNDECIDED, add_up
from ingest.classify.model import model

if TYPE_CHECKING:
    from ingest.classify.evidence import Reals

_LEAST = 1e-6
"""The same where its characters speak against it as well."""

_NOTHING = 1e-4
"""Score of a sub-discipline below which it is left out."""

_DOUBT = 0.05
"""Chance that a question's words speak for a discipline it does not belong to: what one voice can do."""

_MAX_SCORE = 24.0
"""Evidence of one sub-discipline beyond this is a matter of length, not of certainty."""


@dataclass(frozen=True, slots=True)
class TextEvidence:
    """Scores by sub-discipline in log-odds units, and the words found, most telling first."""

    scores: dict[str, float]
    words: tuple[str, ...]


def raised(sums: Reals, by_sub: Reals) -> Reals:
    """Odds of sub-disciplines against "none of these", (texts, sub-disciplines).

    The odds of a discipline are parted among its own by their words.
    """
    import numpy as np

    known = model()
    odds = np.maximum(np.expm1(np.minimum(sums * TEMPER, 60.0)), 0.0)
    parts = np.expm1(np.minimum(by_sub * SCALE, 50.0)) + _LEAST
    shares = parts / ((parts @ known.members) @ known.members.T)
    result: Reals = shares * (odds @ known.members.T)
    return result


def text_evidence(text: str) -> TextEvidence:
    """What the words of a text say as scores by sub-discipline, a word said twice less the second time."""
    return vote([find(text)])


def vote(found: Sequence[Found], more: tuple[Reals, Reals] | None = None) -> TextEvidence:
    """What the questions of one paper say together, each with one voice however long it is.

    Questions of one course err in the same way, so that the voices of many count for less than
    their product: as much as the square root of their number. more: log-odds of another model to
    add, in the form of add_up.
    """
    import numpy as np

    sums, by_sub = add_up(found)
    if more is not None:
        sums, by_sub = sums + more[0], by_sub + more[1]
    known = model()
    odds = raised(sums, by_sub)
    speaking = np.count_nonzero(odds.sum(axis=1) > 0)
    if not speaking:
        return TextEvidence({}, ())
    if speaking == 1:
        return _as_evidence(odds.max(axis=0), _telling(found))
    subs = chances(odds)
    shared = float(speaking) ** -0.5
    strength = np.log1p(subs @ known.members / _DOUBT).sum(axis=0) * shared
    voices = np.exp(np.minimum(np.log1p(subs / _DOUBT).sum(axis=0) * shared, 50.0))
    shares = voices / ((voices @ known.members) @ known.members.T)
    return _as_evidence(shares * (np.expm1(np.minimum(strength, 60.0)) @ known.members.T), _telling(found))


def _as_evidence(odds: Reals, words: tuple[str, ...]) -> TextEvidence:
    import numpy as np

    scores = np.log1p(odds) / SCALE
    return TextEvidence(
        {code: float(score) for code, score in zip(model().subs, scores, strict=True) if score > _NOTHING},
        words,
    )


def _telling(found: Sequence[Found]) -> tuple[str, ...]:
    """The words found, most telling first."""
    known = model()
    counts: Counter[str] = Counter()
    for one in found:
        counts.update(one.words)
    weights = {word: float(known.rows[known.ids[word]].max()) * times(n) for word, n in counts.items()}
    return tuple(sorted(weights, key=lambda word: (-weights[word], word)))


def posterior(scores: dict[str, float]) -> dict[str, float]:
    """Probabilities by sub-discipline from summed evidence; what is missing to 1 is undecided.

    Scores far above the rest would saturate with the length of the text alone, so the highest is
    brought down to a ceiling and the others keep their distance to it in proportion.
    """
    if not scores:
        return {}
    top = max(scores.values())
    scale = SCALE * (min(1.0, _MAX_SCORE / top) if top > 0 else 1.0)
    odds = {code: math.expm1(score * scale) for code, score in scores.items()}
    total = sum(odds.values()) + UNDECIDED
    return {code: value / total for code, value in odds.items()}


def chances(odds: Reals) -> Reals:
    """Probabilities of sub-disciplines from odds, (texts, sub-disciplines); the rest to 1 is undecided."""
    result: Reals = odds / (odds.sum(axis=1, keepdims=True) + UNDECIDED)
    return result


def speaks_for(word: str, discipline: str) -> bool:
    """Whether a listed word is evidence for a discipline."""
    known = model()
    return bool(known.rows[known.ids[word], known.disciplines.index(discipline)] > 0)
