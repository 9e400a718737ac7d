"""Arrays and words made of the files here, kept in the user's cache so that the next process has them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import sys
import threading
import unicodedata
import zipfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import schemas.taxonomy
from ingest.places import cache_home

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[np.generic]]

_OF = {".py", ".tsv", ".npz"}


@cache
def sources_digest() -> str:
    """Digest of all that the word model is made of: lists and code here, taxonomy, versions of the makers."""
    import numpy as np

    taxonomy = Path(schemas.taxonomy.__file__)
    files = [taxonomy, taxonomy.with_suffix(".toml")]
    files += sorted(file for file in Path(__file__).parent.rglob("*") if file.suffix in _OF)
    made_with = f"{sys.version} {unicodedata.unidata_version} {np.__version__} {version('scipy')}"
    digest = hashlib.sha256(made_with.encode())
    for file in files:
        content = file.read_bytes()
        digest.update(f"\n{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def kept(make: Callable[[], Arrays], name: str = "words", *, home: Path | None = None) -> Arrays:
    """What make gives: from the cache where it was kept for these very sources, else made and kept.

    A file that is damaged or of other sources is never used. Where nothing can be written, it is
    made each time. The arrays hold numbers only; reading the file runs nothing.
    """
    import numpy as np

    try:
        folder = home or cache_home() / "classify"
    except RuntimeError:  # an account without a home
        return make()
    key = sources_digest()
    path = folder / f"{name}-{key[:32]}.npz"
    # zipfile checks each part's sum as it is read.
    with (
        contextlib.suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile),
        np.load(path, allow_pickle=False) as found,
    ):
        if found["key"].tobytes().decode() == key:
            return {name: found[name] for name in found.files if name != "key"}
    made = make()
    stream = io.BytesIO()
    arrays = {**made, "key": np.frombuffer(key.encode(), np.uint8)}
    np.savez(stream, allow_pickle=False, **arrays)
    _keep(path, stream.getvalue(), name)
    return made


def _keep(path: Path, data: bytes, name: str) -> None:
    """Whole or not at all; what was kept of earlier sources goes."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            fresh.write_bytes(data)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
        for old in path.parent.glob(f"{name}-*.npz"):
            if old != path:
                old.unlink(missing_ok=True)
