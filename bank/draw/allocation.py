"""How many units each stratum gives, and what is said when one has too few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from bank.draw.rank import rank
from bank.draw.request import Request
from schemas.errors import ShortStratumError


def shares(request: Request, eligible: Mapping[str, int]) -> dict[str, int]:
    """Units wanted of each stratum. eligible: units by the name of the stratum, given ones included.

    A total that does not divide goes to the largest remainders; the seed decides between equals.
    """
    if request.allocation == "given":
        return {name: request.given.get(name, 0) for name in sorted({*eligible, *request.given})}
    if request.per_stratum is not None:
        return dict.fromkeys(sorted(eligible), request.per_stratum)
    names, total = sorted(eligible), request.total or 0
    weights = dict.fromkeys(names, 1) if request.allocation == "equal" else dict(eligible)
    whole = sum(weights.values())
    if not whole:
        return dict.fromkeys(names, 0)
    exact = {name: Fraction(total * weights[name], whole) for name in names}
    found = {name: int(exact[name]) for name in names}
    favoured = sorted(
        names, key=lambda name: (found[name] - exact[name], rank(request.seed, "stratum", name))
    )
    for name in favoured[: total - sum(found.values())]:
        found[name] += 1
    return found


def refuse_short(
    wanted: Mapping[str, int], there: Mapping[str, int], given: Mapping[str, int], request: Request
) -> None:
    """ShortStratumError with the numbers and the ways out, unless the draw allows short strata.

    there: units each stratum can give now; given: those it cannot give again to the institution.
    """
    short = [name for name in wanted if there[name] < wanted[name]]
    if any(there.values()) and (request.allow_short or not short):
        return
    if not any(there.values()):
        exhausted = any(given.values())
        raise ShortStratumError(
            "The institution has been given all the bank has."
            if exhausted
            else "No item of the bank can be drawn.",
            remedy="Ingest papers with answers, settle what is in review, or widen the filters.",
        )
    listed = ", ".join(_told(name, wanted, there, given) for name in short)
    raise ShortStratumError(
        f"Too few eligible questions in {len(short)} of {len(wanted)} strata ({listed}).",
        remedy="; or ".join(
            [
                *_ways(request, short, there),
                "add --allow-short to take what there is",
                "ingest more papers with answers",
            ]
        ),
    )


def refuse_unbalanced(lacking: Mapping[str, tuple[int, int]], request: Request) -> None:
    """ShortStratumError for strata (name -> balanced, wanted) whose verdicts cannot be balanced."""
    if not lacking or request.allow_short:
        return
    listed = ", ".join(f"{name}: {have} of {want}" for name, (have, want) in lacking.items())
    raise ShortStratumError(
        f"Too few true or too few false statements to balance {len(lacking)} of the strata ({listed}).",
        remedy="Draw fewer; or leave out --balance-verdicts; or add --allow-short to come as near as can be.",
    )


def _told(name: str, wanted: Mapping[str, int], there: Mapping[str, int], given: Mapping[str, int]) -> str:
    before = f", {given[name]} given before" if given.get(name) else ""
    return f"{name}: {there[name]} of {wanted[name]}{before}"


def _ways(request: Request, short: Sequence[str], there: Mapping[str, int]) -> list[str]:
    if request.allocation == "given":
        return ["lower their numbers in the allocation"]
    if request.allocation == "proportional":
        return ["draw fewer in all"]
    least = min(there[name] for name in short)
    return [f"draw {least} from each"] if least else ["leave those strata out with a filter"]
