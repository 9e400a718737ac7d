"""A run directory: manifest, exchange and verdict journals, one process at a time, and reading it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evaluation.journal import Entry, Journal, check_chain, parse, write_whole
from evaluation.signing import Chain, Signer, edited, read_seal, seal
from schemas.errors import ExamBankError, UsageError
from schemas.evaluation import Reply, Verdict

FORMAT = 1
MANIFEST, EXCHANGE, VERDICTS, LOCK = "manifest.json", "exchange.jsonl", "verdicts.jsonl", "run.lock"


@dataclass
class Tally:
    """What an endpoint was sent and gave back over all sessions; tokens as the endpoint counted them."""

    requests: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0

    def count(self, sent: int | None, received: int | None) -> None:
        """One request more."""
        self.requests += 1
        self.prompt_tokens += sent or 0
        self.reply_tokens += received or 0


@dataclass
class Uses:
    """What the model and, by name, the judges of a run were sent and gave back."""

    model: Tally = field(default_factory=Tally)
    judges: dict[str, Tally] = field(default_factory=dict)


@dataclass
class RunRecord:
    """What a run directory says. Dictionaries are by question id; replies and verdicts are the last.

    votes are the verdicts of a panel's judges, by judge and then by question.
    """

    manifest: dict[str, Any]
    replies: dict[str, Reply] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    votes: dict[str, dict[str, Verdict]] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    in_flight: dict[str, str] = field(default_factory=dict)
    repeats: list[str] = field(default_factory=list)
    sessions: int = 0
    model_ids: set[str] = field(default_factory=set)
    judge_ids: set[str] = field(default_factory=set)
    torn_lines: int = 0
    uses: Uses = field(default_factory=Uses)
    _alike: dict[tuple[str, int | None, str], Verdict] = field(default_factory=dict)

    @property
    def disciplines(self) -> dict[str, str]:
        """Discipline code by question id, in the order asked."""
        return {q["question_id"]: q["discipline"] for q in self.manifest["questions"]}

    def take_exchange(self, entry: Entry) -> None:
        """Count one line of the exchange journal in."""
        if entry["event"] == "session":
            self.sessions += 1
        elif entry["event"] == "asked":
            question = entry["question_id"]
            self.attempts[question] = entry["attempt"]
            self.in_flight[question] = entry["request_id"]
            if entry["repeat_of"]:
                self.repeats.append(question)
                self.uses.model.requests += 1  # of the one that was killed in flight nothing else is known
        elif entry["event"] == "reply":
            reply = Reply.model_validate(entry["reply"])
            self.replies[reply.question_id] = reply
            self.in_flight.pop(reply.question_id, None)
            self.uses.model.count(reply.prompt_tokens, reply.completion_tokens)
            if reply.model:
                self.model_ids.add(reply.model)

    def settled(self, question_id: str) -> None:
        """Let go of what a settled question needs no more: its texts, which are on disk.

        What is left of a verdict is what a score needs, one object for all that are alike: a run of
        any length keeps to the memory it began with.
        """
        self.attempts.pop(question_id, None)
        self.replies.pop(question_id, None)
        for verdicts in (self.verdicts, *self.votes.values()):
            if (verdict := verdicts.get(question_id)) is not None:
                kind = (verdict.judge, verdict.stars, verdict.reason)
                if kind not in self._alike:
                    self._alike[kind] = verdict.model_copy(update={"raw": "", "question_id": "", "at": ""})
                verdicts[question_id] = self._alike[kind]

    def take_verdict(self, entry: Entry) -> None:
        """Count one line of the verdict journal in."""
        exchange = entry["exchange"]
        verdict = Verdict.model_validate(entry["verdict"])
        if exchange:
            own = self.uses.judges.setdefault(verdict.judge, Tally())
            own.count(exchange["prompt_tokens"], exchange["completion_tokens"])
            if exchange["model"]:
                self.judge_ids.add(exchange["model"])
        if entry["final"] and entry.get("vote"):
            self.votes.setdefault(verdict.judge, {})[verdict.question_id] = verdict
        elif entry["final"]:
            self.verdicts[verdict.question_id] = verdict


@dataclass
class OpenRun:
    """A run directory held by this process."""

    record: RunRecord
    exchange: Journal
    verdicts: Journal

    def log_exchange(self, entry: Entry) -> None:
        """Store one line of the exchange, then count it in."""
        self.exchange.append(entry)
        self.record.take_exchange(entry)

    def log_verdict(self, entry: Entry) -> None:
        """Store one line of the verdicts, then count it in."""
        self.verdicts.append(entry)
        self.record.take_verdict(entry)


@contextmanager
def open_run(
    run_dir: Path,
    manifest: Mapping[str, Any],
    signer: Signer | None = None,
    replies: Sequence[Entry] = (),
) -> Iterator[OpenRun]:
    """Start the run directory with manifest, or go on with it when it was started with the same.

    Only manifest["fixed"] has to be equal. signer signs the logs, and checks what is there; replies
    are the lines of another run's exchange, with which a new one begins.

    Raises UsageError `run_differs` naming the differences, `run_locked` when another process is at
    it, `run_foreign` when the folder holds something else; ExamBankError `run_edited`.
    """
    from filelock import FileLock, Timeout

    try:
        run_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot use {run_dir}: {error.strerror}", remedy="name another folder") from None
    lock = FileLock(run_dir / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(
            f"another process is at the run in {run_dir}",
            remedy="wait for it, or name another run directory",
            code="run_locked",
        ) from None
    except OSError as error:
        raise UsageError(
            f"cannot write in {run_dir}: {error.strerror}", remedy="name another folder"
        ) from None
    try:
        record = RunRecord(_start(run_dir, manifest))
        chains = chains_of(run_dir, signer)
        with (
            Journal(run_dir / EXCHANGE, chains.get(EXCHANGE)) as exchange,
            Journal(run_dir / VERDICTS, chains.get(VERDICTS)) as verdicts,
        ):
            if signer is not None:
                check_seal(run_dir, signer)
            for entry in replies[len(exchange.entries) :]:
                exchange.append(entry)
                exchange.entries.append(entry)
            _replay(record, exchange.entries, verdicts.entries, run_dir)
            exchange.entries, verdicts.entries = [], []
            yield OpenRun(record, exchange, verdicts)
    finally:
        lock.release()


def chains_of(run_dir: Path, signer: Signer | None) -> dict[str, Chain]:
    """The beginnings of the logs' chains, by name; none without a signer."""
    if signer is None:
        return {}
    manifest = (run_dir / MANIFEST).read_bytes()
    return {name: signer.chain(manifest, name) for name in (EXCHANGE, VERDICTS)}


def check_seal(run_dir: Path, signer: Signer) -> dict[str, Any] | None:
    """The seal, after a look whether each log still holds the line it was sealed at; None without one.

    The logs may have grown since. Raises ExamBankError `run_edited`.
    """
    sealed = read_seal(run_dir, signer)
    for name, end in (sealed or {}).get("logs", {}).items():
        path = run_dir / name
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        at = end["lines"]
        if len(lines) < at or (at and f'"mac":"{end["mac"]}"}}'.encode() not in lines[at - 1]):
            raise edited(f"{path} is not as it was sealed: lines are missing at its end")
    return sealed


def seal_run(run_dir: Path, signer: Signer, at: str) -> None:
    """Seal a run as it is now. Raises ExamBankError `run_edited` where a log is not as it was signed."""
    ends = {}
    for name, chain in chains_of(run_dir, signer).items():
        path = run_dir / name
        data = path.read_bytes() if path.exists() else b""
        check_chain(data[: parse(data, path)[1]], chain, path)
        ends[name] = (chain.lines, chain.code)
    seal(run_dir, signer, ends, at)


def read_entries(run_dir: Path, name: str) -> list[Entry]:
    """The whole lines of a log, without their codes."""
    path = run_dir / name
    data = path.read_bytes() if path.exists() else b""
    return [{k: v for k, v in one.items() if k != "mac"} for one in parse(data, path)[0]]


def read_record(run_dir: Path) -> RunRecord:
    """What a run directory says, read without changing it. Raises UsageError when it is none."""
    record = RunRecord(_read_manifest(run_dir))
    parts: dict[str, list[Entry]] = {}
    for name in (EXCHANGE, VERDICTS):
        path = run_dir / name
        data = path.read_bytes() if path.exists() else b""
        entries, good = parse(data, path)
        torn = path.with_name(name + ".torn")
        record.torn_lines += (good < len(data)) + (torn.read_bytes().count(b"\n") if torn.exists() else 0)
        parts[name] = entries
    _replay(record, parts[EXCHANGE], parts[VERDICTS], run_dir)
    return record


def differences(before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = "") -> list[str]:
    """One line for every value that is not the same, 'model.temperature: 0.0 in the run, 0.7 now'."""
    lines = []
    for key in sorted({*before, *now}):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            lines += differences(old, new, f"{prefix}{key}.")
        elif old != new:
            lines.append(f"{prefix}{key}: {str(old)[:80]} in the run, {str(new)[:80]} now")
    return lines


def _start(run_dir: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    if (run_dir / MANIFEST).exists():
        stored = _read_manifest(run_dir)
        changed = differences(stored["fixed"], manifest["fixed"])
        if changed:
            raise UsageError(
                f"{run_dir} was started with other settings: " + "; ".join(changed),
                remedy="use the settings it was started with, or name a new run directory",
                code="run_differs",
            )
        return stored
    foreign: Sequence[Path] = [
        path for path in run_dir.iterdir() if path.name not in {LOCK, MANIFEST + ".tmp"}
    ]
    if foreign:
        raise UsageError(
            f"{run_dir} has no {MANIFEST} but holds {foreign[0].name}",
            remedy="name a new or empty folder for the run",
            code="run_foreign",
        )
    write_whole(run_dir / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    return dict(manifest)


def _read_manifest(run_dir: Path) -> dict[str, Any]:
    path = run_dir / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"{run_dir} is no run directory: it has no {MANIFEST}",
            remedy="name the folder that `exambank evaluate` wrote",
            code="run_foreign",
        ) from None
    except (OSError, ValueError):
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ExamBankError(
            f"{path} cannot be read, or is of another version",
            remedy="restore it from a copy, or start a new run",
            code="run_damaged",
        )
    return data


def _replay(record: RunRecord, exchange: list[Entry], verdicts: list[Entry], run_dir: Path) -> None:
    try:
        for entry in exchange:
            record.take_exchange(entry)
        for entry in verdicts:
            record.take_verdict(entry)
    except (KeyError, TypeError, ValidationError) as error:
        raise ExamBankError(
            f"the journals of {run_dir} hold a line of another form ({type(error).__name__})",
            remedy="use the version of exambank that started the run",
            code="run_damaged",
        ) from None
