"""Digests of the table's files, one small file a version: what finds any byte that was changed since."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

from bank import log
from bank.files import write_whole

FOLDER = "sums"
_NAME = re.compile(r"\d{20}\.json")


def digest(path: Path) -> str:
    """BLAKE2b-256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=32)).hexdigest()


def follow(table: str | Path) -> None:
    """Keep the digests of what the commit just made has added, and of what an earlier writer left out.

    table: the folder of the table, or its file address. Call it with the bank's lock held. The commit
    stands whatever comes of this: a file without a digest is told by the check and completed later.
    """
    text = str(table)
    folder = Path(unquote(urlparse(text).path)) if text.startswith("file://") else Path(text)
    with contextlib.suppress(OSError, ValueError):
        complete(folder.parent)


def complete(bank: Path, *, every: bool = False) -> int:
    """Digests for the versions that have none kept; the number of files they were made for.

    every: look through all versions, also for files left out of one that has some. What a file is
    now is taken for what was written.
    """
    table, folder = bank / "questions", bank / FOLDER
    held = {int(path.name[:20]) for path in _files(folder)}
    known = load(bank)[0] if every else {}
    made = 0
    for version in log.versions(table):
        if version in held and not every:
            continue
        told = log.commit(table, version)
        # Going back, as other programs do it, adds files again that have a digest since they were made.
        names = () if told.operation == "RESTORE" and not every else told.added
        fresh = {n: digest(table / n) for n in sorted(names) if n not in known and (table / n).is_file()}
        if fresh or version not in held:
            path = folder / f"{version:020d}.json"
            fresh = {**_read(path), **fresh}
            known |= fresh
            made += len(fresh)
            data = {"files": fresh, "own": _own(fresh)}
            write_whole(path, json.dumps(data, sort_keys=True).encode())
    return made


def load(bank: Path) -> tuple[dict[str, str], list[str]]:
    """The digest of each file, by its path in the table's folder; and the names of damaged sums files."""
    known: dict[str, str] = {}
    bad = []
    for path in _files(bank / FOLDER):
        found = _read(path)
        if not found and not _whole(path):
            bad.append(path.name)
        for name, value in found.items():
            known.setdefault(name, value)  # the first is of when the file was made
    return known, bad


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))


def _read(path: Path) -> dict[str, str]:
    """What a sums file says; nothing where it is not there or not what was written."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        files = {str(name): str(value) for name, value in data["files"].items()}
        return files if data["own"] == _own(files) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _whole(path: Path) -> bool:
    """Whether a sums file that says nothing was written so."""
    with contextlib.suppress(OSError, ValueError):
        return bool(json.loads(path.read_text(encoding="utf-8")) == {"files": {}, "own": _own({})})
    return False


def _own(files: dict[str, str]) -> str:
    return hashlib.blake2b(json.dumps(files, sort_keys=True).encode(), digest_size=16).hexdigest()
