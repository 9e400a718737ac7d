"""Quality checks of an item: what is wrong with it as a code, and which codes need a person."""

from __future__ import annotations

import re

from ingest.clean.text import without_formulas
from schemas.question import Draft, Option, PrintedForm, QuestionType
from schemas.text import fold

TOLERABLE = frozenset({"no_answer", "needs_figure", "figure", "options_kept"})
"""Codes an item may carry and stay active; without an answer or with a figure it is not drawn."""

_MOJIBAKE = re.compile(
    "\ufffd|[\ue000-\uf8ff]|锟斤拷|烫烫烫|屯屯屯|[ÃÂ][\u0080-\u00bf]|[åæçèé][\u0080-\u00bf]{2}|\\?{4,}"
)
_FIGURE = re.compile(
    r"[如见据按由上下左右][上下左右]?图(?:所示|中|[\d一二三四a-z])?|[上下左右该此]图"
    r"|图\s?[\d一二三四][\d.\-]*\s?(?:所示|中|为|是)|题图|示意图如下"
    r"|figure (?:below|above|\d)|(?:shown|diagram) (?:below|above)"
    r"|following (?:figure|diagram|picture|graph)|as shown in",
    re.IGNORECASE,
)
_TABLE = re.compile(r"[如见][上下]?表|下表|上表|following table|table (?:below|above|\d)", re.IGNORECASE)
_MATERIAL = re.compile(
    r"(?:根据|结合|阅读|分析|依据|针对)(?:上述|以上|下列|以下|上面|下面|所给|给定)?的?(?:材料|案例|资料|短文|案情|病例)"
    r"|上一?题|上述(?:案例|材料|程序|代码)|(?:passage|case|text) (?:above|below)|previous question",
    re.IGNORECASE,
)
_TOLD = 120
"""Characters a question needs to hold the material it speaks of."""

_OPEN_END = re.compile(r"[，、,（(【《“‘\[]\s*$")
_GIVEN_AWAY = re.compile(
    r"(?:^|\n)[ \t]*(?:(?:参考|标准|正确)?答案\s?[:：]"
    r"|[【\[](?:参考|标准|正确)?答案[】\]]|answers?:)[ \t]?\S",
    re.IGNORECASE,
)
_STRAY_OPTION = re.compile(r"\n[ \t]*[（(]?[A-H][.．、)）]")
_LETTER_LEFT = re.compile(r"[（(]\s?[A-H](?:\s?[,，、]?\s?[A-H])*\s?[)）]")


def option_flags(form: PrintedForm, stem: str, options: tuple[Option, ...]) -> list[str]:
    """options_missing: fewer than two, a gap, an empty one, or one left in other text; options_repeated."""
    if form is not PrintedForm.MULTIPLE_CHOICE:
        return []
    flags = []
    labels = [option.label.strip().upper()[:1] for option in options]
    gap = labels != [chr(ord("A") + n) for n in range(len(labels))]
    stray = any(_STRAY_OPTION.search(text) for text in (stem, *(option.text for option in options)))
    if len(options) < 2 or gap or stray or not all(option.text.strip() for option in options):
        flags.append("options_missing")
    texts = [fold(option.text) or option.text for option in options]
    if len(set(texts)) < len(texts) and "[图]" not in {option.text.strip() for option in options}:
        flags.append("options_repeated")
    return flags


_MATERIAL_GIVEN = re.compile(r"(?:材料|案例|资料)[一二三四1-9]?\s*[：:]")


def text_flags(prompt: str, material: str, draft: Draft, reference: str | None) -> list[str]:
    """mojibake, formula_lost, truncated and points_outside, from the words of one item."""
    flags = []
    text = f"{material}\n{prompt}"
    if _MOJIBAKE.search(text) or _MOJIBAKE.search(reference or ""):
        flags.append("mojibake")
    if "[公式]" in text:
        flags.append("formula_lost")
    last = draft.parts[-1].text if draft.parts else draft.stem
    cut = _OPEN_END.search(last.rstrip()[-4:]) and not draft.options
    if "truncated" in draft.flags or cut or sum(c.isalnum() for c in prompt) < 2:
        flags.append("truncated")
    figure = bool(draft.figures) or "[图]" in text
    to_figure = _FIGURE.search(text)
    to_table = _TABLE.search(text) and "|" not in text
    told = material or _MATERIAL_GIVEN.search(prompt)
    to_material = _MATERIAL.search(prompt) and not told and len(text) < _TOLD
    if not figure and (to_figure or to_table or to_material):
        flags.append("points_outside")
    return flags


def speaks_of_figure(text: str) -> bool:
    """Whether a text points to a figure."""
    return bool(_FIGURE.search(text))


def gives_away(prompt: str, material: str, reference: str | None, kind: QuestionType) -> bool:
    """Whether an item contains its own answer: marked as one, or the reference word for word."""
    text = f"{material}\n{prompt}"
    if _GIVEN_AWAY.search(text):
        return True
    if kind is QuestionType.TRUE_FALSE or not reference:
        return False
    answer = fold(reference)
    return len(answer) >= 6 and not answer.isdigit() and answer in fold(prompt)


def letter_left(stem: str) -> bool:
    """Whether a choice still shows a letter in its brackets."""
    return bool(_LETTER_LEFT.search(without_formulas(stem)))
