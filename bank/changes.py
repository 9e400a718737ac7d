"""Changes from JSON Lines, CSV or XLSX: every row becomes a change, or is refused with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bank.edits import EDITABLE, Action, Change, Refusal, Refused
from bank.exchange.rowfile import REFUSED, Columns, Row, nearest, read_rows, refusal
from schemas.question import Question

_OWN = ("question_id", "revision", "action", "into", "reason", "reviewer")
_KNOWN = {*_OWN, *Question.model_fields, REFUSED}
_COLUMNS = Columns(
    what="changes",
    known=_KNOWN,
    needed=("question_id",),
    ways=f"The columns are: {', '.join((*_OWN, *EDITABLE))}; other fields may stand in it unchanged.",
    code="bad_changes",
)


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
    found = ChangeFile()
    for line, row in read_rows(path, _COLUMNS):
        if isinstance(row, Refused):
            found.refused.append(refusal(line, row))
            found.rows[line] = row.raw
            continue
        found.rows[line] = row
        try:
            found.changes.append(_change(line, row))
        except Refused as why:
            found.refused.append(refusal(line, why, row))
    return found


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
            raise Refused(key, "no_field", f"a question has no field {key[:40]!r}{nearest(key, _KNOWN)}")
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
