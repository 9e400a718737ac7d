"""The report of an audit as one HTML page that works offline."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from evaluation.bias.published import source
from evaluation.bias.records import SQUEEZED_BELOW, AuditReport
from evaluation.report import environment
from evaluation.report.audit_plots import curve, plane

VERDICTS = {
    "fit": ("合格", "fit"),
    "fit_with_mitigation": ("缓解后合格", "fit with mitigation"),
    "not_fit": ("不合格", "not fit"),
    "not_decided": ("未定", "not decided"),
    "unknown": ("未知", "unknown"),
}
CLASSES = {
    "objective": ("客观", "objective"),
    "machiavellian": ("偏己", "Machiavellian"),
    "incompetent_randomizer": ("不辨优劣", "incompetent randomizer"),
    "blindly_biased": ("贬己", "blindly biased"),
    "unknown": ("未知", "unknown"),
}
FORMS = {
    "plain": ("整体判决", "plain"),
    "reasoned": ("先推理后判决", "chain of thought"),
    "structured": ("五维分别判决", "structured"),
}
RELATIONS = {
    "self_over_strangers": ("自己对外家", "itself over strangers"),
    "family_over_strangers": ("同族对外家", "family over strangers"),
    "self_over_family": ("自己对同族", "itself over family"),
}


def render_audit(
    report: AuditReport, names: dict[str, tuple[str, str]] | None = None, *, sealed: bool = True
) -> str:
    """The page of a report. names gives (Chinese, English) of tasks that are discipline codes.

    sealed: whether the audit has a seal, which `leaderboard` checks; a page without says so.
    """
    parts = files(__package__)
    style = "".join(
        parts.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "board.css", "audit.css")
    )
    tasks = sorted({point.name for one in report.judges for point in one.tasks})
    return (
        environment()
        .get_template("audit.html.j2")
        .render(
            report=report,
            sealed=sealed,
            plane=plane(report),
            curve=curve(report),
            tasks=tasks,
            names=names or {},
            verdicts=VERDICTS,
            classes=CLASSES,
            forms=FORMS,
            relations=RELATIONS,
            squeezed_below=SQUEEZED_BELOW,
            largest=_largest(report),
            source=source(),
            style=style,
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        )
    )


def _largest(report: AuditReport) -> float:
    """The end of the scale of the mitigation bars."""
    betas = [
        abs(beta)
        for one in report.judges
        for eased in one.mitigations
        for beta in (eased.plain_beta, eased.measure.beta)
        if beta is not None
    ]
    return max([0.1, *betas])
