"""Stratified draws: who may be drawn, how units are formed, and which of them a seed picks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata

from schemas.errors import ShortStratumError, UsageError
from schemas.evaluation import Manifest, SampleItem, Stratum
from schemas.question import Question, Status
from schemas.text import fold

Filters = Mapping[str, str | Sequence[str]]


def eligible(question: Question) -> bool:
    """Whether an item may be asked: active, with a reference answer, understandable without a figure."""
    answer = (question.reference_answer or "").strip()
    return question.status is Status.ACTIVE and bool(answer) and not question.needs_figure


def units(questions: Iterable[Question]) -> dict[str, str]:
    """For each question_id the unit it belongs to: siblings and duplicates, and theirs in turn.

    A unit bears the smallest question_id in it.
    """
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    ids = []
    for q in questions:
        ids.append(q.question_id)
        for other in (q.original_id, q.duplicate_of):
            if other:
                parent[root(q.question_id)] = root(other)
    smallest: dict[str, str] = {}
    for name in ids:
        top = root(name)
        smallest[top] = min(smallest.get(top, name), name)
    return {name: smallest[root(name)] for name in ids}


def draw(
    questions: Sequence[Question],
    *,
    seed: int,
    per_stratum: int | None = None,
    total: int | None = None,
    fields: Sequence[str] = ("discipline",),
    filters: Filters | None = None,
    allow_short: bool = False,
    bank_version: int = 0,
) -> tuple[list[SampleItem], Manifest]:
    """Draw the same number of units from each stratum, one item a unit.

    questions: the whole bank, since siblings and duplicates that may not be drawn still join
    units. per_stratum: units from each stratum (the N of `exambank sample -n N`: N per
    discipline); or total: that many over all strata, as equal as can be. fields: a stratum is one
    combination of their values. filters: field -> the value or values an item may have.
    A stratum is there when an active item has its values, or the filters name it.

    In a stratum the units with the smallest BLAKE2b(seed, unit) are drawn, and of a unit the item
    with the smallest BLAKE2b(seed, question_id): the draw depends on the seed and on what is in
    the bank, not on the order of rows; one new unit in the bank displaces one of the draw at most.

    ShortStratumError names the strata with too few units, unless allow_short; UsageError for a
    draw that asks for nothing or for unknown fields.
    """
    if (per_stratum is None) == (total is None) or (per_stratum or total or 0) < 1:
        raise UsageError("Say either how many items per stratum or how many in all, one or more.")
    wanted_values = {name: [v] if isinstance(v, str) else list(v) for name, v in (filters or {}).items()}
    unknown = sorted({*fields, *wanted_values} - set(Question.model_fields))
    if unknown or not fields:
        raise UsageError(f"A question has no field {', '.join(unknown) or '(none given)'}.")

    unit_of = units(questions)
    pool = [q for q in questions if all(str(getattr(q, n)) in vs for n, vs in wanted_values.items())]
    strata: dict[str, dict[str, list[Question]]] = {
        _stratum(q, fields): {} for q in pool if q.status is Status.ACTIVE
    }
    if len(fields) == 1:
        for value in wanted_values.get(fields[0], ()):
            strata.setdefault(value, {})
    home: dict[str, str] = {}
    # A unit whose items are filed in two strata counts in one only: that of its smallest id.
    for q in sorted((q for q in pool if eligible(q)), key=lambda q: q.question_id):
        unit = unit_of[q.question_id]
        name = home.setdefault(unit, _stratum(q, fields))
        if name == _stratum(q, fields):
            strata[name].setdefault(unit, []).append(q)

    shares = _shares(sorted(strata), per_stratum, total, seed)
    _refuse_short(strata, shares, allow_short)
    drawn: list[Question] = []
    told: list[Stratum] = []
    for name in sorted(strata):
        members = strata[name]
        chosen = sorted(members, key=lambda unit: _rank(seed, "unit", unit))[: shares[name]]
        drawn += [min(members[u], key=lambda q: _rank(seed, "item", q.question_id)) for u in chosen]
        told.append(Stratum(name=name, eligible=len(members), wanted=shares[name], drawn=len(chosen)))
    items = [_item(q) for q in drawn]
    manifest = Manifest(
        bank_version=bank_version,
        seed=seed,
        per_stratum=per_stratum if per_stratum is not None else min(shares.values(), default=0),
        strata_fields=tuple(fields),
        filters={name: ",".join(values) for name, values in wanted_values.items()},
        allow_short=allow_short,
        strata=tuple(told),
        ids=tuple(item.question_id for item in items),
        items_sha256=hashlib.sha256(encode(items)).hexdigest(),
        software=f"exambank {_version()}",
    )
    return items, manifest


def encode(items: Iterable[SampleItem]) -> bytes:
    """The items file: JSON lines in UTF-8. Its SHA-256 stands in the manifest."""
    return b"".join(item.model_dump_json().encode() + b"\n" for item in items)


def _stratum(question: Question, fields: Sequence[str]) -> str:
    return "/".join(str(getattr(question, name)) for name in fields)


def _rank(seed: int, what: str, name: str) -> bytes:
    return hashlib.blake2b(f"{seed}\n{what}\n{name}".encode(), digest_size=16).digest()


def _shares(names: Sequence[str], per_stratum: int | None, total: int | None, seed: int) -> dict[str, int]:
    if per_stratum is not None:
        return dict.fromkeys(names, per_stratum)
    if not names:
        return {}
    base, rest = divmod(total or 0, len(names))
    favoured = sorted(names, key=lambda name: _rank(seed, "stratum", name))[:rest]
    return {name: base + (name in favoured) for name in names}


def _refuse_short(
    strata: Mapping[str, Mapping[str, object]], shares: Mapping[str, int], allow_short: bool
) -> None:
    short = {name: len(strata[name]) for name in sorted(strata) if len(strata[name]) < shares[name]}
    if strata and (allow_short or not short):
        return
    if not strata:
        raise ShortStratumError(
            "No item of the bank can be drawn.",
            remedy="Ingest papers with answers, settle what is in review, or widen the filters.",
        )
    listed = ", ".join(f"{name}: {have} of {shares[name]}" for name, have in short.items())
    least = min(len(units) for units in strata.values())
    ways = [f"draw {least} from each"] if least else ["leave those strata out with a filter"]
    raise ShortStratumError(
        f"Too few eligible questions in {len(short)} of {len(strata)} strata ({listed}).",
        remedy="; or ".join(
            [*ways, "add --allow-short to take what there is", "ingest more papers with answers"]
        ),
    )


def _item(question: Question) -> SampleItem:
    prompt = question.prompt
    if question.material and fold(question.material) not in fold(prompt):
        prompt = f"{question.material}\n\n{prompt}"
    return SampleItem(
        question_id=question.question_id,
        discipline=question.discipline,
        question_type=question.question_type.value,
        language=question.language,
        prompt=prompt,
    )


def _version() -> str:
    try:
        return metadata.version("exambank")
    except metadata.PackageNotFoundError:
        return "unknown"
