"""How far β depends on the threshold, the lots, the kind of task, and whether kin are in the pairs."""

from __future__ import annotations

import numpy as np

from evaluation.bias.measure import points
from evaluation.bias.pairs import Lots, Mask, PairSettings, mirrored, null_pairs, own_pairs
from evaluation.bias.records import Point, Spread
from evaluation.bias.resample import ResampleSettings, holm
from evaluation.bias.settings import Form, kinship
from evaluation.bias.study import JudgePairs, Study, pairs_of
from evaluation.bias.tally import NOT_ASKED, Choices, PairTally, tally

SEEDS = 20
SIBLINGS = "family_over_strangers"
_RELATIONS = ("self_over_strangers", SIBLINGS, "self_over_family")


def curve(study: Study, settings: ResampleSettings) -> dict[str, list[Point]]:
    """β of every judge over the thresholds of the rules, from the plain verdicts there are."""
    found: dict[str, list[Point]] = {judge: [] for judge in study.judges}
    for epsilon in study.settings.rules.curve:
        counted = []
        for judge in study.judges:
            pairs, said = pairs_of(study, judge, epsilon), study.said("plain", judge)
            counted.append((tally(said, pairs.own), tally(said, pairs.null)))
        names = [f"{epsilon:g}"] * len(counted)
        for judge, point in zip(study.judges, points(names, counted, settings), strict=True):
            found[judge].append(point)
    return found


def spread(study: Study, judge: str) -> Spread | None:
    """β over SEEDS other lots: half of the pairs that were asked of each prompt, and other targets."""
    said, place = study.said("plain", judge), study.place(judge)
    rules, quality = study.settings.rules.pairs(), study.quality
    asked = (said != NOT_ASKED) & (said.transpose(0, 2, 1) != NOT_ASKED)
    everything = PairSettings(epsilon=rules.epsilon, own_per_prompt=0, null_per_prompt=0)
    some = study.lots(judge)
    own = own_pairs(quality, place, everything, some) & asked
    null = np.triu(mirrored(null_pairs(quality, place, everything, some)) & asked, 1)
    found = []
    for seed in range(SEEDS):
        lots = Lots.draw(rules.seed + 1 + seed, place, *said.shape[:2])
        mine = tally(said, _half(own, lots))
        upper = _half(null, lots)
        others = tally(said, np.asarray((upper & lots.coin) | (upper & ~lots.coin).transpose(0, 2, 1)))
        if mine.asked.sum() and others.asked.sum():
            beta = mine.target.sum() / mine.asked.sum() - others.target.sum() / others.asked.sum()
            found.append(float(beta))
    if not found:
        return None
    return Spread(
        seeds=len(found),
        mean=float(np.mean(found)),
        least=min(found),
        most=max(found),
        deviation=float(np.std(found, ddof=1)) if len(found) > 1 else 0.0,
    )


def tasks(study: Study, pairs: dict[str, JudgePairs], settings: ResampleSettings) -> dict[str, list[Point]]:
    """β of every judge by the task of the prompts; nothing where there is one task."""
    found: dict[str, list[Point]] = {judge: [] for judge in study.judges}
    names = sorted({prompt.task for prompt in study.prompts})
    if len(names) < 2:
        return found
    said = {judge: study.said("plain", judge) for judge in study.judges}
    counted = [(tally(said[one], pairs[one].own), tally(said[one], pairs[one].null)) for one in study.judges]
    for name in names:
        some = [prompt.task == name for prompt in study.prompts]
        for judge, point in zip(
            study.judges, points([name] * len(counted), counted, settings, some), strict=True
        ):
            found[judge].append(point)
    return found


def relations(
    study: Study, pairs: dict[str, JudgePairs], settings: ResampleSettings, form: Form = "plain"
) -> dict[str, list[Point]]:
    """Of every judge: self-preference with kin left out, and preference for kin over strangers.

    Both are measured against null pairs of strangers alone; p of kin over strangers is corrected by Holm over
    the judges. A model is kin when it is of the judge's family, another setting of the judge's own model
    included; a judge without kin has nothing here.
    """
    kin = np.asarray(kinship(study.settings.models, study.model_ids))
    known = [judge for judge in study.judges if kin[study.place(judge)].any()]
    counted = [
        tallies
        for judge in known
        for tallies in _relations(study.said(form, judge), pairs[judge], kin[study.place(judge)])
    ]
    made = points([*_RELATIONS] * len(known), counted, settings) if known else []
    held = iter(holm([one.p for one in made if one.name == SIBLINGS]))
    made = [one.model_copy(update={"p_holm": next(held)}) if one.name == SIBLINGS else one for one in made]
    size = len(_RELATIONS)
    found = {judge: made[size * n : size * n + size] for n, judge in enumerate(known)}
    return {judge: found.get(judge, []) for judge in study.judges}


def siblings(relations: list[Point]) -> Point | None:
    """Of a judge's relations, kin over strangers."""
    return next((one for one in relations if one.name == SIBLINGS), None)


def _relations(said: Choices, pairs: JudgePairs, kin: Mask) -> list[tuple[PairTally, PairTally]]:
    stranger = ~kin
    strangers = tally(said, np.asarray(pairs.null & stranger[None, :, None] & stranger[None, None, :]))
    alone = tally(said, np.asarray(pairs.own & stranger[None, None, :]))
    both = mirrored(pairs.null)
    family = tally(said, np.asarray(both & kin[None, :, None] & stranger[None, None, :]))
    over_kin = tally(said, np.asarray(pairs.own & kin[None, None, :]))
    return [(alone, strangers), (family, strangers), (over_kin, strangers)]


def _half(mask: Mask, lots: Lots) -> Mask:
    """By lot, half of the pairs of each prompt, rounded up."""
    order = np.where(mask, lots.order, np.inf).reshape(len(mask), -1)
    ranks = np.argsort(np.argsort(order, axis=1), axis=1).reshape(mask.shape)
    most = (mask.sum(axis=(1, 2)) + 1) // 2
    return np.asarray(mask & (ranks < most[:, None, None]))


def asked_in_both(pairs: JudgePairs, one: Choices, other: Choices) -> JudgePairs:
    """The pairs that have verdicts under two forms: in both orders, of high contrast in the one there is."""
    there = (one != NOT_ASKED) & (other != NOT_ASKED)
    twice = there & there.transpose(0, 2, 1)
    return JudgePairs(
        own=np.asarray(pairs.own & twice),
        null=np.asarray(pairs.null & twice),
        contrast=np.asarray(pairs.contrast & mirrored(there)),
    )
