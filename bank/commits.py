"""The two ways rows get into the table, each one commit: added, or in place of others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bank import rows
from schemas.question import Question

if TYPE_CHECKING:
    import pyarrow as pa

_RETRIES = 20


def metadata(who: str, why: str, batch: str, at: str, counts: Mapping[str, int]) -> dict[str, str]:
    """What a commit tells of itself; bank.versions reads it."""
    return {
        "who": who,
        "why": why,
        "batch": batch,
        "at": at,
        "counts": json.dumps(dict(counts), sort_keys=True),
    }


def append(table: Path, added: Sequence[Question], told: dict[str, str]) -> None:
    """Add rows to the table in this folder."""
    from deltalake import CommitProperties, write_deltalake

    write_deltalake(
        table,
        rows.to_table(added),
        mode="append",
        partition_by=["discipline"],
        commit_properties=CommitProperties(custom_metadata=told, max_commit_retries=_RETRIES),
    )


def replace(table: Path, there: pa.Table, changed: Sequence[Question], told: dict[str, str]) -> None:
    """Write the partitions of changed questions anew. there: all rows of these partitions as they are.

    No Delta merge: the files it writes hold a string type whose statistics Arrow cannot filter by.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from deltalake import CommitProperties, write_deltalake

    ids = pa.array([q.question_id for q in changed], pa.string())
    others = there.filter(pc.invert(pc.is_in(there["question_id"], value_set=ids)))
    codes = ", ".join(f"'{code}'" for code in sorted({q.discipline for q in changed}))
    write_deltalake(
        table,
        pa.concat_tables([others, rows.to_table(changed)]),
        mode="overwrite",
        predicate=f"discipline IN ({codes})",
        partition_by=["discipline"],
        commit_properties=CommitProperties(custom_metadata=told, max_commit_retries=_RETRIES),
    )
