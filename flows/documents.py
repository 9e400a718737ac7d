"""The Prefect flow of a batch: one task per document, answered from the cache where nothing changed.

Importing this module imports Prefect: flows.server has to have set its environment before.
"""

from __future__ import annotations

from typing import Any

from prefect import flow, task


def _key(context: object, parameters: dict[str, Any]) -> str:
    """File, stage version and settings, hashed by flows.stage.cache_key: nothing of this run."""
    return str(parameters["key"])


# The bodies below travel to Dask workers as values: what they use is imported inside them.
@task(
    task_run_name="read {name}",
    persist_result=True,
    result_serializer="json",
    cache_key_fn=_key,
)
def extract_document(
    key: str,
    name: str,
    path: str,
    sha256: str,
    code: str,
    settings: dict[str, Any],
    assets: str,
    size: int,
    answers: bool,
) -> dict[str, Any]:
    """The extraction of one file as JSON values. Raises RefusedError, which is never cached.

    key: under which the result is kept. code: code version of the stage where the flow runs.
    size: reading processes of this process, 0 = as many as the Dask worker has threads. answers: the
    file was named as a key.
    """
    from pathlib import Path

    from flows.reading import extract_checked, shared_pool
    from flows.stage import code_version
    from schemas.errors import ExamBankError
    from schemas.settings import Settings

    if code_version("extract") != code:
        raise ExamBankError(
            "A Dask worker runs another version of exambank.",
            code="worker_version",
            remedy="Install the same version on every machine and start the workers again.",
        )
    if size == 0:
        from distributed import get_worker

        size = int(get_worker().state.nthreads)
    pool = shared_pool(size, Settings.model_validate(settings), Path(assets))
    return extract_checked(pool, Path(path), sha256, key=answers).model_dump(mode="json")


@flow(name="ingest", persist_result=False, validate_parameters=False)
def ingest_batch(name: str) -> None:
    """Read the documents of the batch that is open under this name, then finish it."""
    from prefect.futures import as_completed

    from flows.batch import open_batches
    from flows.documents import extract_document

    batch = open_batches[name]
    reader = extract_document.with_options(result_storage=batch.results_dir)
    waiting = {reader.submit(**parameters): place for place, parameters in enumerate(batch.tasks())}
    try:
        for future in as_completed(list(waiting)):
            future.wait()
            batch.take(waiting[future], future.result(raise_on_failure=False))
    except BaseException:
        batch.abandon()
        raise
    batch.finish()


def run(name: str, runner: str, address: str, size: int) -> None:
    """Run the flow for the open batch of this name with threads, or on a Dask cluster."""
    chosen: Any
    if runner == "threads":
        from prefect.task_runners import ThreadPoolTaskRunner

        chosen = ThreadPoolTaskRunner(max_workers=size)
    else:
        from prefect_dask.task_runners import DaskTaskRunner

        local = {"n_workers": size, "threads_per_worker": 1, "dashboard_address": None}
        chosen = DaskTaskRunner(address=address) if address else DaskTaskRunner(cluster_kwargs=local)
    ingest_batch.with_options(task_runner=chosen)(name)
