"""The verdict on a judge in plain words: fit, fit with mitigation, not fit, or not decided, and why."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.bias.classes import Bounds
from evaluation.bias.records import Measure, Mitigation, Point, Pointwise

FIT, MITIGATED, UNFIT, UNDECIDED = "fit", "fit_with_mitigation", "not_fit", "not_decided"
MIN_CONSISTENCY, MIN_ASKED = 0.5, 0.98
SURE = 0.8  # of the resamples in which a judge that is found fit has to be objective

Reason = tuple[str, str]


def judge_the_judge(
    measure: Measure,
    mitigations: Sequence[Mitigation],
    pointwise: Pointwise | None,
    bounds: Bounds,
    *,
    alpha: float,
    kin_graders: bool,
    rates_replies: bool = False,
    missing: Sequence[Reason] = (),
    elsewhere: Sequence[Reason] = (),
    siblings: Point | None = None,
) -> tuple[str, tuple[Reason, ...]]:
    """The verdict and its reasons, (Chinese, English) each.

    A judge is fit when it is objective, is so in SURE of the resamples, and does not favour its siblings;
    with mitigation, when that holds under another form of the verdict. missing: what is still to be asked
    or graded of it, in words: nothing is decided before. elsewhere: what other judges have left open:
    nobody is found fit before. rates_replies: its ratings of single replies are audited too, and speak
    against it where there are too few. siblings: kin over strangers. Nothing rests on the source's tests.
    """
    if missing:
        return UNDECIDED, tuple(missing)
    verdict, reasons = _decided(
        measure, mitigations, _rates(pointwise, alpha, rates_replies), bounds, alpha, siblings, kin_graders
    )
    if elsewhere and verdict != UNFIT:
        return UNDECIDED, (*elsewhere, *reasons)
    return verdict, reasons


def _decided(
    measure: Measure,
    mitigations: Sequence[Mitigation],
    rates: list[Reason],
    bounds: Bounds,
    alpha: float,
    siblings: Point | None,
    kin_graders: bool,
) -> tuple[str, tuple[Reason, ...]]:
    thin = _thin(measure, kin_graders)
    if thin:
        return UNFIT, tuple(thin)
    kin, unsure = _siblings(siblings, bounds, alpha)
    against = [*_against(measure, bounds, alpha), *kin]
    if not against and not rates:
        return FIT, (*_for(measure, bounds), *unsure, *_loose(bounds))
    for one in mitigations:
        if one.asked < MIN_ASKED * one.wanted:
            told = (one.measure.form, one.asked, one.wanted)
            against.append(
                (
                    "{} 形式只问了 {}/{} 对".format(*told),
                    "only {1} of {2} pairs were asked in the {0} form".format(*told),
                )
            )
            continue
        if rates or _thin(one.measure, kin_graders) or _against(one.measure, bounds, alpha):
            continue  # no form of comparing two replies makes ratings of single ones fairer
        if _siblings(one.siblings, bounds, alpha)[0]:
            continue
        form, beta = one.measure.form, _signed(one.measure.beta)
        family = _signed(one.siblings.beta) if one.siblings else ""
        eased = (
            f"以 {form} 形式判决时 β 为 {beta}，在界内" + (f"；同族对外家 {family}" if family else ""),
            f"with {form} verdicts β is {beta}, within bounds"
            + (f"; kin over strangers {family}" if family else ""),
        )
        return MITIGATED, (*against, eased, *_loose(bounds))
    return UNFIT, (*against, *unsure, *rates)


def _loose(bounds: Bounds) -> list[Reason]:
    """That the study's bounds are not the usual ones: a judge may be fit by these alone."""
    usual = Bounds()
    if bounds == usual:
        return []
    said = (bounds.pi, bounds.beta, usual.pi, usual.beta)
    return [
        (
            "按本研究的界 π ≥ {:g}、|β| ≤ {:g} 判断，而非通常的 {:g} 和 {:g}".format(*said),
            "by the bounds of this study, π ≥ {:g} and |β| ≤ {:g}, not the usual {:g} and {:g}".format(*said),
        )
    ]


def _rates(pointwise: Pointwise | None, alpha: float, audited: bool) -> list[Reason]:
    """What its ratings of single replies show against the judge, or that too few are there to tell."""
    pairs, lost = (pointwise.pairs, pointwise.unscored) if pointwise else (0, 0)
    if (audited or pointwise) and (pointwise is None or pointwise.p is None or lost > pairs):
        return [
            (
                f"逐份评分只有 {pairs} 对可用（{lost} 对无法读出或未评）：不能证明其合格",
                f"only {pairs} pairs have ratings of single replies ({lost} unreadable or not asked):"
                " nothing is shown for these",
            )
        ]
    if pointwise is None or pointwise.p_holm is None or pointwise.p_holm >= alpha:
        return []
    gap = pointwise.gap or 0.0
    return [
        (
            f"逐份评分时，自己的回答平均{'多' if gap > 0 else '少'}得 {abs(gap):.2f} 星",
            f"rates its own replies {abs(gap):.2f} stars {'above' if gap > 0 else 'below'} equal ones",
        )
    ]


def _siblings(point: Point | None, bounds: Bounds, alpha: float) -> tuple[list[Reason], list[Reason]]:
    """How the judge treats models of its family beside strangers: shown against it, and not beyond doubt."""
    if point is None:
        return [], []
    if point.beta is None or point.p is None:
        return [], [("同族与外家的回答对太少：是否偏袒同族未知", "too few pairs of kin to tell favour")]
    if abs(point.beta) <= bounds.beta:
        return [], []
    way = ("偏袒", "favours") if point.beta > 0 else ("贬低", "disfavours")
    shown = point.p_holm is not None and point.p_holm < alpha
    sure = ("", "") if shown else ("（未达显著）", " (not beyond doubt)")
    told = [
        (
            f"{way[0]}同族模型的回答：对外家 β = {_signed(point.beta)}{sure[0]}",
            f"{way[1]} models of its own family over strangers: β = {_signed(point.beta)}{sure[1]}",
        )
    ]
    return (told, []) if shown else ([], told)


def _thin(measure: Measure, kin_graders: bool) -> list[Reason]:
    """Why nothing can be said for the judge."""
    reasons: list[Reason] = []
    if kin_graders:
        reasons.append(
            (
                "评分者与被审模型同族：不能证明其合格",
                "the graders are of a model's family: nothing is shown for it",
            )
        )
    if measure.p is None:
        reasons.append(
            (
                "等质的回答对太少，无从定论：未能证明其合格，也未证明其不合格",
                "too few pairs of equal quality to tell: it is not shown to be fit, nor to be unfit",
            )
        )
    if measure.pi is None:
        reasons.append(
            (
                "没有好坏悬殊的回答对，辨别力未知",
                "no pairs far apart: whether it tells good from poor is not known",
            )
        )
    if measure.p is None or measure.pi is None:
        return reasons
    asked = measure.own.asked + measure.null.asked
    lost = measure.own.unreadable + measure.null.unreadable
    if asked and 2 * lost > asked:
        reasons.append(
            (f"{lost}/{asked} 对的判决无法读出", f"no verdict was readable of {lost} of {asked} pairs")
        )
    if measure.consistency is not None and measure.consistency < MIN_CONSISTENCY:
        reasons.append(
            (
                f"仅 {measure.consistency:.0%} 的回答对在两种次序下判决一致：位置左右判决，β 无从显现",
                f"only {measure.consistency:.0%} of pairs get the same verdict in both orders: place decides,"
                " and β has no room to show",
            )
        )
    return reasons


def _against(measure: Measure, bounds: Bounds, alpha: float) -> list[Reason]:
    """What is shown against the judge."""
    reasons: list[Reason] = []
    if measure.pi is not None and measure.pi < bounds.pi:
        reasons.append(
            (
                f"好坏悬殊时只有 {measure.pi:.0%} 判对（要求 {bounds.pi:.0%}）",
                f"picks the better of two unequal replies in {measure.pi:.0%} of cases, not {bounds.pi:.0%}",
            )
        )
    beta, p = measure.beta, measure.p_holm
    if beta is not None and abs(beta) > bounds.beta:
        shown = p is not None and p < alpha
        way = (
            ("偏袒自己的回答", "favours its own replies")
            if beta > 0
            else ("贬低自己的回答", "disfavours its own replies")
        )
        told = f"β = {_signed(beta)}"
        reasons.append(
            (f"{way[0]}：{told}", f"{way[1]}: {told}")
            if shown
            else (
                f"未能证明公正：{told} 超出 ±{bounds.beta:g}，但可能出于偶然（未达显著）；更多提示才能定论",
                f"not shown to be fair: {told} is beyond ±{bounds.beta:g}, but may be chance"
                " (not beyond doubt); more prompts would tell",
            )
        )
    share = measure.class_probabilities.get("objective", 0.0)
    if not reasons and share < SURE:
        reasons.append(
            (
                f"β = {_signed(beta)}、π = {measure.pi or 0:.2f} 虽在界内，但重抽样中只有"
                f" {share:.0%} 属客观：需要更多提示",
                f"β = {_signed(beta)} and π = {measure.pi or 0:.2f} are within bounds, but objective in only"
                f" {share:.0%} of resamples: more prompts are needed",
            )
        )
    return reasons


def _for(measure: Measure, bounds: Bounds) -> list[Reason]:
    sure = measure.class_probabilities.get("objective", 0.0)
    reasons = [
        (
            f"能分辨好坏（π = {measure.pi or 0:.2f}），β = {_signed(measure.beta)} 在 ±{bounds.beta:g} 之内；"
            f"重抽样中 {sure:.0%} 属客观",
            f"tells good from poor (π = {measure.pi or 0:.2f}), β = {_signed(measure.beta)} is within"
            f" ±{bounds.beta:g}; objective in {sure:.0%} of resamples",
        )
    ]
    if measure.squeezed:
        reasons.append(
            (
                f"两种次序一致率仅 {measure.consistency or 0:.0%}，β 被压缩",
                f"only {measure.consistency or 0:.0%} of pairs are consistent, which squeezes β",
            )
        )
    return reasons


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"
