"""Units of drawing: siblings and duplicates, and theirs in turn, over the whole bank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def units(ids: pa.Array[Any], originals: pa.Array[Any], duplicates: pa.Array[Any]) -> Numbers:
    """For each row the number of its unit, from 0 upwards with gaps.

    ids, originals, duplicates: question_id, original_id and duplicate_of of every row, '' for none;
    originals may be a dictionary already.
    Rows with one original_id are a unit, and so are a row and the one it is a duplicate of, whether
    that one is in the bank or not.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    coded: Any = originals if pa.types.is_dictionary(originals.type) else originals.dictionary_encode()
    node = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    count = len(coded.dictionary)
    none = pc.index(coded.dictionary, pa.scalar("")).as_py()
    alone = np.flatnonzero(node == none) if none >= 0 else node[:0]
    node[alone] = count + np.arange(len(alone))
    count += len(alone)

    copies = np.flatnonzero(pc.not_equal(duplicates, pa.scalar("")).to_numpy(zero_copy_only=False))
    named = duplicates.take(copies).dictionary_encode()
    place = pc.index_in(ids, value_set=named.dictionary)
    kept = np.flatnonzero(place.is_valid().to_numpy(zero_copy_only=False))
    keeper = place.drop_null().to_numpy(zero_copy_only=False)
    first = np.concatenate([node[copies], node[kept]])
    second = count + np.concatenate([named.indices.to_numpy(zero_copy_only=False), keeper])
    unit: Numbers = joined(count + len(named.dictionary), first, second.astype(np.int64))[node]
    return unit


def extended(
    ids: pa.Array[Any], originals: pa.Array[Any], duplicates: pa.Array[Any], known: Numbers
) -> tuple[Numbers, Numbers]:
    """`units` where those of most rows are known: their numbers, and the rows whose unit may be another now.

    known: for each row the number of its unit, which holds all it had, or -1 where it is to be found. Only
    rows to be found, and those that they name or that name them, are looked at.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    def among(column: Any, *texts: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - Arrow arrays
        said = pa.concat_arrays(texts).unique()
        said = said.filter(pc.not_equal(said, pa.scalar("")))
        found: NDArray[np.bool_] = pc.is_in(column, value_set=said).to_numpy(zero_copy_only=False)
        return found

    near = known < 0
    new = np.flatnonzero(near)
    keepers = duplicates.take(new)
    near |= among(originals, originals.take(new))
    near |= among(duplicates, ids.take(new), keepers)
    near |= among(ids, keepers)
    rows = np.flatnonzero(near)
    few, old = units(*(column.take(rows) for column in (ids, originals, duplicates))), known[rows]
    base = int(known.max(initial=-1)) + 1
    root = joined(base + int(few.max(initial=-1)) + 1, old[old >= 0], base + few[old >= 0])
    unit = root[known]  # those of -1 are set next
    unit[rows] = root[base + few]
    there = np.zeros(len(root), dtype=bool)
    there[unit] = True
    unit = (np.cumsum(there) - 1)[unit]  # or else the numbers would grow with every version
    touched = np.zeros(len(root), dtype=bool)
    touched[unit[rows]] = True
    return unit, np.flatnonzero(touched[unit])


def joined(count: int, first: Numbers, second: Numbers) -> Numbers:
    """For each of count nodes the smallest node it is joined with by edges first[i] - second[i]."""
    import numpy as np

    root = np.arange(count, dtype=np.int64)
    while True:
        a, b = root[first], root[second]
        if np.array_equal(a, b):
            return root
        np.minimum.at(root, np.maximum(a, b), np.minimum(a, b))
        while True:  # until every node points at a root
            above = root[root]
            if np.array_equal(above, root):
                break
            root = above


def smallest_ids(ids: pa.Array[Any], rows: Numbers, unit: Numbers) -> Numbers:
    """Of some rows, those with the smallest id in their unit, ordered by unit.

    rows: places in ids; unit: the unit of every row of ids.
    """
    import numpy as np
    import pyarrow.compute as pc

    rows = rows[np.argsort(unit[rows], kind="stable")]
    while True:
        of = unit[rows]
        starts = np.flatnonzero(np.r_[True, of[1:] != of[:-1]]) if len(rows) else rows
        if len(starts) == len(rows):
            return rows
        # Rows of a unit meet in pairs, the smaller id stays: half of them go in each turn.
        place = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
        left = np.flatnonzero((place % 2 == 0)[:-1] & (of[1:] == of[:-1]))
        less = pc.less(ids.take(rows[left]), ids.take(rows[left + 1]))
        stays = less.to_numpy(zero_copy_only=False)
        gone = np.where(stays, left + 1, left)
        rows = np.delete(rows, gone)
