"""What in a draft's text, or beside its neighbours, speaks against its being one whole question."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.segment import forms
from schemas.document import Block
from schemas.question import Draft
from schemas.question import PrintedForm as Form

ALONE, SECOND, SLIGHT = 0.5, 0.75, 0.9
"""Factors: sends a draft to review by itself, sends it with a second doubt, is only worth telling."""

Doubt = tuple[float, str]

_BREAKS_OFF = re.compile(r"[，,、：:（(]\s*$")
_MIDWAY = re.compile(r"^\s*[，,、。；;）)】\]?？!！%]|^(?:的|了|和|与|及|是|为)[\u3400-\u9fff]{0,3}[，。]")
_FIRST_OPTION = re.compile(r"^[ \t]*[（(]?A\s*[)）.．、:：]", re.MULTILINE)
_POINTS = re.compile(r"[（(\[]\s*(?:本(?:小)?题)?\s*\d{1,2}\s*(?:分|points?|marks?)\s*[)）\]]", re.IGNORECASE)
_PAGE = re.compile(
    r"第\s*\d+\s*页|共\s*\d+\s*页|评卷人|阅卷人|密封线|装订线|Page \d+ of \d+|Turn over", re.IGNORECASE
)
_FIGURE = re.compile(
    r"如[下上左右]?图|[下上左右]图|图示|见图|题图|图(?:形|像)?如下"
    r"|(?:figure|diagram|graph) (?:below|above|shown)",
    re.IGNORECASE,
)
_VERDICT_LEFT = re.compile(r"[（(]\s*[√✓×✗XxVvTF]\s*[)）]")
_PLACE = re.compile(r"[（(]\s{0,12}[)）](?=\s*(?:[。.\n]|$)|[\u3400-\u9fff])")
VERDICT_END = re.compile(r"(?<=[。.？?！!\u3400-\u9fff])\s{0,8}([√✓✔×✗✘])\s*$")
"""A verdict written behind a statement, without brackets."""
TICK = re.compile(r"[√✓✔☑]\s*$|^\s*[√✓✔☑]")
"""Marks of the right option, beside its text."""
_BUILT = re.compile(r"[∑∫∏√∮]")
# what is left of scripts and fractions that are read as a line of characters: x1, sin2x, fn(x), f(-)
_FLAT = re.compile(
    r"(?<![A-Za-z0-9_])[a-zα-ω]\d(?!\d)|(?:sin|cos|tan|cot|ln|log)\d|(?<![A-Za-z])[b-hp-z]n\("
    r"|[a-z]\(\s?[-−–—]\s?\)"
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN_RUN = re.compile(r"[A-Za-z]{2}[\w/:.\-]{9,}")
# «begin Y N X=0 b=a end»: what is written in a flow chart or a drawing
_LABELS = re.compile(r"(?:[A-Za-z0-9=+<>]{1,5}[ \t]+){4,}[A-Za-z0-9=+<>]{1,5}")
LONG, TIMES = 700, 6.0


@dataclass(frozen=True, slots=True)
class Peers:
    """What the questions of one section have in common: how many, length, options, own points."""

    count: int
    length: float
    options: int
    pointed: float


def peers_of(drafts: Sequence[Draft]) -> Mapping[str, Peers]:
    """The peers by section heading; drafts without a heading are each other's."""
    groups: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        groups[draft.section].append(draft)
    return {
        section: Peers(
            len(members),
            statistics.median(len(draft.printed) for draft in members),
            Counter(len(draft.options) for draft in members).most_common(1)[0][0],
            sum(1 for draft in members if draft.points is not None) / len(members),
        )
        for section, members in groups.items()
    }


def among(draft: Draft, peers: Peers) -> list[Doubt]:
    """How a draft differs from the other questions of its section."""
    out: list[Doubt] = []
    if peers.count >= 3 and len(draft.printed) > max(LONG, TIMES * peers.length):
        out.append((SECOND, "far longer than the questions around it"))
    if (
        peers.count >= 4
        and peers.options >= 3
        and draft.form is Form.MULTIPLE_CHOICE
        and len(draft.options) != peers.options
        and draft.options
    ):
        out.append((SECOND, f"{len(draft.options)} options where the others have {peers.options}"))
    if peers.count >= 3 and peers.options >= 3 and not draft.options and not draft.material:
        out.append((ALONE, f"no options where the others have {peers.options}"))
    if peers.count >= 4 and peers.pointed >= 0.75 and draft.points is None:
        out.append((SECOND, "no points where the others have some"))
    return out


def within(draft: Draft, scanned: bool) -> list[Doubt]:
    """What in the text itself hints at a merged, a cut or a badly read question."""
    text = draft.printed
    first, *rest = text.split("\n")
    out: list[Doubt] = []
    last = rest[-1].strip() if rest else text
    if (
        _BREAKS_OFF.search(text)
        and not draft.figures
        and not (rest and len(last) <= 10 and last[-1] in "：:")
    ):
        out.append((ALONE, "it breaks off"))
    if _MIDWAY.match(text):
        out.append((ALONE, "it begins in the middle"))
    if len(_FIRST_OPTION.findall(text)) >= 2 and not draft.parts:
        out.append((ALONE, "two sets of options"))
    if any(_heads(line) for line in rest):
        out.append((ALONE, "a heading stands inside"))
    stated = len(_POINTS.findall(text)) + (draft.points is not None and not draft.section)
    if not draft.parts and _POINTS.search(text) and stated >= 2:
        out.append((SECOND, "points of several questions"))
    if _PAGE.search(text):
        out.append((SECOND, "words of the page in the text"))
    if _FIGURE.search(text) and not draft.figures and "[图]" not in text and "|" not in text:
        out.append((SECOND, "a figure is spoken of and none was found"))
    if _HAN.search(first) and any(_LABELS.fullmatch(line.strip()) for line in rest):
        out.append((ALONE if _FIGURE.search(text) else SECOND, "labels of a figure in the text"))
    out += _answers_left(draft)
    if scanned and (_BUILT.search(text) or _FLAT.search(text)):
        out.append((SECOND, "a formula from a scan"))
    if scanned and _HAN.search(first) and any(_LATIN_RUN.fullmatch(line.strip()) for line in rest):
        out.append((SECOND, "a scrap of text from a scan"))
    return out


def noted(draft: Draft, notes: Sequence[Block]) -> list[Doubt]:
    """Whether a handwritten note that was set apart stands beside or in the question: it may amend it."""
    for note in notes:
        if note.box is None:
            continue
        high = note.box.y1 - note.box.y0
        for region in draft.regions:
            box = region.box
            if box is None or region.page != note.page:
                continue
            apart = max(box.y0 - note.box.y1, note.box.y0 - box.y1)
            beside = max(box.x0 - note.box.x1, note.box.x0 - box.x1)
            if apart < 0.2 * high and beside < 2 * high:
                return [(SECOND, "a handwritten note beside it was set apart")]
    return []


def _answers_left(draft: Draft) -> list[Doubt]:
    """Signs that an answer, or the place of a second one, is still in the question."""
    out: list[Doubt] = []
    if draft.form is Form.TRUE_FALSE and draft.answer is None and _VERDICT_LEFT.search(draft.printed):
        out.append((ALONE, "a verdict left in the text"))
    if draft.form is Form.TRUE_FALSE and len(_PLACE.findall(draft.printed)) >= 2:
        out.append((ALONE, "two places for a verdict"))
    if draft.form is Form.TRUE_FALSE and draft.answer is None and VERDICT_END.search(draft.printed):
        out.append((ALONE, "a verdict at the end of the text"))
    if any(TICK.search(option.text) for option in draft.options):
        out.append((ALONE, "a tick left in an option"))
    if "ink" in draft.evidence:
        emphasis = draft.evidence["ink"] == "words" and draft.form is not Form.FILL_BLANK
        out.append((SLIGHT if emphasis else ALONE, f"{draft.evidence['ink']} in another ink"))
    return out


def _heads(line: str) -> bool:
    """Whether a line inside a question names a kind of question and counts points, as headings do."""
    bare = re.sub(r"^\s*(?:[一二三四五六七八九十]{1,3}|[ⅠⅡⅢⅣⅤ]|[A-F])\s*[、.．]\s*", "", line.strip())
    return (
        len(line) <= 40
        and "：（" not in bare
        and forms.is_type_heading(bare)
        and forms.heading_form(bare) is not None
        and re.search(r"每\s*(?:小)?[题空]|共\s*\d+\s*分|\d+\s*分[)）]\s*$", line) is not None
    )
