"""How rows get into the table, each one commit: added, or in place of others; conflicts are retried."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bank import log, rows, sums
from bank.interrupts import committing
from bank.storage import native, storage, unwritten
from schemas.errors import BankError

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import CommitProperties, DeltaTable, WriterProperties

_RETRIES = 20
_FIRST_PAUSE = 0.05  # seconds; doubles with each try, up to a second
# Columns whose values hardly ever come twice: by way of a dictionary they take three times as long to read.
_UNLIKE = (
    "question_id", "original_id", "content_hash", "prompt", "printed", "reference_answer", "explanation",
    "material", "label_confidence", "extraction_confidence",
)  # fmt: skip
_GROUP = 8_192  # rows that Arrow unpacks at once, however few of them are asked for
T = TypeVar("T")


def metadata(
    who: str, why: str, batch: str, at: str, counts: Mapping[str, int], **more: object
) -> dict[str, str]:
    """What a commit tells of itself; bank.versions reads it. more: further facts, as JSON values."""
    return {
        "who": who,
        "why": why,
        "batch": batch,
        "at": at,
        "counts": json.dumps(dict(counts), sort_keys=True),
        **{name: json.dumps(value) for name, value in more.items()},
    }


def properties(told: Mapping[str, Any]) -> CommitProperties:
    """The commit properties of every write to the bank."""
    from deltalake import CommitProperties

    return CommitProperties(custom_metadata=dict(told), max_commit_retries=_RETRIES)


def layout() -> WriterProperties:
    """How the table's files are written: for draws, which unpack whole columns to show a few of their rows.

    Files written otherwise are read all the same. See docs/decisions/0003-delta-lake.md.
    """
    from deltalake import ColumnProperties, WriterProperties

    plain = ColumnProperties(dictionary_enabled=False)
    return WriterProperties(
        compression="LZ4_RAW",
        max_row_group_size=_GROUP,
        column_properties=dict.fromkeys(_UNLIKE, plain),
    )


def retried(work: Callable[[], T]) -> T:
    """What work returns; it is done again when another writer's commit came in between.

    The bank's lock keeps its own writers apart; this is for tools that write to the table without
    it. work must open the table anew each time. BankError `bank_busy` when there is no end to it.
    """
    from deltalake.exceptions import CommitFailedError

    pause = _FIRST_PAUSE
    for _ in range(_RETRIES):
        try:
            return work()
        except CommitFailedError as error:
            last = error
            time.sleep(pause)
            pause = min(1.0, pause * 2)
    raise BankError(
        f"Another program writes to the table again and again: {last}",
        code="bank_busy",
        remedy="Let the other program finish, then run the same command again.",
    ) from last


@contextmanager
def _made(bank: Path, told: Mapping[str, str]) -> Iterator[None]:
    """Around one commit. An error that comes after it is made, as from its checkpoint, is only told."""
    sums.require(bank)
    before, _ = sums.newest_of(bank)
    try:
        with committing(), native(bank):
            yield
    except Exception as error:
        if storage(error) is None or not _stands(bank / "questions", before, told):
            raise
        unwritten("the checkpoint of its log", error, "`exambank compact` makes one.")


def _stands(table: Path, before: int, told: Mapping[str, str]) -> bool:
    """Whether the log has this commit after that version."""
    for version in log.versions(table):
        if version > before:
            with suppress(OSError, ValueError):
                info = log.commit(table, version).info
                if all(info.get(name) == value for name, value in told.items()):
                    return True
    return False


def append(table: Path, added: pa.Table, told: Mapping[str, str]) -> None:
    """Add rows to the table in this folder. Additions of others never conflict with it."""
    from deltalake import write_deltalake

    with _made(table.parent, told):
        write_deltalake(
            table,
            added,
            mode="append",
            partition_by=["discipline"],
            writer_properties=layout(),
            commit_properties=properties(told),
        )
    sums.follow(table.parent)


def replace(delta: DeltaTable, old: Collection[str], changed: pa.Table, told: Mapping[str, str]) -> None:
    """Write rows in place of those with the same ids, and add those whose ids are new: one commit.

    delta: the table as the rows were read from it. old: the partitions in which rows to be replaced
    stand there. Only these partitions and those of the changed rows are written anew. Raises
    CommitFailedError when one of them was changed since: see `retried`.

    No Delta merge: the files it writes hold a string type whose statistics Arrow cannot filter by.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = sorted({*old, *map(str, changed["discipline"].unique().to_pylist())})
    there = rows.scan(delta, None, pc.field("discipline").isin(codes))
    taken = pc.is_in(there["question_id"], value_set=changed["question_id"].combine_chunks())
    put(delta, codes, pa.concat_tables([there.filter(pc.invert(taken)), changed]), told)


def put(delta: DeltaTable, codes: Collection[str], whole: pa.Table, told: Mapping[str, str]) -> None:
    """Write all the rows of these partitions anew, as one commit. Raises as `replace`."""
    from deltalake import write_deltalake

    listed = ", ".join(f"'{code}'" for code in sorted(codes))
    bank = sums.home(delta)
    with _made(bank, told):
        write_deltalake(
            delta,
            whole,
            mode="overwrite",
            predicate=f"discipline IN ({listed})",
            partition_by=["discipline"],
            writer_properties=layout(),
            commit_properties=properties(told),
        )
    sums.follow(bank)
