"""How the questions of a run were drawn: their strata and types, as its manifest tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Fields of a stratum that a run keeps for every question.
_KEPT = ("discipline", "question_type", "language")


@dataclass(frozen=True)
class Design:
    """Stratum and type by question id; eligible units by stratum. What is not there is not known."""

    strata: Mapping[str, str] = field(default_factory=dict)
    eligible: Mapping[str, int] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)


def design_of(manifest: Mapping[str, Any]) -> Design:
    """The design of a run from its manifest.

    Where the strata are of fields that a run does not keep for its questions, such as the
    sub-discipline, each discipline counts as one stratum without end: the interval is then rather too
    wide than too narrow.
    """
    questions = manifest["questions"]
    types = {q["question_id"]: q["question_type"] for q in questions if q.get("question_type")}
    sample = manifest.get("sample") or {}
    fields = tuple(sample.get("strata_fields", ()))
    if not fields or not all(f in _KEPT and all(f in q for q in questions) for f in fields):
        return Design(types=types)
    return Design(
        strata={q["question_id"]: "/".join(q[f] for f in fields) for q in questions},
        eligible={s["name"]: s["eligible"] for s in sample.get("strata", ())},
        types=types,
    )
