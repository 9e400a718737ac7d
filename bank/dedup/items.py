"""A question as the grouping sees it: what it asks, who may be compared with whom, who is kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bank.dedup.verdict import Finding, compare, with_figures
from schemas.question import Status
from schemas.settings import DedupSettings
from schemas.text import fold
from schemas.wording import PLAIN_INSTRUCTIONS

# What the grouping needs to know of the rows in the bank.
COLUMNS = (
    "question_id", "original_id", "prompt", "printed", "material", "figures", "needs_figure",
    "reference_answer", "status", "status_reason", "duplicate_of", "cluster_id", "reviewer",
    "extraction_confidence", "flags", "created_at", "source", "evidence",
)  # fmt: skip

# Keys of a question's evidence that the grouping writes.
FOUND, WAS, APART, ANSWERS = "dedup", "dedup_was", "dedup_apart", "dedup_answers"
JOINED = "dedup_joined"  # a reviewer's merge
DOUBT, CONFLICT, RETIRED = (
    "near_duplicate",
    "answers_conflict",
    "retired_copy",
)  # beginnings of a status_reason
ACCEPTED = (Status.ACTIVE.value, Status.REVIEW.value, Status.DUPLICATE.value)

_INSTRUCTION = 15  # characters of added words that may be no more than an instruction
_SHORT_ANSWER = 30  # characters: a result, no explanation
_DAMAGE = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08]|□{2,}|\\?{3,}")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_YES = frozenset("对 √ 正确 t true 是 y yes ✓ 真".split(" "))  # noqa: SIM905
_NO = frozenset("错 × 错误 f false 否 不对 不正确 x no n ✗ 假".split(" "))  # noqa: SIM905
_CHOICE = re.compile("[a-h]{1,8}")
_PLAIN = sorted(filter(None, map(fold, PLAIN_INSTRUCTIONS)))


@dataclass
class Item:
    """One question as the grouping sees it: a row with COLUMNS, its place among all, and its age."""

    row: Mapping[str, Any]
    place: int
    new: bool

    @property
    def id(self) -> str:
        """The question_id."""
        return str(self.row["question_id"])

    @cached_property
    def asked(self) -> tuple[str, str]:
        """See `asked`."""
        return asked(self.row["prompt"], self.row["printed"], self.row["material"])

    @property
    def text(self) -> str:
        """What is asked, in the words of the paper."""
        return self.asked[0]

    @cached_property
    def evidence(self) -> Mapping[str, str]:
        """The evidence as a mapping; Arrow gives it as pairs."""
        return dict(self.row.get("evidence") or ())

    @cached_property
    def apart(self) -> frozenset[str]:
        """Ids that a curator said are other questions."""
        return frozenset(self.evidence.get(APART, "").split())

    @property
    def joined(self) -> str:
        """The id that a reviewer said is the same question, or ''."""
        return self.evidence.get(JOINED, "")

    @property
    def accepted(self) -> bool:
        """Whether it is neither rejected nor retired: those keep nobody out of the bank."""
        return self.row["status"] in ACCEPTED

    @cached_property
    def standing(self) -> tuple[str, str]:
        """Status and reason, were it not for duplicates."""
        status, reason = str(self.row["status"]), str(self.row["status_reason"] or "")
        if WAS in self.evidence:
            status, _, reason = self.evidence[WAS].partition(": ")
        elif status == Status.DUPLICATE.value or reason.startswith(f"{DOUBT}:"):
            status, reason = Status.ACTIVE.value, ""
        return status, reason

    @cached_property
    def merit(self) -> tuple[object, ...]:
        """Which is worth more, best first: may be drawn, fullest answer, reviewed, cleanest text."""
        row = self.row
        answer = fold(row["reference_answer"] or "")
        damage = len(_DAMAGE.findall(f"{row['prompt']}{row['reference_answer'] or ''}"))
        dirt = damage + len(row.get("flags") or ()), -round(float(row.get("extraction_confidence") or 0), 2)
        drawn = self.standing[0] == Status.ACTIVE.value
        return (not drawn, not answer, -len(answer), not row.get("reviewer"), dirt)

    @cached_property
    def rank(self) -> tuple[object, ...]:
        """Order of keepers: what the bank has stays, then by merit, then the oldest."""
        return (self.new, *self.merit, str(self.row.get("created_at") or ""), self.place)

    @cached_property
    def order(self) -> tuple[object, ...]:
        """Order of the heads of groups: by merit, and like in all banks that have these questions.

        With age in it, groups would depend on the batches in which the questions came.
        """
        return (*self.merit, hashlib.blake2b(fold(self.text).encode()).digest(), self.place)


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


def may_meet(item: Item, other: Item) -> bool:
    """Siblings are never duplicates of one another, nor are questions a curator has set apart."""
    return (
        item.id != other.id
        and item.row["original_id"] != other.row["original_id"]
        and other.id not in item.apart
        and item.id not in other.apart
    )


def compare_items(item: Item, other: Item, settings: DedupSettings, texts: Finding | None = None) -> Finding:
    """The verdict on two items, with their figures and the words that were added to the page's.

    texts: what was found of their texts, where that is known.
    """
    figures = (tuple(item.row["figures"] or ()), tuple(other.row["figures"] or ()))
    needs = bool(item.row["needs_figure"] or other.row["needs_figure"])
    found = texts or compare(item.text, other.text, settings=settings)
    found = with_figures(found, figures, needs_figure=needs)
    ours, theirs = _content(item.asked[1]), _content(other.asked[1])
    if found.verdict == "different" or ours == theirs:
        return found
    # The words of the paper agree, the added ones do not: a question may have been put in them.
    whole = compare(item.row["prompt"], other.row["prompt"], settings=settings)
    if whole.verdict == "duplicate":
        return found
    told = {**whole.evidence, "added words": f"{item.asked[1] or '∅'} | {other.asked[1] or '∅'}"}
    short = max(len(ours), len(theirs)) <= _INSTRUCTION
    return Finding("review" if short else whole.verdict, whole.score, told)


def _content(added: str) -> str:
    """The words added to a page's, folded, without an instruction that asks for nothing of its own."""
    told = fold(added)
    return next((told.removeprefix(plain) for plain in _PLAIN if told.startswith(plain)), told)


def answers_conflict(one: str | None, other: str | None) -> bool:
    """Whether two answers cannot both be right: right and wrong, other letters, other numbers.

    Free text in other words is no conflict; nor is an answer that holds the other.
    """
    a, b = fold(one or ""), fold(other or "")
    if not a or not b or a in b or b in a:
        return False
    for this, that in ((_YES, _NO), (_NO, _YES)):
        if a in this and b in that:
            return True
    if _CHOICE.fullmatch(a) and _CHOICE.fullmatch(b):
        return set(a) != set(b)
    numbers: Sequence[list[str]] = [_NUMBER.findall(t) for t in (a, b)]
    return (
        max(len(a), len(b)) <= 30 and bool(numbers[0] and numbers[1]) and set(numbers[0]) != set(numbers[1])
    )
