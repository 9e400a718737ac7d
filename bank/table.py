"""The table of a bank, read at any version: as Arrow, as questions, or with pandas, Polars and DuckDB."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bank import rows
from bank.storage import short, storage
from schemas.errors import BankError, UsageError
from schemas.question import Question, arrow_schema

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.dataset as pads
    from deltalake import DeltaTable

Filters = Mapping[str, str | Sequence[str]]


class Table:
    """The questions of a bank in one Delta table, partitioned by discipline."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def version(self) -> int:
        """The newest version of the table; an empty bank has version 0."""
        return self.delta().version()

    def delta(self, version: int | None = None) -> DeltaTable:
        """The Delta table itself, at a version or at the newest one."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError

        try:
            newest = DeltaTable(self.path / "questions")
            if version is None or version == newest.version():
                return newest
            if not 0 <= version < newest.version():
                raise BankError(
                    f"The bank has no version {version}; it has 0 to {newest.version()}.",
                    code="no_version",
                    remedy="See the versions with `exambank log`.",
                )
            return DeltaTable(self.path / "questions", version=version)
        except (DeltaError, OSError) as error:
            raise damaged(self.path, error) from error

    def table(
        self,
        columns: Sequence[str] | None = None,
        filters: Filters | None = None,
        version: int | None = None,
    ) -> pa.Table:
        """Rows as an Arrow table, in no particular order.

        filters: column -> the value, or the values, a row may have there. version: see history.
        BankError: `no_field` for an unknown column, `no_value` for an unknown value of a closed set.
        """
        names = arrow_schema().names
        unknown = sorted({*(columns or ()), *(filters or ())} - set(names))
        if unknown:
            raise BankError(
                f"A question has no field {', '.join(unknown)}.",
                code="no_field",
                remedy=f"The fields are: {', '.join(names)}.",
            )
        for name, asked in (filters or {}).items():
            known = rows.CLOSED.get(name)
            bad = sorted({asked} if isinstance(asked, str) else set(asked)) if known else []
            if bad := [value for value in bad if value not in (known or ())]:
                raise BankError(
                    f"{bad[0]!r} is no {name}.",
                    code="no_value",
                    remedy=f"Use one of: {', '.join(known or ())}.",
                )
        delta = self.delta(version)
        with self.reading(delta.version(), old=version is not None):
            return rows.scan(delta, columns, _expression(filters))

    @contextmanager
    def reading(self, version: int, *, old: bool = False) -> Iterator[None]:
        """Around whatever reads the files of a version: what they lack is told as BankError.

        `version_gone` where they may have been vacuumed (old), `bank_damaged` else.
        """
        import pyarrow as pa

        try:
            yield
        except FileNotFoundError as error:
            raise gone(version, old) from error
        except (OSError, pa.ArrowInvalid) as error:
            raise damaged(self.path, error) from error

    def read(self, filters: Filters | None = None, version: int | None = None) -> list[Question]:
        """Questions, ordered by question_id. For filters and version see `table`."""
        return sorted(
            rows.from_table(self.table(filters=filters, version=version)), key=lambda q: q.question_id
        )

    def get(self, question_id: str, version: int | None = None) -> Question:
        """One question; BankError when the bank has none of this id."""
        found = self.read({"question_id": question_id}, version)
        if not found:
            raise BankError(
                f"The bank has no question {question_id}.",
                code="no_question",
                remedy="Give an id as `exambank sample` or `exambank ingest --json` prints it.",
            )
        return found[0]

    def dataset(self, version: int | None = None) -> pads.Dataset:
        """The rows as an Arrow dataset, nothing read yet: what is asked of it reads the columns and the
        disciplines it needs.
        """
        return self.delta(version).to_pyarrow_dataset()

    def pandas(
        self,
        columns: Sequence[str] | None = None,
        filters: Filters | None = None,
        version: int | None = None,
    ) -> pd.DataFrame:
        """The rows as a pandas data frame; columns and filters as in `table`. UsageError without pandas."""
        _needed("pandas")
        return self.table(columns, filters, version).to_pandas()

    def polars(self, version: int | None = None) -> pl.LazyFrame:
        """The rows as a Polars lazy frame; `collect` reads what it needs. UsageError without Polars."""
        frame: pl.LazyFrame = _needed("polars").scan_delta(self.delta(version))
        return frame

    def duckdb(
        self, version: int | None = None, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyRelation:
        """The rows as a DuckDB relation, in a connection of its own if none is given.

        What is asked of it reads the columns and disciplines it needs. UsageError without DuckDB.
        """
        duckdb = _needed("duckdb")
        return (connection or duckdb.connect()).from_arrow(self.dataset(version))


def has_table(path: Path) -> bool:
    """Whether the folder holds a bank."""
    return any((path / "questions" / "_delta_log").glob("*.json"))


def require_no_remains(path: Path) -> None:
    """BankError `bank_damaged` where a folder without a table holds what only a bank has that was written to.

    A key and empty folders are no such thing: a making that was broken off leaves them, and is finished.
    """
    patterns = ("ledger*", "tags.json", "removed", "sums/0*.json", "questions/*/*.parquet", "batches/*.json")
    found = [str(next(path.glob(one)).relative_to(path)) for one in patterns if any(path.glob(one))]
    if found:
        raise BankError(
            f"The table of the bank in {path} is missing, but what belongs to it is there: "
            f"{', '.join(found)}.",
            code="bank_damaged",
            remedy="Restore the folder questions, with its _delta_log, from a backup; nothing was written. "
            "For a new bank choose another folder.",
        )


def damaged(path: Path, error: Exception) -> BankError:
    """What to raise when the table of a bank cannot be read."""
    return storage(error, path) or BankError(
        f"The table of the bank in {path} cannot be read: {short(error)}.",
        code="bank_damaged",
        remedy="Restore the folder `questions` from a backup; `exambank check` tells what is wrong with it.",
    )


def gone(version: int, old: bool) -> BankError:
    """What to raise when files of a version are not there; old: it may have been vacuumed."""
    return BankError(
        f"Files of version {version} of the bank are missing.",
        code="version_gone" if old else "bank_damaged",
        remedy="See with `exambank log` which versions a vacuum has left, and with `exambank check` what is "
        "wrong. Versions with a tag are never vacuumed.",
    )


def _needed(name: str) -> Any:  # noqa: ANN401 - a module that may not be installed
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            f"{name} is not installed.",
            code="no_library",
            remedy='Install it, or all of them with `pip install "exambank[frames]"`.',
        ) from error


def _expression(filters: Filters | None) -> pads.Expression | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    found = None
    for name, value in (filters or {}).items():
        values = [value] if isinstance(value, str) else list(value)
        column = pc.field(name)
        if not pa.types.is_string(arrow_schema().field(name).type):
            column = column.cast(pa.string())
        test = column.isin(pa.array(values, pa.string()))
        found = test if found is None else found & test
    return found
