"""Questions to Arrow rows and back, without loss."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from schemas.question import Question, arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as pads
    from deltalake import DeltaTable

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


def scan(
    delta: DeltaTable, names: Sequence[str] | None = None, chosen: pads.Expression | None = None
) -> pa.Table:
    """Rows of an open table with the declared types; names: these columns alone.

    FileNotFoundError when files of this version have been vacuumed.
    """
    import pyarrow as pa

    schema = arrow_schema()
    wanted = list(names) if names is not None else schema.names
    data = delta.to_pyarrow_dataset().to_table(columns=wanted, filter=chosen)
    return data.cast(pa.schema([schema.field(name) for name in wanted]))


def find(delta: DeltaTable, ids: Sequence[str]) -> pa.Table:
    """The rows with these ids. Only the partitions that have some are read in full."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pc.field("question_id").isin(pa.array(ids, pa.string()))
    places = scan(delta, ("discipline",), wanted)["discipline"].unique()
    return scan(delta, None, pc.field("discipline").isin(places) & wanted)


def _question(row: dict[str, Any]) -> Question:
    for name in _MAPS:
        row[name] = dict(row[name] or ())
    return Question.model_validate(row)
