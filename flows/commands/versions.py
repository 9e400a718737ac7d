"""`exambank log`, `diff`, `tag`, `restore`: the versions of a bank, by number or by name."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from bank.diff import DiffSummary
    from bank.versions import VersionInfo

LOG_EPILOG = "Example: exambank log --bank data/bank"
DIFF_EPILOG = "Example: exambank diff 3 5 --rows changes.jsonl --bank data/bank"
TAG_EPILOG = "Example: exambank tag june-paper 7 --why 'the paper of June' --bank data/bank"
RESTORE_EPILOG = "Example: exambank restore june-paper --why 'the July batch was wrong' --bank data/bank"
_SHOWN = 20
WhyOption = Annotated[str, typer.Option("--why", help="The reason, for the log.")]


def now() -> str:
    """The time of a change: RFC 3339, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def log(
    bank: common.BankOption = common.DEFAULT_BANK,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="So many versions.")] = None,
    as_json: common.JsonOption = False,
) -> int:
    """List the versions of a bank, newest first: when, who, why, which batch, how many came in, tags."""
    from bank.store import Bank
    from bank.versions import history

    common.settings(None)
    versions = history(Bank.open(bank), limit)
    if as_json:
        common.emit({"bank": str(bank), "versions": [v.model_dump(mode="json") for v in versions]})
        return 0
    names = ("added", "changed", "active", "review", "duplicate", "rejected")
    rows = [
        (
            v.version,
            v.at,
            v.who,
            v.batch or "-",
            _why(v),
            # Those of an edit or a restore are no counts of the bank: nothing, rather than none.
            *(v.counts.get(n, "-") for n in names),
            ", ".join(v.tags) + ("" if v.readable else " (vacuumed)"),
        )
        for v in versions
    ]
    common.table("", ("version", "at", "who", "batch", "why", *names, "tags"), rows)
    return 0


def _why(version: VersionInfo) -> str:
    """The reason of a version, and of one that went back, where to and what that did."""
    why = version.why or version.operation
    if version.restored is None:
        return why
    done = ", ".join(
        f"{version.counts[name]:,} {name}"
        for name in ("changed", "returned", "removed")
        if version.counts.get(name)
    )
    return f"{why} (restored version {version.restored}{': ' if done else ''}{done})"


def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="A version, or its tag.", show_default=False)],
    after: Annotated[
        str | None, typer.Argument(metavar="B", help="Another one; the newest by default.")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option("--rows", help="Write every row that differs, as JSON Lines.")
    ] = None,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Tell what differs between two versions: rows added, removed, changed by field, and moved."""
    from bank.diff import diff as compare
    from bank.store import Bank
    from bank.tags import resolve

    common.settings(None)
    common.check_out(rows, bank=bank)
    opened = Bank.open(bank)
    found = compare(
        opened, resolve(opened, before), opened.version if after is None else resolve(opened, after)
    )
    if rows is not None:
        lines = (json.dumps(row.model_dump(mode="json"), ensure_ascii=False) for row in found.rows())
        common.write_whole(rows, "".join(f"{line}\n" for line in lines).encode())
    if as_json:
        common.emit({"bank": str(bank), **found.summary.model_dump(mode="json")})
        return 0
    print_diff(found.summary)
    shown = [
        (row.change, row.question_id, row.discipline, ", ".join(row.fields))
        for row, _ in zip(found.rows(), range(_SHOWN), strict=False)
    ]
    if shown and rows is None:
        common.tell()
        common.table("", ("change", "question", "discipline", "fields"), shown)
        total = found.summary.added + found.summary.removed + found.summary.changed
        if total > _SHOWN:
            common.tell(f"and {total - _SHOWN:,} more; --rows FILE writes them all, with their values")
    return 0


def print_diff(told: DiffSummary) -> None:
    """The numbers of a diff, for people."""
    common.tell(
        f"version {told.before} to {told.after}: {told.added:,} added, {told.removed:,} removed, "
        f"{told.changed:,} changed"
    )
    codes = sorted({*told.added_by_discipline, *told.removed_by_discipline})
    counts = [(c, told.added_by_discipline.get(c, 0), told.removed_by_discipline.get(c, 0)) for c in codes]
    moves = [(move.source, move.target, move.items) for move in told.moves]
    for heads, rows in (
        (("discipline", "added", "removed"), counts),
        (("field", "changed in"), list(told.fields.items())),
        (("moved from", "to", "questions"), moves),
    ):
        if rows:
            common.tell()
            common.table("", heads, rows)


def tag(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The name to give; none lists all.")
    ] = None,
    version: Annotated[
        str | None, typer.Argument(metavar="[VERSION]", help="The version to name; the newest by default.")
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Take the name off its version.")] = False,
    why: WhyOption = "",
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Name a version, so that it is never vacuumed and the name stands wherever a number may."""
    from bank import tags
    from bank.store import Bank
    from flows.batch import who

    common.settings(None)
    opened = Bank.open(bank)
    if name is None:
        if delete:
            raise UsageError("--delete needs the name to take off.")
        known = tags.tags(opened)
        if as_json:
            common.emit({"bank": str(bank), "tags": [t.model_dump(mode="json") for t in known]})
        elif known:
            common.table(
                "",
                ("tag", "version", "at", "who", "why"),
                [(t.name, t.version, t.at, t.who, t.why) for t in known],
            )
        else:
            common.tell("no version has a tag")
        return 0
    if delete:
        if version is not None:
            raise UsageError("--delete takes a name off the version it has; give no version.")
        made = tags.untag(opened, name)
    else:
        wanted = opened.version if version is None else tags.resolve(opened, version)
        made = tags.tag(opened, name, wanted, who=who(), why=why, at=now())
    if as_json:
        common.emit({"bank": str(bank), "deleted": delete, **made.model_dump(mode="json")})
    else:
        common.tell(f"{made.name} {'was' if delete else 'is'} version {made.version}")
    return 0


def restore(
    version: Annotated[
        str,
        typer.Argument(metavar="VERSION", help="The version to go back to, or its tag.", show_default=False),
    ],
    why: WhyOption = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would change; change nothing.")
    ] = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Make what a version held the newest version. Nothing is lost: what was since stays in the log."""
    from bank.diff import diff as compare
    from bank.store import Bank
    from bank.tags import resolve
    from bank.versions import restore as go_back
    from flows.batch import who

    common.settings(None)
    opened = Bank.open(bank)
    wanted = resolve(opened, version)
    before = opened.version
    told = compare(opened, before, wanted).summary
    made = before
    if not dry_run:
        made = go_back(opened, wanted, who=who(), why=why or f"back to version {version}", at=now())
    if as_json:
        common.emit(
            {"bank": str(bank), "restored": wanted, "version": made, "diff": told.model_dump(mode="json")}
        )
        return 0
    print_diff(told)
    if dry_run:
        common.tell("\nnothing was changed")
    else:
        common.tell(
            f"\nversion {made} is what version {wanted} was" if made != before else "\nit is the same already"
        )
    return 0
