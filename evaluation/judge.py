"""Judges: one protocol, `overlap` that needs no network, any endpoint with the source's prompt, panels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from evaluation import overlap
from evaluation.endpoint import Endpoint, read_key
from evaluation.families import plain
from evaluation.models import Identity, Model
from evaluation.prompts import JudgePrompt, judge_prompt
from evaluation.verdict import KEY, MalformedError, neutralise, read_stars, without_thinking
from schemas.errors import UsageError
from schemas.evaluation import Reply, ReplyState, SampleItem
from schemas.settings import JudgeSettings

MALFORMED = "malformed"
SCHEMA_REFUSED = "schema_refused"
NO_MAJORITY = "no_majority"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {KEY: {"type": "integer", "enum": [0, 1, 2, 3]}},
    "required": [KEY],
    "additionalProperties": False,
}
# How endpoints take a schema: OpenAI's way, and that of servers that know JSON mode with a schema alone.
SCHEMA_FORMS = ("json_schema", "json_object")
_SCHEMA_STATUS = {400, 404, 415, 422, 500, 501}
_SCHEMA_WORDS = ("response_format", "json_schema", "json schema", "schema", "structured", "guided", "grammar")


@dataclass(frozen=True)
class Rating:
    """One attempt at a verdict: stars 0-3, or None with the reason.

    exchange is what came back and sent the body of the request; None and {} for `overlap`.
    """

    stars: int | None
    reason: str = ""
    detail: str = ""
    exchange: Reply | None = None
    neutralised: int = 0
    by_schema: bool = False
    sent: dict[str, Any] = field(default_factory=dict)


class Judge(Protocol):
    """What rates a reply. `rate` makes one attempt; the run decides about another one."""

    name: str
    family: str
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
    family = ""
    prompt_hash = ""
    max_attempts = 1
    backoff_seconds = 0.0
    publishable = False

    def identity(self) -> Identity:
        """Name and version."""
        return {"name": self.name, "version": overlap.VERSION}

    def rate(self, item: SampleItem, answer: str, reference: str, *, attempt: int, request_id: str) -> Rating:
        """The stars of evaluation.overlap."""
        return Rating(overlap.stars(answer, reference, item.prompt))


class EndpointJudge:
    """Any model behind an OpenAI-compatible endpoint, told the source's rubric word for word."""

    publishable = True

    def __init__(self, endpoint: Endpoint, json_schema: str = "auto") -> None:
        """json_schema: auto, always or never, as in JudgeSettings."""
        self._endpoint = endpoint
        self._prompt = judge_prompt()
        self._mode = json_schema
        self._forms = list(SCHEMA_FORMS) if json_schema != "never" else []
        self._refused = 0
        self.name = endpoint.settings.name
        self.family = endpoint.settings.family
        self.prompt_hash = self._prompt.sha256
        self.max_attempts = endpoint.settings.max_attempts
        self.backoff_seconds = endpoint.settings.backoff_seconds

    def identity(self) -> Identity:
        """The endpoint's identity, the prompt's name, version and hash, the fence's, and the mode."""
        prompt = self._prompt
        about = {
            "prompt": prompt.name,
            "prompt_version": prompt.version,
            "prompt_sha256": prompt.sha256,
            "fence_sha256": prompt.fence_sha256,
            "json_schema": self._mode,
        }
        return {**self._endpoint.identity(), **about}

    def rate(self, item: SampleItem, answer: str, reference: str, *, attempt: int, request_id: str) -> Rating:
        """One request; what could pass for a rating in the texts is broken up first.

        A refusal of the schema is told as SCHEMA_REFUSED: it is sent in the next of the forms that
        endpoints know, and under `auto` at last no more. Under `auto` every other attempt goes
        without, since some endpoints take a schema and then say nothing.
        """
        if attempt == 1:
            self._refused = 0
        by_schema = bool(self._forms) and (self._mode == "always" or (attempt - self._refused) % 2 == 1)
        prompt, places = judge_text(self._prompt, item.prompt, answer, reference)
        schema, form = (SCHEMA, self._forms[0]) if by_schema else (None, "")
        exchange = self._endpoint.ask(
            prompt,
            question_id=item.question_id,
            attempt=attempt,
            request_id=request_id,
            schema=schema,
            schema_form=form,
        )
        about: dict[str, Any] = {
            "exchange": exchange,
            "neutralised": places,
            "by_schema": by_schema,
            "sent": self._endpoint.request(prompt, schema, form),
        }
        if exchange.state is not ReplyState.OK:
            last = len(self._forms) == 1 and self._mode == "always"
            if by_schema and not last and refuses_schema(exchange):
                del self._forms[0]
                self._refused += 1
                return Rating(None, SCHEMA_REFUSED, exchange.error, **about)
            return Rating(None, f"judge_{exchange.state.value}", exchange.error, **about)
        try:
            return Rating(read_rating(exchange.text, answer), **about)
        except MalformedError as error:
            return Rating(None, MALFORMED, str(error), **about)


class Panel:
    """Several judges that vote. The run asks each member and then takes `vote`."""

    family = ""
    max_attempts = 1
    backoff_seconds = 0.0

    def __init__(self, members: Sequence[Judge]) -> None:
        """Raises UsageError when two members could not be told apart."""
        self.members = tuple(members)
        names = [member.name for member in members]
        if len(set(names)) < len(names):
            raise UsageError(
                "two judges of the panel have one name", remedy="give every judge of a panel another name"
            )
        hashes = {member.prompt_hash for member in members}
        self.name = "+".join(names)
        self.prompt_hash = hashes.pop() if len(hashes) == 1 else ""
        self.publishable = all(member.publishable for member in members)

    def identity(self) -> Identity:
        """The members' identities in order, how they vote, and the prompt where all have one."""
        parts = [member.identity() for member in self.members]
        shared = {
            name: parts[0].get(name)
            for name in ("prompt", "prompt_version", "prompt_sha256")
            if all(name in part and part[name] == parts[0].get(name) for part in parts)
        }
        return {"name": self.name, "vote": "majority_at_least", **shared, "members": parts}

    def rate(self, item: SampleItem, answer: str, reference: str, *, attempt: int, request_id: str) -> Rating:
        """One attempt with each member, and their vote."""
        rated = [
            member.rate(item, answer, reference, attempt=attempt, request_id=f"{request_id}.{place}")
            for place, member in enumerate(self.members, start=1)
        ]
        return vote([one.stars for one in rated])


def vote(stars: Sequence[int | None]) -> Rating:
    """The most stars that more than half of the judges gave at least; one value per judge.

    Of three judges that is the middle rating, of two the lower one. Where half of the judges or
    fewer gave any, the reply stays unscored.
    """
    given = sorted((one for one in stars if one is not None), reverse=True)
    if 2 * len(given) <= len(stars):
        return Rating(None, NO_MAJORITY, f"{len(given)} of {len(stars)} judges gave a rating")
    return Rating(given[len(given) // 2])


def members(judge: Judge) -> tuple[Judge, ...]:
    """The judges of a panel, or the one judge."""
    return judge.members if isinstance(judge, Panel) else (judge,)


def judge_version(identity: Mapping[str, Any]) -> str:
    """A short name of a judge's identity: scores are comparable where it is the same."""
    text = json.dumps(identity, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def judge_text(prompt: JudgePrompt, question: str, answer: str, reference: str) -> tuple[str, int]:
    """What a judge is sent, and how many places of the answer were broken up.

    The mark of the fence is made from the answer, so an answer cannot hold its own.
    """
    shown, places = neutralise(answer)
    mark = "response " + hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()[:16]
    text = prompt.fill(
        question=neutralise(question)[0],
        answer=prompt.fenced(shown, mark),
        reference=neutralise(reference)[0],
    )
    return text, places


def read_rating(raw: str, answer: str) -> int:
    """The stars in a judge's raw reply about answer. Raises MalformedError."""
    return read_stars(raw, neutralise(answer)[0])


def build_judge(
    settings: JudgeSettings,
    *,
    environ: Mapping[str, str],
    clock: Callable[[], float],
    dotenv: Path | None = None,
) -> Judge:
    """The judge the settings name, or the panel; parameters and errors as in models.build_model."""
    made = [_build(one, environ, clock, dotenv) for one in (settings, *settings.panel)]
    return made[0] if len(made) == 1 else Panel(made)


def _build(
    settings: JudgeSettings, environ: Mapping[str, str], clock: Callable[[], float], dotenv: Path | None
) -> Judge:
    if not settings.base_url and settings.name == OverlapJudge.name:
        return OverlapJudge()
    endpoint = Endpoint(settings, key=read_key(settings, environ, dotenv), clock=clock)
    return EndpointJudge(endpoint, settings.json_schema)


def kin(named: Judge | Model, ids: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Names and families as families.refuse_kin takes them: of a model or judge, then of returned ids."""
    parts: tuple[Judge | Model, ...] = named.members if isinstance(named, Panel) else (named,)
    own = [(one.name, one.family) for one in parts]
    known = {plain(name): family for name, family in own}
    return own + [(name, known.get(plain(name), "")) for name in ids]


def judged_text(reply: Reply) -> str:
    """The part of a reply that is judged: without a leading block of thinking."""
    return without_thinking(reply.text)


def refuses_schema(exchange: Reply) -> bool:
    """Whether an endpoint says that it takes no JSON schema."""
    told = exchange.error.casefold()
    return (
        exchange.state in {ReplyState.CLIENT_ERROR, ReplyState.SERVER_ERROR}
        and exchange.http_status in _SCHEMA_STATUS
        and any(word in told for word in _SCHEMA_WORDS)
    )
