"""Rows of a file that are questions of the very bank they come into: never added beside themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bank.edits import Refusal
from schemas.question import Question

if TYPE_CHECKING:
    from bank.store import Bank

ID, ORIGINAL = "imported_question_id", "imported_original_id"  # keys of the evidence: what the file said


@dataclass(frozen=True)
class Sorted:
    """fresh: to be added; already: so many are in the bank as the file has them; refused: otherwise there."""

    fresh: tuple[Question, ...]
    already: int
    refused: tuple[Refusal, ...]


def sort(bank: Bank, questions: Sequence[Question], lines: Mapping[str, int]) -> Sorted:
    """Part the rows whose question_id this bank has from the others.

    Ids are made with the bank's key, so a row that has one was exported from this bank. One that says
    what the bank says by now is there already; one that says something else was changed, here or in the
    file, and would stand beside the question as another one: it is refused. lines: id -> its line.
    """
    names = {q.evidence[ID] for q in questions if ID in q.evidence}
    columns = ("question_id", "content_hash", "revision")
    rows = bank.table(columns, {"question_id": sorted(names)}).to_pylist() if names else []
    there = {str(row["question_id"]): row for row in rows}
    if not there:
        return Sorted(tuple(questions), 0, ())
    fresh: list[Question] = []
    refused: list[Refusal] = []
    already = 0
    for question, made in zip(questions, bank.ids.identify(questions), strict=True):
        name = question.evidence.get(ID, "")
        row = there.get(name)
        if row is None or made.question_id == name:  # the words it came with: the addition tells it by its id
            fresh.append(question)
        elif made.content_hash == row["content_hash"]:
            already += 1
        else:
            refused.append(
                Refusal(
                    line=lines.get(name, 0),
                    column="question_id",
                    question_id=name,
                    code="known",
                    message=f"the bank has this question (revision {row['revision']}), and it says something "
                    "else there: change it with `exambank apply`, or leave question_id out to add another",
                )
            )
    return Sorted(tuple(fresh), already, tuple(refused))
