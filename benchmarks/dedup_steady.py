"""Near-duplicates come out the same whatever the order, the workers and the batches, and families stay apart.

    python -m benchmarks.dedup_steady                    20,000 questions; one family of 200,000
    python -m benchmarks.dedup_steady 50000 --family 0

Each part ends in a line: (1) a bank in three orders, with one and with four workers, must give the same
clusters and keepers; (2) ten batches into a real bank against one batch of all: the share of joined pairs
that both have, then `dedup` of both, which must give the same groups; (3) both again with copies of copies
of copies, where heads of groups matter; there the share is told alone; (4) a bank that is one template with
other numbers in every question. The exit code is 1 when a goal is missed: same clusters, 99.5 % of the
pairs, at most one wrong merge in a thousand of the family.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bank.dedup.items import COLUMNS
from bank.dedup.pool import processes
from bank.dedup.whole import Plan, regroup
from bank.store import Bank
from benchmarks.dedup_scale import table_of
from benchmarks.made_bank import MadeBank, copied, look_alikes, make
from schemas.question import PrintedForm, Question, QuestionType
from schemas.settings import DedupSettings

BATCHES = 10
Pair = frozenset[str]


def chained(made: MadeBank, seed: int) -> MadeBank:
    """The bank with a copy of every second copy, and a copy of that: chains are where order could matter."""
    rng, alike, texts = np.random.default_rng(seed), look_alikes(), list(made.texts)
    for copy, _ in made.copies[::2]:
        texts.append(copied(rng, texts[copy], alike))
        texts.append(copied(rng, texts[-1], alike))
    return MadeBank(texts)


def orders(made: MadeBank, seed: int) -> bool:
    """Whether three orders of the rows, with one and four workers, give one plan."""
    table = table_of(made)
    plans: list[Plan] = []
    for number in range(3):
        places = list(range(len(made.texts)))
        if number:
            random.Random(seed + number).shuffle(places)
        shuffled = table.take(pa.array(places))
        for workers in (1, 4):
            with processes(workers, len(places)) as pool:
                plans.append(regroup(shuffled, DedupSettings(), pool=pool, threads=workers))
    same = all(plan == plans[0] for plan in plans)
    print(
        f"orders: {len(plans)} plans of {len(made.texts):,} questions, {len(plans[0].clusters):,} clusters, "
        f"{'all the same' if same else 'NOT the same'}",
        flush=True,
    )
    return same


def increments(made: MadeBank, seed: int) -> tuple[float, bool]:
    """Share of pairs that ten batches and one batch join alike, and whether `dedup` makes both the same."""
    asked = [
        Question(
            prompt=text,
            printed=text,
            question_type=QuestionType.SHORT_ANSWER,
            printed_form=PrintedForm.SHORT_ANSWER,
            discipline="d08",
            source=f"paper{place}.pdf",
            source_sha256=f"{place:064x}",
            evidence={"draft_id": str(place)},
        )
        for place, text in enumerate(made.texts)
    ]
    random.Random(seed).shuffle(asked)
    with tempfile.TemporaryDirectory() as folder:
        whole = _bank(Path(folder) / "whole", [asked])
        parts = _bank(Path(folder) / "parts", [asked[at::BATCHES] for at in range(BATCHES)])
        one, other = _joined(whole), _joined(parts)
        share = len(one & other) / max(1, len(one | other))
        for bank in (whole, parts):
            plan = regroup(bank.table(COLUMNS), DedupSettings())
            bank.amend(plan.changes, seen=bank.version, who="bench", why="dedup", now="2026-02-01T00:00:00Z")
        one_after, other_after = _joined(whole), _joined(parts)
    same = one_after == other_after
    print(
        f"increments: {len(one):,} pairs joined at once, {len(other):,} in {BATCHES} batches, {share:.3%} "
        f"of all in both; after dedup {'the same' if same else 'NOT the same'} {len(one_after):,}",
        flush=True,
    )
    return share, same


def _bank(folder: Path, batches: list[list[Question]]) -> Bank:
    bank = Bank.create(folder, os.urandom(32))
    for number, batch in enumerate(batches):
        bank.add(
            batch, batch=f"b{number}", who="bench", why="bench", now=f"2026-01-{number + 1:02}T00:00:00Z"
        )
    return bank


def _joined(bank: Bank) -> set[Pair]:
    """Every two questions that have one keeper, by their texts."""
    clusters: dict[str, list[str]] = {}
    rows: list[dict[str, Any]] = bank.table(["question_id", "duplicate_of", "printed"]).to_pylist()
    for row in rows:  # a keeper that the bank had already is not rewritten: only the others name it
        clusters.setdefault(row["duplicate_of"] or row["question_id"], []).append(row["printed"])
    return {frozenset(pair) for members in clusters.values() for pair in combinations(sorted(members), 2)}


def family(size: int, seed: int) -> bool:
    """Whether so many members of one template stay apart."""
    rng = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < size:
        n, m, k, h = rng.randint(10, 9999), rng.randint(10, 999), rng.randint(10, 99), rng.randint(2, 9)
        made[f"某机械车间第{n}号机床每小时加工{m}个零件，合格率为{k}%，求{h}小时内不合格品的数量。"] = None
    began = time.perf_counter()
    with processes(2, size) as pool:
        plan = regroup(table_of(MadeBank(list(made))), DedupSettings(), pool=pool, threads=2)
    took = time.perf_counter() - began
    wrong = sum(len(cluster.members) for cluster in plan.clusters)
    print(f"family: {size:,} members of one template in {took:.1f} s, {wrong} joined wrongly, "
          f"{len(plan.doubts)} in doubt", flush=True)  # fmt: skip
    return wrong <= size / 1000


def main() -> None:
    """Print a line for each part."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("size", nargs="?", type=int, default=20_000)
    parser.add_argument("--family", type=int, default=200_000, help="members of the template, or 0")
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    made = make(told.size, told.seed)
    share, same = increments(made, told.seed)
    met = [orders(made, told.seed), share >= 0.995 and same]
    made = chained(made, told.seed)
    met += [orders(made, told.seed), increments(made, told.seed)[1]]
    if told.family:
        met.append(family(told.family, told.seed))
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
