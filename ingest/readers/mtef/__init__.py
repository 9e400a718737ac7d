"""MathType and Equation Editor 3.0 objects as LaTeX: decode() takes an OLE object or its picture."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.readers.mtef import container, latex, records
from ingest.readers.mtef.container import count
from ingest.readers.mtef.errors import EquationError

__all__ = ["Equation", "EquationError", "count", "decode", "decode_stream"]


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation as LaTeX without dollar signs; losses names what of it could not be written."""

    latex: str
    version: int
    losses: tuple[str, ...] = ()


def decode(data: bytes) -> Equation:
    """The equation in an OLE object, or in the comment of a WMF or EMF picture.

    Raises EquationError with code `no_equation` when there is none, `equation_damaged` when it cannot
    be followed to its end, `equation_limit` when it is larger or deeper than any real one.
    """
    return decode_stream(container.find(data))


def decode_stream(data: bytes) -> Equation:
    """The equation in a bare MTEF stream. Raises EquationError as decode does."""
    tree = records.parse(data)
    text, losses = latex.write(tree)
    return Equation(text, tree.version, losses)
