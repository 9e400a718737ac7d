"""Keyed identifiers: the bank's key, and the ids and signatures derived from it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from json.encoder import JSONEncoder, encode_basestring_ascii
from pathlib import Path

from schemas.errors import BankError
from schemas.question import Question
from schemas.text import fold

KEY_BYTES = 32
_ID_BYTES = 15  # 120 bits: 24 base32 characters without padding
_PAIRS = ["".join(pair) for pair in product("abcdefghijklmnopqrstuvwxyz234567", repeat=2)]
_JSON = JSONEncoder(ensure_ascii=True, sort_keys=True).encode
# What an item says.
CONTENT_FIELDS = (
    "prompt",
    "reference_answer",
    "explanation",
    "material",
    "figures",
    "needs_figure",
    "question_type",
    "points",
)


class IdMaker:
    """Ids and signatures of one bank. Without the key nobody can guess or verify one.

    Ids and signatures use separate subkeys, so that a published signature tells nothing of ids.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise BankError(
                f"A bank key has {KEY_BYTES} bytes, this one has {len(key)}.",
                code="bank_key",
                remedy="Restore the file `key` of the bank from a backup.",
            )
        self._ids = _subkey(key, b"ids")
        self._signatures = _subkey(key, b"signatures")

    def content_hash(self, question: Question) -> str:
        """Signature of what an item says, 64 hex digits; equal if and only if nothing was edited."""
        data = vars(question)  # JSON values as they are: a dump of the model says the same, ten times as slow
        return self.signature({name: data[name] for name in CONTENT_FIELDS})

    def signature(self, data: Mapping[str, object]) -> str:
        """`content_hash` of the JSON values of CONTENT_FIELDS."""
        text = _JSON(data)
        return hashlib.blake2b(text.encode(), digest_size=32, key=self._signatures).hexdigest()

    def _short(self, parts: Sequence[str], nth: int) -> str:
        # JSON keeps the borders between the parts: ["ab", "c"] and ["a", "bc"] differ.
        text = f"[{', '.join(map(encode_basestring_ascii, parts))}, {nth}]"
        raw = hashlib.blake2b(text.encode(), digest_size=_ID_BYTES, key=self._ids).digest()
        return _base32(raw)

    def identify(
        self, questions: Iterable[Question], more: Callable[[Question], Mapping[str, object]] | None = None
    ) -> list[Question]:
        """Questions with question_id, original_id and content_hash set, in the order given.

        more: further fields of a question, set in the same copy of it; none of what it says.
        Items of one file that read the same are told apart by their place among each other.
        Siblings carry one draft_id in their evidence; a draft given twice gives its ids twice.
        """
        places: dict[tuple[str, ...], dict[str, int]] = {}
        folded = lru_cache(maxsize=64)(fold)  # a prompt is often what was printed, siblings share material
        out = []
        for index, q in enumerate(questions):
            draft = q.evidence.get("draft_id") or f"#{index}"
            # An id says: the nth (from 0) item, or printed question, of this file that reads the same.
            same_text = ("question", q.source_sha256, folded(q.prompt), folded(q.material), *q.figures)
            same_print = ("original", q.source_sha256, folded(q.printed))
            nth_text = _place(places, same_text, draft)
            nth_print = _place(places, same_print, draft)
            update = {
                "question_id": "q" + self._short(same_text, nth_text),
                "original_id": "o" + self._short(same_print, nth_print),
                "content_hash": self.content_hash(q),
                **(more(q) if more is not None else {}),
            }
            out.append(q.model_copy(update=update))
        return out


def _base32(raw: bytes) -> str:
    """RFC 4648 base32 in small letters of 15 bytes; the standard library's takes ten times as long."""
    number = int.from_bytes(raw)
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(8 * _ID_BYTES - 10, -1, -10)])


def _place(places: dict[tuple[str, ...], dict[str, int]], what: tuple[str, ...], draft: str) -> int:
    seen = places.setdefault(what, {})
    return seen.setdefault(draft, len(seen))


def _subkey(key: bytes, purpose: bytes) -> bytes:
    return hashlib.blake2b(purpose, digest_size=32, key=key, person=b"exambank").digest()


def run_key(key: bytes) -> bytes:
    """The key that runs on the bank's questions are signed with; tells nothing of ids or contents."""
    return _subkey(key, b"runs")


def ledger_key(key: bytes) -> bytes:
    """The key of the ledger's digests; tells nothing of the others."""
    return _subkey(key, b"ledger")


def fingerprint(key: bytes) -> str:
    """32 hex digits that tell one key from another, and nothing of either."""
    return _subkey(key, b"fingerprint").hex()[:32]


def create_key(path: Path, key: bytes | None = None) -> bytes:
    """The key in file path, made first (mode 0600, all or nothing) if there is none.

    key: use these 32 bytes instead of random ones; BankError if another key is there already.
    """
    wanted = key if key is not None else secrets.token_bytes(KEY_BYTES)
    IdMaker(wanted)  # refuses a key of the wrong length before anything is written
    fresh = path.with_name(f".key-{os.getpid()}-{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(wanted)
            file.flush()
            os.fsync(file.fileno())
        # A link appears whole or not at all, and never replaces a key that is there.
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    found = load_key(path)
    if key is not None and found != key:
        raise BankError(
            f"{path} holds another key than the one given.",
            code="bank_key",
            remedy="Create the bank in a new folder, or leave the key out.",
        )
    return found


def load_key(path: Path) -> bytes:
    """The 32 bytes of the key; BankError when the file is missing or damaged."""
    try:
        key = path.read_bytes()
    except OSError as error:
        raise BankError(
            f"The key of the bank cannot be read: {path} ({error.strerror}).",
            code="bank_key",
            remedy="Restore the file `key` from a backup: without it no id can be made again.",
        ) from error
    IdMaker(key)
    return key
