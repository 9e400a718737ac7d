"""What exposure leaves of a bank: papers an institution can still be given, questions too many know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from bank.draw.drawing import left
from bank.draw.facts import kept, scanned
from bank.draw.request import Request, checked
from bank.draw.units import units
from bank.draw.words import heard
from schemas.document import Frozen
from schemas.question import Status

if TYPE_CHECKING:
    from bank.ledger import Ledger
    from bank.store import Bank


class Left(Frozen):
    """One stratum as it stands for an institution."""

    name: str
    eligible: int = Field(description="units that may be drawn for somebody")
    exposed: int = Field(description="of these, units the institution has been given")
    left: int
    per_paper: int
    papers: int | None = Field(description="full papers left; None when a paper has none of this stratum")


def papers_left(bank: Bank, ledger: Ledger, institution: str, request: Request) -> list[Left]:
    """For each stratum how many papers of this kind the institution can still be given."""
    table = bank.delta()
    request = checked(request)
    dataset = table.to_pyarrow_dataset()
    given = ledger.given(institution)
    with bank.reading(table.version()):
        known = kept(bank.path, table, dataset, request)
        strata = left(dataset, request, given.ids, given.words, known)
    return [
        Left(
            name=s.name,
            eligible=s.eligible,
            exposed=s.exposed,
            left=s.eligible - s.exposed,
            per_paper=s.wanted,
            papers=(s.eligible - s.exposed) // s.wanted if s.wanted else None,
        )
        for s in strata
    ]


def overexposed(bank: Bank, ledger: Ledger, least: int, version: int | None = None) -> dict[str, int]:
    """Active questions whose unit has been given to `least` institutions or more: id -> how many.

    A question counts as given when any of its siblings or duplicates has been, or the words of one.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    given = ledger.exposures()
    if not given:
        return {}
    names = ["question_id", "original_id", "duplicate_of", "status"]
    delta = bank.delta(version)
    dataset = delta.to_pyarrow_dataset()
    holders: dict[str, set[str]] = {}
    for who, _, said in given:
        holders.setdefault(said, set()).add(who)
    told = [(who, name) for who, name, _ in given]
    with bank.reading(delta.version(), old=version is not None):
        again = heard(dataset, holders.keys() - {""})
        table = scanned(dataset, names)
    told += [(who, name) for name, said in again.items() for who in holders[said]]
    ids, originals, copies, status = (table[name].combine_chunks() for name in names)
    of = units(ids, originals.fill_null(""), copies.fill_null(""))
    places = pc.index_in(pa.array([name for _, name in told], pa.string()), value_set=ids).to_pylist()
    pairs = {(of[place], who) for place, (who, _) in zip(places, told, strict=True) if place is not None}
    known = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(known, [unit for unit, _ in pairs], 1)
    active = pc.equal(status, pa.scalar(Status.ACTIVE.value)).fill_null(False).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(active & (known[of] >= least))
    found: list[Any] = ids.take(rows).to_pylist()
    return dict(sorted(zip(found, known[of[rows]].tolist(), strict=True)))


def retire(
    bank: Bank, ledger: Ledger, least: int, *, who: str, why: str, at: str
) -> tuple[dict[str, int], int]:
    """Retire what `overexposed` names, as one version; what was retired, and the bank's version afterwards.

    What a reviewer has taken out of the active ones in between is left alone.
    """
    from bank.amend import Action, Change, apply

    found = overexposed(bank, ledger, least)
    changes = [
        Change(question_id=name, action=Action.RETIRE, reason=f"given to {count} institutions")
        for name, count in found.items()
    ]
    if not changes:
        return {}, bank.version
    report = apply(bank, changes, who=who, why=why, at=at, skip_bad=True)
    kept = {refusal.question_id for refusal in report.refused}
    return {name: count for name, count in found.items() if name not in kept}, report.version
