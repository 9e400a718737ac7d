"""Whether a recogniser may take one Han character for another: by how alike they are in print."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bank.dedup.words import ALIKE, CHINESE_DIGITS, CONTRASTS, NEGATORS, NUMERALS

# Characters of one radical that name things of one kind: trees, gases, waters, beasts, diseases, stones,
# organs, herbs, insects, what ferments, metals, fish, birds. There one for another is another thing.
_KINDS = (
    (0x6728, 0x6B1F), (0x6C14, 0x6C33), (0x6C34, 0x7063), (0x72AC, 0x737F), (0x7592, 0x7672),
    (0x77F3, 0x7921), (0x8089, 0x81E0), (0x8278, 0x864C), (0x866B, 0x883F), (0x9149, 0x91C5),
    (0x9485, 0x9576), (0x9C7C, 0x9CE3), (0x9E1F, 0x9E75),
)  # fmt: skip


@cache
def _table() -> dict[str, str]:
    """Each character with those drawn like it: made by benchmarks/look_alikes.py, likest first."""
    lines = Path(__file__).with_name("alike.txt").read_text(encoding="utf-8").split()
    return {line[0]: line[1:] for line in lines}


def alike(x: str, y: str) -> bool:
    """Whether the characters are on our list, or drawn alike and not words of one kind."""
    if x == y or (x, y) in ALIKE:
        return True
    if y not in _table().get(x, "") or (x, y) in CONTRASTS:
        return False
    if any(char in NEGATORS or char in NUMERALS or ord(char) in CHINESE_DIGITS for char in (x, y)):
        return False
    return not any(low <= ord(x) <= high and low <= ord(y) <= high for low, high in _KINDS)


def drawn_alike(left: str, right: str) -> bool:
    """Whether two words of one length may be one, misread."""
    return len(left) == len(right) > 0 and all(alike(x, y) for x, y in zip(left, right, strict=True))
