"""Filing drafts: batch settings, then title, file name, folder and the words of the paper."""

from __future__ import annotations

from collections.abc import Iterable

from ingest.classify.evidence import TextEvidence, posterior, speaks_for, text_evidence
from ingest.classify.names import NameEvidence, name_evidence
from schemas.question import Draft, Extraction, Label
from schemas.settings import ClassifySettings
from schemas.taxonomy import UNKNOWN, require_course, require_discipline, taxonomy

_OWN_LABEL = 0.9
"""Confidence from which the words of a single draft may overrule an unsure paper."""

_OWN_WORDS = 3
"""Different words a draft needs to overrule its paper."""

_SURE_PAPER = 0.8
"""A paper labelled this surely is not overruled by one draft."""

_WORDS_BESIDE_NAMES = 4.0
"""Most that the words of a paper weigh when its title, file or folder names a class or course: less than
a whole course title in any of them, more than a two-letter alias in a file name or folder."""

_MIXED_SHARE = 0.3
_MIXED_WORDS = 30
"""An unnamed paper of many words whose best discipline has less than this share of them is a
collection over several subjects: its drafts are filed one by one."""


def classify(extraction: Extraction, folder: str, settings: ClassifySettings) -> tuple[Label, ...]:
    """One label a draft, in the order of extraction.drafts.

    The drafts of a paper share one label, found from batch settings, title, file name, folder (its
    path within the batch) and the words of the whole paper. A draft gets its own only when the
    paper's is unsure and its own words are clear. confidence is the probability that the
    discipline is right, as far as the evidence tells; what lies below settings.min_confidence is
    for review. Raises UsageError when settings name an unknown discipline or course.
    """
    if settings.course:
        paper = _batch_label(settings.course)
        return (paper,) * len(extraction.drafts)
    names = name_evidence(extraction.title, extraction.source, folder)
    words = text_evidence("\n".join((extraction.title, *map(draft_text, extraction.drafts))))
    paper = decide(names, words, settings.discipline)
    if settings.discipline:
        return (paper,) * len(extraction.drafts)
    if not names and _is_mixed(words):
        return tuple(_single(draft, paper) for draft in extraction.drafts)
    return tuple(_own_label(draft, paper) for draft in extraction.drafts)


def draft_text(draft: Draft) -> str:
    """All words of a draft that speak for its subject: section, question, answer."""
    return "\n".join(filter(None, (draft.section, draft.material, draft.printed, draft.answer)))


def _batch_label(name: str) -> Label:
    course = require_course(name)
    return Label(
        discipline=course.discipline,
        sub_discipline=course.sub_discipline,
        course=course.code,
        confidence=1.0,
        method=f"batch:{course.zh}",
    )


def _is_mixed(words: TextEvidence) -> bool:
    if len(words.words) < _MIXED_WORDS:
        return False
    by_discipline: dict[str, float] = {}
    for code, score in words.scores.items():
        by_discipline[code[:3]] = by_discipline.get(code[:3], 0.0) + score
    return max(by_discipline.values()) < _MIXED_SHARE * sum(by_discipline.values())


def decide(names: Iterable[NameEvidence], words: TextEvidence, discipline: str = "") -> Label:
    """One label from the names found and the words of the text; discipline fixes the batch's."""
    fixed = require_discipline(discipline).code if discipline else ""
    names = [n for n in names if not fixed or n.discipline == fixed]
    named = any(name.sub_discipline for name in names)
    scores = _add_names(_bounded(words.scores) if named else dict(words.scores), names)
    if fixed:
        scores = {code: score for code, score in scores.items() if code.startswith(fixed)}
    chances = posterior(scores)
    by_discipline: dict[str, float] = {}
    for code, chance in chances.items():
        by_discipline[code[:3]] = by_discipline.get(code[:3], 0.0) + chance
    best = fixed or max(by_discipline, key=lambda code: by_discipline[code], default=UNKNOWN)
    if best == UNKNOWN:
        return Label(method="none")
    subs = {code: chance for code, chance in chances.items() if code.startswith(best)}
    sub = max(subs, key=lambda code: subs[code], default="")
    course = next((n.course for n in names if n.course and n.sub_discipline == sub), "")
    return Label(
        discipline=best,
        sub_discipline=sub,
        course=course,
        confidence=1.0 if fixed else round(min(by_discipline[best], 0.99), 4),
        method=_method(names, words, best, f"batch:{discipline}" if fixed else ""),
    )


def _bounded(scores: dict[str, float]) -> dict[str, float]:
    """Scores of words beside a name: however long the text, it must not outweigh a clear name."""
    scale = min(1.0, _WORDS_BESIDE_NAMES / max(scores.values(), default=1.0))
    return {code: score * scale for code, score in scores.items()}


def _add_names(scores: dict[str, float], names: Iterable[NameEvidence]) -> dict[str, float]:
    """Scores with the names added; the name of a whole discipline speaks for all its classes."""
    for name in names:
        subs = (
            [name.sub_discipline]
            if name.sub_discipline
            else [code for code in taxonomy().sub_disciplines if code.startswith(name.discipline)]
        )
        for code in subs:
            scores[code] = scores.get(code, 0.0) + name.weight
    return scores


def _method(names: Iterable[NameEvidence], words: TextEvidence, discipline: str, batch: str) -> str:
    """What decided, strongest source first: batch, names that agree, then the three best words."""
    parts = [batch] if batch else []
    parts += [name.method for name in names if name.discipline == discipline]
    telling = [w for w in words.words if speaks_for(w, discipline)][:3]
    if telling:
        parts.append("text:" + ",".join(telling))
    return "; ".join(parts)


def _single(draft: Draft, paper: Label) -> Label:
    """The label of one draft of a mixed collection; without words of its own it stays unsure."""
    label = decide((), text_evidence(draft_text(draft)))
    if label.discipline != UNKNOWN:
        return label
    return paper.model_copy(update={"confidence": round(paper.confidence * _MIXED_SHARE, 4)})


def _own_label(draft: Draft, paper: Label) -> Label:
    if paper.confidence >= _SURE_PAPER or paper.course:
        return paper
    own = text_evidence(draft_text(draft))
    label = decide((), own)
    agrees = any(code.startswith(paper.discipline) for code in own.scores)
    if label.confidence >= _OWN_LABEL and len(own.words) >= _OWN_WORDS and not agrees:
        return label
    return paper
