"""`exambank stats`: what a bank holds, what it lacks, and how it grew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from flows.commands import common

STATS_EPILOG = "Example: exambank stats --bank data/bank"


def stats(
    bank: common.BankOption = common.DEFAULT_BANK,
    version: Annotated[int | None, typer.Option("--version", min=0, help="Another than the newest.")] = None,
    target: Annotated[
        int, typer.Option("--target", min=0, help="Answered questions each sub-discipline should have.")
    ] = 100,
    as_json: common.JsonOption = False,
    config: common.ConfigOption = None,
) -> int:
    """Count the questions of a bank: by discipline and type, what is lacking, what waits, how it grew."""
    from bank.stats import stats as count
    from bank.store import Bank
    from flows.commands.draw import request_of
    from flows.reasons import explained
    from schemas.question import Status
    from schemas.taxonomy import taxonomy

    paper = request_of(
        common.settings(config).sample,
        seed=0,
        count=None,
        total=None,
        by="discipline",
        allocation="equal",
        filters=None,
        disciplines=None,
    )
    found = count(Bank.open(bank), paper, target, version)
    unanswered = found.status.get(Status.ACTIVE.value, 0) - found.answered
    if as_json:
        common.emit({"bank": str(bank), **found.model_dump(mode="json"), "unanswered": unanswered})
        return 0
    common.tell(
        f"{bank}, version {found.version}: {common.counted(found.items, 'item')} from "
        f"{common.counted(found.originals, 'printed question')}; of the active ones {found.answered:,} have "
        f"an answer, {unanswered:,} have none and are not drawn, {found.needs_figure:,} need a figure"
    )
    common.tell(
        f"{common.counted(min(found.papers.values(), default=0), 'paper')} of {paper.per_stratum} questions "
        f"a discipline can be drawn before one comes twice"
    )
    tax = taxonomy()
    disciplines = {code: f"{code} {node.zh} {node.en}" for code, node in tax.disciplines.items()}
    subs = {code: f"{code} {node.zh} {node.en}" for code, node in tax.sub_disciplines.items()}
    kinds = list(found.question_type)
    rows = [
        (
            disciplines.get(code, code or "(unknown)"),
            *(found.types[code].get(kind, 0) for kind in kinds),
            items,
            found.unanswered_by_discipline.get(code, 0),
            str(found.papers.get(code, "-")),
        )
        for code, items in found.discipline.items()
    ]
    if rows:
        common.tell()
        common.table("", ("discipline (active)", *kinds, "items", "no answer", "papers"), rows)
    for title, counts in (
        ("status", found.status),
        ("sub-discipline (active)", _named(found.sub_discipline, subs)),
        ("language (active)", found.language),
        ("why in review", found.review_reasons),
        ("why rejected", found.rejected_reasons),
    ):
        if counts:
            common.tell()
            common.table("", (title, "items"), list(counts.items()))
    if found.growth:
        common.tell()
        grown = [(g.at, g.batch or "-", g.added, found.batch.get(g.batch, 0)) for g in found.growth]
        common.table("", ("batch from", "batch", "added", "there now"), grown)
    if found.below_target:
        empty = sum(not items for items in found.below_target.values())
        some = sorted(((n, code) for code, n in found.below_target.items() if n), reverse=True)
        common.tell(
            f"\n{common.counted(len(found.below_target), 'sub-discipline')} below {target:,} answered "
            f"questions, {empty:,} of them without one (all in --json)"
        )
        if some:
            common.table(
                "", ("sub-discipline", "answered", "lacking"), [(subs[c], n, target - n) for n, c in some]
            )
    if told := explained([*found.review_reasons, *found.rejected_reasons]):
        common.tell()
        common.table("", ("code", "meaning"), told)
    return 0


def _named(counts: Mapping[str, int], names: Mapping[str, str]) -> dict[str, int]:
    return {names.get(code, code or "(unknown)"): count for code, count in counts.items()}
