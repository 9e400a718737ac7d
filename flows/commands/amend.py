"""`exambank edit`, `approve`, `reject`, `retire`, `merge`, `unmerge`, `apply`: what a reviewer decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common
from flows.commands.exchange import ForceOption, check_kept
from flows.commands.versions import now
from schemas.errors import ExamBankError, UsageError

if TYPE_CHECKING:
    from bank.amend import AmendReport
    from bank.edits import Change, Refusal
    from bank.store import Bank

EDIT_EPILOG = "Example: exambank edit q7f3a --set points=5 --revision 1 --why 'misprint' --bank data/bank"
APPROVE_EPILOG = "Example: exambank approve q7f3a qb2c4 --bank data/bank"
REJECT_EPILOG = "Example: exambank reject q7f3a --why 'not a question' --bank data/bank"
RETIRE_EPILOG = "Example: exambank retire q7f3a --why 'published' --bank data/bank"
MERGE_EPILOG = "Example: exambank merge q7f3a --into qb2c4 --why 'the same question' --bank data/bank"
UNMERGE_EPILOG = "Example: exambank unmerge q7f3a --why 'another question' --bank data/bank"
APPLY_EPILOG = "Example: exambank apply changes.xlsx --why 'review of June' --bank data/bank"
PARTLY = 3
_SHOWN = 50

IdsArgument = Annotated[
    list[str],
    typer.Argument(metavar="ID...", help="Ids of questions, or their beginnings.", show_default=False),
]
IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Id of a question, or its beginning.", show_default=False)
]
WhyOption = Annotated[
    str, typer.Option("--why", help="The reason: it stands with the question and in the log.")
]
RevisionOption = Annotated[
    int | None,
    typer.Option("--revision", min=1, help="The revision you saw; refused if there is a newer one."),
]
ReviewerOption = Annotated[
    str, typer.Option("--reviewer", help="Who decides; by default the name of the account.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Tell what would change; change nothing.")]


def edit(
    name: IdArgument,
    values: Annotated[
        list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="A new value; repeatable.")
    ] = None,
    empty: Annotated[
        list[str] | None, typer.Option("--clear", metavar="FIELD", help="Empty a field; repeatable.")
    ] = None,
    why: WhyOption = "",
    revision: RevisionOption = None,
    reviewer: ReviewerOption = "",
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Change fields of a question. Its id stays, its revision is raised."""
    common.settings(None)
    fields: dict[str, Any] = {}
    for entry in values or ():
        field, mark, value = entry.partition("=")
        if not mark or not field.strip():
            raise UsageError(f"--set takes FIELD=VALUE, not {entry!r}.")
        _once(fields, field.strip())
        fields[field.strip()] = value
    for field in empty or ():
        _once(fields, field)
        fields[field] = None
    if not fields:
        raise UsageError(
            "There is nothing to change.",
            remedy="Give --set FIELD=VALUE or --clear FIELD; each may be repeated.",
        )
    return _do(bank, "edit", [name], why, revision, reviewer, dry_run, as_json, fields=fields)


def _once(fields: Mapping[str, Any], field: str) -> None:
    if field in fields:
        raise UsageError(f"{field} is given two values.", remedy="Name each field once, to set or to clear.")


def approve(
    names: IdsArgument,
    why: WhyOption = "",
    revision: RevisionOption = None,
    reviewer: ReviewerOption = "",
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Say that questions are as they should be: they become active."""
    common.settings(None)
    return _do(bank, "approve", names, why, revision, reviewer, dry_run, as_json)


def reject(
    names: IdsArgument,
    why: WhyOption = "",
    revision: RevisionOption = None,
    reviewer: ReviewerOption = "",
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Say that questions are none, or no good. The best duplicate of a rejected one takes its place."""
    common.settings(None)
    return _do(bank, "reject", names, why, revision, reviewer, dry_run, as_json)


def retire(
    names: IdsArgument,
    why: WhyOption = "",
    revision: RevisionOption = None,
    reviewer: ReviewerOption = "",
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Take questions out of use, and their duplicates with them; new copies of them go to review."""
    common.settings(None)
    return _do(bank, "retire", names, why, revision, reviewer, dry_run, as_json)


def merge(
    names: IdsArgument,
    into: Annotated[
        str, typer.Option("--into", metavar="ID", help="The question to keep.", show_default=False)
    ],
    why: WhyOption = "",
    revision: RevisionOption = None,
    reviewer: ReviewerOption = "",
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Say that questions are the same as another one, which is kept; `dedup` leaves it so."""
    common.settings(None)
    return _do(bank, "merge", names, why, revision, reviewer, dry_run, as_json, into=into)


def unmerge(
    names: IdsArgument,
    why: WhyOption = "",
    revision: RevisionOption = None,
    reviewer: ReviewerOption = "",
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Say that duplicates are questions of their own; of a keeper's id, all its duplicates."""
    common.settings(None)
    return _do(bank, "unmerge", names, why, revision, reviewer, dry_run, as_json)


def apply(
    changes: Annotated[
        Path, typer.Argument(metavar="FILE", help="Changes as JSON Lines, CSV or XLSX.", show_default=False)
    ],
    why: Annotated[str, typer.Option("--why", help="The reason, for the log and for rows without one.")] = "",
    reviewer: ReviewerOption = "",
    skip_bad: Annotated[
        Path | None,
        typer.Option("--skip-bad", metavar="FILE", help="Apply the good rows; keep the others here."),
    ] = None,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Apply a file of changes as one version: all of it, or nothing and the places that are wrong."""
    from bank.changes import read_changes
    from bank.exchange.rowfile import refused_rows
    from bank.store import Bank

    common.settings(None)
    if skip_bad is not None:
        common.check_out(skip_bad, inputs=[changes], bank=bank)
        check_kept(skip_bad, force)
    opened = Bank.open(bank)
    found = read_changes(changes)
    given = [
        change.model_copy(update={"reason": change.reason or why, "reviewer": change.reviewer or reviewer})
        for change in found.changes
    ]
    if not given and not found.refused:
        raise UsageError(
            f"{changes} has no changes.", remedy="Give each its row under the line of column names."
        )
    reason = why or f"changes of {changes.name}"
    report = _apply(opened, given, reason, dry_run, refused=found.refused, skip_bad=skip_bad is not None)
    if skip_bad is not None and report.refused and not dry_run:
        try:
            common.write_whole(skip_bad, refused_rows(found.rows, report.refused))
        except ExamBankError as error:  # the good rows are in: that must not look undone
            common.say(f"note: the change is made, but the refused rows are not kept: {error.message}")
            skip_bad = None
    return _tell(report, str(bank), dry_run, as_json, kept=skip_bad)


def _do(
    bank: Path,
    action: str,
    names: Sequence[str],
    why: str,
    revision: int | None,
    reviewer: str,
    dry_run: bool,
    as_json: bool,
    *,
    fields: Mapping[str, Any] | None = None,
    into: str = "",
) -> int:
    """One action on questions of a bank, as one version."""
    from bank.edits import Action, Change
    from bank.store import Bank

    if revision is not None and len(names) > 1:
        raise UsageError("--revision is that of one question; give one id, or a file with `exambank apply`.")
    opened = Bank.open(bank)
    ids = whole_ids(opened, [*names, *([into] if into else [])])
    changes = [
        Change(
            question_id=ids[name],
            action=Action(action),
            revision=revision,
            fields=dict(fields or {}),
            into=ids[into] if into else "",
            reason=why,
            reviewer=reviewer,
        )
        for name in dict.fromkeys(names)
    ]
    report = _apply(opened, changes, why or action, dry_run)
    return _tell(report, str(bank), dry_run, as_json)


def whole_ids(bank: Bank, names: Sequence[str]) -> dict[str, str]:
    """The id each name is the beginning of, with or without its q; UsageError where that is not one."""
    known = [str(i) for i in bank.table(["question_id"])["question_id"].to_pylist()]
    exact = set(known)
    found = {}
    for name in names:
        low = name.lower()
        hits = [name] if name in exact else [i for i in known if low and i.startswith((low, f"q{low}"))]
        if len(hits) != 1:
            raise UsageError(
                f"{name} is the beginning of {len(hits)} ids."
                if hits
                else f"The bank has no question {name}.",
                code="ambiguous_id" if hits else "nothing_found",
                remedy="Give more of it: " + ", ".join(sorted(hits)[:5])
                if hits
                else "Give an id as `exambank sample` or `exambank diff --rows` prints it.",
            )
        found[name] = hits[0]
    return found


def _apply(
    bank: Bank,
    changes: Sequence[Change],
    why: str,
    dry_run: bool,
    *,
    refused: Sequence[Refusal] = (),
    skip_bad: bool = False,
) -> AmendReport:
    from bank.amend import apply as amend
    from flows.batch import who

    return amend(
        bank, changes, who=who(), why=why, at=now(), refused=refused, skip_bad=skip_bad, dry_run=dry_run
    )


def _tell(report: AmendReport, bank: str, dry_run: bool, as_json: bool, kept: Path | None = None) -> int:
    """What became of the changes; the exit code."""
    code = 0 if not report.refused else PARTLY if kept is not None or report.committed else 1
    if as_json:
        common.emit({"bank": bank, "dry_run": dry_run, **report.model_dump(mode="json")})
        return code
    for refusal in report.refused[:_SHOWN]:
        common.say(f"refused  {refusal}")
    if len(report.refused) > _SHOWN:
        common.say(f"refused  {len(report.refused) - _SHOWN:,} more; --json tells them all")
    if report.refused:
        left = f"they are in {kept}" if kept is not None and not dry_run else "nothing was changed"
        left = "they are not kept" if kept is None and report.committed else left
        common.say(f"{common.counted(len(report.refused), 'change')} of {report.given:,} refused; {left}")
    if report.committed or (dry_run and code != 1):
        told = ", ".join(f"{count} {action}" for action, count in report.applied.items())
        would = "would change" if dry_run else "changed"
        common.tell(
            f"{would} {common.counted(len(report.changed), 'question')} ({told or 'nothing'}); "
            f"bank at version {report.version}"
        )
    elif not report.refused:
        common.tell(f"it is so already; bank at version {report.version}")
    return code
