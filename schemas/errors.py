"""One base class for every error a user meets: a stable code, what happened, what to do."""

from __future__ import annotations


class ExamBankError(Exception):
    """Something a user can act on. Never shown with a traceback.

    code is stable across versions; message says what happened and where; remedy says what to do.
    """

    code = "error"
    exit_code = 1

    def __init__(self, message: str, *, remedy: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]" + (f"\n  → {self.remedy}" if self.remedy else "")

    def as_dict(self) -> dict[str, str]:
        """Code, message and remedy, for --json and for the record of a refusal."""
        return {"code": self.code, "message": self.message, "remedy": self.remedy}

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (_rebuild, (type(self), self.message, self.remedy, self.code))


def _rebuild(kind: type[ExamBankError], message: str, remedy: str, code: str) -> ExamBankError:
    return kind(message, remedy=remedy, code=code)


class UsageError(ExamBankError):
    """The command was called in a way that cannot work."""

    code = "usage"
    exit_code = 2


class RefusedError(ExamBankError):
    """A file (or one page of it) cannot be read; the batch goes on without it."""

    code = "refused"


class MissingToolError(RefusedError):
    """A program or weight file that this work needs is not installed."""

    code = "missing_tool"


class BankError(ExamBankError):
    """The bank is missing, damaged or in conflict."""

    code = "bank"


class ShortStratumError(ExamBankError):
    """A stratum has fewer units than the draw asks for."""

    code = "short_stratum"


class ModelError(ExamBankError):
    """A model or judge endpoint cannot be used."""

    code = "model"
