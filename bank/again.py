"""A file read again: which rows its questions are already, and what a newer reading changes in them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bank.actions import READ_AS, REREAD
from bank.dedup.items import ANSWERS, APART, CONFLICT, DOUBT, FOUND, JOINED, RETIRED, WAS
from bank.ids import CONTENT_FIELDS
from schemas.question import Question, Region, Status
from schemas.text import fold

OTHER, LOST = "read_otherwise", "not_read_again"  # beginnings of a status_reason
_OVERLAP = 0.5  # share of the smaller place
_LIKE = 0.5  # likeness of the wordings of one place, where there are several to choose from
_RELATED = 0.3, 0.7  # of two wordings that may be one question: likeness as a whole, and of the best part
_NUMBER = 0.1  # what an equal printed number adds to that
_LABELS = ("discipline", "sub_discipline", "course", "label_confidence", "label_method")
_ANSWER = ("reference_answer", "explanation", "answer_source")
# What a reader tells of a question; what only says how it was read makes no row other.
_READ = (
    *CONTENT_FIELDS, *_LABELS, "answer_source", "printed_form", "printed", "language", "number", "section",
    "regions", "exam_kind", "exam_year", "extraction_confidence", "flags", "stage_versions",
)  # fmt: skip
_TELLING = (
    *CONTENT_FIELDS, "discipline", "sub_discipline", "course", "printed_form", "language", "number",
    "section", "exam_kind", "exam_year", "flags",
)  # fmt: skip
_OURS = (FOUND, WAS, APART, ANSWERS, JOINED, READ_AS, REREAD)
_DEDUP = (f"{DOUBT}:", f"{CONFLICT}:", f"{RETIRED}:")


@dataclass
class Again:
    """What a batch says of rows the bank has.

    same: id of a question of the batch -> the row it is. amended: rows as they must be now; those
    that went to review because a reviewer had decided, or because they were not found again, are
    among them. new: the other questions, in order, next to their siblings in the bank.
    """

    same: dict[str, Question] = field(default_factory=dict)
    amended: dict[str, Question] = field(default_factory=dict)
    new: list[Question] = field(default_factory=list)


def again(given: Sequence[Question], rows: Sequence[Question], at: str, *, reading: bool = True) -> Again:
    """Match questions with the rows of their sources, and say what changes.

    given: the batch, with ids and stage versions. rows: every row with one of its source_sha256. A
    question is a row when it has its id, or stands at its place in the file (overlapping boxes, or
    the same printed number where there are none) in words that are related. Only a reader of other
    stage versions changes a row; it keeps its id, its batch and its links, and a reviewer's decision
    is never overwritten.
    reading: False where no reader made the batch; then a question is a row by its id alone, and no
    row changes.
    """
    found = Again()
    by_source: dict[str, list[Question]] = defaultdict(list)
    for row in rows:
        by_source[row.source_sha256].append(row)
    originals: dict[str, str] = {}
    fresh: list[Question] = []
    for source, news in _grouped(given).items():
        olds = by_source.get(source, [])
        pairs = dict(_pairs(news, olds, reading=reading)) if olds else {}
        for question in news:
            if question.question_id not in pairs:
                fresh.append(question)
                continue
            row = pairs[question.question_id]
            originals[question.original_id] = row.original_id
            after = _amended(row, question) if reading and newer(question, row) else row
            found.same[question.question_id] = after
            if after is not row:
                found.amended[row.question_id] = _raised(after, at)
        seen = {originals.get(q.original_id, q.original_id) for q in news}
        taken = {row.question_id for row in pairs.values()}
        for row in olds if reading else ():
            if row.question_id not in taken and row.original_id not in seen and _doubtful(row, news[0]):
                reason = f"{LOST}: a newer reading of the file has no such question"
                lost = row.model_copy(update={"status": Status.REVIEW, "status_reason": reason})
                found.amended[row.question_id] = _raised(lost, at)
    order = {q.question_id: place for place, q in enumerate(given)}
    found.new = [
        q.model_copy(update={"original_id": originals[q.original_id]}) if q.original_id in originals else q
        for q in sorted(fresh, key=lambda q: order[q.question_id])
    ]
    return found


def newer(question: Question, row: Question) -> bool:
    """Whether another version of a stage has read or cleaned this question than the row."""
    return _stages(question.stage_versions) != _stages(row.stage_versions)


def _stages(versions: Mapping[str, str]) -> dict[str, str]:
    return {name: version for name, version in versions.items() if name != "dedup"}


def _grouped(given: Sequence[Question]) -> dict[str, list[Question]]:
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in {q.question_id: q for q in reversed(given)}.values():
        groups[question.source_sha256].append(question)
    return {source: members[::-1] for source, members in groups.items()}


def _pairs(
    news: Sequence[Question], olds: Sequence[Question], *, reading: bool
) -> Iterator[tuple[str, Question]]:
    """Questions of one file with the rows they are, each at most once."""
    by_id = {row.question_id: row for row in olds}
    open_news, taken = [], set()
    for question in news:
        row = by_id.get(question.question_id)
        if row is None:
            open_news.append(question)
        else:
            taken.add(row.question_id)
            yield question.question_id, row
    near: list[tuple[float, str, str]] = []
    at_place: dict[str, list[str]] = defaultdict(list)
    contested: dict[str, int] = defaultdict(int)
    places = _Places([row for row in olds if row.question_id not in taken])
    for question in open_news if reading else ():
        for row, share in places.near(question):
            likeness = _likeness(question, row)
            if not newer(question, row) and likeness < 1:
                continue  # the same reader does not read one place in two ways
            if likeness < _RELATED[0] and not _related(question, row):
                continue  # an id must not come to mean another question
            at_place[question.question_id].append(row.question_id)
            contested[row.question_id] += 1
            same = _NUMBER if fold(question.number) == fold(row.number) else 0.0
            near.append((share + likeness + same, question.question_id, row.question_id))
    done: set[str] = set()
    for score, name, old in sorted(near, key=lambda n: (-n[0], n[1], n[2])):
        alone = len(at_place[name]) == 1 and contested[old] == 1
        if name not in done and old not in taken and (alone or score >= _OVERLAP + _LIKE):
            done.add(name)
            taken.add(old)
            yield name, by_id[old]


class _Places:
    """Where the rows of one file stand: by page, and by printed number."""

    def __init__(self, rows: Sequence[Question]) -> None:
        self._by_page: dict[int, list[Question]] = defaultdict(list)
        self._by_number: dict[tuple[str, str], list[Question]] = defaultdict(list)
        for row in rows:
            for page in {region.page for region in row.regions if region.box is not None}:
                self._by_page[page].append(row)
            if row.number:
                self._by_number[fold(row.section), fold(row.number)].append(row)

    def near(self, question: Question) -> Iterator[tuple[Question, float]]:
        """Rows at the place of a question, and how far they overlap, 0 to 1."""
        boxed = [region for region in question.regions if region.box is not None]
        met: dict[str, Question] = {}
        for page in {region.page for region in boxed}:
            met |= {row.question_id: row for row in self._by_page[page]}
        for row in met.values():
            share = overlap(boxed, row.regions)
            if share >= _OVERLAP:
                yield row, share
        if question.number:
            for row in self._by_number[fold(question.section), fold(question.number)]:
                if not boxed or all(region.box is None for region in row.regions):
                    yield row, 1.0


def overlap(one: Sequence[Region], other: Sequence[Region]) -> float:
    """The area two places share, as a part of the smaller one; 0 where one has no boxes."""
    sizes = [sum(_area(r.box) for r in regions if r.box is not None) for regions in (one, other)]
    if not all(sizes):
        return 0.0
    shared = 0.0
    for a in one:
        for b in other:
            if a.box is not None and b.box is not None and a.page == b.page:
                corner = (max(a.box[0], b.box[0]), max(a.box[1], b.box[1]))
                shared += _area((*corner, min(a.box[2], b.box[2]), min(a.box[3], b.box[3])))
    return min(1.0, shared / min(sizes))


def _area(box: Sequence[float]) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _likeness(question: Question, row: Question) -> float:
    """How alike two wordings are, 0 to 1; 1 only where they read the same."""
    from rapidfuzz import fuzz

    ours, theirs = (fold(q.prompt) for q in (question, row))
    if ours == theirs and fold(question.material) == fold(row.material):
        return 1.0
    return min(0.99, fuzz.ratio(ours, theirs) / 100)


def _related(question: Question, row: Question) -> bool:
    """Whether one wording stands in the other, or what was printed is alike: an edit may have put it anew."""
    from rapidfuzz import fuzz

    prompts = fuzz.partial_ratio(fold(question.prompt), fold(row.prompt))
    printed = fuzz.ratio(fold(question.printed), fold(row.printed))
    return prompts >= 100 * _RELATED[1] or printed >= 100 * _RELATED[1]


def _amended(row: Question, question: Question) -> Question:
    """The row with the newer reading; the same object where nothing that matters is other."""
    if row.status is Status.RETIRED or (row.reviewer and row.status not in (Status.ACTIVE, Status.REVIEW)):
        return row
    if row.reviewer:
        return _asked_again(row, question)
    update: dict[str, Any] = {name: getattr(question, name) for name in _READ}
    known = row.discipline != "d00"
    if known and question.label_confidence < row.label_confidence:
        update |= {name: getattr(row, name) for name in _LABELS}
    elsewhere = row.answer_source and not row.answer_source.startswith(row.source)
    if row.reference_answer and not question.reference_answer and elsewhere:
        update |= {name: getattr(row, name) for name in _ANSWER}  # its key was not read this time
    linked = row.status is Status.DUPLICATE or row.status_reason.startswith(_DEDUP)
    if not linked:
        update |= {"status": question.status, "status_reason": question.status_reason}
    kept = {key: value for key, value in row.evidence.items() if key in _OURS}
    update["evidence"] = {**question.evidence, **kept}
    names = _TELLING if linked else (*_TELLING, "status")
    if all(update[name] == getattr(row, name) for name in names):
        return row
    return row.model_copy(update={**update, "content_hash": ""})


def _asked_again(row: Question, question: Question) -> Question:
    """A reviewed row whose file reads otherwise now: to review, as it is, with the new reading beside it."""
    if question.content_hash in (row.content_hash, row.evidence.get(READ_AS)):
        return row
    data = question.model_dump(mode="json", include=set(CONTENT_FIELDS))
    mine = row.model_dump(mode="json", include=set(CONTENT_FIELDS))
    other = {name: data[name] for name in CONTENT_FIELDS if data[name] != mine[name]}
    if other.get("reference_answer", "") is None:
        other.pop("reference_answer")  # a key that was not read this time says nothing against an answer
    if not other:
        return row
    told = json.dumps(other, ensure_ascii=False)
    evidence = {**row.evidence, READ_AS: question.content_hash, REREAD: told}
    reason = f"{OTHER}: a newer reading differs in {', '.join(other)}"
    return row.model_copy(
        update={
            "status": Status.REVIEW,
            "status_reason": reason,
            "evidence": evidence,
            "stage_versions": question.stage_versions,
        }
    )


def _doubtful(row: Question, question: Question) -> bool:
    """Whether a row that a newer reading of its file has not found may be no question."""
    return row.status is Status.ACTIVE and not row.reviewer and newer(question, row)


def _raised(row: Question, at: str) -> Question:
    return row.model_copy(update={"revision": row.revision + 1, "updated_at": at})
