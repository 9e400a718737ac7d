"""What a reader returns: a Document of Pages of Blocks, each block with its evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """Base of every record: immutable, and unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Box(NamedTuple):
    """A rectangle on a page in points, origin at the top left of the page as it reads."""

    x0: float
    y0: float
    x1: float
    y1: float


class Origin(StrEnum):
    """Where the text of a block was taken from."""

    TEXT_LAYER = "text_layer"
    OCR = "ocr"
    WORD = "word"
    CONVERTED = "converted"


class BlockKind(StrEnum):
    """What a block is. FURNITURE is text of the page, not of the paper: see Block.reason."""

    TEXT = "text"
    TABLE = "table"
    FIGURE = "figure"
    FURNITURE = "furniture"


class Block(Frozen):
    """The smallest piece a reader vouches for: one line of a page or one Word paragraph.

    text is Markdown with formulas as `$LaTeX$`; a table is a Markdown table. A blank to fill in is a
    run of underscores, text written into a blank is `<u>text</u>`. Blocks stand in reading order.
    number is an automatic list number as displayed; it is NOT repeated in text.
    """

    text: str
    kind: BlockKind = BlockKind.TEXT
    page: int = Field(default=1, ge=1, description="page, counted from 1")
    box: Box | None = Field(default=None, description="None where the format has no pages (Word)")
    origin: Origin
    confidence: float = Field(default=1.0, ge=0, le=1)
    number: str = Field(default="", description="automatic number as displayed, e.g. '3.' or '（二）'")
    level: int | None = Field(default=None, description="list level of an automatic number, from 0")
    size: float | None = Field(default=None, description="font size in points, of the first run")
    bold: bool = False
    indent: float = Field(default=0.0, description="left indent in points, within its column")
    colour: str | None = Field(default=None, description="'#rrggbb' of the first run, None if black")
    inks: tuple[tuple[str, str], ...] = Field(
        default=(), description="stretches of a black text that are set in colour, as (text, '#rrggbb')"
    )
    underlined: tuple[str, ...] = Field(default=(), description="words underlined in a text that is not")
    asset: str | None = Field(default=None, description="BLAKE2b hex of a figure's bytes")
    reason: str = Field(
        default="",
        description="for FURNITURE: header, footer, page_number, seal …; for FIGURE: formula when it is a "
        "picture of the text before it",
    )


class Page(Frozen):
    """One page as it reads: width and height in points after rotation."""

    number: int = Field(ge=1)
    width: float | None = None
    height: float | None = None
    rotation: int = Field(default=0, description="clockwise degrees already applied: 0, 90, 180, 270")
    method: Origin
    reason: str = Field(default="", description="why this method was chosen, when it was a choice")
    asset: str | None = Field(
        default=None, description="BLAKE2b hex of the picture that is the page, where a Word file holds it"
    )
    blocks: tuple[Block, ...] = ()


class Notice(Frozen):
    """Something a user should know: what was lost, replaced or doubted, and where."""

    code: str
    message: str
    page: int | None = None
    count: int = 1


class Document(Frozen):
    """One file as read. source is the file name alone; author metadata is never kept."""

    source: str
    sha256: str
    format: str = Field(description="pdf, image, docx or doc")
    pages: tuple[Page, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in reading order."""
        return tuple(block for page in self.pages for block in page.blocks)


class Asset(Frozen):
    """Bytes of a figure or page crop, stored under their own BLAKE2b-256 hex digest."""

    digest: str
    media_type: str
    data: bytes
