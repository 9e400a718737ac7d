"""A Dask cluster of separate processes on this machine, for tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flowkit import environment

ROOT = Path(__file__).parents[2]


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[str]:
    """A Dask scheduler and workers as processes on loopback; the scheduler's address."""
    log = folder / "scheduler.log"
    env = environment(PYTHONPATH=str(ROOT), DASK_DISTRIBUTED__DASHBOARD__LINK="")
    dask = [sys.executable, "-m", "dask"]
    nothing: dict[str, Any] = {"stdout": subprocess.DEVNULL, "env": env, "cwd": folder}
    processes = []
    try:
        with log.open("wb") as stream:
            scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
            processes.append(subprocess.Popen(scheduler, stderr=stream, **nothing))
        address = _wait_for(log, r"tcp://127\.0\.0\.1:\d+", processes[0])
        for _ in range(workers):
            worker = [*dask, "worker", address, "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
            processes.append(subprocess.Popen(worker, stderr=subprocess.DEVNULL, **nothing))
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        if found := re.search(pattern, log.read_text(errors="replace")):
            return found[0]
        time.sleep(0.1)
    pytest.fail(f"no scheduler: {log.read_text(errors='replace')[-2000:]}")
    return os.devnull
