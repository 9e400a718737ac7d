"""Questions to Arrow rows and back, without loss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from schemas.question import Question, arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

_MAPS = ("evidence", "stage_versions")


def to_table(questions: Iterable[Question]) -> pa.Table:
    """One row a question, with the one declared schema, so that all-null columns keep their type."""
    import pyarrow as pa

    rows = []
    for question in questions:
        row = question.model_dump(mode="json")
        for name in _MAPS:
            row[name] = list(row[name].items())
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=arrow_schema())


def from_table(table: pa.Table) -> list[Question]:
    """The questions of a table that has all the declared columns, in its order."""
    return [_question(row) for row in table.to_pylist()]


def _question(row: dict[str, Any]) -> Question:
    for name in _MAPS:
        row[name] = dict(row[name] or ())
    return Question.model_validate(row)
