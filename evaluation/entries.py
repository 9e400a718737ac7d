"""From run directories to what a leaderboard is made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.agreement import agreements
from evaluation.leaderboard import About, Entry
from evaluation.run import score_record
from evaluation.rundir import MANIFEST, RunRecord, read_record
from schemas.errors import UsageError


def find_runs(paths: list[Path]) -> dict[str, Path]:
    """Run directories by name: those given, and those inside a folder that is no run itself.

    Raises UsageError where there is none, or two have one name.
    """
    found: dict[str, Path] = {}
    for path in paths:
        inside = (
            [path] if (path / MANIFEST).is_file() else sorted(p.parent for p in path.glob(f"*/{MANIFEST}"))
        )
        # A draw has a manifest too; a run has its log of exchanges or is still to begin one.
        runs = [run for run in inside if run == path or not (run / "items.jsonl").exists()]
        if not runs:
            raise UsageError(
                f"{path} holds no run", remedy="name a folder that `exambank evaluate` wrote", code="no_run"
            )
        for run in runs:
            name = run.resolve().name
            if found.setdefault(name, run).resolve() != run.resolve():
                raise UsageError(
                    f"two runs have the name {name}: {found[name]} and {run}",
                    remedy="rename one of the folders",
                )
    return found


def entry(run: str, record: RunRecord, about: Mapping[str, About] | None = None) -> Entry:
    """What a board takes of one run. about is by model name."""
    score, manifest = score_record(record), record.manifest
    return Entry(
        run=run,
        score=score,
        evaluated=str(manifest["started_at"])[:10],
        about=(about or {}).get(score.model, About()),
        stars={q: v.stars for q, v in record.verdicts.items() if v.stars is not None},
        paper=manifest["fixed"]["items_sha256"],
        bank_version=(manifest.get("sample") or {}).get("bank_version"),
        agreements=agreements(record.votes),
    )


def read_entry(run: str, path: Path, about: Mapping[str, About] | None = None) -> Entry:
    """The entry of a run directory. Errors as in rundir.read_record."""
    return entry(run, read_record(path), about)
