"""Lines of program code, and how far each is set in: in some languages the indentation is the program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.segment.lines import Line
from schemas.document import BlockKind

_STEP = 4
_TAIL = 160
"""Characters at the end of a line that are looked at for the beginning of a block."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_ASIDE = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|#.*$|//.*$|/\*.*$")
_WORD = (
    r"(?:def|class|for|if|elif|else|while|do|try|except|catch|finally|with|return|import|from|print|break"
    r"|continue|pass|yield|raise|throw|int|void|char|float|double|long|bool|public|private|static|struct"
    r"|switch|case|default|begin|end|function|procedure|var|let|const|using|printf|scanf|cout|cin)\b"
)
_LINE = re.compile(
    rf"{_WORD}.*[(){{}}=;:<>\[\]\"]|{_WORD}\W*$|(?:return|print|import|from|raise|yield)\s+\S+$"
    r"|[A-Za-z_][\w.\[\], ]{0,60}(?:[-+*/%|&]|//|\*\*)?=(?!=)\s*\S|[A-Za-z_][\w.]{0,60}\(.*\)\s*$"
    r"|[A-Za-z_][\w.\[\]]{0,40}(?:\+\+|--)|[{}@]|\#|//|/\*"
)
_ENDS = re.compile(r"[;{}]\s*$")
_OPENS = re.compile(rf"(?<![A-Za-z_]){_WORD}[^。？?]*(?::|\{{)\s*$")


def with_indents(lines: Sequence[Line]) -> list[Line]:
    """Lines with `code` and `indent` set where two or more lines of code stand together.

    Blanks are kept as typed (a tab is four); where a paragraph's own indent tells the depth, each level
    is four blanks. The depth counts from the outermost line of the listing.
    """
    out = list(lines)
    at = 0
    while at < len(out):
        stop = at
        while stop < len(out) and _is_code(out[stop]):
            stop += 1
        above = out[at - 1] if at else None
        opened = (
            above is not None and above.kind is BlockKind.TEXT and bool(_OPENS.search(above.text[-_TAIL:]))
        )
        if stop - at >= 2 or (stop > at and opened):
            run = out[at:stop]
            for place, depth in enumerate(_depths(run, opened), at):
                out[place] = replace(out[place], code=True, indent=" " * depth)
        at = max(stop, at + 1)
    return out


def _is_code(line: Line) -> bool:
    if line.kind is not BlockKind.TEXT or line.mark is not None:
        return False
    bare = _ASIDE.sub("", line.text).strip()
    if _HAN.search(bare):
        return False
    return bool(_LINE.match(line.text.strip()) or _ENDS.search(bare))


def _depths(run: Sequence[Line], opened: bool) -> list[int]:
    """Blanks before each line of a listing; opened: the line above begins a block."""
    typed = [line.lead for line in run]
    if not any(line.block.indent > 0 for line in run):
        least = 0 if opened else min(typed)
        return [lead - least for lead in typed]
    where = [
        line.block.indent + lead * (line.block.size or 10.5) / 2
        for line, lead in zip(run, typed, strict=True)
    ]
    stack: list[float] = [-1.0] if opened else []
    out = []
    for x in where:
        while stack and stack[-1] > x + 2:
            stack.pop()
        if not stack or x > stack[-1] + 2:
            stack.append(x)
        out.append(_STEP * (len(stack) - 1))
    return out
