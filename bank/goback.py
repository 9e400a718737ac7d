"""Going back to an earlier version: its rows written as the newest ones, with revisions that only rise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bank import commits, rows
from bank.diff import differs_in
from bank.files import write_whole
from schemas.question import arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

    from bank.store import Bank

REMOVED = "removed"  # a file beside the table, once a restore has taken rows out
_OF_CHANGE = ("revision", "updated_at")  # what tells of a change of a row, not what the row says


def go_back(bank: Bank, delta: DeltaTable, version: int, *, who: str, why: str, at: str) -> bool:
    """Write what a version held as the next one; False, and nothing written, where it is so already.

    delta: the newest version. Only disciplines whose files differ are read and written. Raises
    CommitFailedError when another writer's commit came in between.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from bank.table import damaged

    old = bank.delta(version)
    ours, theirs = _homes(delta), _homes(old)
    codes = sorted({code for file, code in {**ours, **theirs}.items() if (file in ours) != (file in theirs)})
    if not codes:
        return False
    if old.schema().to_json() != delta.schema().to_json():  # some other tool's: it goes, as a whole
        told = commits.metadata(who, why, "", at, {}, restored=version)
        delta.restore(version, commit_properties=commits.properties(told))
        return True
    chosen = pc.field("discipline").isin(codes)
    try:
        then = rows.scan(old, None, chosen)
    except (OSError, pa.ArrowException) as error:
        raise damaged(bank.path, error) from error
    try:
        now = rows.scan(delta, None, chosen)
    except (OSError, ValueError, pa.ArrowException):  # going back is how one leaves a damaged version
        now = then.slice(0, 0)
    # A row gets its first revision, and each other, with a version of its own: none is above the version.
    made, counts = _raised(now, then, delta.version() + 1, at)
    if not any(counts.values()) and now.num_rows == made.num_rows:
        return False
    if counts["removed"]:
        write_whole(bank.path / REMOVED, b"Rows were taken out by a restore: see first_revision.\n")
    commits.put(delta, codes, made, commits.metadata(who, why, "", at, counts, restored=version))
    return True


def first_revision(bank: Bank, version: int) -> int:
    """The revision of rows that are added as version + 1: one, or above all they had before a restore."""
    return version + 1 if (bank.path / REMOVED).exists() else 1


def _homes(delta: DeltaTable) -> dict[str, str]:
    """The discipline of each file of a version."""
    import pyarrow as pa

    actions: Any = pa.table(delta.get_add_actions(flatten=True)).to_pydict()
    return dict(zip(actions["path"], actions["partition.discipline"], strict=True)) if actions else {}


def _raised(now: pa.Table, then: pa.Table, fresh: int, at: str) -> tuple[pa.Table, dict[str, int]]:
    """The rows of a version with the revisions they get when they follow the rows there are now.

    fresh: the revision of a row that is not there now, above all it can have had. The counts: rows changed,
    brought back (`returned`) and taken out (`removed`).
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    ids: Any = _column(now, "question_id")
    place: Any = pc.index_in(_column(then, "question_id"), value_set=ids)
    there = np.flatnonzero(np.asarray(place.is_valid()))
    other = np.asarray(place.drop_null(), dtype=np.int64)
    touched = np.zeros(len(there), dtype=bool)
    for name in arrow_schema().names:
        if name not in _OF_CHANGE:
            pair = (_column(then, name).take(pa.array(there)), _column(now, name).take(pa.array(other)))
            touched |= differs_in(name, *pair)
    had = np.asarray(_column(then, "revision").fill_null(1), dtype=np.int64)[there]
    revision = np.full(then.num_rows, fresh, dtype=np.int64)
    was = np.asarray(_column(now, "revision").fill_null(1), dtype=np.int64)[other]
    revision[there] = np.where(touched, np.maximum(was, had) + 1, was)
    updated = np.full(then.num_rows, at, dtype=object)
    held = np.array(_column(now, "updated_at").to_pylist(), dtype=object)[other]
    updated[there] = np.where(touched, updated[there], held)
    made = then
    for name, values in zip(_OF_CHANGE, (revision, updated), strict=True):
        field = arrow_schema().field(name)
        made = made.set_column(made.schema.get_field_index(name), field, pa.array(values, field.type))
    counts = {
        "changed": int(touched.sum()),
        "returned": then.num_rows - len(there),
        "removed": now.num_rows - len(set(other.tolist())),
    }
    return made, counts


def _column(table: pa.Table, name: str) -> Any:  # noqa: ANN401 - an array, whose stubs do not know the nested kinds
    import pyarrow as pa

    chunks = table[name].chunks
    return pa.concat_arrays(chunks) if chunks else pa.array([], table.schema.field(name).type)
