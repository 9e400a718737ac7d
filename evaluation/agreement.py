"""How far two raters agree on the same replies: equal ratings and Cohen's quadratic kappa."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from evaluation.leaderboard import Agreement
from schemas.evaluation import Verdict


def quadratic_kappa(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968) of two raters over the same replies.

    1 - Σ (a - b)² observed / Σ (a - b)² expected of independent raters with the same shares; None
    where this is 0/0: no replies, or both gave one and the same rating throughout.
    """
    if not first:
        return None
    ones, others = Counter(first), Counter(second)
    observed = sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / len(first)
    expected = sum((a - b) ** 2 * n * m for a, n in ones.items() for b, m in others.items()) / len(first) ** 2
    return 1 - observed / expected if expected else None


def agreements(votes: Mapping[str, Mapping[str, Verdict]]) -> tuple[Agreement, ...]:
    """Agreement of every pair of a panel's judges; votes by judge and question, as a run keeps them."""
    rows = []
    for one, other in combinations(sorted(votes), 2):
        pairs = [
            (mine.stars, theirs.stars)
            for question, mine in votes[one].items()
            if (theirs := votes[other].get(question)) and mine.stars is not None and theirs.stars is not None
        ]
        if pairs:
            first, second = [a for a, _ in pairs], [b for _, b in pairs]
            rows.append(
                Agreement(
                    judges=(one, other),
                    rated=len(pairs),
                    equal=sum(a == b for a, b in pairs) / len(pairs),
                    kappa=quadratic_kappa(first, second),
                )
            )
    return tuple(rows)
