"""Writers killed with SIGKILL at random moments: the short form of benchmarks.bank_kills."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bank_kills import OPERATIONS, run


def test_after_kills_the_bank_is_sound_and_nothing_acknowledged_is_missing(tmp_path: Path) -> None:
    told = run(tmp_path / "bank", kills=len(OPERATIONS), seed=11)
    assert told["faults"] == []
    assert sum(told["kills"].values()) == len(OPERATIONS)
