"""`exambank redraw`: a draw made again from its manifest, and compared with what there is of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common
from flows.commands.draw import ITEMS, MANIFEST, ledger_of, read_manifest, write

if TYPE_CHECKING:
    from bank.store import Bank
    from schemas.evaluation import Manifest

EPILOG = "Example: exambank redraw data/runs/paper --bank data/bank"


def redraw(
    draw: Annotated[
        Path,
        typer.Argument(metavar="DRAW", help="Manifest of a draw, or its folder.", show_default=False),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder to write it to again.", show_default=False),
    ] = None,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Make a draw again from its manifest and say whether it is the same; the exit code is 1 if not."""
    from bank.draw.again import redraw as again
    from bank.draw.again import same, untrue
    from bank.store import Bank

    common.settings(None)
    common.check_out(out, folder=True, bank=bank)
    path = draw / MANIFEST if draw.is_dir() else draw
    manifest = read_manifest(path)
    opened = Bank.open(bank)
    items, made = again(opened, manifest)
    equal = same(manifest, made)
    missing, new = sorted(set(manifest.ids) - set(made.ids)), sorted(set(made.ids) - set(manifest.ids))
    wrong: list[str] = []
    written = None
    if equal:
        wrong = [f"the manifest tells other numbers of {name}" for name in untrue(manifest, made)]
        wrong += _entered(opened, manifest)
        if out is not None and not wrong:
            written = str(out)
            write(out, items, manifest)
        wrong += _items_of(path.parent / ITEMS, manifest, needed=draw.is_dir())
    whole = equal and not wrong
    if as_json:
        common.emit(
            {"same": whole, "missing": missing, "new": new, "wrong": wrong,
             "software": [manifest.software, made.software], "out": written}
        )  # fmt: skip
    elif whole:
        where = f", written to {out}" if out is not None else ""
        common.tell(
            f"the same draw: {common.counted(len(items), 'question')} of version {made.bank_version}{where}"
        )
    elif equal:
        common.tell(f"the same {common.counted(len(items), 'question')} are drawn, but {'; '.join(wrong)}")
    elif missing or new:
        common.tell(f"another draw: {len(missing)} of its questions are not drawn, {len(new)} others are")
    else:
        common.tell("the same questions in other words or another order: the bank or the software differs")
    return 0 if whole else 1


def _items_of(path: Path, manifest: Manifest, *, needed: bool) -> list[str]:
    """What is wrong with the items file of a draw."""
    mend = f"`exambank redraw {path.parent} --out {path.parent}` writes it again"
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [f"{path} is missing: {mend}"] if needed else []
    except OSError as error:
        return [f"{path} cannot be read: {error.strerror}"]
    if hashlib.sha256(data).hexdigest() == manifest.items_sha256:
        return []
    return [f"{path} is not what was drawn: {mend}"]


def _entered(bank: Bank, manifest: Manifest) -> list[str]:
    """What the ledger says against the manifest of an institution; a bank without a ledger says nothing."""
    from schemas.errors import BankError

    if not manifest.institution:
        return []
    try:
        known = ledger_of(bank).manifest(manifest.institution, manifest.run)
        runs = known is not None or bool(ledger_of(bank).runs())
    except BankError as error:
        common.say(f"note: the ledger was not asked: {error.message}")
        return []
    if known is None:
        told = f"the ledger has no run {manifest.run} of {manifest.institution}"
        return [told] if runs else []
    fields = [name for name, value in known.model_dump().items() if manifest.model_dump()[name] != value]
    return [f"the ledger has another {', '.join(fields)} of this run"] if fields else []
