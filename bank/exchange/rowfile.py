"""Rows from JSON Lines, CSV or XLSX, each with its line; what is no row is refused with its place."""

from __future__ import annotations

import csv
import difflib
import io
import json
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bank.edits import MAX_CHARS, Refusal, Refused
from schemas.errors import UsageError

MAX_BYTES = 200_000_000  # of the file, and of what a workbook unpacks to times five
CLEAR = "(clear)"  # in a spreadsheet, where an empty cell says nothing
REFUSED = "refused"  # the column that a file of refused rows has more; it is not read
RAW = "raw"  # there, in place of columns: the text of a row that could not be taken apart
# A spreadsheet runs a text that begins like this; `guarded` puts the guard before it.
GUARD, GUARDED = "'", ("=", "+", "-", "@", "\t", "\r", "\n", "'")
_CELL = 4 * MAX_CHARS
_FORMULA, _ERROR = "f", "e"  # what openpyxl calls a cell's type

Row = dict[str, Any]


@dataclass(frozen=True)
class Columns:
    """What a file of rows may hold. what: as messages call the file; ways: what to say of a bad column."""

    what: str
    known: Collection[str]
    needed: tuple[str, ...]
    ways: str
    code: str


def read_rows(path: Path, columns: Columns) -> Iterator[tuple[int, Row | Refused]]:
    """Each row with its line, from 1. Which kind of file it is, its content tells.

    In a spreadsheet an empty cell is no value and `(clear)` is None; in JSON null is. UsageError where
    the file as a whole is no use: it is not there, too large, no such kind, or has columns that are none.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise useless(
                path, columns, f"it is larger than {MAX_BYTES:,} bytes", "Cut it into smaller files."
            )
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", code="no_file") from None
    if data.startswith(b"PK\x03\x04"):
        return _from_workbook(path, data, columns)
    begin = data.lstrip(b"\xef\xbb\xbf \r\n\t")
    lines = path.suffix.lower() in {".jsonl", ".ndjson", ".json"}
    if lines and not begin:
        raise useless(path, columns, "it is empty", "Write one JSON object a line.")
    if begin.startswith(b"[") and lines:
        raise useless(
            path, columns, "it is a JSON list", "Write its objects one a line, without the brackets."
        )
    if begin.startswith(b"{"):
        return _from_json(data)
    return _from_csv(path, data, columns)


def refused_rows(rows: Mapping[int, Row | str], refused: Iterable[Refusal]) -> bytes:
    """The refused rows as JSON Lines, each with why: to be mended and given again.

    rows: by line; a text is of a row that could not be taken apart, and is kept as it is.
    """
    why: dict[int, list[str]] = {}
    for refusal in refused:
        told = f"{refusal.column}: {refusal.told}" if refusal.column else refusal.told
        why.setdefault(refusal.line, []).append(told)
    lines = []
    for line, reasons in sorted(why.items()):
        row = rows.get(line, {})
        values = row if isinstance(row, dict) else {RAW: row}
        lines.append(
            json.dumps({**values, REFUSED: f"line {line}: " + "; ".join(reasons)}, ensure_ascii=False)
        )
    # What was no UTF-8 stands there as lone surrogates: JSON has an escape for them.
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def is_refused_rows(path: Path) -> bool:
    """Whether a file holds nothing but what `refused_rows` makes, if anything. OSError as in reading."""
    with path.open("rb") as file:
        for line in file:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                return False
            if not isinstance(row, dict) or not str(row.get(REFUSED, "")).startswith("line "):
                return False
    return True


def refusal(line: int, why: Refused, row: Mapping[str, Any] | None = None) -> Refusal:
    """The record of a row that is refused."""
    name = (row or {}).get("question_id")
    return Refusal(
        line=line,
        column=why.column,
        question_id=name[:64] if isinstance(name, str) else "",
        code=why.code,
        message=why.message,
    )


def nearest(name: str, known: Collection[str]) -> str:
    """A hint at the name that may have been meant, or ''."""
    near = difflib.get_close_matches(name, sorted(known), 1, 0.6)
    return f"; did you mean {near[0]}?" if near else ""


def useless(path: Path, columns: Columns, why: str, remedy: str) -> UsageError:
    """What to raise when a file as a whole is no use."""
    return UsageError(f"{path} is no file of {columns.what}: {why}.", code=columns.code, remedy=remedy)


def _from_json(data: bytes) -> Iterator[tuple[int, Row | Refused]]:
    for line, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        if len(raw) > 20 * MAX_CHARS:
            yield line, Refused("", "too_long", f"the line has {len(raw):,} bytes", _kept(raw))
            continue
        try:
            yield line, _object(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            yield line, Refused(f"byte {error.start + 1}", "encoding", "the line is no UTF-8", _kept(raw))
        except json.JSONDecodeError as error:
            told = f"the line is no JSON: {error.msg}"
            yield line, Refused(f"character {error.colno}", "json", told, _kept(raw))
        except RecursionError:
            yield line, Refused("", "json", "the line is nested too deeply", _kept(raw))
        except ValueError:  # a number of thousands of digits, which Python does not even read
            yield line, Refused("", "json", "the line has a number with too many digits", _kept(raw))
        except Refused as why:
            why.raw = _kept(raw)
            yield line, why


def _kept(raw: bytes) -> str:
    return raw.decode("utf-8", errors="surrogateescape")


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


def _from_csv(path: Path, data: bytes, columns: Columns) -> Iterator[tuple[int, Row | Refused]]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    else:  # what is no UTF-8 is kept in sight, so that it can be told by cell
        text = data.decode("utf-8-sig", errors="surrogateescape")
    head = text.split("\n", 1)[0]
    mark = max(",;\t", key=head.count)
    before = csv.field_size_limit(_CELL)
    taken: list[str] = []  # the lines of the row at hand, as they stand there

    def lines() -> Iterator[str]:
        for one in io.StringIO(text, newline=""):
            taken.append(one)
            yield one

    try:
        reader = csv.reader(lines(), delimiter=mark, strict=True)
        names: list[str] | None = None
        while True:
            line = reader.line_num + 1
            taken.clear()
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield line, Refused("", "csv", f"the row is no CSV: {error}", "".join(taken))
                continue
            if cells is None:
                break
            if names is None:
                names = _heads(path, columns, cells)
            elif any(cell.strip() for cell in cells):
                yield line, _sheet_row(names, cells, "".join(taken))
    finally:
        csv.field_size_limit(before)
    if names is None:
        raise useless(path, columns, "it is empty", "Begin it with a line of column names.")


def _from_workbook(path: Path, data: bytes, columns: Columns) -> Iterator[tuple[int, Row | Refused]]:
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > 5 * MAX_BYTES:
                raise useless(path, columns, "it unpacks to too much", "Cut it into smaller files.")
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=False)
    except UsageError:
        raise
    except Exception as error:  # a damaged workbook ends in errors of every kind
        raise useless(
            path, columns, f"it is no whole workbook ({type(error).__name__})", "Save it again."
        ) from None
    names: list[str] | None = None
    try:
        for line, cells in enumerate(book.worksheets[0].iter_rows(), start=1):
            values = [_cell(cell) for cell in cells]
            if not any(value not in ("", None) for value in values):
                continue
            if names is None:
                names = _heads(path, columns, [value if isinstance(value, str) else "" for value in values])
                continue
            bad = [place for place, value in enumerate(values) if isinstance(value, Refused)]
            if bad:
                why = values[bad[0]]
                column = names[bad[0]] if bad[0] < len(names) else ""
                yield line, Refused(column, why.code, why.message, _row_text(cells))  # type: ignore[union-attr]
                continue
            texts = [str(value or "") for value in values]
            yield line, _sheet_row(names, texts + [""] * (len(names) - len(texts)), _row_text(cells))
    except UsageError:
        raise
    except Exception as error:
        raise useless(
            path, columns, f"it is no whole workbook ({type(error).__name__})", "Save it again."
        ) from None
    if names is None:
        raise useless(path, columns, "its first sheet is empty", "Begin it with a row of column names.")


def _row_text(cells: Iterable[Any]) -> str:
    """A row of a workbook as text, its cells parted by tabs."""
    return "\t".join("" if cell.value is None else str(cell.value) for cell in cells)


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


def _sheet_row(names: Sequence[str], cells: Sequence[str], raw: str) -> Row | Refused:
    if len(cells) != len(names) and any(cell.strip() for cell in cells[len(names) :]):
        return Refused("", "cells", f"the row has {len(cells)} cells under {len(names)} columns", raw)
    if len(cells) < len(names):
        return Refused(names[len(cells)], "cells", f"the row breaks off after {len(cells)} cells", raw)
    pairs = zip(names, cells, strict=False)
    return {name: None if cell.strip() == CLEAR else _unguarded(cell) for name, cell in pairs if cell.strip()}


def guarded(text: str) -> str:
    """A text as a cell that no spreadsheet runs and that does not mean to empty its field."""
    return GUARD + text if text.startswith(GUARDED) or text.strip() == CLEAR else text


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith(GUARD) and guarded(cell[1:]) == cell else cell


def _heads(path: Path, columns: Columns, cells: Sequence[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    twice = sorted({name for name in names if names.count(name) > 1})
    for needed in columns.needed:
        if needed not in names:
            raise useless(
                path, columns, f"it has no column {needed}", "Begin it with a line of column names."
            )
    if twice:
        raise useless(path, columns, f"it has two columns {twice[0]!r}", "Take one of them out.")
    unknown = [name for name in names if name not in columns.known and name != REFUSED]
    if unknown:
        hint = nearest(unknown[0], columns.known)
        raise useless(path, columns, f"it has a column {unknown[0][:40]!r}{hint}", columns.ways)
    return names
