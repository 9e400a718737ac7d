"""The logical lines of a question: hard wraps joined, its parts, and where its answer begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.segment import answers, forms
from ingest.segment.lines import Line
from ingest.segment.marks import Mark, Style
from ingest.segment.partwise import answers_between, parts_in_line
from schemas.document import BlockKind
from schemas.question import Part, Region
from schemas.question import PrintedForm as Form

_HAN_END = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]$")
_HAN_START = re.compile(r"^[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
_OPTION_LINE = re.compile(r"^[（(]?[A-Ha-h]\s*[)）.．、:：]|^[A-H]\s+\S")


@dataclass(frozen=True, slots=True)
class Piece:
    """One logical line of a question: hard wraps of a page joined, its regions kept."""

    text: str
    mark: Mark | None
    regions: tuple[Region, ...]
    kind: BlockKind
    asset: str | None
    confidence: float


def _wraps(before: Line, after: Line) -> bool:
    """Whether `after` goes on with the sentence of `before`: a full line of a page, then no new mark."""
    if not (before.paged and after.paged) or after.mark is not None or after.kind is not before.kind:
        return False
    if after.code:
        return False
    if before.kind is not BlockKind.TEXT or _OPTION_LINE.match(after.text):
        return False
    if before.block.box is None or after.block.box is None:
        return False
    if answers.ANSWER_LINE.match(after.text) or "\t" in after.text or before.text.count("\t") > 1:
        return False  # columns: options or a table without rules
    a, b = before.block.box, after.block.box
    height = max(a.y1 - a.y0, 1.0)
    if before.block.page == after.block.page:
        # the line must reach at least as far right as what follows it could have filled
        full = a.x1 >= b.x1 - 1.5 * height
        near = -2.5 * height <= b.y0 - a.y1 <= 2.2 * height or b.y0 < a.y0
        return full and near
    return not before.text.rstrip().endswith(("。", "？", "?", "：", ":"))


def _join(left: str, right: str) -> str:
    if left.endswith("-") and re.search(r"[a-z]-$", left) and re.match(r"[a-z]", right):
        return left[:-1] + right
    if _HAN_END.search(left) or _HAN_START.match(right):
        return left + right
    return f"{left} {right}"


def pieces_of(lines: Sequence[Line], first_body: bool = True) -> list[Piece]:
    """Logical lines; the number of the first line is left off when first_body is set."""
    out: list[Piece] = []
    for number, line in enumerate(lines):
        text = line.body if number == 0 and first_body else line.indent + line.text.strip()
        mark = None if number == 0 and first_body else line.mark
        region = Region(page=line.block.page, box=line.block.box)
        if out and number > 0 and _wraps(lines[number - 1], line):
            last = out[-1]
            out[-1] = Piece(
                _join(last.text, text),
                last.mark,
                (*last.regions, region),
                last.kind,
                last.asset,
                min(last.confidence, line.block.confidence),
            )
            continue
        out.append(Piece(text, mark, (region,), line.kind, line.block.asset, line.block.confidence))
    return out


def parts_of(pieces: Sequence[Piece]) -> tuple[int, tuple[Part, ...]]:
    """Where the sub-questions begin and what they are: one style, numbered from 1 without a gap.

    Returns (len(pieces), ()) when there are none. A lone (1) is no list.
    """
    for style in (Style.PAREN, Style.CIRCLE, Style.RIGHT_PAREN, Style.ARABIC, Style.MULTI):
        places: list[int] = []
        for index, piece in enumerate(pieces):
            mark = piece.mark
            if mark is not None and mark.style is style and mark.value == len(places) + 1:
                places.append(index)
        if len(places) < 2:
            continue
        parts = []
        for place, stop in zip(places, [*places[1:], len(pieces)], strict=True):
            mark = pieces[place].mark
            assert mark is not None
            text = "\n".join(
                [pieces[place].text[mark.end :], *(p.text for p in pieces[place + 1 : stop])]
            ).strip()
            points, text = forms.take_points(text)
            parts.append(Part(number=mark.printed, text=text, points=points))
        return places[0], tuple(parts)
    places = []
    for index, piece in enumerate(pieces):
        letter = _LETTER_PART.match(piece.text)
        if letter and letter.group(1) == chr(ord("a") + len(places)):
            places.append(index)
    if len(places) < 2:
        return len(pieces), ()
    return places[0], tuple(
        _letter_part(pieces[place:stop])
        for place, stop in zip(places, [*places[1:], len(pieces)], strict=True)
    )


_LETTER_PART = re.compile(r"^\s*[（(]?([a-h])\s*[)）.．]\s*(?=\S)")


def _letter_part(pieces: Sequence[Piece]) -> Part:
    mark = _LETTER_PART.match(pieces[0].text)
    assert mark is not None
    text = "\n".join([pieces[0].text[mark.end() :], *(p.text for p in pieces[1:])]).strip()
    points, text = forms.take_points(text)
    return Part(number=mark.group().strip(), text=text, points=points)


def inline_parts(pieces: Sequence[Piece], stem: str) -> tuple[str, tuple[Part, ...]]:
    """Stem and parts where the parts follow one another on the last line; stem as it is when they do not."""
    found = parts_in_line(pieces[-1].text) if pieces and pieces[-1].kind is BlockKind.TEXT else []
    if not found:
        return stem, ()
    lead = pieces[-1].text[: pieces[-1].text.index(found[0][0])]
    head = "\n".join([*(piece.text for piece in pieces[:-1]), lead]).strip()
    parts = []
    for number, text in found:
        points, text = forms.take_points(text)
        parts.append(Part(number=number, text=text, points=points))
    return (forms.take_points(head)[1], tuple(parts)) if head else (stem, ())


def answer_below(
    pieces: list[Piece], guess: Form, paragraphs: Form | None
) -> tuple[list[Piece], list[Piece], answers.Printed]:
    """The pieces that ask, those that answer them, and the answer.

    paragraphs: the announced form where all is paragraphs, so that an answer may stand without a mark.
    """
    texts = [piece.text for piece in pieces]
    inside = answers_between([p.mark for p in pieces], [answers.begins_answer(text) for text in texts])
    if any(inside):
        asked = [piece for piece, is_answer in zip(pieces, inside, strict=True) if not is_answer]
        answered = [piece for piece, is_answer in zip(pieces, inside, strict=True) if is_answer]
        return asked, answered, answers.Printed("", _part_by_part(pieces, inside), None, "below its parts")
    keep, below = answers.from_lines(texts, guess)
    if keep == len(texts) and paragraphs is not None and not any(p.mark for p in pieces[1:]):
        keep, below = answers.unmarked_below(texts, paragraphs)
    return pieces[:keep], pieces[keep:], below


def _part_by_part(pieces: Sequence[Piece], inside: Sequence[bool]) -> str:
    """The answers between the parts, each under the mark of its part."""
    out: list[str] = []
    mark = ""
    for place, (piece, is_answer) in enumerate(zip(pieces, inside, strict=True)):
        if not is_answer:
            mark = piece.mark.printed if piece.mark else mark
        elif place and inside[place - 1]:
            out.append(piece.text)
        else:
            lead = answers.ANSWER_LINE.match(piece.text)
            out.append(mark + (piece.text[lead.end() :] if lead else piece.text))
    return "\n".join(out)
