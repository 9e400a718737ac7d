"""Checks of the files: those of the table, and the sources and figures its rows name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bank import sums
from bank.checks.problem import Checked, Problem, problem
from bank.log import broken, let_go, place, replay, versions
from bank.storage import storage
from bank.tags import relative
from schemas.errors import BankError
from schemas.question import arrow_schema

_BACKUP = "Restore the folder questions from a backup, or go back to a whole version with `exambank restore`."
_OLD = (
    "Restore them from a backup; the newest version is whole without them. Versions that need not be kept "
    "are let go with `exambank vacuum`."
)
_LOG = "Restore the folder questions/_delta_log from a backup."
_BATCH = 4096  # rows in memory at once
_RETENTION = ("delta.logRetentionDuration", "delta.deletedFileRetentionDuration")


def table(here: Checked) -> Iterator[Problem]:
    """The declared columns and partitions; every file there, of its size, with its number of rows."""
    import pyarrow as pa
    from deltalake import Schema

    made_by = "Open the bank with the version of exambank that made it."
    given, declared = here.delta.schema(), Schema.from_arrow(arrow_schema())
    if given != declared:
        ours = {field.name: str(field.type) for field in declared.fields}
        theirs = {field.name: str(field.type) for field in given.fields}
        odd = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
        yield from problem("schema", "error", "{n} columns are not as declared.", made_by, odd or ["order"])
    meta = here.delta.metadata()
    if list(meta.partition_columns) != ["discipline"]:
        yield from problem("partitions", "error", "The table is not partitioned by discipline.", made_by)
    short = [name for name in _RETENTION if "36500" not in (meta.configuration.get(name) or "")]
    yield from problem(
        "retention",
        "warning",
        "{n} settings that keep old versions readable are not set: another program made the table.",
        "Vacuum with `exambank vacuum` alone.",
        short,
    )

    actions: Any = pa.table(here.delta.get_add_actions(flatten=True)).to_pylist()
    root = here.bank.path / "questions"
    gone, torn, moved = [], [], []
    for action in actions:
        path = root / action["path"]
        if action["path"].split("/")[0] != f"discipline={action['partition.discipline']}":
            moved.append(f"{action['path']} as {action['partition.discipline']}")
        if not path.is_file():
            gone.append(action["path"])
        elif path.stat().st_size != action["size_bytes"] or not _whole(path, action["num_records"]):
            torn.append(action["path"])
    yield from problem("files_missing", "error", "{n} files of the table are missing.", _BACKUP, gone)
    yield from damaged(torn)
    yield from problem(
        "files_misfiled",
        "error",
        "The table's log files {n} files under another discipline than their folder's: it was edited.",
        _LOG,
        moved,
    )


def log(here: Checked) -> Iterator[Problem]:
    """See `broken_log`."""
    yield from broken_log(here.bank.path)


def broken_log(bank: Path) -> Iterator[Problem]:
    """Every commit up to the newest is there and whole: without one, files that it names look unneeded.

    And the newest one is the newest that has been known of.
    """
    yield from problem(
        "log_broken",
        "error",
        "{n} commits of the table's log are missing or not whole: versions, or questions, may be lost.",
        _LOG,
        broken(bank / "questions"),
    )
    newest, known = sums.newest_of(bank)
    if known > newest:
        told = sums.behind(newest, known)
        yield from problem(told.code, "error", told.message, told.remedy)


def decoded(here: Checked) -> Iterator[Problem]:
    """Every value of every column of every file can be read and is valid, batch by batch."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    bad = []
    for uri in here.delta.file_uris():
        name = relative(here.bank, uri)
        try:
            with pq.ParquetFile(here.bank.path / "questions" / name) as file:
                for batch in file.iter_batches(_BATCH):
                    batch.validate(full=True)
        except (OSError, ValueError, pa.ArrowException) as error:
            if storage(error):
                raise
            bad.append(name)
    yield from damaged(bad)


def summed(here: Checked) -> Iterator[Problem]:
    """Every file of the table has the digest that was taken when it was written."""
    known, bad = sums.load(here.bank.path)
    needed = {relative(here.bank, uri) for uri in here.delta.file_uris()}
    root = here.bank.path / "questions"
    commits = {place(version) for version in versions(root)}
    changed = [n for n, was in sorted(known.items()) if (root / n).is_file() and sums.digest(root / n) != was]
    yield from damaged([name for name in changed if name in needed])
    yield from problem(
        "log_changed",
        "error",
        "{n} commits of the table's log are not what was written: they were edited.",
        _LOG,
        [name for name in changed if name in commits],
    )
    yield from problem(
        "old_files_damaged",
        "warning",
        "{n} files that earlier versions alone need are damaged.",
        _OLD,
        [name for name in changed if name not in needed | commits],
    )
    yield from problem(
        "sums_damaged",
        "warning",
        "{n} files of digests are damaged.",
        "Restore the folder sums from a backup, or delete them and run `exambank sweep`, which takes the "
        "digests anew.",
        bad,
    )
    lacking = sorted(needed - known.keys())
    every = bool(needed) and len(lacking) == len(needed)
    yield from problem(
        "sums_missing",
        "warning" if every else "note",
        "None of the {n} files of the table has a digest, so none was compared with what was written."
        if every
        else "{n} files of the table have no digest: a writer was killed, or another program wrote them.",
        "Restore the folder sums from a backup, or take the files for what they are with `exambank sweep`."
        if every
        else "Nothing to do: the next batch, or `exambank sweep`, takes their digests.",
        lacking,
    )
    yield from problem(
        "commits_unsummed",
        "note",
        "{n} commits of the table's log have no digest: it was lost, or they are older than such digests.",
        "Take them for what they are with `exambank sweep`.",
        [] if every else sorted(commits - known.keys()),
    )


def kept(here: Checked) -> Iterator[Problem]:
    """Every file is there that an earlier version needs, unless a vacuum has let that version go.

    And the newest version has the files that the commits tell of.
    """
    root = here.bank.path / "questions"
    try:
        sets = list(replay(root))
    except BankError:  # told of by itself
        return
    now = dict(sets)[here.delta.version()]
    live = {relative(here.bank, uri) for uri in here.delta.file_uris()}
    yield from problem(
        "checkpoint_odd",
        "error",
        "The checkpoint of the table's log differs from its commits in {n} files.",
        "Delete the checkpoints in questions/_delta_log, and _last_checkpoint: the table is opened by its "
        "commits then.",
        sorted(live ^ now),
    )
    absent = {
        name for name in set().union(*(files for _, files in sets)) - now if not (root / name).is_file()
    }
    gone = let_go(root) if absent else set()
    lost: dict[str, int] = {}
    for version, files in sets:
        if version not in gone:
            for name in files & absent:
                lost.setdefault(name, version)
    yield from problem(
        "old_files_missing",
        "warning",
        "{n} files that earlier versions alone need are missing, and no vacuum has removed them.",
        _OLD,
        [f"{name} (version {version})" for name, version in sorted(lost.items())],
    )


def damaged(found: Sequence[str]) -> Iterator[Problem]:
    """The problem of files that are not what was written."""
    return problem("files_damaged", "error", "{n} files of the table are damaged.", _BACKUP, found)


def counts(here: Checked) -> list[int | None]:
    """The number of rows of each file, as the log tells it."""
    import pyarrow as pa

    actions: Any = pa.table(here.delta.get_add_actions(flatten=True))
    return list(actions["num_records"].to_pylist())


def _whole(path: Path, count: int | None) -> bool:
    """Whether a Parquet file has a footer that tells of so many rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(path).num_rows
    except (OSError, pa.ArrowException):
        return False
    return count is None or found == count


def assets(here: Checked) -> Iterator[Problem]:
    """The bank has the sources and figures that its questions name."""
    again = (
        "Ingest the files again, and what is missing is kept; of questions that were imported, copy the "
        "files from the folder sources, or figures, of the bank they come from. The questions stay as is."
    )
    known = {str(name) for name in here.facts["source_sha256"].unique().to_pylist() if name}
    lost = sorted(name for name in known if here.bank.sources.find(name) is None)
    yield from problem("sources_missing", "warning", "{n} source files are not in the bank.", again, lost)
    figures = {str(name) for names in here.facts["figures"].to_pylist() for name in names or ()}
    lost = sorted(name for name in figures if here.bank.figures.find(name) is None)
    yield from problem("figures_missing", "error", "{n} figures are not in the bank.", again, lost)


def digests(here: Checked) -> Iterator[Problem]:
    """Every source and figure has the digest that is its name."""
    for store, what, made in (
        (here.bank.sources, "sources", lambda: hashlib.sha256()),
        (here.bank.figures, "figures", lambda: hashlib.blake2b(digest_size=32)),
    ):
        bad = []
        for path in sorted(store.folder.glob("??/*")):
            if path.name.startswith("."):
                continue
            with path.open("rb") as file:
                if hashlib.file_digest(file, made).hexdigest() != path.name:
                    bad.append(str(path.relative_to(here.bank.path)))
        yield from problem(
            f"{what}_damaged",
            "error",
            f"{{n}} {what} are not what their names say.",
            "Delete them and ingest their files again, or restore them from a backup.",
            bad,
        )
