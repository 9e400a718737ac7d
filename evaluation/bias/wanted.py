"""What is still to be asked: grades, verdicts on pairs, stars; what is on disk already is not asked again."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluation.bias.folder import Plan, entries, journal_path
from evaluation.bias.load import Replies, load_choices, load_grades, rated_keys
from evaluation.bias.pairs import Mask, mirrored, shown_once
from evaluation.bias.settings import Form
from evaluation.bias.study import Study, pairs_of
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
    graders = [one.called for one in plan.settings.graders]
    found = {}
    for grader in graders:
        done = {
            (entry["grade"]["prompt_id"], entry["grade"]["model"])
            for entry in entries(folder, journal_path(folder, "grades", graders, grader), signer)
            if entry["event"] == "grade" and entry["final"] and not entry["fault"]
        }
        found[grader] = [
            (prompt.prompt_id, model.called)
            for prompt in plan.prompts
            for model in plan.settings.models
            if prompt.prompt_id in replies.texts[model.called]
            and (prompt.prompt_id, model.called) not in done
        ]
    return found


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


def pairs_wanted(folder: Path, plan: Plan, signer: Signer | None) -> dict[str, list[Pair]]:
    """The pairs that each judge has not been asked, given the grades there are."""
    study = Study(plan.settings, plan.prompts, load_grades(folder, plan, signer))
    return {
        judge: _left(study, judge, load_choices(folder, plan, judge, signer)[0]) for judge in study.judges
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
    study = Study(plan.settings, plan.prompts, load_grades(folder, plan, signer))
    found = {}
    for judge in raters:
        known = rated_keys(folder, plan, judge, signer)
        found[judge] = [
            (prompt.prompt_id, model)
            for prompt, models in zip(plan.prompts, _equals(study, judge), strict=True)
            if prompt.reference.strip()
            for model in models
            if reply_key(prompt.shown, prompt.reference, replies.texts[model][prompt.prompt_id]) not in known
        ]
    return found


def _equals(study: Study, judge: str) -> list[list[str]]:
    """By prompt, the judge and the models of equal quality; none where there are no such."""
    place, names = study.place(judge), study.labels
    equal = pairs_of(study, judge).own[:, place, :]
    return [[judge, *(names[b] for b in np.flatnonzero(row))] if row.any() else [] for row in equal]
