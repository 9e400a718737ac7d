"""Document in, Drafts out: sections, items, parts, options, answers and where they belong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ingest.clean.personal import redact
from ingest.segment import forms
from ingest.segment.answers import is_answer_head, looks_like_key_name
from ingest.segment.blocks import attach_blocks, key_blocks
from ingest.segment.confidence import CLOSE, NUMBER_LOST, with_confidence
from ingest.segment.corrections import corrected, take_corrections
from ingest.segment.drafts import Source, answers_coloured, draft_id, unnumbered_items, with_bare_points
from ingest.segment.inner import is_data_list, note_in, told_of
from ingest.segment.key import Entry, read_key
from ingest.segment.lines import Line, body_lines
from ingest.segment.lost import unnumbered_before
from ingest.segment.marks import Style
from ingest.segment.outline import Section, choose_items, find_sections
from ingest.segment.partwise import with_parts
from ingest.segment.remarks import without_students
from ingest.segment.split import resplit
from schemas.document import BlockKind, Document, Origin
from schemas.question import Draft, Dropped, Extraction, Region
from schemas.question import PrintedForm as Form

__all__ = ["segment"]

_TITLE_LINES = 12


def segment(document: Document) -> Extraction:
    """Cut a document into drafts; whatever becomes no question is listed with its reason.

    A document that is only a key gives one draft per answered number, flagged `answer_only`.
    """
    lines = resplit(body_lines(document))
    first = next((k for k, line in enumerate(lines) if line.mark is not None), len(lines))
    head = lines[: max(1, min(first, _TITLE_LINES))]
    title = " ".join(line.text.strip() for line in head if len(line.text) < 80)[:400]
    dropped: list[Dropped] = []
    lines, students = without_students(lines)
    dropped.extend(_drop(document, line.text, "a student's answer", line) for line in students)
    lines, corrections = take_corrections(lines)
    blocks = key_blocks(lines)
    key_file = _is_key(document, lines, blocks[0].begin if blocks else len(lines))
    if key_file:
        drafts = _key_drafts(document, read_key(lines, 0, len(lines)))
    else:
        keyed = {place for block in blocks for place in range(block.begin, block.end)}
        begins: dict[str, int] = {}
        drafts = _questions(document, [x for k, x in enumerate(lines) if k not in keyed], dropped, begins)
        drafts, unused = attach_blocks(drafts, begins, lines, blocks, document.source)
        dropped.extend(_unused(document, unused))
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


def _is_key(document: Document, lines: Sequence[Line], key_begin: int) -> bool:
    """Whether the file is only a key: its name or title says so, and it does not print the questions."""
    head = [line.text for line in lines[:6]]
    named = looks_like_key_name(document.source) or any(is_answer_head(text) for text in head)
    if not named or key_begin < len(lines):
        return False
    entries = read_key(lines, 0, len(lines))
    if len(entries) < 2:
        return False
    lengths = sorted(len(entry.text) for entry in entries)
    led = sum(1 for entry in entries if len(entry.text) <= 12 or _ANSWERING.match(entry.text))
    asking = sum(1 for entry in entries if _ASKING.search(entry.text[:160]))
    if led >= 0.5 * len(entries):
        return True
    return asking <= 0.3 * len(entries) and lengths[len(lengths) // 2] <= 400


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


def _questions(
    document: Document, lines: Sequence[Line], dropped: list[Dropped], begins: dict[str, int]
) -> list[Draft]:
    """Drafts of the lines of a paper; begins is filled with draft id → index of the draft's first line."""
    sections = find_sections(lines, 0, len(lines))
    chain = choose_items(lines, sections)
    spans = [lines[i:stop] for s in sections for i, stop in zip(s.items, [*s.items, s.end][1:], strict=True)]
    source = Source(document, answers_coloured(spans) if spans else False, begins)
    drafts: list[Draft] = []
    for section in sections:
        drafts.extend(_section_drafts(source, lines, section, len(drafts), dropped, chain.behind))
    return with_bare_points(drafts)


def _section_drafts(
    source: Source,
    lines: Sequence[Line],
    section: Section,
    order: int,
    dropped: list[Dropped],
    behind: Mapping[int, float],
) -> list[Draft]:
    document = source.document
    drafts: list[Draft] = []
    body = lines[section.begin : section.end]
    if section.line is not None and not section.typed:
        head = lines[section.line]
        own = source.draft(
            order=order,
            number=head.mark.printed.rstrip("、，,.．。:： ") if head.mark else "",
            section=section,
            count=1,
            lines=[head, *body],
            rule="section is the question",
            own_heading=True,
        )
        return [own] if own else []
    if not section.items:
        return _without_items(source, lines, section, order, dropped)
    lead = lines[section.begin : section.items[0]]
    rules = _rules_run(lines, section)
    if rules:
        stop = section.items[rules] if rules < len(section.items) else section.end
        text = "\n".join(line.text for line in lines[section.items[0] : stop])
        dropped.append(_drop(document, text, "rules of the examination", lines[section.items[0]]))
        section.items = section.items[rules:]
        if not section.items:
            return []
    told = told_of(lines, section.items, section.end)
    if _material_question(lines, section, lead) or is_data_list(lines, section):
        head = lines[section.line] if section.line is not None else lead[0]
        one = source.draft(
            order=order,
            number=head.mark.printed.rstrip("、，,.．。:： ") if head.mark else "",
            section=section,
            count=1,
            lines=body if section.line is not None else _from_first_sentence(body),
            rule="one question under a heading",
            first_body=False,
        )
        return [one] if one else []
    material = ""
    first = lines[section.items[0]].mark
    found = unnumbered_before(lead, first.value if first else 0)
    for place, group in enumerate(found, 1):
        draft = source.draft(
            order=order + len(drafts),
            number=str(place),
            section=section if section.line is not None else None,
            count=len(section.items) + len(found),
            lines=group,
            rule=NUMBER_LOST,
            first_body=False,
        )
        if draft is not None:
            drafts.append(draft)
    taken = {line.index for group in found for line in group}
    lead = [line for line in lead if line.index not in taken]
    if lead:
        text = "\n".join(line.text for line in lead).strip()
        if section.line is not None and len(text) > 60 and forms.heading_form(section.title) is Form.ANALYSIS:
            material = text
        else:
            reason = "before the first question" if section.line is None else "instruction under a heading"
            dropped.append(_drop(document, text, reason, lead[0]))
    stops = [*section.items[1:], section.end]
    for i, stop in zip(section.items, stops, strict=True):
        mark = lines[i].mark
        assert mark is not None
        if i in told:
            text = "\n".join(line.text for line in lines[i:stop])
            dropped.append(_drop(document, text, told[i], lines[i]))
            continue
        draft = source.draft(
            order=order + len(drafts),
            number=mark.printed.strip(" 、，,.．。:：()（）【】[]"),
            section=section if section.line is not None else None,
            count=len(section.items),
            place=len(drafts),
            lines=_without_notes(lines, i, stop, document, dropped),
            material=material,
            rule=f"numbered {mark.style.value}",
        )
        if draft is None:
            dropped.append(_drop(document, lines[i].text, "number without text", lines[i]))
            continue
        drafts.append(_with_runner_up(draft, lines, range(i + 1, stop), behind))
    return drafts


def _with_runner_up(draft: Draft, lines: Sequence[Line], inside: range, behind: Mapping[int, float]) -> Draft:
    """The draft with the line inside it that came closest to being a question of its own."""
    close = [k for k in inside if behind.get(k, CLOSE) < CLOSE]
    if not close:
        return draft
    nearest = min(close, key=lambda k: behind[k])
    text = f"{lines[nearest].text[:40]} ({behind[nearest]:.2f} behind)"
    return draft.model_copy(update={"evidence": {**draft.evidence, "runner_up": text}})


_RULES = re.compile(
    r"考生|答题[纸卡]|试卷|答卷|考场|准考证|作答|书写|涂黑|监考|密封线|交卷|草稿纸"
    r"|[Cc]andidates?|examination room|answer sheet"
)


def _rules_run(lines: Sequence[Line], section: Section) -> int:
    """Length of a first run of items (up to a restart at 1) that are rules for the candidates, else 0."""
    values = [mark.value if (mark := lines[i].mark) else 0 for i in section.items]
    run = next((k for k in range(1, len(values)) if values[k] == 1), len(values))
    hits = sum(1 for i in section.items[:run] if len(lines[i].text) <= 80 and _RULES.search(lines[i].text))
    if run <= 12 and hits >= max(1, (run + 1) // 2) and (run < len(values) or section.line is None):
        return run
    return 0


def _without_notes(
    lines: Sequence[Line], begin: int, end: int, document: Document, dropped: list[Dropped]
) -> Sequence[Line]:
    """An item's lines up to a note of the paper that follows it."""
    stop = note_in(lines, begin, end)
    if stop < end:
        text = "\n".join(line.text for line in lines[stop:end])
        dropped.append(_drop(document, text, "note of the paper", lines[stop]))
    return lines[begin:stop]


_INSTRUCTS = re.compile(r"每|选|填|[√×]|下列|小题|\d\s*分|回答|写在|[Ee]ach|[Cc]hoose")


def _material_question(lines: Sequence[Line], section: Section, lead: Sequence[Line]) -> bool:
    """A heading over one question: text that asks nothing by itself, then (1)(2) about it."""
    if section.line is None or not lead or not section.items:
        return False
    mark = lines[section.items[0]].mark
    if mark is None or mark.style not in (Style.PAREN, Style.CIRCLE, Style.RIGHT_PAREN):
        return False
    if re.search(r"每\s*小?题", section.title):
        return False
    sentences = re.split(r"(?<=[。；;!！?？])", "".join(line.text for line in lead))
    told = "".join(sentence for sentence in sentences if not _INSTRUCTS.search(sentence)).strip()
    return len(told) >= 8 or any(line.kind is not BlockKind.TEXT for line in lead)


def _from_first_sentence(body: Sequence[Line]) -> Sequence[Line]:
    """Lines from the first that tells something: a paper's title and its fields to fill in come before."""
    for place, line in enumerate(body):
        if line.mark is not None or (_SENTENCE.search(line.text) and not _FIELDS.search(line.text)):
            return body[place:]
    return body


_SENTENCE = re.compile(r"[。；;]\s*$|[^：:]{12,}[：:]\s*$|，.{6,}")
_FIELDS = re.compile(r"姓名|学号|班级|专业|考试|时间|分钟|满分|试卷|试题")


def _without_items(
    source: Source, lines: Sequence[Line], section: Section, order: int, dropped: list[Dropped]
) -> list[Draft]:
    body = lines[section.begin : section.end]
    if not body:
        if section.line is not None:
            dropped.append(
                _drop(source.document, section.title, "heading without questions", lines[section.line])
            )
        return []
    if section.line is None:
        text = "\n".join(line.text for line in body)
        dropped.append(_drop(source.document, text, "before the first question", body[0]))
        return []
    groups = unnumbered_items(body) if forms.is_term_heading(section.title) else None
    if groups is None:
        groups = [list(body)]
    head = lines[section.line]
    drafts: list[Draft] = []
    for group in groups:
        draft = source.draft(
            order=order + len(drafts),
            number="" if len(groups) > 1 or head.mark is None else head.mark.printed.rstrip("、，,.．。:： "),
            section=section,
            count=len(groups),
            lines=group,
            rule="unnumbered under a heading",
            first_body=False,
        )
        if draft is not None:
            drafts.append(draft)
    return drafts


def _drop(document: Document, text: str, reason: str, line: Line) -> Dropped:
    region = Region(page=line.block.page, box=line.block.box)
    return Dropped(source=document.source, text=text.strip()[:200], reason=reason, region=region)


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
