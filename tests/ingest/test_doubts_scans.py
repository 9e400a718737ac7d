"""What recognition loses on a scan without knowing: scripts and fractions, notes written beside a question."""

from __future__ import annotations

import pytest
from papermaker import document

from ingest.segment import segment
from schemas.document import Block, BlockKind, Box, Origin


@pytest.mark.parametrize("sum_", ["x1+x2=0", "sin2x的导数", "fn(x)的极限", "f(-)=1", "z0的留数"])
def test_a_sum_read_as_a_line_of_characters_is_doubted_on_a_scan_only(sum_: str) -> None:
    lines = ["1. 简述级数收敛的定义。", f"2. 已知条件如上，求{sum_}。"]
    scan, typed = (segment(document(lines, origin=origin)).drafts for origin in (Origin.OCR, Origin.WORD))
    doubts = [draft.evidence.get("doubts", "") for draft in (*scan, *typed)]
    assert doubts == ["", "a formula from a scan", "", ""]


def test_a_note_by_hand_beside_a_question_is_told() -> None:
    """An examiner's note may amend the question that it stands over; it is read too badly to be put in."""
    note = Block(
        text="若甲连续",
        kind=BlockKind.FURNITURE,
        box=Box(240, 22, 320, 34),
        origin=Origin.OCR,
        reason="handwriting",
    )
    lines = ["1. 简述甲的定义。", "2. 证明甲的某个性质总是成立的。", "总是如此。", "3. 简述乙。"]
    plain = document(lines, origin=Origin.OCR)
    page = plain.pages[0]
    pages = (page.model_copy(update={"blocks": (*page.blocks, note)}),)
    doubts = [
        draft.evidence.get("doubts", "")
        for draft in segment(plain.model_copy(update={"pages": pages})).drafts
    ]
    assert doubts == ["", "a handwritten note beside it was set apart", ""]
