"""A change as a reviewer asks for it, and its values checked against what a question may say."""

from __future__ import annotations

import contextlib
import enum
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from schemas.document import Frozen
from schemas.question import Question, QuestionType
from schemas.taxonomy import find_course, find_discipline, find_sub_discipline, taxonomy

MAX_CHARS = 1_000_000  # of one text
MAX_POINTS = 10_000.0
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_YES, _NO = {"true", "1", "yes", "是"}, {"false", "0", "no", "否"}


class Action(enum.StrEnum):
    """What a reviewer may do with a question."""

    EDIT = "edit"
    APPROVE = "approve"
    REJECT = "reject"
    RETIRE = "retire"
    MERGE = "merge"
    UNMERGE = "unmerge"


class Change(Frozen):
    """One change of one question. An edit may stand in an approval too, as its fields."""

    question_id: str
    action: Action = Action.EDIT
    revision: int | None = Field(default=None, description="the one that was seen; None: whichever it has")
    fields: dict[str, Any] = Field(default_factory=dict, description="field -> value; None empties it")
    into: str = Field(default="", description="of a merge: the question it is the same as")
    reason: str = ""
    reviewer: str = ""
    line: int = Field(default=0, description="where it stands in a file, from 1; 0 without one")


class Refusal(Frozen):
    """Why a change is not applied, and where it stands."""

    line: int = 0
    column: str = ""
    question_id: str = ""
    code: str
    message: str

    def __str__(self) -> str:
        place = ", ".join(
            part for part in (f"line {self.line}" if self.line else "", self.column, self.question_id) if part
        )
        return f"{place}: {self.told}" if place else self.told

    @property
    def told(self) -> str:
        """What is wrong, without the place."""
        return f"{self.message} [{self.code}]"


class Refused(Exception):  # noqa: N818 - not an error of the program: it becomes a Refusal
    """Raised where a change turns out to be one that cannot be applied.

    raw: what stands in the file, of a row that could not even be taken apart; what is no UTF-8 in it
    as lone surrogates.
    """

    def __init__(self, column: str, code: str, message: str, raw: str = "") -> None:
        super().__init__(message)
        self.column, self.code, self.message, self.raw = column, code, message, raw

    def told(self, change: Change) -> Refusal:
        """The record of it."""
        return Refusal(
            line=change.line,
            column=self.column,
            question_id=change.question_id[:64],
            code=self.code,
            message=self.message,
        )


def edited(question: Question, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a question that come out other than they are; Refused for the first bad one.

    Values may be text as a spreadsheet has it, or of their own type. Disciplines, sub-disciplines and
    courses may be names; a course brings its discipline along, a new discipline drops what does not
    belong to it.
    """
    update: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in EDITABLE:
            _unchanged(question, name, value)
            continue
        update[name] = EDITABLE[name](name, value)
    agree(question, update)
    return {name: value for name, value in update.items() if value != getattr(question, name)}


def _unchanged(question: Question, name: str, value: Any) -> None:  # noqa: ANN401 - from a file
    """A field that is only told along may stand in a change as it is."""
    if name not in Question.model_fields:
        raise Refused(name, "no_field", f"a question has no field {name!r}")
    now = question.model_dump(mode="json")[name]
    if isinstance(now, list) and isinstance(value, str):  # in a sheet its JSON
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    if value != now and str(value) != str("" if now is None else now):
        raise Refused(name, "not_editable", f"{name} cannot be edited; may be: {', '.join(EDITABLE)}")


def text(name: str, value: Any) -> str:  # noqa: ANN401 - from a file
    """A text that can be kept; None is an empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Refused(name, "type", f"{name} must be text, not {_kind(value)}")
    if len(value) > MAX_CHARS:
        raise Refused(name, "too_long", f"{name} has {len(value):,} characters; {MAX_CHARS:,} is the most")
    bad = _CONTROL.search(value)
    if bad is not None:
        raise Refused(
            name,
            "encoding",
            f"{name} holds broken UTF-8 or a control character at character {bad.start() + 1}",
        )
    return value


def _said(name: str, value: Any) -> str:  # noqa: ANN401
    found = text(name, value)
    if not found.strip():
        raise Refused(name, "empty", f"{name} must not be empty")
    return found


def _or_none(name: str, value: Any) -> str | None:  # noqa: ANN401
    return text(name, value) or None


def _flag(name: str, value: Any) -> bool:  # noqa: ANN401
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if isinstance(value, str | int) and word in _YES | _NO:
        return word in _YES
    raise Refused(name, "type", f"{name} must be true or false, not {str(value)[:40]!r}")


def _real(name: str, value: Any) -> float | None:  # noqa: ANN401
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        if isinstance(value, bool):
            raise ValueError
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not 0 <= found <= MAX_POINTS:
        raise Refused(
            name, "type", f"{name} must be a number from 0 to {MAX_POINTS:g}, not {str(value)[:40]!r}"
        )
    return found


def _year(name: str, value: Any) -> int | None:  # noqa: ANN401
    found = _real(name, value)
    if found is not None and not (found.is_integer() and 1900 <= found <= 2100):
        raise Refused(name, "type", f"{name} must be a year, not {str(value)[:40]!r}")
    return None if found is None else int(found)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)


def one_of(*known: str) -> Callable[[str, Any], str]:
    """A check that a value is one of these texts; Refused for any other."""

    def check(name: str, value: Any) -> str:  # noqa: ANN401
        if not isinstance(value, str) or value not in known:
            raise Refused(name, "value", f"{name} must be one of {', '.join(known)}, not {str(value)[:40]!r}")
        return value

    return check


def _type(name: str, value: Any) -> QuestionType:  # noqa: ANN401
    return QuestionType(one_of(*QuestionType)(name, value))


def _filed(find: Callable[[str], Any], empty: str) -> Callable[[str, Any], str]:
    def check(name: str, value: Any) -> str:  # noqa: ANN401
        wanted = text(name, value).strip()
        if wanted in {"", empty}:
            return empty
        node = find(wanted)
        if node is None:
            raise Refused(name, f"unknown_{name}", f"there is no {name.replace('_', '-')} {wanted[:40]!r}")
        return str(node.code)

    return check


# Field -> what checks and converts a value of it.
EDITABLE: dict[str, Callable[[str, Any], Any]] = {
    "prompt": _said,
    "reference_answer": _or_none,
    "explanation": _or_none,
    "material": text,
    "needs_figure": _flag,
    "question_type": _type,
    "points": _real,
    "discipline": _filed(find_discipline, "d00"),
    "sub_discipline": _filed(find_sub_discipline, ""),
    "course": _filed(find_course, ""),
    "language": one_of("zh", "en", "mixed"),
    "number": text,
    "section": text,
    "exam_kind": text,
    "exam_year": _year,
    "visibility": one_of("private", "public"),
}
LABELS = ("discipline", "sub_discipline", "course")


def agree(question: Question, update: dict[str, Any]) -> None:
    """Make discipline, sub-discipline and course agree, as far as the update leaves that open; in place.

    Refused where they cannot.
    """
    if not any(name in update and update[name] != getattr(question, name) for name in LABELS):
        return
    tax = taxonomy()
    course = tax.courses.get(update.get("course") or "")
    if course is not None:
        update.setdefault("sub_discipline", course.sub_discipline)
        update.setdefault("discipline", course.discipline)
        if update["sub_discipline"] not in {course.sub_discipline, *course.also}:
            raise Refused("course", "mismatch", f"course {course.code} is of {course.sub_discipline}")
    sub = tax.sub_disciplines.get(update.get("sub_discipline") or "")
    if sub is not None and update.setdefault("discipline", sub.discipline) != sub.discipline:
        raise Refused("sub_discipline", "mismatch", f"{sub.code} belongs to {sub.discipline}")
    now = {name: update.get(name, getattr(question, name)) for name in LABELS}
    kept = tax.sub_disciplines.get(now["sub_discipline"])
    if kept is not None and kept.discipline != now["discipline"]:
        now["sub_discipline"] = ""
    old = tax.courses.get(now["course"])
    if old is not None and now["sub_discipline"] not in {old.sub_discipline, *old.also}:
        now["course"] = ""
    update.update(now)
    update |= {"label_method": "reviewer", "label_confidence": 1.0}
