"""Filing single texts: what `classify` says of questions of which only the text is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.classify.evidence import add_up, chances, find, raised
from ingest.classify.model import model
from ingest.classify.question_type import type_of_text
from schemas.taxonomy import UNKNOWN, taxonomy

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
        }


def file_texts(texts: Sequence[str]) -> list[Filed]:
    """Discipline, sub-discipline and type of each question from its text alone."""
    if not texts:
        return []
    known = model()
    by_sub = chances(raised(*add_up([find(text) for text in texts])))
    by_discipline = by_sub @ known.members
    best = by_discipline.argmax(axis=1)
    own = by_sub * known.members.T[best]
    subs = own.argmax(axis=1).tolist()
    sure = by_discipline.max(axis=1).tolist()
    sub_sure = own.max(axis=1).tolist()
    filed = []
    for at, (text, discipline) in enumerate(zip(texts, best.tolist(), strict=True)):
        code = known.disciplines[discipline] if sure[at] > 0 else ""
        kind, kind_sure = type_of_text(text, code or UNKNOWN)
        filed.append(
            Filed(
                code,
                round(min(sure[at], _MOST), 4),
                known.subs[subs[at]] if code else "",
                round(min(sub_sure[at], _MOST), 4),
                kind.value,
                kind_sure,
            )
        )
    return filed
