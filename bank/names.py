"""Names that users give: of institutions, runs and batches."""

from __future__ import annotations

import unicodedata

from schemas.errors import UsageError

_LONGEST = 200  # characters


def named(name: str, what: str) -> str:
    """The name without the space around it; UsageError for none, a long one, one that cannot be shown.

    what: of whom it is the name, as a message begins: "A run".
    """
    found = name.strip()
    if not found:
        raise UsageError(f"{what} needs a name.")
    if len(found) > _LONGEST:
        raise UsageError(f"The name {found[:20]}… has more than {_LONGEST} characters.")
    if any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in found):
        raise UsageError(
            f"The name {found!r} has a control character or broken UTF-8 in it.",
            code="bad_name",
            remedy="Write it with letters, digits, spaces and punctuation.",
        )
    return found
