"""A small typesetter for exam pages: mixed Chinese and Latin lines, columns, seal line, page numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pymupdf

LATIN = pymupdf.Font("tiro")
MONO = pymupdf.Font("cour")
HAN = pymupdf.Font("china-s")
NO_START = "，。、；：？！）》”’】〉,.;:?!)]}%℃"
NO_END = "（《“‘【〈([{"
BRACKETED = {f"（ {mark}" for mark in "ABCD√×"}


def face(char: str) -> str:
    """The font a character is set in."""
    return "tiro" if ord(char) < 0x250 and LATIN.has_glyph(ord(char)) else "han"


def advance(char: str, size: float, mono: bool = False) -> float:
    """Width of one character in points."""
    if mono and ord(char) < 0x80:
        return size * 0.6
    font = LATIN if face(char) == "tiro" else HAN
    return float(font.glyph_advance(ord(char))) * size


def measure(text: str, size: float, mono: bool = False) -> float:
    """Width of a line in points."""
    return sum(advance(char, size, mono) for char in text)


def words(text: str) -> list[str]:
    """Unbreakable pieces: Latin words whole, Chinese by character, with their punctuation."""
    made: list[str] = []
    for char in text:
        glue = made and (
            made[-1].rstrip(" ").endswith("（")
            or made[-1].strip(" ") in BRACKETED
            or (char in NO_START and made[-1] != " ")
            or made[-1][-1] in NO_END
            or (
                char not in " "
                and ord(char) < 0x250
                and made[-1][-1] not in " "
                and ord(made[-1][-1]) < 0x250
            )
        )
        if glue:
            made[-1] += char
        else:
            made.append(char)
    return made


def wrap(
    text: str, size: float, width: float, first: float = 0.0, rest: float = 0.0
) -> list[tuple[float, str]]:
    """Lines as (indent, text): first line indented by `first`, the others by `rest` points."""
    lines: list[tuple[float, str]] = []
    indent, line = first, ""
    for word in words(text):
        if line and measure(line + word.rstrip(), size) > width - indent:
            lines.append((indent, line.rstrip()))
            indent, line = rest, word.lstrip()
        else:
            line += word
    lines.append((indent, line.rstrip()))
    return lines


@dataclass
class Sheet:
    """Pages being filled: columns are (x0, x1) in points, filled from top to bottom, left to right."""

    width: float
    height: float
    columns: Sequence[tuple[float, float]]
    top: float = 64
    bottom: float = 60
    size: float = 10.5
    leading: float = 1.55
    running: str = ""
    footer: str = "第 {page} 页 共 {pages} 页"
    seal: bool = False
    doc: Any = field(default_factory=pymupdf.open)

    def __post_init__(self) -> None:
        self.column, self.y, self.page = len(self.columns), 0.0, None
        self.next_column()

    def next_column(self) -> None:
        """Go on at the top of the next column, on a new page where this one is full."""
        self.column += 1
        if self.column >= len(self.columns):
            self.page = self.doc.new_page(width=self.width, height=self.height)
            self.column = 0
        self.y = self.top

    @property
    def measure(self) -> float:
        """Width of the column in points."""
        x0, x1 = self.columns[self.column]
        return x1 - x0

    def room(self, need: float) -> None:
        """Start a new column unless `need` points are left in this one."""
        if self.y + need > self.height - self.bottom:
            self.next_column()

    def put(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        bold: bool = False,
        mono: bool = False,
        page: Any = None,
    ) -> None:
        """Set one line with its baseline at y."""
        page = page or self.page
        start = 0
        while start < len(text):
            name = face(text[start])
            end = start + 1
            while end < len(text) and face(text[end]) == name:
                end += 1
            piece = text[start:end]
            if name == "han":
                page.insert_font(fontname="han", fontbuffer=HAN.buffer)
            page.insert_text(
                (x, y),
                piece,
                fontname="cour" if mono and name == "tiro" else name,
                fontsize=size,
                render_mode=2 if bold else 0,
                border_width=0.03,
            )
            x += measure(piece, size, mono)
            start = end

    def line(
        self,
        text: str,
        *,
        size: float | None = None,
        bold: bool = False,
        indent: float = 0,
        mono: bool = False,
        centre: bool = False,
    ) -> None:
        """One line at the cursor."""
        size = size or self.size
        self.room(size * self.leading)
        x0, x1 = self.columns[self.column]
        x = x0 + indent
        if centre:
            x = (x0 + x1 - measure(text, size)) / 2
        self.y += size * self.leading
        self.put(x, self.y - size * 0.35, text, size, bold, mono)

    def para(
        self, text: str, *, size: float | None = None, bold: bool = False, first: float = 0, rest: float = 0
    ) -> None:
        """A wrapped paragraph; a heading never stands alone at the foot of a column."""
        size = size or self.size
        lines = wrap(text, size, self.measure, first, rest)
        if bold:
            self.room((len(lines) + 4) * size * self.leading)
        for indent, piece in lines:
            self.line(piece, size=size, bold=bold, indent=indent)

    def options(self, options: Sequence[str], indent: float) -> None:
        """Options in one, two or four columns, as they fit."""
        labelled = [f"{label}. {option}" for label, option in zip("ABCDE", options, strict=False)]
        width = self.measure - indent
        longest = max(measure(text, self.size) for text in labelled) + self.size
        across = 4 if longest <= width / 4 else 2 if longest <= width / 2 else 1
        for start in range(0, len(labelled), across):
            self.room(self.size * self.leading)
            x0, _ = self.columns[self.column]
            self.y += self.size * self.leading
            for place, text in enumerate(labelled[start : start + across]):
                self.put(x0 + indent + place * width / across, self.y - self.size * 0.35, text, self.size)

    def gap(self, points: float) -> None:
        """White space; none is kept at the head of a column."""
        if self.y > self.top:
            self.y += points

    def grid(self, rows: Sequence[Sequence[str]], cell: float, height: float = 20) -> None:
        """A ruled table, centred, with centred cells."""
        self.room(height * len(rows) + 4)
        x0, x1 = self.columns[self.column]
        left = (x0 + x1 - cell * len(rows[0])) / 2
        self.y += 4
        for row in rows:
            for place, text in enumerate(row):
                box = pymupdf.Rect(left + place * cell, self.y, left + (place + 1) * cell, self.y + height)
                self.page.draw_rect(box, width=0.6)
                size = self.size - 0.5
                self.put(box.x0 + (cell - measure(text, size)) / 2, box.y1 - 6.5, text, size)
            self.y += height
        self.y += 4

    def finish(self, halves: int = 1) -> Any:
        """Running header, page numbers and seal line on every page; the finished document."""
        total = len(self.doc) * halves
        for index in range(len(self.doc)):
            page = self.doc[index]
            for half in range(halves):
                x0, x1 = (self.columns[0][0], self.columns[-1][1]) if halves == 1 else self.columns[half]
                for text, y in ((self.running, 40.0), (self.footer, self.height - 34)):
                    text = text.format(page=index * halves + half + 1, pages=total)
                    if text:
                        self.put((x0 + x1 - measure(text, 9)) / 2, y, text, 9, page=page)
            if self.running:
                page.draw_line((self.columns[0][0], 46), (self.columns[-1][1], 46), width=0.4)
            if self.seal:
                self._seal(page)
        self.doc.subset_fonts()
        self.doc.set_metadata({"title": "", "creator": "", "producer": ""})
        return self.doc

    def _seal(self, page: Any) -> None:
        x = self.columns[0][0] - 22
        page.insert_font(fontname="han", fontbuffer=HAN.buffer)
        page.draw_line((x + 6, 60), (x + 6, self.height - 60), width=0.6, dashes="[3 3] 0")
        for index, char in enumerate("密封线内不要答题"):
            y = self.height - 150 - index * (self.height - 300) / 7
            page.insert_text((x, y), char, fontname="han", fontsize=10, rotate=90)
