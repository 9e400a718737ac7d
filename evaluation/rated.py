"""Files of replies that people have rated: their rows, and people's scales mapped onto 0-3 stars."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import UsageError

_CORRECT, _EXPLAINED = "Correctness", "Explanation Correctness"
_ACCURATE, _LOGICAL = "Accuracy", "Logicality"


@dataclass(frozen=True)
class Row:
    """One rated reply; scores are stars by rater, None where a rater's scale is not known."""

    row_id: str
    model: str
    kind: str
    group: str
    question: str
    reference: str
    reply: str
    stars: Mapping[str, int | None]
    raw: Mapping[str, Any]


def to_stars(value: object) -> int | None:
    """A rating as 0-3 stars: stars themselves, or a rating in parts; None for anything else.

    Parts are read by the rubric, core correctness first. Correctness 3 with Explanation Correctness
    1-2 gives 2-3 stars; any lower correctness 0 or 1 by its explanation, partly correct (2) at least
    1. Accuracy 1, 3, 5 gives 0, 1, 2, and 3 where Logicality is full (3) as well.
    """
    if type(value) is int:
        return value if 0 <= value <= 3 else None
    if not isinstance(value, Mapping):
        return None
    correct, explained = _number(value.get(_CORRECT)), _number(value.get(_EXPLAINED))
    if correct is not None and explained is not None:
        if correct >= 3:
            return 3 if explained >= 2 else 2
        return 1 if explained >= 2 or correct >= 2 else 0
    accurate, logical = _number(value.get(_ACCURATE)), _number(value.get(_LOGICAL))
    if accurate is not None:
        if accurate >= 5:
            return 3 if logical is None or logical >= 3 else 2
        return 1 if accurate >= 3 else 0
    return None


def is_correct(value: object) -> bool | None:
    """Whether a rating holds the reply for right in its core; None where it is in between or not told."""
    if isinstance(value, Mapping):
        correct = _number(value.get(_CORRECT))
        return None if correct is None or 1 < correct < 3 else correct >= 3
    stars = to_stars(value)
    return None if stars is None else stars >= 2


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def read_rated(path: Path, human: str) -> list[Row]:
    """The rows of a JSON Lines file. human names the rater that stands for people.

    A row has question, reply and scores {rater: rating}, and where there are any reference, model, id,
    type, subject or discipline. Raises UsageError for a file without such rows.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", code="unreadable") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            rows.append(_row(line, number, path))
    if not any(row.stars.get(human) is not None for row in rows):
        raise UsageError(
            f"{path} has no rating by {human!r}",
            remedy='each row needs "scores": {"human": stars}, or another rater named with --human',
            code="no_ratings",
        )
    return rows


def _row(line: str, number: int, path: Path) -> Row:
    try:
        data = json.loads(line)
        scores = data["scores"]
        return Row(
            row_id=str(data.get("id", number)),
            model=str(data.get("model") or "unnamed"),
            kind=str(data.get("type") or "all"),
            group=str(data.get("subject") or data.get("discipline") or "all"),
            question=_text(data["question"]),
            reference=_text(data.get("reference") or ""),
            reply=_text(data["reply"] or ""),
            stars={str(rater): to_stars(value) for rater, value in scores.items()},
            raw=scores,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(
            f"line {number} of {path} is no rated reply",
            remedy='give JSON Lines with "question", "reference", "reply", "model", "type" and "scores"',
            code="bad_line",
        ) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
