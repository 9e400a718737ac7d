"""The log of the table as files: which commits there are, whether all are whole, what each one added."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from schemas.errors import BankError

FOLDER = "_delta_log"
_COMMIT = re.compile(r"\d{20}\.json")


@dataclass(frozen=True)
class Commit:
    """What one version did to the files of the table; paths are inside the table's folder."""

    version: int
    operation: str
    added: frozenset[str]
    removed: frozenset[str]
    info: Mapping[str, Any] = field(default_factory=dict)  # what the commit tells of itself


def place(version: int) -> str:
    """Where the commit of a version stands, inside the table's folder."""
    return f"{FOLDER}/{version:020d}.json"


def commit(table: Path, version: int) -> Commit:
    """The commit of this version. ValueError for one that is not whole, OSError for one that is gone."""
    added, removed, lines = set(), set(), 0
    info: dict[str, Any] = {}
    for line in (table / place(version)).read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        action = json.loads(line)
        if not isinstance(action, dict) or len(action) != 1:
            raise ValueError("a line is no action")
        lines += 1
        try:
            if "add" in action:
                added.add(unquote(action["add"]["path"]))
            elif "remove" in action:
                removed.add(unquote(action["remove"]["path"]))
            elif "commitInfo" in action:
                info = dict(action["commitInfo"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError("an action is not whole") from error
    if not lines:
        raise ValueError("the file is empty")
    return Commit(version, str(info.get("operation", "")), frozenset(added), frozenset(removed), info)


def versions(table: Path) -> list[int]:
    """The versions that have a commit file, in order."""
    names = (path.name for path in (table / FOLDER).iterdir())
    return sorted(int(name[:20]) for name in names if _COMMIT.fullmatch(name))


def broken(table: Path) -> list[str]:
    """The commit files, from the first to the newest, that are missing or not whole."""
    found = []
    for version in range(max(versions(table), default=-1) + 1):
        try:
            commit(table, version)
        except (FileNotFoundError, ValueError):
            found.append(f"{version:020d}.json")
    return found


def let_go(table: Path) -> set[int]:
    """The versions that a vacuum has taken files from; it says so before it does."""
    found: set[int] = set()
    for version in versions(table):
        with suppress(OSError, ValueError, TypeError):
            found.update(taken(commit(table, version).info))
    return found


def taken(info: Mapping[str, Any]) -> list[int]:
    """The versions that a commit took files from, by what it tells of itself: a vacuum's."""
    if not str(info.get("operation", "")).startswith("VACUUM"):
        return []
    return [int(version) for version in json.loads(info.get("gone", "[]"))]


def replay(table: Path) -> Iterator[tuple[int, frozenset[str]]]:
    """The files of every version, as the log tells them.

    BankError `log_broken` when a commit is missing or not whole: files that only it names would be
    taken for files that nothing needs.
    """
    live: frozenset[str] = frozenset()
    for version in range(max(versions(table), default=-1) + 1):
        try:
            told = commit(table, version)
        except (FileNotFoundError, ValueError) as error:
            raise BankError(
                f"The log of the bank's table is broken at version {version}; nothing was removed.",
                code="log_broken",
                remedy="Restore the folder questions/_delta_log from a backup.",
            ) from error
        live = (live - told.removed) | told.added
        yield version, live
