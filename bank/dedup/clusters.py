"""Which of the questions that are the same one is kept, and what the others are told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bank.dedup.candidates import candidates
from bank.dedup.items import (
    ANSWERS,
    CONFLICT,
    DOUBT,
    FOUND,
    RETIRED,
    WAS,
    Item,
    answers_conflict,
    compare_items,
    may_meet,
)
from bank.dedup.reading import Reading
from bank.dedup.verdict import Finding
from schemas.question import Question, Status
from schemas.settings import DedupSettings
from schemas.text import fold

_SAME_STEM = 30  # texts with one stem and other options that are compared with each other
_HEADS = 4  # of one text: siblings of one question may read the same, so one is not enough


def settle(
    fresh: Sequence[Question],
    bank: Sequence[Mapping[str, Any]],
    settings: DedupSettings,
    near: Mapping[str, Sequence[str]] | None = None,
) -> list[Question]:
    """The newcomers, in order, with status, duplicate_of, cluster_id and evidence settled.

    bank: rows already kept, with COLUMNS; they stay as they are. A newcomer that is the same
    question as a keeper becomes a duplicate of it; one that may be, or whose answer contradicts the
    keeper's, goes to review. Keepers are the rows of the bank first, then newcomers by merit.
    A rejected row keeps nobody out; a copy of a retired one goes to review.
    Siblings (one original_id) are never compared. Groups are stars around their keeper, so that a
    chain of small differences cannot join two different questions.

    near: newcomer -> ids of the rows worth comparing, where an index has found them; without, they
    are looked for among all of bank.
    """
    items = [Item(row, i, new=False) for i, row in enumerate(bank)]
    items += [Item(q.model_dump(mode="json"), i, new=True) for i, q in enumerate(fresh)]
    by_id = {item.id: item for item in items}
    if near is None:
        partners = partners_of(items, settings)
    else:
        partners = partners_of([item for item in items if item.new], settings)
        for name, ids in near.items():
            rows = [by_id[other] for other in ids if other in by_id]
            partners.setdefault(name, []).extend(o for o in rows if may_meet(by_id[name], o))
    settled: dict[str, Question] = {q.question_id: q for q in fresh}
    keepers: set[str] = set()
    for item in sorted((i for i in items if i.new), key=lambda i: i.rank):
        met = [o for o in partners.get(item.id, ()) if not o.new or o.id in keepers]
        best, doubt, gone = _look(item, met, by_id, settings)
        if best is not None:
            settled[item.id], keeper = _duplicate(settled[item.id], item, best, by_id)
            if keeper.new and not settled[keeper.id].cluster_id:
                settled[keeper.id] = settled[keeper.id].model_copy(update={"cluster_id": keeper.id})
            continue
        if item.accepted:
            keepers.add(item.id)
        if gone is not None:
            settled[item.id] = _doubtful(settled[item.id], gone, f"{RETIRED}: same question as {gone[0].id}")
        elif doubt is not None:
            settled[item.id] = _doubtful(settled[item.id], doubt, f"{DOUBT}: may be {doubt[0].id}")
    return [settled[q.question_id] for q in fresh]


_Met = tuple[Item, Finding]


def _look(
    item: Item, others: Sequence[Item], by_id: Mapping[str, Item], settings: DedupSettings
) -> tuple[_Met | None, _Met | None, _Met | None]:
    """The likest item that is the same, that may be the same, and that is the same but retired."""
    best: _Met | None = None
    doubt: _Met | None = None
    gone: _Met | None = None
    for other in sorted({o.id: o for o in others}.values(), key=lambda i: i.rank):
        keeper = _keeper(other, by_id)
        if keeper.row["status"] == Status.REJECTED.value or not may_meet(item, keeper):
            continue
        found = compare_items(item, other, settings)
        if found.verdict == "duplicate" and keeper is not other and not other.joined:
            # Small differences add up: what is the same as a copy need not be the same as what is kept.
            other, found = keeper, compare_items(item, keeper, settings)
        if found.verdict == "duplicate" and not keeper.accepted:
            gone = gone or (keeper, found)
        elif found.verdict == "duplicate" and (best is None or found.score > best[1].score):
            best = (other, found)
        elif found.verdict == "review" and (doubt is None or found.score > doubt[1].score):
            doubt = (other, found)
    return best, doubt, gone


def partners_of(items: Sequence[Item], settings: DedupSettings) -> dict[str, list[Item]]:
    """For each newcomer the items it may be the same as; linear in the number of items.

    Items that read exactly the same are one text: a newcomer meets the first of the bank and the
    first newcomer of each text, not all of them.
    """
    groups: dict[str, list[Item]] = defaultdict(list)
    texts: list[str] = []  # one a group
    for item in items:
        reading = Reading(item.text)
        if reading.key not in groups:
            texts.append(reading.gram_text)
        groups[reading.key].append(item)
    partners: dict[str, list[Item]] = defaultdict(list)
    keys = list(groups)
    heads = []
    for key in keys:
        members = sorted(groups[key], key=lambda i: i.rank)
        heads.append(_heads(members))
        for member in members:
            if member.new:
                partners[member.id] += [h for h in heads[-1] if may_meet(member, h)]
    places: dict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(texts):
        places[text].append(i)
    distinct = list(places)
    new = [any(m.new for i in places[t] for m in groups[keys[i]]) for t in distinct]
    for left, right in candidates(distinct, new, settings).tolist():
        for i in places[distinct[left]][:_SAME_STEM]:
            for j in places[distinct[right]][:_SAME_STEM]:
                _meet(groups[keys[i]], heads[j], partners)
                _meet(groups[keys[j]], heads[i], partners)
    for same in places.values():
        for n, i in enumerate(same[:_SAME_STEM]):
            for j in same[n + 1 : _SAME_STEM]:
                _meet(groups[keys[i]], heads[j], partners)
                _meet(groups[keys[j]], heads[i], partners)
    return partners


def partners_in(
    groups: Mapping[int, Sequence[Item]], pairs: Iterable[tuple[int, int]]
) -> dict[str, list[Item]]:
    """Like partners_of for newcomers in groups that read the same, where it is known which groups may be
    the same question.
    """
    partners: dict[str, list[Item]] = defaultdict(list)
    heads = {}
    for number, members in groups.items():
        heads[number] = _heads(sorted(members, key=lambda i: i.order))
        _meet(members, heads[number], partners)
    for one, other in pairs:
        _meet(groups[one], heads[other], partners)
        _meet(groups[other], heads[one], partners)
    return partners


def _heads(members: Sequence[Item]) -> list[Item]:
    """The likeliest keepers of one text, from different printed questions, at most a few."""
    chosen: dict[str, Item] = {}
    for member in members:
        chosen.setdefault(str(member.row["original_id"]), member)
        if len(chosen) == _HEADS:
            break
    return list(chosen.values())


def _meet(group: Sequence[Item], heads: Sequence[Item], partners: dict[str, list[Item]]) -> None:
    for member in group:
        if member.new:
            partners[member.id] += [h for h in heads if may_meet(member, h)]


def _keeper(item: Item, by_id: Mapping[str, Item]) -> Item:
    """The keeper behind a row that is a duplicate itself."""
    for _ in range(10):
        other = by_id.get(str(item.row["duplicate_of"] or ""))
        if other is None:
            break
        item = other
    return item


def _duplicate(
    question: Question, item: Item, best: _Met, by_id: Mapping[str, Item]
) -> tuple[Question, Item]:
    """The question as a duplicate, with its keeper; a contradicting answer is left to a curator."""
    other, found = best
    keeper = _keeper(other, by_id)
    before = was(question.status.value, question.status_reason)
    evidence = {**question.evidence, FOUND: f"{other.id}: {found}", WAS: before}
    theirs, ours = keeper.row["reference_answer"], question.reference_answer
    cluster = str(keeper.row["cluster_id"] or keeper.id)
    if answers_conflict(theirs, ours) and question.status is not Status.REJECTED:
        evidence[ANSWERS] = "the answers contradict each other"
        reason = f"{CONFLICT}: same question as {keeper.id}, another answer"
        update: dict[str, object] = {"status": Status.REVIEW, "status_reason": reason}
        return question.model_copy(update={**update, "cluster_id": cluster, "evidence": evidence}), keeper
    if fold(theirs or "") and fold(ours or "") and fold(theirs or "") != fold(ours or ""):
        evidence[ANSWERS] = "the answers differ"
    update = {
        "status": Status.DUPLICATE,
        "status_reason": f"same question as {keeper.id}",
        "duplicate_of": keeper.id,
        "cluster_id": cluster,
        "evidence": evidence,
    }
    return question.model_copy(update=update), keeper


def was(status: str, reason: str) -> str:
    """A status with its reason, as it is kept for the day a merge is undone."""
    return f"{status}: {reason}" if reason else status


def _doubtful(question: Question, doubt: _Met, reason: str) -> Question:
    other, found = doubt
    update: dict[str, object] = {"evidence": {**question.evidence, FOUND: f"{other.id}: {found}"}}
    if question.status is Status.ACTIVE:
        update |= {"status": Status.REVIEW, "status_reason": reason}
    return question.model_copy(update=update)
