"""Which files a command reads: folders walked in sorted order, everything left out with its reason."""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from flows.names import Aliases, decoded
from flows.outcome import FileOutcome
from schemas.errors import UsageError

# Kinds of file that lie among exam papers and are none. Any other name is opened and judged by content.
NOT_DOCUMENTS = re.compile(
    r"txt|md|rst|tsv|csv|json|jsonl|xml|ya?ml|toml|ini|cfg|log|html?|css|js|py|ipynb|sh|tex|bib|zip|rar|7z|gz|tar"
    r"|xz|bz2|xlsx?|pptx?|odp|ods|mp3|mp4|wav|avi|mov|mkv|exe|dll|so|db|sqlite|parquet|bak|tmp|lnk|url|torrent"
)
_SYSTEM = frozenset({"thumbs.db", "desktop.ini"})


@dataclass(frozen=True)
class Source:
    """One file to read: where it is, its SHA-256 and the names of the folders above it.

    path is valid UTF-8 throughout. told is what reports say: the path from the folder the user
    named, or the bare name of a file named on its own; where the folder stands is nobody's business.
    """

    path: Path
    sha256: str
    folder: str
    told: str


@dataclass
class Found:
    """Files to read, in order and each content once; and what was left out or refused.

    A context: at its end the readable paths made for files of unreadable names are gone.
    """

    sources: list[Source] = field(default_factory=list)
    others: list[FileOutcome] = field(default_factory=list)
    aliases: Aliases = field(default_factory=Aliases)

    def __enter__(self) -> Found:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.aliases.close()


def find(paths: Sequence[Path], max_bytes: int) -> Found:
    """The files under paths: those named, and those in the folders named.

    Hidden files, known non-documents and banks inside folders are skipped; a file named on its own
    is always read. Links are not followed out of a folder. Content that was seen is read once.
    Raises UsageError for a path that is not there.
    """
    found = Found()
    seen: dict[str, tuple[Path, str]] = {}
    for path in paths:
        if not path.exists():
            raise UsageError(
                f"There is no file or folder {decoded(path)}.",
                code="no_path",
                remedy="Check the name and try again.",
            )
        if path.is_dir():
            root = path.resolve()
            for child, reason in _walk(root, root):
                inside = child.relative_to(root)
                told = decoded(inside) if inside.name else decoded(root.name)
                if reason:
                    found.others.append(_other(told, "skipped", reason))
                else:
                    folder = decoded(root.name / inside.parent)
                    _take(child, told, folder, found, seen, max_bytes)
        else:
            folder = decoded(path.resolve().parent.name)
            _take(path, decoded(path.name), folder, found, seen, max_bytes)
    return found


def documents_in(folder: Path) -> Iterator[Path]:
    """The files that `find` takes from a folder."""
    root = folder.resolve()
    return (path for path, reason in _walk(root, root) if not reason)


def _walk(folder: Path, root: Path) -> Iterator[tuple[Path, str]]:
    """(path, reason to leave it out or '') of everything under folder, in sorted order."""
    try:
        entries = sorted(folder.iterdir(), key=lambda p: p.name)
    except OSError as error:
        yield folder, f"folder cannot be opened: {error.strerror}"
        return
    for path in entries:
        if path.name.startswith("."):
            yield path, "hidden"
        elif path.is_symlink() and (where := _bad_link(path, root)):
            yield path, where
        elif path.is_dir():
            if (path / "questions" / "_delta_log").is_dir():
                yield path, "a bank"
            else:
                yield from _walk(path, root)
        elif path.name.startswith("~$"):
            yield path, "lock file of an open Word document"
        elif path.name.lower() in _SYSTEM or NOT_DOCUMENTS.fullmatch(path.suffix.lower()[1:]):
            yield path, f"not a document by its name ({path.suffix or path.name})"
        else:
            yield path, ""


def _bad_link(path: Path, root: Path) -> str:
    """Why a link is not followed, '' when it may be: it leads to a file below root."""
    try:
        target = path.resolve(strict=True)
        if path.is_dir():
            return "link to a folder"
    except (OSError, RuntimeError):  # RuntimeError: a link to itself, before Python 3.13
        return "link to nothing"
    return "" if target.is_relative_to(root) else "link out of the folder"


def _take(
    path: Path, told: str, folder: str, found: Found, seen: dict[str, tuple[Path, str]], max_bytes: int
) -> None:
    name = Path(told).name
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            found.others.append(_other(told, "skipped", "not a regular file"))
            return
        if info.st_size > max_bytes:
            message = f"{name} has {info.st_size:,} bytes; the limit max_bytes is {max_bytes:,}"
            found.others.append(
                _other(told, "refused", message, code="max_bytes", remedy="raise read.max_bytes, or split it")
            )
            return
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        message = f"{name} cannot be opened: {error.strerror}"
        found.others.append(
            _other(told, "refused", message, code="unreadable", remedy="check the file's permissions")
        )
        return
    if not info.st_size:
        reason, remedy = f"{name} is empty (0 bytes)", "Fetch the file again from its source."
        found.others.append(_other(told, "refused", reason, code="empty", sha256=sha256, remedy=remedy))
        return
    if sha256 in seen:
        first, first_told = seen[sha256]
        if first.resolve() != path.resolve():  # named twice is not worth a word
            reason = f"same content as {first_told}"
            found.others.append(_other(told, "repeated", reason, sha256=sha256))
        return
    try:
        readable = found.aliases.readable(path)
    except OSError as error:
        message = f"the name of {name} is no valid text, and no copy can be made: {error.strerror}"
        found.others.append(_other(told, "refused", message, code="file_name", remedy="rename the file"))
        return
    seen[sha256] = (path, told)
    found.sources.append(Source(readable, sha256, folder, told))


def _other(
    told: str, outcome: str, reason: str, *, code: str = "", remedy: str = "", sha256: str = ""
) -> FileOutcome:
    return FileOutcome(
        source=Path(told).name,
        path=told,
        sha256=sha256,
        outcome=outcome,
        code=code,
        reason=reason,
        remedy=remedy,
    )
