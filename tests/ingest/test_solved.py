"""Solved prints: whatever they have beyond the blank paper is the answer, tables and figures too."""

from __future__ import annotations

from papermaker import cut, document

from ingest.segment import segment
from ingest.segment.answers import AS_SOLVED, side_by_side
from ingest.segment.pairing import pair
from schemas.document import Block, BlockKind, Box, Origin
from schemas.question import Extraction


def print_of(lines: list[str], source: str) -> Extraction:
    """A page; a line that begins with ~ is in blue, «[图]» is a figure."""
    blocks = [
        Block(
            text="" if line.lstrip("~") == "[图]" else line.lstrip("~"),
            kind=BlockKind.FIGURE if line.lstrip("~") == "[图]" else BlockKind.TEXT,
            origin=Origin.TEXT_LAYER,
            colour="#0000ff" if line.startswith("~") else None,
            box=Box(50, 20.0 * row, 50 + 8 * len(line), 20.0 * row + 11),
        )
        for row, line in enumerate(lines)
    ]
    return segment(document(blocks, source, Origin.TEXT_LAYER))


BLANK = [
    "1. Sort the list 5 3 9 with bubble sort.",
    "After the first pass:",
    "0\t1\t2",
    "2. Given the tree below, rotate it to the left.",
    "[图]",
    "After the rotation:",
    "3. Which hold for every heap?",
    "☐ The root is least.",
    "☐ Leaves are sorted.",
    "4. Complexity of the search: O( ______ )",
    "Brief explanation:",
]
SOLVED = [
    "1. Sort the list 5 3 9 with bubble sort.",
    "After the first pass:",
    "0\t1\t2",
    "~3\t5\t9",
    "2. Given the tree below, rotate it to the left.",
    "[图]",
    "After the rotation:",
    "[图]",
    "~(grey nodes have moved)",
    "3. Which hold for every heap?",
    "~✓ The root is least.",
    "☐ Leaves are sorted.",
    "4. Complexity of the search: O( log n )",
    "Brief explanation:",
    "~The range is halved each time.",
]


def test_tables_figures_ticks_and_filled_lines_are_the_answer() -> None:
    for one in pair([print_of(BLANK, "algorithms.pdf"), print_of(SOLVED, "algorithms-solution.pdf")]):
        assert [d.answer for d in one.drafts] == [
            "After the first pass:\n0\t1\t2\n3\t5\t9",
            "After the rotation:\n[图]\n(grey nodes have moved)",
            "✓ The root is least.",
            "Complexity of the search: O( log n )\nBrief explanation:\nThe range is halved each time.",
        ]
        assert all("log n" not in d.printed and "✓" not in d.printed for d in one.drafts)
        assert all(AS_SOLVED not in d.evidence for d in one.drafts)


def test_lists_side_by_side_are_read_one_after_the_other() -> None:
    rows = ["From A\tFrom D", "1\tAB\t1\tDC", "2\tBC\t2\tCB", "3\tCD\t3\tBA", "4\t4"]
    assert side_by_side(rows) == ["From A", "AB, BC, CD", "From D", "DC, CB, BA"]
    assert side_by_side(["1\t2\t3", "4\t5\t6"]) == ["1\t2\t3", "4\t5\t6"]


def test_a_solved_print_of_other_questions_gives_nothing() -> None:
    paper = cut("1. 什么是市场机制的作用？\n2. 什么是政府失灵的原因？", "exam.docx")
    solved = cut(
        "1. 论述中世纪城市的兴起。\n城市由此兴起。\n2. 简述行会制度。\n行会如此。", "exam-solution.docx"
    )
    assert [d.answer for d in pair([paper, solved])[0].drafts] == [None, None]
