"""Ctrl-C and commits: it stops a write before its commit, and waits for the end of one that has begun."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_within = 0  # writes of the main thread that stand between their lock and its release


@contextmanager
def whole() -> Iterator[None]:
    """Around one write, from its lock to the release of it: afterwards Ctrl-C does what it did before."""
    global _within
    if threading.current_thread() is not threading.main_thread():
        yield  # Ctrl-C reaches the main thread alone
        return
    usual = signal.getsignal(signal.SIGINT)
    _within += 1
    try:
        yield
    finally:
        _within -= 1
        if signal.getsignal(signal.SIGINT) is _wait:
            signal.signal(signal.SIGINT, usual)


@contextmanager
def committing() -> Iterator[None]:
    """Around the commit of a write: from here to the end of the write Ctrl-C is let pass.

    The command then ends as done, which it is: told that it was interrupted, its user would take the bank for
    unchanged. Where the commit fails, Ctrl-C works again.
    """
    if not _within or threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.getsignal(signal.SIGINT)
    if usual is None:  # of another language, and could not be put back
        yield
        return
    signal.signal(signal.SIGINT, _wait)
    try:
        yield
    except BaseException:
        signal.signal(signal.SIGINT, usual)
        raise


def _wait(number: int, frame: FrameType | None) -> None:
    del number, frame
