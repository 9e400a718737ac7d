"""The folder of an audit: what was planned, and one append-only journal for each model and what it does."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from evaluation.bias.prompts import NAMES, template_hash, version
from evaluation.bias.records import Prompt
from evaluation.bias.settings import AuditSettings
from evaluation.journal import Entry, Journal, write_whole
from evaluation.rundir import LOCK, MANIFEST, differences
from evaluation.signing import Chain, Signer, edited
from schemas.errors import ExamBankError, UsageError

FORMAT = 1
Stage = Literal["replies", "grades", "verdicts", "stars"]
STAGES: tuple[Stage, ...] = ("replies", "grades", "verdicts", "stars")


@dataclass(frozen=True)
class Plan:
    """What an audit was planned to be; nothing of it changes once it is written."""

    settings: AuditSettings
    prompts: tuple[Prompt, ...]
    allow_kin: bool
    signed: bool
    started_at: str

    @property
    def fixed(self) -> dict[str, Any]:
        """What must be the same for the audit to go on, as JSON values."""
        return {
            "settings": self.settings.model_dump(mode="json"),
            "prompts_sha256": _hash([one.model_dump(mode="json") for one in self.prompts]),
            "wordings": {"version": version(), **{name: template_hash(name) for name in NAMES}},
            "allow_kin": self.allow_kin,
            "signed": self.signed,
        }

    @property
    def audit(self) -> str:
        """A short name of the plan."""
        return _hash(self.fixed)[:12]


def write_plan(folder: Path, plan: Plan) -> Plan:
    """Write the plan into a new or empty folder, or check that it is the one there. Returns what stands.

    Raises UsageError where the folder holds another plan, or other things.
    """
    if (folder / MANIFEST).exists():
        stored = read_plan(folder)
        changed = differences(stored.fixed, plan.fixed)
        if changed:
            raise UsageError(
                f"{folder} was planned with other settings: " + "; ".join(changed[:5]),
                remedy="use the settings it was planned with, or name a new folder",
                code="audit_differs",
            )
        return stored
    folder.mkdir(parents=True, exist_ok=True)
    foreign = [path.name for path in folder.iterdir() if path.name not in {LOCK, MANIFEST + ".tmp"}]
    if foreign:
        raise UsageError(
            f"{folder} has no {MANIFEST} but holds {foreign[0]}",
            remedy="name a new or empty folder for the audit",
            code="audit_foreign",
        )
    content = {
        "format": FORMAT,
        "fixed": plan.fixed,
        "started_at": plan.started_at,
        "prompts": [one.model_dump(mode="json") for one in plan.prompts],
    }
    write_whole(folder / MANIFEST, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return plan


def read_plan(folder: Path) -> Plan:
    """The plan of an audit. UsageError where there is none, ExamBankError where it is damaged."""
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(
            f"{folder} is no audit: it has no {MANIFEST}",
            remedy="plan one with `exambank audit plan`",
            code="no_audit",
        ) from None
    except (OSError, ValueError, RecursionError):
        data = None
    try:
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError("another format")
        fixed = data["fixed"]
        if not isinstance(fixed["allow_kin"], bool) or not isinstance(fixed["signed"], bool):
            raise TypeError("neither yes nor no")
        if not isinstance(data["started_at"], str):
            raise TypeError("no time")
        plan = Plan(
            settings=AuditSettings.model_validate(fixed["settings"]),
            prompts=tuple(Prompt.model_validate(one) for one in data["prompts"]),
            allow_kin=fixed["allow_kin"],
            signed=fixed["signed"],
            started_at=data["started_at"],
        )
    except (KeyError, TypeError, ValueError, ValidationError):
        raise ExamBankError(
            f"{path} cannot be read, or is of another version",
            remedy="restore it from a copy, or plan the audit anew",
            code="audit_damaged",
        ) from None
    changed = [line for line in differences(fixed, plan.fixed) if not line.startswith("wordings.")]
    if changed:
        raise ExamBankError(
            f"{path} does not fit together: {changed[0]}",
            remedy="restore it from a copy, or plan the audit anew",
            code="audit_damaged",
        )
    return plan


def check_wordings(folder: Path) -> None:
    """Raise UsageError when the audit was planned with other wordings of the prompts than today's."""
    stored = json.loads((folder / MANIFEST).read_bytes())["fixed"]["wordings"]
    now = {"version": version(), **{name: template_hash(name) for name in NAMES}}
    if changed := differences(stored, now):
        raise UsageError(
            f"{folder} was planned with other prompts: " + "; ".join(changed),
            remedy="go on with the version of exambank that planned it, or plan a new audit",
            code="audit_differs",
        )


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other processes from working on the audit. UsageError `audit_locked` where one does."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(
            f"another process is at the audit in {folder}", remedy="wait for it", code="audit_locked"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot write in {folder}: {error.strerror}", remedy="see to the folder") from None
    try:
        yield
    finally:
        lock.release()


def journal_path(folder: Path, stage: Stage, names: Sequence[str], name: str) -> Path:
    """Where a model's journal is: its place in the list keeps apart what a file name cannot."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip(".-")[:60] or "model"
    return folder / stage / f"{names.index(name) + 1:02}-{plain}.jsonl"


def open_journal(folder: Path, path: Path, signer: Signer | None) -> Journal:
    """A journal of the audit for appending, its lines checked where the audit is signed."""
    path.parent.mkdir(exist_ok=True)
    return Journal(path, chain_of(folder, path, signer) if signer else None)


def entries(
    folder: Path, path: Path, signer: Signer | None = None, chain: Chain | None = None
) -> Iterator[Entry]:
    """The whole lines of a journal, one at a time; nothing where there is none.

    chain: the beginning of the journal's, to be followed; by default that of signer. A torn last line is
    left out. Raises ExamBankError `audit_damaged` for another one that cannot be read, `run_edited` for a
    line that is not as it was signed.
    """
    if not path.exists():
        return
    chain = chain or (chain_of(folder, path, signer) if signer else None)
    try:
        lines = path.open("rb")
    except OSError as error:
        raise ExamBankError(
            f"{path} cannot be read: {error.strerror}",
            remedy="see to the file, or restore the audit from a copy",
            code="audit_damaged",
        ) from None
    with lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            if chain is not None and not chain.check(line[:-1]):
                raise edited(f"{path}: line {number} is not as it was written")
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                entry = None
            if not isinstance(entry, dict) or not isinstance(entry.get("event"), str):
                raise damaged(path, number)
            yield entry


def damaged(path: Path, number: int, why: str = "") -> ExamBankError:
    """What is raised for a line of a journal that holds nothing an audit writes."""
    return ExamBankError(
        f"{path}: line {number} cannot be read" + (f": {why}" if why else ""),
        remedy="restore the audit from a copy, or plan it anew",
        code="audit_damaged",
    )


def chain_of(folder: Path, path: Path, signer: Signer) -> Chain:
    """The beginning of a journal's chain: it holds for this plan and this journal alone."""
    return signer.chain((folder / MANIFEST).read_bytes(), path.relative_to(folder).as_posix())


def _hash(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
