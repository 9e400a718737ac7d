"""Attempts: which outcomes are worth another one, how long to wait, and what stops a run."""

from __future__ import annotations

from schemas.errors import ModelError
from schemas.evaluation import Reply, ReplyState

MAX_FAULTS_IN_A_ROW = 10
MAX_WAIT_SECONDS = 600.0
MAX_BACKOFF_SECONDS = 60.0
NO_REFERENCE = "no_reference"

# Worth another attempt: nothing of an answer came, and the next time it may.
TRANSIENT = {ReplyState.RATE_LIMITED, ReplyState.TIMEOUT, ReplyState.SERVER_ERROR, ReplyState.EMPTY}
# The endpoint's faults: a later session asks these questions again.
FAULTS = {
    ReplyState.RATE_LIMITED,
    ReplyState.TIMEOUT,
    ReplyState.SERVER_ERROR,
    ReplyState.CLIENT_ERROR,
}
# The model did answer; what it said is final, also where it cannot be judged.
ANSWERED = {ReplyState.OK, ReplyState.TRUNCATED, ReplyState.REFUSED}
SETTLED_REASONS = {"empty", "truncated", "refused", NO_REFERENCE}
_TOO_LONG_STATUS = {400, 413, 422}
_TOO_LONG_WORDS = (
    *("context length", "context_length", "context size", "context window", "context limit"),
    *("input length", "prompt is too long", "too many tokens", "maximum number of tokens", "超长"),
)
# A client error with one of these will meet every question: 429 stands for a spent quota here.
_FATAL_STATUS = {
    401: "check the key",
    402: "the account has no credit left",
    403: "check what the key may do",
    404: "check the model's name and base_url",
    429: "the account's quota is spent",
}


def stop_if_fatal(name: str, reply: Reply) -> None:
    """Raise ModelError for an error that every further question would meet as well."""
    if reply.state is ReplyState.CLIENT_ERROR and reply.http_status in _FATAL_STATUS:
        remedy = _FATAL_STATUS[reply.http_status]
        raise ModelError(
            f"{name}: {reply.error}",
            remedy=f"{remedy}, then run the same command again: it goes on where it stopped",
            code="model_denied",
        )


def too_long(reply: Reply) -> bool:
    """Whether the endpoint says that a prompt does not fit its context: no later session will do better."""
    told = reply.error.casefold()
    return (
        reply.state is ReplyState.CLIENT_ERROR
        and reply.http_status in _TOO_LONG_STATUS
        and any(word in told for word in _TOO_LONG_WORDS)
    )


def wait(reply: Reply, tries: int, backoff: float) -> float:
    """Seconds before the next attempt: what the server asked for, or a doubling wait."""
    if reply.retry_after_seconds is not None:
        return min(reply.retry_after_seconds, MAX_WAIT_SECONDS)
    return float(min(backoff * 2 ** min(tries - 1, 30), MAX_BACKOFF_SECONDS))
