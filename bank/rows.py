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

    schema, fields = arrow_schema(), [vars(question) for question in questions]
    columns = [_column([values[field.name] for values in fields], field) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _column(values: list[Any], field: pa.Field[Any]) -> pa.Array[Any]:
    """Column by column: three times as fast as a dictionary for each question."""
    import pyarrow as pa

    if field.name in _MAPS:
        values = [list(value.items()) for value in values]
    elif field.name == "regions":
        values = [[{"page": region.page, "box": region.box} for region in value] for value in values]
    made: pa.Array[Any] = pa.array(values, field.type)
    return made


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


def find(delta: DeltaTable, values: Sequence[str], column: str = "question_id") -> pa.Table:
    """The rows with these values there, ids by default. Only partitions that have some are read in full."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pc.field(column).isin(pa.array(values, pa.string()))
    places = scan(delta, ("discipline",), wanted)["discipline"].unique()
    return scan(delta, None, pc.field("discipline").isin(places) & wanted)


def _question(row: dict[str, Any]) -> Question:
    for name in _MAPS:
        row[name] = dict(row[name] or ())
    return Question.model_validate(row)
