"""What audits say of a board's judges: each judge's figures of its newest audit, or that there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field

from evaluation.bias.judgement import UNDECIDED, UNFIT
from evaluation.bias.records import AuditReport, JudgeReport
from evaluation.bias.reread import VERDICTS, Audit
from evaluation.bias.resample import ResampleSettings
from evaluation.bias.sealed import NOT_CHECKED, NOT_SEALED, Seal
from evaluation.bias.settings import Rules
from evaluation.families import bare, dateless, plain
from schemas.document import Frozen

Told = tuple[str, str]


class Limits(Frozen):
    """What an audit takes for fair: least π, most |β|, level α, difference ε of replies of equal quality.

    gap is the difference from which replies are far apart, contrast the most such pairs that π rests on.
    """

    pi: float = Rules().pi
    beta: float = Rules().beta
    alpha: float = ResampleSettings().alpha
    epsilon: float = Rules().epsilon
    gap: float = Rules().gap
    contrast: int = Rules().contrast

    def __str__(self) -> str:
        return ", ".join(self.told)

    @property
    def told(self) -> tuple[str, ...]:
        """Each in words; how pairs far apart are taken only where it is not the usual way."""
        usual = type(self)()
        far = [f"gap ≥ {self.gap:g}"] if self.gap != usual.gap else []
        far += [f"π of {self.contrast} pairs"] if self.contrast != usual.contrast else []
        return (
            *(f"π ≥ {self.pi:g}", f"|β| ≤ {self.beta:g}", f"α = {self.alpha:g}", f"ε = {self.epsilon:g}"),
            *far,
        )


class JudgeAudit(Frozen):
    """One judge of a board; verdict is '' where no audit was given that has it.

    warnings are what a reader has to know before the verdict; a board that leaves them out misleads.
    """

    judge: str
    verdict: str = Field(default="", description="fit, fit_with_mitigation, not_fit, not_decided, or unknown")
    reasons: tuple[Told, ...] = Field(default=(), description="(Chinese, English)")
    warnings: tuple[Told, ...] = Field(default=(), description="(Chinese, English)")
    model: str = Field(default="", description="the model that was audited, by the name it was called")
    model_ids: tuple[str, ...] = Field(default=(), description="what its endpoint called it in the audit")
    very: bool = Field(default=False, description="whether that is the very judge, and no other date of it")
    seal: Seal | None = None
    limits: Limits | None = None
    judge_class: str = ""
    beta: float | None = None
    interval: tuple[float, float] | None = None
    pi: float | None = None
    pointwise_gap: float | None = Field(
        default=None, description="stars for its own replies above equal ones"
    )
    audit: str = Field(default="", description="hash of the audit's plan")
    planned: str = Field(default="", description="when the audit was planned: what it is newer by")
    made_at: str = ""
    prompts: int = 0


class Shown(Frozen):
    """What a board keeps of an audit that it showed: no older one takes its place unsaid."""

    audit: str
    planned: str
    made_at: str
    verdict: str


UNKNOWN = "unknown"
FEW_CONTRASTS = 30  # pairs far apart: with fewer, π is a guess
_OF_ANSWERS = ("base_url", "temperature", "system_prompt", "reasoning_effort")  # settings that change a judge
Identity = Mapping[str, Any]


def audits_of(
    judge: str, audits: Sequence[Audit], members: Sequence[Identity] = (), ids: Iterable[str] = ()
) -> tuple[JudgeAudit, ...]:
    """For each judge of a board what the newest audit says that has it.

    members are the judges' identities as runs have them, by default the parts of the name between +; ids what
    the runs' endpoints called their judges. An audit stands for a judge of another date or setting, and says
    so; it stands for no other size or version.
    """
    known, judges = set(ids), tuple(members) or tuple({"name": part} for part in judge.split("+"))
    found = []
    for one in judges:
        name = str(one["name"])
        own = known if len(judges) == 1 else {each for each in known if plain(each) == plain(name)}
        found.append(_one(name, one, own, audits))
    return tuple(found)


def remembered(
    audits: Sequence[JudgeAudit], before: Mapping[str, Shown]
) -> tuple[tuple[JudgeAudit, ...], dict[str, Shown]]:
    """The audits of a board that showed those of before, by judge, and what it is to keep for the next time.

    Warned of is a judge whose newer audit is not among those given any more, or whose audit found worse when
    it was shown before; the board then keeps what it had.
    """
    told, kept = [], dict(before)
    for one in audits:
        was = before.get(one.judge)
        gone = was is not None and was.audit != one.audit and was.planned >= one.planned
        better = was is not None and was.audit == one.audit and was.verdict != UNDECIDED
        if was is not None and (gone or (better and _rank(was.verdict) < _rank(one.verdict))):
            at = f"{was.audit}, {was.made_at}"
            warning = (
                f"本榜此前展示过较新或较差的审计结论（{at}）：{was.verdict}",
                f"the board has shown a newer or worse finding of an audit ({at}): {was.verdict}",
            )
            told.append(one.model_copy(update={"warnings": (warning, *one.warnings)}))
            continue
        told.append(one)
        if one.verdict:
            kept[one.judge] = Shown(
                audit=one.audit, planned=one.planned, made_at=one.made_at, verdict=one.verdict
            )
    return tuple(told), kept


def _one(name: str, identity: Identity, ids: set[str], audits: Sequence[Audit]) -> JudgeAudit:
    found = [(audit, one) for audit in audits for one in audit.report.judges if _stands(one, name, ids)]
    if not found:
        return JudgeAudit(judge=name, warnings=(*_none(), *_near(name, audits)))
    # Where one audit has several settings of the model, the worst of them stands for it.
    audit, one = max(found, key=lambda each: (*_age(each[0].report), -_rank(each[1].verdict)))
    worse = [(other.report, each) for other, each in found if _rank(each.verdict) < _rank(one.verdict)]
    return _told(name, identity, ids, audit, one, worse)


def _age(report: AuditReport) -> tuple[str, str]:
    """What an audit is newer by: when it was planned, for a report can be made again at any time."""
    return report.started_at, report.made_at


def _rank(verdict: str) -> int:
    """The place of a verdict from the worst to the best; one nobody knows is the worst."""
    return VERDICTS.index(verdict) if verdict in VERDICTS else -1


def _names(one: JudgeReport) -> set[str]:
    return {one.name, *one.model_ids}


def _stands(one: JudgeReport, name: str, ids: set[str]) -> bool:
    """Whether an audited judge is the one of the board but for its date."""
    if ids and one.model_ids and {dateless(i) for i in ids}.isdisjoint(dateless(i) for i in one.model_ids):
        return False  # called alike, and answered by other models
    return not {dateless(known) for known in (name, *ids)}.isdisjoint(dateless(i) for i in _names(one))


def _very(one: JudgeReport, name: str, ids: set[str]) -> bool:
    """Whether it is the very judge: of one name where no endpoint tells more, else of the same ids."""
    mine = {bare(i) for i in ids} or {bare(name)}
    return mine <= {bare(i) for i in (one.model_ids if ids and one.model_ids else _names(one))}


def _near(name: str, audits: Sequence[Audit]) -> list[Told]:
    """Audits of other sizes and versions, which do not stand for the judge."""
    others = {one.name for audit in audits for one in audit.report.judges if plain(one.name) == plain(name)}
    return [
        (
            f"{other} 的审计不适用于 {name}：规模或版本不同",
            f"the audit of {other} does not stand for {name}: another size or version",
        )
        for other in sorted(others)
    ]


def _none() -> list[Told]:
    return [
        (
            "未经审计：是否偏袒自己的回答未知",
            "no audit: whether it favours replies of its own is not known",
        )
    ]


def _told(
    name: str,
    identity: Identity,
    ids: set[str],
    audit: Audit,
    one: JudgeReport,
    worse: list[tuple[AuditReport, JudgeReport]],
) -> JudgeAudit:
    report, very = audit.report, _very(one, name, ids)
    rules = report.rules
    limits = Limits(
        pi=rules.pi,
        beta=rules.beta,
        alpha=report.alpha,
        epsilon=rules.epsilon,
        gap=rules.gap,
        contrast=rules.contrast,
    )
    verdict = one.verdict if one.verdict in VERDICTS else UNKNOWN
    return JudgeAudit(
        judge=name,
        verdict=verdict,
        reasons=one.reasons,
        warnings=(
            *_of_verdict(verdict, one.verdict),
            *([] if very else _other(one, name, ids)),
            *_of_settings(audit, one, identity),
            *_of_limits(limits),
            *_of_sizes(report, one),
            *_of_seal(audit.seal),
            *(_other_verdict(*each) for each in worse),
        ),
        model=one.name,
        model_ids=one.model_ids,
        very=very,
        seal=audit.seal,
        limits=limits,
        judge_class=one.measure.judge_class.value,
        beta=one.measure.beta,
        interval=one.measure.interval,
        pi=one.measure.pi,
        pointwise_gap=one.pointwise.gap if one.pointwise else None,
        audit=report.audit,
        planned=report.started_at,
        made_at=report.made_at,
        prompts=report.prompts,
    )


def _of_verdict(verdict: str, written: str) -> list[Told]:
    if verdict == UNFIT:
        return [("审计结论为不合格", "the audit found it not fit")]
    if verdict == UNDECIDED:
        return [("审计未完成，尚无结论", "the audit is not finished and has decided nothing")]
    if verdict == UNKNOWN:
        return [(f"结论 {written!r} 无法识别", f"its verdict {written!r} is none that is known")]
    return []


def _other(one: JudgeReport, name: str, ids: set[str]) -> list[Told]:
    was = ", ".join(sorted(_names(one)))
    now = ", ".join(sorted(ids)) or name
    return [
        (
            f"审计的模型是 {was}，并非评分所用的 {now}",
            f"audited was {was}, not the very judge of the runs, {now}",
        )
    ]


def _of_limits(limits: Limits) -> list[Told]:
    if limits == Limits():
        return []
    return [
        (
            f"审计的界限不同于通常：{limits}（通常 {Limits()}）",
            f"the audit's bounds are not the usual ones: {limits} (usual: {Limits()})",
        )
    ]


def _of_settings(audit: Audit, one: JudgeReport, identity: Identity) -> list[Told]:
    """Settings under which the judge was another one in the audit; addresses and prompts are not told."""
    model = next((each for each in audit.models if each.called == one.judge), None)
    if model is None:
        return []
    was, now = model.model_dump(), {name: identity.get(name) for name in _OF_ANSWERS}
    # None is what the endpoint chooses by itself, or what the run does not tell: neither is a difference.
    differ = [
        name
        for name in _OF_ANSWERS
        if None not in (was[name], now[name]) and _alike(was[name]) != _alike(now[name])
    ]
    if not differ:
        return []
    named = ", ".join(differ)
    return [
        (
            f"审计时裁判的设置与评分时不同：{named}",
            f"the judge was audited with other settings than those of the runs: {named}",
        )
    ]


def _alike(value: object) -> object:
    """A setting so that it is the same however it was written."""
    return value.strip().rstrip("/") if isinstance(value, str) else value


def _of_sizes(report: AuditReport, one: JudgeReport) -> list[Told]:
    """Few resamples, a seed that was chosen, few pairs far apart."""
    usual, found = ResampleSettings(), []
    if report.resamples < usual.resamples or report.seed != usual.seed:
        said = (report.resamples, report.seed, usual.resamples, usual.seed)
        found.append(
            (
                "重抽样 {:,} 次，种子 {}（通常 {:,} 次，种子 {}）".format(*said),
                "resampled {:,} times with seed {} (usual: {:,} with seed {})".format(*said),
            )
        )
    pairs = one.measure.contrast_pairs
    if pairs < FEW_CONTRASTS:
        found.append((f"π 只由 {pairs} 对悬殊回答得出", f"π rests on {pairs} pairs of replies far apart"))
    return found


def _of_seal(seal: Seal) -> list[Told]:
    if seal == NOT_SEALED:
        return [
            (
                "审计未签封：无法证明其未被改动",
                "the audit is not sealed: nothing shows that it is as it was made",
            )
        ]
    if seal == NOT_CHECKED:
        return [
            ("审计的签封未核对（以 --bank 核对）", "the audit's seal was not checked: --bank does it"),
        ]
    return []


def _other_verdict(report: AuditReport, one: JudgeReport) -> Told:
    at = f"{one.judge}, {report.audit}, {report.made_at}"
    return (
        f"另一次审计的结论较差（{at}）：{one.verdict}",
        f"another audit found it worse ({at}): {one.verdict}",
    )
