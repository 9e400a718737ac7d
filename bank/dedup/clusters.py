"""Which of the questions that are the same one is kept, and what the others are told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bank.dedup.candidates import candidates
from bank.dedup.grams import gram_text
from bank.dedup.reading import Reading
from bank.dedup.verdict import Finding, compare
from schemas.question import Question, Status
from schemas.settings import DedupSettings
from schemas.text import fold

# What `settle` needs to know of the rows in the bank.
COLUMNS = (
    "question_id", "original_id", "prompt", "printed", "material", "figures", "needs_figure",
    "reference_answer", "status", "duplicate_of", "cluster_id",
)  # fmt: skip

_SAME_STEM = 30  # texts with one stem and other options that are compared with each other
_INSTRUCTION = 15  # characters of added words that may be no more than an instruction
_HEADS = 4  # of one text: siblings of one question may read the same, so one is not enough


@dataclass
class _Item:
    """One question as the settling sees it; rank orders keepers, smallest first."""

    row: Mapping[str, Any]
    place: int
    new: bool

    @property
    def id(self) -> str:
        return str(self.row["question_id"])

    @cached_property
    def asked(self) -> tuple[str, str]:
        return asked(self.row["prompt"], self.row["printed"], self.row["material"])

    @property
    def text(self) -> str:
        return self.asked[0]

    @property
    def rank(self) -> tuple[object, ...]:
        answer = self.row["reference_answer"] or ""
        drawable = self.row["status"] == Status.ACTIVE.value and bool(answer)
        return (self.new, not drawable, not answer, -len(answer), self.place)


def asked(prompt: str, printed: str, material: str = "") -> tuple[str, str]:
    """What an item asks in the words of the paper, and the words of its prompt that were added.

    Lines and clauses of the prompt that do not stand on the page ("请解释下列名词：") are mostly words
    of instruction, the same for a hundred terms; they must not make different terms look alike.
    """
    if prompt == printed and not material:
        return prompt, ""
    page = fold(printed)
    pieces = [p for line in prompt.split("\n") for p in line.replace("：", "：\n").split("\n") if fold(p)]
    kept = [p for p in pieces if fold(p) in page]
    added = [p for p in pieces if fold(p) not in page]
    text, added = ("".join(kept), added) if kept and added else (prompt, [])
    if material and fold(material) not in fold(text):
        text = f"{material}\n{text}"
    return text, "".join(added)


def settle(
    fresh: Sequence[Question], bank: Sequence[Mapping[str, Any]], settings: DedupSettings
) -> list[Question]:
    """The newcomers, in order, with status, duplicate_of, cluster_id and evidence settled.

    bank: rows already kept, with COLUMNS; they stay as they are. A newcomer that is the same
    question as a keeper becomes a duplicate of it; one that may be goes to review. Keepers are the
    rows of the bank first, then newcomers by: drawable, has an answer, longest answer, order.
    Siblings (one original_id) are never compared. Groups are stars around their keeper, so that a
    chain of small differences cannot join two different questions.
    """
    items = [_Item(row, i, new=False) for i, row in enumerate(bank)]
    items += [_Item(q.model_dump(mode="json"), i, new=True) for i, q in enumerate(fresh)]
    by_id = {item.id: item for item in items}
    partners = _partners(items, settings)
    settled: dict[str, Question] = {q.question_id: q for q in fresh}
    keepers: set[str] = set()
    for item in sorted((i for i in items if i.new), key=lambda i: i.rank):
        question = settled[item.id]
        best: tuple[_Item, Finding] | None = None
        doubt: tuple[_Item, Finding] | None = None
        for other in sorted(partners.get(item.id, ()), key=lambda i: i.rank):
            if other.new and (other.id not in keepers):
                continue
            found = _compare(item, other, settings)
            if found.verdict == "duplicate" and (best is None or found.score > best[1].score):
                best = (other, found)
            if found.verdict == "review" and (doubt is None or found.score > doubt[1].score):
                doubt = (other, found)
        if best is not None:
            keeper = _keeper(best[0], by_id)
            settled[item.id] = _duplicate(question, item, best, keeper)
            if keeper.new and not settled[keeper.id].cluster_id:
                settled[keeper.id] = settled[keeper.id].model_copy(update={"cluster_id": keeper.id})
            continue
        keepers.add(item.id)
        if doubt is not None:
            settled[item.id] = _doubtful(question, doubt)
    return [settled[q.question_id] for q in fresh]


def _partners(items: Sequence[_Item], settings: DedupSettings) -> dict[str, list[_Item]]:
    """For each newcomer the items it may be the same as; linear in the number of items.

    Items that read exactly the same are one text: a newcomer meets the first of the bank and the
    first newcomer of each text, not all of them.
    """
    groups: dict[str, list[_Item]] = defaultdict(list)
    texts: list[str] = []  # one a group
    for item in items:
        reading = Reading(item.text)
        if reading.key not in groups:
            texts.append(gram_text(reading.stem, reading.options))
        groups[reading.key].append(item)
    partners: dict[str, list[_Item]] = defaultdict(list)
    keys = list(groups)
    heads = []
    for key in keys:
        members = sorted(groups[key], key=lambda i: i.rank)
        heads.append(_heads(members))
        for member in members:
            if member.new:
                partners[member.id] += [h for h in heads[-1] if _may(member, h)]
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


def _heads(members: Sequence[_Item]) -> list[_Item]:
    """The likeliest keepers of one text, from different printed questions, at most a few."""
    chosen: dict[str, _Item] = {}
    for member in members:
        chosen.setdefault(str(member.row["original_id"]), member)
        if len(chosen) == _HEADS:
            break
    return list(chosen.values())


def _meet(group: Sequence[_Item], heads: Sequence[_Item], partners: dict[str, list[_Item]]) -> None:
    for member in group:
        if member.new:
            partners[member.id] += [h for h in heads if _may(member, h)]


def _may(item: _Item, other: _Item) -> bool:
    """Siblings are never duplicates of one another; nor is an item of itself."""
    return item.id != other.id and item.row["original_id"] != other.row["original_id"]


def _compare(item: _Item, other: _Item, settings: DedupSettings) -> Finding:
    figures = (tuple(item.row["figures"]), tuple(other.row["figures"]))
    needs = bool(item.row["needs_figure"] or other.row["needs_figure"])
    found = compare(item.text, other.text, settings=settings, figures=figures, needs_figure=needs)
    ours, theirs = fold(item.asked[1]), fold(other.asked[1])
    if found.verdict == "different" or ours == theirs:
        return found
    # The words of the paper agree, the added ones do not: a question may have been put in them.
    whole = compare(item.row["prompt"], other.row["prompt"], settings=settings)
    if whole.verdict == "duplicate":
        return found
    told = {**whole.evidence, "added words": f"{item.asked[1] or '∅'} | {other.asked[1] or '∅'}"}
    short = max(len(ours), len(theirs)) <= _INSTRUCTION
    return Finding("review" if short else whole.verdict, whole.score, told)


def _keeper(item: _Item, by_id: Mapping[str, _Item]) -> _Item:
    """The keeper behind a row that is a duplicate itself."""
    for _ in range(10):
        other = by_id.get(str(item.row["duplicate_of"] or ""))
        if other is None:
            break
        item = other
    return item


def _duplicate(question: Question, item: _Item, best: tuple[_Item, Finding], keeper: _Item) -> Question:
    other, found = best
    evidence = {**question.evidence, "dedup": f"{other.id}: {found}"}
    theirs = fold(str(keeper.row["reference_answer"] or ""))
    ours = fold(question.reference_answer or "")
    if ours and theirs and ours != theirs:
        evidence["dedup_answers"] = "the answers differ"
    return question.model_copy(
        update={
            "status": Status.DUPLICATE,
            "status_reason": f"same question as {keeper.id}",
            "duplicate_of": keeper.id,
            "cluster_id": str(keeper.row["cluster_id"] or keeper.id),
            "evidence": evidence,
        }
    )


def _doubtful(question: Question, doubt: tuple[_Item, Finding]) -> Question:
    other, found = doubt
    update: dict[str, object] = {"evidence": {**question.evidence, "dedup": f"{other.id}: {found}"}}
    if question.status is Status.ACTIVE:
        update |= {"status": Status.REVIEW, "status_reason": f"near_duplicate: may be {other.id}"}
    return question.model_copy(update=update)
