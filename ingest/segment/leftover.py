"""What sections and numbers left over: pairs by number alone, and answers that no question took.

The unanswered questions of a section are told of the answers that it has left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from rapidfuzz import fuzz

from ingest.segment.key import Entry
from ingest.segment.marks import Style, number_value, read_mark
from ingest.segment.sections import title_value
from schemas.question import Draft

KEY_LEFT = "key_left"
"""Evidence of an unanswered draft in whose section the key has answers that found no question: how many."""
_ALIKE = 60


def with_left(
    drafts: Sequence[Draft], left: Sequence[Entry], matched: Mapping[int, tuple[str, int]]
) -> list[Draft]:
    """Drafts, the unanswered ones with the number of left answers of their section in their evidence.

    matched: section of the key → section of the paper as (heading, number). Answers of a key without
    sections may belong to any question of their number.
    """
    out = []
    for draft in drafts:
        count = sum(_may_answer(draft, entry, matched) for entry in left) if draft.answer is None else 0
        if count:
            draft = draft.model_copy(update={"evidence": {**draft.evidence, KEY_LEFT: str(count)}})
        out.append(draft)
    return out


def _may_answer(draft: Draft, entry: Entry, matched: Mapping[int, tuple[str, int]]) -> bool:
    if entry.section in matched:
        return matched[entry.section][0] == draft.section
    if entry.section_value:
        return entry.section_value == title_value(draft.section or f"{draft.number}、")
    if entry.heading:
        return fuzz.ratio(entry.heading, draft.section) >= _ALIKE
    return entry.number in (0, number_value(draft.number))


def section_key(draft: Draft) -> tuple[str, int]:
    """The heading of a draft's section and its number."""
    return draft.section, title_value(draft.section)


def is_section(draft: Draft) -> bool:
    """Whether a question is the whole of its section and bears its number («三»), not one of its items."""
    mark = read_mark(f"{draft.number}、")
    return mark is not None and mark.style is Style.HAN and mark.value == title_value(draft.section)


def pair_unique(
    drafts: Sequence[Draft],
    entries: Sequence[Entry],
    pairs: dict[int, int],
    matched: Mapping[int, tuple[str, int]],
) -> None:
    """By number alone, only where the number is unique among the open questions and open answers.

    An answer whose section is another of the paper's must bear a number that the paper has only once, and
    its section must give that number one answer.
    """
    open_drafts: dict[int, list[int]] = defaultdict(list)
    open_entries: dict[int, list[int]] = defaultdict(list)
    used = set(pairs.values())
    asked = Counter(number_value(draft.number) for draft in drafts)
    told = Counter((entry.section, entry.number) for entry in entries)
    for d, draft in enumerate(drafts):
        if d not in pairs and number_value(draft.number) and not is_section(draft):
            open_drafts[number_value(draft.number)].append(d)
    for e, entry in enumerate(entries):
        if e not in used and entry.number:
            open_entries[entry.number].append(e)
    for number, members in open_drafts.items():
        found = open_entries.get(number, [])
        if len(members) != 1 or len(found) != 1:
            continue
        section = entries[found[0]].section
        at_home = matched.get(section) in (None, section_key(drafts[members[0]]))
        if (at_home or asked[number] == 1) and (section not in matched or told[section, number] == 1):
            pairs[members[0]] = found[0]
