"""A second print of a paper with its answers in it: what it has beyond the blank paper is the answer.

The solved print is walked line by line along the blank question's text. Lines that go on with that
text are the question; every other line, table or figure was added and is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from ingest.segment.align import after_stem
from ingest.segment.answers import AS_SOLVED, IN_BLANKS, IN_INK, labelled, side_by_side
from schemas.question import Draft, Extraction
from schemas.text import fold

SAME_QUESTION = 75.0
SAME_LINE = 88.0

_FIGURE = "[图]"
_FIGURE_SIGN = "▣"
_FAR = 400
_SHORT = 6
_FILLED = re.compile(r"_*<u>([^<>]*)</u>_*")
_RULED = re.compile(r"_{2,}")


def answered_by(drafts: Sequence[Draft], solved: Sequence[Draft], source: str) -> list[Draft]:
    """Drafts of the blank paper with the answers of its second print, the file `source`."""
    out = []
    for draft in drafts:
        twin = _twin(draft, solved)
        answer = _written(draft, twin) if twin else None
        if draft.answer is None and answer and twin:
            regions = twin.answer_regions or twin.regions
            draft = draft.model_copy(
                update={
                    "answer": answer,
                    "answer_source": f"{source}: second print",
                    "answer_regions": regions,
                }
            )
        out.append(draft)
    return out


def as_printed(solved: Extraction, paper: Extraction) -> Extraction:
    """The solved print with its questions as the paper prints them, so that no stem holds its answer."""
    drafts = []
    for draft in solved.drafts:
        twin = _twin(draft, paper.drafts)
        answer = _written(twin, draft) if twin else draft.answer
        if twin and answer:
            names = ("stem", "options", "parts", "form", "printed", "figures", "needs_figure")
            draft = draft.model_copy(
                update={
                    **{name: getattr(twin, name) for name in names},
                    "answer": answer,
                    "answer_source": f"{solved.source}: second print of {paper.source}",
                }
            )
        drafts.append(draft)
    return solved.model_copy(update={"drafts": tuple(drafts)})


def without_solved_lines(extraction: Extraction) -> Extraction:
    """The extraction without the lines that were kept only to compare two prints."""
    drafts = []
    for draft in extraction.drafts:
        if AS_SOLVED in draft.evidence:
            kept = {name: value for name, value in draft.evidence.items() if name != AS_SOLVED}
            draft = draft.model_copy(update={"evidence": kept})
        drafts.append(draft)
    return extraction.model_copy(update={"drafts": tuple(drafts)})


def _written(paper: Draft, solved: Draft) -> str | None:
    """The answer of a solved print: marked as one, or what it has more than the paper."""
    how = solved.evidence.get("answer", "")
    if how == IN_INK and AS_SOLVED in solved.evidence:
        return _added(paper.printed, solved.evidence[AS_SOLVED]) or solved.answer
    if how != IN_BLANKS:
        return solved.answer or _added(paper.printed, solved.printed)
    text = solved.printed
    for part in (solved.answer or "").split("；"):
        text = text.replace("____", part, 1)
    return _added(paper.printed, text) or solved.answer


def _twin(draft: Draft, others: Sequence[Draft]) -> Draft | None:
    same = [other for other in others if _number(other) == _number(draft) and _alike(draft, other)]
    return same[0] if len(same) == 1 else None


def _number(draft: Draft) -> str:
    return re.sub(r"\D", "", draft.number)


def _alike(draft: Draft, other: Draft) -> bool:
    a, b = sorted((fold(draft.printed), fold(other.printed)), key=len)
    return fuzz.partial_ratio(a[:200], b) >= SAME_QUESTION


def _folded(text: str) -> str:
    return fold(_RULED.sub("", _FILLED.sub(r"\1", text.replace(_FIGURE, _FIGURE_SIGN))))


def _added(question: str, solved: str) -> str | None:
    """What the solved print has and the paper has not: lines written in between, or all after the stem."""
    lines = [line for line in solved.split("\n") if _folded(line)]
    new = _new_lines(_folded(question), [_folded(line) for line in lines])
    if all(new):
        return after_stem(question, solved).strip() or None
    kept = [_RULED.sub("", _FILLED.sub(r"\1", line)) for line in labelled(lines, new)]
    return "\n".join(side_by_side(kept)).strip() or None


def _new_lines(question: str, lines: Sequence[str]) -> list[bool]:
    """For each folded line of the solved print, whether the question's text does not go on with it."""
    new = []
    at = 0
    for line in lines:
        found = question.find(line, at)
        if found >= 0 and found - at <= (_SHORT * len(line) if len(line) < _SHORT else _FAR):
            at = found + len(line)
            new.append(False)
            continue
        reach = question[at : at + _FAR + len(line)]
        near = (
            fuzz.partial_ratio_alignment(line, reach, score_cutoff=SAME_LINE)
            if len(line) >= 2 * _SHORT and len(reach) >= len(line)
            else None
        )
        more = near is None or _written_in(line, reach[near.dest_start : near.dest_end])
        if near is not None:
            at += near.dest_end
        new.append(more)
    return new


def _written_in(line: str, printed: str) -> bool:
    """Whether a line has something written into it: signs in a row that the printed one has no place for."""
    return any(
        op.tag == "delete" and op.src_end - op.src_start >= 2 for op in Levenshtein.opcodes(line, printed)
    )
