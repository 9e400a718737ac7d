"""Document in, Drafts out: sections, items, parts, options, answers and where they belong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.clean.personal import redact
from ingest.segment.answers import is_answer_head, looks_like_key_name
from ingest.segment.asking import own_answers
from ingest.segment.blocks import attach_blocks, key_blocks, title_lines
from ingest.segment.code import with_indents
from ingest.segment.confidence import with_confidence
from ingest.segment.corrections import corrected, take_corrections
from ingest.segment.drafts import draft_id
from ingest.segment.key import Entry, read_key
from ingest.segment.lines import Line, body_lines
from ingest.segment.marks import Style
from ingest.segment.options import split_options
from ingest.segment.partwise import with_parts
from ingest.segment.questions import drop, questions
from ingest.segment.remarks import without_students
from ingest.segment.sheets import Sheet, attach_sheets, take_sheets
from ingest.segment.split import resplit
from ingest.segment.tables import question_tables
from ingest.segment.ticks import with_inked
from schemas.document import BlockKind, Document, Origin
from schemas.question import Draft, Dropped, Extraction
from schemas.question import PrintedForm as Form
from schemas.settings import SegmentSettings

__all__ = ["segment"]

_TITLE_LINES = 12


def segment(document: Document, settings: SegmentSettings | None = None, *, key: bool = False) -> Extraction:
    """Cut a document into drafts; whatever becomes no question is listed with its reason.

    A document that is only a key gives one draft per answered number, flagged `answer_only`. key:
    somebody said that it is one; then its name and title need not, but what prints the questions
    as well is still read as a paper with answers in it.
    """
    lines = resplit(with_indents(question_tables(body_lines(document))))
    first = next((k for k, line in enumerate(lines) if line.mark is not None), len(lines))
    head = lines[: max(1, min(first, _TITLE_LINES))]
    title = " ".join(line.text.strip() for line in head if len(line.text) < 80)[:400]
    dropped: list[Dropped] = []
    lines, students = without_students(lines)
    dropped.extend(drop(document, line.text, "a student's answer", line) for line in students)
    lines, corrections = take_corrections(lines)
    lines = own_answers(lines)
    blocks = key_blocks(lines)
    key_file = _is_key(document, lines, blocks[0].begin if blocks else len(lines), said=key)
    if key_file:
        drafts = _key_drafts(document, read_key(lines, 0, len(lines)))
    else:
        gridded = {sheet.line.index for sheet in take_sheets(lines)[1]}
        titles = {k for k in title_lines(lines) if lines[k].index not in gridded}
        dropped.extend(drop(document, lines[k].text, "title of a paper", lines[k]) for k in sorted(titles))
        keyed = titles.union(*(range(block.begin, block.end) for block in blocks))
        begins: dict[str, int] = {}
        asked, sheets = take_sheets([x for k, x in enumerate(lines) if k not in keyed])
        drafts = questions(document, asked, dropped, begins)
        if settings is not None and settings.coloured_options:
            drafts = with_inked(drafts)
        drafts, unasked = attach_sheets(drafts, begins, lines, sheets, document.source)
        drafts, unused = attach_blocks(drafts, begins, lines, blocks, document.source)
        dropped.extend(_unused(document, [*unasked, *unused]))
        dropped.extend(_sheets_left(document, sheets))
    drafts = [with_parts(draft) for draft in corrected(drafts, corrections, document.source)]
    if not drafts:
        dropped.append(Dropped(source=document.source, text=title[:200], reason="no question found"))
    drafts = with_confidence(drafts, document)
    return redact(
        Extraction(
            source=document.source,
            sha256=document.sha256,
            pages=len(document.pages),
            ocr_pages=sum(1 for page in document.pages if page.method is Origin.OCR),
            drafts=tuple(drafts),
            dropped=tuple(dropped),
            notices=document.notices,
            title=title,
            answer_key=key_file,
            rotations={page.number: page.rotation for page in document.pages if page.rotation},
        )
    )


def _is_key(document: Document, lines: Sequence[Line], key_begin: int, *, said: bool = False) -> bool:
    """Whether the file is only a key: its name, title or user says so, and it prints no questions."""
    # the row «答案 A B C» of a grid at the head of a paper is no title
    # and a heading below the first question stands over its answer
    above = next((k for k, x in enumerate(lines) if x.mark and x.mark.style is not Style.HAN), len(lines))
    head = [line.text for line in take_sheets(lines[: min(above, 7)])[0][:6] if line.kind is BlockKind.TEXT]
    named = looks_like_key_name(document.source) or any(is_answer_head(text) for text in head)
    if not (named or said) or key_begin < len(lines):
        return False
    entries = read_key(lines, 0, len(lines))
    if len(entries) < (1 if said else 2):
        return False
    lengths = sorted(len(entry.text) for entry in entries)
    led = sum(1 for entry in entries if len(entry.text) <= 12 or _ANSWERING.match(entry.text))
    asking = sum(1 for entry in entries if _asks(entry.text[:_SEEN]))
    if asking > 0.6 * len(entries):
        return False
    if led >= 0.5 * len(entries):
        return True
    return asking <= 0.3 * len(entries) and lengths[len(lengths) // 2] <= 400


def _asks(text: str) -> bool:
    """Whether an entry is a question: it asks, leaves a blank, has one filled in or has options below."""
    asks = _ASKING.search(text[:160]) or _FILLED.search(text[:160])
    return bool(asks) or len(split_options(text)[1]) >= 3


_SEEN = 600
# «属于视同销售的是（ B ）。», «（√）契税由承受方缴纳。»
_FILLED = re.compile(
    r"[\u3400-\u9fff]{4,}\s{0,3}[（(【]\s{0,6}(?:[A-H][A-H、，,\s]{0,12}|[√×✓✗对错])\s{0,6}[)）】]"
    r"|^\s{0,3}[（(【]\s{0,6}[√×✓✗对错A-H]\s{0,6}[)）】]\s{0,3}[\u3400-\u9fff]{6,}"
)
_ANSWERING = re.compile(r"^\s*(?:解|答|证|略|[A-H]\b|[√×])")
_ASKING = re.compile(
    r"[？?]|____|（\s*）|\(\s*\)|简述|试[述论证求分]|试说明"
    r"|\b(?:[Aa]ssume|[Gg]iven|[Ww]rite|[Dd]raw|[Hh]ere is|[Ss]how|[Pp]erform|[Ee]xplain)\b"
)


def _key_drafts(document: Document, entries: Sequence[Entry]) -> list[Draft]:
    drafts = []
    for order, entry in enumerate(entries):
        draft = Draft(
            source=document.source,
            sha256=document.sha256,
            order=order,
            number=str(entry.number) if entry.number else "",
            section=entry.heading,
            stem="",
            form=entry.form or Form.OTHER,
            answer=entry.text or None,
            regions=entry.regions,
            answer_regions=entry.regions,
            answer_source=f"{document.source}: {entry.rule}",
            flags=("answer_only",),
            evidence={
                "item": entry.rule,
                "section_value": str(entry.section_value),
                "section": str(entry.section),
            },
            printed="",
        )
        drafts.append(draft.model_copy(update={"draft_id": draft_id(draft)}))
    return drafts


def _unused(document: Document, entries: Sequence[Entry]) -> list[Dropped]:
    return [
        Dropped(
            source=document.source,
            text=f"{entry.heading[:40]} {entry.number}: {entry.text}"[:200],
            reason="answer without a question",
            region=entry.regions[0] if entry.regions else None,
        )
        for entry in entries
    ]


def _sheets_left(document: Document, sheets: Sequence[Sheet]) -> list[Dropped]:
    empty = [drop(document, s.line.text, "an empty answer grid", s.line) for s in sheets if not s.answers]
    return empty + [
        drop(document, s.asks.text, "instruction under a heading", s.asks) for s in sheets if s.asks
    ]
