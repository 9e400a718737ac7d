"""A draw repeated from its manifest, anywhere the bank is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bank.draw.drawing import draw
from bank.draw.request import Request
from schemas.errors import BankError
from schemas.evaluation import Manifest, SampleItem

if TYPE_CHECKING:
    from bank.store import Bank


def redraw(bank: Bank, manifest: Manifest) -> tuple[list[SampleItem], Manifest]:
    """The items of a manifest drawn again from its version of the bank, and the manifest of that draw.

    It is the same draw when ids and items_sha256 are equal (`same`). No ledger is asked: the manifest
    names the units that were passed over. BankError `other_bank` when the manifest is of another
    bank, `no_version` when this copy of the bank is older than the draw,
    `version_gone` when the version has been vacuumed.
    """
    table = bank.delta(manifest.bank_version)
    here = str(table.metadata().id)
    if manifest.bank_id not in ("", here):
        raise BankError(
            f"The draw was made from another bank ({manifest.bank_id}) than {bank.path} ({here}).",
            code="other_bank",
            remedy="Give the bank it was drawn from, or a copy of it, with --bank.",
        )
    request = Request(
        seed=manifest.seed,
        by=manifest.strata_fields,
        allocation="given",
        given={stratum.name: stratum.wanted for stratum in manifest.strata},
        filters=manifest.filters,
        balance_verdicts=manifest.balance_verdicts,
        allow_short=True,
    )
    about = {"bank_id": here, "bank_version": manifest.bank_version}
    dataset = table.to_pyarrow_dataset()
    with bank.reading(manifest.bank_version, old=True):
        return draw(dataset, request, about=about, exposed=manifest.excluded)


def same(manifest: Manifest, again: Manifest) -> bool:
    """Whether two draws gave the same questions, in the same order and in the same words."""
    return (manifest.ids, manifest.items_sha256) == (again.ids, again.items_sha256)


def untrue(manifest: Manifest, again: Manifest) -> list[str]:
    """The strata of which a manifest tells other numbers than the same draw made again.

    How many units had been given before is known to the ledger alone.
    """
    ours, theirs = (
        {s.name: s.model_dump(exclude={"exposed"}) for s in one.strata} for one in (manifest, again)
    )
    return sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
