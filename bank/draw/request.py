"""What a draw asks for: strata, allocation, filters, seed; and the words for a value of a field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from bank.rows import CLOSED
from schemas.document import Frozen
from schemas.errors import UsageError
from schemas.question import arrow_schema
from schemas.taxonomy import find_course, find_discipline, find_sub_discipline

if TYPE_CHECKING:
    import pyarrow as pa

# Names of strata stand in the manifest, which may be shown; what a question says may not.
_SECRET = {"prompt", "printed", "reference_answer", "explanation", "material"}
_PART = re.compile(r"(?:^|(?<=/))((?:[^/\\]|\\.)*)(?:/|$)")  # of a stratum's name: see `stratum_name`
_CODES = {"discipline": find_discipline, "sub_discipline": find_sub_discipline, "course": find_course}


class Request(Frozen):
    """A draw as asked for, whatever the bank holds.

    per_stratum: units from each stratum; total: units over all strata; given: units by the name of
    the stratum. One of the three. A stratum is one combination of values of the fields in `by`;
    its name is these values joined by '/'. filters: field -> the values an item may have there.
    """

    seed: int
    by: tuple[str, ...] = ("discipline",)
    allocation: Literal["equal", "proportional", "given"] = "equal"
    per_stratum: int | None = None
    total: int | None = None
    given: dict[str, int] = Field(default_factory=dict)
    filters: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    balance_verdicts: bool = False
    allow_short: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """Every field that strata or filters name."""
        return tuple(dict.fromkeys((*self.by, *self.filters)))


def checked(request: Request, *, old: bool = False) -> Request:
    """The request with names in it turned into codes; UsageError for what cannot be drawn.

    old: it is of a draw made before; see `value`.
    """
    asked = [request.per_stratum is not None, request.total is not None, bool(request.given)]
    if sum(asked) != 1:
        raise UsageError("Say either how many items per stratum or how many in all, one or more.")
    if bool(request.given) != (request.allocation == "given"):
        raise UsageError("A given allocation names the strata and their numbers; no other does.")
    if request.per_stratum is not None and request.allocation == "proportional":
        raise UsageError(
            "The same number from each stratum is not in proportion to the bank.",
            remedy="Say how many in all.",
        )
    numbers = [request.per_stratum or request.total or 0] if not request.given else request.given.values()
    if min(numbers) < (0 if request.given else 1) or not sum(numbers):
        raise UsageError("Say either how many items per stratum or how many in all, one or more.")
    if not request.by or len(set(request.by)) < len(request.by):
        raise UsageError("A draw is stratified by one field or more, each named once.")
    for name in (*request.by, *request.filters):
        kind(name)
    filters = {
        name: tuple(value(name, v, old=old) for v in values) for name, values in request.filters.items()
    }
    given = request.given if old else {_stratum(request.by, n): count for n, count in request.given.items()}
    if len(given) < len(request.given):
        raise UsageError("The allocation names a stratum twice.", code="allocation")
    return request.model_copy(update={"filters": filters, "given": given})


def _stratum(by: Sequence[str], name: str) -> str:
    """The name of a stratum with codes for names; UsageError for none of a draw by these fields."""
    parts = [re.sub(r"\\(.)", r"\1", part) for part in _PART.findall(name)]
    if len(parts) != len(by):
        raise UsageError(
            f"{name[:40]!r} names no stratum by {', '.join(by)}.",
            code="allocation",
            remedy="Name a value for each field, parted by '/'.",
        )
    return stratum_name([value(field, part) if part else "" for field, part in zip(by, parts, strict=True)])


def kind(name: str) -> pa.DataType:
    """The Arrow type of a field that strata and filters may name; UsageError for any other."""
    import pyarrow as pa

    usable: dict[str, pa.DataType] = {}
    for field in arrow_schema():
        if field.name not in _SECRET and not pa.types.is_nested(field.type):
            usable[field.name] = field.type
    if name not in usable:
        known = name in arrow_schema().names
        raise UsageError(
            f"A draw cannot be told by {name}." if known else f"A question has no field {name}.",
            code="no_field",
            remedy=f"The fields are: {', '.join(sorted(usable))}.",
        )
    return usable[name]


def value(name: str, text: str, *, old: bool = False) -> str:
    """The text a field's value has in a stratum's name: codes for names, '10' for 10.0 points.

    UsageError for what is none. old: of a draw made before, when the taxonomy may have had other codes.
    """
    import pyarrow as pa

    of = kind(name)
    if name in _CODES:
        node = _CODES[name](text)
        if node is None and text and not old:
            raise UsageError(
                f"There is no {name.replace('_', '-')} {text[:40]!r}.",
                code=f"unknown_{name}",
                remedy="Give a code or a name of the taxonomy; `exambank stats` shows those the bank has.",
            )
        return node.code if node is not None else text
    if name in CLOSED and text not in CLOSED[name]:
        raise UsageError(f"{text!r} is no {name}.", remedy=f"Use one of: {', '.join(CLOSED[name])}.")
    if pa.types.is_string(of):
        return text
    try:
        number = pa.scalar(text).cast(of)
    except pa.ArrowInvalid:
        raise UsageError(f"{text!r} cannot be a value of {name}.") from None
    return str(number.cast(pa.string()).as_py())


def filters_of(pairs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Filters from field=value pairs; a field named twice may have either value. UsageError if none."""
    found: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{pair!r} is no filter.", remedy="Write field=value, as in exam_kind=final.")
        found[name.strip()] = (*found.get(name.strip(), ()), text.strip())
    return found


def stratum_name(values: Sequence[str]) -> str:
    r"""The values joined by '/'; a '/' inside one is written as '\/', so that no two strata share a name."""
    return "/".join(v.replace("\\", "\\\\").replace("/", "\\/") for v in values)


def described(request: Request) -> Mapping[str, object]:
    """The request as JSON values, to compare two of them."""
    return request.model_dump(mode="json")
