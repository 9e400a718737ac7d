"""Digests of the files and commits of the table, a small file a version: what finds any byte changed since.

Beside them stand marks of what else must be there: the newest version, the key, the tags, the ledger. What
they tell of can then not be lost unnoticed, or be taken for what never was.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from bank import log
from bank.files import write_whole
from bank.ids import CONTENT_FIELDS, IdMaker, fingerprint, load_key
from bank.storage import storage, unwritten
from schemas.errors import BankError

if TYPE_CHECKING:
    from deltalake import DeltaTable

FOLDER, KEY = "sums", "key"
_NAME = re.compile(r"\d{20}\.json")


def digest(path: Path) -> str:
    """BLAKE2b-256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=32)).hexdigest()


def require_key(bank: Path, key: bytes) -> None:
    """BankError `bank_key` when the bank was written with another key, `sums_damaged` for a bad mark."""
    if marked(bank, KEY) in ("", fingerprint(key)):
        return
    mark = bank / FOLDER / KEY
    if _signed(bank, key):
        raise BankError(
            f"{mark}, which tells which key the bank was written with, is not what was written; the key "
            "itself is good: the questions are signed with it.",
            code="sums_damaged",
            remedy=f"Delete {mark}: the next change makes it anew.",
        )
    raise BankError(
        f"The key in {bank} is not the one the bank was written with, or {mark} is not what was written.",
        code="bank_key",
        remedy="Put the file `key` of this bank back from a backup, or the folder sums: with another key its "
        "ids and signatures cannot be made again.",
    )


def _signed(bank: Path, key: bytes) -> bool:
    """Whether a question of the bank that can be read has a signature made with this key."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["content_hash", *CONTENT_FIELDS]
    for path in sorted((bank / "questions").glob("discipline=*/*.parquet"))[:3]:
        with contextlib.suppress(OSError, ValueError, pa.ArrowException):
            for row in next(pq.ParquetFile(path).iter_batches(1, columns=names)).to_pylist():
                if row.pop("content_hash") == IdMaker(key).signature(row):
                    return True
    return False


def home(delta: DeltaTable) -> Path:
    """The folder of the bank that this table is of."""
    uri = delta.table_uri
    return (Path(unquote(urlparse(uri).path)) if uri.startswith("file://") else Path(uri)).parent


def follow(bank: Path) -> None:
    """Keep the digests of what the commit just made has added, and of what an earlier writer left out.

    Call it with the bank's lock held. The commit stands whatever comes of this: a file without a digest
    is told by the check and completed later.
    """
    try:
        complete(bank)
        if not marked(bank, KEY):
            mark(bank, KEY, fingerprint(load_key(bank / KEY)))
    except (OSError, ValueError) as error:
        unwritten("the digests of its files", error, "The next change, or `exambank sweep`, takes them.")


def require(bank: Path) -> None:
    """BankError `log_behind` before a write on a table that has lost its newest versions."""
    newest, known = newest_of(bank)
    if known > newest:
        raise behind(newest, known)


def newest_of(bank: Path) -> tuple[int, int]:
    """The newest version there is a commit for, and the newest one that has been known of."""
    newest = max(log.versions(bank / "questions"), default=-1)
    return newest, max((int(path.name[:20]) for path in _files(bank / FOLDER)), default=-1)


def behind(newest: int, known: int) -> BankError:
    """What to raise when the newest commits of the log are not there any more."""
    return BankError(
        f"The table's log ends at version {newest}, but the bank has had version {known}.",
        code="log_behind",
        remedy="Restore the folder questions from a backup that has it. To go on without what came after "
        f"version {newest}, delete the files of the folder sums whose numbers are above it.",
    )


def mark(bank: Path, name: str, data: str) -> None:
    """Keep beside the digests that something must be there, and what tells it from others."""
    path = bank / FOLDER / name
    if marked(bank, name) != data:
        write_whole(path, f"{data}\n".encode())


def marked(bank: Path, name: str) -> str:
    """What `mark` has kept; '' where it has not."""
    try:
        return (bank / FOLDER / name).read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise storage(error, bank) or BankError(
            f"{bank / FOLDER / name} cannot be read: {error.strerror}.",
            code="bank_damaged",
            remedy="Restore the folder sums from a backup.",
        ) from None


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
        names = {log.place(version), *(() if told.operation == "RESTORE" and not every else told.added)}
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
    """The digest of each file and commit, by its path in the table; and the names of damaged sums files."""
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
