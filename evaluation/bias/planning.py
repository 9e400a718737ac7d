"""What an audit will take, before anything is sent: calls, tokens and price of every stage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.bias.folder import Plan
from evaluation.bias.load import Replies, load_choices, load_grades, load_replies
from evaluation.bias.prompts import template
from evaluation.bias.settings import AuditModel, Form, Rules
from evaluation.bias.study import Study
from evaluation.bias.tally import NOT_ASKED
from evaluation.bias.wanted import asked_masks, grades_wanted, stars_wanted
from evaluation.estimate import REPLY_TOKENS, VERDICT_TOKENS, Estimate, part, tokens
from evaluation.signing import Signer

_SAID: dict[Form, int] = {"plain": 2, "reasoned": 200, "structured": 50}
_GRADE_TOKENS = 50


@dataclass(frozen=True)
class Outlook:
    """The parts of an audit that are left; not exact: pairs are not known yet, and counted at most."""

    parts: tuple[Estimate, ...]
    exact: bool


def outlook(folder: Path | None, plan: Plan, signer: Signer | None = None) -> Outlook:
    """What is left of an audit. folder is None where nothing has been asked yet.

    Which pairs are of equal quality is known once all replies are graded; until then every pair that
    could be one is counted.
    """
    replies = _nothing(plan) if folder is None else load_replies(folder, plan, signer)
    lengths = _Lengths(plan, replies)
    parts = []
    for model in plan.settings.models:
        left = [one for one in plan.prompts if one.prompt_id not in replies.settled[model.called]]
        if left:
            parts.append(_part(model, "reply", [tokens(one.text) for one in left], REPLY_TOKENS))
    answered = all(len(replies.settled[one.called]) == len(plan.prompts) for one in plan.settings.models)
    grades = grades_wanted(folder, plan, replies, signer) if answered and folder is not None else {}
    frame = tokens(template("grade"))
    for grader in plan.settings.graders:
        wanted = grades.get(grader.called, []) if answered else lengths.all()
        if wanted:
            sizes = [frame + lengths.prompt(p) + lengths.reply(m, p) for p, m in wanted]
            parts.append(_part(grader, "grade", sizes, _GRADE_TOKENS))
    exact = answered and not any(grades.values())
    study = Study(plan.settings, plan.prompts, np.zeros((1, len(plan.settings.models), len(plan.prompts))))
    if exact and folder is not None:
        study.grades = load_grades(folder, plan, replies, signer).mean
    for model in plan.settings.models:
        if model.judges:
            said = load_choices(folder, plan, model.called, replies, signer)[0] if folder else None
            parts += _verdicts(study, model, said, lengths, plan.settings.rules, exact=exact)
    if exact and folder is not None:
        stars = stars_wanted(folder, plan, replies, signer)
    else:
        referenced = {one.prompt_id for one in plan.prompts if one.reference.strip()}
        every = [(p, m) for p, m in lengths.all() if p in referenced]
        stars = {one.called: every for one in plan.settings.models if one.pointwise}
    for model in plan.settings.models:
        if stars.get(model.called):
            sizes = [300 + lengths.prompt(p) + lengths.reply(m, p) for p, m in stars[model.called]]
            parts.append(_part(model, "stars", sizes, VERDICT_TOKENS))
    return Outlook(tuple(parts), exact)


class _Lengths:
    """Tokens of prompts and replies; a usual length where a reply is not there yet."""

    def __init__(self, plan: Plan, replies: Replies) -> None:
        self._plan = plan
        self._prompts = {one.prompt_id: tokens(one.shown) for one in plan.prompts}
        self._replies = {
            (model, prompt): tokens(text)
            for model, texts in replies.texts.items()
            for prompt, text in texts.items()
        }

    def all(self) -> list[tuple[str, str]]:
        """Every (prompt, model)."""
        return [(p.prompt_id, m.called) for p in self._plan.prompts for m in self._plan.settings.models]

    def prompt(self, prompt: str) -> int:
        """Tokens of a prompt."""
        return self._prompts[prompt]

    def reply(self, model: str, prompt: str) -> int:
        """Tokens of a reply."""
        return self._replies.get((model, prompt), REPLY_TOKENS)


def _verdicts(
    study: Study,
    model: AuditModel,
    said: dict[str, np.ndarray] | None,
    lengths: _Lengths,
    rules: Rules,
    *,
    exact: bool,
) -> Iterable[Estimate]:
    """A judge's verdicts by form. With grades all alike every pair is one of equal quality: the most."""
    names, found = study.labels, []
    for form, mask in asked_masks(study, model.called).items():
        left = mask if said is None else mask & (said[form] == NOT_ASKED)
        frame = tokens(template(form))
        sizes = [
            frame
            + lengths.prompt(prompt)
            + lengths.reply(names[first], prompt)
            + lengths.reply(names[second], prompt)
            for q, first, second in np.argwhere(left)
            for prompt in (study.prompts[q].prompt_id,)
        ]
        if not exact and rules.contrast:
            usual = (
                frame
                + 2 * REPLY_TOKENS
                + round(np.mean([lengths.prompt(p.prompt_id) for p in study.prompts]))
            )
            sizes += [int(usual)] * rules.contrast
        if sizes:
            found.append(_part(model, f"verdict {form}", sizes, _SAID[form]))
    return found


def _part(model: AuditModel, role: str, sizes: list[int], reply: int) -> Estimate:
    """A part under the name the model has in the study."""
    return part(model.model_copy(update={"name": model.called}), role, sizes, reply)


def _nothing(plan: Plan) -> Replies:
    names = [one.called for one in plan.settings.models]
    return Replies(texts={n: {} for n in names}, ids={}, settled={n: set() for n in names})
