"""The report of an audit read back from its file: nothing of it is believed that does not fit together."""

from __future__ import annotations

import json
from math import isclose, isfinite
from pathlib import Path
from typing import NamedTuple, NoReturn

from pydantic import ValidationError

from evaluation.bias.aspects import siblings
from evaluation.bias.classes import classify
from evaluation.bias.folder import read_plan
from evaluation.bias.judgement import FIT, MITIGATED, UNDECIDED, UNFIT, judge_the_judge
from evaluation.bias.records import AuditReport, Counts, JudgeReport, Measure
from evaluation.bias.sealed import REPORT, Seal, check_sealed
from evaluation.bias.settings import AuditModel
from evaluation.bias.whole import elsewhere, unfinished, ungraded
from evaluation.rundir import MANIFEST
from evaluation.signing import Signer
from schemas.errors import ExamBankError, UsageError

VERDICTS = (UNFIT, UNDECIDED, MITIGATED, FIT)  # from the worst to the best
_LARGEST = 1e9  # no figure of an audit is beyond it
_DIGITS = 4300  # of a whole number that Python reads at all


class Audit(NamedTuple):
    """A report, how far it is shown to be as it was made, and its models where the plan is beside it."""

    report: AuditReport
    seal: Seal
    models: tuple[AuditModel, ...] = ()


def read_audit(path: Path, signer: Signer | None = None) -> Audit:
    """The audit in a folder, or of its audit.json. signer checks its seal, where it has one.

    Raises UsageError where there is no report, ExamBankError `audit_damaged` for one that no audit writes,
    `run_edited` for an audit that is not as it was sealed.
    """
    place = path / REPORT if path.is_dir() else path
    report = read_report(place)
    seal = check_sealed(place.parent, signer) if place.name == REPORT else check_sealed(place, signer)
    if not (place.parent / MANIFEST).is_file():
        return Audit(report, seal)
    plan = read_plan(place.parent)
    if plan.audit != report.audit:
        _refuse(place, "it is of another audit than the plan beside it")
    names = {one.called: one.name for one in plan.settings.models if one.judges}
    if {one.judge: one.name for one in report.judges} != names or len(report.judges) != len(names):
        _refuse(place, "its judges are not those of the plan beside it")
    if (report.rules, report.prompts) != (plan.settings.rules, len(plan.prompts)):
        _refuse(place, "its rules or prompts are not those of the plan beside it")
    return Audit(report, seal, plan.settings.models)


def read_report(path: Path) -> AuditReport:
    """The report in a file, after a look whether its verdicts follow from its figures. Errors: read_audit."""
    try:
        data = path.read_bytes()
    except OSError:
        raise UsageError(
            f"{path} holds no report of an audit.", remedy="Make one with `exambank audit report`."
        ) from None
    try:
        json.loads(data, parse_int=_number, parse_float=_number, parse_constant=_number)
        report = AuditReport.model_validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        _refuse(path, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    except (ValueError, RecursionError) as error:
        _refuse(path, str(error) or type(error).__name__)
    for one in report.judges:
        if wrong := _wrong(report, one):
            _refuse(path, f"{one.judge}: {wrong}")
    return report


def _refuse(path: Path, why: str) -> NoReturn:
    raise ExamBankError(
        f"{path} is no report that an audit writes: {why}",
        remedy="make it again with `exambank audit report`",
        code="audit_damaged",
    )


def _number(text: str) -> float:
    value = float(text) if len(text) <= _DIGITS else float("inf")
    if not isfinite(value) or abs(value) > _LARGEST:
        raise ValueError(f"{text[:20]} is no figure of an audit")
    return value


def _wrong(report: AuditReport, one: JudgeReport) -> str:
    """What does not fit together of one judge; '' where all does."""
    if one.verdict not in VERDICTS:
        return f"{one.verdict!r} is no verdict: {', '.join(VERDICTS)}"
    bounds = report.rules.bounds
    for measure in (one.measure, *(eased.measure for eased in one.mitigations)):
        if wrong := _figures(measure):
            return wrong
        if measure.judge_class is not classify(measure.pi, measure.beta, bounds):
            return f"its class is not {measure.judge_class.value} by its figures"
    best, _ = judge_the_judge(
        one.measure,
        one.mitigations,
        one.pointwise,
        bounds,
        alpha=report.alpha,
        kin_graders=False,  # what speaks against it beside the figures can only make it worse
        rates_replies=one.pointwise is not None,
        missing=(*unfinished(one.judge, report.missing), *ungraded(report.grading)),
        elsewhere=elsewhere(one.judge, report.missing),
        siblings=siblings(list(one.relations)),
    )
    if VERDICTS.index(one.verdict) > VERDICTS.index(best):
        return f"it is told to be {one.verdict}, and is {best} by its figures"
    return ""


def _figures(measure: Measure) -> str:
    """What of a measure does not follow from its counts."""
    for counts in (measure.own, measure.null):
        ended = counts.target + counts.other + counts.inconsistent + counts.unreadable
        if ended != counts.asked or not 0 <= counts.asked <= counts.wanted or min(_all(counts)) < 0:
            return "its pairs do not add up"
    rates = (
        ("rho", measure.rho, measure.own.target, measure.own.asked),
        ("rho_null", measure.rho_null, measure.null.target, measure.null.asked),
        ("pi", measure.pi, measure.contrast_right, measure.contrast_pairs),
    )
    for name, rate, hits, pairs in rates:
        told = rate is None or (0 <= hits <= pairs and pairs and isclose(rate, hits / pairs, abs_tol=1e-9))
        if not told:
            return f"{name} is not {hits} of {pairs}"
    if measure.beta is not None and not (
        measure.rho is not None
        and measure.rho_null is not None
        and isclose(measure.beta, measure.rho - measure.rho_null, abs_tol=1e-9)
    ):
        return "beta is not rho - rho_null"
    if any(not 0 <= share <= 1 for share in measure.class_probabilities.values()):
        return "a probability is not between 0 and 1"
    return ""


def _all(counts: Counts) -> tuple[int, ...]:
    return counts.target, counts.other, counts.inconsistent, counts.unreadable
