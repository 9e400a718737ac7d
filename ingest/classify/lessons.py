"""What own example questions teach beside the word lists: weights of words and of parts of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.classify.evidence import Found, by_lists, find
from ingest.classify.kept import kept
from ingest.classify.model import grams_of, model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from ingest.classify.evidence import Reals

QUESTIONS = Path(__file__).parent / "questions"
"""Files of lines code<TAB>question, code being that of a sub-discipline."""

UNDECIDED = 0.3
"""Weight of "none of these" beside the odds of all sub-disciplines."""

TEMPER = 0.3
"""Sharpness of the odds between disciplines. The one constant fitted: benchmarks/classify_calibration.py."""

_STIFF = 0.2
"""How firmly weights are held at 0 (L2), by cross-validation on the questions themselves."""

_STEPS = 60
"""Steps of the fit, after which it hardly moves."""

_LITTLE = 0.05
"""Odds below which nothing is said: some pair of characters is in any text."""

_LATIN = re.compile(
    r"\b(?!(?:the|of|and|or|in|on|at|to|an?|is|are|was|were|be|by|for|from|with|that|this|it|its|as|do|does|did|not|no|has|have|had|can"
    r"|should|would|will|if|when|than|one|he|she|his|her|they|their|you|your|we|what|which|who|how|why|where|following|explain"
    r"|describe|discuss|define|difference|between|called|means?|best|most|main|first|example|statements?)\b)[a-z][a-z-]+"
)
"""Words of letters, without those that any question is put in."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """pieces: place of each word, pair and triple of characters; rare: how much rarer than others it is,
    (pieces,); weights: what it adds to the log-odds of each discipline, (pieces, disciplines).
    """

    pieces: dict[str, int]
    rare: Reals
    weights: Reals


def add_up(found: Sequence[Found]) -> tuple[Reals, Reals]:
    """Log-odds of questions by the word lists and the lessons, in the form of by_lists."""
    import numpy as np

    sums, by_sub = by_lists(found)
    more = _rows(found, lessons().pieces, lessons().rare) @ lessons().weights
    undecided = UNDECIDED / sums.shape[1]
    odds = np.expm1(np.clip(sums * TEMPER, 0.0, 60.0)) + undecided
    taught = odds * np.exp(more) - undecided
    result: Reals = (np.log1p(np.where(taught < _LITTLE, 0.0, taught)) / TEMPER).astype(np.float32)
    return result, by_sub


@cache
def lessons() -> Lessons:
    """What the questions teach, made once and kept."""
    import numpy as np

    arrays = kept(_made, "lessons")
    pieces = arrays["pieces"].tobytes().decode().split("\n")
    return Lessons(
        dict(zip(pieces, range(len(pieces)), strict=True)),
        arrays["rare"].astype(np.float32),
        arrays["weights"].astype(np.float32),
    )


def questions() -> list[tuple[str, str]]:
    """Codes of sub-disciplines and the questions that belong there."""
    lines = [line for path in sorted(QUESTIONS.glob("*.tsv")) for line in path.read_text("utf-8").split("\n")]
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(code, text) for code, text in rows]


def _made() -> dict[str, NDArray[np.generic]]:
    """The lessons as arrays: pieces as lines of UTF-8.

    Multinomial regression whose start, for each question, is what the lists say of it, so that only what
    they leave is learned; disciplines of many questions count as much as those of few.
    """
    import numpy as np
    from scipy.optimize import minimize
    from threadpoolctl import threadpool_limits

    known = model()
    asked = questions()
    found = [find(text) for _, text in asked]
    number = len(known.disciplines)
    truth = np.eye(number)[[known.disciplines.index(code[:3]) for code, _ in asked]]
    each = (truth @ (len(asked) / number / truth.sum(axis=0)))[:, None]
    start = np.log(np.expm1(np.maximum(by_lists(found)[0], 0.0) * TEMPER) + UNDECIDED / number)
    names = sorted({piece for one in found for piece in _pieces(one)})
    pieces = {piece: at for at, piece in enumerate(names)}
    times = np.bincount([pieces[piece] for one in found for piece in _pieces(one)], minlength=len(pieces))
    rare = (np.log((1 + len(asked)) / (1 + times)) + 1).astype(np.float32)
    rows = _rows(found, pieces, rare)
    turned = rows.T.tocsr()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, shift = flat[:-number].reshape(-1, number), flat[-number:]
        odds = start + rows @ weights + shift
        odds -= odds.max(axis=1, keepdims=True)
        chances = np.exp(odds)
        chances /= chances.sum(axis=1, keepdims=True)
        wrong = (chances - truth) * each
        slope = np.concatenate([(turned @ wrong + _STIFF * weights).ravel(), wrong.sum(axis=0) + 10 * shift])
        fit = -(each * truth * np.log(chances + 1e-12)).sum()
        return float(fit + _STIFF / 2 * (weights**2).sum() + 5 * (shift**2).sum()), slope

    none = np.zeros((len(pieces) + 1) * number)
    with threadpool_limits(1):  # the same figures on any number of cores
        flat = minimize(loss, none, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
    return {
        "pieces": np.frombuffer("\n".join(pieces).encode(), np.uint8),
        "rare": rare,
        "weights": flat[:-number].reshape(-1, number).astype(np.float16),
    }


def _pieces(found: Found) -> set[str]:
    """The words of a question, and the pairs and triples of its characters."""
    grams = {gram for chars, _ in found.said for gram in grams_of(chars) if len(gram) > 1}
    latin = {word for chars, _ in found.said for word in _LATIN.findall(chars)}
    return grams | set(map(_named, latin)) | set(map(_named, found.words))


def _named(word: str) -> str:
    """A Latin word with a space before it, so that no pair of letters within another is taken for it."""
    return f" {word}" if word.isascii() else word


def _rows(found: Iterable[Found], pieces: dict[str, int], rare: Reals) -> csr_array:
    """One row a question, of length 1, with what its known pieces count: (questions, pieces)."""
    import numpy as np
    from scipy.sparse import csr_array

    place = pieces.get
    places: list[int] = []
    values: list[float] = []
    ends = [0]
    for one in found:
        known: dict[int | None, float] = {}
        for chars, counts in one.said:
            pairs = list(map(place, map(str.__add__, chars, chars[1:])))
            # What has a triple has both its pairs.
            known |= dict.fromkeys(pairs, counts)
            known |= {
                place(chars[at : at + 3]): counts
                for at, (pair, next_pair) in enumerate(pairwise(pairs))
                if pair is not None and next_pair is not None
            }
            known |= dict.fromkeys(map(place, map(_named, _LATIN.findall(chars))), counts)
        known |= {place(_named(word)): min(times, 1.0) for word, times in one.words.items()}
        known.pop(None, None)
        places += known  # type: ignore[arg-type]
        values += known.values()
        ends.append(len(places))
    data = np.array(values, np.float32) * rare[places]
    rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    lengths = np.sqrt(np.bincount(rows, weights=data**2, minlength=len(ends) - 1))
    data /= lengths[rows]
    return csr_array((data, places, ends), shape=(len(ends) - 1, len(pieces)))
