"""Text of the page, not of the paper: running headers, page numbers, seal lines, score boxes.

Nothing is removed: blocks change their kind to FURNITURE, with the reason. Position alone is never
enough; it takes repetition on several pages or wording that only furniture has.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from ingest.layout.runs import median
from schemas.document import Block, BlockKind, Box, Page

Key = tuple[str, int, int]

_ANSWER_GRID = re.compile(r"\s*([0-9A-Ha-h√×])(?:\s+\1){3,}\s*")
_FIELD_WORDS = (
    r"姓\s*名|学\s*号|班\s*级|考\s*号|座\s*位?\s*号|专\s*业|学\s*院|院\s*[(（]?\s*系\s*[)）]?"
    r"|年\s*级|准\s*考\s*证\s*号|考\s*生|任课教师|教师"
)
_FIELD = re.compile(_FIELD_WORDS)
_FIELDS = re.compile(rf"(?:{_FIELD_WORDS}|[\s_:：.…—-]){{2,200}}")
_CARD_NOTE = re.compile(
    r"填涂|条形码|缺考标记|考生禁填|超出答题区域|答题区域内(?:作答|书写)|(?:签字笔|钢笔|圆珠笔).{0,8}(?:书写|作答|答题)"
    r"|保持卡面|卡面清洁|试题?卷上(?:答题|作答)无效"
)
_SCANNER = re.compile(
    r"由?(?:扫描全能王|布丁扫描|夸克扫描王|全能扫描王|CS扫描全能王)(?:扫描)?(?:创建|生成)?|\d亿人都在用的扫描A[Pp]{2}"
    r"|(?:scannedwith|scannedby|createdby)?(?:camscanner|adobescan|scannerpro|genius ?scan).{0,12}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\s*(?:[(（]?\d{1,2}\s*[)）.．、]|[一二三四五六七八九十]{1,3}\s*、)")
_EMPHASIS = re.compile(r"(?:[．.·•・。]\s*){1,20}")
_DIGITS = re.compile(r"\d+|[一二三四五六七八九十]+(?=\s*页)")
_SPACES = re.compile(r"\s+")
_PAGE_NUMBER = re.compile(
    r"第?\s*\d{1,3}\s*页?\s*[,，/]?\s*[(（]?\s*共\s*\d{1,3}\s*页\s*[)）]?"
    r"|[^\d\s]{0,30}第\s*[\d一二三四五六七八九十]{1,4}\s*页\s*[,，/（(]?\s*(?:共\s*[\d一二三四五六七八九十]{0,4}\s*页\s*[)）]?)?"
    r"|[-–—~·•]\s*\d{1,3}\s*[-–—~·•]|(?:page|p\.)\s*\d{1,3}(?:\s*(?:of|/)\s*\d{1,3})?|\d{1,3}\s*/\s*\d{1,3}",
    re.IGNORECASE,
)
_BARE_NUMBER = re.compile(r"\d{1,3}|[ivxlIVXL]{1,6}")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
_SCORE_BOX = re.compile(
    r"(?:(?:得|评|总|阅|复|核)\s*(?:分|卷|阅)?\s*(?:分|人|数)?\s*(?:签名|签字)?|题\s*号|评卷教师|阅卷教师|评阅人|复核人|核分人|登分人"
    r"|[一二三四五六七八九十]|总\s*分|合\s*计|\s){1,30}"
)
_SCORE_WORD = re.compile(
    r"得\s*分|评\s*卷\s*人|评\s*分\s*人|阅\s*卷\s*人|评\s*阅\s*人|复\s*核\s*人|核\s*分\s*人|题\s*号|总\s*分|评\s*卷\s*教\s*师"
)
_SEAL_SIGNS = frozenset("密封弥装订线内外此不要请勿准得超过答题")
_SEAL = re.compile(
    r"密\s*封\s*线|装\s*订\s*线|(?:不\s*要|不\s*准|勿|请\s*勿|不\s*得)\s*(?:在\s*)?(?:答\s*题|超\s*过)"
)


def mark(pages: Sequence[Page]) -> list[Page]:
    """The same pages with their furniture marked."""
    context = _Context(pages)
    counted = _counted(pages)
    out = []
    for page in pages:
        blocks = [
            block.model_copy(update={"kind": BlockKind.FURNITURE, "reason": "page_number"})
            if block is counted.get(page.number)
            else _marked(block, page, context)
            for block in page.blocks
        ]
        out.append(page.model_copy(update={"blocks": _within_cards(blocks)}))
    return out


def _counted(pages: Sequence[Page]) -> dict[int, Block]:
    """The lone numbers below the text of several pages that count them, by page, at whatever height.

    A scan has broad margins: such numbers may stand far above the foot of its picture.
    """
    found: dict[int, tuple[int, Block]] = {}
    for page in pages:
        below = _lowest(page)
        if below is not None:
            found[page.number] = (_number_of(below.text) - page.number, below)
    steps = [step for step, _ in found.values()]
    usual = max(sorted(set(steps)), key=steps.count, default=0)
    out = {number: block for number, (step, block) in found.items() if step == usual}
    filled = sum(any(block.kind is BlockKind.TEXT for block in page.blocks) for page in pages)
    return out if len(out) >= max(2, filled / 2) else {}


def _lowest(page: Page) -> Block | None:
    """The block below all others of a page where it is a number in the middle, well apart from the text."""
    placed = [
        block for block in page.blocks if block.box is not None and block.kind is not BlockKind.FURNITURE
    ]
    last = max(placed, key=lambda block: block.box.y1 if block.box else 0.0, default=None)
    if last is None or last.box is None or last.kind is not BlockKind.TEXT or len(placed) < 2:
        return None
    if not _BARE_NUMBER.fullmatch(last.text.strip()) or _number_of(last.text) == 0:
        return None
    box = last.box
    apart = box.y0 - max(block.box.y1 for block in placed if block.box and block is not last)
    width, height = page.width or 0.0, page.height or 0.0
    middle = abs((box.x0 + box.x1) / 2 - width / 2) < 0.1 * width
    return last if middle and apart > 1.2 * (box.y1 - box.y0) and box.y0 > 0.5 * height else None


def _number_of(text: str) -> int:
    """Value of an arabic or a Roman number, 0 where it is none."""
    text = text.strip().lower()
    if text.isdecimal():
        return int(text)
    values = [_ROMAN.get(char, 0) for char in text]
    total = sum(-a if a < b else a for a, b in pairwise([*values, 0]))
    return total if all(values) else 0


def _within_cards(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Blocks with a line between two lines of the notes on an answer card marked like them.

    Only a line that is close to both in print and in place, and carries no number.
    """
    out = list(blocks)
    for place, (before, block, after) in enumerate(zip(blocks, blocks[1:], blocks[2:], strict=False), 1):
        if not (before.box and block.box and after.box) or block.kind is not BlockKind.TEXT:
            continue
        if before.reason != "answer_card" or after.reason != "answer_card" or _NUMBERED.match(block.text):
            continue
        size = block.size or 10.0
        if block.box.y0 - before.box.y1 < size and after.box.y0 - block.box.y1 < size:
            out[place] = block.model_copy(update={"kind": BlockKind.FURNITURE, "reason": "answer_card"})
    for place, (before, block) in enumerate(pairwise(out), 1):  # the picture of a line goes with its line
        figure = before.kind is BlockKind.FURNITURE and block.kind is BlockKind.FIGURE and not block.reason
        if figure and before.box and block.box and _is_crop(block.box, before.box):
            out[place] = block.model_copy(update={"kind": BlockKind.FURNITURE, "reason": before.reason})
    return tuple(out)


def _is_crop(picture: Box, line: Box) -> bool:
    """Whether a picture is that of one line, with its margin."""
    wide = picture.x0 <= line.x0 and picture.x1 >= line.x1
    high = picture.y0 <= line.y0 and picture.y1 >= line.y1
    return wide and high and picture.y1 - picture.y0 < 3 * (line.y1 - line.y0)


def is_score_box(text: str) -> bool:
    """Whether text is nothing but the words of a marking box (得分, 评卷人, 题号 一 二 三 …)."""
    return len(text) <= 40 and bool(_SCORE_WORD.search(text) and _SCORE_BOX.fullmatch(text))


def asks_candidate(text: str) -> bool:
    """Whether there are words in text for what candidates tell of themselves (姓名, 学号, 班级 …)."""
    return bool(_FIELD.search(text))


def is_seal(text: str) -> bool:
    """Whether a word down the margin is that of a seal or binding line.

    It may be printed from the bottom to the top, and a scan may have lost or misread some of it.
    """
    known = [char for char in text if char in _SEAL_SIGNS]
    most = len(set(known)) >= 3 and len(known) > 0.7 * len(text)
    return most or any(_SEAL.search(one) for one in (text, text[::-1]))


class _Context:
    """What is known of all pages: repeated texts, where each came first, the body's font size."""

    def __init__(self, pages: Sequence[Page]) -> None:
        on: dict[Key, set[int]] = defaultdict(set)
        sizes: list[float] = []
        for page in pages:
            for block in page.blocks:
                if _in_margin(block, page) and block.kind is BlockKind.TEXT and len(block.text) <= 120:
                    text, row, column = _key(block)
                    for near in (row - 1, row, row + 1):
                        for beside in (column - 1, column, column + 1):
                            on[(text, near, beside)].add(page.number)
                if block.size:
                    sizes += [block.size] * min(len(block.text), 40)
        needed = 2 if len(pages) <= 5 else 3
        self.repeated = {key: min(numbers) for key, numbers in on.items() if len(numbers) >= needed}
        self.body = median(sizes, 10.5)


def _in_margin(block: Block, page: Page) -> bool:
    """Whether a block stands so high or low on its page that it may be a header or a footer."""
    if block.box is None or not page.height:
        return False
    return not 0.15 < (block.box.y0 + block.box.y1) / 2 / page.height < 0.85


def _marked(block: Block, page: Page, context: _Context) -> Block:
    if block.kind is not BlockKind.TEXT:
        return block
    reason = _reason(block, page, context)
    return block.model_copy(update={"kind": BlockKind.FURNITURE, "reason": reason}) if reason else block


def _reason(block: Block, page: Page, context: _Context) -> str:
    """Why a block is furniture, '' when it is not."""
    text = _SPACES.sub(" ", block.text.strip())
    height = page.height or 0.0
    place = (block.box.y0 + block.box.y1) / 2 / height if block.box and height else 0.5
    if place < 0.12 or place > 0.88:
        reason = _margin_reason(block, text, place, page, context)
        if reason:
            return reason
    if is_score_box(text):
        return "score_box"
    if _FIELDS.fullmatch(text) and len(_FIELD.findall(text)) >= 2:
        return "candidate_fields"
    if len(text) <= 80 and _CARD_NOTE.search(text):
        return "answer_card"
    if len(text) <= 40 and _EMPHASIS.fullmatch(text):
        return "emphasis_dots"
    if len(text) <= 40 and _SCANNER.fullmatch(text.replace(" ", "")):
        return "scanner_note"
    if _ANSWER_GRID.fullmatch(block.text):
        return "answer_grid"
    if len(text) <= 60 and _SEAL.search(text) and not re.search(r"[？?。]", text):
        return "seal"
    return ""


def _margin_reason(block: Block, text: str, place: float, page: Page, context: _Context) -> str:
    """The same for a block near the top (place < 0.12) or bottom of its page."""
    first = context.repeated.get(_key(block))
    # a folded sheet prints the numbers of its two halves on one line
    halves = [_SPACES.sub(" ", half.strip()) for half in block.text.split("\t") if half.strip()]
    if halves and all(_PAGE_NUMBER.fullmatch(half) for half in halves):
        return "page_number"
    if _BARE_NUMBER.fullmatch(text) and (first is not None or text == str(page.number)):
        return "page_number"
    if first is None:
        return ""
    if place > 0.5:
        return "footer"
    # the title of a paper printed on several sheets comes again on each: its first stays
    title = first == page.number and (block.size or 0.0) > 1.15 * context.body
    return "" if title else "header"


def _key(block: Block) -> Key:
    """Text with its digits masked, and the place in steps of 8 points."""
    masked = _SPACES.sub("", _DIGITS.sub("#", block.text))
    box = block.box
    return masked, round(box.y0 / 8) if box else 0, round(box.x0 / 24) if box else 0
