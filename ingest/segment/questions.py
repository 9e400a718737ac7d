"""From the outline to drafts: which lines become a question, and which are kept apart with a reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.segment import forms
from ingest.segment.confidence import CLOSE, NUMBER_LOST, UNNUMBERED
from ingest.segment.drafts import Source, answers_coloured, with_bare_points
from ingest.segment.inner import (
    RULES,
    before_asides,
    is_data_list,
    large_titles,
    note_in,
    studies,
    tells_case,
    told_of,
)
from ingest.segment.lines import Line
from ingest.segment.loose import asks, sentences, unnumbered_items, without_directions
from ingest.segment.lost import unnumbered_before, with_forgotten, with_lost_verdicts
from ingest.segment.marks import Style
from ingest.segment.outline import choose_items
from ingest.segment.sections import Section, extra_end, extra_name, find_sections
from ingest.segment.shared import for_sections, is_passage, shared_at, span_of
from ingest.segment.ticks import with_explained, with_ticked, with_verdicts
from schemas.document import BlockKind, Document
from schemas.question import Draft, Dropped, Region
from schemas.question import PrintedForm as Form


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known of the whole paper: how close each other reading came, and which numbers were added.

    studied: entries that say what to know occur several times, so that a lone one is no question either.
    """

    behind: Mapping[int, float]
    forgotten: frozenset[int]
    studied: bool


def questions(
    document: Document, lines: Sequence[Line], dropped: list[Dropped], begins: dict[str, int]
) -> list[Draft]:
    """Drafts of the lines of a paper; begins is filled with draft id → index of the draft's first line."""
    titles = large_titles(lines)
    dropped.extend(drop(document, lines[k].text, "title of a paper", lines[k]) for k in sorted(titles))
    lines = [line for k, line in enumerate(lines) if k not in titles]
    sections = find_sections(lines, 0, len(lines))
    chain = choose_items(lines, sections)
    lines, forgotten = with_forgotten(lines, [section.items for section in sections], asks)
    judged = [(s.items, s.end) for s in sections if forms.heading_form(s.title) is Form.TRUE_FALSE]
    lines, verdicts = with_lost_verdicts(lines, judged)
    forgotten |= verdicts
    if forgotten:
        sections = find_sections(lines, 0, len(lines))
        chain = choose_items(lines, sections)
    spans = [lines[i:stop] for s in sections for i, stop in zip(s.items, [*s.items, s.end][1:], strict=True)]
    source = Source(document, answers_coloured(spans) if spans else False, begins)
    drafts: list[Draft] = []
    outline = Outline(
        chain.behind,
        forgotten,
        sum(studies(lines[i].body) for s in sections for i in s.items) >= 2,
    )
    first = sections[0]
    shared = for_sections(lines[first.begin : first.end]) if first.line is None and not first.items else None
    for section in sections:
        found = _section_drafts(source, lines, section, len(drafts), dropped, outline)
        if shared and (not shared[1] or section.value in shared[1]):
            found = [
                draft.model_copy(update={"material": _both(shared[0], draft.material)}) for draft in found
            ]
        drafts.extend(found)
    found = with_bare_points(drafts or _askers(source, lines))
    return with_explained(with_verdicts(with_ticked(found)))


def _both(upper: str, lower: str) -> str:
    return "\n".join(filter(None, [upper, lower]))


def _askers(source: Source, lines: Sequence[Line]) -> list[Draft]:
    """Questions of a text without any number or heading: its paragraphs that ask, if most of them do."""
    texts = [line for line in lines if line.kind is BlockKind.TEXT]
    groups = sentences(texts)
    told = [group for group in groups if len("".join(line.text for line in group)) >= 6]
    asking = [group for group in told if asks("".join(line.text for line in group))]
    if 2 * len(asking) < len(told):
        return []
    found = (
        source.draft(
            order=order,
            number="",
            section=None,
            count=len(asking),
            lines=group,
            rule=UNNUMBERED,
            first_body=False,
        )
        for order, group in enumerate(asking)
    )
    return [draft for draft in found if draft is not None]


def _section_drafts(
    source: Source,
    lines: Sequence[Line],
    section: Section,
    order: int,
    dropped: list[Dropped],
    outline: Outline,
) -> list[Draft]:
    document = source.document
    drafts: list[Draft] = []
    body = lines[section.begin : section.end]
    if section.line is not None and not section.typed:
        head = lines[section.line]
        stop = before_asides(lines, section.line, section.end)
        if stop < section.end:
            text = "\n".join(line.text for line in lines[stop : section.end])
            dropped.append(drop(document, text, "note of the paper", lines[stop]))
        named = extra_end(head.text)
        said = [replace(head, text=head.text[named:])] if head.text[named:].strip() else []
        own = source.draft(
            order=order,
            number=head.mark.printed.rstrip("、，,.．。:： ") if head.mark else extra_name(head.text),
            section=section,
            count=1,
            lines=[*said, *lines[section.line + 1 : stop]],
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
        dropped.append(drop(document, text, "rules of the examination", lines[section.items[0]]))
        section.items = section.items[rules:]
        if not section.items:
            return []
    told = told_of(lines, section.items, section.end, outline.studied)
    if (
        _material_question(lines, section, lead)
        or is_data_list(lines, section)
        or forms.MATCHING.search(section.title)
        or _is_outline(lines, section, lead)
    ):
        head = lines[section.line] if section.line is not None else body[0]
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
    found = _numbers_lost(source, lines, section, lead, order)
    drafts.extend(draft for draft, _ in found)
    taken = {line.index for _, group in found for line in group}
    lead = [line for line in lead if line.index not in taken]
    if lead:
        text = "\n".join(line.text for line in lead).strip()
        if _is_material(section, lead, text) or _is_cloze(lines, section, lead):
            material = text
        else:
            reason = "before the first question" if section.line is None else "instruction under a heading"
            dropped.append(drop(document, text, reason, lead[0]))
    shared = span_of(lead[0].text) if material and lead else None
    stops = [*section.items[1:], section.end]
    for i, stop in zip(section.items, stops, strict=True):
        mark = lines[i].mark
        assert mark is not None
        if shared is not None and not shared[0] <= mark.value <= shared[1]:
            material, shared = "", None
        begin_shared = shared_at(lines, i + 1, stop) if stop < section.end else stop
        if i in told:
            text = "\n".join(line.text for line in lines[i:stop])
            dropped.append(drop(document, text, told[i], lines[i]))
            continue
        draft = source.draft(
            order=order + len(drafts),
            number=mark.printed.strip(" 、，,.．。:：()（）【】[]"),
            section=section if section.line is not None else None,
            count=len(section.items),
            place=len(drafts),
            lines=_without_notes(lines, i, begin_shared, document, dropped),
            material=material,
            rule=NUMBER_LOST if i in outline.forgotten else f"numbered {mark.style.value}",
        )
        if begin_shared < stop:
            material = "\n".join(line.text for line in lines[begin_shared:stop]).strip()
            shared = span_of(lines[begin_shared].text)
        if draft is None:
            dropped.append(drop(document, lines[i].text, "number without text", lines[i]))
            continue
        drafts.append(_with_runner_up(draft, lines, range(i + 1, stop), outline.behind))
    return drafts


def _numbers_lost(
    source: Source, lines: Sequence[Line], section: Section, lead: Sequence[Line], order: int
) -> list[tuple[Draft, list[Line]]]:
    """Drafts of the questions before the first number of a scan, with the lines of each."""
    first = lines[section.items[0]].mark
    groups = unnumbered_before(lead, first.value if first else 0)
    out: list[tuple[Draft, list[Line]]] = []
    for place, group in enumerate(groups, 1):
        draft = source.draft(
            order=order + len(out),
            number=str(place),
            section=section if section.line is not None else None,
            count=len(section.items) + len(groups),
            lines=group,
            rule=NUMBER_LOST,
            first_body=False,
        )
        if draft is not None:
            out.append((draft, group))
    return out


def _is_material(section: Section, lead: Sequence[Line], text: str) -> bool:
    """Whether the lines before the first item are what the items are about, rather than an instruction."""
    if is_passage(lead[0].text) or span_of(lead[0].text):
        return True
    if section.line is not None and tells_case(lead[0].text, lead[-1].text):
        return True
    if section.line is None or len(text) <= 60:
        return False
    return forms.heading_form(section.title) is Form.ANALYSIS or bool(_READING.search(section.title))


def _is_cloze(lines: Sequence[Line], section: Section, lead: Sequence[Line]) -> bool:
    """Whether a long text stands over items that are only options: it is the passage with the gaps."""
    _, passage = without_directions(lead)
    if sum(len(line.text) for line in passage) <= 60:
        return False
    stops = [*section.items[1:], section.end]
    firsts = [
        lines[i].body or (lines[i + 1].text if i + 1 < stop else "")
        for i, stop in zip(section.items, stops, strict=True)
    ]
    return all(_OPTION_FIRST.match(text) for text in firsts)


_OPTION_FIRST = re.compile(r"^\s*[（(\[【]?A\s*[)）\].．、:：\]】]\s*\S")
_READING = re.compile(r"阅读|[Rr]eading|READING|[Pp]assage|[Cc]ase")


def _with_runner_up(draft: Draft, lines: Sequence[Line], inside: range, behind: Mapping[int, float]) -> Draft:
    """The draft with the line inside it that came closest to being a question of its own."""
    close = [k for k in inside if behind.get(k, CLOSE) < CLOSE]
    if not close:
        return draft
    nearest = min(close, key=lambda k: behind[k])
    text = f"{lines[nearest].text[:40]} ({behind[nearest]:.2f} behind)"
    return draft.model_copy(update={"evidence": {**draft.evidence, "runner_up": text}})


def _rules_run(lines: Sequence[Line], section: Section) -> int:
    """Length of a first run of items (up to a restart at 1) that are rules for the candidates, else 0."""
    values = [mark.value if (mark := lines[i].mark) else 0 for i in section.items]
    run = next((k for k in range(1, len(values)) if values[k] == 1), len(values))
    hits = sum(1 for i in section.items[:run] if len(lines[i].text) <= 80 and RULES.search(lines[i].text))
    if run <= 12 and hits >= max(1, (run + 1) // 2) and (run < len(values) or section.line is None):
        return run
    return 0


def _without_notes(
    lines: Sequence[Line], begin: int, end: int, document: Document, dropped: list[Dropped]
) -> Sequence[Line]:
    """An item's lines up to a note of the paper that follows it."""
    stop = before_asides(lines, begin, note_in(lines, begin, end))
    if stop < end:
        text = "\n".join(line.text for line in lines[stop:end])
        dropped.append(drop(document, text, "note of the paper", lines[stop]))
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


def _is_outline(lines: Sequence[Line], section: Section, lead: Sequence[Line]) -> bool:
    """Whether short numbered lines under «Write a composition …» are its outline, not questions."""
    told = f"{section.title}\n" + "\n".join(line.text for line in lead)
    stops = [*section.items[1:], section.end]
    short = all(
        stop - i == 1 and len(lines[i].body) <= _POINT and not lines[i].body.endswith(("?", "？"))
        for i, stop in zip(section.items, stops, strict=True)
    )
    return bool(lead) and short and len(section.items) <= 5 and bool(_COMPOSITION.search(told))


_POINT = 60
_COMPOSITION = re.compile(
    r"(?:[Ww]rite|WRITE)\b.{0,60}\b(?:composition|essay|letter|passage|article)|outline|提纲.{0,12}(?:写|作文)|写一篇"
)


def _from_first_sentence(body: Sequence[Line]) -> Sequence[Line]:
    """Lines from the first that tells something: a paper's title and its fields to fill in come before."""
    for place, line in enumerate(body):
        if line.mark is not None or (_SENTENCE.search(line.text) and not _FIELDS.search(line.text)):
            return body[place:]
    return body


_SENTENCE = re.compile(r"[。；;]\s*$|(?<=[^：:]{12})[：:]\s*$|，.{6,}")
_FIELDS = re.compile(r"姓名|学号|班级|专业|考试|时间|分钟|满分|试卷|试题")


def _without_items(
    source: Source, lines: Sequence[Line], section: Section, order: int, dropped: list[Dropped]
) -> list[Draft]:
    body = lines[section.begin : section.end]
    if not body:
        if section.line is not None:
            dropped.append(
                drop(source.document, section.title, "heading without questions", lines[section.line])
            )
        return []
    if section.line is None:
        text = "\n".join(line.text for line in body)
        dropped.append(drop(source.document, text, "before the first question", body[0]))
        return []
    directions, rest = without_directions(body)
    if directions:
        text = "\n".join(line.text for line in directions)
        dropped.append(drop(source.document, text, "instruction under a heading", directions[0]))
    groups = unnumbered_items(rest, section.title)
    if groups is None:
        groups = [rest]
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


def drop(document: Document, text: str, reason: str, line: Line) -> Dropped:
    """The record of text that became no question; line is where it stood."""
    region = Region(page=line.block.page, box=line.block.box)
    return Dropped(source=document.source, text=text.strip()[:200], reason=reason, region=region)
