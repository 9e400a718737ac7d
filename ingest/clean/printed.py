"""A draft made ready: texts in one form, confusions put right, number and points out of its stem."""

from __future__ import annotations

import re

from ingest.clean.checks import GIVEN_AWAY, LETTER_LEFT
from ingest.clean.confusions import repaired
from ingest.clean.fields import texts, with_texts
from ingest.clean.garbled import is_garbled
from ingest.clean.personal import redacted
from ingest.clean.text import clean_text
from schemas.question import Draft, PrintedForm

_SCRAPS = re.compile(r"^[.．、,，:：;；。·]+\s*(?=\S)")
_POINTS = re.compile(
    r"\s*(?:[（(【\[]\s*(?:本?[小大]?题|共|满分)?\s*(?P<a>\d{1,3}(?:\.5)?)\s*(?:分|points?|marks?|pts?\.?)\s*[)）】\]]"
    r"|(?:本?一?[小大]?题|共)\s*(?P<b>\d{1,3}(?:\.5)?)\s*分|(?<![\d$}])(?P<c>\d{1,2})[’'′](?![’'′\w]))\s*[。.]?\s*$",
    re.IGNORECASE,
)
_POINTS_AHEAD = re.compile(
    r"^\s*[（(【\[]\s*(?:本?[小大]?题|共|满分)?\s*(\d{1,3}(?:\.5)?)\s*(?:分|points?|marks?)\s*[)）】\]]\s*",
    re.I,
)
_ORIGIN = re.compile(
    r"\s*[（(【\[]\s*((?:19|20)\d{2}\s*年?[^）)】\]。？]{0,12}(?:考研|真题|试题|统考|联考|期末|期中|高考))\s*[)）】\]]"
)
_BRACKET = "（ ）"


def made_ready(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft with its texts cleaned and what was found on the way, as codes.

    printed stays as it stood, but for widths, spaces and personal data. Taken out of the stem: the
    number, points (kept in `points`), where the question comes from (evidence 'origin'), letters
    left in the brackets of a choice, an answer told below it. What confusions
    were put right is in evidence 'repaired'.
    """
    flags = ["mojibake"] if any(is_garbled(text) for text in texts(draft)) else []
    draft = redacted(with_texts(draft, clean_text))
    evidence = dict(draft.evidence)
    draft = _put_right(draft, evidence)
    stem = draft.stem
    number = draft.number.strip().rstrip(".．、:：)）")
    if number and (head := re.match(rf"\s*[（(]?{re.escape(number)}\s*[.．、)）:：](?!\d)\s*", stem)):
        stem = stem[head.end() :]
    stem = _SCRAPS.sub("", stem)
    if origin := _ORIGIN.search(stem):
        evidence["origin"] = origin[1]
        stem = stem[: origin.start()] + stem[origin.end() :]
    points = draft.points
    for pattern in (_POINTS, _POINTS_AHEAD):
        found = pattern.search(stem)
        value = next((float(group) for group in found.groups() if group), None) if found else None
        if found and (points is None or points == value):
            points = value
            stem = stem[: found.start()] + stem[found.end() :]
    if draft.form is PrintedForm.MULTIPLE_CHOICE and LETTER_LEFT.search(re.sub(r"\$[^$]*\$", "", stem)):
        flags.append("answer_in_stem")
        stem = LETTER_LEFT.sub(_BRACKET, stem)
    parts, answer = draft.parts, draft.answer
    stem, said = _cut_answer(stem)
    cuts = [_cut_answer(part.text) for part in parts]
    if said or any(cut[1] for cut in cuts):
        flags.append("answer_in_stem")
        answer = answer or said or None
        parts = tuple(
            part.model_copy(update={"text": text, "answer": part.answer or own or None})
            for part, (text, own) in zip(parts, cuts, strict=True)
        )
    options = tuple(
        option.model_copy(update={"text": re.sub(r"\s*[（(]\s*$", "", option.text)})
        for option in draft.options
    )
    update = {"stem": stem.strip(), "points": points, "options": options, "evidence": evidence}
    return draft.model_copy(update={**update, "parts": parts, "answer": answer}), tuple(flags)


def _cut_answer(text: str) -> tuple[str, str]:
    """A text up to a line that says «答案：», and what stands from there on without the word."""
    found = GIVEN_AWAY.search(text)
    if not found or not text[: found.start()].strip():
        return text, ""
    said = text[found.start() :].strip()
    return text[: found.start()].rstrip(), re.sub(r"^.{0,8}?(?:[:：】\]])\s*", "", said)


def without_letters(printed: str) -> str:
    """A printed choice whose brackets are empty."""
    return LETTER_LEFT.sub(_BRACKET, printed)


def _put_right(draft: Draft, evidence: dict[str, str]) -> Draft:
    """Confused characters put right everywhere but in the printed form."""
    changes: list[str] = []

    def put(text: str) -> str:
        new, found = repaired(text)
        changes.extend(found)
        return new

    new = with_texts(draft, put).model_copy(update={"printed": draft.printed, "section": draft.section})
    if changes:
        evidence["repaired"] = ", ".join(dict.fromkeys(changes))[:500]
    return new
