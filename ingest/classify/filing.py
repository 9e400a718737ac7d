"""Filing single texts: what `classify` says of a question of which only the text is known."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.classify.evidence import text_evidence
from ingest.classify.label import decide
from ingest.classify.question_type import question_type
from schemas.question import Draft
from schemas.taxonomy import UNKNOWN, taxonomy


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


def file_text(text: str) -> Filed:
    """Discipline, sub-discipline and type of one question from its text alone."""
    label = decide((), text_evidence(text))
    known = label.discipline if label.discipline != UNKNOWN else ""
    kind = question_type(Draft(source="", stem=text, printed=text), label.discipline)
    return Filed(known, label.confidence, label.sub_discipline, label.confidence, kind.value, 0.9)
