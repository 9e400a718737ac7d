"""A bank: create, open, add with one commit a batch, amend. How it is read: bank.table."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from bank import commits, rows, sums
from bank.again import again
from bank.dedup.clusters import settle
from bank.dedup.index import INDEXED, NearIndex
from bank.dedup.items import COLUMNS
from bank.files import FileStore, Reports, locked
from bank.goback import first_revision
from bank.ids import IdMaker, create_key, load_key
from bank.storage import unwritten
from bank.table import Table, has_table, require_no_remains
from schemas.document import Frozen
from schemas.errors import BankError
from schemas.question import Question, Status, arrow_schema
from schemas.settings import DedupSettings

if TYPE_CHECKING:
    from deltalake import DeltaTable

FOLDERS = ("figures", "sources", "batches", "index", "cache")
_FOREVER = "interval 36500 days"
_CODE = re.compile(r"[a-z0-9_-]+")


class Outcome(Frozen):
    """What became of one question handed to `add`, in the order handed in."""

    question_id: str
    outcome: str = Field(default="added", description="added, already (in the bank), amended, repeated")
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
    amended: int = Field(default=0, description="rows that a newer reading of their file has changed")
    by_status: dict[str, int]
    outcomes: tuple[Outcome, ...]


class Bank(Table):
    """A bank folder: the table `questions/`, the key, and the files the questions came from."""

    def __init__(self, path: Path, key: bytes) -> None:
        super().__init__(path)
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
            if has_table(path):
                raise BankError(
                    f"There is a bank in {path} already.",
                    code="bank_exists",
                    remedy="Choose another folder, or open this one.",
                )
            require_no_remains(path)
            for name in FOLDERS:
                (path / name).mkdir(exist_ok=True)
            key = create_key(path / "key", key)
            _create_table(path)  # last: a folder with a table is a whole bank
            sums.follow(path)
        return cls(path, key)

    @classmethod
    def open(cls, path: Path) -> Bank:
        """The bank in this folder; BankError with the remedy when there is none."""
        if not has_table(path):
            require_no_remains(path)
            raise BankError(
                f"There is no bank in {path}.",
                code="no_bank",
                remedy="Ingest a first batch with `exambank ingest`, or give the right folder with --bank.",
            )
        key = load_key(path / "key")
        sums.require_key(path, key)
        return cls(path, key)

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
        settle_duplicates: bool = True,
    ) -> AddReport:
        """Add a batch as one version; what the bank has already stays as it is.

        Sets ids, batch, times and stage versions, then settles duplicates inside the batch and
        against the bank: a duplicate is kept as a row with status `duplicate`, its keeper's id and
        the evidence; rows already in the bank are not rewritten. Nothing new to add makes no
        version. Any number of processes may add at once: each waits for the one before.

        stage_versions: of the readers that made the batch. Where other versions of them read a file
        that the bank has, rows at the same place of the file are amended, as bank.again tells, and
        keep their ids; all of a file's questions must be in the batch then.

        settle_duplicates: False leaves near-duplicates to a later `dedup` of the whole bank, for rows in
        bulk; the index is made anew then. Rows of the same id are told in any case.
        questions in a reproducible order (files sorted, drafts as printed) give reproducible ids.
        counts: numbers for the log, e.g. documents and pages. now: an aware datetime, or RFC 3339.
        BankError: `bank_busy` after 15 minutes of waiting, `discipline_code` for a bad partition.
        """
        at = now if isinstance(now, str) else now.astimezone(UTC).isoformat(timespec="seconds")
        stages = stage_versions or {}

        def stamp(question: Question) -> dict[str, Any]:
            versions = {**question.stage_versions, **stages}
            return {"batch": batch, "created_at": at, "updated_at": at, "stage_versions": versions}

        with _uncollected():
            given = self.ids.identify(questions, stamp)
        for question in given:
            if not _CODE.fullmatch(question.discipline):
                raise BankError(
                    f"{question.discipline!r} is no discipline code ({question.source}).",
                    code="discipline_code",
                    remedy="Use the codes of the taxonomy, d00 for unknown.",
                )
        with locked(self.path), _uncollected():
            return commits.retried(
                lambda: self._add(
                    given,
                    batch,
                    who,
                    why,
                    at,
                    counts or {},
                    (dedup or DedupSettings()) if settle_duplicates else None,
                    reading=bool(stages),
                )
            )

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
        from deltalake.exceptions import CommitFailedError

        at = now if isinstance(now, str) else now.astimezone(UTC).isoformat(timespec="seconds")
        with locked(self.path):
            if self.version != seen:
                raise self._moved(seen)
            if not changes:
                return seen
            delta = self.delta(seen)
            old = rows.from_table(rows.find(delta, sorted(changes)))
            new = [
                Question.model_validate(
                    {**q.model_dump(), **changes[q.question_id], "revision": q.revision + 1, "updated_at": at}
                )
                for q in old
            ]
            told = commits.metadata(who, why, "", at, {**(counts or {}), "changed": len(new)})
            try:
                commits.replace(delta, {q.discipline for q in old}, rows.to_table(new), told)
            except CommitFailedError as error:  # by a program that does not know the lock
                raise self._moved(seen) from error
            self.follow(seen)
            return self.version

    def _moved(self, seen: int) -> BankError:
        return BankError(
            f"The bank is at version {self.version} by now; the changes were made from {seen}.",
            code="bank_moved",
            remedy="Run the same command again.",
        )

    def follow(self, before: int, said: Sequence[Question] = (), steps: int = 1) -> None:
        """Let the index of near-duplicates stand for the version `steps` after `before`, just committed.

        said: rows whose text is new or other in it. What a row said once stays in the index: it may
        be found by it in vain, which is settled when the rows themselves are compared. Where the
        index does not fit, the next batch makes it anew.
        """
        now = self.delta()
        name, folder = str(now.metadata().id), self.path / "index"
        if now.version() != before + steps:
            return
        with _beside():
            if not said:
                NearIndex.follow(folder, name, before, now.version())
                return
            index = NearIndex.load(folder, name, before)
            if index is not None:
                index.add([q.model_dump(include=set(INDEXED)) for q in said])
                index.save(folder, name, now.version())

    def _add(
        self,
        given: list[Question],
        batch: str,
        who: str,
        why: str,
        at: str,
        counts: Mapping[str, int],
        dedup: DedupSettings | None,
        *,
        reading: bool,
    ) -> AddReport:
        """The part of `add` that only one process at a time may do."""
        delta = self.delta()
        before = delta.version()  # a write moves the open table on
        by = "source_sha256" if reading else "question_id"
        known = rows.from_table(rows.find(delta, sorted({getattr(q, by) for q in given}), by))
        found = again(given, known, at, reading=reading)
        amended = {
            name: q if q.content_hash else q.model_copy(update={"content_hash": self.ids.content_hash(q)})
            for name, q in found.amended.items()
        }
        added = {q.question_id: q for q in found.new}
        index = self._index() if added and dedup is not None else None
        if index is not None and dedup is not None:
            added = {q.question_id: q for q in self._settle(list(added.values()), index, dedup)}
        if first := first_revision(self, before) - 1:
            added = {name: q.model_copy(update={"revision": q.revision + first}) for name, q in added.items()}
        if added or amended:
            was = {q.question_id: q.discipline for q in known}
            total = {**counts, "added": len(added), **Counter(q.status.value for q in added.values())}
            told_of = commits.metadata(
                who, why, batch, at, {**total, "amended": len(amended)} if amended else total
            )
            self._commit(delta, added, amended, {was[name] for name in amended}, told_of)
            # From here to the end of the save, a crash leaves an index that is one version behind:
            # the next batch sees that and makes it anew.
            said = [*added.values(), *amended.values()]
            if index is not None:
                index.add([q.model_dump(include=set(INDEXED)) for q in said])
                table = self.delta()
                with _beside():
                    index.save(self.path / "index", str(table.metadata().id), table.version())
            elif not added:
                self.follow(before, said)
        told: list[Outcome] = []
        met: set[str] = set()
        for name in (q.question_id for q in given):
            row = found.same.get(name) or added[name]
            kind = "already" if name in found.same else "repeated" if name in met else "added"
            told.append(_outcome(row, "amended" if row.question_id in amended else kind))
            met.add(name)
        return AddReport(
            batch=batch,
            version=self.version,
            committed=bool(added or amended),
            given=len(given),
            added=len(added),
            already=sum(o.outcome == "already" for o in told),
            repeated=sum(o.outcome == "repeated" for o in told),
            amended=len(amended),
            by_status=dict(sorted(Counter(q.status.value for q in added.values()).items())),
            outcomes=tuple(told),
        )

    def _index(self) -> NearIndex:
        """The index of the newest version, made anew from the table unless there is one to trust."""
        table = self.delta()
        index = NearIndex.load(self.path / "index", str(table.metadata().id), table.version())
        if index is None:
            index = NearIndex()
            index.add(self.table(INDEXED).sort_by("question_id").to_pylist())
        return index

    def _settle(self, fresh: list[Question], index: NearIndex, dedup: DedupSettings) -> list[Question]:
        near = index.near([q.model_dump(include=set(INDEXED)) for q in fresh], dedup)
        found: dict[str, dict[str, Any]] = {}
        wanted = {other for others in near.values() for other in others}
        while wanted:  # the rows met, then the keepers they name
            rows_met = self.table(COLUMNS, {"question_id": sorted(wanted)}).to_pylist()
            found |= {row["question_id"]: row for row in rows_met}
            wanted = {row["duplicate_of"] for row in rows_met} - {"", None, *found}
            if not rows_met:
                break
        return settle(fresh, [found[name] for name in sorted(found)], dedup, near)

    def _commit(
        self,
        delta: DeltaTable,
        added: Mapping[str, Question],
        amended: Mapping[str, Question],
        old: Collection[str],
        told: Mapping[str, str],
    ) -> None:
        """One commit, whatever a batch does. old: the partitions in which the amended rows stand."""
        if amended:
            commits.replace(delta, old, rows.to_table([*amended.values(), *added.values()]), told)
        else:
            commits.append(self.path / "questions", rows.to_table(added.values()), told)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for cycles among objects meanwhile: a batch makes very many, and none of them are garbage.

    It would take a quarter of the time of an addition.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def _beside() -> Iterator[None]:
    """Around what is written of the index after a commit, which stands whatever comes of it."""
    try:
        yield
    except OSError as error:
        unwritten("the index of near-duplicates", error, "The next batch makes it anew.")


def _outcome(question: Question, kind: str) -> Outcome:
    return Outcome(
        question_id=question.question_id,
        outcome=kind,
        status=question.status,
        reason=question.status_reason,
        duplicate_of=question.duplicate_of,
    )


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
            # To open the table, the log is read from its last checkpoint on.
            "delta.checkpointInterval": "10",
            # The log tells of each file the least and the greatest of these alone, not of whole prompts.
            "delta.dataSkippingStatsColumns": "question_id,source_sha256,batch,status",
        },
    )
