"""Reading documents: one pool of child processes a process, and pairing of papers with their keys."""

from __future__ import annotations

import atexit
import hashlib
import os
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

from flows.files import Source
from flows.names import decoded
from flows.vision import second_reader
from ingest.pictures import Pictures
from ingest.pool import DocumentPool
from schemas.document import Document
from schemas.errors import ExamBankError, RefusedError, UsageError
from schemas.question import Extraction
from schemas.settings import Settings

Result = Extraction | ExamBankError


class Look(NamedTuple):
    """What a page for looking shows besides the drafts; the pictures are in the assets folder."""

    document: Document
    pictures: Pictures


_pools: dict[str, DocumentPool] = {}
_guard = threading.Lock()


def jobs(settings: Settings) -> int:
    """How many documents are read at once: run.workers, or one a core."""
    return settings.run.workers or os.cpu_count() or 1


def shared_pool(size: int, settings: Settings, assets_dir: Path) -> DocumentPool:
    """The pool of this process for these settings, made on first use and ended with the process."""
    name = f"{assets_dir}\n{settings.model_dump_json()}"
    with _guard:
        if name not in _pools:
            assets_dir.mkdir(parents=True, exist_ok=True)
            if not _pools:
                atexit.register(close_pools)
            _pools[name] = DocumentPool(size, settings, assets_dir, second=second_reader(settings.vision))
        return _pools[name]


def close_pools() -> None:
    """End every reading process of this one; documents being read are refused as `interrupted`."""
    with _guard:
        pools = list(_pools.values())
        _pools.clear()
    for pool in pools:
        pool.close()


def extract_checked(
    pool: DocumentPool,
    path: Path,
    sha256: str,
    looks: dict[str, Look] | None = None,
    *,
    key: bool = False,
) -> Extraction:
    """The drafts of a file that must still have this SHA-256. Raises RefusedError.

    looks, where given, takes what a page for looking needs, under the SHA-256. key: --answers named it.
    """
    if not path.is_file():
        raise RefusedError(
            f"{path.name} is not there",
            code="missing",
            remedy="let every worker see the files under the same path",
        )
    if looks is None:
        extraction = pool.extract(path, key=key)
    else:
        document, extraction = pool.look(path, key=key)
        looks[sha256] = look(pool, path, document)
    if extraction.sha256 != sha256:
        with path.open("rb") as stream:
            now = hashlib.file_digest(stream, "sha256").hexdigest()
        if now != sha256:
            raise RefusedError(
                f"{path.name} changed while it was read",
                code="file_changed",
                remedy="run the command again when the file is complete",
            )
    return extraction


def look(pool: DocumentPool, path: Path, document: Document, *, laid_out: bool = False) -> Look:
    """A document with its pictures; without them where they cannot be drawn within the limits.

    laid_out: whether a Word file is to be shown on pages, which takes LibreOffice some seconds.
    """
    from flows.view.page import long_side

    side = long_side(len(document.pages))
    try:
        return Look(document, pool.pictures(path, document, long_side=side, laid_out=laid_out))
    except RefusedError as error:
        if error.code == "interrupted":
            raise
        return Look(document, Pictures())


def read_all(
    sources: Sequence[Source],
    settings: Settings,
    assets_dir: Path,
    progress: Callable[[Source, Result], None],
    looks: dict[str, Look] | None = None,
    keys: Collection[str] = (),
) -> list[Result]:
    """What every file gave, in the order of sources; progress is told of each as it is done.

    looks: see extract_checked. keys: SHA-256 of the files that --answers names as keys.
    """
    size = min(jobs(settings), max(len(sources), 1))
    results: dict[int, Result] = {}
    second = second_reader(settings.vision)
    with (
        DocumentPool(size, settings, assets_dir, second=second) as pool,
        ThreadPoolExecutor(size) as threads,
    ):
        waiting: dict[Future[Result], int] = {
            threads.submit(_read, pool, source, looks, source.sha256 in keys): place
            for place, source in enumerate(sources)
        }
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    place = waiting.pop(future)
                    results[place] = future.result()
                    progress(sources[place], results[place])
        except BaseException:
            for future in waiting:
                future.cancel()
            pool.close()
            raise
    return [results[place] for place in range(len(sources))]


def _read(pool: DocumentPool, source: Source, looks: dict[str, Look] | None, key: bool) -> Result:
    try:
        return extract_checked(pool, source.path, source.sha256, looks, key=key)
    except ExamBankError as error:
        return error


def parse_answers(given: Sequence[str], papers: Sequence[Path]) -> list[tuple[Path, Path]]:
    """(paper, key) of each --answers: KEY for the one paper there is, or PAPER=KEY.

    Raises UsageError when a KEY alone does not say whose it is, or a file is not there.
    """
    pairs: list[tuple[Path, Path]] = []
    for text in given:
        if Path(text).is_file():
            files = [path for path in papers if path.is_file() and not _same(path, Path(text))]
            if len(files) != 1 or any(path.is_dir() for path in papers):
                raise UsageError(
                    f"It is not clear whose answers {decoded(text)} holds.",
                    code="whose_answers",
                    remedy="Name the paper too: --answers PAPER=KEY.",
                )
            pairs.append((files[0], Path(text)))
            continue
        paper, _, key = text.rpartition("=")
        for name in (paper, key):
            if not name or not Path(name).is_file():
                raise UsageError(
                    f"There is no file {decoded(name or text)} (--answers).",
                    code="no_path",
                    remedy="Give --answers KEY for a single paper, or --answers PAPER=KEY.",
                )
        pairs.append((Path(paper), Path(key)))
    return pairs


def answer_hashes(pairs: Sequence[tuple[Path, Path]]) -> dict[str, str]:
    """SHA-256 of the paper -> SHA-256 of its key, as ingest.segment.pairing wants it."""
    return {_sha256(paper): _sha256(key) for paper, key in pairs}


def paired_keys(before: Sequence[Extraction], after: Sequence[Extraction]) -> set[str]:
    """SHA-256 of the key files whose answers went to a paper.

    before and after: the same files before and after pairing.
    """
    used: set[str] = set()
    for old, new in zip(before, after, strict=True):
        gained = [d for d, was in zip(new.drafts, old.drafts, strict=False) if d.answer != was.answer]
        used |= {draft.answer_source for draft in gained}
        used |= {f"{piece.source}:" for piece in new.dropped[len(old.dropped) :]}
    return {
        e.sha256
        for e in before
        if e.answer_key and any(text.startswith((f"{e.source}:", f"{e.source} ")) for text in used)
    }


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{decoded(path)} cannot be opened: {error.strerror}", code="unreadable") from None
