"""`ingest`: files into the bank as one version, through Prefect with threads or on a Dask cluster."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from flows import reading, server
from flows.batch import Batch, BatchReport, Result, open_batches
from flows.files import Found, Source, find
from flows.vision import second_reader
from ingest.ocr.formula import resolve as formula_model
from schemas.errors import BankError, ExamBankError, UsageError
from schemas.settings import Settings

if TYPE_CHECKING:
    from bank.store import Bank

CONNECT_SECONDS = 10.0


def plan(paths: Sequence[Path], answers: Sequence[str], settings: Settings) -> tuple[Found, dict[str, str]]:
    """The files to read, keys named by --answers among them, and paper -> key by SHA-256."""
    second_reader(settings.vision)  # what is wrong with the models is told before the work begins
    formula_model(settings.read)
    pairs = reading.parse_answers(answers, paths)
    found = find([*paths, *(key for _, key in pairs)], settings.read.max_bytes)
    if not found.sources and not found.others:
        raise UsageError(
            "There is nothing to read: " + ", ".join(map(str, paths)) + " is empty.",
            code="no_files",
            remedy="Name exam files, or a folder that holds some.",
        )
    return found, reading.answer_hashes(pairs)


def ingest(
    found: Found,
    answers: dict[str, str],
    settings: Settings,
    *,
    batch: str,
    bank_path: Path,
    dry_run: bool,
    why: str,
    progress: Callable[[Source, Result], None],
) -> BatchReport:
    """Read the files and add them to the bank at bank_path, which is made if it is not there.

    Once a process: Prefect keeps the settings it was imported with. Raises ExamBankError.
    """
    if settings.run.runner == "dask" and settings.run.address:
        check_scheduler(settings.run.address)
    with ExitStack() as stack:
        bank = _bank(bank_path, create=not dry_run)
        if bank is not None:
            cache = bank.cache_dir
        else:
            cache = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="exambank-")))
        running = Batch(
            name=batch,
            sources=found.sources,
            others=found.others,
            settings=settings,
            cache_dir=cache,
            bank=bank,
            dry_run=dry_run,
            answers=answers,
            why=why,
            progress=progress,
        )
        server.sweep(cache)
        stack.callback(reading.close_pools)
        stack.enter_context(server.prefect_server(cache / "prefect", settings.run.address))
        open_batches[batch] = running
        stack.callback(open_batches.pop, batch)
        from flows import documents

        size = min(reading.jobs(settings), max(len(found.sources), 1))
        documents.run(batch, settings.run.runner, settings.run.address, size)
    if running.report is None:
        raise ExamBankError("The flow ended without a report.", code="flow")
    return running.report


def _bank(path: Path, *, create: bool) -> Bank | None:
    """The bank at path, made first if need be; None for a dry run where there is none."""
    from bank.store import Bank

    try:
        return Bank.open(path)
    except BankError as error:
        if error.code != "no_bank":
            raise
    if not create:
        return None
    try:
        return Bank.create(path)
    except BankError as error:
        if error.code != "bank_exists":  # another process made it in the meantime
            raise
        return Bank.open(path)
    except OSError as error:
        raise UsageError(
            f"No bank can be made in {path}: {error.strerror}.",
            code="bank_path",
            remedy="Name a folder that can be written, with --bank.",
        ) from None


def check_scheduler(address: str) -> None:
    """Fail at once, with the remedy, when no scheduler listens there."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    try:
        if not host or not port.isdigit():
            raise UsageError(
                f"{address!r} is no address of a Dask scheduler.",
                code="dask_address",
                remedy="Give it as tcp://HOST:PORT, as `dask scheduler` prints it.",
            )
        with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS):
            return
    except OSError as error:
        raise ExamBankError(
            f"No Dask scheduler answers at {address}: {error}",
            code="dask_unreachable",
            remedy="Start one with `dask scheduler` and workers with `dask worker ADDRESS`.",
        ) from None
