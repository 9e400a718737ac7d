"""The bank's files beside its table: sources, figures and batch reports, each written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path
from typing import Any

from bank.interrupts import whole
from bank.storage import storage, told
from schemas.errors import BankError
from schemas.text import digest

_LOCK_SECONDS = 900.0
_UNSAFE = re.compile(r"[^0-9A-Za-z._-]+")
_HEX = re.compile(r"[0-9a-f]{64}")


@contextmanager
def whole_file(path: Path) -> Iterator[BufferedWriter]:
    """A file to write, at path once it is whole: a reader, or a crash, sees the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name[:80]}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with fresh.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Put data at path as `whole_file` does."""
    with whole_file(path) as file:
        file.write(data)


class FileStore:
    """Files under their own digest in two levels of folders: 3f/3fa4…"""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, name: str) -> Path | None:
        """The file kept under this digest (64 hex digits), or None."""
        if not _HEX.fullmatch(name):
            return None
        path = self.folder / name[:2] / name
        return path if path.is_file() else None

    def put(self, name: str, data: bytes) -> Path:
        """Keep data under name, its digest; nothing is written when it is there."""
        path = self.folder / name[:2] / name
        if not path.is_file():
            with told(self.folder):
                write_whole(path, data)
        return path

    def put_file(self, source: Path) -> str:
        """Keep a copy of a file under its SHA-256; returns the 64 hex digits."""
        with source.open("rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest()
        path = self.folder / name[:2] / name
        if path.is_file():
            return name
        fresh = path.with_name(f".{name}.{os.getpid()}.{secrets.token_hex(4)}")
        with told(self.folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copyfile(source, fresh)
                fresh.replace(path)
            finally:
                with suppress(OSError):
                    fresh.unlink(missing_ok=True)
        return name

    def put_figure(self, data: bytes) -> str:
        """Keep a figure under its BLAKE2b-256; returns the 64 hex digits."""
        name = digest(data)
        self.put(name, data)
        return name


class Reports:
    """One JSON report a batch: what became of each file and of each draft left out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, batch: str) -> Path:
        """Where the report of this batch stands; names that differ get files that differ."""
        mark = hashlib.blake2b(batch.encode(), digest_size=4).hexdigest()
        return self.folder / f"{_UNSAFE.sub('-', batch).strip('-.')[:60] or 'batch'}-{mark}.json"

    def save(self, batch: str, report: Mapping[str, Any]) -> Path:
        """Write the report of a batch.

        report["files"], where given, is a list of objects with `source` and `sha256`. Files of an
        earlier report of the same batch which this one does not name are carried over: a second
        run over other files must not make the outcome of the first unreadable.
        """
        data = {"batch": batch, **report}
        earlier = self.load(batch)
        if earlier is not None and isinstance(data.get("files"), list):
            named = {(f.get("source"), f.get("sha256")) for f in data["files"]}
            kept = [f for f in earlier.get("files", []) if (f.get("source"), f.get("sha256")) not in named]
            data["files"] = [*kept, *data["files"]]
        path = self.path(batch)
        with told(self.folder):
            write_whole(path, json.dumps(data, ensure_ascii=False, indent=1).encode())
        return path

    def load(self, batch: str) -> dict[str, Any] | None:
        """The report of a batch, or None; BankError when its file is damaged."""
        return _load(self.path(batch))

    def all(self) -> list[dict[str, Any]]:
        """Every report, by the name of its batch."""
        found = [_load(path) for path in self.folder.glob("*.json") if not path.name.startswith(".")]
        return sorted((r for r in found if r is not None), key=lambda r: str(r.get("batch", "")))


def _load(path: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise BankError(
            f"The batch report {path.name} cannot be read: {error}.",
            code="batch_report",
            remedy="Restore it from a backup, or delete it: the questions themselves are not in it.",
        ) from error
    if not isinstance(data, dict):
        raise BankError(f"The batch report {path.name} is not an object.", code="batch_report")
    return data


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The bank's one lock for writing. The system lets go of it when its holder is killed.

    Ctrl-C works until a commit begins, and then not before the lock is released: see bank.interrupts.
    A full disk, or a place that may not be written, is told as BankError `disk_full` or `bank_barred`,
    from whatever the lock is held for.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path / "lock", timeout=_LOCK_SECONDS)
    try:
        lock.acquire()
    except Timeout as error:
        raise BankError(
            f"Another process has been writing to {path} for {_LOCK_SECONDS / 60:.0f} minutes.",
            code="bank_busy",
            remedy="Wait for it and run the same command again: it goes on where it stopped.",
        ) from error
    except OSError as error:
        raise storage(error, path) or _no_lock(path, error) from error
    try:
        with told(path), whole():
            yield
    finally:
        lock.release()


@contextmanager
def locked_if_free(path: Path) -> Iterator[bool]:
    """The bank's lock if nobody has it, without waiting; tells whether it was to be had.

    BankError `bank_barred` where nothing may be written.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path / "lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    except OSError as error:
        raise storage(error, path) or _no_lock(path, error) from error
    try:
        yield True
    finally:
        lock.release()


def _no_lock(path: Path, error: OSError) -> BankError:
    return BankError(
        f"The lock of the bank cannot be used: {path / 'lock'} ({error.strerror or error}).",
        code="bank_lock",
        remedy="While nothing writes to the bank, remove what stands there: an empty file is made anew.",
    )
