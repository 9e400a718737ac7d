"""The seal of an audit: its plan, journals and report as they were when the report was made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from evaluation.bias.folder import STAGES, Plan, chain_of, entries, journal_path, read_plan
from evaluation.rundir import MANIFEST
from evaluation.signing import SEAL, Signer, edited, read_seal, seal
from schemas.errors import UsageError

REPORT, PAGE = "audit.json", "audit.html"
SEALED_FILES = (MANIFEST, REPORT, PAGE)

Seal = Literal["sealed", "not_checked", "not_sealed"]
SEALED: Seal = "sealed"
NOT_CHECKED: Seal = "not_checked"
NOT_SEALED: Seal = "not_sealed"


def seal_audit(folder: Path, plan: Plan, signer: Signer, at: str) -> None:
    """Seal an audit with the report that was just made. ExamBankError `run_edited` as in folder.entries."""
    seal(folder, signer, dict(_ends(folder, plan, signer)), at, SEALED_FILES)


def check_sealed(folder: Path, signer: Signer | None) -> Seal:
    """Whether an audit is as it was sealed; NOT_CHECKED without a signer, for there is no key then.

    Raises ExamBankError `run_edited` where it is not, UsageError `audit_unsealed` where it was signed and
    its report was never sealed, and what folder.read_plan raises.
    """
    if not (folder / MANIFEST).is_file():
        return NOT_SEALED  # a report alone: nothing shows whose it is
    plan = read_plan(folder)
    if not plan.signed:
        return NOT_SEALED
    if signer is None:
        return NOT_CHECKED
    sealed = read_seal(folder, signer)
    if sealed is None:
        raise UsageError(
            f"{folder} has no {SEAL}: its report was not made to the end, or the seal was taken away",
            remedy="make the report again with `exambank audit report`",
            code="audit_unsealed",
        )
    files, logs = sealed.get("files"), sealed.get("logs")
    for name in SEALED_FILES:
        path = folder / name
        found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        if not isinstance(files, dict) or found is None or found != files.get(name):
            raise edited(f"{path} is not as it was sealed")
    for name, (lines, code) in _ends(folder, plan, signer):
        if not isinstance(logs, dict) or logs.get(name) != {"lines": lines, "mac": code}:
            raise edited(
                f"{folder / name} is not as it was sealed; where it has grown, make the report again"
            )
    return SEALED


def _ends(folder: Path, plan: Plan, signer: Signer) -> Iterator[tuple[str, tuple[int, str]]]:
    """Of every journal the plan can have, (name, (lines, code of the last)); none has lines 0."""
    models, graders = ([one.called for one in side] for side in (plan.settings.models, plan.settings.graders))
    for stage in STAGES:
        names = graders if stage == "grades" else models
        for name in names:
            path = journal_path(folder, stage, names, name)
            chain = chain_of(folder, path, signer)
            for _ in entries(folder, path, chain=chain):
                pass
            yield path.relative_to(folder).as_posix(), (chain.lines, chain.code)
