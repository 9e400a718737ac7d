"""Sections that key and paper divide differently: one question there, many answers here, or the other way."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ingest.segment.forms import count_blanks, heading_form
from ingest.segment.key import Entry
from ingest.segment.leftover import section_key
from ingest.segment.marks import number_value
from schemas.question import Draft
from schemas.question import PrintedForm as Form

WHOLE = "key section as a whole"
ONE_LINE = "key section in one line"
_SIGNS = (re.compile(r"\s*[；;]\s*"), re.compile(r"\s*[、，,]\s*|\s{2,}|\t"))


def by_heading(drafts: Sequence[Draft]) -> dict[tuple[str, int], list[int]]:
    """Places of the drafts of each section: (heading, its number) → indices."""
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, draft in enumerate(drafts):
        groups[section_key(draft)].append(place)
    return groups


def in_one_line(drafts: Sequence[Draft], entries: Sequence[Entry]) -> list[Entry]:
    """Entries with «一、光合作用；水；氧气» given to the questions of the section, one after the other.

    For sections of blanks where one kind of sign divides the line into as many answers as the section has
    blanks, or questions; for choices and judgements («一、ABCDA BCADB») where the signs, or the groups of
    signs, are as many as the questions. Anything else stays whole, and finds no question.
    """
    asked = {
        value: (heading_form(heading), [drafts[place] for place in members])
        for (heading, value), members in by_heading(drafts).items()
        if value
    }
    told: dict[int, int] = defaultdict(int)
    for entry in entries:
        told[entry.section] += 1
    out: list[Entry] = []
    for entry in entries:
        form, members = asked.get(entry.section_value, (None, []))
        alone = entry.number == 0 and told[entry.section] == 1 and entry.form in (None, form)
        shares: list[str] = []
        if alone and form is Form.FILL_BLANK:
            shares = _by_line(entry.text, members) if "\n" in entry.text else _shares(entry.text, members)
        elif alone and form in (Form.MULTIPLE_CHOICE, Form.TRUE_FALSE):
            shares = _signs(entry.text, members)
        out += (
            [
                replace(entry, number=number_value(draft.number), text=text, rule=ONE_LINE)
                for draft, text in zip(members, shares, strict=True)
            ]
            if shares
            else [entry]
        )
    return out


def _shares(text: str, members: Sequence[Draft]) -> list[str]:
    """The answer of each question, none where the signs do not divide the text as the paper asks."""
    counts = [count_blanks(draft.printed) for draft in members]
    if not members or not all(counts) or not all(number_value(draft.number) for draft in members):
        return []
    for signs in _SIGNS:
        pieces = signs.split(text.strip().rstrip("。.；;"))
        if len(pieces) < 2 or not all(pieces):
            continue
        if len(pieces) == sum(counts):
            rest = iter(pieces)
            return ["；".join(next(rest) for _ in range(count)) for count in counts]
        if len(pieces) == len(members):
            return pieces
    return []


def _by_line(text: str, members: Sequence[Draft]) -> list[str]:
    """The lines of a key without numbers, where each has as many answers as its question has blanks."""
    lines = text.split("\n")
    fits = len(lines) == len(members) and all(
        any(len(signs.split(line.strip("。.；; "))) == count_blanks(draft.printed) for signs in _SIGNS)
        for line, draft in zip(lines, members, strict=True)
    )
    return lines if fits else []


def _signs(text: str, members: Sequence[Draft]) -> list[str]:
    """A letter, a group of letters or a verdict for each question, none where their number is another."""
    if not _ONLY_SIGNS.fullmatch(text) or not all(number_value(draft.number) for draft in members):
        return []
    groups = [group for group in _GAPS.split(text) if group]
    single = list("".join(groups))
    return next((found for found in (groups, single) if len(found) == len(members) >= 2), [])


_GAPS = re.compile(r"[\s\u3000,，、;；。.]+")
_ONLY_SIGNS = re.compile(r"(?:[A-H]|[√×✓✗对错TF]|[\s\u3000,，、;；。.])+")


def whole_sections(drafts: Sequence[Draft], entries: Sequence[Entry]) -> list[Entry]:
    """For a section that is one question on the paper but (1)(2) in the key: all its entries as one."""
    single = {section_key(d)[1] or number_value(d.number) for d in drafts if not d.section} | {
        value for (_, value), members in by_heading(drafts).items() if value and len(members) == 1
    }
    sections: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        sections[entry.section].append(entry)
    return [
        replace(
            members[0],
            number=0,
            text=_listed(members),
            regions=tuple(region for entry in members for region in entry.regions),
            rule=WHOLE,
        )
        for members in sections.values()
        if len(members) >= 2
        and members[0].section_value in single
        and [entry.number for entry in members] == list(range(1, len(members) + 1))
    ]


def _listed(members: Sequence[Entry]) -> str:
    """Entries as the points of one answer; «1．政企分开» in the first of them numbers them already."""
    first, *rest = members
    if re.match(r"1\s?[.．、]", first.text):
        return "\n".join([first.text, *(f"{entry.number}. {entry.text}" for entry in rest)])
    return "\n".join(f"（{entry.number}）{entry.text}" for entry in members)
