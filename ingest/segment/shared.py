"""Text that several numbered questions share: «1~3题共用题干», passages, material between questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.segment.lines import Line
from ingest.segment.marks import han_value
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


_FOR_SECTIONS = re.compile(
    r"供\s?(?:第\s?)?([一二三四五六七八九十、,，和与及\s]{1,14})\s?(?:大)?题\s?(?:使用|共用|参考)"
    r"|供\s?(?:以下|下列|下面)?\s?(?:各|所有)\s?(?:大|小)?题\s?(?:使用|共用)"
    r"|(?:以下|下列|下面)(?:各|所有)(?:大|小)?题\s?(?:均|都)?\s?(?:基于|根据|针对|使用)"
)


def for_sections(lines: Sequence[Line]) -> tuple[str, frozenset[int]] | None:
    """What stands above the first heading and is said to be for sections («供第一、二大题使用»), else None.

    Returns the text from that line on, and the numbers of the sections, none for all of them.
    """
    for place, line in enumerate(lines):
        found = _FOR_SECTIONS.search(line.text) if line.kind is BlockKind.TEXT else None
        if found:
            named = re.findall(r"[一二三四五六七八九十]{1,3}", found.group(1) or "")
            text = "\n".join(one.text for one in lines[place:])
            return text, frozenset(han_value(one) for one in named)
    return None
