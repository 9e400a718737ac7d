"""Questions from a file of rows: each row becomes a question, or is refused with line and column."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bank.edits import EDITABLE, LABELS, Refusal, Refused, agree, one_of, text
from bank.exchange.own import TOLD
from bank.exchange.rowfile import REFUSED, Columns, Row, nearest, read_rows, refusal
from schemas.errors import UsageError
from schemas.question import PrintedForm, Question, QuestionType, Status
from schemas.text import language_of

_NESTED = {"flags", "regions"}
_KNOWN = set(Question.model_fields)
_COLUMNS = Columns(
    what="questions",
    known=_KNOWN,
    needed=("prompt",),
    ways=f"The columns are: {', '.join(n for n in Question.model_fields if n not in TOLD)}.",
    code="bad_rows",
)
_PARQUET = b"PAR1"


@dataclass
class QuestionFile:
    """What a file of questions holds: questions, refused rows, every row by its line."""

    questions: list[Question] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    rows: dict[int, Row | str] = field(default_factory=dict)
    duplicates: int = 0  # questions that are duplicates by the file: whose, the bank finds out


def read_questions(path: Path) -> QuestionFile:
    """Read questions from JSON Lines, CSV, XLSX or Parquet, such as `exambank export` writes.

    A row needs a prompt. Where they are not told, question_type is short_answer, discipline d00 and
    status active. Disciplines may be names. Rows with one original_id stay siblings; a question_id is
    compared within the file alone, since the bank makes ids of its own, and stands in the evidence, as
    does the line. Lines are counted from 1, rows of Parquet too.
    """
    found = QuestionFile()
    digest = _digest(path)
    seen: dict[str, int] = {}
    printed: dict[str, str] = {}
    for line, row in _rows(path):
        if isinstance(row, Refused):
            found.refused.append(refusal(line, row))
            found.rows[line] = row.raw
            continue
        found.rows[line] = row
        try:
            question = _question(line, row, path.name, digest)
            name = row.get("question_id")
            if name in seen:
                raise Refused("question_id", "repeated", f"the question stands in line {seen[name]} too")
        except Refused as why:
            found.refused.append(refusal(line, why, row))
            continue
        if name:
            seen[name] = line
        found.duplicates += row.get("status") == Status.DUPLICATE or bool(row.get("duplicate_of"))
        # Siblings are one printed question, so they have one print.
        print_of = printed.setdefault(question.evidence["draft_id"], question.printed)
        found.questions.append(question.model_copy(update={"printed": print_of}))
    return found


def _rows(path: Path) -> Iterator[tuple[int, Row | Refused]]:
    try:
        with path.open("rb") as file:
            head = file.read(len(_PARQUET))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", code="no_file") from None
    return _from_parquet(path) if head == _PARQUET else read_rows(path, _COLUMNS)


def _from_parquet(path: Path) -> Iterator[tuple[int, Row | Refused]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    line = 0
    try:
        file = pq.ParquetFile(path)
        for batch in file.iter_batches(1_000):
            for values in batch.to_pylist():
                line += 1
                yield line, {name: value for name, value in values.items() if value is not None}
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UsageError(
            f"{path} is no whole Parquet file after row {line}: {str(error).splitlines()[0][:200]}",
            code="bad_rows",
            remedy="Write it again; nothing was added.",
        ) from None


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", code="no_file") from None


def _question(line: int, row: Mapping[str, Any], source: str, digest: str) -> Question:
    values: dict[str, Any] = {}
    for name, value in row.items():
        if name == REFUSED:
            continue
        if name not in _KNOWN:
            raise Refused(name, "no_field", f"a question has no field {name[:40]!r}{nearest(name, _KNOWN)}")
        if name in TOLD and value is not None:
            TOLD[name](name, value)
        elif value is not None:
            check: Callable[[str, Any], Any] = _CHECKS.get(name, text)
            values[name] = check(name, value)
    if not str(values.get("prompt", "")).strip():
        raise Refused("prompt", "empty", "prompt must not be empty")
    values.setdefault("question_type", QuestionType.SHORT_ANSWER)
    values.setdefault("printed_form", PrintedForm(str(values["question_type"])))
    values.setdefault("printed", values["prompt"])
    values.setdefault("language", language_of(values["prompt"]))
    values.setdefault("source", source)
    values.setdefault("source_sha256", digest)
    given = {name: str(values.pop(name)) for name in ("question_id", "original_id") if values.get(name)}
    evidence = {"imported": f"{source}, line {line}", **{f"imported_{k}": v for k, v in given.items()}}
    evidence["draft_id"] = given.get("original_id") or f"line {line}"
    if values.get("status") == Status.DUPLICATE:  # whose duplicate it is, the bank finds out
        values["status"] = Status.ACTIVE
    labels = {name: values.pop(name) for name in LABELS if name in values}
    try:
        question = Question(evidence=evidence, **values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        column = ".".join(str(part) for part in first["loc"])
        raise Refused(column.split(".", 1)[0], "type", f"{column}: {first['msg']}") from None
    if labels:
        agree(question, labels)
        labels |= {"label_method": "imported", "label_confidence": 1.0}
    return question.model_copy(update=labels)


def _nested(name: str, value: Any) -> Any:  # noqa: ANN401 - from a file
    """A list, or in a spreadsheet the JSON of one."""
    if isinstance(value, str):
        try:
            value = json.loads(text(name, value))
        except (ValueError, RecursionError):
            raise Refused(name, "type", f"{name} must be a JSON list") from None
    if not isinstance(value, list):
        raise Refused(name, "type", f"{name} must be a list")
    return value


def _digest_of(name: str, value: Any) -> str:  # noqa: ANN401 - from a file
    found = text(name, value).strip().lower()
    if len(found) != 64 or not set(found) <= set("0123456789abcdef"):
        raise Refused(name, "value", f"{name} must be 64 hexadecimal digits")
    return found


def _digests(name: str, value: Any) -> list[str]:  # noqa: ANN401 - from a file
    return [_digest_of(name, one) for one in _nested(name, value)]


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **EDITABLE,
    **dict.fromkeys(_NESTED, _nested),
    "figures": _digests,
    "status": one_of(*Status),
    "printed_form": one_of(*PrintedForm),
    "source_sha256": _digest_of,
}
