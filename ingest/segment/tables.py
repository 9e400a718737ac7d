"""Tables whose rows or cells are questions: number | question | options | answer, or items set in cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.segment.forms import heading_form, is_term_heading, is_type_heading
from ingest.segment.lines import Line
from ingest.segment.marks import Style, read_mark
from schemas.document import BlockKind

_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-{2,}:?")
_NUMBER_HEAD = re.compile(r"^(?:序\s*号|题\s*号|编\s*号|No\.?|#|Number)$", re.IGNORECASE)
_QUESTION_HEAD = re.compile(
    r"^(?:题\s*目|题\s*干|试\s*题|问\s*题|题目内容|试题内容|题干内容|考题|名词|术语|Questions?|Stem|Item)(?:\s*[（(].{0,12}[)）])?$",
    re.IGNORECASE,
)
_ANSWER_HEAD = re.compile(
    r"^(?:正确|参考|标准)?答\s*案(?:要点)?$|^(?:得分点|采分点|评分要点|答题要点|要点)$"
    r"|^(?:Correct )?(?:Answers?|Key)$",
    re.IGNORECASE,
)
_OPTIONS_HEAD = re.compile(r"^(?:选\s*项|备选(?:项|答案)|Options?|Choices?)$", re.IGNORECASE)
_OPTION_HEAD = re.compile(r"^(?:选\s*项|Option\s*)?\s*([A-H])$", re.IGNORECASE)
_POINTS_HEAD = re.compile(r"^(?:分\s*值|分\s*数|Points|Marks)$", re.IGNORECASE)
_KIND_HEAD = re.compile(r"^(?:题\s*型|题目类型|试题类型|Type)$", re.IGNORECASE)
_KIND = re.compile(r"[\u3400-\u9fff]{2,6}")
_EXPLAIN_HEAD = re.compile(r"^(?:解\s*析|答案解析|Explanation)$", re.IGNORECASE)
_ASKS = re.compile(
    r"[？?]|_{2,}|[（(]\s*[)）]|^(?:请|试|简述|论述|什么|何谓|如何|为什么|解释|计算|求|证明|写出|说明|分析|比较|列举|描述)"
    r"|^(?:what|why|how|explain|define|describe|compare|state|list|give|find|compute|calculate|prove)\b",
    re.IGNORECASE,
)
_SERIAL = re.compile(r"^[（(]?\s*(\d{1,3})\s*[)）.．、]?$")
_TEXT = re.compile(r"[\u3400-\u9fffA-Za-z]{2}")


def question_tables(lines: Sequence[Line]) -> list[Line]:
    """Lines with every table of questions taken apart: one numbered line a question, its options below."""
    out: list[Line] = []
    heading = ""
    for line in lines:
        if line.kind is not BlockKind.TABLE:
            if line.kind is BlockKind.TEXT and is_type_heading(line.body):
                heading = line.text
            elif line.mark is not None and line.mark.style is not Style.HAN:
                heading = ""
            out.append(replace(line, index=len(out)))
            continue
        texts = _questions(_rows(line.text), heading)
        if not texts:
            out.append(replace(line, index=len(out)))
        for text in texts:
            out.append(Line(text, line.block, read_mark(text), False, BlockKind.TEXT, len(out)))
    return out


def _rows(markdown: str) -> list[list[str]]:
    rows = [
        [cell.replace(r"\|", "|").strip() for cell in _CELLS.split(line.strip())[1:-1]]
        for line in markdown.split("\n")
    ]
    return [row for row in rows if row and not all(_RULE.fullmatch(cell) for cell in row)]


def _questions(rows: list[list[str]], heading: str) -> list[str]:
    """The questions of a table as lines, [] when it is a table of something else."""
    if len(rows) < 2:
        return []
    return _headed(rows) or _numbered(rows, heading) or _celled(rows)


def _headed(rows: list[list[str]]) -> list[str]:
    """A table whose head names a column of questions and one of numbers, options or answers."""
    head, body = rows[0], rows[1:]
    place = {
        name: [k for k, cell in enumerate(head) if pattern.match(cell)]
        for name, pattern in (
            ("number", _NUMBER_HEAD),
            ("question", _QUESTION_HEAD),
            ("answer", _ANSWER_HEAD),
            ("options", _OPTIONS_HEAD),
            ("option", _OPTION_HEAD),
            ("points", _POINTS_HEAD),
            ("explanation", _EXPLAIN_HEAD),
            ("kind", _KIND_HEAD),
        )
    }
    if len(place["question"]) != 1 or not (place["number"] or place["answer"] or place["options"]):
        return []
    stem = place["question"][0]
    told = [row for row in body if len(row) > stem and row[stem]]
    if not told or sum(1 for row in told if _TEXT.search(row[stem])) < 0.8 * len(told):
        return []  # «题目 | 一 | 二 | 总分» is a box for points
    out: list[str] = []
    above = ""
    for value, row in enumerate(told, 1):
        printed = row[place["number"][0]] if place["number"] else ""
        serial = _SERIAL.match(printed)
        number = serial.group(1) if serial else str(value)
        typed = read_mark(row[stem])
        text = row[stem] if typed and str(typed.value) == number else f"{number}. {row[stem]}"
        if place["points"] and re.fullmatch(r"\d+(?:\.\d+)?", row[place["points"][0]]):
            text += f"（{row[place['points'][0]]}分）"
        kind = row[place["kind"][0]] if place["kind"] else ""
        if kind != above and _KIND.fullmatch(kind) and heading_form(kind) is not None:
            out.append(kind if kind.endswith("题") else f"{kind}题")  # a heading over the rows of one kind
            above = kind
        out.append(text)
        out += [f"{head[k][-1].upper()}. {row[k]}" for k in place["option"] if row[k]]
        out += [row[k] for k in place["options"] if row[k]]
        out += [f"答案：{row[k]}" for k in place["answer"] if row[k]]
        out += [f"解析：{row[k]}" for k in place["explanation"] if row[k]]
    return out


def _numbered(rows: list[list[str]], heading: str) -> list[str]:
    """A table without a head: a column that counts from one row to the next, then a question."""
    if any(len(row) not in (2, 3) for row in rows):
        return []
    serials = [_SERIAL.match(row[0]) for row in rows]
    values = [int(serial.group(1)) for serial in serials if serial]
    if len(values) != len(rows) or values != list(range(values[0], values[0] + len(rows))):
        return []
    stems = [row[1] for row in rows]
    if not all(_TEXT.search(stem) for stem in stems):
        return []
    asking = sum(1 for stem in stems if _ASKS.search(stem))
    if asking < 0.5 * len(stems) and not (heading and is_term_heading(heading)):
        return []
    out: list[str] = []
    for value, row in zip(values, rows, strict=True):
        out.append(f"{value}. {row[1]}")
        if len(row) == 3 and row[2]:
            out.append(f"答案：{row[2]}")
    return out


def _celled(rows: list[list[str]]) -> list[str]:
    """A table whose cells are numbered items (terms set in two columns, by row or by column)."""
    cells = [cell for row in rows for cell in row if cell]
    marked = [(mark, cell) for cell in cells if (mark := read_mark(cell)) and cell[mark.end :].strip()]
    if len(marked) < 3 or len(marked) != len(cells) or len({mark.family for mark, _ in marked}) != 1:
        return []
    if marked[0][0].style not in (Style.ARABIC, Style.PAREN, Style.RIGHT_PAREN):
        return []
    marked.sort(key=lambda one: one[0].value)
    first = marked[0][0].value
    if [mark.value for mark, _ in marked] != list(range(first, first + len(marked))):
        return []
    return [cell for _, cell in marked]
