"""The words of an item as a model sees them, and their fingerprint: what an institution has been given.

A question id tells which row was given; the row may since be edited, rejected or taken out, and the same
words may come in again under another id. So the ledger keeps a fingerprint of the words with every id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bank.draw.facts import batches, only
from schemas.errors import BankError
from schemas.text import fold

if TYPE_CHECKING:
    import pyarrow.dataset as pads

    from bank.store import Bank

COLUMNS = ("question_id", "prompt", "material")


def shown(row: Mapping[str, Any]) -> str:
    """The prompt of an item: that of its row, with the material where the prompt does not hold it."""
    prompt, material = str(row["prompt"]), str(row["material"] or "")
    return f"{material}\n\n{prompt}" if material and fold(material) not in fold(prompt) else prompt


def fingerprint(text: str) -> str:
    """32 hex digits of what an item shows; equal for texts that read the same, as ids take them."""
    # Not the key that near-duplicates are found by: its rules get better, and old entries must still fit.
    return hashlib.blake2b(fold(text).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def heard(dataset: pads.Dataset, words: Collection[str]) -> dict[str, str]:
    """The rows of the whole bank that say one of these fingerprints: question_id -> fingerprint.

    Reads every prompt: some fifteen seconds a million rows. A draw does so only when it has met such a row.
    """
    found: dict[str, str] = {}
    if not words:
        return found
    files = only(dataset, {str(getattr(part, "path", "")) for part in dataset.get_fragments()})
    for _, batch in batches(files, COLUMNS):
        for row in batch.to_pylist():
            said = fingerprint(shown(row))
            if said in words:
                found[str(row["question_id"])] = said
    return found


def given_words(bank: Bank, version: int, ids: Iterable[str]) -> dict[str, str]:
    """What these questions said in a version of the bank; nothing where it can no longer be read."""
    try:
        table = bank.table(COLUMNS, {"question_id": sorted(ids)}, version)
    except BankError as error:
        if error.code in {"no_version", "version_gone", "bank_damaged"}:
            return {}
        raise
    return {str(row["question_id"]): fingerprint(shown(row)) for row in table.to_pylist()}
