"""Small pieces of the .docx reader: walking its XML, and the blocks a paragraph becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.readers.numbering import Numbered
from ingest.readers.wordpackage import MC, W
from ingest.readers.wordstyles import Look
from schemas.document import Block, BlockKind

NOTICES = {
    "equation_lost": "equations could not be converted and stand as [公式]",
    "equation_part": "equations lost a sign in conversion",
    "embedded_object": "embedded objects (charts, sheets, drawings) are kept as pictures at most",
    "vector_figure": "figures are drawn with shapes and could not be made pictures (LibreOffice does it)",
    "metafile": "figures stay EMF or WMF, which browsers do not show (LibreOffice makes PNG of them)",
    "picture_missing": "pictures are linked or missing in the file",
    "hidden_text": "runs of hidden text were left out",
    "comments": "comments were left out",
    "foreign_part": "inserted foreign documents (altChunk) were left out",
    "struck_text": "runs of text are struck through; they were kept",
    "deleted_text": "deleted passages of tracked changes were left out",
}
WRAPPERS = {W + name for name in ("sdtContent", "ins", "moveTo", "customXml", "smartTag")}
_GONE = ("del", "moveFrom")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
_NEAR_BLACK = 64


def mark_is_gone(properties: Any) -> bool:  # noqa: ANN401
    """Whether a tracked change deletes or moves away the end of a paragraph; properties: its w:pPr."""
    return properties is not None and any(properties.find(f"{W}rPr/{W}{name}") is not None for name in _GONE)


def join_paragraphs(root: Any) -> None:  # noqa: ANN401
    """Put what stands before a deleted paragraph end at the head of the next paragraph, as Word shows it."""
    for paragraph in list(root.iter(W + "p")):
        if not mark_is_gone(paragraph.find(W + "pPr")):
            continue
        following = paragraph.getnext()
        while following is not None and following.tag in {W + "bookmarkStart", W + "bookmarkEnd"}:
            following = following.getnext()
        if following is None or following.tag != W + "p":
            continue
        at = 1 if following.find(W + "pPr") is not None else 0
        for child in [node for node in paragraph if node.tag != W + "pPr"]:
            following.insert(at, child)
            at += 1
        paragraph.getparent().remove(paragraph)


def inside(node: Any, tag: str) -> Iterator[Any]:  # noqa: ANN401
    """Children of a tag, looking through content controls and tracked insertions."""
    for child in node.iterchildren():
        if child.tag == tag:
            yield child
        elif child.tag == W + "sdt" or child.tag in WRAPPERS:
            yield from inside(child, tag)


def own_texts(root: Any) -> Iterator[str]:  # noqa: ANN401
    """Text of each paragraph of a header or footer, that of boxes apart, empty ones left out."""
    for paragraph in root.iter(W + "p"):
        if any(parent.tag == MC + "Fallback" for parent in paragraph.iterancestors()):
            continue
        nodes = [node for node in paragraph.iter(W + "t") if _paragraph_of(node) is paragraph]
        text = "".join(node.text or "" for node in nodes).strip()
        if text:
            yield text


def _paragraph_of(node: Any) -> Any:  # noqa: ANN401
    """The innermost paragraph a node stands in: text of a box is not text of the paragraph around it."""
    return next((parent for parent in node.iterancestors() if parent.tag == W + "p"), None)


def wrapped(equation: Any) -> Any:  # noqa: ANN401
    """A paragraph view of an equation that stands directly in the body."""

    class _View:
        tag = W + "p"

        def find(self, _: str) -> None:
            return None

        def iterchildren(self) -> Iterator[Any]:
            yield equation

    return _View()


def indent(look: Look, numbered: Numbered | None) -> tuple[float, float]:
    """Left indent and first-line offset in points; a list level gives what the paragraph leaves open."""
    left, first = look.left, look.first
    if numbered is not None:
        left = numbered.left if left is None else left
        first = numbered.first if first is None else first
    return left or 0.0, first or 0.0


def colour(name: str | None) -> str | None:
    """A colour that is not black or near black, as text copied from web pages is, else None."""
    if name is None or not _COLOUR.fullmatch(name):
        return None
    return None if max(bytes.fromhex(name[1:])) < _NEAR_BLACK else name


def without_stray_numbers(blocks: list[Block]) -> list[Block]:
    """Drop numbers of empty paragraphs, unless what follows is the unnumbered content they belong to."""
    kept = []
    for place, block in enumerate(blocks):
        if block.number and not block.text and block.kind is BlockKind.TEXT:
            after = blocks[place + 1] if place + 1 < len(blocks) else None
            if after is None or after.number or not any(char.isalnum() for char in block.number):
                continue
        kept.append(block)
    return kept
