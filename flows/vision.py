"""The second reader of doubtful pages: a vision model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import base64
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.endpoint import Endpoint, check_base_url, read_key
from evaluation.verdict import without_thinking
from schemas.errors import ModelError
from schemas.evaluation import Reply, ReplyState
from schemas.settings import VisionSettings

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionContentPartParam

    from ingest.second import SecondReader

PROMPT = (
    "Transcribe all text of this page of an exam paper, line by line, exactly as printed. "
    "Write formulas as $LaTeX$. Add nothing and answer nothing."
)
MAX_CHARS = 100_000
GIVE_UP_AFTER = 3
"""Pages in a row without an answer after which the model is not asked again in this run."""

_MAX_WAIT_SECONDS = 30.0
_AGAIN = {ReplyState.RATE_LIMITED, ReplyState.TIMEOUT, ReplyState.SERVER_ERROR}
_WHY = {
    ReplyState.EMPTY: "its answer is empty",
    ReplyState.TRUNCATED: "its answer was cut off: see vision.max_tokens",
    ReplyState.REFUSED: "it refused",
    ReplyState.RATE_LIMITED: "it was asked too often",
    ReplyState.TIMEOUT: "it gave no whole answer in time",
    ReplyState.SERVER_ERROR: "it gave no answer of the protocol",
    ReplyState.CLIENT_ERROR: "it does not take the question",
}


def second_reader(
    settings: VisionSettings,
    environ: Mapping[str, str] = os.environ,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> SecondReader | None:
    """A function from the picture of a page to its text; None while vision.name is not set.

    The key is taken from the variable that the settings name, or from .env. Raises ModelError or
    UsageError for a missing key or an address that is none. Safe for several threads.
    """
    if not settings.name:
        return None
    key = read_key(settings, environ, Path(".env"))
    check_base_url(settings)
    return _Reader(settings, key, clock, sleep)


class _Reader:
    """Asks page by page, within the run's bounds: max_pages_run, and an end to asking the dead."""

    def __init__(
        self, settings: VisionSettings, key: str, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._settings, self._key = settings, key
        self._clock, self._sleep = clock, sleep
        self._lock, self._own = threading.Lock(), threading.local()
        self._sent = self._unanswered = 0

    def __call__(self, picture: bytes) -> str:
        with self._lock:
            if self._unanswered >= GIVE_UP_AFTER:
                raise ModelError(
                    f"the vision model is not asked again: {GIVE_UP_AFTER} pages in a row had no answer"
                )
            if self._sent >= self._settings.max_pages_run:
                raise ModelError(
                    f"no more pages are sent in this run; the limit vision.max_pages_run is {self._sent:,}"
                )
            self._sent += 1
        reply = self._ask(picture)
        text = without_thinking(reply.text).strip()
        answered = reply.state is ReplyState.OK and bool(text)
        with self._lock:
            heard = answered or reply.state in {ReplyState.EMPTY, ReplyState.TRUNCATED, ReplyState.REFUSED}
            self._unanswered = 0 if heard else self._unanswered + 1
        if not answered:
            status = reply.http_status or 0
            told = f"; status {status}" if status >= 300 else ""
            raise ModelError(f"the vision model gave no reading: {_WHY.get(reply.state, 'no text')}{told}")
        return text[:MAX_CHARS]

    def _ask(self, picture: bytes) -> Reply:
        """The last reply of up to max_attempts; what the server says in an error stays out of records."""
        endpoint = getattr(self._own, "endpoint", None)
        if endpoint is None:  # an endpoint serves one thread
            endpoint = self._own.endpoint = Endpoint(self._settings, key=self._key, clock=self._clock)
        kind = "png" if picture.startswith(b"\x89PNG") else "jpeg"
        url = f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"
        parts: list[ChatCompletionContentPartParam] = [
            {"type": "text", "text": PROMPT},
            {"type": "image_url", "image_url": {"url": url}},
        ]
        attempt = 1
        while True:
            reply: Reply = endpoint.ask(
                parts, question_id="page", attempt=attempt, request_id=f"page-{attempt}"
            )
            if reply.state not in _AGAIN or attempt >= self._settings.max_attempts:
                return reply
            wait = reply.retry_after_seconds or self._settings.backoff_seconds * 2 ** min(attempt - 1, 10)
            self._sleep(min(wait, _MAX_WAIT_SECONDS))
            attempt += 1
