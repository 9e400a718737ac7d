"""A document's questions as they were cut: every draft boxed on its page, what was left out beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from flows.view.document import Sheet, figures_of, sheets
from flows.view.page import grade, render
from schemas.document import BlockKind

if TYPE_CHECKING:
    from flows.outcome import FileOutcome
    from ingest.pictures import Pictures
    from schemas.document import Block, Box, Document
    from schemas.question import Draft, Dropped, Extraction

HUES = 6
_SLACK = 1.5  # points by which a line may stick out of the box of its question


@dataclass(frozen=True)
class Card:
    """A draft with its place in the document, from 1, and the pages its pieces lie on."""

    number: int
    draft: Draft
    pages: tuple[int, ...]
    new_section: bool
    answer_elsewhere: bool

    @property
    def hue(self) -> int:
        """Which of the colours it is drawn in."""
        return self.number % HUES


@dataclass
class Spread:
    """One page: its sheet, the drafts that begin and go on there, and what is in none of them."""

    sheet: Sheet
    cards: list[Card] = field(default_factory=list)
    going_on: list[Card] = field(default_factory=list)
    boxes: list[tuple[Card, Box]] = field(default_factory=list)
    answers: list[tuple[Card, Box]] = field(default_factory=list)
    dropped: list[tuple[int, Dropped]] = field(default_factory=list)
    aside: list[Block] = field(default_factory=list)
    headings: list[Block] = field(default_factory=list)
    loose: list[Block] = field(default_factory=list)


def drafts_page(
    document: Document, extraction: Extraction, pictures: Pictures, assets: Path, *, home: str = ""
) -> bytes:
    """The page for one file's drafts; home: address of the overview, '' for a page that stands alone."""
    drafts = extraction.drafts
    return render(
        "extract.html.j2",
        {
            "title": extraction.source,
            "extraction": extraction,
            "document": document,
            "spreads": spreads(document, extraction, pictures, assets),
            "figures": figures_of(pictures, assets),
            "answered": sum(draft.answer is not None for draft in drafts),
            "doubtful": sum(grade(draft.confidence) == "low" for draft in drafts),
            "alone": sum("answer_only" in draft.flags for draft in drafts),
            "home": home,
        },
    )


def index_page(files: Sequence[tuple[FileOutcome, str]]) -> bytes:
    """The overview of several files: what became of each, with the name of its page, '' without."""
    rows = [(file, page, *_state(file)) for file, page in files]
    return render("index.html.j2", {"title": "exambank extract", "files": rows})


_CHIPS = {"kept": "good", "key": "good", "unpaired": "fair", "empty": "fair", "refused": "low"}


def _state(file: FileOutcome) -> tuple[str, str]:
    """The chip's colour of a file, and what is added to its outcome: doubtful papers are not green."""
    chip = _CHIPS.get(file.outcome, "")
    if 2 * file.doubtful > file.questions:
        return "low", "，多数存疑 mostly doubtful"
    if chip == "good" and (5 * file.doubtful > file.questions or file.alarming):
        return "fair", ""
    return chip, ""


def spreads(document: Document, extraction: Extraction, pictures: Pictures, assets: Path) -> list[Spread]:
    """Everything there is to show, page by page."""
    found = [Spread(sheet) for sheet in sheets(document, pictures, assets)]
    by_page = {spread.sheet.page.number: spread for spread in found}
    first = found[0]
    section = ""
    for number, draft in enumerate(extraction.drafts, start=1):
        pages = tuple(dict.fromkeys(region.page for region in draft.regions))
        foreign = not draft.answer_source.startswith(f"{document.source}: ")
        card = Card(number, draft, pages, draft.section != section, bool(draft.answer_source) and foreign)
        section = draft.section
        for place, page in enumerate(pages or (first.sheet.page.number,)):
            spread = by_page.get(page, first)
            (spread.going_on if place else spread.cards).append(card)
        for region in draft.regions:
            if region.box and region.page in by_page:
                by_page[region.page].boxes.append((card, region.box))
        for region in () if foreign else draft.answer_regions:
            if region.box and region.page in by_page:
                by_page[region.page].answers.append((card, region.box))
    for number, piece in enumerate(extraction.dropped, start=1):
        own = piece.source == document.source and piece.region is not None
        spread = by_page.get(piece.region.page, found[-1]) if own and piece.region else found[-1]
        spread.dropped.append((number, piece))
    headings = {_letters(draft.section) for draft in extraction.drafts if draft.section}
    for spread in found:
        _sort_rest(spread, headings)
    return found


def _sort_rest(spread: Spread, headings: set[str]) -> None:
    """Put the blocks of a page that no draft holds where they belong: furniture, headings, loose."""
    taken = [box for _, box in (*spread.boxes, *spread.answers)]
    taken += [piece.region.box for _, piece in spread.dropped if piece.region and piece.region.box]
    for block in spread.sheet.page.blocks:
        if block.kind is BlockKind.FURNITURE:
            spread.aside.append(block)
        elif block.box and not any(_holds(box, block.box) for box in taken):
            letters = _letters(block.number + block.text)
            known = letters and any(letters in heading or heading in letters for heading in headings)
            (spread.headings if known else spread.loose).append(block)


def _holds(outer: Box, inner: Box) -> bool:
    """Whether the middle of inner lies in outer, or nearly."""
    x, y = (inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2
    return outer.x0 - _SLACK <= x <= outer.x1 + _SLACK and outer.y0 - _SLACK <= y <= outer.y1 + _SLACK


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())
