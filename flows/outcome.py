"""What became of each file and of the batch: the records behind reports, summaries and exit codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from schemas.document import Frozen, Notice
from schemas.errors import ExamBankError
from schemas.question import Dropped, Extraction

OutcomeName = Literal["kept", "key", "empty", "refused", "skipped", "repeated"]
DONE, FAILED, PARTLY = 0, 1, 3


class FileOutcome(Frozen):
    """What became of one file.

    kept: it gave drafts; key: an answer file that was paired; empty: read, no question; refused:
    could not be read; skipped: not opened; repeated: content that was read already.
    """

    source: str
    path: str = ""
    sha256: str = ""
    outcome: str
    code: str = ""
    reason: str = ""
    remedy: str = ""
    pages: int = 0
    ocr_pages: int = 0
    drafts: int = 0
    answered: int = Field(default=0, description="drafts with an answer")
    items: int = 0
    statuses: dict[str, int] = Field(default_factory=dict, description="items of this file in the bank")
    rotations: dict[int, int] = Field(default_factory=dict, description="page -> clockwise degrees turned")
    notices: tuple[Notice, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class Summary(Frozen):
    """The figures of one run. Those that only the bank can tell are None where it was not asked (dry run)."""

    files: int = 0
    documents: int = Field(default=0, description="files that could be read")
    pages: int = 0
    ocr_pages: int = 0
    drafts: int = 0
    items: int = 0
    added: int | None = 0
    active: int = 0
    review: int = 0
    duplicates: int | None = 0
    rejected: int = 0
    already: int | None = Field(default=0, description="items the bank had before")
    amended: int | None = Field(
        default=0, description="questions of the bank that a newer reading has changed"
    )
    refused: int = 0
    skipped: int = 0
    repeated: int = 0


def read_outcome(extraction: Extraction, path: str, *, paired: bool = False) -> FileOutcome:
    """The outcome of a file that was read; paired: it is a key whose answers went to a paper."""
    drafts = len(extraction.drafts)
    reason = ""
    if not drafts:
        reasons = sorted({d.reason for d in extraction.dropped} | {n.message for n in extraction.notices})
        reason = "; ".join(reasons) or "no question found"
    return FileOutcome(
        source=extraction.source,
        path=path,
        sha256=extraction.sha256,
        outcome="empty" if not drafts else "key" if paired else "kept",
        code="" if drafts else "no_question",
        reason=reason,
        pages=extraction.pages,
        ocr_pages=extraction.ocr_pages,
        drafts=drafts,
        answered=sum(1 for draft in extraction.drafts if draft.answer),
        rotations=extraction.rotations,
        notices=extraction.notices,
        dropped=extraction.dropped,
    )


def refused_outcome(source: str, path: str, sha256: str, error: ExamBankError) -> FileOutcome:
    """The outcome of a file that could not be read."""
    return FileOutcome(
        source=source,
        path=path,
        sha256=sha256,
        outcome="refused",
        code=error.code,
        reason=error.message,
        remedy=error.remedy,
    )


def summarise(files: Sequence[FileOutcome]) -> Summary:
    """The figures that the files give; those of the bank are added by the caller."""

    def count(*names: str) -> int:
        return sum(1 for file in files if file.outcome in names)

    read = [file for file in files if file.outcome in {"kept", "key", "empty"}]
    return Summary(
        files=len(files),
        documents=len(read),
        pages=sum(file.pages for file in read),
        ocr_pages=sum(file.ocr_pages for file in read),
        drafts=sum(file.drafts for file in read),
        items=sum(file.items for file in read),
        refused=count("refused"),
        skipped=count("skipped"),
        repeated=count("repeated"),
    )


def exit_code(files: Iterable[FileOutcome]) -> int:
    """0 when nothing was refused, 3 when some files were, 1 when no file at all could be read."""
    outcomes = [file.outcome for file in files]
    if "refused" not in outcomes:
        return DONE
    return PARTLY if {"kept", "key", "empty"} & set(outcomes) else FAILED
