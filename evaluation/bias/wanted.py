"""What is still to be asked: grades, verdicts on pairs, stars; what is on disk already is not asked again."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluation.bias.folder import Plan
from evaluation.bias.load import Replies, load_choices, load_grades, rated_keys
from evaluation.bias.pairs import Mask, mirrored, shown_once
from evaluation.bias.settings import Form
from evaluation.bias.study import Study, equals_of, pairs_of
from evaluation.bias.tally import NOT_ASKED
from evaluation.checking import reply_key
from evaluation.signing import Signer


class Pair(NamedTuple):
    """Two replies to one prompt in one order, to be judged under one form."""

    prompt_id: str
    form: Form
    first: str
    second: str


def grades_wanted(
    folder: Path, plan: Plan, replies: Replies, signer: Signer | None
) -> dict[str, list[tuple[str, str]]]:
    """(prompt, model) by grader: replies without grades; what could not be read stays so."""
    settled = load_grades(folder, plan, replies, signer).settled
    return {
        grader.called: [
            (prompt.prompt_id, model.called)
            for q, prompt in enumerate(plan.prompts)
            for m, model in enumerate(plan.settings.models)
            if prompt.prompt_id in replies.texts[model.called] and not settled[g, m, q]
        ]
        for g, grader in enumerate(plan.settings.graders)
    }


def asked_masks(study: Study, judge: str) -> dict[Form, Mask]:
    """[q, first, second] of everything a judge is to be asked, by form.

    Plain verdicts cover all thresholds of the curve; the other forms are compared at the one of the audit.
    """
    rules, lots = study.settings.rules, study.lots(judge)
    at = pairs_of(study, judge, lots=lots)
    once = shown_once(at.contrast, lots.coin)
    wide = np.asarray(at.own | at.null)
    for epsilon in rules.curve:
        one = pairs_of(study, judge, epsilon, lots)
        wide = np.asarray(wide | one.own | one.null)
    narrow = np.asarray(mirrored(np.asarray(at.own | at.null)) | once)
    return {form: np.asarray(mirrored(wide) | once) if form == "plain" else narrow for form in rules.forms}


def pairs_wanted(folder: Path, plan: Plan, replies: Replies, signer: Signer | None) -> dict[str, list[Pair]]:
    """The pairs that each judge has not been asked, given the grades there are."""
    study = Study(plan.settings, plan.prompts, load_grades(folder, plan, replies, signer).mean)
    return {
        judge: _left(study, judge, load_choices(folder, plan, judge, replies, signer)[0])
        for judge in study.judges
    }


def _left(study: Study, judge: str, said: dict[str, np.ndarray]) -> list[Pair]:
    names = study.labels
    return [
        Pair(study.prompts[q].prompt_id, form, names[first], names[second])
        for form, mask in asked_masks(study, judge).items()
        for q, first, second in np.argwhere(mask & (said[form] == NOT_ASKED))
    ]


def stars_wanted(
    folder: Path, plan: Plan, replies: Replies, signer: Signer | None
) -> dict[str, list[tuple[str, str]]]:
    """(prompt, model) by pointwise judge: own and equal replies to prompts with a reference answer."""
    raters = [one.called for one in plan.settings.models if one.pointwise]
    if not raters:
        return {}
    study = Study(plan.settings, plan.prompts, load_grades(folder, plan, replies, signer).mean)
    found = {}
    for judge in raters:
        known = rated_keys(folder, plan, judge, signer)
        found[judge] = [
            (prompt.prompt_id, model)
            for prompt, row in zip(plan.prompts, rated_mask(study, judge).T, strict=True)
            for model in (study.labels[place] for place in np.flatnonzero(row))
            if reply_key(prompt.shown, prompt.reference, replies.texts[model][prompt.prompt_id]) not in known
        ]
    return found


def rated_mask(study: Study, judge: str) -> Mask:
    """[model, prompt] of the replies a judge rates: its own beside its equals, where there is a reference."""
    equal = equals_of(study, judge) & np.array([bool(one.reference.strip()) for one in study.prompts])
    equal[study.place(judge)] = equal.any(axis=0)
    return np.asarray(equal)
