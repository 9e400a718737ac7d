"""What a bank holds: counts by status, field, type, language and batch, what is lacking, how it grew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic import Field

from bank.draw.drawing import left
from bank.draw.facts import scanned
from bank.draw.request import Request
from bank.versions import history
from schemas.document import Frozen
from schemas.question import Status
from schemas.taxonomy import taxonomy

if TYPE_CHECKING:
    import pyarrow as pa

    from bank.store import Bank


class Growth(Frozen):
    """One batch: when it came, and how many items it added in how many versions."""

    batch: str
    at: str
    versions: int
    added: int


class Stats(Frozen):
    """Counts of one version. Fields are codes; the names are in schemas.taxonomy.

    Fields other than status, batch and reasons count active items alone, so that they say what
    can be drawn rather than what was once read.
    """

    version: int
    items: int
    originals: int = Field(description="printed questions the items came from")
    answered: int = Field(description="active items with a reference answer")
    needs_figure: int = Field(description="active items that need a figure")
    status: dict[str, int]
    discipline: dict[str, int]
    sub_discipline: dict[str, int]
    question_type: dict[str, int]
    types: dict[str, dict[str, int]] = Field(description="discipline -> question type -> items")
    unanswered_by_discipline: dict[str, int] = Field(description="active items without a reference answer")
    language: dict[str, int]
    batch: dict[str, int]
    review_reasons: dict[str, int]
    rejected_reasons: dict[str, int]
    target: int = Field(description="active items with an answer each sub-discipline should have")
    below_target: dict[str, int] = Field(description="sub-disciplines that have fewer, empty ones included")
    papers: dict[str, int] = Field(
        description="discipline of the default paper -> such papers it holds without a question in two"
    )
    growth: tuple[Growth, ...] = Field(description="batches, oldest first")


_COLUMNS = ("status", "discipline", "sub_discipline", "question_type", "language", "batch", "status_reason")


def stats(bank: Bank, paper: Request, target: int = 100, version: int | None = None) -> Stats:
    """Count the items of a version, the newest by default. paper: the draw whose papers are counted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    number = bank.version if version is None else version
    dataset = bank.dataset(number)
    answer: Any = pc.field("reference_answer")
    has_answer = answer.is_valid() & (answer != "")
    columns = {name: pc.field(name) for name in (*_COLUMNS, "original_id", "needs_figure")}
    with bank.reading(number, old=version is not None):
        table = scanned(dataset, {**columns, "answered": has_answer})
        strata = left(dataset, paper)
    active = table.filter(pc.equal(table["status"], pa.scalar(Status.ACTIVE.value)))
    answered = active.filter(active["answered"])
    of_sub = {name: count for (name,), count in _groups(answered, "sub_discipline")}
    known = sorted({*taxonomy().sub_disciplines, *of_sub} - {""})
    types: dict[str, dict[str, int]] = {}
    for (discipline, kind), count in sorted(_groups(active, "discipline", "question_type")):
        types.setdefault(discipline, {})[kind] = count
    without = active.filter(pc.invert(active["answered"]))
    return Stats(
        version=number,
        items=table.num_rows,
        originals=pc.count_distinct(table["original_id"]).as_py(),
        answered=answered.num_rows,
        needs_figure=pc.sum(active["needs_figure"]).as_py() or 0,
        status=_counts(table, "status"),
        discipline=_counts(active, "discipline"),
        sub_discipline=_counts(active, "sub_discipline"),
        question_type=_counts(active, "question_type"),
        types=types,
        unanswered_by_discipline=_counts(without, "discipline"),
        language=_counts(active, "language"),
        batch=_counts(table, "batch"),
        review_reasons=_reasons(table, Status.REVIEW),
        rejected_reasons=_reasons(table, Status.REJECTED),
        target=target,
        below_target={code: of_sub.get(code, 0) for code in known if of_sub.get(code, 0) < target},
        papers={s.name: s.eligible // s.wanted for s in strata if s.wanted},
        growth=_growth(bank, number),
    )


def _groups(table: pa.Table, *names: str) -> list[tuple[tuple[str, ...], int]]:
    found = table.group_by(list(names)).aggregate([([], "count_all")]).to_pylist()
    return [(tuple(row[name] or "" for name in names), row["count_all"]) for row in found]


def _counts(table: pa.Table, column: str) -> dict[str, int]:
    return _sorted((name, count) for (name,), count in _groups(table, column))


def _reasons(table: pa.Table, status: Status) -> dict[str, int]:
    """Reasons up to their first colon: what follows names the item, not the kind of doubt."""
    import pyarrow as pa
    import pyarrow.compute as pc

    counts: Counter[str] = Counter()
    chosen = table.filter(pc.equal(table["status"], pa.scalar(status.value)))
    for (reason,), count in _groups(chosen, "status_reason"):
        counts[(reason or "unspecified").split(":", 1)[0].strip()] += count
    return _sorted(counts.items())


def _sorted(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Largest first, equal counts by name."""
    return dict(sorted(counts, key=lambda item: (-item[1], item[0])))


def _growth(bank: Bank, version: int) -> tuple[Growth, ...]:
    made: dict[str, dict[str, Any]] = {}
    for entry in reversed(history(bank)):
        if entry.version > version or not entry.counts.get("added"):
            continue
        one = made.setdefault(entry.batch, {"at": entry.at, "versions": 0, "added": 0})
        one["versions"] += 1
        one["added"] += entry.counts["added"]
    return tuple(Growth(batch=batch, **values) for batch, values in made.items())
