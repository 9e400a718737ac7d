"""One run: each question asked once, in order, stored before the next; resumable at any moment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evaluation.attempts import (
    ANSWERED,
    FAULTS,
    MAX_FAULTS_IN_A_ROW,
    NO_REFERENCE,
    SETTLED_REASONS,
    TRANSIENT,
    stop_if_fatal,
    wait,
)
from evaluation.design import design_of
from evaluation.families import plain, refuse_kin
from evaluation.judge import (
    MALFORMED,
    SCHEMA_REFUSED,
    Judge,
    Panel,
    Rating,
    judge_version,
    judged_text,
    kin,
    members,
    vote,
)
from evaluation.models import Model
from evaluation.rejudge import Source, check_source
from evaluation.rundir import FORMAT, OpenRun, RunRecord, Uses, open_run
from evaluation.scoring import NOT_ASKED, score
from evaluation.signing import Signer
from schemas.errors import ModelError, UsageError
from schemas.evaluation import Manifest, Reply, ReplyState, SampleItem, Score, Verdict


@dataclass(frozen=True)
class Progress:
    """One question is done: how many of how many, and its stars or the reason it has none.

    fresh is False where an earlier session had settled it; uses is what the run has taken so far.
    """

    done: int
    total: int
    question_id: str
    stars: int | None
    reason: str
    fresh: bool
    uses: Uses


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
    signer: Signer | None = None,
    source: Source | None = None,
) -> Score:
    """Ask every question of the sample, have every answer judged, and return the score.

    references gives the reference answer by question id. run_dir is made, or gone on with when it
    was started with the same sample, references, model and judge. now gives an aware time, sleep
    waits for seconds; sample is the manifest of the draw, kept for the record; baseline is the
    score the relative one is taken against. signer signs the logs. source is a finished run whose
    replies are judged again: nothing is asked, and what it left unanswered stays so.

    Raises UsageError for inputs that do not fit, ModelError when the endpoint cannot be used (no
    right, no such model, MAX_FAULTS_IN_A_ROW questions without an answer): the run can be resumed.
    """
    items = tuple(sample_items)
    _check_items(items, sample)
    if not allow_self_judge:
        refuse_kin(kin(model), kin(judge))
    manifest = _manifest(items, references, model, judge, sample, _stamp(now))
    if source is not None:
        check_source(source, manifest["fixed"])
        manifest["fixed"]["replies_from"] = source.about
    if signer is not None:
        manifest["fixed"]["signed"] = True
    with open_run(run_dir, manifest, signer, source.entries if source else ()) as directory:
        if baseline is not None:
            score_record(directory.record, baseline)  # one that does not fit is told before anything is sent
        session = _Session(directory, references, model, judge, now, sleep, allow_self_judge)
        session.asks = source is None
        session.start()
        for number, item in enumerate(items, start=1):
            known = directory.record.verdicts.get(item.question_id)
            verdict = session.settle(item)
            directory.record.settled(item.question_id)
            if progress is not None:
                said = (item.question_id, verdict.stars, verdict.reason)
                progress(Progress(number, len(items), *said, verdict is not known, directory.record.uses))
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
        judge_version=judge_version(fixed["judge"]),
        design=design_of(record.manifest),
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
        self.asks = True

    def start(self) -> None:
        """Note in the exchange that a session began, and with which software."""
        entry = {
            "event": "session",
            "session": self.record.sessions + 1,
            "software": _software(),
            "model_max_attempts": self.model.max_attempts,
            "judge_max_attempts": [one.max_attempts for one in members(self.judge)],
            "torn_bytes": self.directory.exchange.torn + self.directory.verdicts.torn,
            "at": _stamp(self.now),
        }
        self.directory.log_exchange(entry)

    def settle(self, item: SampleItem) -> Verdict:
        """The final verdict on item: from the record, or by asking and judging now."""
        known = self.record.verdicts.get(item.question_id)
        if known is not None and (known.stars is not None or known.reason in SETTLED_REASONS):
            return known
        reference = self.references.get(item.question_id, "")
        if not reference.strip():
            return self._close(item, Rating(None, NO_REFERENCE))
        reply = self.record.replies.get(item.question_id)
        if not self.asks and (reply is None or reply.state is not ReplyState.OK):
            return self._close(item, Rating(None, reply.state.value if reply else NOT_ASKED))
        if reply is None or reply.state not in ANSWERED:
            reply = self._ask(item)
        if reply.state is not ReplyState.OK:
            self._count_fault(reply.state in FAULTS, self.model.name, reply.error)
            return self._close(item, Rating(None, reply.state.value, reply.error))
        return self._judge(item, judged_text(reply), reference)

    def _ask(self, item: SampleItem) -> Reply:
        for tries in range(1, self.model.max_attempts + 1):
            reply = self._ask_once(item)
            stop_if_fatal(self.model.name, reply)
            if not self.allow_self_judge and reply.model:
                refuse_kin(kin(self.model, [reply.model])[1:], kin(self.judge))
            if reply.state not in TRANSIENT:
                break
            if tries < self.model.max_attempts:
                self.sleep(wait(reply, tries, self.model.backoff_seconds))
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
            "sent": self.model.request(item),
            "at": _stamp(self.now),
        }
        self.directory.log_exchange(asked)
        reply = self.model.reply(item, attempt=attempt, request_id=request_id)
        reply = reply.model_copy(update={"at": _stamp(self.now)})
        entry = {"event": "reply", "request_id": request_id, "reply": reply.model_dump(mode="json")}
        self.directory.log_exchange(entry)
        return reply

    def _judge(self, item: SampleItem, answer: str, reference: str) -> Verdict:
        if not isinstance(self.judge, Panel):
            return self._rate(self.judge, item, answer, reference, vote=False)
        for member in self.judge.members:
            known = self.record.votes.get(member.name, {}).get(item.question_id)
            if known is None or known.stars is None:
                self._rate(member, item, answer, reference, vote=True)
        votes = [self.record.votes[one.name][item.question_id].stars for one in self.judge.members]
        return self._close(item, vote(votes))

    def _rate(self, judge: Judge, item: SampleItem, answer: str, reference: str, *, vote: bool) -> Verdict:
        """The verdict of one judge, asked as often as it is worth; vote: it is one of a panel's."""
        tries, allowed = 0, judge.max_attempts
        while True:
            tries += 1
            request_id = self._request_id()
            rating = judge.rate(item, answer, reference, attempt=tries, request_id=request_id)
            exchange = rating.exchange
            without_schema = rating.reason == SCHEMA_REFUSED
            allowed += without_schema  # what was asked in a form the endpoint does not know was not asked
            failed = exchange is not None and exchange.state in TRANSIENT
            last = tries >= allowed or not (without_schema or failed or rating.reason == MALFORMED)
            verdict = self._store(item, rating, request_id, tries, judge=judge, final=last, vote=vote)
            if exchange is not None and not without_schema:
                stop_if_fatal(judge.name, exchange)
            if exchange is not None and exchange.model and not self.allow_self_judge:
                refuse_kin(kin(self.model), kin(judge, [exchange.model])[1:])
            if last:
                break
            if exchange is not None and failed and not without_schema:
                self.sleep(wait(exchange, tries, judge.backoff_seconds))
        self._count_fault(exchange is not None and exchange.state in FAULTS, judge.name, rating.detail)
        return verdict

    def _close(self, item: SampleItem, rating: Rating) -> Verdict:
        return self._store(item, rating, "", 0, judge=self.judge, final=True, vote=False)

    def _store(
        self,
        item: SampleItem,
        rating: Rating,
        request_id: str,
        attempt: int,
        *,
        judge: Judge,
        final: bool,
        vote: bool,
    ) -> Verdict:
        exchange = rating.exchange
        verdict = Verdict(
            question_id=item.question_id,
            stars=rating.stars,
            reason=rating.reason,
            raw=exchange.text if exchange is not None else "",
            judge=judge.name,
            prompt_hash=judge.prompt_hash,
            at=_stamp(self.now),
        )
        entry = {
            "event": "verdict",
            "request_id": request_id,
            "attempt": attempt,
            "final": final,
            "vote": vote,
            "by_schema": rating.by_schema,
            "detail": rating.detail,
            "neutralised": rating.neutralised,
            "verdict": verdict.model_dump(mode="json"),
            "sent": rating.sent,
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


def _self_judged(record: RunRecord) -> bool:
    fixed = record.manifest["fixed"]
    named = record.manifest.get("families", {})
    try:
        refuse_kin(
            _kin_of([fixed["model"]], record.model_ids, named),
            _kin_of(fixed["judge"].get("members", [fixed["judge"]]), record.judge_ids, named),
        )
    except ModelError:
        return True
    return False


def _kin_of(
    identities: Iterable[Mapping[str, Any]], ids: Iterable[str], named: Mapping[str, str]
) -> list[tuple[str, str]]:
    known = {plain(one["name"]): named.get(one["name"], "") for one in identities}
    return [*known.items(), *((name, known.get(plain(name), "")) for name in ids)]


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
    return {
        "format": FORMAT,
        "fixed": {
            "items_sha256": items_hash(items),
            "references_sha256": references_hash(references, [i.question_id for i in items]),
            "sample_sha256": _sha256(sample.model_dump(mode="json")) if sample is not None else "",
            "model": model.identity(),
            "judge": judge.identity(),
        },
        "publishable": model.publishable and judge.publishable,
        "model_publishable": model.publishable,
        "judge_version": judge_version(judge.identity()),
        "families": {name: family for name, family in kin(model) + kin(judge) if family},
        "software": _software(),
        "started_at": at,
        "sample": sample.model_dump(mode="json", exclude={"ids"}) if sample is not None else None,
        "questions": [
            i.model_dump(include={"question_id", "discipline", "question_type", "language"}) for i in items
        ],
    }


def items_hash(items: Sequence[SampleItem]) -> str:
    """The hash a manifest keeps of what is asked, in order."""
    return _sha256([item.model_dump(mode="json") for item in items])


def references_hash(references: Mapping[str, str], question_ids: Sequence[str]) -> str:
    """The hash a manifest keeps of the reference answers, in the order of the questions."""
    return _sha256([references.get(question, "") for question in question_ids])


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
