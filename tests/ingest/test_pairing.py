"""Papers and keys joined by what their files are called, and what is said of a key named in vain."""

from __future__ import annotations

import pytest

from ingest.segment.pairing import pair
from schemas.question import Draft, Extraction


def paper(name: str, answer: str | None = None) -> Extraction:
    asked = Draft(source=name, number="1", stem="简述控制的原则。", printed="简述控制的原则。", answer=answer)
    return Extraction(source=name, sha256=f"p{name}", pages=1, ocr_pages=0, drafts=(asked,))


def key(name: str, number: str = "1") -> Extraction:
    entry = Draft(
        source=name, number=number, stem="", printed="", answer="适时、适度、客观。", flags=("answer_only",)
    )
    return Extraction(source=name, sha256=f"k{name}", pages=1, ocr_pages=0, drafts=(entry,), answer_key=True)


@pytest.mark.parametrize(
    "name",
    [
        "管理学A-评分细则.pdf",
        "管理学A答案及评分标准.docx",
        "管理学A（参考答案和评分参考）.doc",
        "管理学A-key.pdf",
    ],
)
def test_a_key_is_told_by_its_name_however_it_calls_itself(name: str) -> None:
    joined = pair([paper("管理学A.docx"), paper("管理学B.docx"), key(name)])
    assert [e.drafts[0].answer for e in joined[:2]] == ["适时、适度、客观。", None]


@pytest.mark.parametrize(
    ("given", "named", "why"),
    [
        (paper("甲.docx"), key("乙.docx", "9"), "fit no question"),
        (paper("甲.docx", "已有。"), key("乙.docx", "9"), "answers in itself"),
        (paper("甲.docx"), paper("乙.docx"), "reads as a paper"),
    ],
)
def test_a_key_named_in_vain_says_why(given: Extraction, named: Extraction, why: str) -> None:
    for extraction in pair([given, named], {given.sha256: named.sha256}):
        assert [notice.code for notice in extraction.notices] == ["answers_unused"]
        assert why in extraction.notices[0].message
    assert not any(e.notices for e in pair([given, named]))
