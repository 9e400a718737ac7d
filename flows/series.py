"""Runs over one paper side by side, each model asked one question at a time: what the flow carries out."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows import running, server
from flows.progress import Sofar, Tell
from schemas.errors import ExamBankError

if TYPE_CHECKING:
    from evaluation.run import Progress
    from schemas.settings import ModelSettings, RunSettings

# Worth another session after a while: the endpoint was down, and the journals know where to go on.
RETRIED = {"model_down"}


@dataclass
class Series:
    """The runs of several models on one paper, by the name of their folder in out."""

    plan: running.Plan
    models: dict[str, ModelSettings]
    out: Path
    settings: RunSettings
    shown: Callable[[str], Tell]
    publish: bool = False
    results: dict[str, running.Done | ExamBankError] = field(default_factory=dict)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def carry_out(self, name: str, also: Callable[[Progress, Sofar], None] | None = None) -> None:
        """One model's run to its end, kept in results. Raises what stopped it."""
        show = self.shown(name)

        def tell(step: Progress, sofar: Sofar) -> None:
            show(step, sofar)
            if also is not None:
                also(step, sofar)
            self._check()

        try:
            done = running.carry_out(self.plan, self.models[name], self.out / name, tell, sleep=self._sleep)
        except ExamBankError as error:
            self.results[name] = error
            raise
        self.results[name] = done

    def take(self, name: str, result: object) -> None:
        """Note how the task of a run ended: an exception that is none of ours is told as one."""
        if isinstance(result, BaseException) and not isinstance(result, ExamBankError):
            self.results[name] = ExamBankError(
                f"the run failed: {type(result).__name__}: {str(result)[:200]}",
                code="task_failed",
                remedy="run the same command again: it goes on where it stopped",
            )

    def abandon(self) -> None:
        """Let every run end after the question it is at; nothing waits any longer."""
        self._stopped.set()

    def done(self, name: str) -> running.Done:
        """The run of this name. Raises what stopped it."""
        result = self.results.get(name)
        if isinstance(result, running.Done):
            return result
        raise result or ExamBankError("the run did not begin", code="not_begun")

    def rows(self) -> list[dict[str, Any]]:
        """One row a model, in the order they were named: JSON values."""
        return [{"model": self.models[name].name, **self._row(name)} for name in self.models]

    def _row(self, name: str) -> dict[str, Any]:
        result = self.results.get(name)
        if isinstance(result, running.Done):
            from evaluation.estimate import price_of

            return {"state": "finished", **result.as_json(), "price": price_of(result.used)}
        error = result or ExamBankError("the run did not begin", code="not_begun")
        return {"state": "stopped", "out": str(self.out / name), "error": error.as_dict()}

    def _sleep(self, seconds: float) -> None:
        self._stopped.wait(seconds)
        self._check()

    def _check(self) -> None:
        if self._stopped.is_set():
            raise ExamBankError("stopped", code="stopped", remedy="the same command again goes on")


# Series that are running in this process, by name: a flow's parameters must stay small.
open_series: dict[str, Series] = {}


def side_by_side(series: Series, cache: Path, prefect: str) -> None:
    """Run the flow of a series to its end; what came of each run is in its results.

    cache: where a temporary Prefect server has its home. prefect: address of a server that is to
    show the flow instead, '' for none. Once a process: Prefect keeps the settings it was imported with.
    """
    name = str(series.out)
    with contextlib.ExitStack() as stack:
        if prefect:
            stack.enter_context(server.own_server(prefect))
        else:
            server.sweep(cache)
            stack.enter_context(server.prefect_server(cache / "prefect", ""))
        open_series[name] = series
        stack.callback(open_series.pop, name)
        from flows import evaluations

        evaluations.run(name, len(series.models), series.settings)
