"""The bank as a draw sees it: columns of ids, units, strata and verdicts, no question in full."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bank.draw.request import Request, kind, stratum_name
from bank.draw.units import smallest_ids, units
from schemas.question import QuestionType, Status

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.dataset as pads
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Marks = NDArray[np.bool_]

# A regex that stops at the first sign, rather than a copy of every answer without its spaces.
_SAYS_SOMETHING = r"[^\s\pZ]"
_HEAD = r"(?i)^[\s\pZ（(]*"
_END = r"(?:[\s\pZ，,。.；;：:、)）]|$)"
_SAYS_FALSE = _HEAD + r"(?:×|✗|✘|╳|错|不正确|不对|[x否假f]" + _END + r"|(?:false|no|wrong|incorrect)\b)"
_SAYS_TRUE = _HEAD + r"(?:√|✓|✔|正确(?:[^的]|$)|[对是真t]" + _END + r"|(?:true|yes|right|correct)\b)"


@dataclass(frozen=True)
class Pool:
    """One entry a row of the bank, in no particular order.

    unit: number of its unit, from 0 to below `numbers`. fit: may be drawn and passes the filters.
    stratum: place in `strata` (names, sorted), -1 for rows outside the filters. verdict: 1 and 0 for
    items that say true and false, -1 for others; None unless verdicts are to be balanced.
    """

    ids: pa.Array[Any]
    unit: Numbers
    numbers: int
    fit: Marks
    strata: tuple[str, ...]
    stratum: Numbers
    verdict: NDArray[np.int8] | None

    def named(self, rows: Numbers) -> list[str]:
        """The ids of these rows."""
        found: list[Any] = self.ids.take(rows).to_pylist()
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


def load(dataset: pads.Dataset, request: Request) -> Pool:
    """The columns of a whole bank. Siblings and duplicates outside the filters still join units."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    field = pc.field
    live = field("status") == Status.ACTIVE.value
    for name, values in request.filters.items():
        live = live & _text(name).isin(pa.array(values, pa.string()))
    answer = field("reference_answer")
    columns = {
        "question_id": field("question_id"),
        "original_id": field("original_id"),
        "duplicate_of": field("duplicate_of"),
        "live": live,
        "fit": live & ~field("needs_figure") & pc.match_substring_regex(answer, _SAYS_SOMETHING),
        **{f"by {name}": _text(name) for name in request.by},
    }
    if request.balance_verdicts:
        judged = field("question_type") == QuestionType.TRUE_FALSE.value
        columns["false"] = judged & pc.match_substring_regex(answer, _SAYS_FALSE)
        columns["true"] = judged & pc.match_substring_regex(answer, _SAYS_TRUE)
    table = scanned(dataset, columns)
    ids = _column(table, "question_id")
    of = units(ids, _column(table, "original_id", ""), _column(table, "duplicate_of", ""))
    shown = _marks(table, "live")
    strata, stratum = _strata([_column(table, f"by {name}", "") for name in request.by], shown)
    if len(request.by) == 1:
        strata, stratum = _with(request.filters.get(request.by[0], ()), strata, stratum)
    verdict = None
    if request.balance_verdicts:
        verdict = np.where(_marks(table, "false"), 0, np.where(_marks(table, "true"), 1, -1)).astype(np.int8)
    return Pool(ids, of, int(of.max(initial=-1)) + 1, _marks(table, "fit"), strata, stratum, verdict)


def candidates(pool: Pool) -> Candidates:
    """The units with an item that fits. One with items in two strata counts in that of the smallest id."""
    import numpy as np

    rows = np.flatnonzero(pool.fit)
    lowest = np.full(pool.numbers, len(pool.strata), dtype=np.int64)
    highest = np.full(pool.numbers, -1, dtype=np.int64)
    home = np.full(pool.numbers, -1, dtype=np.int64)
    home[pool.unit[rows]] = pool.stratum[rows]
    np.minimum.at(lowest, pool.unit[rows], pool.stratum[rows])
    np.maximum.at(highest, pool.unit[rows], pool.stratum[rows])
    several = lowest < highest
    if several.any():
        first = smallest_ids(pool.ids, rows[several[pool.unit[rows]]], pool.unit)
        home[pool.unit[first]] = pool.stratum[first]
    name = smallest_ids(pool.ids, np.flatnonzero(home[pool.unit] >= 0), pool.unit)
    return Candidates(pool.unit[name], name, home[pool.unit[name]])


def scanned(dataset: pads.Dataset, columns: Any, only: Any = None) -> pa.Table:  # noqa: ANN401 - expressions
    """Columns (names, or name -> expression) of the rows for which the expression `only` holds."""
    # Reading further ahead costs memory and gains no time.
    return dataset.scanner(columns=columns, filter=only, batch_readahead=1, fragment_readahead=1).to_table()


def _text(name: str) -> Any:  # noqa: ANN401 - an Arrow expression
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.field(name) if pa.types.is_string(kind(name)) else pc.field(name).cast(pa.string())


def _column(table: pa.Table, name: str, empty: str | None = None) -> pa.Array[Any]:
    column = table[name].combine_chunks()
    return column if empty is None or not column.null_count else column.fill_null(empty)


def _marks(table: pa.Table, name: str) -> Marks:
    found: Marks = table[name].combine_chunks().fill_null(False).to_numpy(zero_copy_only=False)
    return found


def _strata(columns: list[pa.Array[Any]], live: Marks) -> tuple[tuple[str, ...], Numbers]:
    import numpy as np

    code = np.zeros(len(live), dtype=np.int64)
    seen: list[list[str]] = []
    for column in columns:
        coded = column.dictionary_encode()
        values: list[Any] = coded.dictionary.to_pylist()
        code = code * len(values) + coded.indices.to_numpy(zero_copy_only=False)
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
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    stratum = np.full(len(live), -1, dtype=np.int64)
    stratum[live] = rank[place]
    return tuple(names[i] for i in order), stratum


def _with(
    values: tuple[str, ...], strata: tuple[str, ...], stratum: Numbers
) -> tuple[tuple[str, ...], Numbers]:
    """The strata with those the filter names and the bank has nothing of."""
    import numpy as np

    wanted = tuple(sorted({*strata, *(stratum_name([v]) for v in values)}))
    moved = np.array([wanted.index(name) for name in strata] + [-1], dtype=np.int64)
    return wanted, moved[stratum]
