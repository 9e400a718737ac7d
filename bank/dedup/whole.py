"""The duplicates of a whole bank decided anew: a plan to be read before it is applied, and undone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from bank.dedup.bulk import findings
from bank.dedup.clusters import partners_in, was
from bank.dedup.columns import fold as fold_all
from bank.dedup.items import (
    ANSWERS,
    APART,
    CONFLICT,
    DOUBT,
    FOUND,
    JOINED,
    WAS,
    Item,
    answers_conflict,
    asked,
    compare_items,
    may_meet,
)
from bank.dedup.join import pairs_of, readings
from bank.dedup.source import ListedRows, Rows, TableRows
from bank.dedup.verdict import Finding
from schemas.document import Frozen
from schemas.errors import UsageError
from schemas.question import Status
from schemas.settings import DedupSettings
from schemas.text import fold

if TYPE_CHECKING:
    import pyarrow as pa


_TRIED = 4  # older members of a group that are tried as its keeper
_Joined = dict[str, list[tuple[Item, Finding]]]  # keeper -> the others, with what was found


class Member(Frozen):
    """One question of a cluster or of a doubtful pair, and why it is there. The keeper has no verdict."""

    question_id: str
    source: str
    prompt: str
    answer: str = ""
    verdict: str = ""
    score: float = Field(default=1.0, ge=0, le=1)
    evidence: dict[str, str] = Field(default_factory=dict)
    new: bool = Field(default=False, description="not yet told so in the bank")


class Cluster(Frozen):
    """Questions that are the same one. members are the others, without the keeper."""

    cluster_id: str
    keeper: Member
    members: tuple[Member, ...]
    conflict: bool = Field(default=False, description="two answers contradict each other")


class Doubt(Frozen):
    """Two questions that may be the same one: what a curator decides."""

    one: Member
    other: Member


class Plan(Frozen):
    """What the bank's duplicates are, and the fields that must change for the bank to say so."""

    items: int = Field(description="questions looked at: all but rejected and retired ones")
    clusters: tuple[Cluster, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    changes: dict[str, dict[str, Any]] = Field(default_factory=dict, description="question_id -> fields")

    @property
    def merges(self) -> int:
        """Questions that are duplicates."""
        return sum(len(cluster.members) for cluster in self.clusters)


def regroup(
    rows: pa.Table | Sequence[Mapping[str, Any]],
    settings: DedupSettings,
    *,
    pool: Executor | None = None,
    threads: int = 1,
    shards: Executor | None = None,
    progress: Callable[[str], None] = lambda stage: None,
) -> Plan:
    """Decide all duplicates of a bank from what its questions say, whatever was decided before.

    rows: the bank with COLUMNS, in any order; an Arrow table is not made into objects. Rejected and
    retired questions are left alone, and what a curator has set apart or reviewed stays so. The
    outcome does not depend on the order in which batches came, nor on how many do the work.
    pool: processes that fold and judge. threads, shards: see join.pairs_of. progress is told the stage
    that begins: folding, candidates, verdicts, clusters.
    """
    source = TableRows(rows) if not isinstance(rows, Sequence) else ListedRows(rows)
    near = _near(source, settings, pool, threads, shards, progress)
    items, by_id = near.items, {item.id: item for item in near.items}
    joined: _Joined = {}
    tied = {item.id: item.joined for item in items if item.joined in by_id and item.joined != item.id}
    for item in sorted(items, key=lambda i: i.order):
        if item.id in tied:
            continue
        heads = {o.id: o for o in near.partners.get(item.id, ()) if o.id in joined}
        best = _best(item, heads.values(), "duplicate", near, settings)
        if best is None:
            joined[item.id] = []
        else:
            joined[best[0].id].append((item, best[1]))
    joined = {keeper.id: members for keeper, members in _kept(joined, by_id, near, settings)}
    doubts = list(_doubts(joined, by_id, near, settings))
    _join(tied, by_id, joined)
    return _plan(len(source), items, by_id, joined, doubts)


@dataclass
class _Near:
    """The questions that have anything to do with another, or say so, and what their texts are to each other.

    reading: place of an item -> number of what it reads. told: pairs of readings -> the finding.
    """

    items: list[Item]
    partners: dict[str, list[Item]]
    reading: dict[int, int]
    told: dict[tuple[int, int], Finding]

    def finding(self, item: Item, other: Item) -> Finding | None:
        """What was found of their texts; None where these must be compared."""
        return self.told.get((self.reading[item.place], self.reading[other.place]))


def _near(
    source: Rows,
    settings: DedupSettings,
    pool: Executor | None,
    threads: int,
    shards: Executor | None,
    progress: Callable[[str], None],
) -> _Near:
    progress("folding")
    folded = fold_all(source.asked(), pool)
    progress("candidates")
    read = readings(folded)
    pairs = pairs_of(folded, read.heads, settings, threads=threads, shards=shards)

    def text_of(places: Sequence[int]) -> list[str]:
        return [asked(r["prompt"], r["printed"], r["material"])[0] for r in source.take(places)]

    progress("verdicts")
    met: list[tuple[int, int]] = []
    told: dict[tuple[int, int], Finding] = {}
    for number, forth, back in findings(folded, read.heads[pairs], settings, text_of, pool):
        i, j = pairs[number].tolist()
        met.append((i, j))
        told[i, j], told[j, i] = forth, back
    progress("clusters")
    sizes = np.bincount(read.reading, minlength=len(read.heads))
    wanted = sizes > 1
    wanted[[i for pair in met for i in pair]] = True
    places = set(np.flatnonzero(wanted[read.reading]).tolist()) | set(settled := source.settled())
    merged = {item.joined for item in map(_item, source.take(settled), settled)} - {""}
    places |= set(source.place_of(sorted(merged)))
    ordered = sorted(places)
    items = [_item(row, place) for row, place in zip(source.take(ordered), ordered, strict=True)]
    reading = {place: int(read.reading[place]) for place in ordered}
    equal = Finding("duplicate", 1.0, {"text": "equal"})
    for number in np.flatnonzero((sizes > 1) & (folded.tokens[read.heads] > 0)).tolist():
        told[number, number] = equal
    groups: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        groups[reading[item.place]].append(item)
    return _Near(items, partners_in(groups, met), reading, told)


def _best(
    item: Item, others: Iterable[Item], verdict: str, near: _Near, settings: DedupSettings
) -> tuple[Item, Finding] | None:
    """The likest of the others of which this is found, then the first in order."""
    found = [(other, compare_items(item, other, settings, near.finding(item, other))) for other in others]
    able = [one for one in found if one[1].verdict == verdict]
    return min(able, key=lambda one: (-one[1].score, one[0].order), default=None)


def _kept(
    joined: _Joined, by_id: Mapping[str, Item], near: _Near, settings: DedupSettings
) -> Iterator[tuple[Item, list[tuple[Item, Finding]]]]:
    """Each group with its keeper: the first by rank that all others are the same question as.

    Groups are made around heads that do not depend on age; among questions of equal merit the oldest
    is kept, so that what the bank has stays.
    """
    for name, members in joined.items():
        head = by_id[name]
        older = sorted((item for item, _ in members if item.rank < head.rank), key=lambda i: i.rank)
        for keeper in older[:_TRIED]:
            others = [head, *(item for item, _ in members if item is not keeper)]
            found = [(o, compare_items(o, keeper, settings, near.finding(o, keeper))) for o in others]
            if all(f.verdict == "duplicate" and may_meet(o, keeper) for o, f in found):
                yield keeper, found
                break
        else:
            yield head, members


def _doubts(
    joined: _Joined, by_id: Mapping[str, Item], near: _Near, settings: DedupSettings
) -> Iterator[tuple[Item, Item, Finding]]:
    """Keepers that may be the same question as one that ranks before: the two, and what was found."""
    keeper_of = {name: by_id[name] for name in joined}
    keeper_of |= {item.id: by_id[name] for name, members in joined.items() for item, _ in members}
    for name in joined:
        item = by_id[name]
        met = (keeper_of[o.id] for o in near.partners.get(name, ()) if o.id in keeper_of)
        others = {o.id: o for o in met if o.rank < item.rank and may_meet(item, o)}
        best = _best(item, others.values(), "review", near, settings)
        if best is not None and not item.row["reviewer"]:
            yield item, *best


def _item(row: Mapping[str, Any], place: int) -> Item:
    return Item(row, place, new=True)


def _join(tied: Mapping[str, str], by_id: Mapping[str, Item], joined: _Joined) -> None:
    """Keep together what reviewers have merged, whatever the texts are."""
    keeper_of = {name: name for name in joined}
    keeper_of |= {item.id: name for name, members in joined.items() for item, _ in members}
    for name in sorted(tied, key=lambda n: by_id[n].rank):
        target, seen = tied[name], {name}
        while target in tied and target not in seen:
            seen.add(target)
            target = tied[target]
        if target not in keeper_of:  # they name each other in a circle: the best of them is kept
            target = min(seen, key=lambda n: by_id[n].rank)
            joined.setdefault(target, [])
            keeper_of[target] = target
        if target != name:
            found = Finding("duplicate", 1.0, {"reviewer": "merged"})
            joined[keeper_of[target]].append((by_id[name], found))


def _plan(
    size: int,
    items: Sequence[Item],
    by_id: Mapping[str, Item],
    joined: Mapping[str, Sequence[tuple[Item, Finding]]],
    doubts: Sequence[tuple[Item, Item, Finding]],
) -> Plan:
    told: dict[str, dict[str, Any]] = {item.id: _alone(item) for item in items}
    for item, other, found in doubts:
        if item.standing[0] == Status.ACTIVE.value:
            told[item.id] |= {"status": Status.REVIEW, "status_reason": f"{DOUBT}: may be {other.id}"}
        told[item.id]["evidence"] |= {FOUND: f"{other.id}: {found}"}
    clusters = []
    for name, members in joined.items():
        if not members:
            continue
        keeper = by_id[name]
        for item, found in members:
            told[item.id] = _merged(item, keeper, found)
        against = [i.id for i, _ in members if not i.joined and _contradicts(keeper, i)]
        told[name]["cluster_id"] = name
        if against and not keeper.row["reviewer"]:
            reason = f"{CONFLICT}: another answer in {against[0]}"
            told[name]["evidence"] |= {WAS: was(*keeper.standing)}
            told[name] |= {"status": Status.REVIEW, "status_reason": reason}
        clusters.append(
            Cluster(
                cluster_id=name,
                keeper=_member(keeper),
                members=tuple(_member(item, found) for item, found in members),
                conflict=bool(against),
            )
        )
    changes = {item.id: told[item.id] for item in items if _differs(item, told[item.id])}
    return Plan(
        items=size,
        clusters=tuple(sorted(clusters, key=lambda c: c.cluster_id)),
        doubts=tuple(Doubt(one=_member(a, f), other=_member(b)) for a, b, f in doubts),
        changes=changes,
    )


def apart(rows: pa.Table | Sequence[Mapping[str, Any]], name: str) -> Plan:
    """Undo a merge: the plan that gives the questions of a cluster their former status.

    rows: the bank with COLUMNS. name: the id of a cluster, or of one duplicate to take out of its
    cluster. What was undone is not merged with that keeper again. UsageError if nothing is merged
    under this name.
    """
    if not isinstance(rows, Sequence):
        rows = _around(rows, name)
    items = [Item(row, i, new=False) for i, row in enumerate(rows)]
    one = [i for i in items if i.id == name and i.row["duplicate_of"]]
    inside = [i for i in items if i.row["cluster_id"] == (one[0].row["cluster_id"] if one else name)]
    members = one or [i for i in inside if i.row["duplicate_of"] or i.id != name]
    if not members:
        raise UsageError(
            f"No questions are merged under {name}.",
            code="no_cluster",
            remedy="List the clusters with `exambank dedup --dry-run`.",
        )
    changes = {}
    for item in members:
        keeper = str(item.row["duplicate_of"] or item.row["cluster_id"])
        fields = _alone(item)
        fields["evidence"].pop(JOINED, None)
        fields["evidence"][APART] = " ".join(sorted({*item.apart, keeper}))
        changes[item.id] = fields
    left = [i for i in inside if i.id not in changes]
    if len(left) == 1:
        changes[left[0].id] = _alone(left[0])
    return Plan(items=len(inside), changes=changes)


def _around(table: pa.Table, name: str) -> list[Mapping[str, Any]]:
    """The row of this id, and those of its cluster or of the cluster of this id."""
    import pyarrow.compute as pc

    own = table.filter(pc.field("question_id") == name)
    clusters = sorted({name, *(str(c) for c in own["cluster_id"].to_pylist() if c)})
    near = (pc.field("question_id") == name) | pc.field("cluster_id").isin(clusters)
    return list(table.filter(near).to_pylist())


def _alone(item: Item) -> dict[str, Any]:
    """The fields of a question that nothing is said of."""
    status, reason = item.standing
    evidence = {k: v for k, v in item.evidence.items() if k not in (FOUND, WAS, ANSWERS)}
    return {
        "status": Status(status),
        "status_reason": reason,
        "duplicate_of": "",
        "cluster_id": "",
        "evidence": evidence,
    }


def _merged(item: Item, keeper: Item, found: Finding) -> dict[str, Any]:
    fields = _alone(item)
    evidence = {**fields["evidence"], FOUND: f"{keeper.id}: {found}", WAS: was(*item.standing)}
    ours, theirs = (fold(i.row["reference_answer"] or "") for i in (item, keeper))
    if ours and ours != theirs:
        other = "contradict each other" if _contradicts(item, keeper) else "differ"
        evidence[ANSWERS] = f"the answers {other}"
    return {
        "status": Status.DUPLICATE,
        "status_reason": f"same question as {keeper.id}",
        "duplicate_of": keeper.id,
        "cluster_id": keeper.id,
        "evidence": evidence,
    }


def _contradicts(one: Item, other: Item) -> bool:
    return answers_conflict(one.row["reference_answer"], other.row["reference_answer"])


def _differs(item: Item, fields: Mapping[str, Any]) -> bool:
    """Whether the row says anything else; how the evidence is worded does not matter."""
    names = ("status", "status_reason", "duplicate_of", "cluster_id")
    return any(str(item.row[name] or "") != str(fields[name]) for name in names)


def _member(item: Item, found: Finding | None = None) -> Member:
    return Member(
        question_id=item.id,
        source=str(item.row["source"]),
        prompt=str(item.row["prompt"]),
        answer=str(item.row["reference_answer"] or ""),
        verdict=found.verdict if found else "",
        score=min(1.0, max(0.0, found.score)) if found else 1.0,
        evidence=dict(found.evidence) if found else {},
        new=found is not None and not item.row["duplicate_of"],
    )
