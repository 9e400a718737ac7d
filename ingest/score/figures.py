"""The figures of extraction: counts of one document, their sums, and the rates made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pydantic import Field

from ingest.score.alike import pairs, same_answer, similarity, strict, wording
from ingest.score.formulas import formulas, is_built, normalise
from schemas.document import Frozen

Row = Mapping[str, Any]
_CLOSE = 0.1  # share by which a count may be off


class Figures(Frozen):
    """Counts of one document or of several together; rates are made of sums, never of rates."""

    gold: int = 0
    found: int = 0
    paired: int = 0
    text_sum: float = Field(default=0.0, description="similarity of wording, summed over the pairs")
    strict_sum: float = Field(default=0.0, description="similarity with formulas, summed over the pairs")
    answers: int = Field(default=0, description="gold questions with an answer")
    answers_right: int = 0
    answers_wrong_question: int = Field(default=0, description="another gold question's answer")
    answers_differ: int = Field(default=0, description="some other text")
    answers_missing: int = Field(default=0, description="none was given, or the question was not found")
    answers_invented: int = Field(default=0, description="given where the gold has none")
    types: int = Field(default=0, description="pairs whose gold states the type")
    types_right: int = 0
    scores: int = Field(default=0, description="pairs whose gold states points")
    scores_right: int = 0
    neighbours: int = 0
    neighbours_in_order: int = 0
    formulas: int = 0
    formulas_lost: int = 0
    built: int = Field(default=0, description="formulas that are more than a line of signs")
    built_lost: int = 0

    def rates(self) -> dict[str, float | int | None]:
        """The figures people read, to four places; None where there is nothing to measure."""
        precision = self.paired / self.found if self.found else 0.0
        recall = self.paired / self.gold if self.gold else 0.0
        both = precision + recall
        return {
            "gold": self.gold,
            "found": self.found,
            "P": round(precision, 4),
            "R": round(recall, 4),
            "F1": round(2 * precision * recall / both, 4) if both else 0.0,
            "text": _share(self.text_sum, self.paired),
            "strict": _share(self.strict_sum, self.paired),
            "answer": _share(self.answers_right, self.answers),
            "invented": self.answers_invented,
            "type": _share(self.types_right, self.types),
            "score": _share(self.scores_right, self.scores),
            "order": _share(self.neighbours_in_order, self.neighbours),
            "formula_loss": _share(self.formulas_lost, self.formulas),
            "built_loss": _share(self.built_lost, self.built),
        }

    def alignment(self) -> dict[str, int]:
        """Where the answers went."""
        return {
            "right": self.answers_right,
            "wrong_question": self.answers_wrong_question,
            "differs": self.answers_differ,
            "missing": self.answers_missing,
            "invented": self.answers_invented,
        }


class Report(Frozen):
    """Figures by document, of all together, and the mean F1 that counts every document alike."""

    documents: dict[str, Figures]
    total: Figures
    macro_f1: float
    counts: dict[str, tuple[int, int]] = Field(default_factory=dict, description="file -> expected, found")

    @property
    def counts_close(self) -> int:
        """Documents whose number of questions is off by a tenth, or one, at most."""
        return sum(is_close(want, got) for want, got in self.counts.values())


def is_close(want: int, got: int) -> bool:
    """Whether a count of questions is off by a tenth, or one, at most; none must be none."""
    return abs(got - want) <= max(1.0, _CLOSE * want) if want else got == 0


def score_all(
    gold: Mapping[str, Sequence[Row]],
    found: Mapping[str, Sequence[Row]],
    expected: Mapping[str, int] | None = None,
) -> Report:
    """Score every gold document by file name; expected: exact numbers of questions by file name."""
    documents = {name: score(rows, found.get(name, ())) for name, rows in gold.items()}
    sums: Counter[str] = Counter()
    for figures in documents.values():
        sums.update(figures.model_dump())
    f1 = [figures.rates()["F1"] or 0.0 for figures in documents.values()]
    return Report(
        documents=documents,
        total=Figures(**sums),
        macro_f1=round(sum(f1) / max(len(f1), 1), 4),
        counts={name: (want, len(found.get(name, ()))) for name, want in (expected or {}).items()},
    )


def score(gold: Sequence[Row], found: Sequence[Row]) -> Figures:
    """The figures of one document: its questions as read by hand, and as found, in document order."""
    paired = pairs(
        [wording(row["question"]) for row in gold], [wording(row.get("question")) for row in found]
    )
    counts: Counter[str] = Counter(gold=len(gold), found=len(found), paired=len(paired))
    text_sum = strict_sum = 0.0
    for g, f, alike in paired:
        want, got = gold[g], found[f]
        text_sum += alike
        strict_sum += similarity(strict(want["question"]), strict(got.get("question")))
        if want.get("type"):
            counts["types"] += 1
            counts["types_right"] += want["type"] == got.get("type")
        if want.get("score") is not None:
            counts["scores"] += 1
            counts["scores_right"] += _same_number(want["score"], got.get("score"))
    for one, other in pairwise(paired):
        counts["neighbours"] += 1
        counts["neighbours_in_order"] += other[1] > one[1]
    partner = {g: found[f] for g, f, _ in paired}
    _answers(gold, partner, counts)
    _formulas(gold, partner, found, counts)
    return Figures(**dict(counts), text_sum=text_sum, strict_sum=strict_sum)


def _answers(gold: Sequence[Row], partner: Mapping[int, Row], counts: Counter[str]) -> None:
    """Count where the answers went."""
    for place, want in enumerate(gold):
        got = partner[place].get("answer") if place in partner else None
        if not want.get("answer"):
            counts["answers_invented"] += bool(got)
            continue
        counts["answers"] += 1
        if not (got or "").strip():
            counts["answers_missing"] += 1
        elif same_answer(want["answer"], got):
            counts["answers_right"] += 1
        elif any(other.get("answer") and same_answer(other["answer"], got) for other in gold):
            counts["answers_wrong_question"] += 1
        else:
            counts["answers_differ"] += 1


def _formulas(
    gold: Sequence[Row], partner: Mapping[int, Row], found: Sequence[Row], counts: Counter[str]
) -> None:
    """Count formulas that are not found again: in the question's pair, else anywhere in the document."""
    whole = "\n".join(normalise(row.get("question") or "") for row in found)
    for place, want in enumerate(gold):
        text = normalise(partner[place].get("question") or "") if place in partner else whole
        for formula, times in Counter(formulas(want["question"])).items():
            lost = max(0, times - text.count(formula))
            counts["formulas"] += times
            counts["formulas_lost"] += lost
            if is_built(formula):
                counts["built"] += times
                counts["built_lost"] += lost


def _same_number(want: object, got: object) -> bool:
    try:
        return got is not None and abs(float(str(got)) - float(str(want))) < 1e-6
    except ValueError:
        return False


def _share(part: float, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
