"""One problem of a bank, and what the checks that look for it look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from bank import rows
from schemas.document import Frozen

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

    from bank.store import Bank

Level = Literal["error", "warning", "note"]
_SHOWN = 5  # examples of one problem


class Problem(Frozen):
    """One thing that is wrong, and how to mend it."""

    code: str
    level: Level = Field(description="error: data is wrong or lost; warning: look; note: mends itself")
    message: str
    remedy: str
    count: int = 1
    examples: tuple[str, ...] = ()


# What a row is and what it hangs on, without its texts.
FACTS = (
    "question_id", "original_id", "duplicate_of", "cluster_id", "status", "question_type", "printed_form",
    "discipline", "sub_discipline", "course", "visibility", "revision", "source_sha256", "figures",
)  # fmt: skip


@dataclass
class Checked:
    """What the checks look at: one version of a bank, with the columns that several of them need."""

    bank: Bank
    delta: DeltaTable
    deep: bool

    @cached_property
    def facts(self) -> pa.Table:
        """The columns FACTS of all rows."""
        return rows.scan(self.delta, FACTS)


def problem(
    code: str, level: Level, message: str, remedy: str, found: Sequence[object] = ("",)
) -> Iterator[Problem]:
    """The problem, where anything was found. message: {n} stands for how many."""
    if len(found):
        shown = tuple(str(one) for one in found[:_SHOWN] if str(one))
        yield Problem(
            code=code,
            level=level,
            message=message.replace("{n}", f"{len(found):,}"),
            remedy=remedy,
            count=len(found),
            examples=shown,
        )
