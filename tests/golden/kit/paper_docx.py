"""A paper in Word: automatic numbers, equations, tables, header and page number, and its key."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.shared import Mm, Pt

from tests.golden.kit.model import Formula, Item, Paper, Text, pieces, plain
from tests.golden.kit.paper_pdf import key_heading, key_lines

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
_LEVELS = (
    ("chineseCounting", "%1、", 0, 0),
    ("decimal", "%2. ", 360, 360),
    ("upperLetter", "%3. ", 780, 360),
)
_STAMP = (2024, 1, 1, 0, 0, 0)


def start(paper: Paper) -> Any:
    """An empty document with our fonts, header and page number."""
    document = docx.Document()
    style = document.styles["Normal"]
    style.font.name, style.font.size = "Times New Roman", Pt(10.5)
    style.element.rPr.rFonts.set(qn("w:eastAsia"), "宋体")
    style.paragraph_format.space_after = Pt(2)
    document.core_properties.author = ""
    document.core_properties.last_modified_by = ""
    document.core_properties.title = ""
    document.core_properties.comments = ""
    document.core_properties.created = document.core_properties.modified = datetime(2024, 1, 1, tzinfo=UTC)
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(25)
    if paper.running:
        header = section.header.paragraphs[0]
        header.text, header.alignment = paper.running, WD_ALIGN_PARAGRAPH.CENTER
    footer = section.footer.paragraphs[0]
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    footer.add_run("第 ")
    footer._p.append(parse_xml(f'<w:fldSimple {_W} w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple>'))
    footer.add_run(" 页")
    return document


def write(paragraph: Any, text: Text, bold: bool = False) -> None:
    """Text and equations into a paragraph; a line of blanks is typed, as most authors do."""
    for piece in pieces(text):
        if isinstance(piece, Formula):
            paragraph._p.append(parse_xml(f"<m:oMath {_M}>{piece.omml}</m:oMath>"))
        else:
            paragraph.add_run(piece).bold = bold


def say(document: Any, text: Text, *, bold: bool = False, centre: bool = False, size: float = 0) -> Any:
    """One paragraph."""
    paragraph = document.add_paragraph()
    write(paragraph, text, bold)
    if centre:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
    if size:
        for run in paragraph.runs:
            run.font.size = Pt(size)
    return paragraph


def head(document: Any, paper: Paper) -> None:
    """Title, note and score grid."""
    for place, line in enumerate(paper.title):
        say(document, line, bold=True, centre=True, size=16 if place == 0 else 14)
    if paper.note:
        say(document, paper.note, centre=True)
    if "grid" in paper.extra:
        columns = ["题号", *paper.extra["grid"], "总分"]
        grid(document, [columns, ["得分", *[""] * (len(columns) - 1)]])


def grid(document: Any, rows: Sequence[Sequence[str]]) -> None:
    """A ruled table."""
    table = document.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
    for line, cells in zip(rows, table.rows, strict=True):
        for text, cell in zip(line, cells.cells, strict=True):
            cell.text = text
            cell.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.CENTER
    document.add_paragraph()


class Numbering:
    """Lists of the document: one that runs through, items restarting under each heading."""

    def __init__(self, document: Any) -> None:
        root = document.part.numbering_part.element
        for child in list(root):
            root.remove(child)
        levels = "".join(
            f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:suff w:val="nothing"/>'
            f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/>'
            f'<w:pPr><w:ind w:left="{left}" w:hanging="{hanging}"/></w:pPr></w:lvl>'
            for place, (form, text, left, hanging) in enumerate(_LEVELS)
        )
        root.append(
            parse_xml(
                f'<w:abstractNum {_W} w:abstractNumId="1"><w:multiLevelType w:val="multilevel"/>{levels}</w:abstractNum>'
            )
        )
        root.append(parse_xml(f'<w:num {_W} w:numId="1"><w:abstractNumId w:val="1"/></w:num>'))

    def number(self, paragraph: Any, level: int) -> None:
        """Give a paragraph its automatic number."""
        properties = paragraph._p.get_or_add_pPr()
        properties.append(parse_xml(f'<w:numPr {_W}><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'))


def questions(document: Any, paper: Paper, *, automatic: bool, below: str = "") -> None:
    """All sections, with automatic or typed numbers; with `below`, answers under each question."""
    numbering = Numbering(document) if automatic else None
    for section in paper.sections:
        if numbering:
            numbering.number(say(document, section.heading.split("、", 1)[1], bold=True), 0)
        else:
            say(document, section.heading, bold=True)
        for number, item in enumerate(section.items, start=section.first):
            ask(document, number, item, numbering)
            if below:
                first, *rest = item.answer_lines
                say(document, below + plain(first))
                for line in rest:
                    say(document, line)


def ask(document: Any, number: int, item: Item, numbering: Numbering | None) -> None:
    """One question with its table, sub-questions and options."""
    if numbering:
        numbering.number(say(document, item.text), 1)
    else:
        say(document, (f"{number}. ", *pieces(item.text)))
    if item.table:
        grid(document, item.table)
    for part in item.parts:
        say(document, part)
    if not item.options:
        return
    if numbering:
        for option in item.options:
            numbering.number(say(document, option), 2)
        return
    longest = max(len(plain(option)) for option in item.options)
    across = 4 if longest <= 6 else 2
    labelled = [f"{label}. {plain(o)}" for label, o in zip("ABCD", item.options, strict=True)]
    for begin in range(0, len(labelled), across):
        stops = say(document, "\t".join(labelled[begin : begin + across])).paragraph_format.tab_stops
        for place in range(1, across):
            stops.add_tab_stop(Pt(place * 440 / across))


def key(document: Any, paper: Paper) -> None:
    """The key, numbers typed by hand."""
    say(document, paper.key_title, bold=True, centre=True, size=14)
    for section in paper.sections:
        say(document, key_heading(section), bold=True)
        short = all(
            len(item.answer_lines) == 1
            and isinstance(item.answer_lines[0], str)
            and len(item.answer_lines[0]) <= 2
            for item in section.items
        )
        if short:
            for line in key_lines(section, paper):
                say(document, line)
            continue
        for number, item in enumerate(section.items, start=section.first):
            first, *rest = item.answer_lines
            say(document, (f"{number}. ", *pieces(first)))
            for line in rest:
                say(document, line)


def save(document: Any) -> bytes:
    """The bytes of a .docx, packed again without the clock."""
    raw, packed = io.BytesIO(), io.BytesIO()
    document.save(raw)
    with zipfile.ZipFile(raw) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            if "thumbnail" in name:
                continue
            data = source.read(name)
            if name == "_rels/.rels":
                data = drop_thumbnail(data)
            info = zipfile.ZipInfo(name, _STAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, data)
    return packed.getvalue()


def drop_thumbnail(data: bytes) -> bytes:
    """The package relations without the template's preview picture."""
    root = parse_xml(data)
    for relation in list(root):
        if "thumbnail" in relation.get("Type", ""):
            root.remove(relation)
    from lxml import etree

    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))
