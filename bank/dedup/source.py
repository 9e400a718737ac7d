"""The rows that a grouping looks at, in the order of their ids: texts in turn, whole rows where needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from bank.dedup.items import ACCEPTED, COLUMNS, CONFLICT, DOUBT, FOUND, JOINED, RETIRED, WAS
from schemas.question import Status

if TYPE_CHECKING:
    import pyarrow as pa

    from bank.dedup.columns import Asked

_BATCH = 20_000  # rows turned into objects at once
_SAID = (FOUND, WAS, JOINED)
_REASONS = tuple(f"{reason}:" for reason in (DOUBT, CONFLICT, RETIRED))


class Rows(Protocol):
    """Accepted questions, ordered by question_id."""

    def __len__(self) -> int: ...

    def asked(self) -> Iterator[Asked]:
        """prompt, printed, material of each."""

    def take(self, places: Sequence[int]) -> list[Mapping[str, Any]]:
        """Some rows, with COLUMNS."""

    def settled(self) -> list[int]:
        """Places of the rows that say something of duplicates, or of one who merged them."""

    def place_of(self, names: Sequence[str]) -> list[int]:
        """Places of those of these ids that are among the rows."""


class ListedRows:
    """Rows that are objects already."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = sorted(
            (row for row in rows if row["status"] in ACCEPTED), key=lambda row: str(row["question_id"])
        )

    def __len__(self) -> int:
        return len(self._rows)

    def asked(self) -> Iterator[Asked]:
        """See Rows."""
        return ((r["prompt"], r["printed"], r["material"]) for r in self._rows)

    def take(self, places: Sequence[int]) -> list[Mapping[str, Any]]:
        """See Rows."""
        return [self._rows[place] for place in places]

    def settled(self) -> list[int]:
        """See Rows."""
        return [place for place, row in enumerate(self._rows) if _says(row)]

    def place_of(self, names: Sequence[str]) -> list[int]:
        """See Rows."""
        wanted = set(names)
        return [place for place, row in enumerate(self._rows) if row["question_id"] in wanted]


class TableRows:
    """Rows of an Arrow table with COLUMNS, of which few at a time become objects."""

    def __init__(self, table: pa.Table) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        kept = table.select(list(COLUMNS)).filter(pc.is_in(table["status"], pa.array(sorted(ACCEPTED))))
        self._table = kept.take(pc.sort_indices(kept["question_id"]))

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def asked(self) -> Iterator[Asked]:
        """See Rows."""
        for batch in self._table.select(["prompt", "printed", "material"]).to_batches(_BATCH):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def take(self, places: Sequence[int]) -> list[Mapping[str, Any]]:
        """See Rows."""
        import pyarrow as pa

        return list(self._table.take(pa.array(places, pa.int64())).to_pylist())

    def settled(self) -> list[int]:
        """See Rows."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        table = self._table
        says: list[Any] = [pc.equal(table["status"], pa.scalar(Status.DUPLICATE.value))]
        says += [pc.not_equal(table[name], pa.scalar("")) for name in ("duplicate_of", "cluster_id")]
        says += [pc.starts_with(table["status_reason"], reason) for reason in _REASONS]
        says += [pc.is_valid(pc.map_lookup(table["evidence"], key, "first")) for key in _SAID]
        marked = np.zeros(len(self), dtype=np.bool_)
        for one in says:
            marked |= pc.fill_null(one, False).to_numpy(zero_copy_only=False)
        found: list[int] = np.flatnonzero(marked).tolist()
        return found

    def place_of(self, names: Sequence[str]) -> list[int]:
        """See Rows."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        there = pc.is_in(self._table["question_id"], pa.array(list(names), pa.string()))
        found: list[int] = np.flatnonzero(there.to_numpy(zero_copy_only=False)).tolist()
        return found


def _says(row: Mapping[str, Any]) -> bool:
    """Whether a row tells of duplicates, so that it may have to say something else."""
    if row["status"] == Status.DUPLICATE.value or row["duplicate_of"] or row["cluster_id"]:
        return True
    told = dict(row["evidence"] or ())
    return any(key in told for key in _SAID) or str(row["status_reason"] or "").startswith(_REASONS)
