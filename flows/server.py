"""The temporary Prefect server of one run: a child that ends with the process that started it.

Run as `python -m flows.server HOST PORT`; its standard input is the leash.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemas.errors import ExamBankError, UsageError

STARTUP_SECONDS = 120.0
_QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_CLI_PROMPT": "false",
    "PREFECT_UI_ENABLED": "false",
    "PREFECT_SERVER_UI_ENABLED": "false",
}

_PREFECT_REMEDY = "Start one with `prefect server start`, and give its address: http://127.0.0.1:4200/api."
_SILENT = {"DO_NOT_TRACK", "PREFECT_CLI_PROMPT"}


@contextlib.contextmanager
def prefect_server(folder: Path, address: str) -> Iterator[None]:
    """Start a server of our own and point this process's Prefect at it; Prefect is not imported yet.

    folder: where its private home is made (and removed). address: of a Dask scheduler, whose
    workers must reach the server; '' or loopback keeps it on loopback. The user's own Prefect
    profile, database and server are not touched. Raises ExamBankError when it does not start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=folder, ignore_cleanup_errors=True) as home:
        host = _own_address(address)
        port = _free_port(host)
        password = f"exambank:{secrets.token_urlsafe(24)}"
        own = {
            **_QUIET,
            "PREFECT_HOME": home,
            "PREFECT_PROFILES_PATH": str(Path(home) / "profiles.toml"),
            "PREFECT_API_URL": f"http://{host}:{port}/api",
            "PREFECT_API_AUTH_STRING": password,
            "PREFECT_SERVER_API_AUTH_STRING": password,
        }
        before = {name: value for name, value in os.environ.items() if name.startswith("PREFECT_")}
        for name in before:  # a profile, a cloud key, a debug mode: none of it is ours
            del os.environ[name]
        os.environ.update(own)
        child = _start(host, port)
        try:
            importlib.import_module("prefect.flows")  # slow: while the server starts
            _wait_until_up(child, host, port, password)
            yield
        finally:
            child.kill()
            child.wait()
            for name in own:
                os.environ.pop(name, None)
            os.environ.update(before)


@contextlib.contextmanager
def own_server(url: str) -> Iterator[None]:
    """Point this process's Prefect at the user's server at url; Prefect is not imported yet.

    What it takes to get in (PREFECT_API_KEY, PREFECT_API_AUTH_STRING) stays as the environment has
    it. Raises ExamBankError when no Prefect server answers there.
    """
    address = url.rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise UsageError(f"{url!r} is no address of a Prefect server.", remedy=_PREFECT_REMEDY)
    address = address if address.endswith("/api") or "/api/" in address else f"{address}/api"
    _check_up(address)
    own = {name: _QUIET[name] for name in _QUIET if name.startswith("PREFECT_LOGGING_") or name in _SILENT}
    own["PREFECT_API_URL"] = address
    before = {name: os.environ[name] for name in own if name in os.environ}
    os.environ.update(own)
    try:
        yield
    finally:
        for name in own:
            os.environ.pop(name, None)
        os.environ.update(before)


def _check_up(address: str) -> None:
    told = ""
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=10):  # noqa: S310 - http or https, see below
            return
    except urllib.error.HTTPError as error:
        if error.code in {401, 403}:  # it is there; whether we may come in is Prefect's to tell
            return
        told = str(error)
    except (OSError, ValueError) as error:
        told = str(error)
    raise ExamBankError(
        f"No Prefect server answers at {address}: {told}",
        code="prefect_unreachable",
        remedy=_PREFECT_REMEDY,
    )


def sweep(cache: Path, hours: float = 48.0) -> None:
    """Remove what nobody asks for again, once it is old enough to belong to no run.

    That is: homes of servers whose run was killed, and Prefect's records of tasks that failed
    (32 digits; results that are answered from have 48).
    """
    for path in [*cache.glob("prefect/run-*"), *cache.glob(f"results/{'[0-9a-f]' * 32}")]:
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > hours * 3600:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _start(host: str, port: int) -> subprocess.Popen[bytes]:
    home = str(Path(__file__).resolve().parent.parent)
    known = os.environ.get("PYTHONPATH")
    environment = {**os.environ, "PYTHONPATH": f"{home}{os.pathsep}{known}" if known else home}
    return subprocess.Popen(
        [sys.executable, "-m", "flows.server", host, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,  # Ctrl-C reaches the parent alone
    )


def _wait_until_up(child: subprocess.Popen[bytes], host: str, port: int, password: str) -> None:
    token = base64.b64encode(password.encode()).decode()
    request = urllib.request.Request(
        f"http://{host}:{port}/api/health", headers={"Authorization": f"Basic {token}"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + STARTUP_SECONDS
    while time.monotonic() < until and child.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError), opener.open(request, timeout=5):
            return
        time.sleep(0.05)
    how = "ended by itself" if child.poll() is not None else f"did not answer within {STARTUP_SECONDS:.0f} s"
    raise ExamBankError(
        f"The temporary Prefect server {how}.",
        code="prefect_server",
        remedy="Run the command again; `exambank doctor` tells what is installed.",
    )


def _own_address(address: str) -> str:
    """The address of this machine on the way to a scheduler such as tcp://scheduler.example:8786."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or host in {"localhost", "127.0.0.1", "[::1]"}:
        return "127.0.0.1"
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((host, int(port) if port.isdigit() else 8786))  # sends nothing
            return str(probe.getsockname()[0])
    except OSError:
        return "127.0.0.1"


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _make_tables(connection: Any) -> None:  # noqa: ANN401 - SQLAlchemy's connection
    """All tables at once: 1.5 s, where Prefect's own hundred migrations take 15 s on a new file."""
    from prefect.server.database.orm_models import Base

    for table in Base.metadata.sorted_tables:
        names: set[str] = set()
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            if index.name in names:  # the models declare one index twice
                table.indexes.discard(index)
            names.add(str(index.name))
    Base.metadata.create_all(connection)


async def _make_database() -> None:
    from prefect.server.database import provide_database_interface

    engine = await provide_database_interface().engine()
    async with engine.begin() as connection:
        await connection.run_sync(_make_tables)
    await engine.dispose()


def _end_with_parent() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)


def main(host: str, port: int, *, migrate: bool) -> None:
    """Serve until the parent closes the pipe or dies."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["PREFECT__SERVER_EPHEMERAL"] = os.environ["PREFECT__SERVER_FINAL"] = "1"
    os.environ["PREFECT_API_BLOCKS_REGISTER_ON_START"] = "false"
    os.environ["PREFECT_SERVER_DATABASE_MIGRATE_ON_START"] = str(migrate).lower()
    if not migrate:
        try:
            asyncio.run(_make_database())
        except Exception:  # another version of Prefect: let it make its database its own way
            for file in Path(os.environ["PREFECT_HOME"]).glob("prefect.db*"):
                file.unlink()
            again = [sys.executable, "-m", "flows.server", host, str(port), "migrate"]
            os.execv(sys.executable, again)  # noqa: S606
    import uvicorn
    from prefect.server.api.server import create_app

    uvicorn.run(create_app(ephemeral=True), host=host, port=port, log_level="error", lifespan="on")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), migrate="migrate" in sys.argv[3:])
