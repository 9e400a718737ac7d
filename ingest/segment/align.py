"""Which answer of a key belongs to which question: by section and number, checked by content."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from rapidfuzz import fuzz

from ingest.segment.answers import CORRECTED
from ingest.segment.forms import count_blanks, heading_form
from ingest.segment.key import Entry, choice_of
from ingest.segment.leftover import is_section, pair_unique, with_left
from ingest.segment.marks import number_value
from ingest.segment.remarks import split_answer
from ingest.segment.sections import title_value
from ingest.segment.wholes import WHOLE, by_heading, in_one_line, whole_sections
from schemas.question import Draft
from schemas.question import PrintedForm as Form
from schemas.text import fold

SAME_STEM = 82.0
_SINGLE = ("key", "key file")


def attach(
    drafts: Sequence[Draft], entries: Sequence[Entry], key_source: str
) -> tuple[list[Draft], list[Entry]]:
    """Drafts with the answers of a key, and the entries that found no question.

    Where key and paper answer differently the key is taken, except over text in the question's own
    blanks, and the draft is flagged `answer_conflict`. Where numbering and content disagree (a choice
    answered with text, a letter that is no option) nothing is attached and the flag is the same; where
    that is so for half of a section, none of its answers is taken.
    """
    entries = in_one_line(drafts, entries)
    entries = [*entries, *whole_sections(drafts, entries)]
    matched: dict[int, tuple[str, int]] = {}
    pairs = _pairs(drafts, entries, matched)
    out = list(drafts)
    distrusted = _distrusted(drafts, entries, pairs)
    for d in pairs if distrusted else ():
        out[d] = _flag(drafts[d], "answer_conflict")  # a key that is wrong there may be another paper's
    for members in distrusted:
        for d in members:
            del pairs[d]
    used: set[int] = set()
    for d, e in pairs.items():
        draft, entry = out[d], entries[e]
        used.add(e)
        out[d] = _with_answer(draft, entry, key_source)
    merged = {entries[e].section for e in used if entries[e].rule == WHOLE}
    left = [
        entry
        for e, entry in enumerate(entries)
        if e not in used and entry.rule != WHOLE and entry.section not in merged
    ]
    return with_left(out, left, matched), left


def _distrusted(
    drafts: Sequence[Draft], entries: Sequence[Entry], pairs: Mapping[int, int]
) -> list[list[int]]:
    """Sections whose pairs are not to be trusted: half of their answers cannot answer the questions."""
    sections: dict[str, list[int]] = defaultdict(list)
    for d in pairs:
        sections[drafts[d].section].append(d)
    out = []
    for members in sections.values():
        wrong = sum(1 for d in members if not _fits(drafts[d], entries[pairs[d]]))
        if wrong >= 2 and 2 * wrong >= len(members):
            out.append(members)
    return out


def _with_answer(draft: Draft, entry: Entry, key_source: str) -> Draft:
    if not _fits(draft, entry):
        return _flag(draft, "answer_conflict")
    text, more = split_answer(_strip_stem(draft, entry.text))
    explanation = "\n".join(filter(None, [draft.explanation, more])) or None
    labels = {option.label for option in draft.options}
    if draft.form is Form.MULTIPLE_CHOICE and draft.options and not _orders(text, labels):
        chosen = choice_of(text)
        if chosen is None or not set(chosen[0]) <= labels:
            matches = [o.label for o in draft.options if fold(o.text) and fold(o.text) == fold(text)]
            chosen = (matches[0], "")
        text = chosen[0]
        explanation = "\n".join(filter(None, [chosen[1], explanation])) or None
    if not text.strip():
        return draft
    printed = draft.answer
    if printed is not None:
        if draft.evidence.get("answer") == CORRECTED:
            return draft
        if same_answer(printed, text):
            return draft.model_copy(update={"explanation": explanation})
        if "answer_unmarked" not in draft.flags:
            draft = _flag(draft, "answer_conflict")
            if draft.form is Form.FILL_BLANK:
                return draft  # what stands in its own blank cannot be another question's answer
        elif _says_more(text, printed):
            flags = tuple(flag for flag in draft.flags if flag != "answer_unmarked")
            longer = "\n".join(filter(None, [text, more]))
            return draft.model_copy(update={"flags": flags, "explanation": longer})
    evidence = {**draft.evidence, "answer": CORRECTED} if entry.rule == CORRECTED else draft.evidence
    return draft.model_copy(
        update={
            "answer": text,
            "explanation": explanation,
            "answer_source": f"{key_source}: {entry.rule}",
            "answer_regions": entry.regions,
            "evidence": evidence,
        }
    )


def _fits(draft: Draft, entry: Entry) -> bool:
    """Whether an entry can answer a question of this form: a letter of its options, a verdict, a text."""
    text = split_answer(_strip_stem(draft, entry.text))[0]
    announced = heading_form(draft.section) if draft.section else None
    if draft.form is Form.MULTIPLE_CHOICE and draft.options:
        labels = {option.label for option in draft.options}
        chosen = choice_of(text)
        if (chosen is not None and set(chosen[0]) <= labels) or _orders(text, labels):
            return True
        return sum(1 for o in draft.options if fold(o.text) and fold(o.text) == fold(text)) == 1
    if announced is Form.TRUE_FALSE:
        return text in "AB" or bool(_JUDGES.search(text[:_JUDGED]))
    if announced in (Form.SHORT_ANSWER, Form.ESSAY, Form.ANALYSIS, Form.CALCULATION):
        return not _SIGN.fullmatch(text) and not _LETTERS.fullmatch(text)
    if announced is Form.FILL_BLANK and count_blanks(draft.printed) > 1:
        return not _SIGN.fullmatch(text) and not (_LETTERS.fullmatch(text) and len(text) == 1)
    return True


# a judgement, in the first words of what may be a longer reason
_JUDGES = re.compile(
    r"[√✓✔×✗✘╳对错误真假是否不非]|正确|成立|必然|一定|可能|(?<![A-Za-z])(?:[TFYNtfyn](?![A-Za-z])|true|false|yes|no\b|right"
    r"|wrong|correct|incorrect)",
    re.IGNORECASE,
)
_JUDGED = 60


def _orders(text: str, labels: set[str]) -> bool:
    """Whether an answer puts all options in an order («D>A>B>C»)."""
    found = re.sub(r"[\s>＞<＜→\-—,，、]", "", text)
    return len(found) == len(labels) >= 3 and set(found) == labels and bool(re.search(r"[>＞<＜→—-]", text))


_LETTERS = re.compile(r"[A-H]{1,8}")
_SIGN = re.compile(r"[√✓✔×✗✘╳]|对|错")
_BETWEEN = re.compile(r"[；;、，,\n\t]|\s{2,}")


def same_answer(one: str, other: str) -> bool:
    """Whether two answers say the same: alike when folded, or the same blanks in another order."""
    if fold(one) == fold(other):
        return True
    a, b = (sorted(filter(None, map(fold, _BETWEEN.split(text)))) for text in (one, other))
    return len(a) > 1 and a == b


def _says_more(longer: str, shorter: str) -> bool:
    """Whether a longer answer holds what the shorter one says: most neighbouring signs of its words."""
    said = fold(longer)
    words = [fold(word) for word in _BETWEEN.split(shorter)]
    pairs = [word[i : i + 2] for word in words for i in range(len(word) - 1)]
    return len(said) > sum(map(len, words)) >= 4 and sum(p in said for p in pairs) >= 0.66 * len(pairs)


def _flag(draft: Draft, flag: str) -> Draft:
    return draft if flag in draft.flags else draft.model_copy(update={"flags": (*draft.flags, flag)})


def _strip_stem(draft: Draft, text: str) -> str:
    """An answer without the question it repeats: the term before a colon, the words around the blanks."""
    stem = draft.printed.strip()
    filled = _in_the_blanks(stem, text) if draft.form is Form.FILL_BLANK else None
    if filled:
        return filled
    if stem and len(stem) <= 20 and re.match(re.escape(stem) + r"\s*(?:[：:]|——|是指|指)\s*\S", text):
        return text[len(stem) :].lstrip(" \t：:—")
    return _after_answer_word(after_stem(draft.printed, text))


_BLANK = re.compile(r"_{2,}|[（(]\s*[)）]")


def _in_the_blanks(stem: str, text: str) -> str | None:
    """What a key that prints the whole sentence has in the places of the blanks; None when it does not."""
    around = [re.sub(r"\s", "", piece) for piece in _BLANK.split(stem)]
    told = re.sub(r"\s", "", text)
    if len(around) < 2 or sum(map(len, around)) < 4 or not told.startswith(around[0]):
        return None
    values: list[str] = []
    at = len(around[0])
    for piece in around[1:]:
        end = told.find(piece, at) if piece.strip("。.") else len(told.rstrip("。."))
        if end <= at:
            return None
        values.append(told[at:end].strip("_（）()"))
        at = end + len(piece)
    return "；".join(values) if all(values) else None


def after_stem(stem: str, text: str) -> str:
    """What stands in text after a stem that it repeats, retyped or not; text itself when it does not."""
    if len(stem) < 8:
        return text
    reach = text[: int(len(stem) * 1.3) + 12]
    found = fuzz.partial_ratio_alignment(stem, reach, score_cutoff=SAME_STEM)
    if found is None or found.dest_start > 0.25 * len(stem) + 6 or len(reach) < 0.6 * len(stem):
        return text
    return text[found.dest_end :].lstrip(" \t\n。．.？?：:") or text


def _after_answer_word(text: str) -> str:
    return re.sub(r"^\s*(?:答案|参考答案|答案要点|答|解|证明)\s*[:：]\s*", "", text.strip())


def _pairs(
    drafts: Sequence[Draft], entries: Sequence[Entry], matched: dict[int, tuple[str, int]]
) -> dict[int, int]:
    """Draft index → entry index. Section by value and form first, then by number alone where unique.

    matched is filled with section of the key → section of the paper.
    """
    groups = by_heading(drafts)
    by_section: dict[int, list[int]] = defaultdict(list)
    for e, entry in enumerate(entries):
        by_section[entry.section].append(e)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    order = list(groups)
    for order_number, group in enumerate(order):
        section = _match_section(group, order_number, len(order), by_section, entries, taken)
        if section is None:
            continue
        taken.add(section)
        matched[section] = group
        _pair_numbers(groups[group], by_section[section], drafts, entries, pairs)
    for d, e in _alone(drafts, entries, pairs):
        pairs[d] = e
    pair_unique(drafts, entries, pairs, matched)
    return pairs


def _match_section(
    group: tuple[str, int],
    order: int,
    groups: int,
    by_section: dict[int, list[int]],
    entries: Sequence[Entry],
    taken: set[int],
) -> int | None:
    title, value = group
    free = [s for s in by_section if s not in taken]
    if not title:
        return None
    form = heading_form(title)
    kinds = {s: entries[by_section[s][0]].form for s in free}
    same = [
        s
        for s in free
        if value and entries[by_section[s][0]].section_value == value and _agree(form, kinds[s])
    ]
    if same:
        return same[0]
    alike = [
        s
        for s in free
        if entries[by_section[s][0]].heading and fuzz.ratio(title, entries[by_section[s][0]].heading) >= 60
    ]
    if alike:
        return alike[0]
    numbered = {s for s in free if value and entries[by_section[s][0]].section_value == value}
    if numbered:
        # numbered alike and of another kind: told by content, or not at all
        return min(numbered)
    if groups == len(by_section) and not any(
        entries[e].section_value for e in (m[0] for m in by_section.values())
    ):
        return sorted(by_section)[order]
    return None


_MARKED = (Form.MULTIPLE_CHOICE, Form.TRUE_FALSE, Form.FILL_BLANK)


def _agree(form: Form | None, other: Form | None) -> bool:
    """Whether two headings can name one section: letters, verdicts and blanks are not mistaken for others."""
    return form is other or None in (form, other) or (form not in _MARKED and other not in _MARKED)


def _pair_numbers(
    members: Sequence[int],
    section: Sequence[int],
    drafts: Sequence[Draft],
    entries: Sequence[Entry],
    pairs: dict[int, int],
) -> None:
    numbers: dict[int, list[int]] = defaultdict(list)
    for e in section:
        numbers[entries[e].number].append(e)
    asked_values = [number_value(drafts[d].number) for d in members]
    told_values = [entries[e].number for e in section]
    if (
        _runs_on(asked_values)
        and told_values == list(range(1, len(section) + 1))
        and told_values[-1] < asked_values[-1]
    ):
        # the paper numbers through, the key begins again in each section: by place, if they are as many
        if len(section) == len(members):
            pairs.update(zip(members, section, strict=True))
        return
    used: set[int] = set()
    whole = section if len(section) == 1 else [e for e in section if entries[e].rule == WHOLE]
    merged = whole and entries[whole[0]].rule == WHOLE
    if len(members) == 1 and len(whole) == 1 and (merged or is_section(drafts[members[0]])):
        pairs[members[0]] = whole[0]
        return
    asked = Counter(number_value(drafts[d].number) for d in members)
    told = {
        n: {fold(entries[e].text) for e in found if entries[e].rule in _SINGLE}
        for n, found in numbers.items()
    }
    # a number that comes again with another answer: numbers inside an answer; none is better than a wrong one
    unclear = {n for n, texts in told.items() if len(texts) > max(1, asked[n])}
    for d in members:
        number = number_value(drafts[d].number)
        if number in unclear or is_section(drafts[d]):
            continue  # «四» is the number of the section, and no answer's
        free = [e for e in numbers.get(number, []) if e not in used]
        if free and number:
            pairs[d] = free[0]
            used.add(free[0])
    if len(members) == 1 and len(whole) == 1 and members[0] not in pairs:
        pairs[members[0]] = whole[0]


def _runs_on(values: Sequence[int]) -> bool:
    """Whether numbers go on from those of an earlier section."""
    return values[0] > 1 and list(values) == list(range(values[0], values[0] + len(values)))


def _alone(drafts: Sequence[Draft], entries: Sequence[Entry], pairs: dict[int, int]) -> list[tuple[int, int]]:
    """Questions that are a section of their own (三、…) and entries for a whole section."""
    out = []
    used = set(pairs.values())
    for d, draft in enumerate(drafts):
        if d in pairs or draft.section:
            continue
        value = number_value(draft.number) or title_value(draft.number)
        found = [
            e
            for e, entry in enumerate(entries)
            if e not in used and entry.section_value == value and value and entry.number == 0
        ]
        if len(found) == 1:
            out.append((d, found[0]))
            used.add(found[0])
    return out
