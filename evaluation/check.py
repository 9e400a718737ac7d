"""Checking a judge against people: agreement, kappa, bias, boards under each, planted attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import sqrt

from evaluation.agreement import quadratic_kappa
from evaluation.intervals import Cell
from evaluation.ties import Standing, ranks, separations, tie_groups

LEVELS = 4  # 0-3 stars


@dataclass(frozen=True)
class Rated:
    """One reply with the stars people gave and those of the judge, None where it gave none.

    question tells which question it answers, kind the type it is counted under, group its stratum.
    """

    row_id: str
    question: str
    model: str
    kind: str
    group: str
    human: int
    judge: int | None


@dataclass(frozen=True)
class Against:
    """How a judge agrees with people on n replies; bias is the mean of judge minus people, in stars."""

    rated: int
    unscored: int
    accuracy: float | None
    within_one: float | None
    kappa: float | None
    weighted_kappa: float | None
    bias: float | None
    bias_error: float | None
    human_mean: float | None
    judge_mean: float | None
    confusion: tuple[tuple[int, ...], ...]


def agreement(rows: Sequence[Rated]) -> Against:
    """Agreement over the rows the judge rated.

    accuracy is the share of equal ratings, kappa Cohen's, weighted_kappa with quadratic weights;
    confusion counts by stars of people (rows) and of the judge (columns).
    """
    pairs = [(row.human, row.judge) for row in rows if row.judge is not None]
    table = Counter(pairs)
    confusion = tuple(tuple(table[h, j] for j in range(LEVELS)) for h in range(LEVELS))
    n = len(pairs)
    if not n:
        return Against(0, len(rows), None, None, None, None, None, None, None, None, confusion)
    human, judge = [h for h, _ in pairs], [j for _, j in pairs]
    differences = [j - h for h, j in pairs]
    bias = sum(differences) / n
    spread = sqrt(sum((d - bias) ** 2 for d in differences) / (n - 1)) if n > 1 else None
    return Against(
        rated=n,
        unscored=len(rows) - n,
        accuracy=sum(h == j for h, j in pairs) / n,
        within_one=sum(abs(h - j) <= 1 for h, j in pairs) / n,
        kappa=cohen_kappa(human, judge),
        weighted_kappa=quadratic_kappa(human, judge),
        bias=bias,
        bias_error=None if spread is None else spread / sqrt(n),
        human_mean=sum(human) / n,
        judge_mean=sum(judge) / n,
        confusion=confusion,
    )


def cohen_kappa(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Cohen's kappa (1960) of two raters; None where both gave one and the same rating throughout."""
    n = len(first)
    if not n:
        return None
    ones, others = Counter(first), Counter(second)
    expected = sum(count * others[value] for value, count in ones.items()) / n**2
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    return (observed - expected) / (1 - expected) if expected < 1 else None


def area_under_curve(values: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The chance that a positive has the greater value, ties counting half; None without both kinds."""
    count = sum(positive)
    others = len(positive) - count
    if not count or not others:
        return None
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, at = 0.0, 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        middle = (at + 1 + end) / 2
        ranks += middle * sum(positive[i] for i in order[at:end])
        at = end
    return (ranks - count * (count + 1) / 2) / (count * others)


def bigram_recall(reply: str, reference: str) -> float:
    """The share of the reference's character pairs that the reply has: what `overlap` is held against."""
    wanted = Counter(a + b for a, b in pairwise(reference))
    if not wanted:
        return float(reference in reply)
    given = Counter(a + b for a, b in pairwise(reply))
    return (wanted & given).total() / wanted.total()


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b of two scores of the same models; None where one has all models level."""
    concordant = discordant = ties_first = ties_second = 0
    for (a, b), (c, d) in combinations(list(zip(first, second, strict=True)), 2):
        if a == c or b == d:
            ties_first += a == c
            ties_second += b == d
        elif (a > c) == (b > d):
            concordant += 1
        else:
            discordant += 1
    pairs = len(first) * (len(first) - 1) // 2
    root = sqrt((pairs - ties_first) * (pairs - ties_second))
    return (concordant - discordant) / root if root else None


def standing(rows: Sequence[Rated], *, human: bool) -> Standing:
    """What a board needs of one model's replies under people or the judge; each group is a stratum."""
    given = [(row, row.human if human else row.judge) for row in rows]
    cells = []
    for group in sorted({row.group for row in rows}):
        table = Counter(stars for row, stars in given if row.group == group)
        cells.append(Cell((table[0], table[1], table[2], table[3])))
    return Standing(tuple(cells), {row.question: stars for row, stars in given if stars is not None})


@dataclass(frozen=True)
class Board:
    """A board of models under people and under the judge: scores on 0-100, tie groups, ranks; tau-b."""

    models: tuple[str, ...]
    human: tuple[float, ...]
    judge: tuple[float, ...]
    human_groups: tuple[str, ...]
    judge_groups: tuple[str, ...]
    human_ranks: tuple[int, ...]
    judge_ranks: tuple[int, ...]
    tau: float | None


def boards(rows: Sequence[Rated]) -> Board:
    """Both boards over the rows that the judge rated, in the order of people's scores."""
    rated = [row for row in rows if row.judge is not None]
    by_model: dict[str, list[Rated]] = {}
    for row in rated:
        by_model.setdefault(row.model, []).append(row)
    sides = {
        human: {model: standing(own, human=human) for model, own in by_model.items()}
        for human in (True, False)
    }
    order = sorted(by_model, key=lambda model: (-sides[True][model].mean, model))
    means = {human: [100 * side[model].mean for model in order] for human, side in sides.items()}
    groups = {human: _groups(side, order) for human, side in sides.items()}
    return Board(
        models=tuple(order),
        human=tuple(means[True]),
        judge=tuple(means[False]),
        human_groups=groups[True],
        judge_groups=groups[False],
        human_ranks=tuple(ranks(means[True])),
        judge_ranks=tuple(ranks(means[False])),
        tau=kendall_tau(means[True], means[False]),
    )


def _groups(side: Mapping[str, Standing], order: Sequence[str]) -> tuple[str, ...]:
    own = sorted(order, key=lambda model: -side[model].mean)
    letters = dict(zip(own, tie_groups(separations([side[model] for model in own])), strict=True))
    return tuple(letters[model] for model in order)
