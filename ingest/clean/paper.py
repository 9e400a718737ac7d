"""Checks over the questions of a paper: answers moved to a neighbour, texts that end unlike the others."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.clean.answers import choice_letters, verdict
from ingest.clean.asking import asks
from schemas.question import Draft, PrintedForm
from schemas.text import fold

_IN_WORDS = re.compile(r"[\u4e00-\u9fff]\s*$|[a-z]{2}\s*$")
_SENTENCE = 8
"""Characters of a text that is a sentence and could end in a stop."""

_HABIT = 0.85
"""Share of a paper's sentences that end in a stop, from which one that does not looks cut off."""

_ENOUGH = 5
"""Sentences that make a habit."""

_FEW = 4
"""Sentences without a stop beyond which their lack is a habit too."""

_RUN = 3
"""Neighbouring answers that must all fit the next question better before a shift is told."""

_CLEARLY = 2.0
"""How many times better, in summed weight of shared pieces, the neighbours must fit."""


def check_paper(drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """The drafts of one paper in order, with the flags that only their neighbours tell.

    answers_shifted: this answer and those around it fit the questions one place on or back. truncated
    and answer_truncated: no stop at the end, where nearly all sentences of the paper have one.
    """
    flags: list[list[str]] = [[] for _ in drafts]
    for at in _shifted(drafts):
        flags[at].append("answers_shifted")
    sections = [draft.section for draft in drafts]
    for at in _unlike([_stem_end(draft) for draft in drafts], sections):
        flags[at].append("truncated")
    for at in _unlike([_answer_end(draft) for draft in drafts], sections):
        flags[at].append("answer_truncated")
    return tuple(
        draft.model_copy(update={"flags": tuple(dict.fromkeys((*draft.flags, *new)))}) if new else draft
        for draft, new in zip(drafts, flags, strict=True)
    )


def _stem_end(draft: Draft) -> str:
    if (
        draft.options
        or draft.parts
        or draft.form is PrintedForm.MULTIPLE_CHOICE
        or "answer_only" in draft.flags
    ):
        return ""
    stem = draft.stem.strip()
    named = re.match("[^。，]{1,20}[：:]", stem)  # a term and what it is
    return "" if "\n" in stem or (named and not asks(named[0])) else stem


def _answer_end(draft: Draft) -> str:
    answer = (draft.answer or "").strip()
    return answer if re.search(r"[\u4e00-\u9fff]", answer[-12:]) or answer.isascii() else ""


def _unlike(texts: Sequence[str], sections: Sequence[str]) -> list[int]:
    """Places of sentences without a stop, where the others of their section have one.

    A section too small to have a habit is looked at with the whole paper; short texts say nothing.
    """
    told = {at: not _IN_WORDS.search(text) for at, text in enumerate(texts) if len(text) >= _SENTENCE}
    by_section: dict[str, list[int]] = {}
    for at in told:
        by_section.setdefault(sections[at], []).append(at)
    found = []
    for places in by_section.values():
        around = places if len(places) >= _ENOUGH else list(told)
        stopped = sum(told[at] for at in around)
        if len(around) >= _ENOUGH and stopped >= _HABIT * len(around) and len(around) - stopped <= _FEW:
            found += [at for at in places if not told[at]]
    return found


@dataclass(frozen=True, slots=True)
class _Unit:
    """A question or sub-question with its answer; group: those it can change answers with."""

    at: int
    group: str
    asked: frozenset[str]
    said: frozenset[str]


def _units(drafts: Sequence[Draft]) -> list[_Unit]:
    found = []
    for at, draft in enumerate(drafts):
        if "answer_only" not in draft.flags:
            asked = "\n".join((draft.stem, *(part.text for part in draft.parts)))
            found.append(_Unit(at, draft.section, _pieces(asked), _pieces(draft.answer or "")))
    for at, draft in enumerate(drafts):
        found += [
            _Unit(at, f"parts of {at}", _pieces(part.text), _pieces(part.answer or ""))
            for part in draft.parts
        ]
    return found


def _shifted(drafts: Sequence[Draft]) -> set[int]:
    units = _units(drafts)
    counts = Counter(piece for unit in units for piece in unit.asked | unit.said)
    weight = {piece: math.log(1 + len(units) / count) for piece, count in counts.items()}

    def fit(question: _Unit, answer: _Unit) -> float:
        shared = question.asked & answer.said
        return sum(weight[piece] for piece in shared) / math.sqrt(1 + len(answer.said))

    found = _wrong_kind(drafts)
    for step in (1, -1):
        stretch: list[tuple[int, float, float]] = []
        for place, unit in enumerate(units):
            other = units[place + step] if 0 <= place + step < len(units) else None
            if other is None or other.group != unit.group:
                found |= _clear(stretch)
                stretch = []
                continue
            if not unit.said:
                continue
            here, there = fit(unit, unit), fit(other, unit)
            if there < here:
                found |= _clear(stretch)
                stretch = []
            else:
                stretch.append((unit.at, here, there))
        found |= _clear(stretch)
    return found


def _clear(stretch: Sequence[tuple[int, float, float]]) -> set[int]:
    """The places of a stretch, each with its fit here and at its neighbour, if it shows a shift clearly."""
    if len(stretch) < _RUN:
        return set()
    here = sum(own for _, own, _ in stretch)
    there = sum(next_to for _, _, next_to in stretch)
    wins = sum(next_to > own for _, own, next_to in stretch)
    clear = there > _CLEARLY * here and wins >= max(_RUN - 1, 0.5 * len(stretch))
    return {at for at, _, _ in stretch} if clear else set()


def _wrong_kind(drafts: Sequence[Draft]) -> set[int]:
    """Neighbouring closed questions whose answers are of the wrong kind: no option, no verdict."""
    wrong = [at for at, draft in enumerate(drafts) if draft.answer and _misfit(draft)]
    return {at for pair in pairwise(wrong) if pair[1] - pair[0] == 1 for at in pair}


def _misfit(draft: Draft) -> bool:
    answer = (draft.answer or "").strip()
    if draft.form is PrintedForm.TRUE_FALSE:
        return len(answer) <= 4 and verdict(answer)[0] is None and answer.upper() in set("ABCDEFGH")
    if draft.form is PrintedForm.MULTIPLE_CHOICE and draft.options:
        labels = frozenset(option.label.strip().upper()[:1] for option in draft.options)
        return len(answer) <= 4 and not choice_letters(answer, labels)
    return False


def _pieces(text: str) -> frozenset[str]:
    folded = fold(text)[:4000]
    return frozenset(folded[at : at + 2] for at in range(len(folded) - 1))
