"""`exambank compare`, `dedup`, `contamination`: one question twice, in a pair, a bank, a corpus."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from bank.dedup.whole import Plan

COMPARE_EPILOG = "Example: exambank compare pairs.jsonl --out verdicts.jsonl"
DEDUP_EPILOG = "Example: exambank dedup --dry-run --html duplicates.html --bank data/bank"
CONTAMINATION_EPILOG = (
    "Example: exambank contamination corpus.jsonl book.txt --bank data/bank --out hits.jsonl"
)
_SHOWN = 20


def compare(
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS", help="JSON Lines with id, a and b.", show_default=False)
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="JSON Lines: id, verdict, score, evidence.", show_default=False),
    ],
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Compare pairs of questions: duplicate, different, or a matter for a curator (review)."""
    from bank.dedup.verdict import compare as verdict

    settings = common.settings(config).dedup
    common.check_out(out, inputs=(pairs, config))
    lines, counts = [], Counter[str]()
    for row in _pairs(pairs):
        found = verdict(row["a"], row["b"], settings=settings)
        counts[found.verdict] += 1
        told = {"id": row["id"], "verdict": found.verdict, "score": round(found.score, 4)}
        lines.append(json.dumps({**told, "evidence": found.evidence}, ensure_ascii=False))
    common.write_whole(out, "".join(f"{line}\n" for line in lines).encode())
    if as_json:
        common.emit({"out": str(out), "pairs": len(lines), **dict(sorted(counts.items()))})
    else:
        told_counts = ", ".join(f"{n:,} {name}" for name, n in sorted(counts.items()))
        common.tell(f"{common.counted(len(lines), 'pair')}: {told_counts or 'none'}; in {out}")
    return 0


def _pairs(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", code="no_file") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{path}, line {number}, is no JSON: {error}.", code="bad_rows") from None
        if not isinstance(row, dict) or not {"id", "a", "b"} <= row.keys():
            row = {}
        if not all(isinstance(row.get(name), str) for name in ("a", "b")):
            raise UsageError(
                f"{path}, line {number}, is no pair.",
                code="bad_rows",
                remedy='Give each pair as {"id": 1, "a": "first question", "b": "second question"}.',
            )
        yield row


def dedup(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report only; change nothing.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The report as JSON.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="The report as a page to look at.")] = None,
    undo: Annotated[
        str | None, typer.Option("--undo", help="Take a merge back: a cluster's id, or one duplicate's.")
    ] = None,
    why: Annotated[str, typer.Option("--why", help="The reason, for the log.")] = "",
    runner: Annotated[
        common.Runner | None, typer.Option("--runner", help="Where texts are compared.")
    ] = None,
    address: common.AddressOption = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes; by default one per core.")
    ] = None,
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Decide the duplicates of a whole bank anew, and say so in the bank as one version."""
    from bank.dedup.items import COLUMNS
    from bank.dedup.whole import apart, regroup
    from bank.store import Bank
    from flows.batch import who
    from flows.dedup_report import page
    from flows.dedup_workers import hands

    if undo is not None and html is not None:
        raise UsageError("--html shows clusters; there are none to show with --undo.")
    settings = common.settings(config, common.runner_flags(runner, address, jobs))
    common.check_runner(settings.run)
    common.check_out(out, html, inputs=[config], bank=bank)
    opened = Bank.open(bank)
    seen = opened.version
    rows = opened.table(COLUMNS, version=seen)
    if undo is not None:
        plan = apart(rows, undo)
    else:
        with hands(settings.run, rows.num_rows) as who_works:
            plan = regroup(
                rows,
                settings.dedup,
                pool=who_works.pool,
                threads=who_works.threads,
                shards=who_works.shards,
            )
    version = seen
    if not dry_run:
        reason = why or (f"undo the merge {undo}" if undo is not None else "duplicates of the whole bank")
        counts = {} if undo is not None else {"clusters": len(plan.clusters), "duplicate": plan.merges}
        now = datetime.now(UTC)
        version = opened.amend(plan.changes, seen=seen, who=who(), why=reason, now=now, counts=counts)
    told = _told(plan, str(bank), version, applied=version != seen)
    if out is not None:
        common.write_whole(out, json.dumps({**told, **_detail(plan)}, ensure_ascii=False, indent=1).encode())
    if html is not None:
        common.write_whole(html, page(plan, str(bank), version).encode())
    if as_json:
        common.emit({**told, **({} if out else _detail(plan))})
    else:
        _print(plan, told, dry_run=dry_run, undo=undo)
    return 0


def _told(plan: Plan, bank: str, version: int, *, applied: bool) -> dict[str, Any]:
    return {
        "bank": bank,
        "version": version,
        "applied": applied,
        "items": plan.items,
        "clusters_found": len(plan.clusters),
        "duplicates": plan.merges,
        "conflicts": sum(cluster.conflict for cluster in plan.clusters),
        "doubts_found": len(plan.doubts),
        "changes": len(plan.changes),
    }


def _detail(plan: Plan) -> dict[str, Any]:
    data = plan.model_dump(mode="json")
    return {"clusters": data["clusters"], "doubts": data["doubts"], "changed": sorted(data["changes"])}


def _print(plan: Plan, told: dict[str, Any], *, dry_run: bool, undo: str | None) -> None:
    would = "would change" if dry_run else "changed"
    if undo is not None:
        common.tell(
            f"{would} {common.counted(len(plan.changes), 'question')}; bank at version {told['version']}"
        )
        return
    common.tell(
        f"{common.counted(plan.items, 'question')}: {told['duplicates']:,} duplicates in "
        f"{told['clusters_found']:,} clusters, {told['conflicts']:,} with answers that contradict "
        f"each other; {told['doubts_found']:,} doubtful pairs"
    )
    rows = [
        (cluster.cluster_id, 1 + len(cluster.members), cluster.keeper.prompt.replace("\n", " ")[:60])
        for cluster in sorted(plan.clusters, key=lambda c: -len(c.members))[:_SHOWN]
    ]
    if rows:
        common.table("", ("cluster", "questions", "keeper"), rows)
    common.tell(f"{would} {common.counted(len(plan.changes), 'question')}; bank at version {told['version']}")


def contamination(
    corpus: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Text, or JSON Lines.", show_default=False)
    ],
    field: Annotated[
        list[str] | None, typer.Option("--field", help="Search this field of a row alone; repeatable.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="What was found, as JSON Lines.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Look for questions in review and duplicates as well.")
    ] = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Tell which questions of the bank occur in a corpus, word for word or nearly."""
    from bank.dedup.contamination import Searcher, read_lines
    from bank.store import Bank
    from schemas.question import Status

    settings = common.settings(config).dedup
    common.check_out(out, inputs=(*corpus, config), bank=bank)
    wanted = None if every else {"status": Status.ACTIVE.value}
    columns = ("question_id", "prompt", "printed", "material")
    opened = Bank.open(bank)
    searcher = Searcher(opened.table(columns, filters=wanted).to_pylist(), settings)
    found = searcher.search(line for path in corpus for line in read_lines(path, field or ()))
    if out is not None:
        common.write_whole(out, "".join(f"{hit.model_dump_json()}\n" for hit in found.hits).encode())
    hit_ids = {how: {h.question_id for h in found.hits if h.how == how} for how in _HOW}
    told: dict[str, Any] = {
        "bank": str(bank),
        "version": opened.version,
        "questions": found.questions,
        "too_short": found.short,
        "lines": found.lines,
        **{how: len(ids) for how, ids in hit_ids.items()},
    }
    if as_json:
        told["hits"] = [hit.model_dump(mode="json") for hit in found.hits]
        common.emit(told)
        return 0
    common.tell(
        f"{common.counted(told['questions'], 'question')} looked for in "
        f"{common.counted(told['lines'], 'line')}: "
        + ", ".join(f"{len(ids):,} {how}" for how, ids in hit_ids.items())
        + f"; {told['too_short']:,} are too short to tell"
    )
    rows = [(h.how, f"{h.score:.2f}", h.question_id, f"{h.file}:{h.line}", h.found[:50]) for h in found.hits]
    if rows:
        common.table("", ("how", "score", "question", "place", "found"), rows[:_SHOWN])
    return 0


_HOW = ("verbatim", "near", "possible")
