"""Documents made from plain lines, as a reader would return them, for tests of the segmenter."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.segment import segment
from schemas.document import Block, BlockKind, Box, Document, Origin, Page
from schemas.question import Extraction


def document(
    lines: Sequence[str | Block], source: str = "paper.docx", origin: Origin = Origin.WORD
) -> Document:
    """A document of one page; a string is one Word paragraph, or one line of a page for other origins."""
    blocks = []
    for row, line in enumerate(lines):
        if isinstance(line, Block):
            blocks.append(line)
            continue
        box = (
            None
            if origin is Origin.WORD
            else Box(50, 20.0 * row, 50 + min(500, 11 * len(line)), 20.0 * row + 11)
        )
        blocks.append(Block(text=line, origin=origin, box=box))
    page = Page(number=1, method=origin, blocks=tuple(blocks))
    return Document(source=source, sha256=f"{abs(hash(source)):064x}"[:64], format="docx", pages=(page,))


def table(markdown: str) -> Block:
    """A table block as the Word reader returns it."""
    return Block(text=markdown, kind=BlockKind.TABLE, origin=Origin.WORD)


def cut(text: str | Sequence[str | Block], source: str = "paper.docx") -> Extraction:
    """The extraction of a paper given as text (one paragraph a line) or as lines."""
    lines = [line for line in text.strip().split("\n") if line.strip()] if isinstance(text, str) else text
    return segment(document(lines, source))
