"""Questions of a scan whose numbers were lost under handwriting, a stamp or the edge of the page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.segment.drafts import pieces_of
from ingest.segment.lines import Line
from schemas.document import BlockKind, Origin

MOST = 9
_WORDS = re.compile(r"[\u3400-\u9fffA-Za-z]")
_ENDED = re.compile(r"[。？！?!.][”\"』」）)]?\s*$")


def unnumbered_before(lead: Sequence[Line], first_value: int) -> list[list[Line]]:
    """The lines of each question before the first number seen, [] when they are not all there.

    lead: lines before the first numbered question of a section; first_value: its number. There must be
    exactly as many finished sentences directly before it as numbers are missing; lines in another ink
    (notes) are passed over. Only for scans: in a text layer a missing number was never printed.
    """
    missing = first_value - 1
    printed = [
        line
        for line in lead
        if line.block.origin is Origin.OCR and not line.block.colour and line.kind is BlockKind.TEXT
    ]
    if not 1 <= missing <= MOST or len(printed) < missing:
        return []
    groups: list[list[Line]] = []
    for line in printed:
        before = groups[-1][-1] if groups else None
        if (
            before is not None
            and not _ENDED.search(before.text)
            and len(pieces_of([before, line], first_body=False)) == 1
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
    last = groups[-missing:]
    texts = ["".join(line.text for line in group) for group in last]
    if len(last) < missing or any(len(_WORDS.findall(t)) < 6 or not _ENDED.search(t) for t in texts):
        return []
    return last
