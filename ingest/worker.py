"""The reading process: JSON lines in, JSON lines out; started and watched by ingest.pool.

Run as `python -m ingest.worker`. The first line gives the settings and the assets folder, each
further line one document: {"op": "read" | "extract", "path": ...}, with "key": true where it was
said to be a key. Each gets one line back:
{"ok": record} or {"error": {"code", "message", "remedy"}}.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from schemas.document import Asset
from schemas.errors import ExamBankError
from schemas.settings import Settings

_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/bmp": "bmp",
    "image/tiff": "tif",
    "image/wmf": "wmf",
    "image/emf": "emf",
    "image/svg+xml": "svg",
}
_PATH = re.compile(r"(?:[A-Za-z]:)?[\\/](?:[^\s\\/'\"]+[\\/])+")
_MESSAGE_CHARS = 200
_SAVE_AGAIN = "open the file in its own program, save it again and retry; report it if that fails"
_BACKSTOP = 2  # times max_memory_mb: what a process may reserve between two looks of the pool


def asset_name(asset: Asset) -> str:
    """File name of an asset: its digest with the ending of its media type."""
    return f"{asset.digest}.{_ENDINGS.get(asset.media_type, 'bin')}"


def store_assets(assets: Iterable[Asset], folder: Path) -> None:
    """Write assets into a folder under their own names; each appears whole or not at all."""
    for asset in assets:
        target = folder / asset_name(asset)
        if target.exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".asset-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(asset.data)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def answer(request: Mapping[str, Any], settings: Settings, assets_dir: Path) -> str:
    """The reply to one request as a JSON line; never raises for what a document did."""
    path = Path(str(request["path"]))
    try:
        if request["op"] == "pictures":
            from ingest.pictures import make

            return f'{{"ok": {make(path, request, assets_dir, settings.read.max_pixels).model_dump_json()}}}'
        from ingest.readers import read

        document, assets = read(path, settings.read)
        store_assets(assets, assets_dir)
        if request["op"] == "read":
            return f'{{"ok": {document.model_dump_json()}}}'
        from ingest.segment import segment

        extraction = segment(document, settings.segment, key=bool(request.get("key"))).model_dump_json()
        if request["op"] == "look":
            return f'{{"ok": {{"document": {document.model_dump_json()}, "extraction": {extraction}}}}}'
        return f'{{"ok": {extraction}}}'
    except ExamBankError as error:
        return json.dumps({"error": error.as_dict()})
    except MemoryError:
        allowed = f"(limit max_memory_mb, {settings.read.max_memory_mb:,})"
        remedy = "raise read.max_memory_mb, or split the document"
        return _refusal("max_memory_mb", f"the document needs more memory than there is {allowed}", remedy)
    except Exception as error:
        text = _PATH.sub("", str(error).replace(str(path), path.name))
        short = f"{type(error).__name__}: {text}"[:_MESSAGE_CHARS].strip().rstrip(":")
        return _refusal("reader_failed", f"the file could not be read ({short})")


def _refusal(code: str, message: str, remedy: str = _SAVE_AGAIN) -> str:
    return json.dumps({"error": {"code": code, "message": message, "remedy": remedy}})


def _end_with_parent() -> None:
    """Nobody is left to answer: end the programs this process started, then itself."""
    import psutil

    with contextlib.suppress(psutil.Error):
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
    if Path(tempfile.gettempdir()).name.startswith("exambank-child-"):  # given by the pool, nobody else's
        shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)
    os._exit(0)


def _cap_memory(megabytes: int) -> None:
    """Let this process and those it starts reserve no more than this, each; not on Windows."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        cap = megabytes * 1_000_000
        resource.setrlimit(
            resource.RLIMIT_DATA, (cap if most == resource.RLIM_INFINITY else min(cap, most), most)
        )


def _listen(source: IO[bytes], requests: queue.SimpleQueue[bytes]) -> None:
    for line in source:
        requests.put(line)
    _end_with_parent()


def main() -> None:
    """Serve requests until the parent closes the pipe or dies."""
    # Libraries print: they get stderr, and no program started here inherits the pipes.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    source = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout = sys.stderr

    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(source, requests), daemon=True).start()
    setup = json.loads(requests.get())
    settings = Settings.model_validate(setup["settings"])
    assets_dir = Path(setup["assets_dir"])
    _cap_memory(_BACKSTOP * settings.read.max_memory_mb)
    while True:
        replies.write(answer(json.loads(requests.get()), settings, assets_dir) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
