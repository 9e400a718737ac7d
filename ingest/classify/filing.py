"""Filing single texts: what `classify` says of questions of which only the text is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.classify.evidence import find
from ingest.classify.label import decide
from ingest.classify.learned import Learned, add_up_learned, gained
from ingest.classify.model import model
from ingest.classify.question_type import type_of_text
from ingest.classify.vote import chances, posterior, raised, vote
from schemas.taxonomy import UNKNOWN, taxonomy

_CLEAR, _CLEAR_WORDS = 0.95, 4
"""Confidence and number of words from which a question is an outlier of its paper."""

_ALSO = 0.2
"""Probability from which another discipline is named beside the best."""

_MOST = 0.99
"""Words alone are never surer than this."""


@dataclass(frozen=True, slots=True)
class Filed:
    """Codes of one text with the probability that each is right; '' where nothing speaks for any."""

    discipline: str
    discipline_confidence: float
    sub_discipline: str
    sub_discipline_confidence: float
    question_type: str
    question_type_confidence: float
    outlier: str = ""
    """The discipline a question of a paper speaks for clearly by its own words, where it is another."""
    alternatives: tuple[str, ...] = ()
    """Other disciplines that are likely as well, likeliest first."""

    def row(self) -> dict[str, object]:
        """The fields `exambank classify` writes: Chinese names of the taxonomy, null where it abstains.

        sub_discipline is the official class (专业类), also where the taxonomy knows single majors.
        """
        tax = taxonomy()
        sub = tax.sub_disciplines.get(self.sub_discipline)
        return {
            "discipline": tax.disciplines[self.discipline].zh if self.discipline else None,
            "discipline_confidence": self.discipline_confidence if self.discipline else None,
            "sub_discipline": sub.official_class if sub else None,
            "sub_discipline_confidence": self.sub_discipline_confidence if sub else None,
            "question_type": self.question_type,
            "question_type_confidence": self.question_type_confidence,
            "alternatives": [
                tax.disciplines[code].zh for code in self.alternatives if code != self.discipline
            ],
        }


def file_texts(texts: Sequence[str], learned: Learned | None = None) -> list[Filed]:
    """Discipline, sub-discipline and type of each question from its text alone."""
    if not texts:
        return []
    known = model()
    by_sub = chances(raised(*add_up_learned(texts, learned)))
    by_discipline = by_sub @ known.members
    best = by_discipline.argmax(axis=1)
    own = by_sub * known.members.T[best]
    subs = own.argmax(axis=1).tolist()
    sure = by_discipline.max(axis=1).tolist()
    sub_sure = own.max(axis=1).tolist()
    filed = []
    for at, (text, discipline) in enumerate(zip(texts, best.tolist(), strict=True)):
        code = known.disciplines[discipline] if sure[at] > 0 else ""
        chances_of = dict(zip(known.disciplines, by_discipline[at].tolist(), strict=True))
        kind, kind_sure = type_of_text(text, code or UNKNOWN)
        filed.append(
            Filed(
                code,
                round(min(sure[at], _MOST), 4),
                known.subs[subs[at]] if code else "",
                round(min(sub_sure[at], _MOST), 4),
                kind.value,
                kind_sure,
                alternatives=_likely(chances_of, code),
            )
        )
    return filed


def _likely(by_discipline: dict[str, float], best: str) -> tuple[str, ...]:
    """Disciplines other than the best with a probability from _ALSO, likeliest first."""
    others = [code for code, sure in by_discipline.items() if sure >= _ALSO and code != best]
    return tuple(sorted(others, key=lambda code: (-by_discipline[code], code)))


def file_paper(texts: Sequence[str], learned: Learned | None = None) -> list[Filed]:
    """The same for the questions of one paper, which share the discipline they vote for.

    A question whose own words speak clearly for another discipline is marked as an outlier.
    """
    single = file_texts(texts, learned)
    found = [find(text) for text in texts]
    evidence = vote(found, gained(texts, learned))
    paper, sure = decide((), evidence), posterior(evidence.scores)
    if paper.discipline == UNKNOWN:
        return single
    by_discipline: dict[str, float] = {}
    for sub, chance in sure.items():
        by_discipline[sub[:3]] = by_discipline.get(sub[:3], 0.0) + chance
    alternatives = _likely(by_discipline, paper.discipline)
    filed = []
    for one, words in zip(single, found, strict=True):
        own = one.discipline == paper.discipline
        clear = one.discipline_confidence >= _CLEAR and len(words.words) >= _CLEAR_WORDS
        filed.append(
            replace(
                one,
                discipline=paper.discipline,
                discipline_confidence=paper.confidence,
                sub_discipline=paper.sub_discipline,
                sub_discipline_confidence=round(min(sure[paper.sub_discipline], _MOST), 4),
                outlier="" if own or not clear else one.discipline,
                alternatives=alternatives,
            )
        )
    return filed
