"""The word model: which sub-disciplines the words of a text speak for, and how surely."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ingest.classify.match import Matcher, prepare
from schemas.taxonomy import Node, names, taxonomy

MAX_CHARS = 200_000
"""Text read of one paper; more of it would not change the label."""

_UNDECIDED = 1.0
"""Weight of "none of these": one two-letter word alone stays near an even chance."""

_SCALE = 0.7
"""Words of one text are not independent, so each counts for less than its own log-odds."""

_EVERYDAY = 0.5
"""What is left of the weight of an everyday word."""

_MAX_SCORE = 24.0
"""Evidence of one sub-discipline beyond this is a matter of length, not of certainty."""


@dataclass(frozen=True, slots=True)
class WordModel:
    """Every listed word with the weight it has for each sub-discipline, and the matcher of them."""

    weights: dict[str, dict[str, float]]
    matcher: Matcher


@dataclass(frozen=True, slots=True)
class TextEvidence:
    """Scores by sub-discipline in log-odds units, and the words found, most telling first."""

    scores: dict[str, float]
    words: tuple[str, ...]


def _weight(word: str) -> float:
    """How much one word says before sharing: longer words are rarer and say more."""
    if word.isascii():
        letters = len(word.replace(" ", ""))
        return 0.8 if letters <= 3 else 1.4 if letters <= 7 else 2.0
    return {2: 1.0, 3: 1.7}.get(len(word), 2.4)


EVERYDAY = "~"
"""The code of everyday words."""


class Entry(NamedTuple):
    """A word as listed under one sub-discipline; shared when it is marked to stand under several."""

    code: str
    word: str
    shared: bool
    file: str
    line: int


def listed() -> Iterator[Entry]:
    """Every word of the files in terms/, in the form it is looked up by; terms/README.md has the format."""
    for file in sorted(files("ingest.classify").joinpath("terms").iterdir(), key=lambda f: f.name):
        if not file.name.endswith(".tsv"):
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#") or "\t" not in line:
                continue
            code, words = line.split("\t", 1)
            for word in words.split():
                key = prepare(word.rstrip("*").replace("_", " "))
                yield Entry(code, key, word.endswith("*"), file.name, number)


@cache
def model() -> WordModel:
    """The files in terms/ and the names of courses and sub-disciplines, read once on first use."""
    owners: dict[str, set[str]] = {}
    everyday: set[str] = set()
    for entry in listed():
        if entry.code == EVERYDAY:
            everyday.add(entry.word)
        else:
            owners.setdefault(entry.word, set()).add(entry.code)
    tax = taxonomy()
    nodes: list[tuple[Node, str]] = [(c, c.sub_discipline) for c in tax.courses.values()]
    nodes += [(s, s.code) for s in tax.sub_disciplines.values()]
    for node, code in nodes:
        for name in map(prepare, names(node)):
            # Short titles are everyday words; as a word of a text they need to be listed above.
            if len(name) >= (6 if name.isascii() else 4):
                owners.setdefault(name, set()).add(code)
    weights = {
        word: dict.fromkeys(
            sorted(codes), _weight(word) * (_EVERYDAY if word in everyday else 1) / len(codes) ** 0.5
        )
        for word, codes in owners.items()
    }
    return WordModel(weights, Matcher(weights))


# How a question is put says nothing of what it is about: 名词解释, 判断题, 程序设计题.
_ASKING = re.compile(
    r"名词解释|(?:程序|算法)?(?:简答|选择|填空|判断|计算|论述|分析|应用|证明|综合|设计|问答|辨析|作图|编程|翻译|写作)题"
    r"|解释下列名词|multiple choice|true or false|short answer|problem set"
)


def text_evidence(text: str) -> TextEvidence:
    """What the words of a text say; a word said twice counts less the second time."""
    prepared = _ASKING.sub(" ", prepare(text[:MAX_CHARS]))
    counts = Counter(hit.word for hit in model().matcher.find(prepared))
    scores: dict[str, float] = {}
    telling: list[tuple[float, str]] = []
    for word, count in counts.items():
        shares = model().weights[word]
        for code, weight in shares.items():
            scores[code] = scores.get(code, 0.0) + weight * (1 + math.log(count))
        telling.append((-max(shares.values()) * (1 + math.log(count)), word))
    return TextEvidence(scores, tuple(word for _, word in sorted(telling)))


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
