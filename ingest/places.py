"""Where the program keeps what it can make again: one folder in the user's cache."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path:
    """$EXAMBANK_CACHE, or exambank in the user's cache folder. It need not exist yet."""
    own = os.environ.get("EXAMBANK_CACHE")
    if own:
        return Path(own)
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "exambank"
