"""Personal data: found by form, taken out, and reported so that the item is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable

from schemas.question import Draft, Extraction

REMOVED = "[…]"

_PATTERNS = (
    re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"),  # e-mail
    re.compile(r"(?<!\d)[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?!\d)"),
    re.compile(r"(?<![\d.])(?:\+?86[- ]?)?1[3-9]\d-?\d{4}-?\d{4}(?![\d.])"),  # mobile phone
    re.compile(r"(?<!\d)0\d{2,3}-\d{7,8}(?!\d)"),  # landline
    re.compile(r"(?:学\s?号|考\s?号|准考证号?|student (?:id|no\.?))\s?[:：]?\s?[A-Z]{0,2}\d{6,14}", re.I),
    re.compile(r"(?:姓\s?名)\s?[:：]\s?[\u4e00-\u9fff]{2,4}(?![\u4e00-\u9fff])"),
    re.compile(r"[\u4e00-\u9fff]{2,3}\s?[（(]\s?(?:19|20)\d{8}\s?[)）]"),  # a name and a student number
    re.compile(r"(?:QQ|qq|微信|WeChat|wechat)\s?号?\s?[:：]\s?[A-Za-z0-9_-]{5,20}"),
)  # fmt: skip


def remove_personal_data(text: str) -> tuple[str, bool]:
    """The text with personal data replaced, and whether there was any. Formulas are left alone."""
    if not text:
        return text, False
    pieces = text.split("$")
    found = False
    for at in range(0, len(pieces), 2):
        for pattern in _PATTERNS:
            pieces[at], count = pattern.subn(REMOVED, pieces[at])
            found = found or bool(count)
    return "$".join(pieces), found


def redact(extraction: Extraction) -> Extraction:
    """The extraction without personal data in any text; drafts that held some are flagged."""

    def plain(text: str) -> str:
        return remove_personal_data(text)[0]

    return extraction.model_copy(
        update={
            "title": plain(extraction.title),
            "drafts": tuple(_redacted(draft, plain) for draft in extraction.drafts),
            "dropped": tuple(d.model_copy(update={"text": plain(d.text)}) for d in extraction.dropped),
        }
    )


def _redacted(draft: Draft, plain: Callable[[str], str]) -> Draft:
    update = {
        "section": plain(draft.section),
        "material": plain(draft.material),
        "stem": plain(draft.stem),
        "printed": plain(draft.printed),
        "answer": plain(draft.answer) if draft.answer else draft.answer,
        "explanation": plain(draft.explanation) if draft.explanation else draft.explanation,
        "options": tuple(o.model_copy(update={"text": plain(o.text)}) for o in draft.options),
        "parts": tuple(
            p.model_copy(update={"text": plain(p.text), "answer": plain(p.answer) if p.answer else p.answer})
            for p in draft.parts
        ),
        "evidence": {name: plain(value) for name, value in draft.evidence.items()},
    }
    if all(getattr(draft, name) == value for name, value in update.items()):
        return draft
    return draft.model_copy(update={**update, "flags": (*draft.flags, "personal_data")})
