"""`exambank import` and `export`: questions from and to files of rows."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from bank.edits import Refusal
    from schemas.question import Question

IMPORT_EPILOG = "Example: exambank import questions.xlsx --batch donated --bank data/bank"
EXPORT_EPILOG = "Example: exambank export review.xlsx --filter status=review --bank data/bank"
PARTLY = 3
_SHOWN = 50
ForceOption = Annotated[
    bool, typer.Option("--force", help="Let --skip-bad replace a file that holds something else.")
]


def check_kept(skip_bad: Path, force: bool) -> None:
    """UsageError where the file for refused rows would take the place of something else."""
    from bank.exchange.rowfile import is_refused_rows

    try:
        other = skip_bad.is_file() and not force and not is_refused_rows(skip_bad)
    except OSError as error:
        raise UsageError(f"{skip_bad} cannot be read: {error.strerror}.", code="not_writable") from None
    if other:
        raise UsageError(
            f"{skip_bad} is there already, and is no file of refused rows.",
            code="file_exists",
            remedy="Name another, or add --force.",
        )


def import_rows(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="JSON Lines, CSV, XLSX or Parquet.")],
    batch: Annotated[str, typer.Option("--batch", help="Name of the batch.", show_default=False)],
    why: Annotated[str, typer.Option("--why", help="The reason, for the log.")] = "",
    skip_bad: Annotated[
        Path | None,
        typer.Option("--skip-bad", metavar="FILE", help="Add the good rows, and keep the bad ones in FILE."),
    ] = None,
    force: ForceOption = False,
    no_dedup: Annotated[
        bool, typer.Option("--no-dedup", help="Leave near-duplicates to a later `exambank dedup`.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the rows; add nothing.")] = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
    config: common.ConfigOption = None,
) -> int:
    """Add questions from a file of rows. One bad row, and nothing is added, unless --skip-bad says so."""
    from bank.exchange.incoming import read_questions
    from bank.exchange.known import ID, ORIGINAL, sort
    from bank.exchange.rowfile import refused_rows
    from bank.names import named
    from bank.store import Bank
    from bank.table import has_table
    from flows.batch import who

    settings = common.settings(config)
    batch = named(batch, "A batch")
    if skip_bad is not None:
        common.check_out(skip_bad, inputs=(source, config), bank=bank)
        check_kept(skip_bad, force)
    found = read_questions(source)
    already = 0
    if has_table(bank):
        lines = {str(row.get("question_id")): n for n, row in found.rows.items() if isinstance(row, dict)}
        parted = sort(Bank.open(bank), found.questions, lines)
        found.questions, already = list(parted.fresh), parted.already
        found.refused = sorted([*found.refused, *parted.refused], key=lambda r: r.line)
    written = not dry_run and bool(found.questions or already) and (not found.refused or skip_bad is not None)
    counts: dict[str, Any] = {"rows": len(found.questions) + already + len(found.refused), "added": 0}
    if dry_run and has_table(bank):
        opened = Bank.open(bank)
        names = sorted({q.question_id for q in opened.ids.identify(found.questions)})
        counts["already"] = already + opened.table(["question_id"], {"question_id": names}).num_rows
    if skip_bad is not None and found.refused and not dry_run:
        common.write_whole(skip_bad, refused_rows(found.rows, found.refused))
    if written:
        opened = Bank.open(bank) if has_table(bank) else Bank.create(bank)
        opened.sources.put_file(source)
        report = opened.add(
            found.questions,
            batch=batch,
            who=who(),
            why=why or f"imported from {source.name}",
            now=datetime.now(UTC),
            dedup=settings.dedup,
            settle_duplicates=not no_dedup,
        )
        counts |= {
            "added": report.added,
            "already": report.already + already,
            "repeated": report.repeated,
            "status": report.by_status,
            "version": report.version,
        }
        bare = {name for q in found.questions for name in q.figures if opened.figures.find(name) is None}
        if bare:
            common.say(
                f"note: {common.counted(len(bare), 'figure')} of these questions are not in this bank: "
                "copy them from the folder figures of the bank they come from"
            )
    if found.duplicates:
        common.say(
            f"note: {common.counted(found.duplicates, 'row')} of the file told to be duplicates: whose they "
            "are here, the bank finds out"
        )
    given = [q.evidence for q in found.questions]
    if any(ID in one for one in given) and not any(ORIGINAL in one for one in given):
        common.say(
            "note: the file has question_id and no original_id: which questions are siblings is lost, and "
            "they may be drawn together; export it again with that column"
        )
    return _told(found.questions, found.refused, counts, written, dry_run, as_json, skip_bad)


def _told(
    questions: list[Question],
    refused: list[Refusal],
    counts: dict[str, Any],
    written: bool,
    dry_run: bool,
    as_json: bool,
    kept: Path | None,
) -> int:
    code = 0 if not refused else PARTLY if written or (dry_run and kept is not None) else 1
    if as_json:
        rows = [r.model_dump(mode="json") for r in refused]
        common.emit({**counts, "refused": len(refused), "bad_rows": rows, "dry_run": dry_run})
        return code
    for refusal in refused[:_SHOWN]:
        common.say(str(refusal))
    if len(refused) > _SHOWN:
        common.say(f"… and {len(refused) - _SHOWN:,} more")
    read = counts["rows"] - len(refused)
    told = f"{common.counted(read, 'question')} read, {common.counted(len(refused), 'row')} refused"
    if written:
        more = {"there already": counts["already"], "repeated": counts["repeated"]}
        extra = "".join(f", {n:,} {word}" for word, n in more.items() if n)
        status = ", ".join(f"{word} {n:,}" for word, n in counts["status"].items())
        status = f" ({status})" if status else ""
        common.tell(f"{told}; {counts['added']:,} added {status}{extra}, version {counts['version']}")
    elif dry_run:
        spread = Counter(q.discipline for q in questions)
        there = f", {counts['already']:,} there already" if counts.get("already") else ""
        codes = ", ".join(f"{code} {n:,}" for code, n in sorted(spread.items()))
        common.tell(f"{told}{there}; nothing added, as asked ({codes})")
    else:
        common.tell(f"{told}; nothing added")
        if refused and kept is None:
            common.say("Mend the rows, or add the others with --skip-bad FILE.")
    return code


def export(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Where to: its ending, .jsonl, .csv, .xlsx or .parquet, says how."
        ),
    ],
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter", metavar="FIELD=VALUE", help="Only such questions; repeatable, values by commas."
        ),
    ] = None,
    columns: Annotated[
        str, typer.Option("--columns", help="Fields, by commas; all by default, in a sheet those to review.")
    ] = "",
    version: Annotated[int | None, typer.Option("--version", min=0, help="Another than the newest.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Write questions to a file of rows, answers included. `apply` and `import` read it again."""
    from bank.draw.request import filters_of, value
    from bank.exchange.outgoing import columns_of, encoded
    from bank.store import Bank

    common.settings(None)
    names = columns_of(out, [name.strip() for name in columns.split(",") if name.strip()])
    common.check_out(out, bank=bank)
    if out.exists() and not force:
        raise UsageError(
            f"{out} is there already.", code="file_exists", remedy="Name another, or add --force."
        )
    chosen = {name: [value(name, v) for v in values] for name, values in filters_of(filters or []).items()}
    opened = Bank.open(bank)
    number = opened.version if version is None else version
    order = dict.fromkeys([*names, "question_id"])
    table = opened.table(list(order), chosen, number).sort_by("question_id").select(names)
    common.write_whole(out, encoded(table, out.suffix))
    if as_json:
        common.emit({"out": str(out), "version": number, "rows": table.num_rows, "columns": list(names)})
    else:
        common.tell(
            f"{common.counted(table.num_rows, 'question')} of version {number} in {out}, answers included"
        )
    return 0
