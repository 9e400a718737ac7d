"""Having a judge rate replies that people have rated, and trying attacks on it; goes on where it stopped."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.attacks import ATTACKS
from evaluation.attempts import FAULTS, MAX_FAULTS_IN_A_ROW, TRANSIENT, stop_if_fatal, too_long, wait
from evaluation.journal import Journal
from evaluation.judge import MALFORMED, SCHEMA_REFUSED, Judge, Rating, judge_version, members, vote
from evaluation.rated import Row
from evaluation.verdict import without_thinking
from schemas.errors import ModelError
from schemas.evaluation import Reply, SampleItem


@dataclass(frozen=True)
class Swayed:
    """What attacks did to a judge: how many were tried, and the verdicts raised, lowered, lost."""

    tried: int
    raised: int
    lowered: int
    unscored: int
    raised_by: tuple[str, ...]


class Checker:
    """A judge and the journal of what it said; the same reply is never sent twice to the same judge."""

    def __init__(self, judge: Judge, journal: Journal | None, sleep: Callable[[float], None]) -> None:
        """journal: where ratings are kept, None for nowhere; sleep waits for seconds."""
        self._judge, self._journal, self._sleep = judge, journal, sleep
        self._version = judge_version(judge.identity())
        self._faults = 0
        self._known: dict[str, int | None] = {}
        for entry in journal.entries if journal is not None else []:
            if entry["event"] == "rating" and entry["judge_version"] == self._version and not entry["fault"]:
                self._known[entry["key"]] = entry["stars"]

    def stars(self, row: Row, reply: str) -> int | None:
        """The judge's stars for reply to the question of row; None when it gave none."""
        key = reply_key(row.question, row.reference, reply)
        if key in self._known:
            return self._known[key]
        if not without_thinking(reply) or not row.reference.strip():
            return None
        item = SampleItem(question_id=row.row_id, discipline="", question_type=row.kind, prompt=row.question)
        answer = without_thinking(reply)
        ratings = [self._rate(judge, item, answer, row.reference) for judge in members(self._judge)]
        rating = ratings[0] if len(ratings) == 1 else vote([one.stars for one in ratings])
        fault = any(one.exchange is not None and _fault(one.exchange) for one in ratings)
        self._known[key] = rating.stars
        if self._journal is not None:
            self._journal.append(
                {
                    "event": "rating",
                    "id": row.row_id,
                    "key": key,
                    "judge": self._judge.name,
                    "judge_version": self._version,
                    "stars": rating.stars,
                    "reason": rating.reason,
                    "fault": fault,
                    "raw": [one.exchange.text for one in ratings if one.exchange is not None],
                }
            )
        return rating.stars

    def _rate(self, judge: Judge, item: SampleItem, answer: str, reference: str) -> Rating:
        tries, allowed = 0, judge.max_attempts
        while True:
            tries += 1
            rating = judge.rate(item, answer, reference, attempt=tries, request_id=f"check-{tries}")
            exchange = rating.exchange
            allowed += rating.reason == SCHEMA_REFUSED
            if exchange is not None and rating.reason != SCHEMA_REFUSED:
                stop_if_fatal(judge.name, exchange)
            failed = exchange is not None and exchange.state in TRANSIENT
            if tries >= allowed or not (failed or rating.reason in {MALFORMED, SCHEMA_REFUSED}):
                break
            if exchange is not None and failed:
                self._sleep(wait(exchange, tries, judge.backoff_seconds))
        self._faults = self._faults + 1 if exchange is not None and _fault(exchange) else 0
        if self._faults >= MAX_FAULTS_IN_A_ROW:
            raise ModelError(
                f"{judge.name}: {self._faults} replies in a row got no verdict; the last: {rating.detail}",
                remedy="see to the endpoint, then run the same command again",
                code="model_down",
            )
        return rating


def _fault(exchange: Reply) -> bool:
    """Whether the endpoint failed, and may do better later."""
    return exchange.state in FAULTS and not too_long(exchange)


def reply_key(question: str, reference: str, reply: str) -> str:
    """What a rating is kept under: the same for the same three texts."""
    return hashlib.sha256("\0".join((question, reference, reply)).encode()).hexdigest()


def chosen(rows: Sequence[Row], limit: int | None, seed: int) -> list[Row]:
    """As many rows as limit says, drawn with seed, in the order of the file; all without a limit."""
    if limit is None or limit >= len(rows):
        return list(rows)
    picked = set(random.Random(seed).sample(range(len(rows)), limit))  # noqa: S311 - a draw, not a secret
    return [row for number, row in enumerate(rows) if number in picked]


def attack(checker: Checker, rows: Sequence[Row], human: str, seed: int) -> Swayed:
    """Each planted attack on one reply that people found wrong, drawn with seed, against the plain reply."""
    wrong = [row for row in rows if (row.stars.get(human) or 0) <= 1 and row.reply and row.reference]
    if not wrong:
        return Swayed(0, 0, 0, 0, ())
    draw = random.Random(seed)  # noqa: S311
    raised: list[str] = []
    lowered = unscored = 0
    for planted in ATTACKS:
        row = draw.choice(wrong)
        before, after = checker.stars(row, row.reply), checker.stars(row, planted.plant(row.reply))
        if after is None:
            unscored += 1
        elif before is not None and after > before:
            raised.append(planted.kind)
        elif before is not None and after < before:
            lowered += 1
    return Swayed(len(ATTACKS), len(raised), lowered, unscored, tuple(raised))
