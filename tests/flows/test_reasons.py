"""Codes of a review: each that the rooms give has its meaning told."""

from __future__ import annotations

import re
from pathlib import Path

from bank.again import LOST, OTHER
from bank.dedup.items import CONFLICT, DOUBT, RETIRED
from flows.reasons import MEANINGS, explained
from ingest.clean.checks import TOLERABLE

ROOT = Path(__file__).parents[2]
_GIVEN = re.compile(r'(?:(?:flags|serious|shared)\.append\(|_flag\(\w+, )"([a-z_]+)"')


def test_every_code_is_explained() -> None:
    sources = [path for folder in ("clean", "segment") for path in (ROOT / "ingest" / folder).glob("*.py")]
    given = {code for path in sources for code in _GIVEN.findall(path.read_text(encoding="utf-8"))}
    assert "points_outside" in given
    assert given | {DOUBT, CONFLICT, RETIRED, LOST, OTHER} <= MEANINGS.keys() | TOLERABLE


def test_reasons_that_list_several_are_taken_apart() -> None:
    found = explained(["mojibake, truncated", "truncated", "a curator's own words"])
    assert [code for code, _ in found] == ["mojibake", "truncated"]
