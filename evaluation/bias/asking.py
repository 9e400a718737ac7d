"""Asking one endpoint of an audit until there is an answer that can be read, or it is plain there is none."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from evaluation.attempts import FAULTS, MAX_FAULTS_IN_A_ROW, TRANSIENT, stop_if_fatal, too_long, wait
from evaluation.bias.settings import AuditModel
from evaluation.endpoint import Endpoint
from evaluation.judge import MALFORMED, SCHEMA_FORMS, SCHEMA_REFUSED, refuses_schema
from evaluation.signing import Signer
from evaluation.verdict import MalformedError
from schemas.errors import ModelError
from schemas.evaluation import Reply, ReplyState

T = TypeVar("T")

_MALFORMED_TRIES = 2  # the same prompt mostly gets the same answer: more would be paid for nothing


class StoppedError(Exception):
    """Another part of the audit has come to a stop, or somebody has interrupted it."""


@dataclass(frozen=True)
class Said(Generic[T]):
    """One attempt: what was read, or why nothing was; final when no other attempt follows."""

    value: T | None
    reason: str
    detail: str
    exchange: Reply
    attempt: int
    final: bool

    @property
    def fault(self) -> bool:
        """Whether the endpoint failed: a later session asks again."""
        return self.exchange.state in FAULTS and not too_long(self.exchange)


@dataclass
class Surroundings:
    """What an audit needs of the world: endpoints, the time, a wait, what signs its journals."""

    endpoint: Callable[[AuditModel], Endpoint]
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    signer: Signer | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def stamp(self) -> str:
        """The time as journals have it."""
        return self.now().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class Asker:
    """One model's endpoint. Used by one thread."""

    def __init__(self, model: AuditModel, around: Surroundings, check_id: Callable[[str], None]) -> None:
        """check_id is told every model id the endpoint returns, and may raise ModelError."""
        self.model, self.around = model, around
        self._endpoint = around.endpoint(model)
        self._check_id = check_id
        self._forms = list(SCHEMA_FORMS) if model.json_schema != "never" else []
        self._faults = self._requests = 0

    def ask(
        self,
        prompt: str,
        key: str,
        read: Callable[[str], T],
        store: Callable[[Said[T]], None],
        schema: dict[str, Any] | None = None,
    ) -> None:
        """Ask until an answer can be read, at most as often as the settings allow; store has every attempt.

        Raises ModelError where the endpoint cannot be used, StoppedError when the audit has to stop.
        """
        tries, allowed, malformed = 0, self.model.max_attempts, 0
        while True:
            if self.around.stop.is_set():
                raise StoppedError
            tries += 1
            shape = schema if self._forms else None
            exchange = self._send(prompt, key, tries, shape)
            value, reason, detail = self._read(exchange, read)
            last_form = len(self._forms) == 1 and self.model.json_schema == "always"
            refused = shape is not None and not last_form and refuses_schema(exchange)
            if refused:  # what was asked in a form the endpoint does not know was not asked
                del self._forms[0]
                reason, allowed = SCHEMA_REFUSED, allowed + 1
            malformed += reason == MALFORMED
            failed = exchange.state in TRANSIENT
            again = refused or failed or (reason == MALFORMED and malformed < _MALFORMED_TRIES)
            final = value is not None or not again or tries >= allowed
            store(Said(value, reason, detail, exchange, tries, final))
            if not refused:
                stop_if_fatal(self.model.called, exchange)
            if exchange.model:
                self._check_id(exchange.model)
            if final:
                break
            if failed and not refused:
                self.around.sleep(wait(exchange, tries, self.model.backoff_seconds))
        self._count_fault(exchange)

    def _send(self, prompt: str, key: str, attempt: int, schema: dict[str, Any] | None) -> Reply:
        self._requests += 1
        reply = self._endpoint.ask(
            prompt,
            question_id=key,
            attempt=attempt,
            request_id=f"audit-{self._requests:06d}",
            schema=schema,
            schema_form=self._forms[0] if schema is not None else "",
        )
        return reply.model_copy(update={"at": self.around.stamp()})

    def _read(self, exchange: Reply, read: Callable[[str], T]) -> tuple[T | None, str, str]:
        if exchange.state is not ReplyState.OK:
            return None, exchange.state.value, exchange.error
        try:
            return read(exchange.text), "", ""
        except MalformedError as error:
            return None, MALFORMED, str(error)

    def _count_fault(self, exchange: Reply) -> None:
        self._faults = self._faults + 1 if exchange.state in FAULTS and not too_long(exchange) else 0
        if self._faults >= MAX_FAULTS_IN_A_ROW:
            raise ModelError(
                f"{self.model.called}: {self._faults} requests in a row got no answer; "
                f"the last: {exchange.error}",
                remedy="see to the endpoint, then run the same command again: it goes on where it stopped",
                code="model_down",
            )
