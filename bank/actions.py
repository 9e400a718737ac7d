"""What each action of a reviewer does to a question and to those that hang on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bank.dedup.clusters import was
from bank.dedup.items import APART, FOUND, JOINED, WAS, Item
from bank.dedup.whole import apart
from bank.edits import Action, Change, Refused, edited, text
from bank.ids import IdMaker
from schemas.errors import UsageError
from schemas.question import Question, Status

# Keys of a question's evidence that reviewing writes.
REVIEW, EDITED, READ_AS, REREAD = "review", "edited", "read_as", "reread"
_UNREASONED = (Action.APPROVE,)


class Workbench:
    """The rows at work: as they were, and as they are after the changes so far."""

    def __init__(self, ids: IdMaker, questions: Iterable[Question]) -> None:
        self._ids = ids
        self.before = {q.question_id: q for q in questions}
        self.now = dict(self.before)
        self._named: dict[str, int] = {}
        self._undo: dict[str, Question] = {}  # what the change at hand has touched, as it was

    def do(self, change: Change) -> bool:
        """Apply a change; whether anything is other than before. Refused leaves all as it was."""
        name = change.question_id
        question = self.before.get(name)
        if question is None:
            raise Refused("question_id", "no_question", f"the bank has no question {name[:64]!r}")
        if name in self._named:
            raise Refused("question_id", "repeated", f"the question is in line {self._named[name]} too")
        if change.revision is not None and change.revision != question.revision:
            raise Refused(
                "revision",
                "stale",
                f"it is at revision {question.revision} by now, last changed {question.updated_at}"
                + (f" by {question.reviewer}" if question.reviewer else "")
                + f"; the change was made from {change.revision}",
            )
        if not text("reason", change.reason).strip() and change.action not in _UNREASONED:
            raise Refused("reason", "no_reason", f"to {change.action} a question needs a reason")
        text("reviewer", change.reviewer)
        if change.into and change.action is not Action.MERGE:
            raise Refused("into", "value", f"into belongs to merge, not to {change.action}")
        self._undo = {}
        try:
            _ACTIONS[change.action](self, change)
        except Refused:
            self.now |= self._undo
            raise
        self._named[name] = change.line
        touched = [n for n, q in self._undo.items() if q != self.now[n]]
        if name in touched:
            self._review(change)
        return bool(touched)

    def changed(self, at: str) -> list[Question]:
        """The rows that are other than before, with their next revision."""
        return [
            q.model_copy(
                update={
                    "revision": self.before[name].revision + 1,
                    "updated_at": at,
                    "content_hash": self._ids.content_hash(q),
                }
            )
            for name, q in sorted(self.now.items())
            if q != self.before[name]
        ]

    def _set(self, name: str, **update: Any) -> None:  # noqa: ANN401 - fields of a question
        self._undo.setdefault(name, self.now[name])
        self.now[name] = self.now[name].model_copy(update=update)

    def _review(self, change: Change) -> None:
        question = self.now[change.question_id]
        told = f"{change.action} by {change.reviewer}"
        evidence = {**question.evidence, REVIEW: f"{told}: {change.reason}" if change.reason else told}
        if change.action is not Action.EDIT:
            evidence.pop(REREAD, None)
        self._set(change.question_id, reviewer=change.reviewer, evidence=evidence)

    def _edit(self, change: Change) -> None:
        question = self.now[change.question_id]
        update = edited(question, change.fields)
        if not update:
            return
        evidence = dict(question.evidence)
        evidence[EDITED] = " ".join(sorted({*evidence.get(EDITED, "").split(), *update}))
        # What was read from the file, so that reading it again is told from an edit.
        evidence.setdefault(READ_AS, question.content_hash)
        self._set(change.question_id, **update, evidence=evidence)

    def _approve(self, change: Change) -> None:
        if self.now[change.question_id].duplicate_of:
            raise Refused("action", "duplicate", self._is_duplicate(change) + "; unmerge it first")
        self._edit(change)
        question = self.now[change.question_id]
        evidence = {k: v for k, v in question.evidence.items() if k != WAS}
        self._set(
            change.question_id,
            status=Status.ACTIVE,
            status_reason="",
            reviewer=change.reviewer,
            evidence=evidence,
        )

    def _reject(self, change: Change) -> None:
        self._edit(change)
        name = change.question_id
        self._stop(change, Status.REJECTED)
        if not self.now[name].duplicate_of:
            self._succeed(name)

    def _retire(self, change: Change) -> None:
        if self.now[change.question_id].duplicate_of:
            raise Refused("action", "duplicate", self._is_duplicate(change) + "; retire that one")
        self._edit(change)
        # Its copies stay its duplicates: they must not be drawn in its place.
        self._stop(change, Status.RETIRED)

    def _stop(self, change: Change, status: Status) -> None:
        question = self.now[change.question_id]
        evidence = {k: v for k, v in question.evidence.items() if k != WAS}
        self._set(change.question_id, status=status, status_reason=change.reason.strip(), evidence=evidence)

    def _is_duplicate(self, change: Change) -> str:
        return f"it is a duplicate of {self.now[change.question_id].duplicate_of}"

    def _succeed(self, name: str) -> None:
        """Let the best copy of a rejected keeper take its place; the rejected one names it."""
        copies = self._items(q for q in self.now.values() if q.duplicate_of == name)
        inside = [q.question_id for q in self.now.values() if q.cluster_id == name]
        copies = [item for item in copies if item.row["status"] == Status.DUPLICATE.value]
        if not copies:
            for other in inside:
                self._set(other, cluster_id="")
            return
        heir = min(copies, key=lambda item: item.rank)
        state, reason = heir.standing
        evidence = {k: v for k, v in heir.evidence.items() if k not in (WAS, FOUND, JOINED)}
        self._set(heir.id, status=Status(state), status_reason=reason, duplicate_of="", evidence=evidence)
        for item in copies:
            if item is not heir:
                told = {**item.evidence, **({JOINED: heir.id} if item.joined else {})}
                same = f"same question as {heir.id}"
                self._set(item.id, duplicate_of=heir.id, status_reason=same, evidence=told)
        for other in {*inside, name, heir.id}:
            self._set(other, cluster_id=heir.id)
        self._set(name, duplicate_of=heir.id)

    def _merge(self, change: Change) -> None:
        name = change.question_id
        if not change.into:
            raise Refused("into", "no_into", "into is missing: to merge needs the id of the question to keep")
        target = self._keeper(change.into)
        question, keeper = self.now[name], self.now.get(target)
        if keeper is None:
            raise Refused("into", "no_question", f"the bank has no question {change.into[:64]!r}")
        if target == name:
            raise Refused("into", "value", "a question cannot be merged into itself or its own duplicate")
        if keeper.original_id == question.original_id:
            raise Refused(
                "into", "siblings", "both come from one printed question; they are drawn as one already"
            )
        for column, one in (("question_id", question), ("into", keeper)):
            if one.status in (Status.REJECTED, Status.RETIRED):
                raise Refused(column, "status", f"{one.question_id} is {one.status}")
        if question.duplicate_of == target:
            return
        self._edit(change)
        (item,) = self._items([self.now[name]])
        state, why = item.standing
        evidence = {
            **item.evidence, WAS: was(state, why), FOUND: f"{target}: merged by a reviewer", JOINED: target
        }  # fmt: skip
        self._apart(evidence, target)
        self._duplicate(name, target, evidence)
        for other in [q.question_id for q in self.now.values() if q.duplicate_of == name]:
            self._duplicate(other, target, dict(self.now[other].evidence))
        other_evidence = dict(self.now[target].evidence)
        self._apart(other_evidence, name)
        self._set(target, cluster_id=target, evidence=other_evidence)

    def _duplicate(self, name: str, keeper: str, evidence: dict[str, str]) -> None:
        self._set(
            name,
            status=Status.DUPLICATE,
            status_reason=f"same question as {keeper}",
            duplicate_of=keeper,
            cluster_id=keeper,
            evidence=evidence,
        )

    @staticmethod
    def _apart(evidence: dict[str, str], other: str) -> None:
        """Take back that a curator once set two questions apart."""
        left = [name for name in evidence.get(APART, "").split() if name != other]
        evidence.pop(APART, None)
        if left:
            evidence[APART] = " ".join(left)

    def _keeper(self, name: str) -> str:
        for _ in range(10):
            found = self.now.get(name)
            if found is None or not found.duplicate_of:
                break
            name = found.duplicate_of
        return name

    def _unmerge(self, change: Change) -> None:
        data = [q.model_dump(mode="json") for q in self.now.values()]
        try:
            plan = apart(data, change.question_id)
        except UsageError as error:
            raise Refused("question_id", error.code, error.message) from None
        for name, update in plan.changes.items():
            self._set(name, **update)
        self._edit(change)

    def _items(self, questions: Iterable[Question]) -> list[Item]:
        return [Item(q.model_dump(mode="json"), i, new=False) for i, q in enumerate(questions)]


_ACTIONS: dict[Action, Callable[[Workbench, Change], None]] = {
    Action.EDIT: Workbench._edit,
    Action.APPROVE: Workbench._approve,
    Action.REJECT: Workbench._reject,
    Action.RETIRE: Workbench._retire,
    Action.MERGE: Workbench._merge,
    Action.UNMERGE: Workbench._unmerge,
}
