"""Signed runs: every line of a log carries a keyed code over all before it, and a seal closes it."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.errors import ExamBankError

SEAL = "seal.json"
SEALED_FILES = ("scores.json", "report.html")
_CODE_BYTES = 16
_TAIL = re.compile(rb',"mac":"([0-9a-f]{32})"\}$')


class Signer:
    """Codes made with the run key, which is derived from the bank's; nobody without it can make one."""

    def __init__(self, key: bytes) -> None:
        """key: 32 bytes, see bank.ids.run_key."""
        self._key = key

    def code(self, *parts: bytes) -> str:
        """32 hex digits over the parts, whose borders count."""
        made = hashlib.blake2b(key=self._key, digest_size=_CODE_BYTES, person=b"run")
        for part in parts:
            made.update(len(part).to_bytes(8) + part)
        return made.hexdigest()

    def chain(self, manifest: bytes, name: str) -> Chain:
        """The beginning of the chain of the log called name in the run that manifest describes."""
        return Chain(self, self.code(b"start", manifest, name.encode()))

    def matches(self, code: object, *parts: bytes) -> bool:
        """Whether code is the one of the parts."""
        return isinstance(code, str) and hmac.compare_digest(code.encode(), self.code(*parts).encode())


class Chain:
    """The code of the last line of a log, and how many lines there are."""

    def __init__(self, signer: Signer, code: str) -> None:
        self._signer, self.code, self.lines = signer, code, 0

    def sign(self, line: bytes) -> bytes:
        """The line, one JSON object, with its code as last member."""
        self._advance(line)
        return line[:-1] + b',"mac":"' + self.code.encode() + b'"}'

    def check(self, line: bytes) -> bool:
        """Whether line was written by `sign` after the lines before it; the chain then goes on from it."""
        found = _TAIL.search(line)
        if found is None:
            return False
        self._advance(line[: found.start()] + b"}")
        return hmac.compare_digest(self.code.encode(), found[1])

    def _advance(self, line: bytes) -> None:
        self.code = self._signer.code(self.code.encode(), line)
        self.lines += 1


def seal(
    run_dir: Path,
    signer: Signer,
    chains: Mapping[str, tuple[int, str]],
    at: str,
    files: Sequence[str] = SEALED_FILES,
) -> dict[str, Any]:
    """Write the seal of a run or an audit: how long its logs are, their last codes, what was made of them.

    chains gives (lines, code) by name of the log; files are sealed where they are there. Returns what was
    written.
    """
    from evaluation.journal import write_whole

    content = {
        "logs": {name: {"lines": lines, "mac": code} for name, (lines, code) in sorted(chains.items())},
        "files": {
            name: hashlib.sha256((run_dir / name).read_bytes()).hexdigest()
            for name in files
            if (run_dir / name).exists()
        },
        "sealed_at": at,
    }
    whole = {**content, "mac": signer.code(b"seal", _plain(content))}
    write_whole(run_dir / SEAL, json.dumps(whole, ensure_ascii=False, indent=1) + "\n")
    return whole


def read_seal(run_dir: Path, signer: Signer) -> dict[str, Any] | None:
    """The seal, None when there is none. Raises ExamBankError `run_edited` for a false one."""
    path = run_dir / SEAL
    if not path.exists():
        return None
    try:
        whole = json.loads(path.read_bytes())
        content = {name: value for name, value in whole.items() if name != "mac"}
        good = signer.matches(whole.get("mac"), b"seal", _plain(content))
    except (ValueError, AttributeError, RecursionError):
        good = False
    if not good:
        raise edited(f"{path} is not as it was written, or was sealed with another bank's key")
    return content


def edited(message: str) -> ExamBankError:
    """The error for a run or an audit that is not as it was written."""
    return ExamBankError(
        message,
        remedy="restore the folder from a copy, or begin anew; check that --bank names its bank",
        code="run_edited",
    )


def _plain(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
