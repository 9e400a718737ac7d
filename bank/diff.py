"""What differs between two versions of a bank: rows added, removed, changed by field, moved elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from schemas.document import Frozen
from schemas.question import arrow_schema

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from numpy.typing import NDArray

    from bank.store import Bank

    BoolArray = NDArray[np.bool_]
    Column = Any  # a pyarrow.Array, whose stubs do not know the nested kinds
    IntArray = NDArray[np.int64]


class Move(Frozen):
    """So many questions went from one discipline to another."""

    source: str
    target: str
    items: int


class DiffSummary(Frozen):
    """How two versions differ, in numbers. Rows that moved to another discipline are changed too."""

    before: int
    after: int
    added: int = 0
    removed: int = 0
    changed: int = 0
    fields: dict[str, int] = Field(default_factory=dict, description="field -> rows in which it changed")
    moves: tuple[Move, ...] = ()
    added_by_discipline: dict[str, int] = Field(default_factory=dict)
    removed_by_discipline: dict[str, int] = Field(default_factory=dict)


class DiffRow(Frozen):
    """How one row differs. fields: name -> [value before, value after], for a changed row alone."""

    question_id: str
    change: str = Field(description="added, removed or changed")
    discipline: str = Field(description="in the later version; of a removed row in the earlier one")
    fields: dict[str, tuple[Any, Any]] = Field(default_factory=dict)


@dataclass
class Diff:
    """The differences of two versions: `summary`, and `rows` one by one."""

    summary: DiffSummary
    added: Mapping[str, str] = field(default_factory=dict)  # id -> discipline
    removed: Mapping[str, str] = field(default_factory=dict)
    changed: Mapping[str, str] = field(default_factory=dict)
    values: dict[str, tuple[list[str], Column, Column]] = field(default_factory=dict)

    def rows(self) -> Iterator[DiffRow]:
        """Every row that differs: added, removed, then changed ones, each by id."""
        for kind, ids in (("added", self.added), ("removed", self.removed)):
            for name in sorted(ids):
                yield DiffRow(question_id=name, change=kind, discipline=ids[name])
        told: dict[str, dict[str, tuple[Any, Any]]] = {name: {} for name in self.changed}
        for column, (ids_of, before, after) in self.values.items():
            for name, one, other in zip(ids_of, before.to_pylist(), after.to_pylist(), strict=True):
                told[name][column] = (_plain(column, one), _plain(column, other))
        for name in sorted(told):
            yield DiffRow(
                question_id=name, change="changed", discipline=self.changed[name], fields=told[name]
            )


def diff(bank: Bank, before: int, after: int) -> Diff:
    """Compare two versions, row by row and field by field.

    Only files that one of the two versions has alone are read: what lies in between costs nothing
    that it did not change. One column at a time is held, of those rows.
    """
    from bank.table import gone

    old, new = bank.delta(before), bank.delta(after)
    left, right = set(old.file_uris()), set(new.file_uris())
    try:
        return _diff(before, after, _Side(old, left - right), _Side(new, right - left))
    except FileNotFoundError as error:
        raise gone(min(before, after), old=True) from error


class _Side:
    """The rows of some files of one version."""

    def __init__(self, delta: DeltaTable, uris: set[str]) -> None:
        from pyarrow.dataset import FileSystemDataset

        self.data: Any = None
        if uris:
            names = {uri.rpartition("/")[2] for uri in uris}
            whole: Any = delta.to_pyarrow_dataset()
            chosen = [f for f in whole.get_fragments() if f.path.rpartition("/")[2] in names]
            self.data = FileSystemDataset(chosen, whole.schema, whole.format, whole.filesystem)

    def column(self, name: str) -> Column:
        """All values of a column, in an order that is the same for each."""
        import pyarrow as pa

        kind = arrow_schema().field(name).type
        if self.data is None:
            return pa.array([], kind)
        made = self.data.to_table(columns=[name])[name].cast(kind)
        return pa.concat_arrays(made.chunks) if made.num_chunks else pa.array([], kind)


def _diff(before: int, after: int, left: _Side, right: _Side) -> Diff:
    import pyarrow as pa
    import pyarrow.compute as pc

    ours, theirs = left.column("question_id"), right.column("question_id")
    place: Column = pc.index_in(ours, value_set=theirs)  # of each old row among the new ones
    there = np.flatnonzero(np.asarray(place.is_valid()))
    other = np.asarray(place.drop_null(), dtype=np.int64)
    fresh = np.ones(len(theirs), dtype=bool)
    fresh[other] = False
    was, now = left.column("discipline"), right.column("discipline")
    stay = np.zeros(len(ours), dtype=bool)
    stay[there] = True
    made = Diff(DiffSummary(before=before, after=after))
    made.added = _pairs(theirs, now, fresh)
    made.removed = _pairs(ours, was, ~stay)
    ids, home = ours.take(pa.array(there)), now.take(pa.array(other))
    touched = np.zeros(len(there), dtype=bool)
    moves: Counter[tuple[str, str]] = Counter()
    for name in arrow_schema().names if len(there) else ():
        if name == "question_id":
            continue
        one = left.column(name).take(pa.array(there))
        two = right.column(name).take(pa.array(other))
        mask = differs_in(name, one, two)
        if not mask.any():
            continue
        touched |= mask
        chosen = pa.array(mask)
        one, two = one.filter(chosen), two.filter(chosen)
        made.values[name] = (ids.filter(chosen).to_pylist(), one, two)
        if name == "discipline":
            moves.update(zip(one.to_pylist(), two.to_pylist(), strict=True))
    made.changed = _pairs(ids, home, touched)
    made.summary = DiffSummary(
        before=before,
        after=after,
        added=len(made.added),
        removed=len(made.removed),
        changed=len(made.changed),
        fields={name: len(values[0]) for name, values in sorted(made.values.items())},
        moves=tuple(Move(source=a, target=b, items=n) for (a, b), n in sorted(moves.items())),
        added_by_discipline=dict(sorted(Counter(made.added.values()).items())),
        removed_by_discipline=dict(sorted(Counter(made.removed.values()).items())),
    )
    return made


def _pairs(ids: Column, disciplines: Column, mask: BoolArray) -> dict[str, str]:
    import pyarrow as pa

    chosen = pa.array(mask)
    return dict(zip(ids.filter(chosen).to_pylist(), disciplines.filter(chosen).to_pylist(), strict=True))


def differs_in(name: str, one: Column, two: Column) -> BoolArray:
    """Where two columns of equal length differ. The order of a map's entries is no difference."""
    import pyarrow as pa

    mask = differs(one, two)
    if pa.types.is_map(one.type):
        for place in np.flatnonzero(mask).tolist():
            mask[place] = _plain(name, one[place].as_py()) != _plain(name, two[place].as_py())
    return mask


def differs(one: Column, two: Column) -> BoolArray:
    """Where two arrays of one type and length differ; nested values are compared as columns too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    absent = np.asarray(one.is_null()), np.asarray(two.is_null())
    mask: BoolArray = absent[0] != absent[1]
    if pa.types.is_struct(one.type):
        for place in range(one.type.num_fields):
            mask |= differs(pc.struct_field(one, [place]), pc.struct_field(two, [place]))
        return mask
    if pa.types.is_list(one.type) or pa.types.is_map(one.type):
        sizes = [np.diff(np.asarray(array.offsets)) for array in (one, two)]
        both = ~(absent[0] | absent[1])
        mask |= both & (sizes[0] != sizes[1])
        same = both & ~mask
        owners = np.repeat(np.flatnonzero(same), sizes[0][same])
        chosen = pa.array(same)
        for ours, theirs in zip(_inner(one.filter(chosen)), _inner(two.filter(chosen)), strict=True):
            mask[owners[differs(ours, theirs)]] = True
        return mask
    unlike: Column = pc.not_equal(one, two)
    mask |= np.asarray(unlike.fill_null(False))
    return mask


def _inner(array: Column) -> tuple[Column, ...]:
    """The values inside lists or maps, one after the other. array: as `filter` returns it, without nulls."""
    import pyarrow as pa

    if pa.types.is_map(array.type):
        start, stop = (array.offsets[0].as_py(), array.offsets[-1].as_py()) if len(array) else (0, 0)
        return array.keys.slice(start, stop - start), array.items.slice(start, stop - start)
    return (array.flatten(),)


def _plain(column: str, value: Any) -> Any:  # noqa: ANN401 - a value of any column
    """A value as JSON would have it: maps as objects, not as pairs."""
    import pyarrow as pa

    if value is not None and pa.types.is_map(arrow_schema().field(column).type):
        return dict(value)
    return value
