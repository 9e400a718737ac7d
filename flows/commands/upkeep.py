"""`exambank check`, `compact`, `vacuum`, `sweep`: whether a bank is sound, and the care of its files."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands import common
from flows.commands.versions import WhyOption, now

CHECK_EPILOG = "Example: exambank check --bank data/bank"
COMPACT_EPILOG = "Example: exambank compact --bank data/bank"
VACUUM_EPILOG = "Example: exambank vacuum --keep 20 --dry-run --bank data/bank"
SWEEP_EPILOG = "Example: exambank sweep --dry-run --bank data/bank"
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Tell what would be removed; remove nothing.")]
_UNITS = ("B", "KB", "MB", "GB", "TB")


def check(
    quick: Annotated[bool, typer.Option("--quick", help="Leave checksums out.")] = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Tell whether a bank is sound: rows, links, files, index, ledger; each problem with how to mend it."""
    from bank.check import check as look
    from bank.store import Bank

    common.settings(None)
    report = look(Bank.open(bank), deep=not quick)
    if as_json:
        common.emit({"bank": str(bank), "sound": report.sound, **report.model_dump(mode="json")})
        return 0 if report.sound else 1
    verdict = "sound" if report.sound else "not sound"
    checksums = "checksums too" if report.deep else "without checksums"
    if any(found.code == "sums_missing" for found in report.problems):
        checksums = "checksums as far as there are any"
    common.tell(
        f"{bank}, version {report.version}: {verdict}; {common.counted(report.items, 'item')} in "
        f"{common.counted(report.files, 'file')}, {checksums}"
    )
    for found in report.problems:
        common.tell(f"\n{found.level:8} {found.message} [{found.code}]")
        if found.examples:
            more = " …" if found.count > len(found.examples) else ""
            common.tell(f"{'':8} {', '.join(found.examples)}{more}")
        common.tell(f"{'':8} → {found.remedy}")
    return 0 if report.sound else 1


def compact(
    why: WhyOption = "",
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Put the small files of a bank together, so that it is read faster. The questions stay as they are."""
    from bank.store import Bank
    from bank.upkeep import compact as work
    from flows.batch import who

    common.settings(None)
    done = work(Bank.open(bank), who=who(), why=why or "compact", at=now())
    if as_json:
        common.emit({"bank": str(bank), **done.model_dump(mode="json")})
    else:
        common.tell(
            f"{done.files_before:,} files became {done.files_after:,}; bank at version {done.version}"
        )
    return 0


def vacuum(
    keep: Annotated[
        int, typer.Option("--keep", min=1, help="So many of the newest versions stay readable.")
    ] = 10,
    dry_run: DryRunOption = False,
    why: WhyOption = "",
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Remove the files that only old versions need. Tagged versions, and the newest ones, stay."""
    from bank.store import Bank
    from bank.upkeep import vacuum as work
    from flows.batch import who

    common.settings(None)
    told = work(Bank.open(bank), keep=keep, who=who(), why=why or "vacuum", at=now(), dry_run=dry_run)
    if as_json:
        common.emit({"bank": str(bank), "dry_run": dry_run, **told.model_dump(mode="json")})
        return 0
    would = "would be removed" if dry_run else "removed"
    common.tell(f"{common.counted(told.files, 'file')} ({_size(told.bytes)}) {would}")
    if told.versions:
        gone = "could" if dry_run else "can"
        common.tell(f"versions that {gone} no longer be read: {', '.join(map(str, told.versions))}")
    return 0


def sweep(
    dry_run: DryRunOption = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Remove files that writers left when they were killed; no version needs them."""
    from bank.store import Bank
    from bank.upkeep import sweep as work

    common.settings(None)
    found = work(Bank.open(bank), dry_run=dry_run)
    if as_json:
        files = [left.model_dump(mode="json") for left in found]
        common.emit({"bank": str(bank), "dry_run": dry_run, "files": files})
        return 0
    for left in found:
        common.tell(f"{left.kind:10} {left.path}")
    would = "would be removed" if dry_run else "removed"
    common.tell(f"{common.counted(len(found), 'file')} ({_size(sum(f.bytes for f in found))}) {would}")
    return 0


def _size(count: int) -> str:
    value, unit = float(count), 0
    while value >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} {_UNITS[unit]}" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"
