"""Names for versions of a bank: what is named is never vacuumed, and stands wherever a number may."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from bank import sums
from bank.files import locked, write_whole
from schemas.document import Frozen
from schemas.errors import BankError, UsageError
from schemas.text import digest

if TYPE_CHECKING:
    from bank.store import Bank

FILE, MARK = "tags.json", "tags"
_DIGEST = re.compile("[0-9a-f]{64}")
_NAME = re.compile(r"[^\W\d_][\w.-]{0,62}")


class Tag(Frozen):
    """A name of one version, who gave it, why and when."""

    name: str
    version: int = Field(ge=0)
    who: str = ""
    why: str = ""
    at: str = Field(default="", description="RFC 3339, UTC")


def tags(bank: Bank) -> list[Tag]:
    """The tags of a bank, by version and name; BankError `tags_damaged` when their file is no use."""
    path = bank.path / FILE
    try:
        data = path.read_bytes()
        found = [Tag.model_validate(entry) for entry in json.loads(data)]
        known = digests(bank.path)
        if known and digest(data) not in known and found:
            raise ValueError
    except FileNotFoundError:
        if not sums.marked(bank.path, MARK):
            return []
        raise BankError(
            f"The tags of the bank are missing: {path}.",
            code="tags_damaged",
            remedy="Restore the file from a backup. Until then no version is vacuumed. To go on without "
            "any tag, write [] into it.",
        ) from None
    except (OSError, ValueError, TypeError, ValidationError) as error:
        raise BankError(
            f"The tags of the bank are not what was written: {path}.",
            code="tags_damaged",
            remedy="Restore the file from a backup. Until then no version is vacuumed. To take it for what "
            f"it is, delete {bank.path / sums.FOLDER / MARK}; to go on without any tag, write [] into it.",
        ) from error
    return sorted(found, key=lambda tag: (tag.version, tag.name))


def digests(bank: Path) -> list[str]:
    """The digests that the file of tags may have, as it was last written; none before there were any."""
    return [mark for mark in sums.marked(bank, MARK).split() if _DIGEST.fullmatch(mark)]


def resolve(bank: Bank, name: str | int) -> int:
    """The version of that number or tag; BankError `no_version` when there is none."""
    if isinstance(name, int) or (name.isascii() and name.isdigit() and len(name) < 18):
        return bank.delta(int(name)).version()
    found = {tag.name: tag.version for tag in tags(bank)}
    if name not in found:
        raise BankError(
            f"The bank has no version {name}.",
            code="no_version",
            remedy="Give a number of `exambank log`, or a tag: "
            + (", ".join(found) or "there are none yet")
            + ".",
        )
    return found[name]


def tag(bank: Bank, name: str, version: int, *, who: str, why: str, at: str) -> Tag:
    """Name a version. The same again changes nothing; a name never moves to another version by itself.

    UsageError: `tag_name` for what is no name, `tag_exists` when another version has it. BankError
    `version_gone` when files of that version have been vacuumed.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a version.",
            code="tag_name",
            remedy="Begin with a letter; then letters, digits, '.', '-' and '_', 63 characters at most.",
        )
    with locked(bank.path):
        known = tags(bank)
        same = next((known_tag for known_tag in known if known_tag.name == name), None)
        if same is not None and same.version == version:
            return same
        if same is not None:
            raise UsageError(
                f"{name} is the name of version {same.version}.",
                code="tag_exists",
                remedy=f"Choose another name, or take it off first with `exambank tag {name} --delete`.",
            )
        require_files(bank, version)
        made = Tag(name=name, version=version, who=who, why=why, at=at)
        _save(bank, [*known, made])
    return made


def untag(bank: Bank, name: str) -> Tag:
    """Take a name off its version; the version itself stays as it is. UsageError `no_tag`."""
    with locked(bank.path):
        known = tags(bank)
        for found in known:
            if found.name == name:
                _save(bank, [other for other in known if other.name != name])
                return found
    raise UsageError(
        f"No version has the name {name}.", code="no_tag", remedy="See the names with `exambank tag`."
    )


def require_files(bank: Bank, version: int) -> None:
    """BankError `version_gone` unless all files of this version are there."""
    from bank.table import gone

    delta = bank.delta(version)
    if missing(bank, delta.file_uris()):
        raise gone(version, old=True)


def missing(bank: Bank, uris: list[str]) -> list[str]:
    """Those of the table's files, as paths or file addresses, that are not on the disk."""
    root = bank.path / "questions"
    return [uri for uri in uris if not (root / relative(bank, uri)).is_file()]


def relative(bank: Bank, uri: str) -> str:
    """The path of a file of the table inside the table's folder. Partition codes need no quoting."""
    return uri[uri.index("discipline=") :] if "discipline=" in uri else uri.rpartition("/")[2]


def _save(bank: Bank, known: list[Tag]) -> None:
    data = json.dumps([one.model_dump(mode="json") for one in known], ensure_ascii=False, indent=1).encode()
    path = bank.path / FILE
    # That of the file as it was, too: whenever a kill comes, or a reader, one of them is the file's.
    was = [digest(path.read_bytes())] if path.exists() else []
    sums.mark(bank.path, MARK, " ".join([*was, digest(data)]))
    write_whole(path, data)
