"""Columns of a file of questions that tell what a bank says of its rows: looked at, and left alone.

The bank they come into says these things itself. A value that is none all the same shows a file to be wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from bank.edits import Refused, text

_ID = re.compile(r"q[a-z2-7]{24}")
_HASH = re.compile(r"[0-9a-f]{64}")


def _revision(name: str, value: Any) -> None:  # noqa: ANN401 - from a file
    known = isinstance(value, int) and not isinstance(value, bool) and value > 0
    if not known and not (isinstance(value, str) and value.isascii() and value.isdigit() and int(value[:9])):
        raise Refused(name, "type", f"{name} must be a whole number from 1 on, not {str(value)[:40]!r}")


def _time(name: str, value: Any) -> None:  # noqa: ANN401
    found = text(name, value)
    try:
        if found:
            datetime.fromisoformat(found)
    except ValueError:
        raise Refused(name, "type", f"{name} must be a time as in RFC 3339, not {found[:40]!r}") from None


def _share(name: str, value: Any) -> None:  # noqa: ANN401
    try:
        if isinstance(value, bool) or not 0 <= float(value) <= 1:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise Refused(name, "type", f"{name} must be a number from 0 to 1, not {str(value)[:40]!r}") from None


def _id(name: str, value: Any) -> None:  # noqa: ANN401
    found = text(name, value)
    if found and not _ID.fullmatch(found):
        raise Refused(
            name,
            "value",
            f"{name} must be an id as `export` writes it, not {found[:40]!r}; leave it out: whose duplicate "
            "a question is, the bank finds out",
        )


def _hash(name: str, value: Any) -> None:  # noqa: ANN401
    found = text(name, value)
    if found and not _HASH.fullmatch(found):
        raise Refused(name, "value", f"{name} must be 64 hexadecimal digits, not {found[:40]!r}")


def _pairs(name: str, value: Any) -> None:  # noqa: ANN401
    """An object; in a sheet its JSON, in Parquet a list of pairs."""
    if isinstance(value, str):
        try:
            value = json.loads(text(name, value))
        except (ValueError, RecursionError):
            value = None
    pairs = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise Refused(name, "type", f"{name} must be an object")


TOLD: dict[str, Callable[[str, Any], object]] = {
    "content_hash": _hash,
    "revision": _revision,
    **dict.fromkeys(("created_at", "updated_at"), _time),
    **dict.fromkeys(("duplicate_of", "cluster_id"), _id),
    **dict.fromkeys(("batch", "reviewer", "label_method"), text),
    **dict.fromkeys(("label_confidence", "extraction_confidence"), _share),
    **dict.fromkeys(("stage_versions", "evidence"), _pairs),
}
