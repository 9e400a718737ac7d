"""Judges: one protocol, `overlap` that needs no network, and any endpoint with the source's prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from evaluation import overlap
from evaluation.endpoint import Endpoint, read_key
from evaluation.models import Identity
from evaluation.prompts import judge_prompt
from evaluation.verdict import MalformedError, neutralise, read_stars, without_thinking
from schemas.errors import ModelError
from schemas.evaluation import Reply, ReplyState, SampleItem
from schemas.settings import ModelSettings

MALFORMED = "malformed"


@dataclass(frozen=True)
class Rating:
    """One attempt at a verdict: stars 0-3, or None with the reason; exchange is None for `overlap`."""

    stars: int | None
    reason: str = ""
    detail: str = ""
    exchange: Reply | None = None
    neutralised: int = 0


class Judge(Protocol):
    """What rates a reply. `rate` makes one attempt; the run decides about another one."""

    name: str
    prompt_hash: str
    max_attempts: int
    backoff_seconds: float
    publishable: bool

    def identity(self) -> Identity:
        """Everything that can change a verdict, without secrets: the same in a resumed run."""
        ...

    def rate(self, item: SampleItem, answer: str, reference: str, *, attempt: int, request_id: str) -> Rating:
        """One attempt to rate answer; faults are reasons of the rating, never exceptions."""
        ...


class OverlapJudge:
    """Characters shared with the reference. For trying the pipes: barred from leaderboards."""

    name = "overlap"
    prompt_hash = ""
    max_attempts = 1
    backoff_seconds = 0.0
    publishable = False

    def identity(self) -> Identity:
        """Name and version of the measure."""
        return {"name": self.name, "version": 1}

    def rate(self, item: SampleItem, answer: str, reference: str, *, attempt: int, request_id: str) -> Rating:
        """The stars of evaluation.overlap."""
        return Rating(overlap.stars(answer, reference))


class EndpointJudge:
    """A model behind an OpenAI-compatible endpoint, given the source's prompt word for word."""

    publishable = True

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._prompt = judge_prompt()
        self.name = endpoint.settings.name
        self.prompt_hash = self._prompt.sha256
        self.max_attempts = endpoint.settings.max_attempts
        self.backoff_seconds = endpoint.settings.backoff_seconds

    def identity(self) -> Identity:
        """The endpoint's identity and the prompt's name, version and hash."""
        prompt = self._prompt
        about: Identity = {"prompt": prompt.name, "prompt_version": prompt.version}
        return {**self._endpoint.identity(), **about, "prompt_sha256": prompt.sha256}

    def rate(self, item: SampleItem, answer: str, reference: str, *, attempt: int, request_id: str) -> Rating:
        """One request; what could pass for a rating in the texts is broken up first."""
        shown, places = neutralise(answer)
        prompt = self._prompt.fill(
            question=neutralise(item.prompt)[0], answer=shown, reference=neutralise(reference)[0]
        )
        exchange = self._endpoint.ask(
            prompt, question_id=item.question_id, attempt=attempt, request_id=request_id
        )
        if exchange.state is not ReplyState.OK:
            return Rating(None, f"judge_{exchange.state.value}", exchange.error, exchange, places)
        try:
            return Rating(read_stars(exchange.text), "", "", exchange, places)
        except MalformedError as error:
            return Rating(None, MALFORMED, str(error), exchange, places)


def build_judge(
    settings: ModelSettings,
    *,
    environ: Mapping[str, str],
    clock: Callable[[], float],
    dotenv: Path | None = None,
) -> Judge:
    """The judge the settings name; parameters and errors as in models.build_model."""
    if not settings.base_url and settings.name == OverlapJudge.name:
        return OverlapJudge()
    return EndpointJudge(Endpoint(settings, key=read_key(settings, environ, dotenv), clock=clock))


def refuse_self_judge(model: str, judge: str) -> None:
    """Raise ModelError when judge and model are one: judges favour their own answers."""
    if _plain(model) == _plain(judge):
        raise ModelError(
            f"the judge {judge!r} is the model under test",
            remedy="name another judge, or allow self-judging (the score then stays off leaderboards)",
            code="self_judge",
        )


def judged_text(reply: Reply) -> str:
    """The part of a reply that is judged: without a leading block of thinking."""
    return without_thinking(reply.text)


def _plain(name: str) -> str:
    """A model name without provider prefix and case: 'OpenAI/GPT-4o' is 'gpt-4o'."""
    return name.casefold().strip("/ \t").rpartition("/")[2]
