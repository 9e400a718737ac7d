"""`exambank ledger` and `retire-exposed`: what institutions have been given, and what that leaves."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common, draw
from flows.commands.versions import WhyOption, now

if TYPE_CHECKING:
    from bank.exposure import Left
    from bank.ledger import Ledger, Run

EPILOG = "Example: exambank ledger status 'Example University' --bank data/bank"
RETIRE_EPILOG = "Example: exambank retire-exposed 5 --dry-run --bank data/bank"


class Step(enum.StrEnum):
    """What to do with the ledger."""

    STATUS = "status"
    RELEASE = "release"


def ledger(
    step: Annotated[
        Step,
        typer.Argument(help="status: runs and papers left; release: take a run back.", show_default=False),
    ],
    institution: Annotated[
        str | None, typer.Argument(metavar="INSTITUTION", help="By the name given to `sample`.")
    ] = None,
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="The run to release.")] = None,
    why: WhyOption = "",
    unseen: Annotated[
        bool, typer.Option("--unseen", help="Release a run whose sample was written: nobody has seen it.")
    ] = False,
    count: draw.CountOption = None,
    total: draw.TotalOption = None,
    by: draw.ByOption = "discipline",
    allocation: draw.AllocationOption = "equal",
    filters: draw.FilterOption = None,
    disciplines: draw.DisciplinesOption = None,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Tell which runs an institution has had and how many full papers it can still be given.

    A paper is described as in `sample`. Without an institution: all runs of all of them.
    """
    from bank.exposure import papers_left
    from bank.ledger import Ledger
    from bank.store import Bank
    from schemas.errors import UsageError

    settings = common.settings(None).sample
    if step is Step.STATUS and run is not None:
        raise UsageError("status takes an institution, no run.")
    if step is Step.RELEASE and (institution is None or run is None or not why.strip()):
        raise UsageError("Name the institution and the run, and the reason with --why.")
    opened = Bank.open(bank)
    book = Ledger(opened.path)
    if step is Step.RELEASE and institution is not None and run is not None:
        return _release(book, institution, run, why.strip(), unseen, as_json)
    runs = book.runs(institution)
    left: list[Left] = []
    if institution is not None:
        request = draw.request_of(
            settings, seed=0, count=count, total=total, by=by, allocation=allocation, filters=filters,
            disciplines=disciplines,
        )  # fmt: skip
        left = papers_left(opened, book, institution, request)
    papers = min((s.papers for s in left if s.papers is not None), default=0)
    if as_json:
        common.emit(
            {
                "institution": institution,
                "papers_left": papers if institution is not None else None,
                "strata": [s.model_dump(mode="json") for s in left],
                "runs": [r.model_dump(mode="json") for r in runs],
            }
        )
        return 0
    _tell(institution, runs, left, papers, book)
    return 0


def retire_exposed(
    least: Annotated[int, typer.Argument(metavar="K", min=1, help="Institutions that have been given it.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be retired; change nothing.")
    ] = False,
    why: WhyOption = "",
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Retire the active questions that K institutions or more have been given, as one version.

    A question counts as given when a sibling or a duplicate of it has been.
    """
    from bank.exposure import overexposed, retire
    from bank.ledger import Ledger
    from bank.store import Bank
    from flows.batch import who

    common.settings(None)
    opened = Bank.open(bank)
    book = Ledger(opened.path)
    version = opened.version
    if dry_run:
        found = overexposed(opened, book, least)
    else:
        found, version = retire(
            opened, book, least, who=who(), why=why or f"retire-exposed {least}", at=now()
        )
    if as_json:
        common.emit({"bank": str(bank), "dry_run": dry_run, "retired": found, "version": version})
        return 0
    if found:
        common.table("", ("question", "institutions"), list(found.items()))
    told = f"{common.counted(len(found), 'question')} given to {least} institutions or more"
    common.tell(f"{told}: {'would be retired' if dry_run else f'retired; bank at version {version}'}")
    return 0


def _release(book: Ledger, institution: str, run: str, why: str, unseen: bool, as_json: bool) -> int:
    from flows.batch import who

    done = book.release(institution, run, who=who(), why=why, at=now(), unseen=unseen)
    if as_json:
        common.emit(done.model_dump(mode="json"))
    else:
        told = f"{common.counted(done.questions, 'question')} may be drawn for {done.institution} again"
        common.tell(f"run {done.run} released: {told}")
    return 0


def _tell(institution: str | None, runs: list[Run], left: list[Left], papers: int, book: Ledger) -> None:
    if runs:
        heads = ("institution", "run", "at", "version", "questions", "state", "note")
        rows = [
            (r.institution, r.run, r.at, r.version, r.questions, r.state.value, r.note or "-") for r in runs
        ]
        common.table("", heads, rows)
    else:
        known = ", ".join(sorted({r.institution for r in book.runs()})) or "none"
        of = f" of {institution}" if institution is not None else ""
        common.tell(f"the ledger has no run{of}; institutions on record: {known}")
    if institution is None:
        return
    common.tell()
    names = draw.discipline_names()
    common.table(
        "",
        ("stratum", "eligible", "given before", "left", "a paper has", "papers left"),
        [
            (names.get(s.name, s.name), s.eligible, s.exposed, s.left, s.per_paper,
             s.papers if s.papers is not None else "-")
            for s in left
        ],
    )  # fmt: skip
    common.tell(f"{common.counted(papers, 'full paper')} left for {institution}")
    for one in runs:
        if one.state.value == "reserved":
            common.tell(
                f"run {one.run} was reserved and its sample not written: run its command again, or release it"
            )
