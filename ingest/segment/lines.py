"""The lines of a document that can belong to a question, each with its number mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ingest.segment.marks import CLOSE, Mark, read_mark, set_apart, split_inner
from schemas.document import Block, BlockKind, Document, Origin

# «得分 | 评卷人 |» or a rule printed before a heading belongs to the grader's box
_GRADER_BOX = re.compile(
    r"^(?:(?:(?:得\s*分|评卷人|阅卷人|评分人|复核人|评阅人)[\s:：|_]*)+"
    r"|[_|][\s|_]*)(?=[一二三四五六七八九十]{1,2}\s*[、.．，])"
)
_GRADER_LINE = re.compile(r"^(?:\s|[|:：_]|得\s*分|评卷人|阅卷人|评分人|复核人|评阅人|总\s*分|签\s*名)+$")
# «题号 一 二 三 总分»: the head of the box for points
_SCORE_HEAD = re.compile(
    r"^(?:题\s?[号序]|总\s?分|合\s?计|得\s?分|[一二三四五六七八九十]{1,2}(?=[\s|]|$)|[\s|:：])+$"
)
_NUMERALS = re.compile(r"[一二三四五六七八九十]{1,2}(?=[\s|]|$)")
# no-break, en, em, thin and zero-width spaces: typists' and converters' ways of writing a space
_SPACES = {0xA0: " ", 0x2002: " ", 0x2003: " ", 0x2009: " ", 0x200B: "", 0xFEFF: ""}
_INK = re.compile(r"[^\s\u3000]")
LABEL = re.compile(r"\s*[（(【\[]?([A-H])(?:\s?[)）】\].．、:：]|\s)")
"""The label of an option at the start of a text."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the paper: text begins with the number as displayed, if it has one.

    lead: blanks before the text as typed, a tab as four; code and indent: a line of a program and the
    blanks that set it in (`code.with_indents`).
    """

    text: str
    block: Block
    mark: Mark | None
    automatic: bool = False
    kind: BlockKind = BlockKind.TEXT
    index: int = field(default=0)
    lead: int = 0
    code: bool = False
    indent: str = ""

    @property
    def body(self) -> str:
        """The text after the mark."""
        return self.text[self.mark.end :].strip() if self.mark else self.text.strip()

    @property
    def paged(self) -> bool:
        """Whether the line is a line of a page, so that a sentence may run on into the next."""
        return self.block.origin in (Origin.TEXT_LAYER, Origin.OCR)


def _displayed(block: Block) -> tuple[str, bool]:
    """Automatic number and text as one string; a number typed a second time is dropped."""
    text = block.text.translate(_SPACES).strip("\n")
    if not block.number or not _INK.search(block.number):
        return text, False
    automatic = read_mark(f"{block.number.strip()} ")
    typed = read_mark(text)
    if automatic and typed and automatic.family == typed.family and automatic.value == typed.value:
        return text, True
    return f"{block.number.strip()} {text.strip()}", automatic is not None


def _is_score_head(text: str) -> bool:
    return len(text) <= 80 and bool(_SCORE_HEAD.match(text)) and len(_NUMERALS.findall(text)) >= 3


# where a sentence, a pair of brackets or a blank has come to its end
_ENDED = re.compile(r"[。．.？?！!：:；;）)\]】_…]\s*$")


def _by_ink(text: str, block: Block) -> Iterator[tuple[str, Block]]:
    """The lines of a block; what follows a sentence in another ink, to the end, is a line of its own."""
    for said, _ in block.inks:  # «是____北京____»: written on the blank
        text = re.sub(rf"_{{2,}}\s*{re.escape(said)}\s*_{{2,}}", lambda m: f"<u>{said}</u>", text)  # noqa: B023
    raws = text.split("\n")
    tail, tint = block.inks[-1] if block.inks else ("", "")
    before = raws[-1].rstrip().removesuffix(tail) if tail else ""
    cut = len(tail) > 1 and raws[-1].rstrip().endswith(tail) and _ENDED.search(before)
    if not cut or read_mark(tail) or LABEL.match(tail):
        yield from ((raw, block) for raw in raws)
        return
    yield from ((raw, block) for raw in [*raws[:-1], before])
    yield tail, block.model_copy(update={"text": tail, "number": "", "colour": tint, "inks": ()})


def body_lines(document: Document) -> list[Line]:
    """All lines that are not page furniture, in reading order, with several items on one line cut apart."""
    lines: list[Line] = []
    for block in document.blocks:
        repeats = block.kind is BlockKind.FIGURE and block.reason == "formula"  # a picture of its text
        if block.kind is BlockKind.FURNITURE or repeats:
            continue
        if block.kind is not BlockKind.TEXT:
            lines.append(Line(block.text or "[图]", block, None, kind=block.kind, index=len(lines)))
            continue
        text, automatic = _displayed(block)
        for raw, inked in _by_ink(text, block):
            lead = len(raw[: len(raw) - len(raw.lstrip())].expandtabs(4))
            piece = _GRADER_BOX.sub("", raw.strip())
            if not _INK.search(piece) or _GRADER_LINE.match(piece) or _is_score_head(piece):
                continue
            mark = read_mark(piece)
            if mark is None:
                lines.append(Line(piece, inked, None, index=len(lines), lead=lead))
                continue
            for part in split_inner(piece, mark):
                lines.append(Line(part.strip(), inked, read_mark(part), automatic, index=len(lines)))
            automatic = False
    return _in_sequence(lines)


def _in_sequence(lines: list[Line]) -> list[Line]:
    """Lines with «6.1mol 理想气体» between numbers 5 and 7 marked as 6: its text begins with a figure."""
    numbered = [k for k, line in enumerate(lines) if line.mark is not None and line.mark.family == "arabic"]
    for before, after in pairwise(numbered):
        first, last = lines[before].mark, lines[after].mark
        if first is None or last is None or last.value != first.value + 2:
            continue
        found = [
            (k, close)
            for k in range(before + 1, after)
            if lines[k].mark is None and (close := CLOSE.match(lines[k].text))
        ]
        if len(found) == 1 and int(found[0][1].group(1)) == first.value + 1:
            k, close = found[0]
            text = set_apart(lines[k].text, close)
            lines[k] = replace(lines[k], text=text, mark=read_mark(text))
    return lines
