"""One run: each question asked once, in order, stored before the next; resumable at any moment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evaluation.judge import MALFORMED, Judge, Rating, judged_text, refuse_self_judge
from evaluation.models import Model
from evaluation.rundir import FORMAT, OpenRun, RunRecord, open_run
from evaluation.scoring import score
from schemas.errors import ModelError, UsageError
from schemas.evaluation import Manifest, Reply, ReplyState, SampleItem, Score, Verdict

MAX_FAULTS_IN_A_ROW = 10
MAX_WAIT_SECONDS = 600.0
MAX_BACKOFF_SECONDS = 60.0
NO_REFERENCE = "no_reference"

# Worth another attempt: nothing of an answer came, and the next time it may.
_TRANSIENT = {ReplyState.RATE_LIMITED, ReplyState.TIMEOUT, ReplyState.SERVER_ERROR, ReplyState.EMPTY}
# The endpoint's faults: a later session asks these questions again.
_FAULTS = {
    ReplyState.RATE_LIMITED,
    ReplyState.TIMEOUT,
    ReplyState.SERVER_ERROR,
    ReplyState.CLIENT_ERROR,
}
# The model did answer; what it said is final, also where it cannot be judged.
_ANSWERED = {ReplyState.OK, ReplyState.TRUNCATED, ReplyState.REFUSED}
_SETTLED_REASONS = {"empty", "truncated", "refused", NO_REFERENCE}
# A client error with one of these will meet every question: 429 stands for a spent quota here.
_FATAL_STATUS = {
    401: "check the key",
    402: "the account has no credit left",
    403: "check what the key may do",
    404: "check the model's name and base_url",
    429: "the account's quota is spent",
}


@dataclass(frozen=True)
class Progress:
    """One question is done: how many of how many, and its stars or the reason it has none."""

    done: int
    total: int
    question_id: str
    stars: int | None
    reason: str


def run(
    sample_items: Iterable[SampleItem],
    references: Mapping[str, str],
    model: Model,
    judge: Judge,
    run_dir: Path,
    *,
    now: Callable[[], datetime],
    sleep: Callable[[float], None],
    progress: Callable[[Progress], None] | None = None,
    sample: Manifest | None = None,
    baseline: Score | None = None,
    allow_self_judge: bool = False,
) -> Score:
    """Ask every question of the sample, have every answer judged, and return the score.

    references gives the reference answer by question id. run_dir is made, or gone on with when it
    was started with the same sample, references, model and judge. now gives an aware time, sleep
    waits for seconds; sample is the manifest of the draw, kept for the record; baseline is the
    score the relative one is taken against.

    Raises UsageError for inputs that do not fit, ModelError when the endpoint cannot be used (no
    right, no such model, MAX_FAULTS_IN_A_ROW questions without an answer): the run can be resumed.
    """
    items = tuple(sample_items)
    _check_items(items, sample)
    if not allow_self_judge:
        refuse_self_judge(model.name, judge.name)
    manifest = _manifest(items, references, model, judge, sample, _stamp(now))
    with open_run(run_dir, manifest) as directory:
        session = _Session(directory, references, model, judge, now, sleep, allow_self_judge)
        session.start()
        for number, item in enumerate(items, start=1):
            verdict = session.settle(item)
            if progress is not None:
                progress(Progress(number, len(items), item.question_id, verdict.stars, verdict.reason))
        return score_record(directory.record, baseline)


def score_record(record: RunRecord, baseline: Score | None = None) -> Score:
    """The score of a run directory's record, over all its sessions; see scoring.score."""
    fixed = record.manifest["fixed"]
    return score(
        record.disciplines,
        record.verdicts,
        model=fixed["model"]["name"],
        judge=fixed["judge"]["name"],
        prompt_hash=fixed["judge"].get("prompt_sha256", ""),
        publishable=record.manifest["publishable"] and not _self_judged(record),
        baseline=baseline,
    )


class _Session:
    """One process's work on a run."""

    def __init__(
        self,
        directory: OpenRun,
        references: Mapping[str, str],
        model: Model,
        judge: Judge,
        now: Callable[[], datetime],
        sleep: Callable[[float], None],
        allow_self_judge: bool,
    ) -> None:
        self.directory, self.record = directory, directory.record
        self.references, self.model, self.judge = references, model, judge
        self.now, self.sleep, self.allow_self_judge = now, sleep, allow_self_judge
        self.requests = self.faults = 0

    def start(self) -> None:
        """Note in the exchange that a session began, and with which software."""
        entry = {
            "event": "session",
            "session": self.record.sessions + 1,
            "software": _software(),
            "model_max_attempts": self.model.max_attempts,
            "judge_max_attempts": self.judge.max_attempts,
            "torn_bytes": self.directory.exchange.torn + self.directory.verdicts.torn,
            "at": _stamp(self.now),
        }
        self.directory.log_exchange(entry)

    def settle(self, item: SampleItem) -> Verdict:
        """The final verdict on item: from the record, or by asking and judging now."""
        known = self.record.verdicts.get(item.question_id)
        if known is not None and (known.stars is not None or known.reason in _SETTLED_REASONS):
            return known
        reference = self.references.get(item.question_id, "")
        if not reference.strip():
            return self._close(item, Rating(None, NO_REFERENCE))
        reply = self.record.replies.get(item.question_id)
        if reply is None or reply.state not in _ANSWERED:
            reply = self._ask(item)
        if reply.state is not ReplyState.OK:
            self._count_fault(reply.state in _FAULTS, self.model.name, reply.error)
            return self._close(item, Rating(None, reply.state.value, reply.error))
        return self._judge(item, judged_text(reply), reference)

    def _ask(self, item: SampleItem) -> Reply:
        for tries in range(1, self.model.max_attempts + 1):
            reply = self._ask_once(item)
            _stop_if_fatal(self.model.name, reply)
            if not self.allow_self_judge and reply.model:
                refuse_self_judge(reply.model, self.judge.name)
            if reply.state not in _TRANSIENT:
                break
            if tries < self.model.max_attempts:
                self.sleep(_wait(reply, tries, self.model.backoff_seconds))
        return reply

    def _ask_once(self, item: SampleItem) -> Reply:
        question, request_id = item.question_id, self._request_id()
        attempt = self.record.attempts.get(question, 0) + 1
        asked = {
            "event": "asked",
            "request_id": request_id,
            "question_id": question,
            "attempt": attempt,
            # A request without a stored reply: the process was killed while it was in flight.
            "repeat_of": self.record.in_flight.get(question, ""),
            "at": _stamp(self.now),
        }
        self.directory.log_exchange(asked)
        reply = self.model.reply(item, attempt=attempt, request_id=request_id)
        reply = reply.model_copy(update={"at": _stamp(self.now)})
        entry = {"event": "reply", "request_id": request_id, "reply": reply.model_dump(mode="json")}
        self.directory.log_exchange(entry)
        return reply

    def _judge(self, item: SampleItem, answer: str, reference: str) -> Verdict:
        for tries in range(1, self.judge.max_attempts + 1):
            request_id = self._request_id()
            rating = self.judge.rate(item, answer, reference, attempt=tries, request_id=request_id)
            exchange = rating.exchange
            again = rating.reason == MALFORMED or (exchange is not None and exchange.state in _TRANSIENT)
            last = tries == self.judge.max_attempts or not again
            verdict = self._store(item, rating, request_id, tries, final=last)
            if exchange is not None:
                _stop_if_fatal(self.judge.name, exchange)
                if not self.allow_self_judge and exchange.model:
                    refuse_self_judge(self.model.name, exchange.model)
            if last:
                break
            if exchange is not None and exchange.state in _TRANSIENT:
                self.sleep(_wait(exchange, tries, self.judge.backoff_seconds))
        fault = exchange is not None and exchange.state in _FAULTS
        self._count_fault(fault, self.judge.name, rating.detail)
        return verdict

    def _close(self, item: SampleItem, rating: Rating) -> Verdict:
        return self._store(item, rating, "", 0, final=True)

    def _store(
        self, item: SampleItem, rating: Rating, request_id: str, attempt: int, *, final: bool
    ) -> Verdict:
        exchange = rating.exchange
        verdict = Verdict(
            question_id=item.question_id,
            stars=rating.stars,
            reason=rating.reason,
            raw=exchange.text if exchange is not None else "",
            judge=self.judge.name,
            prompt_hash=self.judge.prompt_hash,
            at=_stamp(self.now),
        )
        entry = {
            "event": "verdict",
            "request_id": request_id,
            "attempt": attempt,
            "final": final,
            "detail": rating.detail,
            "neutralised": rating.neutralised,
            "verdict": verdict.model_dump(mode="json"),
            # The text is in the verdict already.
            "exchange": exchange.model_dump(mode="json", exclude={"text"}) if exchange else None,
        }
        self.directory.log_verdict(entry)
        return verdict

    def _request_id(self) -> str:
        self.requests += 1
        return f"{self.record.sessions}-{self.requests:06d}"

    def _count_fault(self, fault: bool, name: str, error: str) -> None:
        """Stop a run whose endpoint is down, before every question is spent on it."""
        self.faults = self.faults + 1 if fault else 0
        if self.faults >= MAX_FAULTS_IN_A_ROW:
            raise ModelError(
                f"{name}: {self.faults} questions in a row got no answer; the last: {error}",
                remedy="see to the endpoint, then run the same command again: it goes on where it stopped",
                code="model_down",
            )


def _stop_if_fatal(name: str, reply: Reply) -> None:
    if reply.state is ReplyState.CLIENT_ERROR and reply.http_status in _FATAL_STATUS:
        remedy = _FATAL_STATUS[reply.http_status]
        raise ModelError(
            f"{name}: {reply.error}",
            remedy=f"{remedy}, then run the same command again: it goes on where it stopped",
            code="model_denied",
        )


def _wait(reply: Reply, tries: int, backoff: float) -> float:
    """Seconds before the next attempt: what the server asked for, or a doubling wait."""
    if reply.retry_after_seconds is not None:
        return min(reply.retry_after_seconds, MAX_WAIT_SECONDS)
    return float(min(backoff * 2 ** min(tries - 1, 30), MAX_BACKOFF_SECONDS))


def _self_judged(record: RunRecord) -> bool:
    fixed = record.manifest["fixed"]
    try:
        for one in {fixed["model"]["name"], *record.model_ids}:
            for other in {fixed["judge"]["name"], *record.judge_ids}:
                refuse_self_judge(one, other)
    except ModelError:
        return True
    return False


def _check_items(items: tuple[SampleItem, ...], sample: Manifest | None) -> None:
    ids = [item.question_id for item in items]
    if not ids:
        raise UsageError("the sample holds no question", remedy="draw one with `exambank sample`")
    if len(set(ids)) < len(ids):
        twice = next(q for q in ids if ids.count(q) > 1)
        raise UsageError(f"the sample asks {twice} twice", remedy="draw it anew with `exambank sample`")
    if sample is not None and sample.ids and set(sample.ids) != set(ids):
        raise UsageError(
            "the sample's questions are not those of its manifest", remedy="use the two files of one draw"
        )


def _manifest(
    items: tuple[SampleItem, ...],
    references: Mapping[str, str],
    model: Model,
    judge: Judge,
    sample: Manifest | None,
    at: str,
) -> dict[str, Any]:
    """The manifest: `fixed` is what a resumed run must share; nothing in it is secret."""
    keys = [references.get(item.question_id, "") for item in items]
    return {
        "format": FORMAT,
        "fixed": {
            "items_sha256": _sha256([item.model_dump(mode="json") for item in items]),
            "references_sha256": _sha256(keys),
            "sample_sha256": _sha256(sample.model_dump(mode="json")) if sample is not None else "",
            "model": model.identity(),
            "judge": judge.identity(),
        },
        "publishable": model.publishable and judge.publishable,
        "software": _software(),
        "started_at": at,
        "sample": sample.model_dump(mode="json", exclude={"ids"}) if sample is not None else None,
        "questions": [{"question_id": i.question_id, "discipline": i.discipline} for i in items],
    }


def _sha256(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _software() -> str:
    try:
        return f"exambank {version('exambank')}"
    except PackageNotFoundError:
        return "exambank (not installed)"


def _stamp(now: Callable[[], datetime]) -> str:
    return now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
