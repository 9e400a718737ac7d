"""`exambank audit`: how far judges favour themselves, measured before one of them is let on a board."""

from __future__ import annotations

import enum
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common
from schemas.errors import UsageError
from schemas.shown import label

if TYPE_CHECKING:
    from evaluation.bias.conduct import Step
    from evaluation.bias.folder import Plan
    from evaluation.bias.records import AuditReport, Prompt
    from evaluation.bias.settings import AuditModel
    from evaluation.endpoint import Endpoint
    from evaluation.signing import Signer

EPILOG = "Example: exambank audit plan data/audits/june --study study.toml --prompts prompts.jsonl"
_PARTLY = 3


class Action(enum.StrEnum):
    """What to do with an audit."""

    PLAN = "plan"
    RUN = "run"
    REPORT = "report"


class Tests(enum.StrEnum):
    """How the source's three tests are set for the comparison."""

    PRINTED = "printed"
    WRITTEN = "written"
    USUAL = "usual"


def audit(
    action: Annotated[
        Action,
        typer.Argument(
            help="plan: fix what is asked and tell what it takes; run: ask; report: tell what was found.",
            show_default=False,
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The audit's folder.", show_default=False)],
    study: Annotated[
        Path | None, typer.Option("--study", help="plan: TOML of models, graders and rules.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option("--prompts", help="plan: JSON Lines of prompts, sent as they stand.")
    ] = None,
    sample: Annotated[
        Path | None, typer.Option("--sample", help="plan: folder of a draw from the bank, asked as in a run.")
    ] = None,
    allow_kin: Annotated[
        bool,
        typer.Option("--allow-kin", help="plan: take graders of a model's family; no judge is then fit."),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Tell what it would take, or has found; send and write nothing."),
    ] = False,
    resamples: Annotated[
        int, typer.Option("--resamples", min=199, help="report: how often prompts are drawn again.")
    ] = 10_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="report: seed of the resampling.")] = 0,
    tests: Annotated[
        Tests, typer.Option("--tests", help="report: setting of the source's three tests.")
    ] = Tests.PRINTED,
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
    as_json: common.JsonOption = False,
) -> int:
    """Self-preference of judges: plan the study, ask the models, and report which judges are fit.

    Models answer prompts, graders of other makers grade the replies, and each judge compares replies of
    equal quality, its own among them, in both orders. `run` goes on where it stopped.
    """
    common.settings(config)
    if action is not Action.PLAN and (study or prompts or sample or allow_kin):
        raise UsageError(
            f"--study, --prompts, --sample and --allow-kin are for plan, not for {action.value}.",
            remedy="What was planned stands in the folder.",
        )
    if action is Action.PLAN:
        return _plan(folder, study, prompts, sample, bank, allow_kin, dry_run=dry_run, as_json=as_json)
    if action is Action.RUN:
        return _run(folder, bank, dry_run=dry_run, quiet=quiet, as_json=as_json)
    return _report(folder, bank, resamples, seed, tests, dry_run=dry_run, as_json=as_json)


def _plan(
    folder: Path,
    study: Path | None,
    prompts: Path | None,
    sample: Path | None,
    bank: Path,
    allow_kin: bool,
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    from evaluation.bias.folder import Plan, write_plan
    from evaluation.bias.settings import read_settings, refuse_kin_graders
    from evaluation.endpoint import check_base_url
    from flows.running import has_key

    if study is None or (prompts is None) == (sample is None):
        raise UsageError(
            "A plan takes --study, and either --prompts or --sample.",
            remedy="exambank audit plan FOLDER --study study.toml --prompts prompts.jsonl",
        )
    common.check_out(folder, folder=True, inputs=(study, prompts, sample), bank=bank if sample else None)
    settings = read_settings(study)
    for one in (*settings.models, *settings.graders):
        check_base_url(one)
    if not allow_kin:
        refuse_kin_graders(settings)
    asked = _prompts(prompts, sample, bank)
    raters = [one.called for one in settings.models if one.pointwise]
    if raters and not any(one.reference.strip() for one in asked):
        raise UsageError(
            f"{raters[0]} is to rate replies (pointwise = true), but no prompt has a reference answer.",
            remedy="give each prompt its `reference`, or take pointwise out of the study",
        )
    plan = Plan(
        settings=settings,
        prompts=asked,
        allow_kin=allow_kin,
        signed=sample is not None or has_key(bank),
        started_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    )
    if not dry_run:
        plan = write_plan(folder, plan)
    if not plan.signed:
        common.say(f"not sealed: {bank} has no key to sign this audit with; name a bank with --bank")
    _tell_outlook(folder if (folder / "manifest.json").exists() else None, plan, bank, as_json=as_json)
    return 0


def _prompts(prompts: Path | None, sample: Path | None, bank: Path) -> tuple[Prompt, ...]:
    from evaluation.bias.sources import from_items, read_prompts

    if prompts is not None:
        return read_prompts(prompts)
    from flows.running import read_paper

    assert sample is not None
    paper = read_paper(sample, bank)
    return from_items(paper.items, paper.references)


def _signer(plan: Plan, bank: Path) -> Signer | None:
    if not plan.signed:
        return None
    from flows.running import signer_of

    return signer_of(bank)


def _tell_outlook(folder: Path | None, plan: Plan, bank: Path, *, as_json: bool) -> None:
    from dataclasses import asdict

    from evaluation.bias.planning import outlook
    from flows.running import tell_estimate

    found = outlook(folder, plan, _signer(plan, bank))
    if as_json:
        parts = [asdict(one) for one in found.parts]
        prices = [one.price for one in found.parts]
        total = None if None in prices else sum(price or 0 for price in prices)
        calls = sum(one.calls for one in found.parts)
        common.emit(
            {"audit": plan.audit, "exact": found.exact, "calls": calls, "price": total, "parts": parts}
        )
        return
    tell_estimate(found.parts, as_json=False, tables="[[models]] and [[graders]]")
    if found.parts and not found.exact:
        common.tell(
            "verdicts: at most so many; which replies are of equal quality is known after the grading"
        )


def _run(folder: Path, bank: Path, *, dry_run: bool, quiet: bool, as_json: bool) -> int:
    from evaluation.bias.asking import Surroundings
    from evaluation.bias.conduct import conduct
    from evaluation.bias.folder import read_plan

    plan = read_plan(folder)
    if dry_run:
        _tell_outlook(folder, plan, bank, as_json=as_json)
        return 0
    stop = threading.Event()

    def sleep(seconds: float) -> None:
        stop.wait(seconds)  # Ctrl-C ends a long wait for an endpoint, too

    around = Surroundings(_endpoint, lambda: datetime.now(UTC), sleep, _signer(plan, bank), stop)
    conduct(folder, around, (lambda step: None) if quiet else _Told().step)
    return _tell_left(folder, plan, bank, as_json=as_json)


def _tell_left(folder: Path, plan: Plan, bank: Path, *, as_json: bool) -> int:
    """What a session has left: calls that met faults, and grades nobody could read; the exit code."""
    from evaluation.bias.load import load_grading
    from evaluation.bias.planning import outlook

    signer = _signer(plan, bank)
    found = outlook(folder, plan, signer)
    # Which verdicts are to be asked is known after the grading alone.
    parts = [one for one in found.parts if found.exact or one.role in {"reply", "grade"}]
    left = sum(one.calls for one in parts)
    poor = [one for one in load_grading(folder, plan, signer) if one.given < one.replies]
    if as_json:
        waiting = [{"name": one.name, "role": one.role, "calls": one.calls} for one in parts]
        grading = [one.model_dump(mode="json") for one in poor]
        common.emit(
            {"audit": plan.audit, "folder": str(folder), "left": left, "parts": waiting, "grading": grading}
        )
    else:
        common.tell(f"audit in {folder}: {'everything is asked' if not left else f'{left:,} calls are left'}")
        for part in parts:
            common.tell(f"{part.name}: {common.counted(part.calls, 'call')} left ({part.role})")
    for one in poor:
        why = f"; the first: {one.example}" if one.example else ""
        common.say(
            f"grader {one.grader}: {one.given:,} of {one.replies:,} replies have a grade, {one.unreadable:,}"
            f" answers could not be read{why}"
        )
    if left:
        common.say("the same command again asks what is left")
    if any(one.unreadable for one in poor):
        common.say("what could not be read is not asked again: plan an audit with another grader")
    return _PARTLY if left or poor else 0


def _endpoint(model: AuditModel) -> Endpoint:
    from evaluation.endpoint import Endpoint, read_key

    return Endpoint(model, key=read_key(model, os.environ, Path(".env")), clock=time.monotonic)


class _Told:
    """Progress on standard error: a line every few seconds."""

    EVERY = 5.0

    def __init__(self) -> None:
        self._at = 0.0

    def step(self, step: Step) -> None:
        """Tell how far a stage has come."""
        now = time.monotonic()
        if step.done == step.total or now - self._at >= self.EVERY:
            self._at = now
            common.say(f"[{step.done}/{step.total}] {step.stage}")


def _report(
    folder: Path, bank: Path, resamples: int, seed: int, tests: Tests, *, dry_run: bool, as_json: bool
) -> int:
    from evaluation.bias import classic
    from evaluation.bias.analyse import analyse
    from evaluation.bias.folder import read_plan
    from evaluation.bias.load import load
    from evaluation.bias.resample import ResampleSettings
    from evaluation.bias.sealed import PAGE, REPORT, seal_audit
    from evaluation.report.audit import render_audit
    from flows.running import discipline_names

    setting = {
        Tests.PRINTED: classic.AS_PRINTED,
        Tests.WRITTEN: classic.AS_WRITTEN,
        Tests.USUAL: classic.ClassicSettings(),
    }[tests]
    plan = read_plan(folder)
    signer = _signer(plan, bank)
    report = analyse(
        load(folder, signer),
        ResampleSettings(resamples=resamples, seed=seed),
        setting,
        classic_name=tests.value,
        made_at=datetime.now(UTC).date().isoformat(),
    )
    if not dry_run:
        page = render_audit(report, discipline_names(), sealed=plan.signed)
        common.write_whole(folder / REPORT, report.model_dump_json(indent=1).encode() + b"\n")
        common.write_whole(folder / PAGE, page.encode())
        if signer is not None:
            seal_audit(folder, plan, signer, datetime.now(UTC).isoformat(timespec="seconds"))
    if not plan.signed:
        common.say("not sealed: the audit was planned without a bank, and nothing shows that it is as made")
    if as_json:
        common.emit(report.model_dump(mode="json"))
    else:
        _tell(report)
        if not dry_run:
            common.tell(f"report in {folder}: {PAGE}, {REPORT}")
    lost = report.replies_missing or report.graded < report.replies
    unscored = any(one.pointwise and one.pointwise.unscored for one in report.judges)
    return _PARTLY if report.missing or lost or unscored else 0


def _tell(report: AuditReport) -> None:
    rows = [
        (
            label(one.judge),
            _figure(one.measure.rho),
            _figure(one.measure.rho_null),
            _figure(one.measure.beta, "+.3f"),
            _reach(one.measure.interval),
            _figure(one.measure.p_holm),
            f"{one.measure.own.asked}/{one.measure.null.asked}",
            _figure(one.measure.consistency, ".0%"),
            _figure(one.measure.pi, ".2f"),
            one.measure.judge_class.value.replace("_", " "),
            one.verdict.replace("_", " "),
        )
        for one in report.judges
    ]
    heads = (
        "judge",
        "rho",
        "null",
        "beta",
        "95 %",
        "p (Holm)",
        "pairs",
        "consistent",
        "pi",
        "class",
        "verdict",
    )
    common.table(f"{report.prompts} prompts, {len(report.models)} models", heads, rows)
    for one in report.judges:
        told = "; ".join(english for _, english in one.reasons)
        common.tell(label(f"{one.judge}: {one.verdict.replace('_', ' ')}: {told}"))
    for _, english in report.notes:
        common.tell(label(f"note: {english}"))


def _figure(value: float | None, form: str = ".3f") -> str:
    return "-" if value is None else format(value, form)


def _reach(interval: tuple[float, float] | None) -> str:
    return "-" if interval is None else f"{interval[0]:+.3f} – {interval[1]:+.3f}"
