"""The Prefect flow of an evaluation: one task a model, all on one paper, side by side.

Importing this module imports Prefect: flows.server has to have set its environment before.
"""

from __future__ import annotations

import os
import re
import signal
import time
from typing import TYPE_CHECKING, Any
from uuid import UUID

from prefect import flow, task
from prefect.artifacts import create_progress_artifact, create_table_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE

from flows.commands import common

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State, TaskRun
    from prefect.tasks import Task

    from evaluation.run import Progress
    from flows.progress import Sofar
    from schemas.settings import RunSettings

PUBLISH_SECONDS = 5.0
GRACE_SECONDS = 2.0


class Published:
    """A run's progress as an artifact of its task, written anew every few seconds."""

    def __init__(self, name: str) -> None:
        """name: of the run; its artifacts share a key, so that a server shows how it went on."""
        self._name = name
        self._id: UUID | None = None
        self._at = 0.0

    def tell(self, step: Progress, sofar: Sofar) -> None:
        """Publish, unless that was done a moment ago and more is to come."""
        now = time.monotonic()
        if self._id is not None and now - self._at < PUBLISH_SECONDS and step.done < step.total:
            return
        self._at = now
        told = f"{self._name}: {step.done:,} of {step.total:,} questions"
        told += f", {sofar.told}" if sofar.told else ""
        share = 100 * step.done / step.total
        try:
            if self._id is None:
                self._id = create_progress_artifact(share, key=_key(self._name), description=told)  # type: ignore[assignment]
            else:
                update_progress_artifact(self._id, share, description=told)
        except Exception:  # noqa: S110 - a server that is away for a moment must not stop a run
            pass


def _key(name: str) -> str:
    """A name as a key of artifacts: small letters, digits and dashes."""
    return "exambank-" + (re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-") or "model")


def _worth_it(task: Task[Any, Any], run: TaskRun, state: State[Any]) -> bool:
    """Whether a run that was stopped may find its endpoint up again."""
    from flows.series import RETRIED
    from schemas.errors import ExamBankError

    result = state.result(raise_on_failure=False)
    return isinstance(result, ExamBankError) and result.code in RETRIED


@task(task_run_name="ask {name}", persist_result=False, cache_policy=NO_CACHE, retry_condition_fn=_worth_it)
def ask_model(series: str, name: str) -> None:
    """One model's run of the series that is open under this name."""
    from flows.series import open_series

    opened = open_series[series]
    opened.carry_out(name, Published(name).tell if opened.publish else None)


@flow(name="evaluate", persist_result=False, validate_parameters=False)
def evaluate_models(series: str) -> list[Any]:
    """Every run of the series that is open under this name; failed where one was stopped."""
    from prefect.futures import as_completed

    from flows.series import open_series

    opened = open_series[series]
    settings = opened.settings
    asking = ask_model.with_options(retries=settings.retries, retry_delay_seconds=settings.retry_seconds)
    waiting = {asking.submit(series, name): name for name in opened.models}
    try:
        for future in as_completed(list(waiting)):
            future.wait()
            opened.take(waiting[future], future.result(raise_on_failure=False))
    except BaseException as error:
        opened.abandon()
        _wait_a_moment(list(waiting), error)
        raise
    if opened.publish:
        shown = ("model", "state", "asked", "scored", "absolute", "price")
        rows = [{name: row.get(name, "") for name in shown} for row in opened.rows()]
        create_table_artifact(rows, key="exambank-scores", description=f"Scores of {series}")
    return [future.state for future in waiting]


def _wait_a_moment(waiting: list[Any], error: BaseException) -> None:
    """After Ctrl-C: runs end after the question they are at, those that take long at once.

    A run may be killed at any moment, since its journals are on disk; a thread that waits for an
    answer, or Prefect's for the next attempt, could not be ended otherwise for minutes.
    """
    until = time.monotonic() + GRACE_SECONDS
    for future in waiting:
        future.wait(max(0.0, until - time.monotonic()))
    if isinstance(error, KeyboardInterrupt) and not all(future.state.is_final() for future in waiting):
        common.say("exambank: interrupted; the same command again goes on where it stopped")
        os._exit(128 + signal.SIGINT)


def run(name: str, size: int, settings: RunSettings) -> None:
    """Run the flow for the open series of this name, as many of its runs at once as are allowed."""
    from prefect.task_runners import ThreadPoolTaskRunner

    runner: Any = ThreadPoolTaskRunner(max_workers=min(settings.workers or size, size))
    evaluate_models.with_options(task_runner=runner)(name, return_state=True)
