"""Options marked with a tick as the right ones, where a paper marks its answers so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ingest.segment.doubts import TICK, VERDICT_END
from ingest.segment.forms import is_term_heading
from schemas.question import Draft
from schemas.question import PrintedForm as Form

BY_TICK = "ticked option"
BY_INK = "option in another ink"
OPTIONS_INKED = "options "
"""How the evidence of options in another ink begins; their labels follow."""
_BEFORE_LABEL = re.compile(r"[√✓✔☑][（(]?[A-H]\s?[)）.．、:：]")


BEHIND = "verdict behind the statement"


def with_verdicts(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with «甲是乙。√» answered, where at least half the statements to be judged end so."""
    judged = [d for d in drafts if d.form is Form.TRUE_FALSE]
    marked = {d.draft_id: found for d in judged if not d.answer and (found := VERDICT_END.search(d.printed))}
    if len(marked) < 2 or 2 * len(marked) < len(judged):
        return list(drafts)
    return [
        draft.model_copy(
            update={
                "printed": VERDICT_END.sub("", draft.printed),
                "stem": VERDICT_END.sub("", draft.stem),
                **_answered_by(BEHIND, draft, marked[draft.draft_id].group(1)),
            }
        )
        if draft.draft_id in marked
        else draft
        for draft in drafts
    ]


def with_ticked(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with ticked options as answers, the ticks taken off, where at least half the choices have one.

    A few ticks are a reader's; they stay, and the draft is doubted. A tick set close before a label says
    nothing about the option that ends there, so such a paper is left alone.
    """
    choices = [d for d in drafts if d.form is Form.MULTIPLE_CHOICE and d.options]
    marked = [d for d in choices if any(TICK.search(option.text) for option in d.options)]
    if (
        len(marked) < 2
        or 2 * len(marked) < len(choices)
        or any(_BEFORE_LABEL.search(d.printed) for d in marked)
    ):
        return list(drafts)
    known = {d.draft_id for d in marked}
    return [_answered(draft) if draft.draft_id in known else draft for draft in drafts]


def with_inked(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with options set in another ink as answers, where at least half the choices have such.

    What a scan shows in colour is a student's pen, and stays a doubt; so do a few options set in colour.
    """
    choices = [d for d in drafts if d.form is Form.MULTIPLE_CHOICE and d.options]
    inked = {d.draft_id: found for d in choices if (found := _inked_options(d))}
    if len(inked) < 2 or 2 * len(inked) < len(choices):
        return list(drafts)
    return [
        draft.model_copy(update=_answered_by(BY_INK, draft, inked[draft.draft_id]))
        if draft.draft_id in inked
        else draft
        for draft in drafts
    ]


def with_explained(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts of terms explained on their line or below, answered, where half of their section has it so."""
    out = list(drafts)
    for section in dict.fromkeys(d.section for d in drafts if is_term_heading(d.section)):
        places = [k for k, d in enumerate(drafts) if d.section == section]
        open_ones = [k for k in places if not drafts[k].answer]
        told = {
            k: found
            for k in open_ones
            if (found := _TERM_TOLD.match(drafts[k].printed) or _TERM_BELOW.match(drafts[k].printed))
        }
        if len(told) < 2 or 2 * len(told) < len(places):
            continue
        for k, found in told.items():
            update = {
                "printed": found.group(1).strip(),
                "stem": found.group(1).strip(),
                **_answered_by(BEHIND_TERM, drafts[k], found.group(2).strip()),
            }
            out[k] = drafts[k].model_copy(update=update)
    return out


BEHIND_TERM = "explained behind the term"
_TERM_TOLD = re.compile(
    r"([^：:—\n]{2,16}(?:[（(][^（()）\n]{1,30}[)）])?)\s?(?:[：:]|—{1,2}|--)\s?([^\n]{6,}[\s\S]*)$"
)


_TERM_BELOW = re.compile(r"([^：:—，。\n]{2,16})\n([^\n]{8,}[\s\S]*)$")


def _answered_by(rule: str, draft: Draft, answer: str) -> dict[str, Any]:
    """The fields of a draft whose answer the rule found on the paper itself."""
    evidence = {k: v for k, v in draft.evidence.items() if rule != BY_INK or k != "ink"}
    return {
        "answer": answer,
        "answer_source": f"{draft.source}: {rule}",
        "evidence": {**evidence, "answer": rule},
    }


def _inked_options(draft: Draft) -> str:
    """Labels of the options in another ink, "" where they are none, all or not to be trusted."""
    known = draft.evidence.get("ink", "").removeprefix(OPTIONS_INKED).split(", ")
    labels = [option.label for option in draft.options]
    told = [label for label in labels if label in known]
    return "".join(told) if len(told) == len(known) < len(labels) and not draft.answer else ""


def _answered(draft: Draft) -> Draft:
    ticked = [option.label for option in draft.options if TICK.search(option.text)]
    if draft.answer or len(ticked) == len(draft.options):
        return draft
    options = tuple(o.model_copy(update={"text": TICK.sub("", o.text).strip()}) for o in draft.options)
    printed = draft.printed[: len(draft.stem)] + re.sub(r"[√✓✔☑]", "", draft.printed[len(draft.stem) :])
    return draft.model_copy(
        update={
            "options": options,
            "printed": printed,
            **_answered_by(BY_TICK, draft, "".join(ticked)),
        }
    )
