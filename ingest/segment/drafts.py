"""From the outline to drafts: the text of each question put together, with its evidence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ingest.segment import answers, forms
from ingest.segment.lines import LABEL, Line
from ingest.segment.marks import number_value
from ingest.segment.options import split_options
from ingest.segment.outline import Section
from ingest.segment.pieces import Piece, answer_below, inline_parts, parts_of, pieces_of
from ingest.segment.remarks import split_answer
from ingest.segment.ticks import OPTIONS_INKED
from schemas.document import BlockKind, Document, Origin
from schemas.question import Draft
from schemas.question import PrintedForm as Form

# brackets, blanks and part numbers: the printed places of answers without a question
_PLACES = re.compile(r"[（(]?\d{1,2}[)）.、]|[①-⑳]|[\s_（）()\[\]图.。、,，:：…]")
_GAP_BLANK = re.compile(r"(?<=[\u3400-\u9fff])\t+(?=[\u3400-\u9fff，。、])")
# a blank typed as spaces: «是    ，写的    中所说»
_SPACE_BLANK = re.compile(r"(?<=[\u3400-\u9fff“”》，、：])[ \u3000]{3,}(?=[\u3400-\u9fff，。、？；“”])")
# «有_脂肪_、_蛋白质_»: written between the ends of a ruled blank
_BETWEEN_RULES = re.compile(r"(?<![A-Za-z0-9_])_([^_\s]{1,20})_(?![A-Za-z0-9_])")
_NEEDS_FIGURE = re.compile(
    r"如图|下图|上图|图\s*\d+|右图|左图|见图|题图|\[图\]|figure|as shown|to the (?:right|left)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Source:
    """What every draft of a document shares.

    coloured: the paper prints its answers in another ink (`answers_coloured`).
    begins: filled with draft id → index of the draft's first line.
    """

    document: Document
    coloured: bool = False
    begins: dict[str, int] = field(default_factory=dict)

    def draft(
        self,
        *,
        order: int,
        number: str,
        section: Section | None,
        count: int,
        place: int = 0,
        lines: Sequence[Line],
        material: str = "",
        rule: str,
        own_heading: bool = False,
        first_body: bool = True,
    ) -> Draft | None:
        """One draft from its lines; None when nothing but white space and marks is left."""
        every = lines
        lines, inked = self._inked(lines, section)
        pieces = pieces_of(lines, first_body)
        heading = section.title if section else ""
        pieces = _with_blanks(pieces, forms.heading_form(heading), lines)
        texts = [piece.text for piece in pieces]
        stem_all = "\n".join(texts).strip()
        if not _PLACES.sub("", stem_all):
            return None
        announced = None if own_heading else forms.heading_form(heading)
        has_options = len(split_options(stem_all)[1]) >= 2
        first_guess = Form.MULTIPLE_CHOICE if has_options and announced is None else announced
        guess = first_guess or forms.wording_form(stem_all, has_options)
        paragraphs = all(is_word(line) and line.kind is BlockKind.TEXT for line in lines)
        question_pieces, answer_pieces, below = answer_below(
            pieces, guess, announced if paragraphs and not has_options else None
        )
        inked_pieces = pieces_of(inked, False)
        if inked and not below.answer:
            below = answers.Printed("", "\n".join(p.text for p in inked_pieces).strip(), None, answers.IN_INK)
        printed = "\n".join(p.text for p in question_pieces).strip()
        tail = answers.from_tail(printed)
        points, printed = forms.take_points(tail.text)
        stem, options = split_options(printed)
        blanks = forms.count_blanks(stem)
        form, form_rule = forms.printed_form("" if own_heading else heading, stem, bool(options), blanks)
        inline = answers.from_stem(stem if options else printed, form)
        inline = replace(inline, answer=tail.answer, rule=tail.rule) if tail.answer else inline
        if options:
            printed = inline.text + printed[len(stem) :]
            stem = inline.text
        elif inline.text != printed:
            printed = stem = inline.text
        part_begin, parts = parts_of(question_pieces)
        if parts and not options:
            stem = "\n".join(p.text for p in question_pieces[:part_begin]).strip()
            stem = forms.take_points(stem)[1]
        elif not options and form is not Form.FILL_BLANK:
            stem, parts = inline_parts(question_pieces, stem)
        if points is None and section is not None:
            points = self._section_points(
                heading, count, place, printed, own_heading, form, number_value(number)
            )
        answer, explanation = _without_tags(below.answer or inline.answer), below.explanation
        if answer and below.answer:
            answer, explanation = _set_apart(answer, explanation)
        if answer and options:
            answer = _lettered(answer, {option.label for option in options})
        flags = []
        if any(piece.asset for piece in question_pieces) or "[图]" in printed:
            flags.append("figure")
        if below.rule == "unmarked below" or (inline.rule == answers.IN_BRACKETS and not below.answer):
            flags.append("answer_unmarked")
        confidence = min((piece.confidence for piece in question_pieces), default=1.0)
        evidence = {"item": rule, "form": form_rule}
        if below.rule or inline.rule:
            evidence["answer"] = below.rule or inline.rule
        evidence |= {} if inked else _ink_left(every)
        if below.rule == answers.IN_INK:
            shown = [every[0].body if first_body else every[0].text, *(line.text for line in every[1:])]
            evidence[answers.AS_SOLVED] = "\n".join(shown)
        draft = Draft(
            source=self.document.source,
            sha256=self.document.sha256,
            order=order,
            number=number,
            section="" if own_heading else heading,
            material=material,
            stem=stem,
            options=options,
            parts=parts if not options else (),
            form=form,
            points=points,
            answer=answer,
            explanation=explanation,
            figures=tuple(p.asset for p in question_pieces if p.asset),
            needs_figure=bool(_NEEDS_FIGURE.search(printed)),
            regions=tuple(r for p in question_pieces for r in p.regions),
            answer_regions=tuple(r for p in (*answer_pieces, *inked_pieces) for r in p.regions)
            if below.answer
            else (),
            answer_source=f"{self.document.source}: {below.rule or inline.rule}" if answer else "",
            confidence=round(confidence, 4),
            flags=tuple(flags),
            evidence=evidence,
            printed=printed,
        )
        draft = draft.model_copy(update={"draft_id": draft_id(draft)})
        self.begins[draft.draft_id] = every[0].index
        return draft

    def _inked(self, lines: Sequence[Line], section: Section | None) -> tuple[Sequence[Line], list[Line]]:
        """The question's lines and, where they are answers, the lines in another ink."""
        inked = [line for line in lines[1:] if line.block.colour] if self.coloured else []
        text = "".join(line.text for line in inked)
        if not inked or lines[0].block.colour:
            return lines, []
        labelled = all(LABEL.match(line.text) for line in inked)
        if (announced_choice(section) or labelled) and not re.fullmatch(r"\W*[A-H]{1,5}\W*", text):
            return lines, []  # options set in colour
        return [line for line in lines if not line.block.colour], inked

    @staticmethod
    def _section_points(
        heading: str, count: int, place: int, printed: str, own: bool, form: Form, number: int
    ) -> float | None:
        if own:
            return forms.points_total(heading)
        blanks = forms.count_blanks(printed) if form is Form.FILL_BLANK else 0
        each = forms.points_each(heading, count, number, place, blanks)
        if each is not None:
            return each
        blank = forms.points_blank(heading)
        total = forms.points_total(heading)
        if count == 1 and total is not None and (blank is None or total > blank):
            return total  # of the only question, however its blanks are printed
        if blank is not None and form is Form.FILL_BLANK:
            return blank * max(blanks, 1)
        return None


def with_bare_points(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with «(10)» read as points where the paper as a whole prints points that way."""
    open_ones = [d for d in drafts if d.points is None]
    if not open_ones:
        return list(drafts)
    found: dict[str, tuple[float | None, str]] = {}
    for section in dict.fromkeys(d.section for d in open_ones):
        group = [d for d in open_ones if d.section == section]
        marks = forms.bare_points([d.printed for d in group])
        found.update(zip((d.draft_id for d in group), marks, strict=True))
    out = []
    for draft in drafts:
        points, printed = found.get(draft.draft_id, (None, ""))
        if points is not None:
            stem = forms.bare_stem(draft.stem)
            draft = draft.model_copy(update={"points": points, "printed": printed, "stem": stem})
        out.append(draft)
    return out


def _with_blanks(pieces: list[Piece], announced: Form | None, lines: Sequence[Line]) -> list[Piece]:
    """Pieces with the blanks printed as gaps (a ruled line unread), typed as spaces or written over."""
    paragraphs = all(is_word(line) for line in lines)
    if announced is Form.FILL_BLANK:
        pieces = [replace(p, text=_BETWEEN_RULES.sub(r"<u>\1</u>", p.text)) for p in pieces]
        pieces = _written_over(pieces, lines)
        pieces = [replace(p, text=_GAP_BLANK.sub("____", p.text)) for p in pieces]
    if paragraphs and announced in (None, Form.FILL_BLANK):
        pieces = [replace(p, text=_SPACE_BLANK.sub("____", p.text)) for p in pieces]
    return pieces


def _written_over(pieces: list[Piece], lines: Sequence[Line]) -> list[Piece]:
    """Pieces without any blank, with what is underlined or in another ink as what was written into one."""
    whole = "\n".join(piece.text for piece in pieces)
    if forms.count_blanks(whole) or split_options(whole)[1]:
        return pieces
    said = [text for line in lines for text, _ in line.block.inks if text in line.text]
    said += [text for line in lines for text in line.block.underlined if text in line.text]
    out = []
    for piece in pieces:
        text = piece.text
        for words in dict.fromkeys(said):
            plain = f"<u>{words}</u>" not in text and re.search(r"\w", words)
            text = text.replace(words, f"<u>{words}</u>", 1) if plain else text
        out.append(replace(piece, text=text))
    return out


def announced_choice(section: Section | None) -> bool:
    """Whether the heading of the section says that its questions have options."""
    return section is not None and forms.heading_form(section.title) is Form.MULTIPLE_CHOICE


_LETTERS = re.compile(r"^[（(]?\s*([A-Ha-h](?:[\s,，、]*[A-Ha-h]){0,7})\s*[)）]?[.。]?$")


def _lettered(answer: str, labels: set[str]) -> str:
    """«(b)» or «c» as the labels of the options, where it is nothing else."""
    found = _LETTERS.match(answer.strip())
    letters = re.sub(r"[^A-Z]", "", found.group(1).upper()) if found else ""
    return letters if letters and set(letters) <= labels else answer


def _set_apart(answer: str, explanation: str | None) -> tuple[str, str | None]:
    """The answer without its remarks, which go behind the explanation."""
    answer, more = split_answer(answer)
    return answer, "\n".join(filter(None, [explanation, more])) or None


def _without_tags(text: str | None) -> str | None:
    return text.replace("<u>", "").replace("</u>", "") if text else text


def draft_id(draft: Draft) -> str:
    """BLAKE2b-128 hex of file, order and printed text: the same file gives the same ids again."""
    text = f"{draft.sha256}\0{draft.order}\0{draft.number}\0{draft.printed}"
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


_ANY_LABEL = re.compile(r"(?<![A-Za-z0-9])[（(【\[]?([A-H])\s?[)）】\].．、:：]")


def _ink_left(lines: Sequence[Line]) -> dict[str, str]:
    """Evidence of lines in another ink that stay in a question printed in black: they may be its answer."""
    if lines[0].block.colour:
        return {}
    labels: list[str] = []
    ends = other = False
    for place, line in enumerate(lines):
        if line.kind is not BlockKind.TEXT:
            continue
        whole = bool(place and line.block.colour)
        stretches = [line.text] if whole else [text for text, _ in line.block.inks if text in line.text]
        for stretch in stretches:
            # what stands in colour on a scan was written by hand
            found = [] if line.block.origin is Origin.OCR else _options_in(stretch, line.text)
            labels += found
            other = other or (not found and bool(re.search(r"\w", stretch)))
            ends = ends or whole
    if labels and not (ends and other):
        return {"ink": f"{OPTIONS_INKED}{', '.join(dict.fromkeys(labels))}"}
    return {"ink": "lines" if ends else "words"} if other else {}


def _options_in(stretch: str, line: str) -> list[str]:
    """Labels of the options that a stretch of a line in another ink sets out, or stands in."""
    if LABEL.match(stretch):
        return [found.group(1) for found in _ANY_LABEL.finditer(stretch)] or [stretch.strip()[:1]]
    before = list(_ANY_LABEL.finditer(line[: line.find(stretch)]))
    inside = _ANY_LABEL.search(stretch)
    return [before[-1].group(1)] if before and not inside else []


def answers_coloured(items: Sequence[Sequence[Line]]) -> bool:
    """Whether whole lines in another ink are the paper's answers: they stand under many questions.

    A few coloured lines are a reader's notes, and a student's answer is no key.
    """
    hits = sum(1 for lines in items if not lines[0].block.colour and any(x.block.colour for x in lines[1:]))
    return hits >= max(3, 0.25 * len(items))


def is_word(line: Line) -> bool:
    """Whether each line is a paragraph of its own (Word), so that no sentence runs on."""
    return line.block.origin in (Origin.WORD, Origin.CONVERTED)
