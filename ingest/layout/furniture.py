"""Text of the page, not of the paper: running headers, page numbers, seal lines, score boxes.

Nothing is removed: blocks change their kind to FURNITURE, with the reason. Position alone is never
enough; it takes repetition on several pages or wording that only furniture has.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from schemas.document import Block, BlockKind, Page

_DIGITS = re.compile(r"\d+|[一二三四五六七八九十]+(?=\s*页)")
_SPACES = re.compile(r"\s+")
_PAGE_NUMBER = re.compile(
    r"第?\s*\d{1,3}\s*页?\s*[,，/]?\s*[(（]?\s*共\s*\d{1,3}\s*页\s*[)）]?"
    r"|[^\d\s]{0,30}第\s*[\d一二三四五六七八九十]{1,4}\s*页\s*[,，/（(]?\s*(?:共\s*[\d一二三四五六七八九十]{0,4}\s*页\s*[)）]?)?"
    r"|[-–—~·•]\s*\d{1,3}\s*[-–—~·•]|(?:page|p\.)\s*\d{1,3}(?:\s*(?:of|/)\s*\d{1,3})?|\d{1,3}\s*/\s*\d{1,3}",
    re.IGNORECASE,
)
_BARE_NUMBER = re.compile(r"\d{1,3}|[ivxlIVXL]{1,6}")
_SCORE_BOX = re.compile(
    r"(?:(?:得|评|总|阅|复|核)\s*(?:分|卷|阅)?\s*(?:分|人|数)?\s*(?:签名|签字)?|题\s*号|评卷教师|阅卷教师|评阅人|复核人|核分人|登分人"
    r"|[一二三四五六七八九十]|总\s*分|合\s*计|\s){1,30}"
)
_SCORE_WORD = re.compile(
    r"得\s*分|评\s*卷\s*人|评\s*分\s*人|阅\s*卷\s*人|评\s*阅\s*人|复\s*核\s*人|核\s*分\s*人|题\s*号|总\s*分|评\s*卷\s*教\s*师"
)
_SEAL = re.compile(
    r"密\s*封\s*线|装\s*订\s*线|(?:不\s*要|不\s*准|勿|请\s*勿|不\s*得)\s*(?:在\s*)?(?:答\s*题|超\s*过)"
)


def mark(pages: Sequence[Page]) -> list[Page]:
    """The same pages with their furniture marked."""
    repeated = _repeated(pages)
    out = []
    for page in pages:
        blocks = tuple(_marked(block, page, repeated) for block in page.blocks)
        out.append(page.model_copy(update={"blocks": blocks}))
    return out


def _marked(block: Block, page: Page, repeated: set[tuple[str, int, int]]) -> Block:
    if block.kind is not BlockKind.TEXT:
        return block
    reason = _reason(block, page, repeated)
    return block.model_copy(update={"kind": BlockKind.FURNITURE, "reason": reason}) if reason else block


def _reason(block: Block, page: Page, repeated: set[tuple[str, int, int]]) -> str:
    """Why a block is furniture, '' when it is not."""
    text = _SPACES.sub(" ", block.text.strip())
    height = page.height or 0.0
    place = (block.box.y0 + block.box.y1) / 2 / height if block.box and height else 0.5
    margin = place < 0.12 or place > 0.88
    key = _key(block)
    if margin and _PAGE_NUMBER.fullmatch(text):
        return "page_number"
    if margin and key in repeated:
        if _BARE_NUMBER.fullmatch(text):
            return "page_number"
        return "header" if place < 0.5 else "footer"
    if margin and _BARE_NUMBER.fullmatch(text) and text in (str(page.number), "i" * page.number):
        return "page_number"
    if len(text) <= 40 and _SCORE_WORD.search(text) and _SCORE_BOX.fullmatch(text):
        return "score_box"
    if len(text) <= 60 and _SEAL.search(text) and not re.search(r"[？?。]", text):
        return "seal"
    return ""


def _key(block: Block) -> tuple[str, int, int]:
    """Text with its digits masked, and the place in steps of 8 points."""
    masked = _SPACES.sub("", _DIGITS.sub("#", block.text))
    box = block.box
    return masked, round(box.y0 / 8) if box else 0, round(box.x0 / 24) if box else 0


def _repeated(pages: Sequence[Page]) -> set[tuple[str, int, int]]:
    """Keys that stand at the same place on several pages (neighbouring steps count as the same)."""
    on: dict[tuple[str, int, int], set[int]] = defaultdict(set)
    for page in pages:
        for block in page.blocks:
            if block.kind is BlockKind.TEXT and block.box and len(block.text) <= 120:
                text, row, column = _key(block)
                for near in (row - 1, row, row + 1):
                    for beside in (column - 1, column, column + 1):
                        on[(text, near, beside)].add(page.number)
    needed = 2 if len(pages) <= 5 else 3
    return {key for key, numbers in on.items() if len(numbers) >= needed}
