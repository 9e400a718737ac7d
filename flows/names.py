"""Names of files that are no plain text, as archives from other systems or hostile hands leave them."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

_STEERS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]")
_LONGEST = 255  # bytes of a name that file systems take


def decoded(path: str | Path) -> str:
    """A path as text that can be written and shown anywhere.

    Each part is read as UTF-8, else as GB18030 (what Chinese Windows writes), else with U+FFFD in
    place of what cannot be read. U+FFFD stands too for what would steer a terminal or forge a line of a
    report: control characters, line ends, and marks that turn the direction of writing.
    """
    return "/".join(_STEERS.sub("\ufffd", _decoded(part)) for part in os.fsencode(path).split(b"/"))


def _decoded(part: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            return part.decode(encoding)
        except UnicodeDecodeError:
            continue
    return part.decode("utf-8", "replace")


class Aliases:
    """Readable paths of files whose own are none, in a private folder made on first use.

    Readers, pipes and records outside of this module take paths of valid UTF-8 alone, and names
    without characters that steer a terminal.
    """

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._made = 0

    def readable(self, path: Path) -> Path:
        """The path itself where it is plain text, else a link or copy under the decoded name.

        Raises OSError where neither can be made.
        """
        real = path.resolve()
        if _is_text(path.absolute()) and _is_text(real):
            return path
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="exambank-", ignore_cleanup_errors=True)
        self._made += 1
        alias = Path(self._folder.name) / str(self._made) / _short(decoded(path.name))
        alias.parent.mkdir()
        try:
            alias.hardlink_to(real)
        except OSError:  # another file system, or one without links
            shutil.copyfile(real, alias)
        return alias

    def close(self) -> None:
        """Remove the links and copies."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _is_text(path: Path) -> bool:
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return False
    return _STEERS.search(path.name) is None


def _short(name: str) -> str:
    """The name cut to what a file system takes, its ending kept: UTF-8 is longer than GBK."""
    if len(name.encode()) <= _LONGEST:
        return name
    stem, dot, ending = name.rpartition(".")
    tail = f"{dot}{ending}" if dot and len(ending) <= 8 else ""
    room = _LONGEST - len(tail.encode())
    return (stem if tail else name).encode()[:room].decode(errors="ignore") + tail
