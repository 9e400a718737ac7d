"""Reads documents in child processes: a file that hangs, crashes or eats memory costs only itself."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.ocr.formula import resolve
from ingest.pictures import Pictures
from ingest.readers.limits import over
from ingest.second import LONG_SIDE_PX, SecondReader, compare, doubtful
from schemas.document import Document, Origin
from schemas.errors import ExamBankError, MissingToolError, RefusedError
from schemas.question import Extraction
from schemas.settings import ReadSettings, Settings

DOCUMENTS_PER_CHILD = 200
_POLL_SECONDS = 0.25
_GRACE_SECONDS = 5.0
_MAX_REPLY_BYTES = 512_000_000
_STDERR_BYTES = 1_000_000
_MEGABYTE = 1_000_000
_log = logging.getLogger(__name__)


class DocumentPool:
    """Up to `size` reading processes behind two calls, `read` and `extract`; callers are threads.

    Children start when they are needed, stay warm between documents, and end with `close`, with
    the `with` block, or with this process. Limits are those of settings.read: max_seconds of wall
    clock and max_memory_mb (resident, with all programs a child started) for one document.

    second, where given, reads doubtful pages a second time, in the caller's thread: see ingest.second.
    command replaces the child's command line; it must speak the protocol of ingest.worker.
    Raises MissingToolError (formula_model_missing) where a formula model is configured and not there.
    """

    def __init__(
        self,
        size: int,
        settings: Settings,
        assets_dir: Path,
        *,
        second: SecondReader | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        if size < 1:
            raise ValueError("a pool needs at least one process")
        resolve(settings.read)  # a formula model that is not there is told before anything is read
        self._settings, self._assets_dir = settings, assets_dir
        self._second = second
        self._command = list(command) if command else [sys.executable, "-m", "ingest.worker"]
        self._slots = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._all: set[_Child] = set()
        self._closed = False

    def __enter__(self) -> DocumentPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, path: Path) -> Document:
        """The document in a file, its assets stored. Raises RefusedError with code and remedy.

        Besides the readers' own codes: `max_seconds`, `max_memory_mb`, `reader_crashed`, `reader_failed`.
        """
        return Document.model_validate(self._ask("read", path))

    def extract(self, path: Path, *, key: bool = False) -> Extraction:
        """The drafts of a file; key: somebody said it is one. Raises RefusedError as `read` does."""
        if self._second is not None:
            return self.look(path, key=key)[1]
        return Extraction.model_validate(self._ask("extract", path, **_said(key)))

    def look(self, path: Path, *, key: bool = False) -> tuple[Document, Extraction]:
        """The document in a file and its drafts, from one reading. Raises RefusedError as `read` does."""
        both = self._ask("look", path, **_said(key))
        document = Document.model_validate(both["document"])
        extraction = Extraction.model_validate(both["extraction"])
        if self._second is not None:
            return self._compared(path, document, extraction, self._second)
        return document, extraction

    def _compared(
        self, path: Path, document: Document, extraction: Extraction, second: SecondReader
    ) -> tuple[Document, Extraction]:
        wanted = doubtful(document, self._settings.vision)
        if not wanted:
            return document, extraction
        pages = [[p.number, p.rotation, p.asset] for p in document.pages if p.number in wanted]
        reply = self._ask("pictures", path, pages=pages, figures=[], long_side=LONG_SIDE_PX)
        readings: dict[int, str] = {}
        failed: dict[int, str] = {}
        for number, name in Pictures.model_validate(reply).pages.items():
            picture = self._assets_dir / name
            try:
                readings[number] = second(picture.read_bytes())
            except ExamBankError as error:
                failed[number] = error.message
            finally:
                picture.unlink(missing_ok=True)
        return compare(document, extraction, readings, self._settings.vision, failed=failed)

    def pictures(self, path: Path, document: Document, *, long_side: int, laid_out: bool = False) -> Pictures:
        """Pictures to show of a document this pool has read, left in the assets folder.

        long_side of a page's picture in pixels; laid_out: whether the text of a Word file is wanted on
        pages too, which takes LibreOffice some seconds. What cannot be drawn has no picture. Raises
        RefusedError as `read` does.
        """
        paged = document.format in {"pdf", "image"}
        pages = [[p.number, p.rotation, p.asset] for p in document.pages if paged or p.asset]
        figures = sorted({block.asset for block in document.blocks if block.asset})
        typed = any(page.method in {Origin.WORD, Origin.CONVERTED} for page in document.pages)
        ending = document.format if laid_out and typed else ""
        reply = self._ask(
            "pictures", path, pages=pages, figures=figures, long_side=long_side, laid_out=ending
        )
        return Pictures.model_validate(reply)

    def close(self) -> None:
        """End all children at once; documents still being read are refused as `interrupted`."""
        with self._lock:
            self._closed = True
            children, self._idle = list(self._all), []
        for child in children:
            child.kill()

    def _ask(self, op: str, path: Path, **more: object) -> Any:  # noqa: ANN401  the record as parsed JSON
        request: dict[str, object] = {"op": op, "path": str(path.resolve()), **more}
        with self._slots:
            child = self._send(request)
            keep = False
            try:
                reply = child.reply(self._settings.read)
                keep = self._worth_keeping(child)
            except RefusedError:
                if self._closed:
                    raise _interrupted() from None
                raise
            finally:
                self._put_back(child, keep=keep)
        if "ok" in reply:
            return reply["ok"]
        error = reply["error"]
        kind = MissingToolError if error["code"] == MissingToolError.code else RefusedError
        raise kind(error["message"], remedy=error["remedy"], code=error["code"])

    def _send(self, request: dict[str, object]) -> _Child:
        """Hand a request to an idle child, else to a new one; one that died while idle is replaced."""
        while True:
            with self._lock:
                if self._closed:
                    raise _interrupted()
                child = self._idle.pop() if self._idle else None
                fresh = child is None
                if child is None:
                    child = _Child(self._command, self._settings, self._assets_dir)
                    self._all.add(child)
            try:
                child.send(request)
            except OSError as error:
                self._put_back(child, keep=False)
                if fresh:
                    raise child.crashed() from error
                continue
            return child

    def _worth_keeping(self, child: _Child) -> bool:
        half = self._settings.read.max_memory_mb * _MEGABYTE / 2
        return child.served < DOCUMENTS_PER_CHILD and 0 < child.memory() <= half

    def _put_back(self, child: _Child, *, keep: bool) -> None:
        with self._lock:
            if keep and not self._closed:
                self._idle.append(child)
                return
            self._all.discard(child)
        child.kill()


class _Child:
    """One reading process with its pipes."""

    def __init__(self, command: list[str], settings: Settings, assets_dir: Path) -> None:
        self.served = 0
        self._killing, self._killed = threading.Lock(), False
        # What a killed child leaves behind goes with its own folder.
        self._folder = tempfile.TemporaryDirectory(prefix="exambank-child-", ignore_cleanup_errors=True)
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the child
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=_environment(self._folder.name),
            start_new_session=True,  # one group to kill; Ctrl-C reaches the parent alone
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._pump = threading.Thread(target=self._listen, daemon=True)
        self._pump.start()
        setup = {"settings": settings.model_dump(mode="json"), "assets_dir": str(assets_dir.resolve())}
        with contextlib.suppress(OSError):  # a child that is already dead shows when it is asked
            self._write(setup)

    def _listen(self) -> None:
        """Hand over reply lines; an empty one means the child has closed its end."""
        stream = self._process.stdout
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(_MAX_REPLY_BYTES):
                self._lines.put(line)
        self._lines.put(b"")

    def _write(self, message: dict[str, Any]) -> None:
        stream = self._process.stdin
        assert stream is not None
        stream.write(json.dumps(message).encode() + b"\n")
        stream.flush()

    def send(self, request: dict[str, object]) -> None:
        """Send one request; raises OSError when the child is gone."""
        if self._process.poll() is not None:
            raise BrokenPipeError
        self._write(request)

    def reply(self, limits: ReadSettings) -> dict[str, Any]:
        """Wait for the reply within the limits; raises RefusedError when one is passed."""
        until = time.monotonic() + limits.max_seconds
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise over(limits, "max_seconds", "reading did not come to an end in time")
            try:
                line = self._lines.get(timeout=min(left, _POLL_SECONDS))
            except queue.Empty:
                if self.memory() > limits.max_memory_mb * _MEGABYTE:
                    raise over(limits, "max_memory_mb", "reading needed too much memory") from None
                continue
            try:
                message = json.loads(line)
            except ValueError:
                raise self.crashed() from None
            if not isinstance(message, dict) or not message.keys() & {"ok", "error"}:
                raise self.crashed()
            self.served += 1
            self._shorten_stderr()
            return message

    def memory(self) -> int:
        """Resident bytes of the child and every program it started, 0 when it is gone."""
        import psutil

        total = 0
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            for one in [process, *process.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    total += one.memory_info().rss
        return total

    def crashed(self) -> RefusedError:
        """The refusal for a child that ended by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_GRACE_SECONDS)
        code = self._process.returncode
        how = "stopped answering"
        if code is not None:
            how = f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        with contextlib.suppress(OSError, ValueError):
            size = self._stderr.seek(0, os.SEEK_END)
            self._stderr.seek(max(size - 2000, 0))
            _log.debug("reading process %s: %s", how, self._stderr.read().decode(errors="replace"))
        return RefusedError(
            f"the reading process {how}",
            code="reader_crashed",
            remedy="open the file in its own program, save it again and retry",
        )

    def _shorten_stderr(self) -> None:
        if os.fstat(self._stderr.fileno()).st_size > _STDERR_BYTES:
            self._stderr.truncate(0)

    def kill(self) -> None:
        """End the child and every program of its session; safe to call twice."""
        with self._killing:
            if self._killed:
                return
            self._killed = True
            # Programs make groups of their own, but none leaves the session the child leads.
            for pid in _session(self._process.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._pump.join(timeout=_GRACE_SECONDS)
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            with contextlib.suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()
        self._folder.cleanup()


def _said(key: bool) -> dict[str, bool]:
    """What a request says of a file that was named as a key."""
    return {"key": True} if key else {}


def _session(leader: int) -> list[int]:
    """Processes of the session a child leads, the child first."""
    import psutil

    found = []
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getsid(pid) == leader:
                found.append(pid)
    return sorted(found, key=lambda pid: pid != leader)


def _interrupted() -> RefusedError:
    return RefusedError("reading was interrupted", code="interrupted", remedy="run the command again")


def _environment(folder: str) -> dict[str, str]:
    """The child's environment: one thread, its own folder for temporary files, this very package."""
    threads = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
    )
    environment = {**os.environ, **threads, "TMPDIR": folder}
    home = Path(__file__).resolve().parent.parent
    if home.name not in {"site-packages", "dist-packages"}:
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{home}{os.pathsep}{known}" if known else str(home)
    return environment
