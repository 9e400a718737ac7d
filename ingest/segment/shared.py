"""Text that several numbered questions share: «1~3题共用题干», passages, material between questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.segment.lines import Line
from schemas.document import BlockKind

_N = r"\d{1,3}"
_RANGE = re.compile(
    rf"(?:第\s*)?({_N})\s*(?:题)?\s*[~～—–\-至到]+\s*(?:第\s*)?({_N})\s*(?:小?题|共用|题)"
    rf"|[Qq]uestions?\s+({_N})\s*(?:[~～—–\-]|to|through|and)\s*({_N})\b"
)
_SHARES = re.compile(
    r"共用|共同|根据|阅读|回答|材料|案例|资料|短文|下列|以下|refer|based on|passage|following", re.IGNORECASE
)
_PASSAGE = re.compile(
    r"^\s*(?:[【\[]?(?:Passage|Text|Dialogue|Conversation|Extract|PASSAGE|TEXT)\s*(?:\d{1,2}|One|Two"
    r"|Three|Four|[A-D]|[IVX]{1,3})\b|[【\[]?(?:短文|阅读材料|资料)\s*[一二三四五六\d]\s*[】\]]?)\s*[:：.]?"
)


def shared_at(lines: Sequence[Line], begin: int, end: int) -> int:
    """Where between two items text for the following questions begins, `end` when none does.

    begin: the line after an item's first; end: the next item. Only what says that it is shared counts.
    """
    for index in range(begin, end):
        line = lines[index]
        if line.kind is not BlockKind.TEXT or line.mark is not None:
            continue
        if span_of(line.text) or _PASSAGE.match(line.text):
            return index
    return end


def span_of(text: str) -> tuple[int, int] | None:
    """The first and last number of «(1～3题共用题干)» or «Questions 1-3 refer to …», None when it is none."""
    if len(text) > 200 or not _SHARES.search(text):
        return None
    found = _RANGE.search(text[:80])
    if found is None:
        return None
    first, last = (int(group) for group in found.groups() if group)
    return (first, last) if first < last <= first + 30 else None


def is_passage(text: str) -> bool:
    """Whether a line heads a passage that the questions below it are about."""
    return bool(_PASSAGE.match(text))
