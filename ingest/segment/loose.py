"""Questions without numbers: terms in a row, lettered alternatives, paragraphs that each ask something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.segment.answers import ANSWER_LINE
from ingest.segment.drafts import is_word
from ingest.segment.forms import chosen_count, heading_form, is_term_heading
from ingest.segment.lines import Line
from ingest.segment.pieces import pieces_of
from schemas.document import BlockKind
from schemas.question import PrintedForm as Form

_TERM = 30
_DIRECTION = re.compile(
    r"^\s*(?:Directions?|Instructions?|DIRECTIONS?|INSTRUCTIONS?|答题说明|答题要求|说明|注意(?:事项)?"
    r"|提示)\s*[:：]"
)
_SEPARATOR = re.compile(r"[、，,；;\t]|\s{2,}|\u3000+")
_LETTER = re.compile(r"^\s*[（(]?([A-H])\s*[)）.．、:：]\s*(?=\S)")
_OPTION = re.compile(r"^\s*[（(]?[A-H]\s*[)）.．、:：]\s*\S")
_ENDS_ASKING = re.compile(r"[？?][”\"』」）)]?\s*(?:[（(\[].{0,12}[)）\]])?\s*$")
_BEGINS_ASKING = re.compile(
    r"^\s*(?:请|试|简述|简要|论述|概述|叙述|阐述|说明|解释|什么是|何谓|如何|为什么|怎样|比较|分析|列举"
    r"|谈谈|评述|论|计算|求|证明|写出|编写|设计|画出|结合|联系"
    r"|Explain|Define|Describe|Discuss|Compare|State|List|Give|Find|Compute|Calculate|Prove|Show|What"
    r"|Why|How|Write|Assess|To what extent)"
)
_BULLETS = "●•◆■★◇○·▪➢◎*-–"
_BLANK = re.compile(r"_{2,}|[（(]\s*[)）]")


def without_directions(body: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The directions that open a section, and the rest; directions are never all there is."""
    stop = 0
    for group in sentences(body)[:-1]:
        if not _DIRECTION.match(group[0].text):
            break
        stop += len(group)
    return list(body[:stop]), list(body[stop:])


def unnumbered_items(lines: Sequence[Line], title: str) -> list[list[Line]] | None:
    """The lines of each question under a heading whose questions have no numbers; None for one question."""
    if any(line.mark is not None for line in lines) or not lines:
        return None
    texts = [line for line in lines if line.kind is BlockKind.TEXT]
    form = heading_form(title)
    if is_term_heading(title):
        terms = _terms(texts)
        if terms:
            return terms
    if form is Form.MULTIPLE_CHOICE:
        return _choices(texts)
    lettered = _lettered(lines, title)
    if lettered:
        return lettered
    return _askers(lines, form)


def _terms(lines: Sequence[Line]) -> list[list[Line]] | None:
    """Terms one a line, or in a row with commas or spaces between."""
    if any(len(line.text) > _TERM or ANSWER_LINE.match(line.text) for line in lines) and len(lines) > 1:
        return None
    split = [[t.strip(" 。.") for t in _SEPARATOR.split(line.text) if t.strip(" 。.")] for line in lines]
    if len(lines) == 1 and len(split[0]) < 3:
        return None
    if any(len(term) > 16 for terms in split for term in terms) or re.search(r"[。？?]\s*\S", lines[0].text):
        return [[line] for line in lines] if len(lines) >= 2 else None
    if max(len(terms) for terms in split) < 3:
        return [[line] for line in lines] if len(lines) >= 2 else None
    return [[replace(line, text=term)] for line, terms in zip(lines, split, strict=True) for term in terms]


def _choices(lines: Sequence[Line]) -> list[list[Line]] | None:
    """Stems with options below: a line that is no option after one that is begins the next question."""
    groups: list[list[Line]] = []
    for line in lines:
        option = bool(_OPTION.match(line.text))
        if not groups or (not option and _OPTION.match(groups[-1][-1].text)):
            groups.append([])
        groups[-1].append(line)
    whole = all(not _OPTION.match(g[0].text) and len(g) >= 2 for g in groups)
    return groups if len(groups) >= 2 and whole else None


def _lettered(lines: Sequence[Line], title: str) -> list[list[Line]] | None:
    """A. … B. … as whole questions: alternatives to choose from, or entries that ask."""
    places: list[int] = []
    for place, line in enumerate(lines):
        found = _LETTER.match(line.text) if line.kind is BlockKind.TEXT else None
        if found and found.group(1) == chr(ord("A") + len(places)):
            places.append(place)
    if len(places) < 2:
        return None
    groups = [list(lines[a:b]) for a, b in zip(places, [*places[1:], len(lines)], strict=True)]
    bodies = [_body(group[0].text) for group in groups]
    asking = sum(1 for b in bodies if _ENDS_ASKING.search(b) or _BEGINS_ASKING.match(b))
    if asking < 0.6 * len(groups) and not (chosen_count(title) and min(map(len, bodies)) >= 12):
        return None
    return [[replace(group[0], text=_body(group[0].text)), *group[1:]] for group in groups]


def _body(text: str) -> str:
    found = _LETTER.match(text)
    return text[found.end() :] if found else text


def asks(text: str, form: Form | None = None) -> bool:
    """Whether a paragraph asks something by itself, a bullet before it or not."""
    text = text.lstrip(" \t\u3000" + _BULLETS)
    if _ENDS_ASKING.search(text) or _BEGINS_ASKING.match(text):
        return True
    return form in (Form.FILL_BLANK, Form.TRUE_FALSE) and bool(_BLANK.search(text))


def sentences(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines joined to paragraphs: a Word line is one, lines of a page go on while the sentence does."""
    groups: list[list[Line]] = []
    for line in lines:
        joined = (
            bool(groups)
            and not is_word(line)
            and line.text.lstrip()[:1] not in _BULLETS
            and len(pieces_of([groups[-1][-1], line], first_body=False)) == 1
        )
        if joined:
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _askers(lines: Sequence[Line], form: Form | None) -> list[list[Line]] | None:
    """Paragraphs that each ask something, where every one does."""
    if form in (Form.ANALYSIS, Form.OTHER) or any(line.kind is not BlockKind.TEXT for line in lines):
        return None
    groups = sentences(lines)
    texts = ["".join(line.text for line in group) for group in groups]
    if len(groups) < 2 or not all(asks(text, form) for text in texts):
        return None
    return groups
