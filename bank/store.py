"""The versioned table of questions: create, open, read, and add with one commit a batch."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from bank import rows
from bank.dedup.clusters import settle
from bank.dedup.items import COLUMNS
from bank.files import FileStore, Reports, locked
from bank.ids import IdMaker, create_key, load_key
from schemas.document import Frozen
from schemas.errors import BankError
from schemas.question import Question, Status, arrow_schema
from schemas.settings import DedupSettings

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as pads
    from deltalake import DeltaTable

FOLDERS = ("figures", "sources", "batches", "index", "cache")
Filters = Mapping[str, str | Sequence[str]]
_FOREVER = "interval 36500 days"
_CODE = re.compile(r"[a-z0-9_-]+")


class Outcome(Frozen):
    """What became of one question handed to `add`, in the order handed in."""

    question_id: str
    outcome: str = Field(default="added", description="added, already (it was in the bank) or repeated")
    status: Status = Status.ACTIVE
    reason: str = ""
    duplicate_of: str = ""


class AddReport(Frozen):
    """What one `add` did. version is the bank's version afterwards; committed tells if it is new."""

    batch: str
    version: int
    committed: bool
    given: int
    added: int
    already: int
    repeated: int
    by_status: dict[str, int]
    outcomes: tuple[Outcome, ...]


class Bank:
    """A bank folder: the table `questions/`, the key, and the files the questions came from."""

    def __init__(self, path: Path, key: bytes) -> None:
        self.path = path
        self.ids = IdMaker(key)
        self.sources = FileStore(path / "sources")
        self.figures = FileStore(path / "figures")
        self.reports = Reports(path / "batches")
        self.cache_dir = path / "cache"

    @classmethod
    def create(cls, path: Path, key: bytes | None = None) -> Bank:
        """Make an empty bank (version 0) in a folder that has none, or finish a broken-off making.

        key: 32 bytes, for a bank whose ids must come out again; random otherwise.
        BankError if there is a bank already.
        """
        path.mkdir(parents=True, exist_ok=True)
        with locked(path):
            if _has_table(path):
                raise BankError(
                    f"There is a bank in {path} already.",
                    code="bank_exists",
                    remedy="Choose another folder, or open this one.",
                )
            for name in FOLDERS:
                (path / name).mkdir(exist_ok=True)
            key = create_key(path / "key", key)
            _create_table(path)  # last: a folder with a table is a whole bank
        return cls(path, key)

    @classmethod
    def open(cls, path: Path) -> Bank:
        """The bank in this folder; BankError with the remedy when there is none."""
        if not _has_table(path):
            raise BankError(
                f"There is no bank in {path}.",
                code="no_bank",
                remedy="Ingest a first batch with `exambank ingest`, or give the right folder with --bank.",
            )
        return cls(path, load_key(path / "key"))

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
            raise BankError(
                f"The table of the bank in {self.path} cannot be read: {error}",
                code="bank_damaged",
                remedy="Restore the folder `questions` from a backup.",
            ) from error

    def table(
        self,
        columns: Sequence[str] | None = None,
        filters: Filters | None = None,
        version: int | None = None,
    ) -> pa.Table:
        """Rows as an Arrow table, in no particular order.

        filters: column -> the value, or the values, a row may have there. version: see history.
        """
        import pyarrow as pa

        schema = arrow_schema()
        unknown = sorted({*(columns or ()), *(filters or ())} - set(schema.names))
        if unknown:
            raise BankError(
                f"A question has no field {', '.join(unknown)}.",
                code="no_field",
                remedy=f"The fields are: {', '.join(schema.names)}.",
            )
        dataset = self.delta(version).to_pyarrow_dataset()
        names = list(columns) if columns is not None else schema.names
        data = dataset.to_table(columns=names, filter=_expression(filters))
        return data.cast(pa.schema([schema.field(name) for name in names]))

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

    def add(
        self,
        questions: Iterable[Question],
        *,
        batch: str,
        who: str,
        why: str,
        now: datetime | str,
        counts: Mapping[str, int] | None = None,
        stage_versions: Mapping[str, str] | None = None,
        dedup: DedupSettings | None = None,
    ) -> AddReport:
        """Add a batch as one version; what the bank has already is left alone.

        Sets ids, batch, times and stage versions, then settles duplicates inside the batch and
        against the bank: a duplicate is kept as a row with status `duplicate`, its keeper's id and
        the evidence; rows already in the bank are not rewritten. Nothing new to add makes no
        version. Any number of processes may add at once: each waits for the one before.

        questions in a reproducible order (files sorted, drafts as printed) give reproducible ids.
        counts: numbers for the log, e.g. documents and pages. now: an aware datetime, or RFC 3339.
        BankError: `bank_busy` after 15 minutes of waiting, `discipline_code` for a bad partition.
        """
        at = now if isinstance(now, str) else now.astimezone(UTC).isoformat(timespec="seconds")
        given = self.ids.identify(questions)
        for question in given:
            if not _CODE.fullmatch(question.discipline):
                raise BankError(
                    f"{question.discipline!r} is no discipline code ({question.source}).",
                    code="discipline_code",
                    remedy="Use the codes of the taxonomy, d00 for unknown.",
                )
        with locked(self.path):
            return self._add(given, batch, who, why, at, counts or {}, stage_versions or {}, dedup)

    def amend(
        self,
        changes: Mapping[str, Mapping[str, Any]],
        *,
        seen: int,
        who: str,
        why: str,
        now: datetime | str,
        counts: Mapping[str, int] | None = None,
    ) -> int:
        """Change fields of questions, all in one version; returns the bank's version afterwards.

        changes: question_id -> field -> value; what a question says and its id are not to be among
        them. seen: the version the changes were made from; BankError `bank_moved` when there is a
        newer one by now. No changes make no version. now: as in `add`.
        """
        at = now if isinstance(now, str) else now.astimezone(UTC).isoformat(timespec="seconds")
        with locked(self.path):
            if self.version != seen:
                raise BankError(
                    f"The bank is at version {self.version} by now; the changes were made from {seen}.",
                    code="bank_moved",
                    remedy="Run the same command again.",
                )
            if not changes:
                return seen
            old = self.read({"question_id": sorted(changes)})
            new = [
                Question.model_validate({**q.model_dump(), **changes[q.question_id], "updated_at": at})
                for q in old
            ]
            self._replace(new, _metadata(who, why, "", at, {**(counts or {}), "changed": len(new)}))
            return self.version

    def _replace(self, changed: Sequence[Question], metadata: dict[str, str]) -> None:
        """Write the partitions of these questions anew.

        No Delta merge: the files it writes hold a string type whose statistics Arrow cannot filter by.
        """
        import pyarrow as pa
        import pyarrow.compute as pc
        from deltalake import CommitProperties, write_deltalake

        codes = sorted({q.discipline for q in changed})
        there = self.table(filters={"discipline": codes})
        ids = pa.array([q.question_id for q in changed])
        others = there.filter(pc.invert(pc.is_in(there["question_id"], value_set=ids)))
        write_deltalake(
            self.path / "questions",
            pa.concat_tables([others, rows.to_table(changed)]),
            mode="overwrite",
            predicate=f"discipline IN ({', '.join(repr(code) for code in codes)})",
            partition_by=["discipline"],
            commit_properties=CommitProperties(custom_metadata=metadata, max_commit_retries=20),
        )

    def _add(
        self,
        given: list[Question],
        batch: str,
        who: str,
        why: str,
        at: str,
        counts: Mapping[str, int],
        stage_versions: Mapping[str, str],
        dedup: DedupSettings | None,
    ) -> AddReport:
        """The part of `add` that only one process at a time may do."""
        there = {
            row["question_id"]: row
            for row in self.table(["question_id", "status", "status_reason", "duplicate_of"]).to_pylist()
        }
        fresh: dict[str, Question] = {}
        outcomes: list[Outcome | str] = []
        for question in given:
            name = question.question_id
            if name in there:
                outcomes.append(
                    Outcome(
                        question_id=name,
                        outcome="already",
                        status=Status(there[name]["status"]),
                        reason=there[name]["status_reason"],
                        duplicate_of=there[name]["duplicate_of"],
                    )
                )
            elif name in fresh:
                outcomes.append(Outcome(question_id=name, outcome="repeated", status=question.status))
            else:
                fresh[name] = question.model_copy(
                    update={
                        "batch": batch,
                        "created_at": at,
                        "updated_at": at,
                        "stage_versions": {**question.stage_versions, **stage_versions},
                    }
                )
                outcomes.append(name)
        added: dict[str, Question] = {}
        if fresh:
            bank = self.table(COLUMNS).to_pylist() if there else []
            added = {q.question_id: q for q in settle(list(fresh.values()), bank, dedup or DedupSettings())}
            self._commit(list(added.values()), batch, who, why, at, counts)
        told = tuple(o if isinstance(o, Outcome) else _outcome(added[o]) for o in outcomes)
        return AddReport(
            batch=batch,
            version=self.version,
            committed=bool(added),
            given=len(given),
            added=len(added),
            already=sum(o.outcome == "already" for o in told),
            repeated=sum(o.outcome == "repeated" for o in told),
            by_status=dict(sorted(Counter(q.status.value for q in added.values()).items())),
            outcomes=told,
        )

    def _commit(
        self, added: Sequence[Question], batch: str, who: str, why: str, at: str, counts: Mapping[str, int]
    ) -> None:
        from deltalake import CommitProperties, write_deltalake

        total = {**counts, "added": len(added), **Counter(q.status.value for q in added)}
        write_deltalake(
            self.path / "questions",
            rows.to_table(added),
            mode="append",
            partition_by=["discipline"],
            commit_properties=CommitProperties(
                custom_metadata=_metadata(who, why, batch, at, total), max_commit_retries=20
            ),
        )


def _outcome(question: Question) -> Outcome:
    return Outcome(
        question_id=question.question_id,
        status=question.status,
        reason=question.status_reason,
        duplicate_of=question.duplicate_of,
    )


def _metadata(who: str, why: str, batch: str, at: str, counts: Mapping[str, int]) -> dict[str, str]:
    """What a commit tells of itself; see bank.versions."""
    return {
        "who": who,
        "why": why,
        "batch": batch,
        "at": at,
        "counts": json.dumps(dict(counts), sort_keys=True),
    }


def _has_table(path: Path) -> bool:
    return any((path / "questions" / "_delta_log").glob("*.json"))


def _create_table(path: Path) -> None:
    from deltalake import DeltaTable

    DeltaTable.create(
        path / "questions",
        schema=arrow_schema(),
        partition_by=["discipline"],
        # Old versions must stay readable: nothing may clean up their log or their files.
        configuration={
            "delta.logRetentionDuration": _FOREVER,
            "delta.deletedFileRetentionDuration": _FOREVER,
        },
    )


def _expression(filters: Filters | None) -> pads.Expression | None:
    import pyarrow.compute as pc

    found = None
    for name, value in (filters or {}).items():
        values = [value] if isinstance(value, str) else list(value)
        test = pc.field(name).isin(values)
        found = test if found is None else found & test
    return found
