"""What audits say of a board's judges: each judge's figures of its newest audit, or that there is none."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from evaluation.bias.judgement import FIT, MITIGATED, UNDECIDED, UNFIT
from evaluation.bias.records import AuditReport, JudgeReport
from evaluation.families import plain
from schemas.document import Frozen

_ORDER = (UNFIT, UNDECIDED, MITIGATED, FIT)


class JudgeAudit(Frozen):
    """One judge of a board; verdict is '' where no audit was given that has it."""

    judge: str
    verdict: str = Field(default="", description="fit, fit_with_mitigation, not_fit, not_decided")
    reasons: tuple[tuple[str, str], ...] = Field(default=(), description="(Chinese, English)")
    judge_class: str = ""
    beta: float | None = None
    interval: tuple[float, float] | None = None
    pi: float | None = None
    pointwise_gap: float | None = Field(
        default=None, description="stars for its own replies above equal ones"
    )
    audit: str = Field(default="", description="hash of the audit's plan")
    made_at: str = ""
    prompts: int = 0


def audits_of(judge: str, reports: Sequence[AuditReport]) -> tuple[JudgeAudit, ...]:
    """For each judge of a board (several are joined by +) what the newest report says that has it.

    A judge is known by its model's name, without provider prefix, size and date.
    """
    return tuple(_one(name, reports) for name in judge.split("+"))


def _one(name: str, reports: Sequence[AuditReport]) -> JudgeAudit:
    found = [
        (report, one)
        for report in reports
        for one in report.judges
        if plain(name) in {plain(one.name), *(plain(known) for known in one.model_ids)}
    ]
    if not found:
        return JudgeAudit(judge=name)
    # Where one audit has several settings of the model, the worst of them stands for it.
    report, one = max(found, key=lambda each: (each[0].made_at, -_ORDER.index(each[1].verdict)))
    return _told(name, report, one)


def _told(name: str, report: AuditReport, one: JudgeReport) -> JudgeAudit:
    return JudgeAudit(
        judge=name,
        verdict=one.verdict,
        reasons=one.reasons,
        judge_class=one.measure.judge_class.value,
        beta=one.measure.beta,
        interval=one.measure.interval,
        pi=one.measure.pi,
        pointwise_gap=one.pointwise.gap if one.pointwise else None,
        audit=report.audit,
        made_at=report.made_at,
        prompts=report.prompts,
    )
