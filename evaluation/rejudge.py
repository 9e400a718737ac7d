"""Judging a run's replies again: another judge, a folder of its own, and the model is not asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.journal import Entry, check_chain, parse
from evaluation.models import Identity
from evaluation.rundir import EXCHANGE, MANIFEST, chains_of, read_entries, read_record
from evaluation.signing import Signer
from schemas.errors import UsageError
from schemas.evaluation import Reply, ReplyState, SampleItem


class StoredModel:
    """The model of an earlier run, known by what it answered then."""

    max_attempts = 1
    backoff_seconds = 0.0

    def __init__(self, manifest: dict[str, Any]) -> None:
        """manifest: that of the earlier run."""
        self._identity: Identity = manifest["fixed"]["model"]
        self.name = str(self._identity["name"])
        self.family = str(manifest.get("families", {}).get(self.name, ""))
        self.publishable = bool(manifest.get("model_publishable", manifest["publishable"]))

    def identity(self) -> Identity:
        """That of the earlier run."""
        return self._identity

    def request(self, item: SampleItem) -> dict[str, Any]:
        """Nothing is sent."""
        return {}

    def reply(self, item: SampleItem, *, attempt: int, request_id: str) -> Reply:
        """No reply: the run never asks this model."""
        return Reply(question_id=item.question_id, attempt=attempt, state=ReplyState.EMPTY)


@dataclass(frozen=True)
class Source:
    """An earlier run as the source of replies."""

    model: StoredModel
    about: dict[str, str]
    entries: list[Entry]
    hashes: dict[str, str]


def read_source(run_dir: Path, out: Path, signer: Signer | None = None) -> Source:
    """The replies of the run in run_dir, to be judged again in out.

    UsageError where that cannot be; with signer, ExamBankError `run_edited` for replies that are not
    as they were written.
    """
    if run_dir.resolve() == out.resolve():
        raise UsageError(
            f"{run_dir} holds the verdicts of another judge: two judges never share a folder",
            remedy="name another folder for the new verdicts",
            code="judge_apart",
        )
    record = read_record(run_dir)
    if signer is not None and record.manifest["fixed"].get("signed"):
        data = (run_dir / EXCHANGE).read_bytes()
        check_chain(data[: parse(data, run_dir)[1]], chains_of(run_dir, signer)[EXCHANGE], run_dir / EXCHANGE)
    fixed = record.manifest["fixed"]
    about = {
        "exchange_sha256": hashlib.sha256((run_dir / EXCHANGE).read_bytes()).hexdigest(),
        "manifest_sha256": hashlib.sha256((run_dir / MANIFEST).read_bytes()).hexdigest(),
    }
    hashes = {name: fixed[name] for name in ("items_sha256", "references_sha256")}
    return Source(StoredModel(record.manifest), about, read_entries(run_dir, EXCHANGE), hashes)


def check_source(source: Source, fixed: dict[str, Any]) -> None:
    """Raise UsageError when the sample or the references are not those the replies were given to."""
    for name, said in source.hashes.items():
        if fixed[name] != said:
            what = "questions" if name == "items_sha256" else "reference answers"
            raise UsageError(
                f"the {what} given are not those of the run whose replies are to be judged",
                remedy="give the sample and the bank of that run",
                code="other_sample",
            )
