"""The chain of candidates that reads best as one numbering, and how far behind the others were.

Dynamic programming over the document (the longest-path form of Viterbi's algorithm): a chain's score
is the sum of its members' own weights and of the transitions between neighbours. A second pass from
the end gives, for each candidate left out, the best score of any chain through it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

LOOK_BACK = 80
"""Neighbours looked at before a candidate: numbers left out in between are rarely more."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The best chain in order, its score, and by how much each chain through a left-out one is worse."""

    members: tuple[int, ...] = ()
    score: float = 0.0
    behind: Mapping[int, float] = field(default_factory=dict)


def best_chain(
    candidates: Sequence[int],
    own: Callable[[int], float],
    entry: Callable[[int], float],
    step: Callable[[int, int], float],
) -> Chain:
    """The best non-empty chain over candidates (in document order); an empty Chain when there are none.

    own(i) is the weight of a member, entry(i) the charge for starting with it, step(j, i) the charge
    for going on from j to i. Cost: len(candidates) × LOOK_BACK steps. Ties go to the earlier end.
    """
    if not candidates:
        return Chain()
    count = len(candidates)
    weights = [own(i) for i in candidates]
    forward = [0.0] * count
    back: list[int | None] = [None] * count
    backward = list(weights)
    steps: dict[tuple[int, int], float] = {}
    for b in range(count):
        forward[b] = weights[b] + entry(candidates[b])
        for a in range(max(0, b - LOOK_BACK), b):
            steps[a, b] = step(candidates[a], candidates[b])
            total = forward[a] + weights[b] + steps[a, b]
            if total > forward[b]:
                forward[b], back[b] = total, a
    for a in range(count - 1, -1, -1):
        for b in range(a + 1, min(count, a + LOOK_BACK + 1)):
            backward[a] = max(backward[a], weights[a] + steps[a, b] + backward[b])
    end = max(range(count), key=lambda b: (forward[b], -b))
    score = forward[end]
    members: list[int] = []
    walk: int | None = end
    while walk is not None:
        members.append(walk)
        walk = back[walk]
    taken = set(members)
    behind = {
        candidates[k]: round(score - (forward[k] + backward[k] - weights[k]), 3)
        for k in range(count)
        if k not in taken
    }
    return Chain(tuple(candidates[k] for k in reversed(members)), score, behind)
