"""The history of a bank: one version a commit, with who made it, why, and what it counted."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field

from schemas.document import Frozen

if TYPE_CHECKING:
    from bank.store import Bank


class VersionInfo(Frozen):
    """One version of a bank. Version 0 is the empty bank and has no batch."""

    version: int
    at: str = Field(description="RFC 3339, UTC")
    who: str = ""
    why: str = ""
    batch: str = ""
    counts: dict[str, int] = Field(
        default_factory=dict, description="documents, pages, added, active, review, duplicate …"
    )
    operation: str = Field(default="", description="what the table did, as Delta names it")


def history(bank: Bank, limit: int | None = None) -> list[VersionInfo]:
    """The versions of a bank, newest first; limit: so many at most. Read one with bank.read(version=)."""
    return [_info(entry) for entry in bank.delta().history(limit)]


def _info(entry: dict[str, Any]) -> VersionInfo:
    when = datetime.fromtimestamp(int(entry.get("timestamp", 0)) / 1000, UTC)
    try:
        counts = {str(k): int(v) for k, v in json.loads(entry.get("counts", "{}")).items()}
    except (ValueError, TypeError, AttributeError):  # a commit some other tool made
        counts = {}
    return VersionInfo(
        version=int(entry["version"]),
        at=str(entry.get("at") or when.isoformat(timespec="seconds")),
        who=str(entry.get("who", "")),
        why=str(entry.get("why", "")),
        batch=str(entry.get("batch", "")),
        counts=counts,
        operation=str(entry.get("operation", "")),
    )
