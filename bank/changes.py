"""Changes from JSON Lines, CSV or XLSX: every row becomes a change, or is refused with its place."""

from __future__ import annotations

import csv
import difflib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bank.edits import EDITABLE, MAX_CHARS, Action, Change, Refusal, Refused
from schemas.errors import UsageError
from schemas.question import Question

MAX_BYTES = 200_000_000  # of the file, and of what a workbook unpacks to times five
CLEAR = "(clear)"  # in a spreadsheet, where an empty cell says nothing
REFUSED = "refused"  # the column that a file of refused rows has more; it is not read
_OWN = ("question_id", "revision", "action", "into", "reason", "reviewer")
_KNOWN = {*_OWN, *Question.model_fields, REFUSED}
_CELL = 4 * MAX_CHARS
_FORMULA, _ERROR = "f", "e"  # what openpyxl calls a cell's type

Row = dict[str, Any]


@dataclass
class ChangeFile:
    """What a file of changes holds: changes, rows that are none, and every row by its line."""

    changes: list[Change] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    rows: dict[int, Row | str] = field(default_factory=dict)


def read_changes(path: Path) -> ChangeFile:
    """Read a file of changes. Which kind it is, its content tells.

    Columns, or keys: question_id and revision; action, by default edit; into, reason, reviewer; and
    fields of a question with their new values. In a spreadsheet an empty cell leaves a field as it
    is and `(clear)` empties it; in JSON, null does. UsageError where the file as a whole is no use:
    it is not there, too large, no such kind, or has columns that are none.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise _useless(path, f"it is larger than {MAX_BYTES:,} bytes", "Cut it into smaller files.")
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", code="no_file") from None
    found = ChangeFile()
    if data.startswith(b"PK\x03\x04"):
        rows = _from_workbook(path, data)
    elif data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
        rows = _from_json(data)
    else:
        rows = _from_csv(path, data)
    for line, row in rows:
        if isinstance(row, Refused):
            found.refused.append(_refusal(line, row))
            continue
        found.rows[line] = row
        try:
            found.changes.append(_change(line, row))
        except Refused as why:
            found.refused.append(_refusal(line, why, row))
    return found


def refused_rows(found: ChangeFile, refused: Iterable[Refusal]) -> bytes:
    """The refused rows as JSON Lines, each with why: to be mended and given again."""
    why: dict[int, list[str]] = {}
    for refusal in refused:
        told = f"{refusal.column}: {refusal.message} [{refusal.code}]"
        why.setdefault(refusal.line, []).append(told)
    lines = []
    for line, reasons in sorted(why.items()):
        row = found.rows.get(line, {})
        values = row if isinstance(row, dict) else {"line": row}
        lines.append(
            json.dumps({**values, REFUSED: f"line {line}: " + "; ".join(reasons)}, ensure_ascii=True)
        )
    return "".join(f"{line}\n" for line in lines).encode()


def _change(line: int, row: Mapping[str, Any]) -> Change:
    name = row.get("question_id")
    if not isinstance(name, str) or not name.strip():
        raise Refused("question_id", "no_id", "the row names no question")
    action = str(row.get("action") or Action.EDIT).strip().lower()
    if action not in set(Action):
        raise Refused("action", "value", f"action must be one of {', '.join(Action)}, not {action[:40]!r}")
    own = {key: row[key] for key in ("into", "reason", "reviewer") if row.get(key) is not None}
    for key, value in own.items():
        if not isinstance(value, str):
            raise Refused(key, "type", f"{key} must be text")
    fields = {key: value for key, value in row.items() if key not in _OWN and key != REFUSED}
    for key in fields:
        if key not in _KNOWN:
            raise Refused(key, "no_field", f"a question has no field {key[:40]!r}{_nearest(key)}")
    return Change(
        question_id=name.strip(),
        action=Action(action),
        revision=_revision(row.get("revision")),
        fields=fields,
        line=line,
        **{key: value.strip() for key, value in own.items()},
    )


def _revision(value: Any) -> int:  # noqa: ANN401 - from a file
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    if value is None or value == "":
        raise Refused("revision", "no_revision", "the row does not say which revision was seen")
    raise Refused("revision", "type", f"revision must be a whole number, not {str(value)[:40]!r}")


def _refusal(line: int, why: Refused, row: Mapping[str, Any] | None = None) -> Refusal:
    name = (row or {}).get("question_id")
    return Refusal(
        line=line,
        column=why.column,
        question_id=name[:64] if isinstance(name, str) else "",
        code=why.code,
        message=why.message,
    )


def _from_json(data: bytes) -> Iterator[tuple[int, Row | Refused]]:
    for line, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        if len(raw) > 20 * MAX_CHARS:
            yield line, Refused("", "too_long", f"the line has {len(raw):,} bytes")
            continue
        try:
            yield line, _object(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            yield line, Refused(f"byte {error.start + 1}", "encoding", "the line is no UTF-8")
        except json.JSONDecodeError as error:
            yield line, Refused(f"character {error.colno}", "json", f"the line is no JSON: {error.msg}")
        except RecursionError:
            yield line, Refused("", "json", "the line is nested too deeply")
        except Refused as why:
            yield line, why


def _object(line: str) -> Row:
    def unique(pairs: list[tuple[str, Any]]) -> Row:
        row = dict(pairs)
        if len(row) != len(pairs):
            twice = next(key for key in row if sum(key == other for other, _ in pairs) > 1)
            raise Refused(twice, "json", f"the line has {twice[:40]!r} twice")
        return row

    def none(word: str) -> Any:  # noqa: ANN401 - it never returns
        raise Refused("", "json", f"{word} is no value of JSON")

    row = json.loads(line, object_pairs_hook=unique, parse_constant=none)
    if not isinstance(row, dict):
        raise Refused("", "json", "the line is no object")
    return row


def _from_csv(path: Path, data: bytes) -> Iterator[tuple[int, Row | Refused]]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    else:  # what is no UTF-8 is kept in sight, so that it can be told by cell
        text = data.decode("utf-8-sig", errors="surrogateescape")
    head = text.split("\n", 1)[0]
    mark = max(",;\t", key=head.count)
    before = csv.field_size_limit(_CELL)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
        names: list[str] | None = None
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield line, Refused("", "csv", f"the row is no CSV: {error}")
                continue
            if cells is None:
                break
            if names is None:
                names = _heads(path, cells)
            elif any(cell.strip() for cell in cells):
                yield line, _sheet_row(names, cells)
    finally:
        csv.field_size_limit(before)
    if names is None:
        raise _useless(path, "it is empty", "Begin it with a line of column names.")


def _from_workbook(path: Path, data: bytes) -> Iterator[tuple[int, Row | Refused]]:
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > 5 * MAX_BYTES:
                raise _useless(path, "it unpacks to too much", "Cut it into smaller files.")
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=False)
    except UsageError:
        raise
    except Exception as error:  # a damaged workbook ends in errors of every kind
        raise _useless(path, f"it is no whole workbook ({type(error).__name__})", "Save it again.") from None
    names: list[str] | None = None
    try:
        for line, cells in enumerate(book.worksheets[0].iter_rows(), start=1):
            values = [_cell(cell) for cell in cells]
            if not any(value not in ("", None) for value in values):
                continue
            if names is None:
                names = _heads(path, [value if isinstance(value, str) else "" for value in values])
                continue
            bad = [place for place, value in enumerate(values) if isinstance(value, Refused)]
            if bad:
                why = values[bad[0]]
                column = names[bad[0]] if bad[0] < len(names) else ""
                yield line, Refused(column, why.code, why.message)  # type: ignore[union-attr]
                continue
            texts = [str(value or "") for value in values]
            yield line, _sheet_row(names, texts + [""] * (len(names) - len(texts)))
    except UsageError:
        raise
    except Exception as error:
        raise _useless(path, f"it is no whole workbook ({type(error).__name__})", "Save it again.") from None
    if names is None:
        raise _useless(path, "its first sheet is empty", "Begin it with a row of column names.")


def _cell(cell: Any) -> str | Refused | None:  # noqa: ANN401 - openpyxl's
    """The text of a cell as it is meant: numbers as they are written, no formulas, no dates."""
    value = cell.value
    if value is None or isinstance(value, str):
        if value and cell.data_type == _FORMULA:
            return Refused("", "formula", "the cell holds a formula: paste its value")
        if value and cell.data_type == _ERROR:
            return Refused("", "type", f"the cell holds the error {value}")
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)
    return Refused("", "type", "the cell holds a date or time: make it text")


def _heads(path: Path, cells: Sequence[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    twice = sorted({name for name in names if names.count(name) > 1})
    if "question_id" not in names:
        raise _useless(path, "it has no column question_id", "Begin it with a line of column names.")
    if twice:
        raise _useless(path, f"it has two columns {twice[0]!r}", "Take one of them out.")
    unknown = [name for name in names if name not in _KNOWN]
    if unknown:
        ways = f"The columns are: {', '.join((*_OWN, *EDITABLE))}; other fields may stand in it unchanged."
        raise _useless(path, f"it has a column {unknown[0][:40]!r}{_nearest(unknown[0])}", ways)
    return names


def _sheet_row(names: Sequence[str], cells: Sequence[str]) -> Row | Refused:
    if len(cells) != len(names) and any(cell.strip() for cell in cells[len(names) :]):
        return Refused("", "cells", f"the row has {len(cells)} cells under {len(names)} columns")
    if len(cells) < len(names):
        return Refused(names[len(cells)], "cells", f"the row breaks off after {len(cells)} cells")
    pairs = zip(names, cells, strict=False)
    return {name: None if cell.strip() == CLEAR else cell for name, cell in pairs if cell.strip()}


def _nearest(name: str) -> str:
    near = difflib.get_close_matches(name, sorted(_KNOWN - {REFUSED}), 1, 0.6)
    return f"; did you mean {near[0]}?" if near else ""


def _useless(path: Path, what: str, remedy: str) -> UsageError:
    return UsageError(f"{path} is no file of changes: {what}.", code="bad_changes", remedy=remedy)
