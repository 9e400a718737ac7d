"""What became of each file and of the batch: the records behind reports, summaries and exit codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import Literal

from pydantic import Field

from schemas.document import Frozen, Notice
from schemas.errors import ExamBankError
from schemas.question import Dropped, Extraction

OutcomeName = Literal["kept", "key", "unpaired", "empty", "refused", "skipped", "repeated"]
READ = frozenset({"kept", "key", "unpaired", "empty"})
UNUSED_ANSWERS = "answers_unused"  # the notice of ingest.segment.pairing on a key that was named in vain
_ALIKE = 0.7  # of two names, of which one may be that of the other's key
DONE, FAILED, PARTLY = 0, 1, 3


class FileOutcome(Frozen):
    """What became of one file.

    kept: it gave drafts; key: an answer file that was paired; unpaired: an answer file that belongs
    to no paper; empty: read, no question; refused: could not be read; skipped: not opened; repeated:
    content that was read already.
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
    questions: int = Field(default=0, description="drafts that are questions, not answers of a key")
    answered: int = Field(default=0, description="questions with an answer")
    doubtful: int = Field(default=0, description="questions whose confidence sends them to review")
    items: int = 0
    statuses: dict[str, int] = Field(default_factory=dict, description="items of this file in the bank")
    rotations: dict[int, int] = Field(default_factory=dict, description="page -> clockwise degrees turned")
    notices: tuple[Notice, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def unanswered(self) -> int:
        """Questions without an answer."""
        return self.questions - self.answered

    @property
    def alarming(self) -> bool:
        """Whether a key was named for it, or as it, in vain."""
        return any(notice.code == UNUSED_ANSWERS for notice in self.notices)

    @property
    def key_answers(self) -> int:
        """Drafts that are answers of a key, not questions."""
        return self.drafts - self.questions


class Summary(Frozen):
    """The figures of one run. Those that only the bank can tell are None where it was not asked (dry run)."""

    files: int = 0
    documents: int = Field(default=0, description="files that could be read")
    pages: int = 0
    ocr_pages: int = 0
    drafts: int = 0
    questions: int = Field(default=0, description="drafts that are questions")
    answered: int = Field(default=0, description="questions with an answer")
    unanswered: int = Field(default=0, description="questions without one")
    doubtful: int = Field(default=0, description="questions whose confidence sends them to review")
    key_answers: int = Field(default=0, description="drafts that are answers of keys")
    unpaired_answers: int = Field(default=0, description="those of keys that belong to no paper")
    left_out: int = Field(default=0, description="pieces of documents that became no question, with a reason")
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


def read_outcome(
    extraction: Extraction, path: str, min_extraction: float, *, paired: bool = False
) -> FileOutcome:
    """The outcome of a file that was read; paired: it is a key whose answers went to a paper.

    min_extraction: the confidence below which a question is doubtful.
    """
    drafts = len(extraction.drafts)
    questions = [draft for draft in extraction.drafts if "answer_only" not in draft.flags]
    outcome, code, reason = "key" if paired else "kept", "", ""
    if not drafts:
        outcome, code = "empty", "no_question"
        reasons = sorted({d.reason for d in extraction.dropped} | {n.message for n in extraction.notices})
        reason = "; ".join(reasons) or "no question found"
    elif not paired and not questions:
        outcome, code = "unpaired", "no_paper"
        reason = f"an answer key that belongs to no paper, {drafts} answers"
    return FileOutcome(
        source=extraction.source,
        path=path,
        sha256=extraction.sha256,
        outcome=outcome,
        code=code,
        reason=reason,
        pages=extraction.pages,
        ocr_pages=extraction.ocr_pages,
        drafts=drafts,
        questions=len(questions),
        answered=sum(1 for draft in questions if draft.answer),
        doubtful=sum(1 for draft in questions if draft.confidence < min_extraction),
        rotations=extraction.rotations,
        notices=extraction.notices,
        dropped=extraction.dropped,
    )


def hinted(files: Sequence[FileOutcome]) -> list[FileOutcome]:
    """The outcomes, each key without a paper with what can be done; a paper beside it is named."""
    out = []
    for file in files:
        if file.outcome == "unpaired":
            beside = [
                f for f in files if f.outcome == "kept" and f.unanswered and _folder(f) == _folder(file)
            ]
            if len(beside) > 1:
                beside = [f for f in beside if _alike(f.source, file.source)]
            whose = f"If it belongs to {beside[0].source}: give" if len(beside) == 1 else "Give"
            remedy = f"{whose} --answers PAPER=KEY, or name the two alike (X.docx, X答案.docx)."
            file = file.model_copy(update={"remedy": remedy})
        out.append(file)
    return out


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, PurePath(one).stem, PurePath(other).stem).ratio() >= _ALIKE


def _folder(file: FileOutcome) -> str:
    return file.path.rpartition("/")[0]


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

    read = [file for file in files if file.outcome in READ]
    return Summary(
        files=len(files),
        documents=len(read),
        pages=sum(file.pages for file in read),
        ocr_pages=sum(file.ocr_pages for file in read),
        drafts=sum(file.drafts for file in read),
        questions=sum(file.questions for file in read),
        answered=sum(file.answered for file in read),
        unanswered=sum(file.unanswered for file in read),
        doubtful=sum(file.doubtful for file in read),
        key_answers=sum(file.key_answers for file in read),
        unpaired_answers=sum(file.key_answers for file in read if file.outcome == "unpaired"),
        left_out=sum(len(file.dropped) for file in read),
        items=sum(file.items for file in read),
        refused=count("refused"),
        skipped=count("skipped"),
        repeated=count("repeated"),
    )


def exit_code(files: Iterable[FileOutcome]) -> int:
    """0 when nothing was refused, 3 when some files were, 1 when no file at all could be read.

    3 as well when a key that the user named gave its paper no answer.
    """
    files = list(files)
    outcomes = {file.outcome for file in files}
    if "refused" in outcomes and not READ & outcomes:
        return FAILED
    unused = any(file.alarming for file in files)
    return PARTLY if unused or "refused" in outcomes else DONE
