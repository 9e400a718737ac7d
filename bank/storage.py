"""Errors of the disk or its mount, told apart from damage: the bank is whole, the place is the trouble."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import BankError, ExamBankError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_BARRED = {errno.EROFS, errno.EACCES, errno.EPERM}
# What Delta and Arrow pass on has the system's words alone.
_FULL_WORDS = ("no space left on device", "disk quota exceeded", "os error 28", "os error 122")
_BARRED_WORDS = (
    "read-only file system", "permission denied", "operation not permitted", "os error 30", "os error 13",
)  # fmt: skip


def storage(error: BaseException, path: Path | None = None) -> BankError | None:
    """What to raise for an error of a full disk, or of a place that may not be written; None for others."""
    if isinstance(error, ExamBankError):
        return None
    number, text = getattr(error, "errno", None), str(error).lower()
    where = f" in {path}" if path is not None else ""
    if number in _FULL or any(word in text for word in _FULL_WORDS):
        return BankError(
            f"The disk of the bank{where} is full ({_short(error)}).",
            code="disk_full",
            remedy="Free some space, then run the same command again: the bank is at its last whole version.",
        )
    if number in _BARRED or any(word in text for word in _BARRED_WORDS):
        return BankError(
            f"The bank{where} may not be read or written here ({_short(error)}).",
            code="bank_barred",
            remedy="Check the owner and the rights of its folder, and whether it is mounted read-only.",
        )
    return None


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Whatever is done in here: a full disk, or a place that is barred, is told as `storage` tells it."""
    try:
        yield
    except Exception as error:
        found = storage(error, path)
        if found is None:
            raise
        raise found from error


def _short(error: BaseException) -> str:
    return getattr(error, "strerror", None) or (str(error).splitlines() or [type(error).__name__])[0][:200]
