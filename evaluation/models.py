"""Models under test: one protocol, three built-ins that need no network, and any endpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from evaluation.endpoint import Endpoint, read_key
from evaluation.prompts import ask_prompts
from evaluation.verdict import without_thinking
from schemas.evaluation import Reply, ReplyState, SampleItem
from schemas.settings import ModelSettings
from schemas.text import fold

Identity = dict[str, Any]


class Model(Protocol):
    """What is asked. `reply` makes one attempt; the run decides about another one."""

    name: str
    family: str
    max_attempts: int
    backoff_seconds: float
    publishable: bool

    def identity(self) -> Identity:
        """Everything that can change a reply, without secrets: the same in a resumed run."""
        ...

    def request(self, item: SampleItem) -> dict[str, Any]:
        """What `reply` sends for item, without secrets, for the log; {} where nothing is sent."""
        ...

    def reply(self, item: SampleItem, *, attempt: int, request_id: str) -> Reply:
        """One attempt at one question; faults are states of the reply, never exceptions."""
        ...


class BuiltIn:
    """What the models without a network share."""

    name: str
    family = ""
    max_attempts = 1
    backoff_seconds = 0.0
    publishable = False

    def identity(self) -> Identity:
        """Name only."""
        return {"name": self.name}

    def request(self, item: SampleItem) -> dict[str, Any]:
        """Nothing is sent."""
        return {}


class ReferenceModel(BuiltIn):
    """Answers with the bank's own reference answer: the ceiling of a judge."""

    name = "reference"

    def __init__(self, references: Mapping[str, str]) -> None:
        self._references = references

    def reply(self, item: SampleItem, *, attempt: int, request_id: str) -> Reply:
        """The reference answer, or an empty reply when there is none."""
        return _built_in(item, attempt, self.name, self._references.get(item.question_id, ""))


class ShuffledModel(BuiltIn):
    """Answers each question with the reference of another: what a judge gives for words off the point.

    Which one is fixed by the ids alone, so that a resumed run answers the same. An answer that reads
    the same as the right one is passed over, which leaves chance out of it; where all references read
    the same there is no other, and the reply is empty.
    """

    name = "shuffled"

    def __init__(self, references: Mapping[str, str]) -> None:
        given = sorted((q for q, text in references.items() if text.strip()), key=_scattered)
        places = {question: place for place, question in enumerate(given)}
        folded = [fold(references[question]) for question in given]
        self._answers: dict[str, str] = {}
        for question, place in places.items():
            for step in range(1, len(given)):
                other = (place + step) % len(given)
                if folded[other] != folded[place]:
                    self._answers[question] = references[given[other]]
                    break

    def reply(self, item: SampleItem, *, attempt: int, request_id: str) -> Reply:
        """Another question's reference answer, or an empty reply when there is none."""
        return _built_in(item, attempt, self.name, self._answers.get(item.question_id, ""))


class BlankModel(BuiltIn):
    """Hands in nothing: every question ends as unscored for the reason 'empty'."""

    name = "blank"

    def reply(self, item: SampleItem, *, attempt: int, request_id: str) -> Reply:
        """An empty reply."""
        return _built_in(item, attempt, self.name, "")


class EndpointModel:
    """Any model behind an OpenAI-compatible endpoint, asked with the standard prompts."""

    publishable = True

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._prompts = ask_prompts()
        self.name = endpoint.settings.name
        self.family = endpoint.settings.family
        self.max_attempts = endpoint.settings.max_attempts
        self.backoff_seconds = endpoint.settings.backoff_seconds

    def identity(self) -> Identity:
        """The endpoint's identity and the hash of the asking prompts."""
        return {**self._endpoint.identity(), "ask_prompts_sha256": self._prompts.sha256}

    def request(self, item: SampleItem) -> dict[str, Any]:
        """The body of the request."""
        return self._endpoint.request(self._prompt(item))

    def reply(self, item: SampleItem, *, attempt: int, request_id: str) -> Reply:
        """One request with the wording for the item's type and language."""
        prompt = self._prompt(item)
        return self._endpoint.ask(
            prompt, question_id=item.question_id, attempt=attempt, request_id=request_id
        )

    def _prompt(self, item: SampleItem) -> str:
        return self._prompts.ask(item.prompt, question_type=item.question_type, language=item.language)


def build_model(
    settings: ModelSettings,
    references: Mapping[str, str],
    *,
    environ: Mapping[str, str],
    clock: Callable[[], float],
    dotenv: Path | None = None,
) -> Model:
    """The model the settings name. A built-in name with a base_url means that endpoint's model.

    environ and dotenv are where the key is looked up, clock gives monotonic seconds. Raises
    UsageError or ModelError when the endpoint cannot be used.
    """
    if not settings.base_url and settings.name == ReferenceModel.name:
        return ReferenceModel(references)
    if not settings.base_url and settings.name == ShuffledModel.name:
        return ShuffledModel(references)
    if not settings.base_url and settings.name == BlankModel.name:
        return BlankModel()
    return EndpointModel(Endpoint(settings, key=read_key(settings, environ, dotenv), clock=clock))


def _scattered(question_id: str) -> str:
    """A key that puts questions in an order of its own, the same everywhere."""
    return hashlib.blake2b(question_id.encode(), digest_size=16, person=b"shuffled").hexdigest()


def _built_in(item: SampleItem, attempt: int, name: str, text: str) -> Reply:
    state = ReplyState.OK if without_thinking(text) else ReplyState.EMPTY
    return Reply(
        question_id=item.question_id,
        attempt=attempt,
        state=state,
        text=text,
        model=name,
        finish_reason="stop",
        latency_seconds=0.0,
    )
