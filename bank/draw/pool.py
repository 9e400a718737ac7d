"""The bank as a draw sees it: columns of ids, units, strata and verdicts, no question in full."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bank.draw.request import Request, stratum_name
from bank.draw.units import smallest_ids

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Numbers = NDArray[np.signedinteger]
    Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class Pool:
    """One entry a row of the bank, in no particular order.

    unit: number of its unit, from 0 to below `numbers`. names: its id is the name of its unit. fit:
    may be drawn and passes the filters. stratum: place in `strata` (names, sorted), -1 for rows
    outside the filters. verdict: 1 and 0 for items that say true and false, -1 for others; None
    unless verdicts are to be balanced.
    """

    ids: pa.Array[Any]
    unit: Numbers
    numbers: int
    names: Marks
    fit: Marks
    strata: tuple[str, ...]
    stratum: Numbers
    verdict: NDArray[np.int8] | None

    def named(self, rows: Numbers, as_type: pa.DataType | None = None) -> list[Any]:
        """The ids of these rows, as text unless another type is asked for."""
        ids: Any = self.ids.take(rows)
        found: list[Any] = (ids if as_type is None else ids.cast(as_type)).to_pylist()
        return found

    def rows_of(self, names: Iterable[str]) -> Marks:
        """Which rows have one of these ids; ids the bank does not hold are no fault."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found: Marks = pc.is_in(self.ids, value_set=pa.array(sorted(set(names)), pa.string())).to_numpy(
            zero_copy_only=False
        )
        return found


@dataclass(frozen=True)
class Candidates:
    """The units that may be drawn: number, row that names it, and the one stratum it counts in."""

    unit: Numbers
    name: Numbers
    home: Numbers


def load(facts: pa.Table, request: Request) -> Pool:
    """The pool of a request, from the facts of the whole bank.

    Siblings and duplicates outside the filters still join units.
    """
    import numpy as np

    inside = _marks(facts, "live")
    for name, values in request.filters.items():
        codes, known = _coded(facts, name)
        inside &= np.isin(codes, [place for place, text in enumerate(known) if text in values])
    strata, stratum = _strata([_coded(facts, name) for name in request.by], inside)
    if len(request.by) == 1:
        strata, stratum = _with(request.filters.get(request.by[0], ()), strata, stratum)
    verdict = None
    if request.balance_verdicts:
        verdict = np.where(_marks(facts, "false"), 0, np.where(_marks(facts, "true"), 1, -1)).astype(np.int8)
    ids: Any = facts["question_id"].chunk(0)
    unit = facts["unit"].chunk(0).to_numpy()
    return Pool(
        ids,
        unit,
        int(unit.max(initial=-1)) + 1,
        _marks(facts, "names"),
        inside & _marks(facts, "fit"),
        strata,
        stratum,
        verdict,
    )


def candidates(pool: Pool) -> Candidates:
    """The units with an item that fits. One with items in two strata counts in that of the smallest id."""
    import numpy as np

    rows = np.flatnonzero(pool.fit)
    unit, stratum = pool.unit[rows], pool.stratum[rows]
    home = np.full(pool.numbers, -1, dtype=np.int32)
    home[unit] = stratum
    several = np.zeros(pool.numbers, dtype=bool)
    several[unit[home[unit] != stratum]] = True
    if several.any():
        first = smallest_ids(pool.ids, rows[several[unit]], pool.unit)
        home[pool.unit[first]] = pool.stratum[first]
    name = np.flatnonzero(pool.names & (home[pool.unit] >= 0))
    return Candidates(pool.unit[name], name, home[pool.unit[name]])


def _marks(facts: pa.Table, name: str) -> Marks:
    found: Marks = facts[name].chunk(0).to_numpy(zero_copy_only=False)
    return found


def _coded(facts: pa.Table, name: str) -> tuple[Numbers, list[str]]:
    column: Any = facts[name].chunk(0)
    return column.indices.to_numpy(), column.dictionary.to_pylist()


def _strata(columns: list[tuple[Numbers, list[str]]], live: Marks) -> tuple[tuple[str, ...], Numbers]:
    import numpy as np

    code = np.zeros(len(live), dtype=np.int64)
    seen: list[list[str]] = []
    for codes, values in columns:
        code = code * len(values) + codes
        seen.append(values)
    there, place = np.unique(code[live], return_inverse=True)
    names = []
    for number in there.tolist():
        found: list[str] = []
        for known in reversed(seen):
            number, at = divmod(number, len(known))
            found.append(known[at])
        names.append(stratum_name(found[::-1]))
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), dtype=np.int32)
    rank[order] = np.arange(len(names))
    stratum = np.full(len(live), -1, dtype=np.int32)
    stratum[live] = rank[place]
    return tuple(names[i] for i in order), stratum


def _with(
    values: tuple[str, ...], strata: tuple[str, ...], stratum: Numbers
) -> tuple[tuple[str, ...], Numbers]:
    """The strata with those the filter names and the bank has nothing of."""
    import numpy as np

    wanted = tuple(sorted({*strata, *(stratum_name([v]) for v in values)}))
    moved = np.array([wanted.index(name) for name in strata] + [-1], dtype=np.int32)
    return wanted, moved[stratum]
