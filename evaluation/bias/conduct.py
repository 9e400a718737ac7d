"""Carrying an audit out: replies, grades, verdicts, stars, each on disk before the next is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluation.bias.answers import CHOICE_SCHEMA, GRADE_SCHEMA, READERS, read_grades
from evaluation.bias.asking import Asker, Said, StoppedError, Surroundings
from evaluation.bias.folder import Plan, Stage, check_wordings, held, journal_path, open_journal, read_plan
from evaluation.bias.load import Replies, load_choices, load_grades, load_replies
from evaluation.bias.prompts import filled, template_hash
from evaluation.bias.records import Grade, PairVerdict, Prompt
from evaluation.bias.settings import AuditModel, refuse_kin_graders
from evaluation.bias.wanted import Pair, grades_wanted, pairs_wanted, stars_wanted
from evaluation.checking import Checker
from evaluation.journal import Entry, Journal
from evaluation.judge import EndpointJudge
from evaluation.rated import Row

Side = Literal["models", "graders"]
GRACE_SECONDS = 3.0  # after Ctrl-C, for answers that are just coming


@dataclass(frozen=True)
class Step:
    """So much of a stage is done, over all models."""

    stage: Stage
    done: int
    total: int


def conduct(folder: Path, around: Surroundings, tell: Callable[[Step], None] = lambda step: None) -> Plan:
    """Carry an audit out as far as it is not yet: the same call goes on where it stopped.

    Every model, grader and judge is asked by a thread of its own, one question at a time. Raises ModelError
    where an endpoint cannot be used, after the others have ended the question they are at.
    """
    plan = read_plan(folder)
    check_wordings(folder)
    with held(folder):
        _Conduct(folder, plan, around, tell).all()
    return plan


class _Conduct:
    """One session."""

    def __init__(self, folder: Path, plan: Plan, around: Surroundings, tell: Callable[[Step], None]) -> None:
        self.folder, self.plan, self.around, self.tell = folder, plan, around, tell
        self.signer = around.signer if plan.signed else None
        self.models = [one.called for one in plan.settings.models]
        self.graders = [one.called for one in plan.settings.graders]
        self.prompts = {one.prompt_id: one for one in plan.prompts}
        self.replies = Replies()
        self.ids: dict[Side, dict[str, set[str]]] = {"models": {}, "graders": {}}
        self.lock = threading.Lock()
        self.journals = ExitStack()
        self.done = self.total = 0

    def all(self) -> None:
        """The stages, each when the one before is complete."""
        models, signer = self.plan.settings.models, self.signer
        known = load_replies(self.folder, self.plan, signer)
        self._known_ids(known)
        asked = {
            one.called: [p for p in self.plan.prompts if p.prompt_id not in known.settled[one.called]]
            for one in models
        }
        self._stage("replies", models, asked)
        self.replies = load_replies(self.folder, self.plan, signer)
        grades = grades_wanted(self.folder, self.plan, self.replies, signer)
        self._stage("grades", self.plan.settings.graders, grades)
        self._stage("verdicts", models, pairs_wanted(self.folder, self.plan, self.replies, signer))
        self._stage("stars", models, stars_wanted(self.folder, self.plan, self.replies, signer))

    def _stage(self, stage: Stage, actors: Sequence[AuditModel], work: Mapping[str, Sequence[Any]]) -> None:
        """Everything still wanted of a stage, one thread for each model."""
        busy = [one for one in actors if work.get(one.called)]
        if not busy:
            return
        self.done, self.total = 0, sum(len(work[one.called]) for one in busy)
        futures = [_started(self._actor, stage, one, work[one.called]) for one in busy]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            if any(one.done() and one.exception() is not None for one in futures):
                self.around.stop.set()
                wait(futures)  # the others end the question they are at, which is then on disk
        except BaseException:  # Ctrl-C: nobody waits long for an endpoint that is silent
            self.around.stop.set()
            wait(futures, timeout=GRACE_SECONDS)
            raise
        finally:
            self.journals.close()  # an answer that comes later is not written behind another session
        faults = [error for one in futures if (error := one.exception()) is not None]
        told = [error for error in faults if not isinstance(error, StoppedError)]
        if faults:
            raise (told or faults)[0]

    def _actor(self, stage: Stage, model: AuditModel, work: Sequence[Any]) -> None:
        names = self.graders if stage == "grades" else self.models
        path = journal_path(self.folder, stage, names, model.called)
        with self.lock:
            if self.around.stop.is_set():
                raise StoppedError
            journal = self.journals.enter_context(open_journal(self.folder, path, self.signer))
        journal.append(
            {
                "event": "session",
                "model": model.called,
                "torn_bytes": journal.torn,
                "at": self.around.stamp(),
            }
        )
        do = self._handler(stage, model, journal)
        journal.entries = []  # what they said is known
        for one in work:
            if self.around.stop.is_set():
                raise StoppedError
            do(one)
            with self.lock:
                self.done += 1
                self.tell(Step(stage, self.done, self.total))

    def _handler(self, stage: Stage, model: AuditModel, journal: Journal) -> Callable[[Any], None]:
        """What does one piece of a stage's work."""
        if stage == "stars":
            return self._stars(model, journal)
        side: Side = "graders" if stage == "grades" else "models"
        asker = Asker(model, self.around, lambda returned: self._check(side, model, returned))
        if stage == "replies":
            return lambda prompt: self._reply(asker, journal, prompt)
        if stage == "grades":
            return lambda wanted: self._grade(asker, journal, wanted)
        return lambda pair: self._verdict(asker, journal, pair)

    def _known_ids(self, replies: Replies) -> None:
        """The ids that endpoints returned in earlier sessions; kin among them are refused at once."""
        grades = load_grades(self.folder, self.plan, replies, self.signer)
        self.ids = {"models": dict(replies.ids), "graders": grades.ids}
        for model in self.models:
            self.ids["models"][model] |= load_choices(self.folder, self.plan, model, replies, self.signer)[1]
        self._refuse_kin()

    def _check(self, side: Side, model: AuditModel, returned: str) -> None:
        """Refuse a grader and a model whose endpoints turn out to be of one family."""
        with self.lock:
            known = self.ids[side].setdefault(model.called, set())
            if returned not in known:
                known.add(returned)
                self._refuse_kin()

    def _refuse_kin(self) -> None:
        if not self.plan.allow_kin:
            refuse_kin_graders(self.plan.settings, self.ids["models"], self.ids["graders"])

    def _reply(self, asker: Asker, journal: Journal, prompt: Prompt) -> None:
        journal.append({"event": "asked", "prompt_id": prompt.prompt_id, "at": self.around.stamp()})

        def store(said: Said[str]) -> None:
            reply = said.exchange.model_dump(mode="json")
            journal.append({"event": "reply", "final": said.final, "reply": reply})

        asker.ask(prompt.text, prompt.prompt_id, str, store)

    def _grade(self, asker: Asker, journal: Journal, wanted: tuple[str, str]) -> None:
        prompt, model = self.prompts[wanted[0]], wanted[1]
        of = self.replies.key(prompt.prompt_id, model)

        def store(said: Said[dict[str, float]]) -> None:
            grade = Grade(
                prompt_id=prompt.prompt_id,
                model=model,
                grader=asker.model.called,
                scores=said.value or {},
                reason=said.reason,
                raw=said.exchange.text,
                prompt_hash=template_hash("grade"),
                at=said.exchange.at,
            )
            journal.append({"event": "grade", "grade": grade.model_dump(mode="json"), **_about(said, of)})

        texts = {"question": prompt.shown, "answer": self.replies.texts[model][prompt.prompt_id]}
        asker.ask(filled("grade", texts), prompt.prompt_id, read_grades, store, GRADE_SCHEMA)

    def _verdict(self, asker: Asker, journal: Journal, pair: Pair) -> None:
        of = self.replies.key(pair.prompt_id, pair.first, pair.second)

        def store(said: Said[tuple[str, dict[str, str]]]) -> None:
            letter, choices = said.value or ("", {})
            verdict = PairVerdict(
                prompt_id=pair.prompt_id,
                judge=asker.model.called,
                form=pair.form,
                first=pair.first,
                second=pair.second,
                choice={"A": "first", "B": "second"}.get(letter, ""),
                choices=choices,
                reason=said.reason,
                raw=said.exchange.text,
                prompt_hash=template_hash(pair.form),
                at=said.exchange.at,
            )
            journal.append(
                {"event": "verdict", "verdict": verdict.model_dump(mode="json"), **_about(said, of)}
            )

        texts = {
            "question": self.prompts[pair.prompt_id].shown,
            "first": self.replies.texts[pair.first][pair.prompt_id],
            "second": self.replies.texts[pair.second][pair.prompt_id],
        }
        schema = CHOICE_SCHEMA if pair.form == "structured" else None
        asker.ask(filled(pair.form, texts), pair.prompt_id, READERS[pair.form], store, schema)

    def _stars(self, model: AuditModel, journal: Journal) -> Callable[[tuple[str, str]], None]:
        """Ratings as a board's judge gives them: with the board's own prompt, against the reference."""
        judge = EndpointJudge(self.around.endpoint(model), model.json_schema)
        checker = Checker(judge, journal, self.around.sleep)

        def rate(wanted: tuple[str, str]) -> None:
            prompt, reply = self.prompts[wanted[0]], self.replies.texts[wanted[1]][wanted[0]]
            row = Row(
                row_id=prompt.prompt_id,
                model=wanted[1],
                kind=prompt.question_type,
                group=prompt.task,
                question=prompt.shown,
                reference=prompt.reference,
                reply=reply,
                stars={},
                raw={},
            )
            checker.stars(row, reply)

        return rate


def _started(do: Callable[..., None], *arguments: object) -> Future[None]:
    """What a thread of its own comes to; the thread does not keep the process from ending."""
    future: Future[None] = Future()

    def work() -> None:
        try:
            do(*arguments)
        except BaseException as error:  # whoever waits for the future has it
            future.set_exception(error)
        else:
            future.set_result(None)

    threading.Thread(target=work, daemon=True).start()
    return future


def _about(said: Said[Any], of: str) -> Entry:
    """Of an attempt on these texts, what is no part of its record: kept for the account and for going on."""
    exchange = said.exchange
    return {
        "of": of,
        "attempt": said.attempt,
        "final": said.final,
        "fault": said.fault,
        "detail": said.detail,
        "model": exchange.model,
        "exchange": exchange.model_dump(mode="json", exclude={"text", "model", "question_id", "attempt"}),
    }
