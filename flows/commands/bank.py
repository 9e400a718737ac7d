"""`exambank stats`, `log` and `sample`: what a bank holds, its versions, and draws from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from flows.commands import common

STATS_EPILOG = "Example: exambank stats --bank data/bank"
LOG_EPILOG = "Example: exambank log --bank data/bank"
SAMPLE_EPILOG = "Example: exambank sample -n 3 --seed 1 --bank data/bank --out data/runs/paper"
MOST = 10_000_000  # questions per discipline of a draw; more is a slip of the hand
ITEMS, MANIFEST = "items.jsonl", "manifest.json"


def stats(
    bank: common.BankOption = common.DEFAULT_BANK,
    version: Annotated[int | None, typer.Option("--version", min=0, help="Another than the newest.")] = None,
    as_json: common.JsonOption = False,
) -> int:
    """Count the questions of a bank by status, discipline, type, language and batch."""
    from bank.stats import stats as count
    from bank.store import Bank
    from flows.reasons import explained
    from schemas.question import Status
    from schemas.taxonomy import taxonomy

    common.settings(None)
    found = count(Bank.open(bank), version)
    unanswered = found.status.get(Status.ACTIVE.value, 0) - found.answered
    if as_json:
        common.emit({"bank": str(bank), **found.model_dump(mode="json"), "unanswered": unanswered})
        return 0
    typer.echo(
        f"{bank}, version {found.version}: {common.counted(found.items, 'item')} from "
        f"{common.counted(found.originals, 'printed question')}; of the active ones {found.answered:,} have "
        f"an answer, {unanswered:,} have none and are not drawn, {found.needs_figure:,} need a figure"
    )
    tax = taxonomy()
    disciplines = {code: f"{code} {node.zh} {node.en}" for code, node in tax.disciplines.items()}
    subs = {code: f"{code} {node.zh} {node.en}" for code, node in tax.sub_disciplines.items()}
    for title, counts in (
        ("status", found.status),
        ("discipline (active)", _named(found.discipline, disciplines)),
        ("sub-discipline (active)", _named(found.sub_discipline, subs)),
        ("type (active)", found.question_type),
        ("language (active)", found.language),
        ("batch", found.batch),
        ("why in review", found.review_reasons),
        ("why rejected", found.rejected_reasons),
    ):
        if counts:
            typer.echo()
            common.table("", (title, "items"), list(counts.items()))
    if told := explained([*found.review_reasons, *found.rejected_reasons]):
        typer.echo()
        common.table("", ("code", "meaning"), told)
    return 0


def _named(counts: Mapping[str, int], names: Mapping[str, str]) -> dict[str, int]:
    return {names.get(code, code or "(unknown)"): count for code, count in counts.items()}


def log(
    bank: common.BankOption = common.DEFAULT_BANK,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="So many versions.")] = None,
    as_json: common.JsonOption = False,
) -> int:
    """List the versions of a bank, newest first: when, who, why, which batch, how many."""
    from bank.store import Bank
    from bank.versions import history

    common.settings(None)
    versions = history(Bank.open(bank), limit)
    if as_json:
        common.emit({"bank": str(bank), "versions": [v.model_dump(mode="json") for v in versions]})
        return 0
    names = ("added", "active", "review", "duplicate", "rejected")
    rows = [
        (v.version, v.at, v.who, v.batch or "-", v.why or v.operation, *(v.counts.get(n, 0) for n in names))
        for v in versions
    ]
    common.table("", ("version", "at", "who", "batch", "why", *names), rows)
    return 0


def sample(
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=MOST, help="Questions per discipline.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the draw.", show_default=False)],
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same questions.")],
    allow_short: Annotated[
        bool, typer.Option("--allow-short", help="Take what there is where a discipline has fewer.")
    ] = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Draw the same number of questions from each discipline, without their answers."""
    from bank.sample import draw, encode
    from bank.store import Bank
    from schemas.errors import UsageError

    common.settings(None)
    common.check_out(out, folder=True)
    opened = Bank.open(bank)
    version = opened.version
    items, manifest = draw(
        opened.read(version=version),
        seed=seed,
        per_stratum=count,
        allow_short=allow_short,
        bank_version=version,
    )
    data = manifest.model_dump_json(indent=1).encode() + b"\n"
    target = out / MANIFEST
    if target.exists() and target.read_bytes() != data:
        raise UsageError(
            f"{out} holds another draw.",
            code="draw_exists",
            remedy="Name a new folder: a sample that was used must not change under a run.",
        )
    common.write_whole(out / ITEMS, encode(items))
    common.write_whole(target, data)
    if as_json:
        common.emit({"out": str(out), **manifest.model_dump(mode="json")})
        return 0
    rows = [(s.name, s.eligible, s.wanted, s.drawn) for s in manifest.strata]
    common.table("", ("discipline", "eligible", "wanted", "drawn"), rows)
    typer.echo(f"{common.counted(len(items), 'question')} of version {version} in {out}")
    return 0
