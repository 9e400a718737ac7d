"""Mutated documents through the reading pool: each read or refused within limits, nothing left behind.

benchmarks/fuzz_readers.py runs thousands of them; this is a few, always the same.
"""

from __future__ import annotations

from benchmarks.fuzz_readers import run


def test_mutated_documents_are_read_or_refused() -> None:
    tally = run(60, seed=7, jobs=1)
    assert tally.failures == []
    assert sum(tally.outcomes.values()) == 60
    assert {kind for kind, _ in tally.outcomes} >= {".pdf", ".docx"}
    assert sum(count for (_, outcome), count in tally.outcomes.items() if outcome == "read") >= 10
