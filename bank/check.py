"""Whether a bank is sound: its table, rows, links, files and index; each problem with how to mend it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from bank import sums
from bank.checks import files as of_files
from bank.checks import marks as of_marks
from bank.checks import rows as of_rows
from bank.checks.problem import Checked, Problem, problem
from bank.files import locked_if_free
from bank.storage import short, storage
from bank.tags import missing, tags
from bank.upkeep import leftovers
from schemas.document import Frozen
from schemas.errors import BankError

if TYPE_CHECKING:
    from bank.store import Bank


class CheckReport(Frozen):
    """What `check` found. A sound bank has no errors and no warnings."""

    version: int
    items: int
    files: int
    deep: bool = Field(description="whether checksums were compared too")
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether there is nothing but notes."""
        return all(problem.level == "note" for problem in self.problems)


def check(bank: Bank, *, deep: bool = True) -> CheckReport:
    """Look at everything a bank holds; nothing is changed.

    deep: read every value of every file, and compare checksums too, of what every question says and of
    every source and figure. What
    is so wrong that the table cannot be opened is told with what is wrong with its log, and alone.
    """
    try:
        delta = bank.delta()
    except BankError as error:  # what is wrong with its log can be told all the same
        if error.code != "bank_damaged":
            raise
        return _unopened(bank, error, deep)
    here = Checked(bank, delta, deep)
    found = [*_guarded(of_files.log, here), *of_files.table(here), *_guarded(of_files.kept, here)]
    if deep and not _unreadable(found):
        found += _guarded(of_files.summed, here)
        if not _unreadable(found):
            found += _guarded(of_files.decoded, here)
    broken = _unreadable(found)
    steps: list[Callable[[Checked], Iterator[Problem]]] = [
        _tags,
        of_marks.marks,
        _index,
        _facts,
        _reports,
        _leftovers,
    ]
    if not broken:
        steps = [of_rows.ids, of_rows.values, of_rows.links, of_files.assets, of_marks.ledger, *steps]
    if not broken and deep:
        steps += [of_rows.contents, of_files.digests]
    for step in steps:
        found += _guarded(step, here)
    rank = {"error": 0, "warning": 1, "note": 2}
    return CheckReport(
        version=here.delta.version(),
        items=sum(action or 0 for action in of_files.counts(here)),
        files=len(here.delta.file_uris()),
        deep=deep,
        problems=tuple(sorted(found, key=lambda p: rank[p.level])),
    )


def _unopened(bank: Bank, error: BankError, deep: bool) -> CheckReport:
    """The report on a table that cannot be opened."""
    newest, _ = sums.newest_of(bank.path)
    found = list(problem(error.code, "error", error.message, "Restore the folder questions from a backup."))
    found += of_files.broken_log(bank.path)
    return CheckReport(version=max(newest, 0), items=0, files=0, deep=deep, problems=tuple(found))


def _unreadable(found: list[Problem]) -> bool:
    """Whether rows are better not read: it would tell the same harm again and again."""
    return any(p.code in {"files_missing", "files_damaged", "schema"} for p in found)


def _guarded(step: Callable[[Checked], Iterator[Problem]], here: Checked) -> list[Problem]:
    """What a step finds; a file whose inside is damaged is found by reading it."""
    import pyarrow as pa

    try:
        return list(step(here))
    except (OSError, ValueError, pa.ArrowException) as error:  # ValueError: text that is no UTF-8
        barred = storage(error)
        if barred is not None:
            return list(problem(barred.code, "error", barred.message, barred.remedy))
        return list(of_files.damaged([short(error)]))


def _tags(here: Checked) -> Iterator[Problem]:
    try:
        known = tags(here.bank)
    except BankError as error:
        yield from problem(error.code, "error", error.message, error.remedy)
        return
    lost = []
    for tag in known:
        try:
            if missing(here.bank, here.bank.delta(tag.version).file_uris()):
                lost.append(f"{tag.name} ({tag.version})")
        except BankError:
            lost.append(f"{tag.name} ({tag.version})")
    yield from problem(
        "tag_lost",
        "error",
        "{n} tagged versions cannot be read.",
        "Restore the files of the folder questions from a backup, or take the tags off.",
        lost,
    )


def _index(here: Checked) -> Iterator[Problem]:
    from bank.dedup.index import NearIndex

    folder = here.bank.path / "index"
    name, version = str(here.delta.metadata().id), here.delta.version()
    if here.delta.file_uris() and NearIndex.load(folder, name, version) is None:
        yield from problem(
            "index_stale",
            "note",
            f"The index of near-duplicates is not that of version {version}.",
            "Nothing to do: the next batch makes it anew.",
        )


def _facts(here: Checked) -> Iterator[Problem]:
    from bank.draw.facts import spoilt

    yield from problem(
        "cache_damaged",
        "note",
        "{n} files kept for draws are damaged.",
        "Nothing to do: they are not read, and the next draw makes them anew.",
        spoilt(here.bank.path),
    )


def _reports(here: Checked) -> Iterator[Problem]:
    bad = []
    for path in sorted((here.bank.path / "batches").glob("*.json")):
        try:
            whole = isinstance(json.loads(path.read_text(encoding="utf-8")), dict)
        except (OSError, ValueError):
            whole = False
        if not whole:
            bad.append(path.name)
    yield from problem(
        "batch_report",
        "warning",
        "{n} batch reports cannot be read.",
        "Restore them from a backup, or delete them: the questions themselves are not in them.",
        bad,
    )


def _leftovers(here: Checked) -> Iterator[Problem]:
    try:
        with locked_if_free(here.bank.path) as free:
            left = leftovers(here.bank) if free else []
    except BankError as error:
        if error.code != "log_broken":  # told of by itself
            yield from problem(
                error.code, "note", "Leftovers were not looked for: " + error.message, error.remedy
            )
        return
    yield from problem(
        "writer_at_work",
        "note",
        "Another process is writing; leftovers were not looked for.",
        "Check again when it is done.",
        [] if free else [""],
    )
    yield from problem(
        "leftovers",
        "note",
        "{n} files are left of writers that were killed; no version needs them.",
        "Remove them with `exambank sweep`.",
        [one.path for one in left],
    )
