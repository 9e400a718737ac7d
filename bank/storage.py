"""Errors of the disk, its mount and the table's native library, each told in our words.

A full disk or a barred place is told apart from damage: the bank is whole, the place is the trouble.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import tempfile
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
            f"The disk of the bank{where} is full ({short(error)}).",
            code="disk_full",
            remedy="Free some space, then run the same command again: the bank is at its last whole version.",
        )
    if number in _BARRED or any(word in text for word in _BARRED_WORDS):
        return BankError(
            f"The bank{where} may not be read or written here ({short(error)}).",
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


@contextmanager
def native(path: Path) -> Iterator[None]:
    """Around writes of the table's library, whose threads tell their panics on standard error by themselves.

    What was written there meanwhile is passed on up to the first panic. A panic that reaches Python is
    no Exception; it becomes BankError `bank_failed`, or what `storage` makes of it. path: the bank.
    """
    try:
        with _aside():
            yield
    except Exception:
        raise
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise storage(error, path) or BankError(
            f"The library that writes the table of the bank in {path} has failed: {short(error)}",
            code="bank_failed",
            remedy="See with `exambank check` whether the bank is sound, then run the same command again.",
        ) from None


@contextmanager
def _aside() -> Iterator[None]:
    """Standard error, the process's own, in a file meanwhile; where none can be made, as it is."""
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except (OSError, ValueError, AttributeError):
        yield
        return
    try:
        # In memory, where that can be had: the disk may be full.
        made = os.memfd_create("stderr") if hasattr(os, "memfd_create") else tempfile.TemporaryFile()  # noqa: SIM115
    except OSError:
        os.close(kept)
        yield
        return
    with os.fdopen(made, "w+b") if isinstance(made, int) else made as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            held.seek(0)
            said = held.read()
            start = said.find(b"\nthread '") + 1 if not said.startswith(b"thread '") else 0
            told = said[:start] if b"panicked at" in said[start:] else said
            if told.strip():
                os.write(2, told)


def unwritten(what: str, error: BaseException, then: str) -> None:
    """Tell that a change stands, though something beside it could not be written. then: what mends it.

    A warning of the logger `exambank`, which stands on standard error unless a program says otherwise.
    """
    logging.getLogger("exambank").warning(
        "note: the change is made, but %s could not be written (%s). %s", what, short(error), then
    )


def short(error: BaseException) -> str:
    """The words of an error in one line, without what is for its makers alone."""
    words = getattr(error, "strerror", None) or (str(error).splitlines() or [type(error).__name__])[0]
    words = words.removeprefix("Kernel error: ").removeprefix("Generic error: ")
    for inside in (" { ", "LogStoreError", "ParsedLogPath"):  # the insides of a value, as Rust shows them
        words = words.split(inside)[0]
    return words[:200].rstrip(" :(.") or type(error).__name__
