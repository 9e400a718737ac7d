"""Reading what graders and judges say: five grades, one letter, or five letters whose majority is counted."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from evaluation.bias.records import DIMENSIONS
from evaluation.verdict import MAX_CHARS, MAX_OBJECTS, MalformedError, without_thinking

_STEP, _MOST = 0.25, 10
_TRIM = " \t\r\n*_`\"'“”‘’()[]{}<>.。:：,，!！#"
_MARKS = " \t\r\n*_#`"
_SAID = re.compile(
    r"(?i)^(?:the )?(?:final )?(?:answer|verdict|choice|winner|(?:better )?response|答案|结论|判决|选择|回答)"
    r"(?: is)?[ \t]*[:：]?[ \t]*(?:response |回答)?[ \t*_`\"'(\[]{0,6}([AB])[ \t*_`\"')\].。]{0,6}$"
)
_GRADES = [step * _STEP for step in range(int(_MOST / _STEP) + 1)]

GRADE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "number", "enum": _GRADES} for name in DIMENSIONS},
    "required": list(DIMENSIONS),
    "additionalProperties": False,
}
CHOICE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "string", "enum": ["A", "B"]} for name in DIMENSIONS},
    "required": list(DIMENSIONS),
    "additionalProperties": False,
}


def read_grades(text: str) -> dict[str, float]:
    """The five grades of a reply, 0-10 in quarters. Raises MalformedError."""
    found = _object(text)
    grades = {}
    for name in DIMENSIONS:
        value = found[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
            raise MalformedError(f"{name} is no number from 0 to {_MOST}")
        if value / _STEP != round(value / _STEP):
            raise MalformedError(f"{name} is no multiple of {_STEP}")
        grades[name] = float(value)
    return grades


def read_letter(text: str) -> str:
    """'A' or 'B' of a reply that is to be one letter. Raises MalformedError."""
    text = _plain(text)
    bare = text.strip(_TRIM)
    if bare.upper() in {"A", "B"}:
        return bare.upper()
    said = _SAID.match(text.strip(_MARKS))
    if said is None:
        raise MalformedError("not one letter")
    return said[1].upper()


def read_reasoned(text: str) -> str:
    """'A' or 'B' of a reply that ends with its verdict on a line of its own. Raises MalformedError."""
    lines = [line.strip() for line in _plain(text).splitlines() if line.strip()]
    if not lines:
        raise MalformedError("empty")
    letter = read_letter(lines[-1])
    others = {said[1].upper() for line in lines[:-1] if (said := _SAID.match(line.strip(_MARKS)))}
    if others - {letter}:
        raise MalformedError("two different verdicts")
    return letter


def read_choices(text: str) -> dict[str, str]:
    """The letter of each dimension. Raises MalformedError."""
    found = _object(text)
    for name in DIMENSIONS:
        if found[name] not in ("A", "B"):
            raise MalformedError(f'{name} is neither "A" nor "B"')
    return {name: str(found[name]) for name in DIMENSIONS}


def majority(choices: dict[str, str]) -> str:
    """The letter that three or more of the five dimensions have: there is no tie."""
    return Counter(choices.values()).most_common(1)[0][0]


READERS: dict[str, Callable[[str], tuple[str, dict[str, str]]]] = {
    "plain": lambda text: (read_letter(text), {}),
    "reasoned": lambda text: (read_reasoned(text), {}),
    "structured": lambda text: (majority(choices := read_choices(text)), choices),
}


def _plain(text: str) -> str:
    text = without_thinking(text)
    if len(text) > MAX_CHARS:
        raise MalformedError(f"longer than {MAX_CHARS} characters")
    return text


def _object(text: str) -> dict[str, Any]:
    """The one JSON object with the five dimensions; the same one may be said twice."""
    text, position = _plain(text), 0
    found: list[dict[str, Any]] = []
    for _ in range(MAX_OBJECTS):
        start = text.find("{", position)
        if start < 0:
            break
        try:
            pairs, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            continue
        names = [name for name, _ in pairs]
        if set(DIMENSIONS) <= set(names):
            if len(set(names)) < len(names):
                raise MalformedError("a dimension is given twice")
            found.append(dict(pairs))
    if not found:
        raise MalformedError("no JSON object with the five dimensions")
    if any(one != found[0] for one in found):
        raise MalformedError("two different objects")
    return found[0]


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that a repeated key is seen."""


_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs)
