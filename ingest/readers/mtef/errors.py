"""The one error of the equation reader."""

from __future__ import annotations

from schemas.errors import RefusedError


class EquationError(RefusedError):
    """An object that cannot be read as an equation.

    code is `no_equation` when the object holds none, `equation_damaged` when it holds one that cannot
    be followed, `equation_limit` when it is larger or deeper than any real one.
    """

    code = "equation_damaged"

    def __init__(self, message: str, *, code: str = "equation_damaged") -> None:
        super().__init__(message, code=code, remedy="look at the picture of the equation in the document")
