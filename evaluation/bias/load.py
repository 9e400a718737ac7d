"""An audit's journals as a study: arrays for the analysis, read line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import numpy as np

from evaluation.attempts import too_long
from evaluation.bias.answers import READERS, read_grades
from evaluation.bias.folder import Plan, Stage, damaged, entries, journal_path, read_plan
from evaluation.bias.pairs import Floats, Mask
from evaluation.bias.records import DIMENSIONS, Grading
from evaluation.bias.settings import refuse_kin_graders
from evaluation.bias.study import Study
from evaluation.bias.tally import FIRST, SECOND, UNREADABLE, Choices, blank
from evaluation.checking import reply_key
from evaluation.journal import Entry
from evaluation.judge import judged_text
from evaluation.signing import Signer
from evaluation.verdict import MalformedError
from schemas.errors import ModelError
from schemas.evaluation import Reply, ReplyState

T = TypeVar("T")

_LETTER = {"A": "first", "B": "second", "": ""}
_CHOICE = {"first": FIRST, "second": SECOND, "": UNREADABLE}
_LONGEST = 160  # of the reason that stands for others


@dataclass
class Replies:
    """Texts to be judged by label and prompt, the ids endpoints returned, and what is settled."""

    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    ids: dict[str, set[str]] = field(default_factory=dict)
    settled: dict[str, set[str]] = field(default_factory=dict)

    def key(self, prompt_id: str, *models: str) -> str:
        """Which texts these are, for telling that a grade or verdict is of others; a missing one is none."""
        return "-".join(self.digests[model].get(prompt_id, "") for model in models)

    @cached_property
    def digests(self) -> dict[str, dict[str, str]]:
        """A short name of every text."""
        return {
            model: {prompt: sha256(text.encode()).hexdigest()[:16] for prompt, text in texts.items()}
            for model, texts in self.texts.items()
        }

    def there(self, plan: Plan) -> Mask:
        """Where there is a text, shape (models, prompts)."""
        return np.array(
            [
                [prompt.prompt_id in self.texts[model.called] for prompt in plan.prompts]
                for model in plan.settings.models
            ]
        )


@dataclass
class Grades:
    """What graders said of replies: arrays of shape (graders, models, prompts).

    mean is nan where there is no grade; settled says where the grader answered, readable or not. ids are
    those that endpoints returned, why is one reason of a reply without a grade; both by grader.
    """

    mean: Floats
    settled: Mask
    ids: dict[str, set[str]] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)


SETTLED = {ReplyState.OK, ReplyState.TRUNCATED, ReplyState.REFUSED}


def load_replies(folder: Path, plan: Plan, signer: Signer | None = None) -> Replies:
    """The replies of all models; of a question asked several times the last one counts.

    A cut-off or refused reply is settled, and so is an empty one after the last attempt, and none to a
    prompt that is too long; but there is nothing of it to be compared.
    """
    found = Replies()
    names = [one.called for one in plan.settings.models]
    known = {one.prompt_id for one in plan.prompts}

    def read(entry: Entry) -> tuple[Reply, bool]:
        reply = Reply.model_validate(entry["reply"])
        if reply.question_id not in known:
            raise ValueError("a prompt that is not of this audit")
        empty = reply.state is ReplyState.EMPTY and entry["final"]
        return reply, empty or reply.state in SETTLED or too_long(reply)

    for name in names:
        texts, ids, settled = found.texts.setdefault(name, {}), found.ids.setdefault(name, set()), set()
        for reply, done in _read(folder, "replies", names, name, signer, "reply", read):
            if reply.model:
                ids.add(reply.model)
            if done:
                settled.add(reply.question_id)
            if reply.state is ReplyState.OK:
                texts[reply.question_id] = judged_text(reply)
        found.settled[name] = settled
    return found


def load_grades(folder: Path, plan: Plan, replies: Replies, signer: Signer | None = None) -> Grades:
    """The grades of the replies there are. One that a fault cost, or of another text, is asked again."""
    settings = plan.settings
    models = {one.called: place for place, one in enumerate(settings.models)}
    prompts = {one.prompt_id: place for place, one in enumerate(plan.prompts)}
    graders = [one.called for one in settings.graders]
    shape = len(graders), len(models), len(prompts)
    found = Grades(np.full(shape, np.nan), np.zeros(shape, dtype=bool))

    def read(entry: Entry) -> tuple[tuple[int, int], float, bool, str, str]:
        one = entry["grade"]
        place = models[one["model"]], prompts[one["prompt_id"]]
        why = ": ".join(str(part) for part in (one.get("reason"), entry.get("detail")) if part)
        if _said(entry, read_grades, one["raw"]) != (one["scores"] or None):
            raise ValueError("grades that the grader did not give")
        same = entry["of"] == replies.key(one["prompt_id"], one["model"])
        done = bool(same and entry["final"] and not entry["fault"])
        return place, _mean(one["scores"]), done, why, _id(entry)

    for row, grader in enumerate(graders):
        ids = found.ids.setdefault(grader, set())
        for place, mean, settled, why, returned in _read(
            folder, "grades", graders, grader, signer, "grade", read
        ):
            if returned:
                ids.add(returned)
            if settled:
                found.settled[(row, *place)] = True
                found.mean[(row, *place)] = mean
            if why and (not settled or np.isnan(mean)):
                found.why.setdefault(grader, why[:_LONGEST])
    return found


def _mean(scores: Mapping[str, float]) -> float:
    if not scores:
        return float("nan")
    values = [scores[name] for name in DIMENSIONS]
    if len(scores) > len(DIMENSIONS) or not all(0 <= value <= 10 for value in values):
        raise ValueError("no grades")
    return sum(values) / len(values)


def load_choices(
    folder: Path, plan: Plan, judge: str, replies: Replies, signer: Signer | None = None
) -> tuple[dict[str, Choices], set[str]]:
    """What a judge said, by form, and the model ids its endpoint returned.

    A verdict lost to a fault of the endpoint is none, nor one on texts that are no longer the replies: it
    is asked again.
    """
    models = {one.called: place for place, one in enumerate(plan.settings.models)}
    prompts = {one.prompt_id: place for place, one in enumerate(plan.prompts)}
    found: dict[str, Choices] = {form: blank(len(prompts), len(models)) for form in plan.settings.rules.forms}
    ids: set[str] = set()

    def read(entry: Entry) -> None:
        if returned := _id(entry):
            ids.add(returned)
        if not entry["final"] or entry["fault"]:
            return
        one = entry["verdict"]
        place = prompts[one["prompt_id"]], models[one["first"]], models[one["second"]]
        if place[1] == place[2]:
            raise ValueError("a reply beside itself")
        letter, _ = _said(entry, READERS[one["form"]], one["raw"]) or ("", {})
        if _LETTER[letter] != one["choice"]:
            raise ValueError("a choice that the judge did not make")
        if entry["of"] == replies.key(one["prompt_id"], one["first"], one["second"]):
            found[one["form"]][place] = _CHOICE[one["choice"]]

    for _ in _read(folder, "verdicts", list(models), judge, signer, "verdict", read):
        pass
    return found, ids


def _said(entry: Entry, read: Callable[[str], T], raw: str) -> T | None:
    """What the stored words of a reply say, None where nothing can be read in them or there was a fault.

    The journal also holds what was read of them at the time: that it is the same is cheap to see.
    """
    if entry["exchange"]["state"] != ReplyState.OK:
        return None
    try:
        return read(raw)
    except MalformedError:
        return None


def _id(entry: Entry) -> str:
    """The model id that the endpoint returned; journals of ours always have the field."""
    returned = entry.get("model", "")
    if not isinstance(returned, str):
        raise TypeError("no model id")
    return returned


def rated_keys(folder: Path, plan: Plan, judge: str, signer: Signer | None = None) -> dict[str, int | None]:
    """Stars a judge gave, by checking.reply_key; None where it gave none though its endpoint answered."""

    def read(entry: Entry) -> tuple[str, int | None, bool]:
        stars = entry["stars"]
        if stars not in (None, 0, 1, 2, 3):
            raise ValueError("no stars")
        return str(entry["key"]), stars, bool(entry["fault"])

    models = [one.called for one in plan.settings.models]
    said = _read(folder, "stars", models, judge, signer, "rating", read)
    return {key: stars for key, stars, fault in said if not fault}


def load_stars(
    folder: Path, plan: Plan, judge: str, replies: Replies, signer: Signer | None = None
) -> tuple[Floats, Mask]:
    """Stars a judge gave, shape (models, prompts), nan where it gave none; and where it was asked."""
    known = rated_keys(folder, plan, judge, signer)
    stars = np.full((len(plan.settings.models), len(plan.prompts)), np.nan)
    asked = np.zeros(stars.shape, dtype=bool)
    for row, model in enumerate(plan.settings.models):
        for column, prompt in enumerate(plan.prompts):
            text = replies.texts[model.called].get(prompt.prompt_id)
            key = reply_key(prompt.shown, prompt.reference, text) if text is not None else ""
            if key in known:
                rated, asked[row, column] = known[key], True
                stars[row, column] = np.nan if rated is None else rated
    return stars, asked


def load(folder: Path, signer: Signer | None = None) -> Study:
    """The study as far as it has come. Errors as in folder.read_plan and folder.entries."""
    plan = read_plan(folder)
    signer = signer if plan.signed else None
    replies = load_replies(folder, plan, signer)
    grades = load_grades(folder, plan, replies, signer)
    ids = {name: set(found) for name, found in replies.ids.items()}
    study = Study(
        settings=plan.settings,
        prompts=plan.prompts,
        grades=grades.mean,
        replies=sum(len(texts) for texts in replies.texts.values()),
        started_at=plan.started_at,
        audit=plan.audit,
        unanswered={name: len(plan.prompts) - len(settled) for name, settled in replies.settled.items()},
        grading=_grading(plan, replies, grades),
    )
    for judge in study.judges:
        said, returned = load_choices(folder, plan, judge, replies, signer)
        for form in plan.settings.rules.forms:
            study.choices.setdefault(form, {})[judge] = said[form]
        ids[judge] |= returned
    for model in plan.settings.models:
        if model.pointwise:
            name = model.called
            study.stars[name], study.rated[name] = load_stars(folder, plan, name, replies, signer)
    study.model_ids = {name: tuple(sorted(found)) for name, found in ids.items()}
    try:
        refuse_kin_graders(plan.settings, ids, grades.ids)
    except ModelError as error:
        study.kin_graders = error.message
    return study


def load_grading(folder: Path, plan: Plan, signer: Signer | None = None) -> tuple[Grading, ...]:
    """What every grader has done so far."""
    signer = signer if plan.signed else None
    replies = load_replies(folder, plan, signer)
    return _grading(plan, replies, load_grades(folder, plan, replies, signer))


def _grading(plan: Plan, replies: Replies, grades: Grades) -> tuple[Grading, ...]:
    """What every grader did with the replies there are."""
    there, rows = replies.there(plan), []
    for row, grader in enumerate(plan.settings.graders):
        given = there & ~np.isnan(grades.mean[row])
        lost = there & grades.settled[row] & ~given
        rows.append(
            Grading(
                grader=grader.called,
                replies=int(there.sum()),
                given=int(given.sum()),
                unreadable=int(lost.sum()),
                example=grades.why.get(grader.called, "") if given.sum() < there.sum() else "",
            )
        )
    return tuple(rows)


def _read(
    folder: Path,
    stage: Stage,
    names: Iterable[str],
    name: str,
    signer: Signer | None,
    event: str,
    read: Callable[[Entry], T],
) -> Iterator[T]:
    """What read makes of a journal's entries of one kind. ExamBankError `audit_damaged` for one it cannot."""
    path = journal_path(folder, stage, list(names), name)
    for number, entry in enumerate(entries(folder, path, signer), start=1):
        if entry["event"] == event:
            try:
                found = read(entry)
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                told = str(error) if type(error) is ValueError else ""
                raise damaged(path, number, told) from None
            yield found
