"""An append-only file of JSON lines that survives a kill: each line is on disk before work goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from evaluation.signing import Chain, edited
from schemas.errors import ExamBankError

Entry = dict[str, Any]


class Journal:
    """The journal at path, opened for appending; `entries` are the lines it held when opened."""

    def __init__(self, path: Path, chain: Chain | None = None) -> None:
        """Open or create path. A torn last line is moved to <name>.torn, never dropped.

        chain signs what is written. Raises ExamBankError `run_damaged` when a line before the last
        one cannot be read, `run_edited` when a line is not as it was signed.
        """
        self.path, self.chain = path, chain
        is_new = not path.exists()
        self._file: BinaryIO = path.open("ab+")
        self._file.seek(0)
        data = self._file.read()
        self.entries, good = parse(data, path)
        if chain is not None:
            check_chain(data[:good], chain, path)
        self.torn = len(data) - good
        if self.torn:
            # Aside first, cut second: a kill in between copies the tail twice and loses nothing.
            aside = path.with_name(path.name + ".torn")
            with aside.open("ab") as keep:
                keep.write(data[good:] + b"\n")
                keep.flush()
                os.fsync(keep.fileno())
            self._file.truncate(good)
            os.fsync(self._file.fileno())
        if is_new:
            sync_folder(path.parent)

    def append(self, entry: Entry) -> None:
        """Write one line and wait until it is on disk. Raises ExamBankError `run_write`."""
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
        if self.chain is not None:
            line = self.chain.sign(line)
        try:
            self._file.write(line + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise ExamBankError(
                f"cannot write {self.path}: {error.strerror}",
                remedy="free some space, then run the same command again: it goes on where it stopped",
                code="run_write",
            ) from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._file.close()
        except OSError:
            # What could not be flushed was reported by append; the next opening cuts it off.
            return


def parse(data: bytes, path: Path) -> tuple[list[Entry], int]:
    """The entries of a journal's bytes, and how many bytes they take; the rest is a torn last line."""
    entries: list[Entry] = []
    good = 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        entry = _entry(line)
        whole = number < len(lines)  # a newline follows
        if entry is not None and whole:
            entries.append(entry)
            good += len(line) + 1
        elif whole and any(part.strip(b"\0") for part in lines[number:]):
            raise ExamBankError(
                f"{path}: line {number} cannot be read, and lines follow it",
                remedy="restore the run directory from a copy, or start a new one",
                code="run_damaged",
            )
        else:
            break
    return entries, good


def check_chain(data: bytes, chain: Chain, path: Path) -> None:
    """Follow chain over the whole lines of data; ExamBankError `run_edited` names the first false one."""
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        if not chain.check(line):
            raise edited(f"{path}: line {number} is not as it was written")


def _entry(line: bytes) -> Entry | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("event"), str) else None


def write_whole(path: Path, text: str) -> None:
    """Write path so that it is there whole or not at all, also after a kill."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("w", encoding="utf-8", newline="\n") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Put the names in folder on disk, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open a folder
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
