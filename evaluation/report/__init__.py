"""The report of one run: a single HTML page that needs no network and runs no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from evaluation.agreement import agreements
from evaluation.judge import judged_text
from evaluation.rundir import RunRecord, Tally
from evaluation.scoring import bounds
from schemas.evaluation import ReplyState, SampleItem, Score
from schemas.shown import seen

if TYPE_CHECKING:
    from jinja2 import Environment

# Why a question has no stars, in Chinese and English.
REASONS = {
    "empty": ("空回复", "empty reply"),
    "truncated": ("回复被截断", "reply cut off"),
    "refused": ("拒绝作答", "refused"),
    "rate_limited": ("被限流", "rate limited"),
    "timeout": ("超时", "timed out"),
    "server_error": ("服务器故障", "server fault"),
    "client_error": ("请求未被接受", "request not accepted"),
    "malformed": ("评分无法识别", "no readable verdict"),
    "no_reference": ("缺少参考答案", "no reference answer"),
    "not_asked": ("尚未提问", "not asked yet"),
}
TYPES = {
    "short_answer": "简答",
    "calculation": "计算",
    "true_false": "判断",
    "analysis": "分析",
    "essay": "论述",
}
_JUDGE = ("裁判", "judge")


@dataclass(frozen=True)
class Row:
    """One question of the page's table; texts as they are, escaped by the template."""

    number: int
    question_id: str
    discipline: str
    stars: int | None
    reason: str
    question: str
    reply: str
    reference: str
    verdict: str


def render(
    result: Score,
    record: RunRecord,
    names: Mapping[str, tuple[str, str]],
    *,
    items: Sequence[SampleItem] = (),
    references: Mapping[str, str] | None = None,
) -> str:
    """The page for one run.

    names gives (Chinese, English) by discipline code; a code without names is shown as it is. items
    and references fill the table of questions, which makes the page as private as the bank: without
    items the page has scores only and can be published.
    """
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    style_hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            score=result,
            bounds=bounds(result),
            record=record,
            rows=[_row(number, item, record, references or {}) for number, item in enumerate(items, start=1)],
            names={d.discipline: names.get(d.discipline, (d.discipline, "")) for d in result.disciplines},
            types=TYPES,
            uses=_uses(record),
            agreements=agreements(record.votes),
            reasons={reason: reason_names(reason) for reason in result.unscored},
            style=style,
            style_hash=style_hash,
        )
    )


def _uses(record: RunRecord) -> list[tuple[str, Tally]]:
    """What model and judges were sent, under their roles; nothing of replies that another run asked for."""
    asked = [] if "replies_from" in record.manifest["fixed"] else [("被测模型 model", record.uses.model)]
    return [*asked, *((f"裁判 judge {name}", tally) for name, tally in record.uses.judges.items())]


def reason_names(reason: str) -> tuple[str, str]:
    """A reason for no stars in Chinese and English; a judge's fault is marked as the judge's."""
    inner = reason.removeprefix("judge_")
    chinese, english = REASONS.get(inner, (inner, inner))
    if inner == reason:
        return chinese, english
    return f"{_JUDGE[0]}：{chinese}", f"{_JUDGE[1]}: {english}"


def _row(number: int, item: SampleItem, record: RunRecord, references: Mapping[str, str]) -> Row:
    reply = record.replies.get(item.question_id)
    verdict = record.verdicts.get(item.question_id)
    said = "" if reply is None else judged_text(reply) if reply.state is ReplyState.OK else reply.text
    return Row(
        number=number,
        question_id=item.question_id,
        discipline=item.discipline,
        stars=verdict.stars if verdict else None,
        reason=(verdict.reason if verdict else "not_asked"),
        question=item.prompt,
        reply=said or (reply.error if reply else ""),
        reference=references.get(item.question_id, ""),
        verdict=verdict.raw if verdict else "",
    )


@cache
def environment() -> Environment:
    """The templates of this folder, with everything escaped that is put in."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("evaluation", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["plain"] = lambda text: seen(str(text))  # also where it is not put out
    made.filters["fixed"] = lambda value, digits=2: "–" if value is None else f"{value:.{digits}f}"
    made.filters["reason"] = lambda reason: "{} {}".format(*reason_names(reason))
    return made


def _shown(value: Any) -> Any:  # noqa: ANN401 - whatever a template puts out
    """Texts with what steers spelled out; Jinja escapes them afterwards. What is HTML already stays."""
    return seen(value) if type(value) is str else value
