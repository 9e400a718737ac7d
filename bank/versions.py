"""The history of a bank: one version a commit, with who made it, why, and what it counted; and restoring."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field

from bank import commits
from bank.files import locked
from bank.goback import go_back
from bank.log import taken
from bank.tags import require_files, tags
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
    restored: int | None = Field(default=None, description="the version this one went back to")
    tags: tuple[str, ...] = ()
    readable: bool = Field(default=True, description="false once its files have been vacuumed")


def history(bank: Bank, limit: int | None = None) -> list[VersionInfo]:
    """The versions of a bank, newest first; limit: so many at most. Read one with bank.read(version=)."""
    names: dict[int, list[str]] = defaultdict(list)
    for tag in tags(bank):
        names[tag.version].append(tag.name)
    found = []
    vacuumed: set[int] = set()
    for entry in bank.delta().history(limit):
        number = int(entry["version"])
        vacuumed.update(taken(entry))
        found.append(_info(entry, tuple(names[number]), readable=number not in vacuumed))
    return found


def restore(bank: Bank, version: int, *, who: str, why: str, at: str) -> int:
    """Make what a version held the newest version, and return its number; nothing in between is lost.

    Rows that this changes or brings back get a revision above every one they have had, so that no
    change made from what they were before is taken for one of what they are; rows that are the same
    already are left alone. Where all are, no version is made.
    BankError `no_version`, or `version_gone` when its files have been vacuumed.
    """
    with locked(bank.path):
        require_files(bank, version)

        def work() -> tuple[int, bool]:
            delta = bank.delta()
            return delta.version(), go_back(bank, delta, version, who=who, why=why, at=at)

        before, done = commits.retried(work)
        return bank.version if done else before


def _info(entry: dict[str, Any], names: tuple[str, ...], *, readable: bool) -> VersionInfo:
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
        restored=_number(entry.get("restored")),
        tags=names,
        readable=readable,
    )


def _number(value: object) -> int | None:
    """A number as a commit has it, in JSON or plain; None for what is none."""
    try:
        return int(str(value))
    except ValueError:
        return None
