"""Checks of the rows: ids, values, links between rows, and what they say against their signatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bank import rows
from bank.checks.problem import Checked, Problem, problem
from bank.ids import CONTENT_FIELDS
from schemas.question import Status
from schemas.taxonomy import taxonomy

# A rejected or retired row may name what took its place.
_DRAWN = {Status.ACTIVE.value, Status.REVIEW.value}
_EDIT = "Mend them with `exambank edit`, or go back with `exambank restore`."


def ids(here: Checked) -> Iterator[Problem]:
    """Every row has an id as the bank makes them, and no two have the same."""
    import pyarrow.compute as pc

    names = here.facts["question_id"].to_pylist()
    back = "Go back to a version before them with `exambank restore`; see `exambank log` for who wrote them."
    if len(set(names)) != len(names):
        twice = sorted(str(name) for name, count in Counter(names).items() if count > 1)
        yield from problem("ids_repeated", "error", "{n} ids stand in several rows.", back, twice)
    origins = here.facts["original_id"].to_pylist()
    bare = [n for n, o in zip(names, origins, strict=True) if not n or not o]
    yield from problem("ids_missing", "error", "{n} rows have no id, or no original's.", back, bare)
    odd: set[str] = set()
    for column, letter in (
        ("question_id", "q"),
        ("original_id", "o"),
        ("duplicate_of", "q"),
        ("cluster_id", "q"),
    ):
        given = here.facts[column]
        # No id at all is told above, or means that a row is no duplicate.
        fits = pc.match_substring_regex(given, f"^({letter}[a-z2-7]{{24}})?$")
        odd |= {f"{column} {name}"[:100] for name in given.filter(pc.invert(fits)).to_pylist()}
    yield from problem("ids_odd", "error", "{n} ids are none that the bank makes.", back, sorted(odd))


def values(here: Checked) -> Iterator[Problem]:
    """Closed sets of values hold; disciplines, sub-disciplines and courses are in the taxonomy."""
    tax = taxonomy()
    closed = {
        **{name: set(values) for name, values in rows.CLOSED.items()},
        "discipline": set(tax.disciplines),
        "sub_discipline": {"", *tax.sub_disciplines},
        "course": {"", *tax.courses},
    }
    for name, known in closed.items():
        bad = set(here.facts[name].unique().to_pylist()) - known
        if bad:
            yield from problem(
                "value_unknown",
                "error",
                f"{{n}} questions have a {name} that is none.",
                _EDIT,
                _ids_where(here, name, bad),
            )
    pairs = here.facts.group_by(["discipline", "sub_discipline"]).aggregate([])
    for discipline, sub in zip(
        *(pairs[n].to_pylist() for n in ("discipline", "sub_discipline")), strict=True
    ):
        node = tax.sub_disciplines.get(sub)
        if node is not None and node.discipline != discipline:
            inside = _ids_where(here, "sub_discipline", {sub})
            home = dict(zip(*_two(here, "question_id", "discipline"), strict=True))
            yield from problem(
                "discipline_mismatch",
                "warning",
                f"{{n}} questions of {discipline} are filed under {sub}, which belongs to {node.discipline}.",
                _EDIT,
                [name for name in inside if home[name] == discipline],
            )


def links(here: Checked) -> Iterator[Problem]:
    """A duplicate names its keeper; a keeper is there and no duplicate itself; clusters have one."""
    wanted = ("question_id", "status", "duplicate_of", "cluster_id")
    columns = [here.facts[name].to_pylist() for name in wanted]
    status = dict(zip(columns[0], columns[1], strict=True))
    duplicate = Status.DUPLICATE.value
    dangling, chained, odd, lost, rejected = [], [], [], [], []
    for name, state, keeper, cluster in zip(*columns, strict=True):
        if not keeper and not cluster and state != duplicate:
            continue
        if not keeper if state == duplicate else keeper and state in _DRAWN:
            odd.append(name)
        if keeper and keeper not in status:
            dangling.append(f"{name} → {keeper}")
        elif keeper and status[keeper] == duplicate:
            chained.append(f"{name} → {keeper}")
        elif keeper and status[keeper] == Status.REJECTED.value:
            rejected.append(f"{name} → {keeper}")
        if cluster and cluster not in status:
            lost.append(f"{name} in {cluster}")
    undo = "Take them apart with `exambank unmerge ID`, then let `exambank dedup` decide anew."
    yield from problem("duplicate_dangling", "error", "{n} duplicates name no row.", undo, dangling)
    yield from problem("duplicate_chained", "warning", "{n} duplicates name a duplicate.", undo, chained)
    yield from problem("duplicate_odd", "error", "{n} rows are half a duplicate.", undo, odd)
    yield from problem("duplicate_hidden", "warning", "{n} duplicates name a rejected row.", undo, rejected)
    yield from problem("cluster_lost", "warning", "{n} rows are in clusters that are gone.", undo, lost)


def contents(here: Checked) -> Iterator[Problem]:
    """What every question says has the signature it was written with; text is valid."""
    import pyarrow as pa
    import pyarrow.compute as pc

    changed, broken = [], []
    for code in here.facts["discipline"].unique().to_pylist():
        part = rows.scan(
            here.delta, ("question_id", "content_hash", *CONTENT_FIELDS), pc.field("discipline") == code
        )
        try:
            part.validate(full=True)
        except pa.ArrowInvalid as error:
            broken.append(f"{code}: {str(error)[:100]}")
            continue
        for row in part.to_pylist():
            name, known = row.pop("question_id"), row.pop("content_hash")
            if here.bank.ids.signature(row) != known:
                changed.append(name)
    yield from problem(
        "values_invalid",
        "error",
        "{n} partitions hold values that are none, such as broken UTF-8.",
        "Restore the folder questions from a backup.",
        broken,
    )
    yield from problem(
        "content_changed",
        "error",
        "{n} questions say something else than what was signed: another program wrote them, or the bank has "
        "another key.",
        "See what they said before with `exambank diff`, go back with `exambank restore`; put back the file "
        "`key` if it was exchanged.",
        changed,
    )


def _ids_where(here: Checked, column: str, bad: set[Any]) -> list[str]:
    return [str(n) for n, v in zip(*_two(here, "question_id", column), strict=True) if v in bad]


def _two(here: Checked, one: str, other: str) -> tuple[list[Any], list[Any]]:
    return here.facts[one].to_pylist(), here.facts[other].to_pylist()
