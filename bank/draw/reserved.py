"""A draw for an institution: nothing it has been given before, and set aside in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bank.draw.again import redraw
from bank.draw.drawing import draw_from
from bank.draw.request import Request, checked
from bank.draw.words import fingerprint, given_words
from schemas.evaluation import Manifest, SampleItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bank.ledger import Given, Ledger
    from bank.store import Bank


def draw_for(
    bank: Bank, ledger: Ledger, request: Request, *, institution: str, run: str, at: str
) -> tuple[list[SampleItem], Manifest]:
    """Draw for a run of an institution and reserve what was drawn, in one transaction.

    The same run with the same request again gives the same draw, from the version of the bank it
    was drawn from, however the bank has grown: so a killed command is simply run again. at: RFC 3339.
    Call ledger.record(institution, run) when the sample has been written. Errors: as of
    `bank.draw.drawing.draw` and `Ledger.reserve`; after any of them nothing is reserved.
    """
    drawn: list[SampleItem] = []

    def make(given: Given) -> tuple[Manifest, Sequence[str]]:
        items, manifest = draw_from(bank, request, given.ids, given.words)
        drawn.extend(items)
        told = manifest.model_copy(update={"institution": institution, "run": run})
        return told, [fingerprint(item.prompt) for item in items]

    ledger.complete(lambda version, ids: given_words(bank, version, ids))
    asked = checked(request).model_dump(mode="json")
    manifest, first = ledger.reserve(institution, run, at=at, request=asked, draw=make)
    return (drawn if first else redraw(bank, manifest)[0]), manifest
