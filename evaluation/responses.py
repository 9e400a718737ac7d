"""What an OpenAI-compatible endpoint sent back, told apart: answers, refusals, limits, faults."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

from evaluation.verdict import without_thinking
from schemas.evaluation import ReplyState
from schemas.text import squeeze

MAX_ERROR_CHARS = 500

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_FILTER_WORDS = ("content_filter", "content_policy", "data_inspection_failed", "moderation", "sensitive")
_QUOTA_WORDS = ("insufficient_quota", "insufficient_balance", "insufficient balance", "arrearage")
_TIMEOUT_STATUS = {408, 504, 524}


@dataclass(frozen=True)
class Outcome:
    """The part of a Reply that the endpoint decides; fields as in schemas.evaluation.Reply.

    error is what the server said as a whole; see clip.
    """

    state: ReplyState
    text: str = ""
    model: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    http_status: int | None = None
    retry_after_seconds: float | None = None
    error: str = ""


def from_body(body: bytes) -> Outcome:
    """The outcome of a 200 response. A body that is no chat completion is a server fault."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return Outcome(ReplyState.SERVER_ERROR, http_status=200, error=f"not JSON: {_decode(body)}")
    if not isinstance(data, dict):
        return Outcome(ReplyState.SERVER_ERROR, http_status=200, error="not a JSON object")
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return _error_in_body(data)
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    text, finish = _content(message.get("content")), _string(choice.get("finish_reason"))
    refusal = _string(message.get("refusal"))
    return Outcome(
        state=_state(text, finish, refusal),
        text=text,
        model=_string(data.get("model")),
        finish_reason=finish,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        http_status=200,
        error=refusal,
    )


def from_status(status: int, headers: Mapping[str, str], body: bytes) -> Outcome:
    """The outcome of any other response, with the wait the server asked for."""
    text = _decode(body)
    code = _error_code(body)
    evidence = f"{code} {text[:2000]}".lower()
    error = f"HTTP {status}: {(_error_message(body) or text).strip() or 'no explanation'}"
    found = Outcome(
        ReplyState.CLIENT_ERROR, http_status=status, retry_after_seconds=_retry_after(headers), error=error
    )
    if status == 429:
        # A spent quota does not come back by waiting: the run has to stop, not to retry.
        spent = any(word in evidence for word in _QUOTA_WORDS)
        return found if spent else replace(found, state=ReplyState.RATE_LIMITED)
    if status in _TIMEOUT_STATUS:
        return replace(found, state=ReplyState.TIMEOUT)
    if status >= 500 or status in {409, 425}:
        return replace(found, state=ReplyState.SERVER_ERROR)
    if status in {400, 403, 422, 451} and any(word in evidence for word in _FILTER_WORDS):
        return replace(found, state=ReplyState.REFUSED)
    if 300 <= status < 400:
        return replace(found, error=f"HTTP {status}: the endpoint redirects; redirects are not followed")
    return found


def _state(text: str, finish: str, refusal: str) -> ReplyState:
    if refusal or finish in {"content_filter", "sensitive"}:
        return ReplyState.REFUSED
    if finish in {"length", "max_tokens"}:
        return ReplyState.TRUNCATED
    return ReplyState.OK if without_thinking(text) else ReplyState.EMPTY


def _error_in_body(data: dict[str, Any]) -> Outcome:
    """Some gateways answer 200 with an error object; its code says what it is."""
    error = data.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600:
        return from_status(code, {}, json.dumps(data).encode())
    said = _string(error.get("message")) if isinstance(error, dict) else _string(error)
    return Outcome(ReplyState.SERVER_ERROR, http_status=200, error=said or "no choices in the response")


def _content(value: object) -> str:
    """The text of a message: a string, or a list of parts of which the text ones count."""
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict)]
        return "".join(_string(part) for part in parts)
    return _string(value)


def _string(value: object) -> str:
    # A lone surrogate, possible in JSON, could be written to no file.
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _decode(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def clip(text: str) -> str:
    """The beginning of what a server said, on one line; secrets are to be taken out before."""
    return squeeze(text[: 4 * MAX_ERROR_CHARS])[:MAX_ERROR_CHARS]


def _error_object(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    error = data.get("error", data) if isinstance(data, dict) else {}
    return error if isinstance(error, dict) else {"message": error}


def _error_message(body: bytes) -> str:
    return _string(_error_object(body).get("message"))


def _error_code(body: bytes) -> str:
    error = _error_object(body)
    return f"{error.get('code')} {error.get('type')}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from Retry-After, given as seconds or as a date (then against the server's Date)."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            until, sent = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("date", ""))
            seconds = (until - sent).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
