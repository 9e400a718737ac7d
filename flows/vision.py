"""The second reader of doubtful pages: a vision model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.endpoint import NO_KEY, check_base_url, is_loopback, read_key
from schemas.errors import ModelError
from schemas.settings import VisionSettings

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

    from ingest.second import SecondReader

PROMPT = (
    "Transcribe all text of this page of an exam paper, line by line, exactly as printed. "
    "Write formulas as $LaTeX$. Add nothing and answer nothing."
)
MAX_CHARS = 100_000


def second_reader(settings: VisionSettings, environ: Mapping[str, str] = os.environ) -> SecondReader | None:
    """A function from the picture of a page to its text; None while vision.name is not set.

    The key is taken from the variable that the settings name, or from .env. Raises ModelError or
    UsageError for a missing key or an address that is none. Safe for several threads.
    """
    if not settings.name:
        return None
    key, base_url = read_key(settings, environ, Path(".env")), check_base_url(settings)

    def read(picture: bytes) -> str:
        import openai

        kind = "png" if picture.startswith(b"\x89PNG") else "jpeg"
        data = base64.b64encode(picture).decode()
        url = f"data:image/{kind};base64,{data}"
        messages: list[ChatCompletionMessageParam] = [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": settings.system_prompt or PROMPT},
                    {"type": "image_url", "image_url": {"url": url}},
                ],
            }
        ]
        # Redirects are not followed: the key and the page stay with the endpoint named.
        http = openai.DefaultHttpxClient(
            timeout=settings.timeout_seconds, follow_redirects=False, trust_env=not is_loopback(base_url)
        )
        try:
            with openai.OpenAI(
                api_key=key or NO_KEY,
                base_url=base_url,
                max_retries=settings.max_attempts - 1,
                timeout=settings.timeout_seconds,
                http_client=http,
            ) as client:
                reply = client.chat.completions.create(
                    model=settings.name,
                    messages=messages,
                    temperature=openai.omit if settings.temperature is None else settings.temperature,
                    max_tokens=openai.omit if settings.max_tokens is None else settings.max_tokens,
                    extra_headers={
                        "OpenAI-Organization": openai.Omit(),
                        "OpenAI-Project": openai.Omit(),
                    },
                )
            text = reply.choices[0].message.content or ""
        except openai.APIStatusError as error:
            raise ModelError(f"the vision model answered with status {error.status_code}") from None
        except openai.OpenAIError as error:
            raise ModelError(f"the vision model gave no answer ({type(error).__name__})") from None
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise ModelError("the vision model's answer is not of the protocol") from error
        if not text.strip():
            raise ModelError("the vision model's answer is empty")
        return text[:MAX_CHARS]

    return read
