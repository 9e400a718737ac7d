"""The pages of `exambank extract --html`: one beside the drafts, or a folder of them with an overview."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from flows.outcome import FileOutcome
    from flows.reading import Look
    from schemas.question import Extraction

INDEX = "index.html"
_NUMBERED = re.compile(r"index\.html|\d{3,}-.*\.html", re.DOTALL)
TITLE_END = " · exambank</title>".encode()
_HEAD_BYTES = 4096
_NAME_CHARS = 80


def write(
    html: Path,
    single: bool,
    files: Sequence[FileOutcome],
    extractions: Sequence[Extraction],
    looks: Mapping[str, Look],
    assets: Path,
) -> None:
    """The page of the one file, or a folder of pages with an overview, index.html.

    Pages that an earlier run left in the folder and this one does not write are taken away.
    """
    from flows.outcome import READ
    from flows.view.drafts import drafts_page, index_page

    read = {extraction.sha256: extraction for extraction in extractions}
    pages: list[tuple[FileOutcome, str]] = []
    for number, file in enumerate(files, start=1):
        extraction = read.get(file.sha256) if file.outcome in READ else None
        name = ""
        if extraction is not None:
            seen = looks[file.sha256]
            name = f"{number:03}-{_file_name(file.source)}.html"
            page = drafts_page(
                seen.document, extraction, seen.pictures, assets, home="" if single else "index.html"
            )
            common.write_whole(html if single else html / name, page)
        pages.append((file, name))
    if not single:
        common.write_whole(html / INDEX, index_page(pages))
        kept = {INDEX, *(name for _, name in pages)}
        for old in _numbered(html):
            if old.name not in kept and _ours(old):
                old.unlink(missing_ok=True)


def check_folder(folder: Path, files: Iterable[Path | None]) -> None:
    """UsageError when pages would go over what is not ours: other pages there, or one of files."""
    taken = [path for path in _numbered(folder) if not _ours(path)]
    for path in files:
        if path is not None and _NUMBERED.fullmatch(path.name) and path.parent.resolve() == folder.resolve():
            taken.append(path)
    if taken:
        raise UsageError(
            f"{folder} holds {taken[0].name}, which is no page of `exambank extract`.",
            code="folder_in_use",
            remedy="Name another folder with --html, or take that file away.",
        )


def _numbered(folder: Path) -> list[Path]:
    """What bears a name as our pages do, in order."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _NUMBERED.fullmatch(path.name))


def _ours(path: Path) -> bool:
    """Whether a page is one that `exambank extract` wrote, by its head."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as stream:
        return TITLE_END in stream.read(_HEAD_BYTES)


def _file_name(source: str) -> str:
    """A name that every file system and every address takes, near the source's own."""
    kept = "".join(char if char.isalnum() or char in "-_." else "_" for char in source)
    return kept.encode("utf-8", "replace")[:_NAME_CHARS].decode("utf-8", "ignore")
