"""Questions of a bank to a file: JSON Lines, CSV, XLSX or Parquet. No cell of a sheet is run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bank.edits import EDITABLE
from bank.exchange.rowfile import guarded
from schemas.errors import UsageError
from schemas.question import Question

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = (".jsonl", ".csv", ".xlsx", ".parquet")
# What a curator needs to settle a question in a spreadsheet, what `apply` takes back, and what `import` needs
# so that siblings stay siblings.
SHEET = (
    "question_id", "revision", "status", "status_reason", *EDITABLE, "printed", "printed_form", "flags",
    "original_id", "source",
)  # fmt: skip
_CELL = 32_767  # characters of a cell of a workbook
_BOM = "\ufeff"  # without it, spreadsheets take UTF-8 for something else
_ROWS = 1_000


def columns_of(path: Path, asked: Sequence[str]) -> tuple[str, ...]:
    """The columns a file of this name gets: those asked for, or all; in a sheet, what a curator needs."""
    if path.suffix.lower() not in KINDS:
        raise UsageError(
            f"{path.name} names no kind of file that questions are written to.",
            code="no_kind",
            remedy=f"Let its name end in one of {', '.join(KINDS)}.",
        )
    unknown = [name for name in asked if name not in Question.model_fields]
    if unknown:
        raise UsageError(
            f"A question has no field {unknown[0]!r}.",
            code="no_field",
            remedy=f"The fields are: {', '.join(Question.model_fields)}.",
        )
    return tuple(asked) or (
        SHEET if path.suffix.lower() in {".csv", ".xlsx"} else tuple(Question.model_fields)
    )


def encoded(table: pa.Table, suffix: str) -> bytes:
    """The rows of a table as the content of a file of this kind, ordered as they are.

    UsageError `too_long` for a text that a cell of a workbook cannot hold.
    """
    return _WRITERS[suffix.lower()](table)


def _jsonl(table: pa.Table) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in _plain(table))


def _csv(table: pa.Table) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(table.column_names)
    for row in _plain(table):
        writer.writerow([guarded(_text(value)) for value in row.values()])
    return (_BOM + out.getvalue()).encode()


def _xlsx(table: pa.Table) -> bytes:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = Workbook(write_only=True)
    sheet = book.create_sheet("questions")
    sheet.freeze_panes = "B2"
    sheet.append(table.column_names)
    for line, row in enumerate(_plain(table), start=2):
        cells = []
        for name, value in row.items():
            cell = WriteOnlyCell(sheet, value=None)
            if isinstance(value, int | float) and not isinstance(value, bool):
                cell.value = value
            else:
                text = guarded(_text(value))
                if len(text) > _CELL:
                    raise UsageError(
                        f"{name} of {row.get('question_id', f'row {line}')} has {len(text):,} characters, "
                        f"more than a cell of a workbook holds ({_CELL:,}).",
                        code="too_long",
                        remedy="Write .csv or .jsonl, or leave the column out.",
                    )
                cell.value = ILLEGAL_CHARACTERS_RE.sub("\ufffd", text) or None
                if text:
                    cell.data_type = "s"  # else a text with "=" before it became a formula
            cells.append(cell)
        sheet.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _parquet(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


_WRITERS: dict[str, Callable[[pa.Table], bytes]] = dict(
    zip(KINDS, (_jsonl, _csv, _xlsx, _parquet), strict=True)
)


def _plain(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Rows as JSON would have them: maps as objects."""
    import pyarrow as pa

    maps = [field.name for field in table.schema if pa.types.is_map(field.type)]
    for batch in table.to_batches(_ROWS):
        for row in batch.to_pylist():
            yield {**row, **{name: dict(row[name] or ()) for name in maps}}


def _text(value: Any) -> str:  # noqa: ANN401 - a value of any column
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
