"""What a run will take, before anything is sent: calls, tokens and price."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.judge import judge_text
from evaluation.prompts import ask_prompts, judge_prompt
from evaluation.rundir import Tally, Uses
from schemas.evaluation import SampleItem
from schemas.settings import JudgeSettings, ModelSettings

REPLY_TOKENS = 500  # of an answer, where none is known yet
VERDICT_TOKENS = 20
_FRAME_TOKENS = 8  # what a chat template adds to a message
_HAN = re.compile(r"[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_MILLION = 1_000_000


@dataclass(frozen=True)
class Estimate:
    """One endpoint's part: calls and tokens; price in the currency of the settings, None if not set."""

    name: str
    role: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    most_reply_tokens: int | None
    price: float | None
    most_price: float | None


def tokens(text: str) -> int:
    """About how many tokens a text has: one a Chinese character, one for 3.5 others. Rather too many."""
    han = len(_HAN.findall(text))
    return round(han + (len(text) - han) / 3.5)


def estimate(
    items: Iterable[SampleItem],
    references: Mapping[str, str],
    model: ModelSettings,
    judge: JudgeSettings,
    replies: Mapping[str, str],
    settled: Iterable[str] = (),
    *,
    asks: bool = True,
) -> list[Estimate]:
    """What is still to be asked, for the model and for each judge of its own.

    replies are those already there, by question id; settled are the questions that have a verdict;
    asks is False where replies are judged again. Endpoints alone count: built-ins cost nothing.
    Every call counts once, without repeats; the most assumes that every answer uses max_tokens.
    """
    done = set(settled)
    left = [
        item
        for item in items
        if item.question_id not in done and references.get(item.question_id, "").strip()
    ]
    asked = [item for item in left if asks and item.question_id not in replies]
    judged = left if asks else [item for item in left if item.question_id in replies]
    found = []
    if model.base_url and asks:
        sent = (
            ask_prompts().ask(i.prompt, question_type=i.question_type, language=i.language) for i in asked
        )
        found.append(part(model, "model", [tokens(text) for text in sent], REPLY_TOKENS))
    for one in (judge, *judge.panel):
        if one.base_url:
            sizes = [_judge_tokens(item, references, replies) for item in judged]
            found.append(part(one, "judge", sizes, VERDICT_TOKENS))
    return found


@dataclass(frozen=True)
class Usage:
    """What a run has taken: requests, tokens as the endpoints counted them, price None where not set."""

    role: str
    requests: int
    prompt_tokens: int
    reply_tokens: int
    price: float | None


def usage(uses: Uses, model: ModelSettings, judge: JudgeSettings) -> list[Usage]:
    """What a run took over all its sessions, for the model and for its judges; endpoints alone count."""
    found = [_used("model", uses.model, model)] if model.base_url else []
    return found + [
        _used(f"judge {one.name}", uses.judges.get(one.name, Tally()), one)
        for one in (judge, *judge.panel)
        if one.base_url
    ]


def price_of(used: Iterable[Usage]) -> float | None:
    """What all of it cost; None where a price is not known, and where nothing was sent anywhere."""
    prices = [one.price for one in used]
    return sum(price for price in prices if price is not None) if prices and None not in prices else None


def _used(role: str, tally: Tally, settings: ModelSettings) -> Usage:
    price = _price(settings, tally.prompt_tokens, tally.reply_tokens)
    return Usage(role, tally.requests, tally.prompt_tokens, tally.reply_tokens, price)


def _judge_tokens(item: SampleItem, references: Mapping[str, str], replies: Mapping[str, str]) -> int:
    reply = replies.get(item.question_id)
    text = judge_text(judge_prompt(), item.prompt, reply or "", references[item.question_id])[0]
    return tokens(text) + (REPLY_TOKENS if reply is None else 0)


def part(settings: ModelSettings, role: str, sizes: list[int], reply: int) -> Estimate:
    """An endpoint's part of an estimate: sizes are the tokens of its prompts, reply those of an answer."""
    extra = _FRAME_TOKENS + (tokens(settings.system_prompt) + _FRAME_TOKENS if settings.system_prompt else 0)
    sent = sum(sizes) + extra * len(sizes)
    usual = len(sizes) * min(reply, settings.max_tokens or reply)
    most = len(sizes) * settings.max_tokens if settings.max_tokens is not None else None
    return Estimate(
        name=settings.name,
        role=role,
        calls=len(sizes),
        prompt_tokens=sent,
        reply_tokens=usual,
        most_reply_tokens=most,
        price=_price(settings, sent, usual),
        most_price=None if most is None else _price(settings, sent, most),
    )


def _price(settings: ModelSettings, sent: int, received: int) -> float | None:
    if settings.price_prompt is None or settings.price_reply is None:
        return None
    return (sent * settings.price_prompt + received * settings.price_reply) / _MILLION
