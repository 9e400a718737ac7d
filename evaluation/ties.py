"""Which models of a board can be told apart: tests of pairs, tie groups, ranges of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from string import ascii_lowercase

from evaluation.intervals import PRIOR_WEIGHT, Z95, Cell, moments

# From this share of common questions on, two runs answered the same paper and are compared by question.
SAME_PAPER = 0.9


@dataclass(frozen=True)
class Standing:
    """What a comparison needs of a run: its strata, and, where they are known, stars by question.

    Where no rating is known, known_variance and known_mean (0-1) stand for the strata.
    """

    cells: tuple[Cell, ...]
    stars: Mapping[str, int]
    known_variance: float | None = None
    known_mean: float | None = None

    @property
    def mean(self) -> float:
        """The mean rating on 0-1."""
        if self.known_mean is not None:
            return self.known_mean
        return sum(c.stars for c in self.cells) / (3 * max(1, sum(c.scored for c in self.cells)))

    @property
    def variance(self) -> float:
        """Variance of the mean over other questions of the kind."""
        if self.known_variance is not None:
            return self.known_variance
        found = moments(self.cells, finite=False)
        return found[1] if found else 0.0


def separable(one: Standing, other: Standing) -> bool:
    """Whether two models differ at the 95 % level, by a two-sided test.

    Runs of one paper are compared question by question, others as independent draws. No
    finite-population correction: the question is which model is better at questions like these, not
    which was luckier with these.
    """
    common = one.stars.keys() & other.stars.keys()
    if common and len(common) >= SAME_PAPER * max(len(one.stars), len(other.stars)):
        differences = [one.stars[q] - other.stars[q] for q in common]
        count, total = len(differences), sum(differences)
        weight = count + PRIOR_WEIGHT
        # Half a difference in all, spread evenly over -3 ... 3; the mean square of these is 4.
        square = (sum(d * d for d in differences) + 4 * PRIOR_WEIGHT) / weight
        spread = square - (total / weight) ** 2
        return abs(total) / count > Z95 * sqrt(spread / (weight + 1))
    return abs(one.mean - other.mean) > Z95 * sqrt(one.variance + other.variance)


def separations(standings: Sequence[Standing]) -> list[list[bool]]:
    """The symmetric table of `separable` for all pairs."""
    table = [[False] * len(standings) for _ in standings]
    for i, one in enumerate(standings):
        for j in range(i):
            table[i][j] = table[j][i] = separable(one, standings[j])
    return table


def tie_groups(apart: Sequence[Sequence[bool]]) -> list[str]:
    """Letters for every row of a table in order of score: two rows share one if and only if not apart.

    The compact letter display of Piepho (2004), by insertion and absorption. A model can be in
    several groups: it may be on a par with two that are not on a par with each other.
    """
    count = len(apart)
    groups = [(1 << count) - 1] if count else []
    for i in range(count):
        for j in range(i):
            if not apart[i][j]:
                continue
            pair = 1 << i | 1 << j
            split = [g for g in groups if g & pair == pair]
            if not split:
                continue
            groups = [g for g in groups if g & pair != pair]
            for part in sorted(
                {g & ~(1 << k) for g in split for k in (i, j)}, key=int.bit_count, reverse=True
            ):
                if not any(part & g == part for g in groups):
                    groups.append(part)
    # By the best member, then by the next: bits read from the first row on.
    groups.sort(key=lambda g: [n for n in range(count) if g >> n & 1])
    return [
        "".join(letter(n) + " " for n, g in enumerate(groups) if g >> row & 1).strip() for row in range(count)
    ]


def rank_ranges(means: Sequence[float], apart: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """For each model the best and the worst rank it could have: those told apart stay above or below."""
    ranges = []
    for i, mine in enumerate(means):
        above = sum(apart[i][j] and other > mine for j, other in enumerate(means))
        below = sum(apart[i][j] and other < mine for j, other in enumerate(means))
        ranges.append((1 + above, len(means) - below))
    return ranges


def ranks(means: Sequence[float]) -> list[int]:
    """Rank of each mean, 1 for the highest; equal means share the better rank."""
    return [1 + sum(other > mine for other in means) for mine in means]


def letter(number: int) -> str:
    """The name of the number-th group: a ... z, aa, ab ..."""
    name = ascii_lowercase[number % 26]
    return name if number < 26 else letter(number // 26 - 1) + name


def place(name: str) -> int:
    """The number of the group called name, as `letter` names it."""
    number = 0
    for sign in name:
        number = 26 * number + ascii_lowercase.index(sign) + 1
    return number - 1
