"""Answers listed by number: ranges, letters in a row, and grids as tables or as two lines of text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from ingest.segment.marks import han_value

_DASH = r"[-－‐‑—–~～〜至到]+"
_SIGN = r"A-H√×✓✔✗✘╳TFYN对错正误是否"
_SPAN = (
    rf"(?<![\d.])(?:第\s{{0,3}})?[（(]?(\d{{1,3}})[)）]?\s{{0,3}}(?:小?题)?\s{{0,3}}"
    rf"{_DASH}\s{{0,3}}[（(]?(\d{{1,3}})[)）]?\s{{0,3}}(?:小?题)?\s{{0,3}}[:：.．、)）]?\s{{0,3}}"
)
_RANGE = re.compile(rf"{_SPAN}((?:[{_SIGN}][\s,，、;；]*){{2,}})")
_SMALL_RANGE = re.compile(rf"{_SPAN}((?:[a-h][\s,，、;；]*){{2,}})(?!\s{{0,3}}[A-Za-z])")
_LISTED = re.compile(
    r"(?<![\dA-Za-z.])(?:第\s{0,3})?[（(]?(\d{1,3})[)）]?\s{0,3}(?:小?题)?\s{0,3}[.．、:：—–－]{0,2}\s{0,3}"
    r"([A-H]{1,6}|[√×✓✔✗✘╳TF对错]|正确|错误)(?![A-Za-z\u3400-\u9fff])"
)
_NUMBER = re.compile(r"(?:第\s{0,3})?[（(]?\s{0,3}(\d{1,3})\s{0,3}[)）.、．]?\s{0,3}(?:小?题)?")
_ANSWERING = re.compile(rf"[（(]?(?:[{_SIGN}][\s,，、]*){{1,8}}[)）]?|正确|错误|[a-h]")
_LABEL = re.compile(
    r"^(?:题\s{0,3}号|题\s{0,3}目|题\s{0,3}序|序\s{0,3}号|小\s{0,3}题|答\s{0,3}案|参考答案|标准答案"
    r"|选\s{0,3}项|得\s{0,3}分|No\.?"
    r"|Questions?|Answers?)\s{0,3}[:：]?$",
    re.IGNORECASE,
)
_ANSWER_LABEL = re.compile(
    r"^(?:答\s{0,3}案|(?:参考|标准)?答案(?:要点)?|选\s{0,3}项"
    r"|Answers?)\s{0,3}[:：]?$",
    re.IGNORECASE,
)
_NUMBER_LABEL = re.compile(
    r"^(?:题\s{0,3}号|题\s{0,3}序|序\s{0,3}号|小\s{0,3}题|No\.?|Questions?)\s{0,3}[:：]?$", re.IGNORECASE
)
_NAMED = re.compile(r"^[^\d:：]{0,16}[:：]\s{0,3}")
_LONGEST = 60


def key_ranges(text: str) -> list[tuple[int, str]]:
    """«1-5 AAABC» → [(1, 'A'), …]; ranges whose letters do not match their length are left alone."""
    out: list[tuple[int, str]] = []
    for pattern in (_RANGE, _SMALL_RANGE):
        for found in pattern.finditer(text):
            first, last = int(found.group(1)), int(found.group(2))
            raw = found.group(3).strip(" \t\u3000,，、;；")
            tokens = re.split(r"[\s,，、;；]+", raw)
            want = last - first + 1
            letters = tokens if len(tokens) == want else list(re.sub(r"[\s,，、;；]", "", raw))
            if want == len(letters) and 2 <= want <= _LONGEST:
                out.extend((first + offset, letter.upper()) for offset, letter in enumerate(letters))
    return sorted(out)


def unread_ranges(text: str) -> list[str]:
    """The ranges whose letters do not match their length («6-10 BCDA»): no letter of them can be trusted."""
    out = []
    for found in _RANGE.finditer(text):
        first, last = int(found.group(1)), int(found.group(2))
        if 2 <= last - first + 1 <= _LONGEST and not key_ranges(found.group()):
            out.append(found.group().strip())
    return out


def listed(text: str) -> list[tuple[int, str]]:
    """Answers of «1-5 AAABC», or of «1A 2B 3C» and «第1题：A 第2题：B» where the line holds nothing else."""
    ranges = key_ranges(text)
    if ranges:
        ranged = {number for number, _ in ranges}
        alone = [(int(one.group(1)), one.group(2)) for one in _LISTED.finditer(_RANGE.sub(" ; ", text))]
        return sorted([*ranges, *((number, said) for number, said in alone if number not in ranged)])
    text = _NAMED.sub("", text)
    found = list(_LISTED.finditer(text))
    numbers = [int(one.group(1)) for one in found]
    if len(found) < 2 or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return []
    rest = _LISTED.sub("", text)
    if len(re.sub(r"[\s,，、;；.。]", "", rest)) > 0.2 * len(text):
        return []
    return [(number, one.group(2)) for number, one in zip(numbers, found, strict=True)]


def text_grid(upper: str, lower: str) -> list[tuple[int, str]]:
    """Answers of a grid typed as two lines: «题号 1 2 3» over «答案 A B C»; [] where they are none."""
    above, below = (_without_label(re.split(r"[\s\u3000|]+", line.strip(" |\t"))) for line in (upper, lower))
    numbers = [_cell_number(cell) for cell in above]
    if len(numbers) < 2 or len(below) != len(numbers) or not _runs(numbers):
        return []
    if not all(_ANSWERING.fullmatch(cell) for cell in below):
        return []
    return list(zip(numbers, below, strict=True))


def _without_label(cells: list[str]) -> list[str]:
    return cells[1:] if cells and _LABEL.match(cells[0]) else cells


def grid(markdown: str) -> list[tuple[int, str]]:
    """Answers of a Markdown table: numbers over answers, numbers beside answers, ranges over letters."""
    rows = _rows(markdown)
    out = (
        _columns(rows)
        or _across(rows)
        or _down(rows)
        or listed(" ".join(cell for row in rows for cell in row))
    )
    # two readings of one number (a grid printed as several rows) keep the first
    seen: dict[int, str] = {}
    for number, text in out:
        seen.setdefault(number, text)
    return sorted(seen.items())


def _rows(markdown: str) -> list[list[str]]:
    rows = [
        [cell.strip().strip("*") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        for line in markdown.split("\n")
    ]
    return [row for row in rows if not all(re.fullmatch(r":?-{2,}:?|", cell) for cell in row)]


def sheet_of(markdown: str) -> list[tuple[int, str]] | None:
    """Answers filled into a grid whose rows are named («题号» over «答案»), [] in an empty one, else None."""
    rows = _rows(markdown)
    if len(rows) < 2 or len(rows) % 2:
        return None
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        numbers = [n for cell in upper[1:] if (n := _cell_number(cell, True))]
        named = _NUMBER_LABEL.match(upper[0]) and _ANSWER_LABEL.match(lower[0])
        if not named or len(numbers) < 2 or not _runs(numbers):
            return None
    return grid(markdown)


def labelled_numbers(upper: str, lower: str) -> list[tuple[int, str]] | None:
    """The same of a grid typed as two lines."""
    above, below = (re.split(r"[\s\u3000|]+", line.strip(" |\t\u3000")) for line in (upper, lower))
    numbers = [_cell_number(cell) for cell in above[1:]]
    if not _NUMBER_LABEL.match(above[0]) or not _ANSWER_LABEL.match(below[0]):
        return None
    if len(numbers) < 3 or not _runs(numbers):
        return None
    return text_grid(upper, lower) if below[1:] else []


def _columns(rows: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    """Answers of a table whose head names a column of numbers and, right of it, one of answers."""
    head = rows[0] if rows else []
    out: list[tuple[int, str]] = []
    for at, cell in enumerate(head):
        if not _NUMBER_LABEL.match(cell):
            continue
        stop = next((k for k in range(at + 1, len(head)) if _NUMBER_LABEL.match(head[k])), len(head))
        told = [k for k in range(at + 1, stop) if _ANSWER_LABEL.match(head[k])]
        if len(told) != 1:
            return []
        for row in rows[1:]:
            number = _cell_number(row[at]) if len(row) == len(head) else 0
            out += [(number, row[told[0]])] if number and row[told[0]] else []
    numbers = [number for number, _ in out]
    return out if len(out) >= 2 and len(set(numbers)) == len(numbers) else []


def _across(rows: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    out: list[tuple[int, str]] = []
    for upper, lower in itertools.pairwise(rows):
        if len(upper) != len(lower):
            continue
        spans = [key_ranges(f"{a} {b}") for a, b in zip(upper, lower, strict=True)]
        if any(spans):
            out.extend(one for span in spans for one in span)
            continue
        han = bool(_ANSWER_LABEL.match(lower[0])) or all(_ANSWERING.fullmatch(cell) for cell in lower if cell)
        numbers = [_cell_number(cell, han) for cell in upper]
        filled = [n for n in numbers if n]
        if len(filled) >= 2 and _runs(filled):
            out.extend((n, cell) for n, cell in zip(numbers, lower, strict=True) if n and cell)
    return out


def _down(rows: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    out: list[tuple[int, str]] = []
    for row in rows:
        if len(row) % 2:
            continue
        numbers = [_cell_number(cell, True) for cell in row[::2]]
        if all(n or not cell for n, cell in zip(numbers, row[::2], strict=True)):
            out.extend((n, cell) for n, cell in zip(numbers, row[1::2], strict=True) if n and cell)
    return out if len(out) >= 2 and _runs(sorted(number for number, _ in out)) else []


def _runs(numbers: Sequence[int]) -> bool:
    return list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] > 0


def _cell_number(cell: str, han: bool = False) -> int:
    found = _NUMBER.fullmatch(cell)
    if found:
        return int(found.group(1))
    return han_value(cell.strip("、.． ")) if han else 0
