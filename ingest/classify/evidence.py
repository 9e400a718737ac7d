"""What the listed words of a question speak for: evidence by discipline and sub-discipline."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ingest.classify.asked import ASKED, parts, task
from ingest.classify.match import MAX_CHARS, prepare
from ingest.classify.model import model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Reals = NDArray[np.float32]

SCALE = 0.7
"""Words of one text are not independent, so each counts for less than its own log-odds."""

_EVEN = 0.02
"""What a sub-discipline without words of its own has of its discipline's odds, beside one with words."""

_PARTS = 0.2
"""What a pair or triple of characters counts beside a word, between disciplines."""

_PARTS_WITHIN = 0.15
"""The same between the sub-disciplines of one."""

_TASK, _BESIDE_TASK = 6.0, 0.2
"""Log-odds of a task that names its subject, and what is left of all words beside it."""


# How a question is put says nothing of what it is about: 名词解释, 判断题, 程序设计题.
_ASKING = re.compile(
    r"名词解释|(?:程序|算法)?(?:简答|选择|填空|判断|计算|论述|分析|应用|证明|综合|设计|问答|辨析|作图|编程|翻译|写作)题"
    r"|解释下列名词|multiple choice|true or false|short answer|problem set"
)
_LITTLE = re.compile("[的了是在和与及或而之其以于为有不也就都这那你我他她它们个把被让对从到由所者吗呢吧么]")
"""Little words, which join others by chance; pairs of characters with them say nothing."""

_ASKED = ("题", "解释", "choice", "true or", "short a", "problem s")
"""What each of these has: most texts have none, and looking for the whole pattern takes long."""


@dataclass(frozen=True, slots=True)
class Found:
    """What of the model occurs in a text: words with how often they count, and characters, pairs and triples
    of them by place with what they count. task: the sub-discipline whose task the wording is.
    """

    words: dict[str, float]
    grams: dict[int, float]
    said: tuple[tuple[str, float], ...] = ()
    task: str = ""


def pieces(text: str) -> tuple[set[str], set[str]]:
    """The listed words of a text, and all its pairs and triples of characters.

    Plain and little words have none of these.
    """
    counts, chars = _read(_prepared(text))
    said = {chars[at : at + 2] for at in range(len(chars) - 1)}
    said |= {chars[at : at + 3] for at in range(len(chars) - 2)}
    return set(counts), said


def find(question: str, beside: str = "") -> Found:
    """The listed words of a question, and the characters, pairs and triples that listed words are made of.

    By these a term nobody listed speaks by its parts. Each counts as much as the part of the question it
    stands in; beside: its section and answer, of which all counts.
    """
    prepared = _prepared(question)
    split = parts(prepared)
    if beside:
        split.append((_prepared(beside), ASKED))
    words: dict[str, float] = {}
    grams: dict[int, float] = {}
    said = []
    for text, weight in sorted(split, key=lambda part: part[1]):
        counts, chars = _read(text)
        found = _grams(chars, bool(counts))
        said.append((chars, weight))
        for word, times in counts.items():
            words[word] = words.get(word, 0.0) + weight * times
        grams |= dict.fromkeys(found, weight)  # the heaviest part comes last
    return Found(words, dict(sorted(grams.items())), tuple(said), task(prepared))


def _grams(chars: str, worded: bool) -> set[int]:
    """The places of characters, pairs and triples; worded: whether the text has listed words."""
    place = model().grams.get
    pairs = list(map(place, map(str.__add__, chars, chars[1:])))
    # What has a triple has both its pairs.
    triples = [
        place(chars[at : at + 3])
        for at, (one, next_one) in enumerate(pairwise(pairs))
        if one is not None and next_one is not None
    ]
    found = {*pairs, *triples}
    if worded or found != {None}:  # single characters only join what speaks
        found.update(map(place, chars))
    return {at for at in found if at is not None}


def _prepared(text: str) -> str:
    prepared = prepare(text[:MAX_CHARS])
    return _ASKING.sub(" ", prepared) if any(word in prepared for word in _ASKED) else prepared


def _read(prepared: str) -> tuple[dict[str, int], str]:
    """The listed words of a text with how often, and its characters without plain and little words."""
    known = model()
    counts: dict[str, int] = {}
    bare, kept = [], 0
    for start, end in known.segmenter.cut(prepared):
        word = prepared[start:end]
        if word in known.plain:
            bare.append(prepared[kept:start])
            kept = end
        else:
            counts[word] = counts.get(word, 0) + 1
    bare.append(prepared[kept:])
    return counts, _LITTLE.sub(" ", " ".join(bare))


def by_lists(found: Sequence[Found]) -> tuple[Reals, Reals]:
    """Log-odds of texts by the word lists: an array (texts, disciplines), and one (texts, sub-disciplines).

    A word said twice counts less the second time. Between the sub-disciplines of one discipline the
    parts of words lower those they speak for less than for the best.
    """
    import numpy as np

    known = model()
    number = len(known.disciplines)
    by_word = np.zeros((len(found), number + len(known.subs)), np.float32)
    by_gram = np.zeros((len(found), number), np.float32)
    spoken = [at for at, one in enumerate(found) if one.words]
    if spoken:
        ids = [known.ids[word] for at in spoken for word in found[at].words]
        counted = [times(n) for at in spoken for n in found[at].words.values()]
        rows = known.rows[ids] * np.array(counted, np.float32)[:, None]
        by_word[spoken] = np.add.reduceat(rows, _starts([len(found[at].words) for at in spoken]))
    parted = [at for at, one in enumerate(found) if one.grams]
    if parted:
        places = [place for at in parted for place in found[at].grams]
        starts = _starts([len(found[at].grams) for at in parted])
        counts = np.array([n for at in parted for n in found[at].grams.values()], np.float32)
        by_gram[parted] = np.add.reduceat(known.gram_rows[places] * counts[:, None], starts)
    for at, one in enumerate(found):
        if one.task:
            by_word[at] *= _BESIDE_TASK
            by_gram[at] *= _BESIDE_TASK
            by_word[at, [known.disciplines.index(one.task[:3]), number + known.subs.index(one.task)]] += _TASK
    by_sub = by_word[:, number:]
    own = np.expm1(np.minimum(by_sub * SCALE, 50.0))
    sums = by_word[:, :number] + np.log1p(own @ known.members) + _PARTS * by_gram
    return sums, np.log1p((own + _EVEN) * _within([one.grams for one in found])) / SCALE


def times(count: float) -> float:
    """What a word counts that is said so often: a second time less than the first."""
    return count if count <= 1 else 1 + math.log(count)


def _within(grams: Sequence[Mapping[int, float]]) -> Reals:
    """What grams leave of the odds of each sub-discipline, (texts, sub-disciplines): 1 for the best of each
    discipline.
    """
    import numpy as np

    known = model()
    lengths = [len(some) for some in grams]
    places = np.array([place for some in grams for place in some], np.int64)
    begin = known.gram_starts[places]
    times = known.gram_starts[places + 1] - begin
    entry = np.repeat(begin - (np.cumsum(times) - times), times) + np.arange(times.sum())
    text = np.repeat(np.repeat(np.arange(len(grams)), lengths), times)
    shape = len(grams), len(known.subs)
    counts = np.repeat(np.array([n for some in grams for n in some.values()], np.float32), times)
    said = np.bincount(
        text * shape[1] + known.gram_codes[entry],
        weights=known.gram_subs[entry] * counts,
        minlength=shape[0] * shape[1],
    ).reshape(shape)
    bounds = np.flatnonzero(np.diff(known.members.argmax(axis=1), prepend=-1))
    best = np.repeat(np.maximum.reduceat(said, bounds, axis=1), np.diff([*bounds, shape[1]]), axis=1)
    result: Reals = np.exp(_PARTS_WITHIN * (said - best)).astype(np.float32)
    return result


def _starts(lengths: list[int]) -> list[int]:
    """Where each of several runs begins, laid end to end."""
    return [0, *accumulate(lengths[:-1])]
