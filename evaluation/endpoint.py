"""One question to one OpenAI-compatible endpoint: a single attempt, timed, bounded, key kept secret."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from evaluation.responses import Outcome, clip, from_body, from_status
from schemas.errors import ModelError, UsageError
from schemas.evaluation import Reply, ReplyState
from schemas.settings import ModelSettings

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.resources.chat.completions import Completions
    from openai.types.chat import ChatCompletionContentPartParam

MAX_BODY_BYTES = 16_000_000
CONNECT_SECONDS = 15.0
NO_KEY = "no-key"
_NO_ENTRY = {401, 403}
_MIN_SECRET = 6  # characters; shorter values would blot out ordinary words
_MIN_KEY = 8  # characters, letters and figures among them, that are no word of a reply

_BEARER = re.compile(r"(?i)\bbearer\s+[^\s\"',;]{4,200}")


class Endpoint:
    """An endpoint and the settings it is asked with. Not safe for use by several threads at once."""

    def __init__(self, settings: ModelSettings, *, key: str, clock: Callable[[], float]) -> None:
        """Settings, and a clock giving monotonic seconds; key is '' for an endpoint that needs none."""
        self.settings = settings
        self.base_url = check_base_url(settings)
        self._key = key
        self._clock = clock
        self._deadline = 0.0
        self._overdue = False
        self._socket: socket.socket | None = None
        self._client: OpenAI | None = None

    def __repr__(self) -> str:
        return f"Endpoint({self.settings.name!r}, {self.base_url!r})"

    def identity(self) -> dict[str, Any]:
        """Everything about this endpoint that can change an answer; holds no secret."""
        about = {
            "name": self.settings.name,
            "base_url": self.base_url,
            "temperature": self.settings.temperature,
            "max_tokens": self.settings.max_tokens,
            "system_prompt": self.settings.system_prompt,
            "reasoning_effort": self.settings.reasoning_effort,
        }
        # Only where it is set: a judge without it is still the judge it was.
        return about if self.settings.top_p is None else {**about, "top_p": self.settings.top_p}

    def ask(
        self,
        prompt: str | list[ChatCompletionContentPartParam],
        *,
        question_id: str,
        attempt: int,
        request_id: str,
        schema: dict[str, Any] | None = None,
        schema_form: str = "json_schema",
    ) -> Reply:
        """One attempt with one prompt: a text, or parts of text and pictures as the protocol has them.

        schema is the JSON schema the answer is to keep to, sent as json_schema or, for servers that
        know only that, as json_object. Never raises for what the network or the server does.
        """
        chat = self._connection().chat.completions  # loading the SDK takes no time from the question
        started = self._clock()
        self._deadline = started + self.settings.timeout_seconds
        self._overdue = False
        # The SDK bounds each read alone: headers that drip would hold us as long as they liked.
        bell = threading.Timer(self.settings.timeout_seconds, self._hang_up)
        bell.daemon = True
        bell.start()
        try:
            fields = asdict(self._send(chat, self.request(prompt, schema, schema_form), request_id))
        finally:
            bell.cancel()
        for name in ("text", "model", "finish_reason"):
            fields[name] = self._without_key(fields[name])
        fields["error"] = clip(self.redact(fields["error"]))  # in this order: a key cut in two is not found
        took = round(self._clock() - started, 3)
        return Reply(question_id=question_id, attempt=attempt, latency_seconds=took, **fields)

    def request(
        self,
        prompt: str | list[ChatCompletionContentPartParam],
        schema: dict[str, Any] | None = None,
        schema_form: str = "json_schema",
    ) -> dict[str, Any]:
        """The body that `ask` sends for prompt: model, messages, options. It holds no key."""
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        if self.settings.system_prompt:
            messages.insert(0, {"role": "system", "content": self.settings.system_prompt})
        return {
            "model": self.settings.name,
            "messages": messages,
            **self._options(schema, schema_form),
        }

    def redact(self, text: str) -> str:
        """What went wrong, without the key, in plain or percent-encoded form, and without bearer tokens."""
        text = _BEARER.sub("Bearer [redacted]", text)
        return self._replace_key(text) if len(self._key) >= _MIN_SECRET else text

    def _without_key(self, text: str) -> str:
        """A reply without the key; a key that may be a word of it («none», «result») changes no reply."""
        figures = any(c.isdigit() for c in self._key) and any(c.isalpha() for c in self._key)
        return self._replace_key(text) if figures and len(self._key) >= _MIN_KEY else text

    def _replace_key(self, text: str) -> str:
        for secret in {self._key, quote(self._key, safe="")}:
            text = text.replace(secret, "[redacted]")
        return text

    def _options(self, schema: dict[str, Any] | None, form: str) -> dict[str, Any]:
        """What is sent beside the messages: only what was set, since endpoints refuse what they lack."""
        options: dict[str, Any] = {}
        if self.settings.temperature is not None:
            options["temperature"] = self.settings.temperature
        if self.settings.top_p is not None:
            options["top_p"] = self.settings.top_p
        if self.settings.max_tokens is not None:
            options[self.settings.limit_field] = self.settings.max_tokens
        if self.settings.reasoning_effort:
            options["reasoning_effort"] = self.settings.reasoning_effort
        if schema is not None:
            shape: dict[str, Any] = {"schema": schema}
            if form == "json_schema":
                shape = {"json_schema": {"name": "answer", "strict": True, "schema": schema}}
            options["response_format"] = {"type": form, **shape}
        return options

    def _send(self, chat: Completions, body: dict[str, Any], request_id: str) -> Outcome:
        import openai

        # The ids of an account elsewhere, which the SDK takes from the environment, are not sent.
        headers: dict[str, str | openai.Omit] = {
            "X-Client-Request-Id": request_id,
            "OpenAI-Organization": openai.Omit(),
            "OpenAI-Project": openai.Omit(),
        }
        try:
            with chat.with_streaming_response.create(extra_headers=headers, **body) as response:
                return from_body(self._drain(response.iter_bytes()))
        except (_StatusError, _OverdueError, _BrokenError, openai.OpenAIError) as error:
            return self._fault(error)

    def _fault(self, error: Exception) -> Outcome:
        """What an exception of the SDK, or one of ours, says about the attempt."""
        import openai

        cause = error.__cause__
        if isinstance(cause, (_StatusError, _OverdueError, _BrokenError)):
            error = cause  # some versions of the SDK wrap what its hooks raise
        if isinstance(error, _StatusError):
            found = from_status(error.status, error.headers, error.body)
            if error.status in _NO_ENTRY and not self._key:
                told = f"no key was sent, since {self.settings.api_key_env} is not set; {found.error}"
                return replace(found, error=told)
            return found
        if self._overdue or isinstance(error, (_OverdueError, openai.APITimeoutError)):
            waited = f"no complete answer within {self.settings.timeout_seconds:g} s"
            return Outcome(ReplyState.TIMEOUT, error=waited)
        if isinstance(error, _BrokenError):
            return Outcome(ReplyState.SERVER_ERROR, error=f"answer broken off: {error}")
        if isinstance(error, openai.APIConnectionError):
            return Outcome(ReplyState.SERVER_ERROR, error=f"no connection: {_says(cause or error)}")
        return Outcome(ReplyState.CLIENT_ERROR, error=_says(error))

    def _connection(self) -> OpenAI:
        if self._client is None:
            import openai

            # Redirects are not followed: the key and the question stay with the endpoint named.
            client = openai.DefaultHttpxClient(
                timeout=openai.Timeout(
                    self.settings.timeout_seconds,
                    connect=min(CONNECT_SECONDS, self.settings.timeout_seconds),
                ),
                follow_redirects=False,
                trust_env=not is_loopback(self.base_url),
                event_hooks={"request": [self._watch], "response": [self._check_status]},
            )
            self._client = openai.OpenAI(
                api_key=self._key or NO_KEY,
                base_url=self.base_url,
                max_retries=0,
                http_client=client,
            )
        return self._client

    def _watch(self, request: Any) -> None:  # noqa: ANN401 - the SDK's HTTP library varies
        """Hook before a request leaves: the HTTP library tells which socket it opens."""

        def opened(event: str, info: Mapping[str, Any]) -> None:
            if event.endswith(("connect_tcp.complete", "start_tls.complete")):
                self._socket = info["return_value"].get_extra_info("socket")

        request.extensions["trace"] = opened

    def _hang_up(self) -> None:
        """End the exchange in flight: whoever reads from the socket gets its end at once."""
        self._overdue = True
        if self._socket is not None:
            with contextlib.suppress(OSError):  # closed already
                # Not the method of a TLS socket, which takes apart what the other thread is reading with.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _check_status(self, response: Any) -> None:  # noqa: ANN401 - the SDK's HTTP library varies
        """Hook before the body is read: reads the body of an error within the same bounds."""
        if not 200 <= response.status_code < 300:
            body = self._drain(response.iter_bytes())
            raise _StatusError(response.status_code, dict(response.headers), body)

    def _drain(self, chunks: Iterable[bytes]) -> bytes:
        """A body, within the time and size allowed: a server that drips would hold us for ever."""
        pieces, size = [], 0
        try:
            for chunk in chunks:
                pieces.append(chunk)
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    raise _BrokenError(f"more than {MAX_BODY_BYTES} bytes")
                if self._clock() > self._deadline:
                    raise _OverdueError
            if self._overdue:  # a body without a length ends well where we hang up
                raise _OverdueError
        except (_BrokenError, _OverdueError):
            raise
        except Exception as error:
            # Errors of the HTTP library, which is not the same one in every version of the SDK.
            if "Timeout" in type(error).__name__:
                raise _OverdueError from None
            raise _BrokenError(_says(error)) from None
        return b"".join(pieces)


class _StatusError(Exception):
    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = body


class _OverdueError(Exception):
    pass


class _BrokenError(Exception):
    pass


def read_key(settings: ModelSettings, environ: Mapping[str, str], dotenv: Path | None = None) -> str:
    """The key from the variable the settings name, in environ or else in the .env file dotenv.

    '' for an endpoint on this machine when the variable is not set. Raises ModelError otherwise.
    """
    key = environ.get(settings.api_key_env, "")
    if not key and dotenv is not None and dotenv.is_file():
        from dotenv import dotenv_values

        key = dotenv_values(dotenv).get(settings.api_key_env) or ""
    key = key.strip()
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ModelError(
            f"the value of {settings.api_key_env} cannot be a key: it holds blanks or non-ASCII characters",
            remedy="copy the key again",
            code="model_key",
        )
    if not key and not is_loopback(check_base_url(settings)):
        raise ModelError(
            f"no key for {settings.name}: {settings.api_key_env} is not set",
            remedy=f"set {settings.api_key_env} in the environment or in .env (any word if none is needed)",
            code="model_key",
        )
    return key


def check_base_url(settings: ModelSettings) -> str:
    """The address without its last slash. Raises UsageError when it is none, or holds a secret."""
    try:
        parts = urlsplit(settings.base_url)
        port_ok = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_ok = urlsplit(""), False
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_ok:
        raise UsageError(
            f"{settings.name!r} is no built-in, and its base_url is no http(s) address",
            remedy="give the address of an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1",
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            f"the base_url of {settings.name!r} must not hold a user, password, query or fragment",
            remedy=f"put the key in the variable {settings.api_key_env}",
        )
    return settings.base_url.rstrip("/")


def is_loopback(base_url: str) -> bool:
    """Whether an address names this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _says(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
