"""Who looks for duplicates: this process alone, processes beside it, or the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from schemas.errors import ExamBankError
from schemas.settings import RunSettings


@dataclass(frozen=True)
class Hands:
    """What bank.dedup.whole.regroup is to work with."""

    pool: Executor | None = None
    threads: int = 1
    shards: Executor | None = None


@contextmanager
def hands(run: RunSettings, questions: int) -> Iterator[Hands]:
    """Those the settings ask for, for so many questions. ExamBankError for a cluster that does not answer."""
    from bank.dedup.pool import processes

    size = run.workers or os.cpu_count() or 1
    if run.runner != "dask":
        with processes(size, questions) as pool:
            yield Hands(pool, size)
        return
    with _client(run.address, size) as client:
        executor = client.get_executor(pure=False)
        yield Hands(executor, size, executor)


@contextmanager
def _client(address: str, size: int) -> Iterator[Any]:
    import distributed

    from flows.ingest import check_scheduler

    dask: Any = distributed  # its functions have no types
    local: Any = None
    if address:
        check_scheduler(address)
    else:
        local = dask.LocalCluster(n_workers=size, threads_per_worker=1, dashboard_address=None)
    try:
        with dask.Client(address or local, set_as_default=False) as client:
            _require_same_code(client)
            yield client
    finally:
        if local is not None:
            local.close()


def _require_same_code(client: Any) -> None:  # noqa: ANN401 (its functions have no types)
    from bank.dedup.index import code

    ours = code()
    client.wait_for_workers(1, timeout=60)
    if any(theirs != ours for theirs in client.run(code).values()):
        raise ExamBankError(
            "A Dask worker runs another version of exambank.",
            code="worker_version",
            remedy="Install the same version on every machine and start the workers again.",
        )
