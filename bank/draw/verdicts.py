"""Draws in which as many true statements as false ones are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Balanced:
    """The chosen of a stratum in the order of their ranks, and the verdict each statement is to give.

    lacking: statements that upset the balance, since there are none of the other verdict.
    """

    chosen: list[int]
    verdict: dict[int, bool]
    lacking: int


def balance(order: Sequence[int], count: int, says: Sequence[tuple[bool, bool]], favoured: bool) -> Balanced:
    """Of all units of a stratum, in the order of their ranks, count with as many true ones as false.

    says: for each entry of order whether it can be asked as a true and as a false statement; neither
    for units that hold no statement. How many statements are drawn is left to chance: as many as
    the first count units hold. Of an odd number the odd one is `favoured`. A statement that would
    upset the balance makes way for the next that does not.
    """
    known = [place for place, said in enumerate(says) if any(said)]
    first = range(min(count, len(order)))
    number = sum(any(says[place]) for place in first)
    room = {True: number // 2, False: number // 2}
    room[favoured] += number % 2
    taken: list[int] = []
    both: list[int] = []
    verdict: dict[int, bool] = {}
    for place in known:
        if len(taken) == number:
            break
        true, false = says[place]
        if true and false:
            both.append(place)
        elif room[true]:
            room[true] -= 1
            verdict[place] = true
        else:
            continue
        taken.append(place)
    lacking = number - len(taken)
    if lacking:  # as near as can be: the next of the verdict there is too much of
        for place in known:
            if place not in verdict and place not in both and len(taken) < number:
                verdict[place] = says[place][0]
                taken.append(place)
    for place in both:  # units that can give either fill up what is missing
        verdict[place] = favoured if room[True] == room[False] else room[True] > room[False]
        room[verdict[place]] -= 1
    places = sorted([place for place in first if not any(says[place])] + taken)
    return Balanced([order[place] for place in places], {order[p]: v for p, v in verdict.items()}, lacking)
