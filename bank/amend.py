"""Changes of reviewers applied to a bank: checked row by row, all in one version or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from bank import commits, rows
from bank.actions import Workbench
from bank.dedup.index import INDEXED
from bank.edits import Action, Change, Refusal, Refused
from bank.files import locked
from schemas.document import Frozen
from schemas.question import Question

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

    from bank.store import Bank

__all__ = ["Action", "AmendReport", "Change", "Refusal", "apply"]


class AmendReport(Frozen):
    """What `apply` did, or would do. version: the bank's afterwards."""

    version: int
    committed: bool
    given: int
    applied: dict[str, int] = Field(
        default_factory=dict, description="action -> changes made, or to be made; none where one is refused"
    )
    changed: tuple[str, ...] = Field(default=(), description="rows that are other than before")
    along: tuple[str, ...] = Field(default=(), description="of these, rows that hang on one that was named")
    unchanged: int = Field(default=0, description="changes that ask for what is so already")
    refused: tuple[Refusal, ...] = ()


def apply(
    bank: Bank,
    changes: Sequence[Change],
    *,
    who: str,
    why: str,
    at: str,
    refused: Sequence[Refusal] = (),
    skip_bad: bool = False,
    dry_run: bool = False,
) -> AmendReport:
    """Apply changes as one version; the `revision` of each row that changes is raised by one.

    A change is refused, with its column and the reason, when the row is not there, has another
    revision than the one that was seen, or a value is none. Then nothing is written, unless skip_bad:
    what passes is. refused: rows that could not even be read as changes; they count as well. Changes
    are applied in order, one a row. who, why, at: for the log; who stands for a missing reviewer.
    BankError `bank_busy` as in every write.
    """
    given = [change if change.reviewer else change.model_copy(update={"reviewer": who}) for change in changes]
    with locked(bank.path):

        def work() -> tuple[AmendReport, list[Question]]:
            delta = bank.delta()
            bench = Workbench(bank.ids, rows.from_table(_related(delta, given)))
            report = _report(bench, given, refused, delta.version(), at)
            if report.refused and not skip_bad:  # all or nothing
                return report.model_copy(update={"applied": {}, "changed": (), "along": ()}), []
            new = bench.changed(at)
            if not new or dry_run:
                return report, []
            told = commits.metadata(who, why, "", at, {**report.applied, "changed": len(new)})
            old = {bench.before[q.question_id].discipline for q in new}
            commits.replace(delta, old, rows.to_table(new), told)
            said = [q for q in new if _says_else(bench.before[q.question_id], q)]
            return report.model_copy(update={"committed": True}), said

        report, said = commits.retried(work)
        if not report.committed:
            return report
        bank.follow(report.version, said)
        return report.model_copy(update={"version": bank.version})


def _report(
    bench: Workbench, given: Sequence[Change], refused: Sequence[Refusal], version: int, at: str
) -> AmendReport:
    applied: Counter[str] = Counter()
    bad = list(refused)
    unchanged = 0
    for change in given:
        try:
            if bench.do(change):
                applied[change.action.value] += 1
            else:
                unchanged += 1
        except Refused as why:
            bad.append(why.told(change))
    changed = [q.question_id for q in bench.changed(at)]
    named = {change.question_id for change in given}
    return AmendReport(
        version=version,
        committed=False,
        given=len(given) + len(refused),
        applied=dict(sorted(applied.items())),
        changed=tuple(changed),
        along=tuple(name for name in changed if name not in named),
        unchanged=unchanged,
        refused=tuple(sorted(bad, key=lambda r: (r.line, r.question_id))),
    )


def _related(delta: DeltaTable, changes: Sequence[Change]) -> pa.Table:
    """The rows that changes name, and those of their clusters: keepers and copies."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = {change.question_id for change in changes} | {c.into for c in changes if c.into}
    if not names:
        return rows.scan(delta).slice(0, 0)
    tied = any(c.action in (Action.MERGE, Action.UNMERGE, Action.REJECT) for c in changes)
    links = ("question_id", "duplicate_of", "cluster_id")
    for _ in range(2 if tied else 0):  # once to the keeper, once from it to all that name it
        known = pa.array(sorted(names), pa.string())
        met = [pc.field(name).isin(known) for name in links]
        found = rows.scan(delta, links, met[0] | met[1] | met[2])
        names |= {str(n) for name in links for n in found[name].unique().to_pylist() if n}
    return rows.find(delta, sorted(names))


def _says_else(before: Question, after: Question) -> bool:
    return any(getattr(before, name) != getattr(after, name) for name in INDEXED)
