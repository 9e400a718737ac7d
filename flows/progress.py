"""Progress of runs on standard error: done of how many, the time left, the price so far."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from flows.commands import common

if TYPE_CHECKING:
    from evaluation.run import Progress
    from schemas.settings import JudgeSettings, ModelSettings


@dataclass(frozen=True)
class Sofar:
    """How a run stands: seconds left and price so far, None where they are not known."""

    seconds_left: float | None
    price: float | None

    @property
    def told(self) -> str:
        """Both in words, such as '0:41:10 left, price 1.23'."""
        parts = []
        if self.seconds_left is not None:
            parts.append(f"{timedelta(seconds=round(self.seconds_left))} left")
        if self.price is not None:
            parts.append(f"price {self.price:,.2f}")
        return ", ".join(parts)


Tell = Callable[["Progress", Sofar], None]


class Meter:
    """Watches one session of a run. What earlier sessions had settled takes no time and tells no pace."""

    def __init__(
        self, model: ModelSettings, judge: JudgeSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._model, self._judge, self._clock = model, judge, clock
        self._started = self._last = clock()
        self._fresh = 0

    def sofar(self, step: Progress) -> Sofar:
        """How the run stands after step."""
        from evaluation.estimate import price_of, usage

        now = self._clock()
        if step.fresh:
            self._fresh += 1
        else:
            self._started += now - self._last
        self._last = now
        pace = (now - self._started) / self._fresh if self._fresh else None
        left = None if pace is None else pace * (step.total - step.done)
        return Sofar(left, price_of(usage(step.uses, self._model, self._judge)))


@contextmanager
def shown(total: int, quiet: bool, labels: Sequence[str]) -> Iterator[Callable[[str], Tell]]:
    """Show runs of total questions while the block runs; gives what tells the steps of the one with a label.

    Bars on a terminal, a line a question elsewhere, nothing when quiet.
    """
    if quiet:
        yield lambda label: lambda step, sofar: None
        return
    if not sys.stderr.isatty():
        lock = threading.Lock()

        def lines(label: str) -> Tell:
            def line(step: Progress, sofar: Sofar) -> None:
                result = f"{step.stars} stars" if step.stars is not None else f"unscored, {step.reason}"
                name = f"{label} " if len(labels) > 1 else ""
                more = f" ({sofar.told})" if sofar.told else ""
                with lock:
                    common.say(f"{name}[{step.done}/{step.total}] {step.question_id}: {result}{more}")

            return line

        yield lines
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(
        *columns, TextColumn("{task.fields[told]}"), console=Console(stderr=True), transient=True
    ) as bars:
        tasks = {label: bars.add_task(escape(label), total=total, told="") for label in labels}

        def bar(label: str) -> Tell:
            return lambda step, sofar: bars.update(tasks[label], completed=step.done, told=sofar.told)

        yield bar
