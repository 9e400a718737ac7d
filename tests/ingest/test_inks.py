"""Answers that a paper sets in colour within its black lines."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from docx import Document as NewWord
from docx.shared import RGBColor

from ingest.layout.inks import inks
from ingest.readers import read
from ingest.segment import segment
from schemas.document import Document
from schemas.question import Draft
from schemas.settings import ReadSettings, SegmentSettings

Line = list[tuple[str, bool]]
"""Stretches of a line, each with whether it is red."""

CHOICES: list[Line] = [
    [("一、选择题", False)],
    [("1. 水的沸点是（ ）", False)],
    [("A. 九十度  ", False), ("B. 一百度", True), ("  C. 八十度", False)],
    [("2. 冰的熔点是（ ）", False)],
    [("A. ", False), ("零度", True), ("  B. 十度  C. 五度", False)],
    [("3. 下列说法", False), ("错误", True), ("的是（ ）", False)],
    [("A. 甲  B. 乙  ", False), ("C. 丙", True)],
]
TAILS: list[Line] = [
    [("一、辨析题", False)],
    [("1. 存在即合理。", False), ("错误。存在的不一定合理。", True)],
    [("2. 真理都是绝对的。", False), ("不对，真理有相对性。", True)],
    [("3. 实践是检验真理的标准。", False), ("正确。", True)],
    [("4. 事物都在变化。", False)],
]


def word(path: Path, lines: list[Line]) -> Document:
    document = NewWord()
    for line in lines:
        paragraph = document.add_paragraph()
        for text, red in line:
            run = paragraph.add_run(text)
            if red:
                run.font.color.rgb = RGBColor(0xFF, 0, 0)
    document.save(str(path))
    return read(path, ReadSettings())[0]


def pdf(path: Path, lines: list[Line]) -> Document:
    with pymupdf.open() as document:
        page = document.new_page()
        for row, line in enumerate(lines):
            x = 72.0
            for text, red in line:
                page.insert_text(
                    (x, 80 + 24 * row),
                    text,
                    fontname="china-s",
                    fontsize=11,
                    color=(1, 0, 0) if red else (0, 0, 0),
                )
                x += pymupdf.get_text_length(text, fontname="china-s", fontsize=11)
        document.save(str(path))
    return read(path, ReadSettings())[0]


def drafts(document: Document, take: bool = False) -> tuple[Draft, ...]:
    return segment(document, SegmentSettings(coloured_options=take)).drafts


@pytest.mark.parametrize(("make", "suffix"), [(word, "docx"), (pdf, "pdf")])
def test_options_in_colour_are_named_and_taken_only_where_that_is_set(
    tmp_path: Path, make: object, suffix: str
) -> None:
    assert callable(make)
    document = make(tmp_path / f"a.{suffix}", CHOICES)
    told = drafts(document)
    assert [draft.answer for draft in told] == [None, None, None]
    assert all(draft.confidence < 0.6 and "options " in draft.evidence["doubts"] for draft in told)
    found = drafts(document, take=True)
    assert [draft.answer for draft in found] == ["B", "A", "C"]
    assert all("another ink" in draft.answer_source for draft in found)


def test_one_option_in_colour_is_doubted_and_no_answer(tmp_path: Path) -> None:
    plain = [[("".join(text for text, _ in line), False)] for line in CHOICES]
    found = drafts(word(tmp_path / "a.docx", [*CHOICES[:3], *plain[3:]]), take=True)
    assert [draft.answer for draft in found] == [None, None, None]
    assert [draft.confidence < 0.6 for draft in found] == [True, False, False]


def test_emphasis_in_colour_sends_nothing_to_review(tmp_path: Path) -> None:
    plain = [[("".join(text for text, _ in line), False)] for line in CHOICES]
    found = drafts(word(tmp_path / "a.docx", [*plain[:5], CHOICES[5], plain[6]]))
    assert found[2].answer is None and found[2].confidence >= 0.6
    assert "words in another ink" in found[2].evidence["doubts"]


@pytest.mark.parametrize(("make", "suffix"), [(word, "docx"), (pdf, "pdf")])
def test_an_answer_in_colour_behind_its_question_is_taken_out(
    tmp_path: Path, make: object, suffix: str
) -> None:
    assert callable(make)
    found = drafts(make(tmp_path / f"a.{suffix}", TAILS))
    assert [draft.stem for draft in found] == [
        "存在即合理。",
        "真理都是绝对的。",
        "实践是检验真理的标准。",
        "事物都在变化。",
    ]
    assert [draft.answer for draft in found] == [
        "错误。存在的不一定合理。",
        "不对，真理有相对性。",
        "正确。",
        None,
    ]


def test_a_single_answer_in_colour_is_doubted(tmp_path: Path) -> None:
    found = drafts(word(tmp_path / "a.docx", [*TAILS[:2], *([line[0]] for line in TAILS[2:])]))
    assert [draft.confidence < 0.6 for draft in found] == [True, False, False, False]


def test_grey_print_is_no_ink_and_neighbours_of_one_colour_are_one_stretch() -> None:
    pieces = [
        ("甲", None),
        ("乙", "#808080"),
        ("丙", "#ff0000"),
        (" ", None),
        ("丁", "#ff0000"),
        ("戊", "#0000ff"),
    ]
    assert inks("甲乙丙 丁戊", pieces) == (("丙 丁", "#ff0000"), ("戊", "#0000ff"))
