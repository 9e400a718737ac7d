"""A stratified draw, from the bank's columns to the items and the manifest that repeats it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from bank.draw import allocation
from bank.draw.facts import batches, facts, kept, only
from bank.draw.pool import Candidates, Pool, candidates, load
from bank.draw.rank import rank, ranks, smallest
from bank.draw.request import Request, checked
from bank.draw.verdicts import balance
from bank.draw.words import fingerprint, heard, shown
from schemas.errors import BankError, ShortStratumError
from schemas.evaluation import Manifest, SampleItem, Stratum

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.dataset as pads
    from numpy.typing import NDArray

    from bank.store import Bank

    Numbers = NDArray[np.int64]

_SHOWN = ("question_id", "prompt", "material", "language")  # and what the facts tell


@dataclass
class Chosen:
    """Places of candidates drawn, by stratum and rank; what each statement is to say; who was passed over."""

    places: list[int]
    verdict: dict[int, bool]
    excluded: list[int]
    strata: list[Stratum]


def draw_from(
    bank: Bank, request: Request, exposed: Iterable[str] = (), words: Collection[str] = ()
) -> tuple[list[SampleItem], Manifest]:
    """A draw from the newest version of a bank; see `draw`."""
    table = bank.delta()
    about = {"bank_id": str(table.metadata().id), "bank_version": table.version()}
    request = checked(request)
    dataset = table.to_pyarrow_dataset()
    with bank.reading(table.version()):
        known = kept(bank.path, table, dataset, request)
        return draw(dataset, request, about=about, exposed=exposed, words=words, known=known)


def draw(
    dataset: pads.Dataset,
    request: Request,
    *,
    about: Mapping[str, Any] | None = None,
    exposed: Iterable[str] = (),
    words: Collection[str] = (),
    known: pa.Table | None = None,
) -> tuple[list[SampleItem], Manifest]:
    """Draw units from each stratum, one item a unit. Only the items drawn are ever read in full.

    dataset: the whole bank, since siblings and duplicates that may not be drawn still join units.
    An item may be drawn that is active, has a reference answer and needs no figure. A stratum is there
    when an active item has its values, or when it is the only field and the filters name it.
    exposed: question ids the institution has been given; their units are passed over. words: the
    fingerprints of what it was given (`bank.draw.words`); units with a row that says the same are
    passed over too, whatever its id.
    about: fields of the manifest that tell of the bank and the run. known: the facts of the dataset,
    where they have been read already (`bank.draw.facts`).

    In a stratum the units with the smallest BLAKE2b(seed, unit) are drawn, a unit bearing the
    smallest question_id in it, and of a unit the item with the smallest BLAKE2b(seed, question_id):
    the draw depends on the seed and on what is in the bank, not on the order of rows, and one new
    unit in the bank displaces one of the draw at most.

    ShortStratumError names the strata with too few units, unless the request allows them;
    UsageError for a request that asks for nothing or for unknown fields.
    """
    import numpy as np

    request = checked(request, old=True)
    known = facts(dataset, request.fields) if known is None else known
    met = list(exposed)
    try:
        pool, found, chosen, items, again = _attempt(dataset, known, request, met, words)
    except ShortStratumError:
        if not words:
            raise
        again = True
    if again:  # to be told with the right numbers, and never drawn
        met += heard(dataset, words)
        pool, found, chosen, items, _ = _attempt(dataset, known, request, met, ())
    ids = [item.question_id for item in items]
    excluded = sorted(pool.named(found.name[np.array(chosen.excluded, dtype=np.int64)]))
    manifest = Manifest(
        **{"bank_version": 0, **(about or {})},
        seed=request.seed,
        allocation=request.allocation,
        per_stratum=request.per_stratum or min((s.wanted for s in chosen.strata), default=0),
        total=sum(s.wanted for s in chosen.strata),
        strata_fields=request.by,
        filters=request.filters,
        balance_verdicts=request.balance_verdicts,
        allow_short=request.allow_short,
        excluded=tuple(excluded),
        strata=tuple(chosen.strata),
        ids=tuple(ids),
        items_sha256=hashlib.sha256(encode(items)).hexdigest(),
        software=f"exambank {_version()}",
    )
    return items, manifest


def _attempt(
    dataset: pads.Dataset, known: pa.Table, request: Request, exposed: Iterable[str], words: Collection[str]
) -> tuple[Pool, Candidates, Chosen, list[SampleItem], bool]:
    """A draw, and whether a unit drawn holds a row that says one of the words."""
    import numpy as np

    pool, found, given = _prepared(known, request, exposed)
    chosen = choose(pool, found, given, request)
    rows = _rows_of(pool, found, chosen, request.seed)
    looked = rows
    if words and rows:
        drawn = np.zeros(pool.numbers, dtype=bool)
        drawn[pool.unit[rows]] = True
        looked = np.flatnonzero(drawn[pool.unit]).tolist()
    told = _fetch(dataset, known, looked)
    again = bool(words) and any(fingerprint(shown(row)) in words for row in told.values())
    return pool, found, chosen, [_item(told[row]) for row in rows], again


def encode(items: Iterable[SampleItem]) -> bytes:
    """The items file: JSON lines in UTF-8. Its SHA-256 stands in the manifest."""
    return b"".join(item.model_dump_json().encode() + b"\n" for item in items)


def left(
    dataset: pads.Dataset,
    request: Request,
    exposed: Iterable[str] = (),
    words: Collection[str] = (),
    known: pa.Table | None = None,
) -> list[Stratum]:
    """What a draw would find: eligible, exposed and wanted units of each stratum. Nothing is drawn."""
    request = checked(request)
    known = facts(dataset, request.fields) if known is None else known
    pool, found, given = _prepared(known, request, [*exposed, *heard(dataset, words)])
    eligible, before = _counts(pool, found, given)
    wanted = allocation.shares(request, eligible)
    return [
        Stratum(name=n, eligible=eligible.get(n, 0), exposed=before.get(n, 0), wanted=wanted[n], drawn=0)
        for n in wanted
    ]


def _prepared(
    known: pa.Table, request: Request, exposed: Iterable[str]
) -> tuple[Pool, Candidates, NDArray[np.bool_]]:
    """The pool, the candidates, and which of them the institution has been given."""
    import numpy as np

    pool = load(known, request)
    found = candidates(pool)
    given = np.zeros(pool.numbers, dtype=bool)
    given[pool.unit[pool.rows_of(exposed)]] = True
    return pool, found, given[found.unit]


def _counts(pool: Pool, found: Candidates, given: NDArray[np.bool_]) -> tuple[dict[str, int], dict[str, int]]:
    import numpy as np

    size = len(pool.strata)
    eligible = np.bincount(found.home, minlength=size).tolist()
    before = np.bincount(found.home[given], minlength=size).tolist()
    return dict(zip(pool.strata, eligible, strict=True)), dict(zip(pool.strata, before, strict=True))


def choose(pool: Pool, found: Candidates, given: NDArray[np.bool_], request: Request) -> Chosen:
    """Of the candidates those the seed draws. given: which of them the institution has been given."""
    import numpy as np
    import pyarrow as pa

    eligible, before = _counts(pool, found, given)
    wanted = allocation.shares(request, eligible)
    there = {name: eligible.get(name, 0) - before.get(name, 0) for name in wanted}
    allocation.refuse_short(wanted, there, before, request)
    chosen = Chosen([], {}, [], [])
    says = _says(pool, found)
    lacking: dict[str, tuple[int, int]] = {}
    order = np.argsort(found.home, kind="stable")
    starts = np.searchsorted(found.home[order], np.arange(len(pool.strata) + 1))
    for name, count in wanted.items():
        at = pool.strata.index(name) if name in eligible else -1
        members = order[starts[at] : starts[at + 1]] if at >= 0 and count else order[:0]
        key = ranks(request.seed, "unit", pool.named(found.name[members], pa.binary()))
        free = np.flatnonzero(~given[members])
        verdicts = None
        if says is None:
            picked = free[smallest(key[free], count)]
        else:
            sorted_ = free[smallest(key[free], len(free))] if count else free
            odd = bool(rank(request.seed, "verdict", name)[0] & 1)
            said = [(bool(t), bool(f)) for t, f in says[members[sorted_]].tolist()]
            balanced = balance(sorted_.tolist(), count, said, odd)
            picked = np.array(balanced.chosen, dtype=np.int64)
            told = {int(members[place]): verdict for place, verdict in balanced.verdict.items()}
            chosen.verdict |= told
            verdicts = (sum(told.values()), len(told) - sum(told.values()))
            if balanced.lacking:
                lacking[name] = (len(told) - balanced.lacking, len(told))
        chosen.places += members[picked].tolist()
        chosen.excluded += members[_passed_over(key, np.flatnonzero(given[members]), picked, count)].tolist()
        chosen.strata.append(
            Stratum(
                name=name,
                eligible=eligible.get(name, 0),
                exposed=before.get(name, 0),
                wanted=count,
                drawn=len(picked),
                verdicts=verdicts,
            )
        )
    allocation.refuse_unbalanced(lacking, request)
    return chosen


def _passed_over(key: NDArray[np.uint64], given: Numbers, picked: Numbers, count: int) -> Numbers:
    """The given units that could have been drawn: without the ledger, they alone repeat the draw."""
    if len(picked) < count or not len(given):
        return given
    last = max(tuple(row) for row in key[picked].tolist()) if len(picked) else (-1, -1)
    return given[[tuple(row) < last for row in key[given].tolist()]]


def _says(pool: Pool, found: Candidates) -> NDArray[np.bool_] | None:
    """For each candidate: can be asked as a true statement, as a false one; neither if it has other items."""
    import numpy as np

    if pool.verdict is None:
        return None
    rows = _rows(pool, found, np.arange(len(found.unit)))
    marks = np.zeros((pool.numbers, 3), dtype=bool)
    marks[pool.unit[rows], pool.verdict[rows]] = True  # -1 is the last column
    of = marks[found.unit]
    said: NDArray[np.bool_] = of[:, [1, 0]] & ~of[:, 2:]
    return said


def _rows(pool: Pool, found: Candidates, places: NDArray[np.int64]) -> Numbers:
    """The rows of these candidates that may be asked: those of the stratum their unit counts in."""
    import numpy as np

    home = np.full(pool.numbers, -2, dtype=np.int64)
    home[found.unit[places]] = found.home[places]
    return np.flatnonzero(pool.fit & (home[pool.unit] == pool.stratum))


def _rows_of(pool: Pool, found: Candidates, chosen: Chosen, seed: int) -> list[int]:
    """One row for each candidate drawn, in their order."""
    import numpy as np

    places = np.array(chosen.places, dtype=np.int64)
    rows = _rows(pool, found, places)
    place_of = dict(zip(found.unit[places].tolist(), chosen.places, strict=True))
    best: dict[int, tuple[bytes, str, int]] = {}
    for row, name in zip(rows.tolist(), pool.named(rows), strict=True):
        place = place_of[int(pool.unit[row])]
        if pool.verdict is not None:
            told = pool.verdict[row]
            if told != (int(chosen.verdict[place]) if place in chosen.verdict else -1):
                continue
        key = (rank(seed, "item", name), name, row)
        best[place] = min(best.get(place, key), key)
    return [best[place][2] for place in chosen.places]


def _fetch(dataset: pads.Dataset, known: pa.Table, rows: list[int]) -> dict[int, dict[str, Any]]:
    """What the rows at these places among the facts say and are."""
    import numpy as np
    import pyarrow.compute as pc

    drawn = known.select(["question_id", "file", "discipline", "question_type"]).take(rows)
    files = only(dataset, set(map(str, drawn["file"].to_pylist())))
    file: Any = known["file"].chunk(0)
    coded, names = file.indices.to_numpy(), file.dictionary.to_pylist()
    next_row = {names[code]: int(np.searchsorted(coded, code)) for code in np.unique(coded[rows])}
    wanted = np.sort(rows)
    texts: dict[int, dict[str, Any]] = {}
    for path, batch in batches(files, _SHOWN):
        start, end = next_row[path], next_row[path] + batch.num_rows
        inside = wanted[np.searchsorted(wanted, start) : np.searchsorted(wanted, end)]
        texts |= zip(inside.tolist(), batch.take(inside - start).to_pylist(), strict=True)
        next_row[path] = end
    told = [(texts.get(row, {}), facts) for row, facts in zip(rows, drawn.to_pylist(), strict=True)]
    if not all(item.get("question_id") == facts["question_id"] for item, facts in told):
        raise BankError(
            "What is kept of the table for draws does not fit its files.",
            code="bank_damaged",
            remedy="Delete the folder `cache` of the bank; see what else is wrong with `exambank check`.",
        )
    ids = drawn["question_id"].combine_chunks()
    if pc.is_in(known["question_id"], value_set=ids).to_numpy().sum() > len(rows):
        raise BankError(
            "The bank holds a question id more than once.",
            code="twice",
            remedy="See what else is wrong with `exambank check`.",
        )
    return {row: {**item, **facts} for row, (item, facts) in zip(rows, told, strict=True)}


def _item(row: Mapping[str, Any]) -> SampleItem:
    return SampleItem(
        question_id=row["question_id"],
        discipline=row["discipline"],
        question_type=row["question_type"],
        language=row["language"],
        prompt=shown(row),
    )


@cache
def _version() -> str:
    try:
        return metadata.version("exambank")
    except metadata.PackageNotFoundError:
        return "unknown"
