"""What the words of a text speak for, and how surely: evidence by sub-discipline, and probabilities."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.classify.match import prepare
from ingest.classify.model import model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_CHARS = 200_000
"""Text read of one paper; more of it would not change the label."""

_UNDECIDED = 1.0
"""Weight of "none of these": one two-letter word alone stays near an even chance."""

_SCALE = 0.7
"""Words of one text are not independent, so each counts for less than its own log-odds."""

_TEMPER = 0.7
"""Sharpness of the odds between disciplines."""

_EVEN = 0.02
"""What a sub-discipline without words of its own has of its discipline's odds, beside one with words."""

_NOTHING = 1e-4
"""Score of a sub-discipline below which it is left out."""

_PARTS = 0.2
"""What a pair or triple of characters counts beside a word."""

_MAX_SCORE = 24.0
"""Evidence of one sub-discipline beyond this is a matter of length, not of certainty."""


@dataclass(frozen=True, slots=True)
class TextEvidence:
    """Scores by sub-discipline in log-odds units, and the words found, most telling first."""

    scores: dict[str, float]
    words: tuple[str, ...]


# How a question is put says nothing of what it is about: 名词解释, 判断题, 程序设计题.
_ASKING = re.compile(
    r"名词解释|(?:程序|算法)?(?:简答|选择|填空|判断|计算|论述|分析|应用|证明|综合|设计|问答|辨析|作图|编程|翻译|写作)题"
    r"|解释下列名词|multiple choice|true or false|short answer|problem set"
)


def text_evidence(text: str) -> TextEvidence:
    """What the words of a text say; a word said twice counts less the second time.

    Beside whole words speak the pairs and triples of characters that listed words are made of, so
    that a term nobody listed speaks by its parts; they say nothing of plain words.
    """
    import numpy as np

    known = model()
    prepared = _ASKING.sub(" ", prepare(text[:MAX_CHARS]))
    counts: Counter[str] = Counter()
    bare = list(prepared)
    for start, end in known.segmenter.cut(prepared):
        word = prepared[start:end]
        if word in known.plain:
            bare[start:end] = " " * (end - start)
        else:
            counts[word] += 1
    number = len(known.disciplines)
    found = np.zeros(number + len(known.subs), np.float32)
    telling: list[tuple[float, str]] = []
    if counts:
        rows = known.rows[[known.ids[word] for word in counts]]
        times = np.array([1 + math.log(n) for n in counts.values()], np.float32)
        found = times @ rows
        telling = sorted(zip((-rows.max(axis=1) * times).tolist(), counts, strict=True))
    chars = "".join(bare)
    grams = {
        at
        for size in (2, 3)
        for start in range(len(chars) - size + 1)
        if (at := known.grams.get(chars[start : start + size])) is not None
    }
    by_discipline, by_sub = found[:number], found[number:]
    support = np.log1p(np.expm1(np.minimum(by_sub * _SCALE, 50)) @ known.members)
    sums = by_discipline + support
    if grams:
        sums = sums + _PARTS * known.gram_rows[sorted(grams)].sum(axis=0)
    if not counts and not grams:
        return TextEvidence({}, ())
    scores = _joined(sums, by_sub)
    return TextEvidence(scores, tuple(word for _, word in telling))


def _joined(sums: NDArray[np.float32], by_sub: NDArray[np.float32]) -> dict[str, float]:
    """Scores of sub-disciplines: the odds of a discipline are parted among its own by their words."""
    import numpy as np

    known = model()
    raised = np.maximum(np.expm1(np.minimum(sums * _TEMPER, 60.0)), 0.0)
    parts = np.expm1(np.minimum(by_sub * _SCALE, 50.0)) + _EVEN
    shares = parts / ((parts @ known.members) @ known.members.T)
    scores = np.log1p(shares * (known.members @ raised)) / _SCALE
    return {code: float(score) for code, score in zip(known.subs, scores, strict=True) if score > _NOTHING}


def posterior(scores: dict[str, float]) -> dict[str, float]:
    """Probabilities by sub-discipline from summed evidence; what is missing to 1 is undecided.

    Scores far above the rest would saturate with the length of the text alone, so the highest is
    brought down to a ceiling and the others keep their distance to it in proportion.
    """
    if not scores:
        return {}
    top = max(scores.values())
    scale = _SCALE * (min(1.0, _MAX_SCORE / top) if top > 0 else 1.0)
    raised = {code: math.expm1(score * scale) for code, score in scores.items()}
    total = sum(raised.values()) + _UNDECIDED
    return {code: value / total for code, value in raised.items()}


def speaks_for(word: str, discipline: str) -> bool:
    """Whether a listed word is evidence for a discipline."""
    known = model()
    return bool(known.rows[known.ids[word], known.disciplines.index(discipline)] > 0)
