"""Tables of a .docx: score boxes set aside, layout tables unrolled, data tables as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.readers.worddrawing import seal_text
from schemas.document import Block, BlockKind, Origin

_SCORE_WORDS = (
    "题号|题序|题目|得分|总分|总得分|总成绩|成绩|分数|满分|应得分|实得分|题分|分值|评分|计分|合计|总计|"
    "评卷人|阅卷人|评阅人|复核人|复查人|核分人|合分人|登分人|统分人|总分人|阅卷教师|评卷教师|阅卷|评卷|复核|签名|签字"
)
_SCORE = re.compile(
    rf"(?:{_SCORE_WORDS})(?:[/／、]?(?:{_SCORE_WORDS}))*[:：]?(?:[（(][^()（）]{{0,8}}[)）])?"
)
_SURE_SCORE = re.compile(r"得分|总分|评卷|阅卷|评阅|核分|合分|登分|统分|复核|总成绩")
_ORDINAL = re.compile(
    r"第?[一二三四五六七八九十]{1,3}[、.．]?(?:大?题)?|第?\d{1,2}(?:[-—–~]\d{1,2})?题?|[IVXⅠ-Ⅻ]{1,4}|\d{1,3}分?"
)
_ANSWER = re.compile(r"答案|答题|选项|参考")
_OPTION = re.compile(r"[（(]?([A-Ha-h])[)）.．、:：]")
_NUMBERED = re.compile(r"(?:[（(]?\d{1,2}[)）.．、]|[一二三四五六七八九十]{1,3}[、.．]|第\d{1,2}题)")
_MARK = re.compile(r"[（(]?\d{1,3}[)）.．、]?|[一二三四五六七八九十]{1,3}[、.．]|第\d{1,3}题")
_LONG_CELL = 150
_NUMBERED_CELL = 15
_CELL_LINES = 4


@dataclass(frozen=True)
class Cell:
    """One cell: the blocks it holds, how many columns it spans, whether a cell above goes on in it."""

    blocks: tuple[Block, ...]
    span: int = 1
    continued: bool = False

    @property
    def text(self) -> str:
        """All text of the cell on one line, automatic numbers included."""
        parts = [f"{b.number} {b.text}".strip() for b in self.blocks if b.kind is not BlockKind.FURNITURE]
        return " ".join(part for part in parts if part)


def render(rows: Sequence[Sequence[Cell]], origin: Origin) -> list[Block]:
    """Blocks of a table in reading order: furniture, unrolled paragraphs, or one Markdown table."""
    cells = [cell for row in rows for cell in row]
    filled = [cell for cell in cells if cell.text]
    if not filled:
        return [block for cell in cells for block in cell.blocks]
    if _is_score_box(filled):
        return [_furniture(rows, "score_box", origin)]
    if seal_text("".join(re.sub(r"\s", "", cell.text) for cell in filled)):
        return [_furniture(rows, "student_fields", origin)]
    if _is_layout(rows, filled):
        return [block for row in rows for block in _unroll(row, origin)]
    return _data(rows, origin)


def _flat(cell: Cell) -> str:
    return re.sub(r"\s", "", cell.text)


def _is_score_box(filled: Sequence[Cell]) -> bool:
    texts = [_flat(cell) for cell in filled]
    if any(_ANSWER.search(text) for text in texts):
        return False
    score = [bool(_SCORE.fullmatch(text)) for text in texts]
    if not any(_SURE_SCORE.search(text) for text, hit in zip(texts, score, strict=True) if hit):
        return False
    return all(hit or _ORDINAL.fullmatch(text) for text, hit in zip(texts, score, strict=True))


def _is_layout(rows: Sequence[Sequence[Cell]], filled: Sequence[Cell]) -> bool:
    """Whether the table only places text: one column or cell, options, numbered questions, prose, code."""
    if len(filled) == 1 or max(len(row) for row in rows) == 1:
        return True
    if any(_SCORE.fullmatch(_flat(cell)) and _SURE_SCORE.search(_flat(cell)) for cell in filled):
        others = [cell for cell in filled if not _SCORE.fullmatch(_flat(cell))]
        if len(others) == 1:
            return True
    labels = [match[1].upper() for cell in filled if (match := _OPTION.match(cell.text))]
    if len(labels) >= 2 and len(labels) * 2 >= len(filled) and labels[0] == "A":
        return True
    return any(_is_prose(cell) for cell in filled)


def _is_prose(cell: Cell) -> bool:
    texts = [block for block in cell.blocks if block.kind is BlockKind.TEXT and block.text.strip()]
    if len(texts) >= _CELL_LINES or len(cell.text) > _LONG_CELL:
        return True
    numbered = [b for b in texts if len(b.text) >= _NUMBERED_CELL and (_counts(b) or _NUMBERED.match(b.text))]
    return bool(numbered)


def _counts(block: Block) -> bool:
    return any(char.isalnum() for char in block.number)


def _unroll(row: Sequence[Cell], origin: Origin) -> list[Block]:
    """The cells of a row one after another; a number in a cell of its own goes before its text."""
    filled = [cell for cell in row if cell.text]
    if len(filled) == 2 and _MARK.fullmatch(_flat(filled[0])) and filled[1].blocks[0].kind is BlockKind.TEXT:
        mark, first = _flat(filled[0]), filled[1].blocks[0]
        mark += "." if mark.isdigit() else ""
        head = first.model_copy(update={"text": f"{mark} {first.number}{first.text}", "number": ""})
        return [head, *filled[1].blocks[1:]]
    found: list[Block] = []
    for cell in row:
        flat = _flat(cell)
        if flat and _SCORE.fullmatch(flat) and _SURE_SCORE.search(flat):
            text = cell.text
            found.append(Block(text=text, kind=BlockKind.FURNITURE, origin=origin, reason="score_box"))
        else:
            found += cell.blocks
    return found


def _data(rows: Sequence[Sequence[Cell]], origin: Origin) -> list[Block]:
    """One Markdown table, its pictures marked in place and handed over right after it."""
    extra = [
        block.model_copy(update={"text": ""} if block.kind is BlockKind.FIGURE else {})
        for row in rows
        for cell in row
        for block in cell.blocks
        if block.kind is BlockKind.FURNITURE or block.asset
    ]
    extra = [
        block
        if block.kind is not BlockKind.TEXT
        else block.model_copy(update={"kind": BlockKind.FIGURE, "text": ""})
        for block in extra
    ]
    table = Block(text=_markdown(rows), kind=BlockKind.TABLE, origin=origin)
    return [table, *extra]


def _furniture(rows: Sequence[Sequence[Cell]], reason: str, origin: Origin) -> Block:
    return Block(text=_markdown(rows), kind=BlockKind.FURNITURE, origin=origin, reason=reason)


def _markdown(rows: Sequence[Sequence[Cell]]) -> str:
    grid = []
    for row in rows:
        line: list[str] = []
        for cell in row:
            line.append("" if cell.continued else cell.text.replace("|", r"\|").replace("\n", " "))
            line += [""] * (cell.span - 1)
        grid.append(line)
    width = max(len(line) for line in grid)
    body = ["| " + " | ".join([*line, *[""] * (width - len(line))]) + " |" for line in grid]
    return "\n".join([body[0], "|" + " --- |" * width, *body[1:]])
