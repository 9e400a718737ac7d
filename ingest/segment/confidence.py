"""How sure the segmenter is of a draft: what in the paper speaks against its reading.

Each doubt multiplies the confidence by a factor below one and is named in the draft's evidence, so
that a curator sees why a draft waits for review. The factors are judgements about exam papers, not
fitted: a doubt that by itself should send a draft to review is 0.5, one that should only with a
second is 0.75.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.segment import forms
from ingest.segment.answers import IN_INK
from ingest.segment.doubts import ALONE, SECOND, SLIGHT, Peers, among, noted, peers_of, within
from ingest.segment.leftover import KEY_LEFT
from ingest.segment.marks import number_value, read_mark
from ingest.segment.remarks import has_remarks
from schemas.document import Document, Origin
from schemas.question import Draft
from schemas.question import PrintedForm as Form

NUMBER_LOST = "number lost on a scan"
UNNUMBERED = "asks, without a number or a heading"
_UNMARKED = "an answer without a mark"
_LEFT = "the key has an answer in this section that found no question"
CLOSE = 0.8
"""How near, in points of the outline's score, a second reading must come to be worth telling."""

_WORDS = re.compile(r"[\u3400-\u9fffA-Za-z]")
_ODD = re.compile(r"[\ufffd\ue000-\uf8ff\u25a1\u25a0]|\(cid:")
_VERDICT = re.compile(r"√|✓|✔|×|✗|X|T|F|对|错|正确|错误|真|假|是|否|true|false", re.IGNORECASE)
_COUNT = re.compile(r"(?:共\s*)?(\d{1,3})\s*(?:小题|道题|个小题|questions)")
_ANSWERING = re.compile(r"^(?:解|答|要点|答案要点|参考答案)\s*[:：]")
_OPTION = re.compile(r"^\s*[（(]?[A-H]\s*[)）.．、:：]")
_NUMBER_INSIDE = re.compile(r"\s{2,}(\d{1,3})\s?[.．、](?=\s?\S)")
_CLOSE_INSIDE = re.compile(r"(?<![(（\d.])(\d{1,3})\s?[.．、)）](?=\s?[^\d\s])")
_FIRST_POINT = re.compile(r"(?:^|\n)\s?1\s?[.．、]")  # its points are numbered 1. 2. themselves
_ECHO = re.compile(r"https?[:/]|www\.")


def with_confidence(drafts: Sequence[Draft], document: Document) -> list[Draft]:
    """Drafts with their confidence and, under evidence['doubts'], what lowered it."""
    scanned = any(page.method is Origin.OCR for page in document.pages)
    peers = peers_of(drafts)
    counts = _run_lengths(drafts)
    notes = [block for block in document.blocks if block.reason == "handwriting"]
    judged = [
        _judged(drafts, place, scanned, peers[draft.section], counts[place])
        for place, draft in enumerate(drafts)
    ]
    return [_lowered(draft, noted(draft, notes)) for draft in judged] if notes else judged


def _run_lengths(drafts: Sequence[Draft]) -> list[int]:
    """For each draft, how many stand together under its heading: a second paper may repeat the heading."""
    runs: list[int] = []
    lengths: list[int] = []
    for place, draft in enumerate(drafts):
        before = drafts[place - 1] if place else None
        again = number_value(draft.number) == 1 and before is not None and number_value(before.number) > 0
        if before is None or before.section != draft.section or again:
            lengths.append(0)
        lengths[-1] += 1
        runs.append(len(lengths) - 1)
    return [lengths[run] for run in runs]


def doubt_answer(draft: Draft) -> Draft:
    """A draft whose answer came from elsewhere, with what speaks against that answer."""
    known = draft.evidence.get("doubts", "")
    if _UNMARKED in known and "answer_unmarked" not in draft.flags:
        # the key has borne it out
        rest = [doubt for doubt in known.split("; ") if doubt != _UNMARKED]
        evidence = {name: value for name, value in draft.evidence.items() if name != "doubts"}
        evidence |= {"doubts": "; ".join(rest)} if rest else {}
        confidence = min(1.0, round(draft.confidence / ALONE, 4))
        draft = draft.model_copy(update={"evidence": evidence, "confidence": confidence})
    return _lowered(draft, [doubt for doubt in _answer(draft) if doubt[1] not in known])


def _judged(drafts: Sequence[Draft], place: int, scanned: bool, peers: Peers, count: int) -> Draft:
    draft = drafts[place]
    known_only = "answer_only" in draft.flags
    doubts = [
        *_numbering(drafts, place),
        *_text(draft, scanned),
        *([] if known_only else [*within(draft, scanned), *among(draft, peers)]),
        *([] if known_only else _total(draft, count)),
        *_parts(draft),
        *_last_parts(drafts, place),
        *_answer(draft),
    ]
    return _lowered(draft, doubts)


def _lowered(draft: Draft, doubts: Sequence[tuple[float, str]]) -> Draft:
    if not doubts:
        return draft
    confidence = draft.confidence
    for factor, _ in doubts:
        confidence *= factor
    named = [*filter(None, [draft.evidence.get("doubts", "")]), *(name for _, name in doubts)]
    evidence = {**draft.evidence, "doubts": "; ".join(named)}
    return draft.model_copy(update={"confidence": round(confidence, 4), "evidence": evidence})


def _last_parts(drafts: Sequence[Draft], place: int) -> list[tuple[float, str]]:
    """Parts numbered as the questions are, past the question's own number, with nothing that goes on."""
    draft, value = drafts[place], number_value(drafts[place].number)
    if not draft.parts or not 2 <= value < len(draft.parts) or not draft.number.isdecimal():
        return []
    after = drafts[place + 1] if place + 1 < len(drafts) else None
    goes_on = after is not None and number_value(after.number) == value + 1
    same = draft.parts[0].number.strip()[-1:] in ".．、"
    return [(ALONE, "its last parts may be questions of their own")] if same and not goes_on else []


_COUNTED = ("numbered", "key", NUMBER_LOST)


def _numbering(drafts: Sequence[Draft], place: int) -> list[tuple[float, str]]:
    """Gaps, repeats and restarts next to this draft in its own section."""
    draft = drafts[place]
    value = number_value(draft.number) if draft.evidence.get("item", "").startswith(_COUNTED) else 0
    before = drafts[place - 1] if place else None
    after = drafts[place + 1] if place + 1 < len(drafts) else None
    out = []
    if before is not None and before.section == draft.section and number_value(before.number) and value:
        step = value - number_value(before.number)
        if step > 1:
            out.append((SECOND, f"{step - 1} numbers missing before it"))
        elif step < 1:
            out.append((ALONE, "the number does not go on"))
    elif value > 1 and (before is None or value != number_value(before.number) + 1):
        out.append((SECOND, "the first number here is not 1"))
    if after is not None and after.section == draft.section and value and number_value(after.number):
        step = number_value(after.number) - value
        if step > 1:
            out.append((ALONE, f"{step - 1} numbers missing after it"))
        elif step < 1:
            out.append((ALONE, "the next number does not go on"))
    elif (
        after is not None
        and value
        and after.evidence.get("item", "") == draft.evidence.get("item", "")
        and (step := number_value(after.number) - value) > 1
    ):
        # the numbering runs on over the heading, with a gap
        out.append((ALONE, f"{step - 1} numbers missing after it"))
    elif draft.section and (said := _COUNT.search(draft.section)):
        count = sum(1 for d in drafts if d.section == draft.section)
        if int(said.group(1)) != count:
            out.append((SECOND, f"the heading says {said.group(1)} questions, {count} found"))
    return out


def _total(draft: Draft, count: int) -> list[tuple[float, str]]:
    """A section whose total is not its count times the points of each: something in it is lost or merged."""
    each, total = forms.points_stated(draft.section), forms.points_total(draft.section)
    if not each or not total or forms.chosen_count(draft.section) or total % each:
        return []
    if count == total / each or draft.evidence.get("item", "").startswith("section"):
        return []
    told = f"the heading gives points for {total / each:g} questions, {count} found"
    return [(ALONE if count <= _FEW else SECOND, told)]


_FEW = 10


def _text(draft: Draft, scanned: bool) -> list[tuple[float, str]]:
    out = []
    if draft.evidence.get("item") == NUMBER_LOST:
        out.append((ALONE, "its number could not be read"))
    if draft.evidence.get("item") == UNNUMBERED:
        out.append((ALONE, "no number and no heading"))
    text = draft.printed
    if _ANSWERING.match(text):
        out.append((ALONE, "it reads like an answer"))
    words = len(_WORDS.findall(text))
    if words < 2:
        out.append((ALONE, "hardly a word"))
    if _ODD.search(text):
        out.append((ALONE, "characters that could not be read"))
    lines = [line for line in text.split("\n") if line.strip()]
    short = [
        line
        for line in lines
        if len(_WORDS.findall(line)) <= 3 and not read_mark(line) and not _OPTION.match(line)
    ]
    if len(short) >= 3 and len(short) > 0.34 * len(lines):
        out.append((SECOND, "many scraps of text"))
    if scanned and any(len(_WORDS.findall(line)) <= 3 for line in lines[1:]):
        out.append((SECOND, "a scrap of text from a scan"))
    if _ECHO.search(text) and words < 60:
        out.append((SECOND, "an address in the text"))
    value = number_value(draft.number)
    if "runner_up" in draft.evidence:
        out.append((SECOND, "a line inside reads almost as a question"))
    elif value and any(
        (m := read_mark(line)) and m.value == value + 1 and len(line) > 8 for line in lines[1:]
    ):
        out.append((SLIGHT, "the next number stands inside"))
    return out


def _parts(draft: Draft) -> list[tuple[float, str]]:
    announced = forms.heading_form(draft.section) if draft.section else None
    out = []
    if announced is Form.MULTIPLE_CHOICE and len(draft.options) < 2:
        out.append((SECOND, "a choice without options"))
    if draft.options:
        filled = [option for option in draft.options if option.text.strip()]
        if len(filled) < len(draft.options) and "[图]" not in draft.printed:
            out.append((SECOND, "an option without text"))
        if [o.label for o in draft.options] != [chr(65 + i) for i in range(len(draft.options))]:
            out.append((SLIGHT, "option labels out of order"))
    if announced is Form.FILL_BLANK and forms.count_blanks(draft.printed) == 0 and "【" not in draft.printed:
        out.append((ALONE, "no blank to fill"))
    return out


def _answer(draft: Draft) -> list[tuple[float, str]]:
    out = []
    answer = (draft.answer or "").strip()
    if "answer_conflict" in draft.flags:
        out.append((ALONE, "key and paper disagree"))
    if "answer_unmarked" in draft.flags:
        out.append((ALONE, _UNMARKED))
    if "correction_unread" in draft.flags:
        out.append((ALONE, "a correction names it"))
    if not answer:
        if KEY_LEFT in draft.evidence:
            out.append((ALONE, _LEFT))
        return out
    if draft.form is Form.MULTIPLE_CHOICE and draft.options:
        labels = {option.label for option in draft.options}
        if not set(re.sub(r"[\s,，、>＞<＜→—-]", "", answer)) <= labels:
            out.append((ALONE, "the answer is no option"))
    if draft.form is Form.TRUE_FALSE and not _VERDICT.match(answer):
        out.append((ALONE, "the answer is no verdict"))
    if draft.evidence.get("answer") == IN_INK or "second print" in draft.answer_source:
        out.append((ALONE, "the answer is told by ink or by a second print"))
    if draft.form not in (Form.MULTIPLE_CHOICE, Form.TRUE_FALSE) and not re.search(r"\w", answer):
        out.append((ALONE, "an answer without a word"))
    if has_remarks(answer):
        out.append((SECOND, "a grader's remarks in the answer"))
    if _runs_over(draft, answer):
        out.append((ALONE, "the next number stands inside the answer"))
    if len(answer) >= 12 and answer in draft.printed:
        out.append((ALONE, "the answer stands in the question"))
    return out


def _runs_over(draft: Draft, answer: str) -> bool:
    """Whether the answer of the next question stands in an answer: its number does, and no list's."""
    value = number_value(draft.number)
    inside = _CLOSE_INSIDE if draft.form is Form.FILL_BLANK else _NUMBER_INSIDE
    if not value:
        return False
    if any(int(number) == value + 1 for number in inside.findall(answer)):
        return True
    return not _FIRST_POINT.search(answer) and bool(re.search(rf"\n\s?{value + 1}\s?[.．、]", answer))
