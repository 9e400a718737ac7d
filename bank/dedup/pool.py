"""Processes that fold and judge beside this one."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

_FROM = 5_000  # questions; below, starting processes takes longer than they save


@contextmanager
def processes(workers: int, questions: int) -> Iterator[Executor | None]:
    """A pool of so many processes for so many questions; None where this one does better alone."""
    if workers < 2 or questions < _FROM:
        yield None
        return
    import multiprocessing

    # Not forked: the table's library starts threads of its own, and forbids it.
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
