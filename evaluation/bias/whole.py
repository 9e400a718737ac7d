"""Whether an audit is finished: of every stage, what is wanted and what has an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.bias.judgement import MIN_ASKED, Reason
from evaluation.bias.records import Gap, Grading
from evaluation.bias.study import Study
from evaluation.bias.tally import NOT_ASKED
from evaluation.bias.wanted import asked_masks, rated_mask

_OF_ALL = {"replies": "回答", "grades": "质量分"}  # without these nobody's pairs are known
_OWN = {"verdicts": "判决", "stars": "逐份评分"}
_MOST_NAMED = 3


def gaps(study: Study) -> tuple[Gap, ...]:
    """The parts that are not all asked, in the order of the stages; nothing where the audit is whole.

    Everything that is to be asked counts: both orders of pairs under every form and up to the widest
    threshold of the curve, pairs of high contrast, stars. Which pairs these are follows from the grades
    there are: while replies or grades are missing, more may be wanted than is told here.
    """
    return tuple(one for one in _parts(study) if one.asked < one.wanted)


def told(missing: Sequence[Gap]) -> list[Reason]:
    """All gaps as one note of the report; none where the audit is whole."""
    if not missing:
        return []
    named = ", ".join(f"{one.who} {one.stage}{_form(one)} {one.asked}/{one.wanted}" for one in missing)
    return [
        (
            f"审计未完成，缺少答复（{named}）。请再次运行 `exambank audit run`，它会从停下的地方继续。",
            f"The audit is not finished, answers are missing ({named}). Run `exambank audit run` again: it"
            " goes on where it stopped.",
        )
    ]


def unfinished(judge: str, missing: Sequence[Gap]) -> list[Reason]:
    """The gaps that leave this judge's own figures open, in words."""
    reasons = []
    for stage, chinese in _OF_ALL.items():
        found = [one for one in missing if one.stage == stage]
        if found:
            named = ", ".join(f"{one.who} {one.asked}/{one.wanted}" for one in found[:_MOST_NAMED])
            named += ", …" if len(found) > _MOST_NAMED else ""
            reasons.append(
                (
                    f"审计未完成：{chinese}只有一部分（{named}），哪些回答等质尚不清楚",
                    f"the audit is not finished: only some {stage} are there ({named}),"
                    " so that it is not known which replies are equal",
                )
            )
    for one in missing:
        if one.stage in _OWN and one.who == judge:
            stage, there = one.stage + _form(one), (one.asked, one.wanted)
            reasons.append(
                (
                    "审计未完成：{}{} 只有 {}/{} 次有答复".format(_OWN[one.stage], _form(one), *there),
                    "the audit is not finished: {1} of {2} {0} have an answer".format(stage, *there),
                )
            )
    return reasons


def elsewhere(judge: str, missing: Sequence[Gap]) -> list[Reason]:
    """That other judges are not asked to the end, in words."""
    others = sorted({one.who for one in missing if one.stage in _OWN and one.who != judge})
    if not others:
        return []
    named = ", ".join(others)
    return [
        (
            f"审计未完成：还缺其他裁判的答复（{named}），而 p 值对全部裁判一并校正",
            f"the audit is not finished: answers of other judges are missing ({named}), and p values are"
            " corrected over all of them",
        )
    ]


def ungraded(grading: Sequence[Grading]) -> list[Reason]:
    """The graders that answered, but whose grades could not be read of more than a few replies, in words."""
    return [
        (
            f"评分者 {one.grader} 的质量分有 {one.unreadable}/{one.replies} 份无法读出：等质的回答对不全",
            f"{one.unreadable} of {one.replies} grades of {one.grader} could not be read: which replies are"
            " equal is not known of these",
        )
        for one in grading
        if one.unreadable > (1 - MIN_ASKED) * one.replies
    ]


def _form(one: Gap) -> str:
    return f" ({one.form})" if one.form else ""


def _parts(study: Study) -> Iterator[Gap]:
    prompts = len(study.prompts)
    for model, left in study.unanswered.items():
        yield Gap(stage="replies", who=model, wanted=prompts, asked=prompts - left)
    for one in study.grading:
        yield Gap(stage="grades", who=one.grader, wanted=one.replies, asked=one.replies - one.missing)
    for judge in study.judges:
        for form, mask in asked_masks(study, judge).items():
            asked = mask & (study.said(form, judge) != NOT_ASKED)
            yield Gap(stage="verdicts", who=judge, form=form, wanted=int(mask.sum()), asked=int(asked.sum()))
    for rater in (one.called for one in study.settings.models if one.pointwise):
        rated = rated_mask(study, rater)
        done = rated & study.rated.get(rater, np.zeros_like(rated))
        yield Gap(stage="stars", who=rater, wanted=int(rated.sum()), asked=int(done.sum()))
