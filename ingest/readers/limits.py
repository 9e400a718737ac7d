"""Refusals of documents over a limit: the code is the limit's name, the remedy the setting that lifts it."""

from __future__ import annotations

from schemas.errors import RefusedError
from schemas.settings import ReadSettings

XML_DEPTH = 256  # libxml2's own bound


def over(
    settings: ReadSettings, limit: str, what: str, *, instead: str = "split the document"
) -> RefusedError:
    """The refusal of a document of which `what` is true although settings.<limit> does not allow it."""
    return RefusedError(
        f"{what}; the limit {limit} is {getattr(settings, limit):,}",
        code=limit,
        remedy=f"raise read.{limit}, or {instead}",
    )


def too_deep(what: str) -> RefusedError:
    """The refusal of a document whose XML is nested deeper than the parser goes; no setting lifts it."""
    return RefusedError(
        f"{what} is nested more than {XML_DEPTH} levels deep (limit xml_depth)",
        code="xml_depth",
        remedy="no setting lifts this limit; copy the text into a new document and give that",
    )
