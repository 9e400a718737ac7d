"""Fixtures of the evaluation tests: the loopback server, a clock, and a run against the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from evaluation_kit import Clock, endpoint, make_references
from loopback import Loopback

from evaluation.judge import EndpointJudge, OverlapJudge
from evaluation.models import EndpointModel
from evaluation.run import run
from schemas.evaluation import SampleItem, Score


@pytest.fixture
def server() -> Iterator[Loopback]:
    loopback = Loopback()
    yield loopback
    loopback.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def evaluate(server: Loopback, clock: Clock, tmp_path: Path) -> Callable[..., Score]:
    """Run items against the loopback server; judged by overlap unless a judge name is given."""

    def go(items: list[SampleItem], judge: str = "", folder: str = "run", **more: Any) -> Score:
        model_options, options = more.pop("model", {}), more
        return run(
            items,
            options.pop("references", make_references(items)),
            EndpointModel(endpoint(server, **model_options)),
            EndpointJudge(endpoint(server, judge)) if judge else OverlapJudge(),
            tmp_path / folder,
            now=clock.now,
            sleep=clock.sleep,
            **options,
        )

    return go
