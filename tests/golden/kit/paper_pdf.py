"""A paper on PDF pages: title, candidate line, score grid, questions, and the key where it belongs."""

from __future__ import annotations

from typing import Any

from tests.golden.kit.model import Item, Paper, Section, plain
from tests.golden.kit.typeset import Sheet, measure

WRITTEN = {"short_answer", "calculation", "essay", "analysis", "other"}


def head(sheet: Sheet, paper: Paper) -> None:
    """Title lines, candidate line and score grid."""
    for place, text in enumerate(paper.title):
        sheet.line(text, size=15 if place == 0 else 13, bold=True, centre=True)
    if "candidate" in paper.extra:
        sheet.gap(4)
        sheet.line(paper.extra["candidate"], centre=True)
    if "grid" in paper.extra:
        columns = ["题号", *paper.extra["grid"], "总分"]
        sheet.grid(
            [columns, ["得分", *[""] * (len(columns) - 1)]], cell=min(52, sheet.measure / len(columns))
        )
    if paper.note:
        sheet.para(paper.note, size=sheet.size - 0.5)
    sheet.gap(4)


def ask(sheet: Sheet, number: int, item: Item, paper: Paper) -> None:
    """One question with its options, listing and sub-questions."""
    mark = paper.extra.get("mark", "{n}. ").format(n=number)
    points = ""
    if item.printed_points:
        points = paper.extra.get("points", "（{p:g}分）").format(p=item.points)
    text = mark + plain(item.text) + points
    hang = measure("1. ", sheet.size)
    sheet.room(2.2 * sheet.size * sheet.leading)
    if item.options:
        sheet.room((2 + len(wrapped(sheet, text, hang))) * sheet.size * sheet.leading)
    sheet.para(text, rest=hang)
    for line in item.lines:
        sheet.line(line, indent=hang + 12, mono=True, size=sheet.size - 1)
    for part in item.parts:
        sheet.para(part, first=hang, rest=hang + 18)
    if item.options:
        sheet.options([plain(option) for option in item.options], indent=hang)


def wrapped(sheet: Sheet, text: str, hang: float) -> list[str]:
    """The lines a text will take, for keeping a question with its options."""
    width = sheet.measure - hang
    return [""] * (int(measure(text, sheet.size) / width) + 1)


def questions(
    sheet: Sheet, paper: Paper, below: str = "", explain: str = "", space: float = 4, writing: float = 0
) -> None:
    """All sections; with `below`, each answer under its question after that mark.

    space is the white between questions, writing the room to write an answer in, both in points.
    """
    for section in paper.sections:
        sheet.gap(7)
        sheet.para(section.heading, bold=True, size=sheet.size + 0.5)
        for number, item in enumerate(section.items, start=section.first):
            ask(sheet, number, item, paper)
            if below:
                written = [plain(line) for line in item.answer_lines]
                sheet.para(below + written[0], first=18, rest=18)
                for line in written[1:]:
                    sheet.para(line, first=18, rest=18)
                if item.explanation:
                    sheet.para(explain + item.explanation, first=18, rest=18)
            sheet.gap(space + (writing if section.form in WRITTEN else 0))


def key(sheet: Sheet, paper: Paper, new_page: bool = True) -> None:
    """The key after the questions: choices in a row, the rest item by item."""
    if new_page:
        sheet.column = len(sheet.columns)
        sheet.next_column()
    else:
        sheet.gap(16)
    sheet.room(5 * sheet.size * sheet.leading)
    sheet.line(paper.key_title, bold=True, size=13, centre=True)
    for section in paper.sections:
        sheet.gap(5)
        sheet.para(key_heading(section), bold=True)
        for line in key_lines(section, paper):
            if line.startswith("    ") or line.startswith("\t"):
                sheet.line(line.strip("\t"), mono=True, size=sheet.size - 1, indent=12)
            else:
                sheet.para(line, rest=measure("1. ", sheet.size))


def key_heading(section: Section) -> str:
    """The heading of a section without its points."""
    return section.heading.split("（")[0].split(" (")[0]


def key_lines(section: Section, paper: Paper) -> list[str]:
    """The lines of one section of the key, in the paper's way of writing."""
    numbered = list(enumerate(section.items, start=section.first))
    mark = paper.extra.get("key_mark", "{n}. ")
    short = all(len(plain(item.answer_lines[0])) <= 2 and len(item.answer_lines) == 1 for _, item in numbered)
    if short and "ranges" in paper.extra:
        made = []
        for start in range(0, len(numbered), 5):
            group = numbered[start : start + 5]
            letters = "".join(plain(item.answer_lines[0]) for _, item in group)
            made.append(f"{group[0][0]}{paper.extra['ranges']}{group[-1][0]}  {letters}")
        return ["    ".join(made).replace("    ", "      ")]
    if short:
        return ["    ".join(mark.format(n=n) + plain(item.answer_lines[0]) for n, item in numbered)]
    lines = []
    for n, item in numbered:
        first, *rest = [plain(line) for line in item.answer_lines]
        code = "\t" if item.answer_lines[0] and plain(item.answer_lines[0]).endswith("{") else ""
        if code:
            lines.extend([mark.format(n=n).rstrip(), code + first, *[code + line for line in rest]])
        else:
            lines.extend([mark.format(n=n) + first, *rest])
    return lines


def save(doc: Any) -> bytes:
    """The bytes of a PDF: no clock, no random id."""
    return bytes(doc.tobytes(garbage=4, deflate=True, no_new_id=True))
