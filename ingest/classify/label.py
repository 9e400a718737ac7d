"""Filing drafts: batch settings, then title, file name, folder and the vote of the paper's questions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ingest.classify.evidence import find
from ingest.classify.learned import gained, load
from ingest.classify.names import NameEvidence, name_evidence
from ingest.classify.vote import TextEvidence, posterior, speaks_for, vote
from schemas.question import Draft, Extraction, Label
from schemas.settings import ClassifySettings
from schemas.taxonomy import UNKNOWN, require_course, require_discipline, taxonomy

_CLEAR = 0.95
"""Confidence from which the words of a single draft may speak against its paper."""

_CLEAR_WORDS = 4
"""Different words a draft needs to do so."""

_FOREIGN = 0.005
"""What a clear draft leaves at most to the discipline of a paper that it speaks against."""

_SURE_PAPER = 0.8
"""A paper labelled this surely is not overruled by one draft."""

_WORDS_BESIDE_NAMES = 4.0
"""Most that the words of a paper weigh when its title, file or folder names a class or course: less than
a whole course title in any of them, more than a two-letter alias in a file name or folder."""

_MIXED_CLEAR = 4
_MIXED_SHARE = 0.3
"""An unnamed paper with this many clear drafts, of which less than this share say what the paper
says, is a collection over several subjects: its drafts are filed one by one."""

_UNSURE = 0.3
"""What the label of a collection is worth for one of its drafts that has no words of its own."""

_FEW = 0.2
"""Where more than this share of a paper's drafts speak against it, its course is one our words do not
know, and none is flagged."""

OUTLIER = "outside_paper"
"""The flag of a draft whose words speak clearly for another discipline than its paper's."""


def classify(extraction: Extraction, folder: str, settings: ClassifySettings) -> tuple[Label, ...]:
    """One label a draft, in the order of extraction.drafts.

    The drafts of a paper share one label, found from batch settings, title, file name, folder (its
    path within the batch) and the vote of its drafts by their words. A draft gets its own only when
    the paper's is unsure and its own words are clear; beside a sure label it is flagged OUTLIER.
    confidence is the probability that the discipline is right, as far as the evidence tells; what
    lies below settings.min_confidence is for review. Raises UsageError when settings name an unknown
    discipline or course, ModelFileError when settings.model cannot be used.
    """
    if settings.course:
        paper = _batch_label(settings.course)
        return (paper,) * len(extraction.drafts)
    names = name_evidence(extraction.title, extraction.source, folder)
    texts = [draft_text(draft) for draft in extraction.drafts]
    found = [
        find(f"{draft.material}\n{draft.printed}", f"{draft.section}\n{draft.answer}")
        for draft in extraction.drafts
    ]
    learned = load(Path(settings.model)) if settings.model else None
    words = vote([*found, find(extraction.title)], gained([*texts, extraction.title], learned))
    paper = decide(names, words, settings.discipline)
    if settings.discipline:
        return (paper,) * len(extraction.drafts)
    own = [vote([one], gained([text], learned)) for one, text in zip(found, texts, strict=True)]
    single = [decide((), evidence) for evidence in own]
    clear = [
        label for label, one in zip(single, found, strict=True) if is_clear(label.confidence, len(one.words))
    ]
    agreeing = sum(label.discipline == paper.discipline for label in clear)
    if not names and len(clear) >= _MIXED_CLEAR and agreeing < _MIXED_SHARE * len(clear):
        return tuple(label if label.discipline != UNKNOWN else _unsure(paper) for label in single)
    labels = tuple(_own_label(label, one, paper) for label, one in zip(single, own, strict=True))
    if sum(OUTLIER in label.flags for label in labels) > _FEW * len(labels):
        return (paper,) * len(labels)
    return labels


def is_clear(confidence: float, words: int) -> bool:
    """Whether the label of one question, found by so many words, may speak against its paper's."""
    return confidence >= _CLEAR and words >= _CLEAR_WORDS


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


def _unsure(paper: Label) -> Label:
    return paper.model_copy(update={"confidence": round(paper.confidence * _UNSURE, 4)})


def _own_label(own: Label, evidence: TextEvidence, paper: Label) -> Label:
    """The label of one draft of a paper: the paper's, except where that is unsure and the draft clear."""
    if own.discipline == paper.discipline or not is_clear(own.confidence, len(evidence.words)):
        return paper
    left = posterior(evidence.scores)
    if sum(chance for code, chance in left.items() if code.startswith(paper.discipline)) > _FOREIGN:
        return paper
    if paper.confidence < _SURE_PAPER and not paper.course:
        return own
    return paper.model_copy(update={"flags": (OUTLIER,)})
