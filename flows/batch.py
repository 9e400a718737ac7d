"""One batch on its way into the bank: what its documents gave, pairing, items, the one commit."""

from __future__ import annotations

import getpass
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows import reading, stage
from flows.config import printable
from flows.files import Source
from flows.outcome import FileOutcome, Summary, hinted, read_outcome, refused_outcome, summarise
from schemas.document import Frozen
from schemas.errors import BankError, ExamBankError, RefusedError
from schemas.question import Dropped, Extraction, Question
from schemas.settings import Settings

if TYPE_CHECKING:
    from bank.store import AddReport, Bank

Result = Extraction | ExamBankError
_FATAL = {"worker_version"}


class BatchReport(Frozen):
    """What one `ingest` did; kept as JSON in the bank, printed by --json."""

    batch: str
    at: str
    dry_run: bool = False
    version: int | None = None
    committed: bool = False
    summary: Summary
    settings: dict[str, Any]
    stage_versions: dict[str, str]
    files: tuple[FileOutcome, ...]


@dataclass
class Batch:
    """A batch while it runs. bank is None for a dry run without a bank."""

    name: str
    sources: Sequence[Source]
    others: Sequence[FileOutcome]
    settings: Settings
    cache_dir: Path
    bank: Bank | None
    dry_run: bool
    answers: Mapping[str, str]
    why: str
    progress: Callable[[Source, Result], None]
    results: dict[int, Result] = field(default_factory=dict)
    report: BatchReport | None = None

    @property
    def results_dir(self) -> Path:
        """Where extractions are kept under their cache keys."""
        return self.cache_dir / "results"

    @property
    def assets_dir(self) -> Path:
        """Where the pictures of documents are kept under their digests."""
        return self.cache_dir / "assets"

    def tasks(self) -> Iterator[dict[str, Any]]:
        """The parameters of one task per document, in order."""
        on_dask = self.settings.run.runner == "dask"
        version = stage.extract_version(self.settings.read)
        common = {
            "code": stage.code_version("extract"),
            "settings": self.settings.model_dump(mode="json"),
            "assets": str(self.assets_dir.resolve()),
            "size": 0 if on_dask else reading.jobs(self.settings),
        }
        named = set(self.answers.values())
        for source in self.sources:
            path = source.path.resolve()
            said = source.sha256 in named
            yield {
                "key": stage.cache_key(source.sha256, path.name, version, self.settings, answers=said),
                "name": path.name,
                "path": str(path),
                "sha256": source.sha256,
                "answers": said,
                **common,
            }

    def take(self, place: int, result: object) -> None:
        """Take in what the task of one document gave: its JSON values, or an exception."""
        taken: Result
        if isinstance(result, ExamBankError):
            if result.code in _FATAL:
                raise result
            taken = result
        elif isinstance(result, BaseException):
            taken = RefusedError(
                f"reading failed: {type(result).__name__}: {str(result)[:200]}",
                code="task_failed",
                remedy="run the command again; report it if it fails again",
            )
        else:
            taken = Extraction.model_validate(result)
        self.results[place] = taken
        self.progress(self.sources[place], taken)

    def abandon(self) -> None:
        """End the reading processes of this process: the run was stopped."""
        reading.close_pools()

    def finish(self) -> None:
        """Pair, classify, itemise and add: one version of the bank, and the report."""
        read = {place: r for place, r in self.results.items() if isinstance(r, Extraction)}
        order = sorted(read)
        before = [read[place] for place in order]
        from ingest.segment.pairing import pair

        after = pair(before, self.answers)
        keys = reading.paired_keys(before, after)
        questions: list[Question] = []
        outcomes: dict[int, FileOutcome] = {}
        spans: dict[int, tuple[int, int]] = {}
        for place, extraction in zip(order, after, strict=True):
            source = self.sources[place]
            paired = extraction.sha256 in keys
            outcome = read_outcome(extraction, source.told, self.settings.clean.min_extraction, paired=paired)
            found: list[Question] = []
            if outcome.outcome in {"kept", "unpaired"}:
                found, left = self._items(extraction, source.folder)
                outcome = outcome.model_copy(
                    update={"items": len(found), "dropped": (*outcome.dropped, *left)}
                )
            outcomes[place] = outcome
            spans[place] = (len(questions), len(questions) + len(found))
            questions += found
        for place, result in self.results.items():
            if not isinstance(result, Extraction):
                source = self.sources[place]
                outcomes[place] = refused_outcome(source.path.name, source.told, source.sha256, result)
        added: AddReport | None = None
        if self.bank is not None and not self.dry_run:
            added = self._add(self.bank, questions, order, outcomes)
            for place, (first, last) in spans.items():
                told = Counter(o.status.value for o in added.outcomes[first:last])
                outcomes[place] = outcomes[place].model_copy(update={"statuses": dict(sorted(told.items()))})
        self.report = self._report([outcomes[place] for place in sorted(outcomes)], questions, added)
        if self.bank is not None and not self.dry_run:
            from bank.storage import unwritten

            try:
                self.bank.reports.save(self.name, self.report.model_dump(mode="json"))
            except BankError as error:
                if error.code not in {"disk_full", "bank_barred"}:
                    raise  # the questions are in the bank all the same
                unwritten("the report of the batch", error, "The same command again writes it.")

    def _items(self, extraction: Extraction, folder: str) -> tuple[list[Question], list[Dropped]]:
        """The items of one document, and the drafts that became none."""
        from ingest.classify import classify
        from ingest.clean import check_paper, exam_facts, itemise

        questions: list[Question] = []
        left: list[Dropped] = []
        kind, year = exam_facts(extraction.title, extraction.source)
        labels = classify(extraction, folder, self.settings.classify)
        for draft, label in zip(check_paper(extraction.drafts), labels, strict=True):
            found = itemise(
                draft,
                label,
                self.settings.clean,
                min_label_confidence=self.settings.classify.min_confidence,
                exam_kind=kind,
                exam_year=year,
            )
            questions += found
            if not found:
                alone = "answer_only" in draft.flags
                reason = "answer without its paper" if alone else "no question can be made of it"
                text = draft.answer if alone and draft.answer else draft.printed
                region = next(iter(draft.regions), None)
                left.append(Dropped(source=draft.source, text=text[:200], reason=reason, region=region))
        return questions, left

    def _add(
        self,
        bank: Bank,
        questions: Sequence[Question],
        order: Sequence[int],
        outcomes: Mapping[int, FileOutcome],
    ) -> AddReport:
        """Keep the sources and figures, then commit the questions."""
        for place in order:
            if outcomes[place].items:
                bank.sources.put_file(self.sources[place].path)
        for digest in sorted({digest for question in questions for digest in question.figures}):
            file = next(self.assets_dir.glob(f"{digest}.*"), None)
            if file is not None:
                bank.figures.put(digest, file.read_bytes())
        told = summarise(list(outcomes.values()))
        return bank.add(
            questions,
            batch=self.name,
            who=who(),
            why=self.why or f"ingest of {len(self.sources)} files",
            now=datetime.now(UTC),
            counts={
                "documents": told.documents,
                "pages": told.pages,
                "ocr_pages": told.ocr_pages,
                "drafts": told.drafts,
                "items": told.items,
                "refused": told.refused,
            },
            stage_versions=stage.stage_versions(self.settings),
            dedup=self.settings.dedup,
        )

    def _report(
        self, read: Sequence[FileOutcome], questions: Sequence[Question], added: AddReport | None
    ) -> BatchReport:
        files = (*hinted(read), *self.others)
        statuses = added.by_status if added else dict(Counter(q.status.value for q in questions))
        unasked = None if self.dry_run else 0
        update = {
            "added": added.added if added else unasked,
            "already": added.already if added else unasked,
            "amended": added.amended if added else unasked,
            "active": statuses.get("active", 0),
            "review": statuses.get("review", 0),
            "duplicates": statuses.get("duplicate", 0) + added.repeated if added else unasked,
            "rejected": statuses.get("rejected", 0),
        }
        return BatchReport(
            batch=self.name,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            dry_run=self.dry_run,
            version=added.version if added else None,
            committed=added.committed if added else False,
            summary=summarise(files).model_copy(update=update),
            settings=printable(self.settings),
            stage_versions=stage.stage_versions(self.settings),
            files=files,
        )


# Batches that are running in this process, by name: a flow's parameters must stay small.
open_batches: dict[str, Batch] = {}


def who() -> str:
    """The name under which a change stands in the log: that of the account."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container whose user has no name
        return "unknown"
