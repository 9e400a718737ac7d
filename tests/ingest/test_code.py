"""Program code in a paper: its indentation is kept from the file to the item, its lines are not joined."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx import Document as WordDocument
from docx.shared import Pt
from papermaker import cut, document

from ingest.clean import itemise
from ingest.readers import read
from ingest.segment import segment
from schemas.document import Block, Box, Origin
from schemas.question import Label
from schemas.settings import CleanSettings, ReadSettings

CODE = ["def f(n):", "    s = 0", "    for i in range(n):", "        s += i", "    return s", "print(f(6))"]
WHOLE = "写出下列程序的输出：\n" + "\n".join(CODE)


def test_blanks_before_code_are_kept_to_the_item() -> None:
    (draft,) = cut(["一、程序阅读题（每题10分）", "1. 写出下列程序的输出：", *CODE]).drafts
    assert draft.printed == WHOLE
    label = Label(discipline="d08", sub_discipline="d0809", confidence=0.9, method="folder")
    (item,) = itemise(draft, label, CleanSettings())
    assert "\n        s += i\n    return s\n" in item.prompt


def test_code_in_an_answer_keeps_its_blanks() -> None:
    (draft,) = cut(["一、编程题（每题10分）", "1. 编写函数，求前n个数之和。", "答：", *CODE]).drafts
    assert draft.answer == "\n".join(CODE)


@pytest.mark.parametrize("way", ["spaces", "tabs", "indents"])
def test_a_word_file_keeps_its_code_set_in(tmp_path: Path, way: str) -> None:
    paper = WordDocument()
    paper.add_paragraph("一、程序阅读题（每题10分）")
    paper.add_paragraph("1. 写出下列程序的输出：")
    for line in CODE:
        depth = (len(line) - len(line.lstrip())) // 4
        lead = {"spaces": "    " * depth, "tabs": "\t" * depth, "indents": ""}[way]
        paragraph = paper.add_paragraph(lead + line.lstrip())
        if way == "indents":
            paragraph.paragraph_format.left_indent = Pt(21 * depth)
    paper.save(str(tmp_path / "paper.docx"))
    (draft,) = segment(read(tmp_path / "paper.docx", ReadSettings())[0]).drafts
    assert draft.printed == WHOLE


def test_code_on_a_page_is_set_in_by_its_place() -> None:
    rows = ["一、程序阅读题（每题10分）", "1. 写出下列程序的输出：", *CODE]
    blocks = []
    for row, text in enumerate(rows):
        lead = 24.0 * ((len(text) - len(text.lstrip())) // 4)
        box = Box(50 + lead, 20.0 * row, 300, 20.0 * row + 11)
        blocks.append(Block(text=text.strip(), origin=Origin.TEXT_LAYER, box=box, indent=lead))
    (draft,) = segment(document(blocks, "paper.pdf", Origin.TEXT_LAYER)).drafts
    assert draft.printed == WHOLE


def test_prose_set_in_is_no_code() -> None:
    (draft,) = cut(
        ["一、论述题", "1. 阅读材料，回答问题。", "    某厂停产。", "    It was for sale.", "试述原因。"]
    ).drafts
    assert draft.printed == "阅读材料，回答问题。\n某厂停产。\nIt was for sale.\n试述原因。"
