"""The care of a bank's files: small ones put together, old versions let go, leftovers swept."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from bank import commits, sums
from bank.files import locked
from bank.ledger import Ledger, State
from bank.log import let_go, replay
from bank.storage import native
from bank.tags import relative, tags
from schemas.document import Frozen
from schemas.errors import BankError

if TYPE_CHECKING:
    from bank.store import Bank

_LOG_FILE = re.compile(r"_last_checkpoint|\d{20}(\.[\w-]+)*\.(json|parquet|crc)")
_TEMPORARY = re.compile(r"\..+[.-]\d+[.-][0-9a-f]{8}")  # see files.write_whole and ids.create_key
_AGE = 3600.0  # seconds after which a temporary file outside the lock has no writer any more
_UNLOCKED = ("sources", "figures", "batches")


class Compacted(Frozen):
    """What `compact` did. No version is made where there is nothing to do."""

    version: int
    files_before: int
    files_after: int


class Vacuumed(Frozen):
    """What `vacuum` removed, or would remove. versions: those that cannot be read afterwards."""

    version: int
    kept: tuple[int, ...]
    versions: tuple[int, ...]
    files: int
    bytes: int


class Leftover(Frozen):
    """A file that belongs to nothing: a writer was killed before it was done with it."""

    path: str = Field(description="inside the bank's folder")
    bytes: int
    kind: str = Field(description="table, index or temporary")


def compact(bank: Bank, *, who: str, why: str, at: str) -> Compacted:
    """Put the small files of each partition together, as one version with the same rows.

    Afterwards the table opens from a checkpoint, whatever the length of its log.
    """
    with locked(bank.path):

        def work() -> tuple[int, int, int, bool]:
            delta = bank.delta()
            before, files = delta.version(), len(delta.file_uris())
            told = commits.metadata(who, why, "", at, {})
            sums.require(bank.path)
            with native(bank.path):
                made = delta.optimize.compact(
                    writer_properties=commits.layout(), commit_properties=commits.properties(told)
                )
            return before, files, len(bank.delta().file_uris()), bool(made["numFilesAdded"])

        before, files, left, done = commits.retried(work)
        if done:
            sums.follow(bank.path)
            bank.follow(before)
        delta = bank.delta()
        delta.create_checkpoint()
        return Compacted(version=delta.version(), files_before=files, files_after=left)


def vacuum(bank: Bank, *, keep: int, who: str, why: str, at: str, dry_run: bool = False) -> Vacuumed:
    """Remove the files that only old versions need. Their place in the log stays.

    keep: so many of the newest versions stay readable, one at least, every one with a tag, and every
    one an institution has been given a draw from, so that the draw can be made again.
    Two versions are made, as Delta tells of a vacuum; none where there is nothing to remove.
    """
    with _held(bank.path, looking=dry_run):
        delta = bank.delta()
        newest = delta.version()
        held = {*range(max(0, newest - max(1, keep) + 1), newest + 1), *(t.version for t in tags(bank))}
        held |= {run.version for run in Ledger(bank.path).runs() if run.state is not State.RELEASED}
        sets = dict(replay(bank.path / "questions"))
        needed = {name for version in held for name in sets.get(version, ())}
        root = bank.path / "questions"
        named = {name for files in sets.values() for name in files}
        doomed = {name for name in named - needed if (root / name).is_file()}
        lost = {name for name in named - needed if name not in doomed}
        before = let_go(root) if lost else set()
        told = Vacuumed(
            version=newest,
            kept=tuple(sorted(held)),
            versions=tuple(
                v for v, files in sorted(sets.items()) if files & doomed or (v not in before and files & lost)
            ),
            files=len(doomed),
            bytes=sum((root / name).stat().st_size for name in doomed),
        )
        if dry_run or not told.versions:
            return told
        _clear(bank, needed, held, commits.metadata(who, why, "", at, {}, gone=told.versions))
        bank.follow(newest, steps=bank.version - newest)
        return told.model_copy(update={"version": bank.version})


def _clear(bank: Bank, needed: Collection[str], held: Collection[int], told: dict[str, str]) -> None:
    sums.require(bank.path)
    delta = bank.delta()
    # The table's own setting keeps removed files for ever; the log is never shortened here.
    planned = delta.vacuum(
        retention_hours=0,
        enforce_retention_duration=False,
        dry_run=True,
        full=True,
        keep_versions=sorted(held),
    )
    wrong = {relative(bank, name) for name in planned} & set(needed)
    if wrong:
        raise BankError(
            f"The vacuum would remove {len(wrong)} files that kept versions need; nothing was removed.",
            code="vacuum_unsafe",
            remedy="Report it, with the version of the package deltalake.",
        )
    with native(bank.path):
        delta.vacuum(
            retention_hours=0,
            enforce_retention_duration=False,
            dry_run=False,
            full=True,
            keep_versions=sorted(held),
            commit_properties=commits.properties(told),
        )
    sums.follow(bank.path)


def leftovers(bank: Bank, now: float | None = None) -> list[Leftover]:
    """What killed writers have left. Only right while the bank's lock is held: see `sweep`.

    now: seconds since the epoch, the clock's time by default; a temporary file of the folders that
    are written to without the lock counts once it is an hour old. BankError `log_broken` where the
    log does not tell which files are needed.
    """
    clock = time.time() if now is None else now
    found = [*_of_table(bank), *_of_index(bank)]
    for path in sorted(bank.path.iterdir()):
        if path.is_file() and _TEMPORARY.fullmatch(path.name):
            found.append((path, "temporary"))
    for folder in (*_UNLOCKED, "index", sums.FOLDER):
        for path in sorted((bank.path / folder).rglob(".*")):
            if not (path.is_file() and _TEMPORARY.fullmatch(path.name)):
                continue
            if folder not in _UNLOCKED or clock - path.stat().st_mtime > _AGE:
                found.append((path, "temporary"))
    return [
        Leftover(path=str(path.relative_to(bank.path)), bytes=path.stat().st_size, kind=kind)
        for path, kind in found
    ]


def sweep(bank: Bank, *, dry_run: bool = False) -> list[Leftover]:
    """Remove what killed writers have left. No version is made: nothing of it was ever in one.

    Files of the table that have no digest yet get theirs.
    """
    with _held(bank.path, looking=dry_run):
        found = leftovers(bank)
        if not dry_run:
            for left in found:
                (bank.path / left.path).unlink(missing_ok=True)
            sums.complete(bank.path, every=True)
    return found


@contextmanager
def _held(path: Path, *, looking: bool) -> Iterator[None]:
    """The bank's lock; whoever only looks goes on without it where nobody can write."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(path))
        except BankError as error:
            if not looking or error.code != "bank_barred":
                raise
        yield


def _of_table(bank: Bank) -> Iterator[tuple[Path, str]]:
    root = bank.path / "questions"
    named = {name for _, files in replay(root) for name in files}
    for path in sorted(root.rglob("*")):
        if not path.is_file():
            continue
        inside = path.relative_to(root).as_posix()
        if inside.startswith("_delta_log/"):
            if not _LOG_FILE.fullmatch(path.name):
                yield path, "table"
        elif inside not in named:
            yield path, "table"


def _of_index(bank: Bank) -> Iterator[tuple[Path, str]]:
    folder = bank.path / "index"
    try:
        manifest = json.loads((folder / "near.json").read_text(encoding="utf-8"))
        kept = {str(told["name"]) for told in manifest["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        kept = set()
    for path in sorted(folder.glob("near-*.npz")):
        if path.name not in kept:
            yield path, "index"
