"""How many questions a bank has, by status, field, type, language, batch and reason for review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import Field

from schemas.document import Frozen
from schemas.question import Status

if TYPE_CHECKING:
    import pyarrow as pa

    from bank.store import Bank


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
    language: dict[str, int]
    batch: dict[str, int]
    review_reasons: dict[str, int]
    rejected_reasons: dict[str, int]


_COLUMNS = ("status", "discipline", "sub_discipline", "question_type", "language", "batch", "status_reason")


def stats(bank: Bank, version: int | None = None) -> Stats:
    """Count the items of a version, the newest by default."""
    import pyarrow as pa
    import pyarrow.compute as pc

    number = bank.version if version is None else version
    table = bank.table([*_COLUMNS, "original_id", "reference_answer", "needs_figure"], version=number)
    active = table.filter(pc.equal(table["status"], pa.scalar(Status.ACTIVE.value)))
    answers = pc.utf8_length(active["reference_answer"]).to_pylist()
    return Stats(
        version=number,
        items=table.num_rows,
        originals=pc.count_distinct(table["original_id"]).as_py(),
        answered=sum(1 for length in answers if length),
        needs_figure=active["needs_figure"].to_pylist().count(True),
        status=_counts(table, "status"),
        discipline=_counts(active, "discipline"),
        sub_discipline=_counts(active, "sub_discipline"),
        question_type=_counts(active, "question_type"),
        language=_counts(active, "language"),
        batch=_counts(table, "batch"),
        review_reasons=_reasons(table, Status.REVIEW),
        rejected_reasons=_reasons(table, Status.REJECTED),
    )


def _counts(table: pa.Table, column: str) -> dict[str, int]:
    return _sorted(Counter(table[column].to_pylist()).items())


def _reasons(table: pa.Table, status: Status) -> dict[str, int]:
    """Reasons up to their first colon: what follows names the item, not the kind of doubt."""
    counts: Counter[str] = Counter()
    for found, reason in zip(table["status"].to_pylist(), table["status_reason"].to_pylist(), strict=True):
        if found == status.value:
            counts[(reason or "unspecified").split(":", 1)[0].strip()] += 1
    return _sorted(counts.items())


def _sorted(counts: Iterable[tuple[str | None, int]]) -> dict[str, int]:
    """Largest first, equal counts by name."""
    named = ((name or "", count) for name, count in counts)
    return dict(sorted(named, key=lambda item: (-item[1], item[0])))
