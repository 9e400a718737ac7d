"""A second reading of doubtful pages, compared with ours and never taken in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar

from schemas.document import Block, Document, Notice, Origin, Page
from schemas.question import Draft, Extraction
from schemas.settings import VisionSettings
from schemas.text import fold

Record = TypeVar("Record", Block, Draft)
SecondReader = Callable[[bytes], str]
"""Picture of a page (JPEG or PNG bytes) to its text; raises ExamBankError where it cannot."""

LONG_SIDE_PX = 2000


def doubtful(document: Document, settings: VisionSettings) -> list[int]:
    """Numbers of the OCR pages whose mean confidence, by characters, is below settings.below."""
    pages = [page for page in document.pages if page.method is Origin.OCR and page.blocks]
    return [page.number for page in pages if _confidence(page) < settings.below][: settings.max_pages]


def compare(
    document: Document,
    extraction: Extraction,
    readings: Mapping[int, str],
    settings: VisionSettings,
    *,
    failed: Mapping[int, str] | None = None,
) -> tuple[Document, Extraction]:
    """Both with a notice `second_reading` a page, and less confidence where the readings disagree.

    readings: page number to text; failed: page number to what went wrong. Only confidence changes, to
    at most the share on which both agree.
    """
    agreed = {}
    notices = [
        Notice(
            code="second_reading",
            message=f"page {number} could not be read a second time: {why}",
            page=number,
        )
        for number, why in (failed or {}).items()
    ]
    for page in document.pages:
        if page.number not in readings:
            continue
        share = difference("\n".join(block.text for block in page.blocks), readings[page.number])
        told = f"a second reading of page {page.number} differs in {share:.0%} of the text"
        if share > settings.disagree_at:
            agreed[page.number] = round(1 - share, 4)
            told += "; the page's confidence was lowered"
        notices.append(Notice(code="second_reading", message=told, page=page.number))
    pages = tuple(
        page.model_copy(update={"blocks": tuple(_lowered(b, agreed[page.number]) for b in page.blocks)})
        if page.number in agreed
        else page
        for page in document.pages
    )
    drafts = []
    for draft in extraction.drafts:
        shares = [agreed[region.page] for region in draft.regions if region.page in agreed]
        drafts.append(_lowered(draft, min(shares)) if shares else draft)
    return (
        document.model_copy(update={"pages": pages, "notices": (*document.notices, *notices)}),
        extraction.model_copy(update={"drafts": tuple(drafts), "notices": (*extraction.notices, *notices)}),
    )


def difference(ours: str, theirs: str) -> float:
    """Share, 0-1, of character pairs that only one of two texts has.

    The order of lines does not matter, nor how formulas are written: LaTeX counts as the signs it prints.
    """
    one, two = _pairs(ours), _pairs(theirs)
    total = one.total() + two.total()
    return 1 - 2 * (one & two).total() / total if total else 0.0


def _pairs(text: str) -> Counter[str]:
    from ingest.score.formulas import normalise

    found: Counter[str] = Counter()
    for line in text.splitlines():
        plain = "".join(char for char in fold(normalise(line)) if char.isalnum())
        found.update(plain[at : at + 2] for at in range(len(plain) - 1))
    return found


def _confidence(page: Page) -> float:
    letters = sum(len(block.text) for block in page.blocks)
    return sum(block.confidence * len(block.text) for block in page.blocks) / max(letters, 1)


def _lowered(record: Record, most: float) -> Record:
    return record.model_copy(update={"confidence": min(record.confidence, most)})
