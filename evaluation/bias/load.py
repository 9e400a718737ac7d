"""An audit's journals as a study: arrays for the analysis, read line by line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evaluation.bias.folder import Plan, entries, journal_path, read_plan
from evaluation.bias.pairs import Floats
from evaluation.bias.settings import refuse_kin_graders
from evaluation.bias.study import Study
from evaluation.bias.tally import FIRST, SECOND, UNREADABLE, Choices, blank
from evaluation.checking import reply_key
from evaluation.judge import judged_text
from evaluation.signing import Signer
from schemas.errors import ModelError
from schemas.evaluation import Reply, ReplyState

_CHOICE = {"first": FIRST, "second": SECOND}


@dataclass
class Replies:
    """Texts to be judged by label and prompt, the ids endpoints returned, and what is settled."""

    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    ids: dict[str, set[str]] = field(default_factory=dict)
    settled: dict[str, set[str]] = field(default_factory=dict)


SETTLED = {ReplyState.OK, ReplyState.TRUNCATED, ReplyState.REFUSED}


def load_replies(folder: Path, plan: Plan, signer: Signer | None = None) -> Replies:
    """The replies of all models; of a question asked several times the last one counts.

    A cut-off or refused reply is settled, but there is nothing of it to be compared.
    """
    found = Replies()
    names = [one.called for one in plan.settings.models]
    for name in names:
        texts, ids, settled = found.texts.setdefault(name, {}), found.ids.setdefault(name, set()), set()
        for entry in entries(folder, journal_path(folder, "replies", names, name), signer):
            if entry["event"] != "reply":
                continue
            reply = Reply.model_validate(entry["reply"])
            if reply.model:
                ids.add(reply.model)
            if reply.state in SETTLED:
                settled.add(reply.question_id)
            if reply.state is ReplyState.OK:
                texts[reply.question_id] = judged_text(reply)
        found.settled[name] = settled
    return found


def load_grades(folder: Path, plan: Plan, signer: Signer | None = None) -> Floats:
    """Mean grades, shape (graders, models, prompts), nan where none could be read."""
    settings = plan.settings
    models = {one.called: place for place, one in enumerate(settings.models)}
    prompts = {one.prompt_id: place for place, one in enumerate(plan.prompts)}
    graders = [one.called for one in settings.graders]
    grades = np.full((len(graders), len(models), len(prompts)), np.nan)
    for row, grader in enumerate(graders):
        for entry in entries(folder, journal_path(folder, "grades", graders, grader), signer):
            if entry["event"] == "grade" and entry["final"]:
                one = entry["grade"]
                scores = list(one["scores"].values())
                grades[row, models[one["model"]], prompts[one["prompt_id"]]] = (
                    sum(scores) / len(scores) if scores else np.nan
                )
    return grades


def load_choices(
    folder: Path, plan: Plan, judge: str, signer: Signer | None = None
) -> tuple[dict[str, Choices], set[str]]:
    """What a judge said, by form, and the model ids its endpoint returned.

    A verdict lost to a fault of the endpoint is none: it is asked again.
    """
    models = {one.called: place for place, one in enumerate(plan.settings.models)}
    prompts = {one.prompt_id: place for place, one in enumerate(plan.prompts)}
    found: dict[str, Choices] = {form: blank(len(prompts), len(models)) for form in plan.settings.rules.forms}
    ids: set[str] = set()
    for entry in entries(folder, journal_path(folder, "verdicts", list(models), judge), signer):
        if entry["event"] != "verdict" or not entry["final"] or entry["fault"]:
            continue
        one = entry["verdict"]
        place = prompts[one["prompt_id"]], models[one["first"]], models[one["second"]]
        found[one["form"]][place] = _CHOICE.get(one["choice"], UNREADABLE)
        if entry["model"]:
            ids.add(entry["model"])
    return found, ids


def rated_keys(folder: Path, plan: Plan, judge: str, signer: Signer | None = None) -> dict[str, int | None]:
    """Stars a judge gave, by checking.reply_key; None where it gave none though its endpoint answered."""
    models = [one.called for one in plan.settings.models]
    return {
        entry["key"]: entry["stars"]
        for entry in entries(folder, journal_path(folder, "stars", models, judge), signer)
        if entry["event"] == "rating" and not entry["fault"]
    }


def load_stars(
    folder: Path, plan: Plan, judge: str, replies: Replies, signer: Signer | None = None
) -> Floats:
    """Stars a judge gave, shape (models, prompts), nan where it gave none."""
    known = rated_keys(folder, plan, judge, signer)
    stars = np.full((len(plan.settings.models), len(plan.prompts)), np.nan)
    for row, model in enumerate(plan.settings.models):
        for column, prompt in enumerate(plan.prompts):
            text = replies.texts[model.called].get(prompt.prompt_id)
            if text is not None:
                rated = known.get(reply_key(prompt.shown, prompt.reference, text))
                stars[row, column] = np.nan if rated is None else rated
    return stars


def load(folder: Path, signer: Signer | None = None) -> Study:
    """The study as far as it has come. Errors as in folder.read_plan and folder.entries."""
    plan = read_plan(folder)
    signer = signer if plan.signed else None
    replies = load_replies(folder, plan, signer)
    ids = {name: set(found) for name, found in replies.ids.items()}
    study = Study(
        settings=plan.settings,
        prompts=plan.prompts,
        grades=load_grades(folder, plan, signer),
        replies=sum(len(texts) for texts in replies.texts.values()),
        started_at=plan.started_at,
        audit=plan.audit,
        kin_graders=_kin_graders(plan),
    )
    for judge in study.judges:
        said, returned = load_choices(folder, plan, judge, signer)
        for form in plan.settings.rules.forms:
            study.choices.setdefault(form, {})[judge] = said[form]
        ids[judge] |= returned
    for model in plan.settings.models:
        if model.pointwise:
            study.stars[model.called] = load_stars(folder, plan, model.called, replies, signer)
    study.model_ids = {name: tuple(sorted(found)) for name, found in ids.items()}
    return study


def _kin_graders(plan: Plan) -> bool:
    try:
        refuse_kin_graders(plan.settings)
    except ModelError:
        return True
    return False
