"""Parts the evaluation tests share: a clock of their own, small samples, settings for the server."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from loopback import Loopback

from evaluation.endpoint import Endpoint
from schemas.evaluation import SampleItem
from schemas.settings import ModelSettings

KEY = "sk-loopback-very-secret-0123456789"


class Clock:
    """Time that passes a second a look, and a sleep that only notes how long it was."""

    def __init__(self) -> None:
        self.at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        self.slept: list[float] = []

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def make_items(*marks: str) -> list[SampleItem]:
    """One question per mark; the mark tells the loopback server how to behave."""
    return [
        SampleItem(
            question_id=f"q{n}",
            discipline=f"d{n % 3 + 1:02}",
            question_type="short_answer",
            prompt=f"题#{n} {mark}",
        )
        for n, mark in enumerate(marks)
    ]


def make_references(items: list[SampleItem]) -> dict[str, str]:
    return {item.question_id: f"答案{item.question_id[1:]}" for item in items}


def settings(server: Loopback, name: str = "loop-1", **more: Any) -> ModelSettings:
    values: dict[str, Any] = {
        "name": name,
        "base_url": server.base_url,
        "timeout_seconds": 2.0,
        "max_attempts": 3,
    }
    return ModelSettings(**{**values, **more})


def endpoint(server: Loopback, name: str = "loop-1", **more: Any) -> Endpoint:
    return Endpoint(settings(server, name, **more), key=KEY, clock=time.monotonic)
