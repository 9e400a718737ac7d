"""Personal data: found by form, taken out, and reported so that the item is looked at."""

from __future__ import annotations

import re

from ingest.clean.fields import with_texts
from schemas.question import Draft, Extraction

REMOVED = "[…]"
FLAG = "personal_data"

_HAN = "[\u4e00-\u9fff]"
_NAME = rf"{_HAN}{{2,4}}(?!{_HAN})"
_ID = r"[A-Za-z]{0,2}\d{6,14}(?!\d)"
_PATTERNS = (
    re.compile(r"(?<![\w.+-])[\w.+-]{1,64}\s?[@\uff20]\s?[A-Za-z0-9-]{1,63}(?:[.\uff0e][A-Za-z0-9-]{1,63}){1,4}"),
    re.compile(r"(?<!\d)[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?!\d)"),
    re.compile(r"(?:身份证号?码?|证件号码?)\s?[:：]?\s?\d{14,17}[\dXx]"),
    re.compile(r"(?<![\d.])(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}(?![\d.])"),  # mobile phone
    re.compile(r"(?<!\d)0\d{2,3}-\d{7,8}(?!\d)"),  # landline
    re.compile(r"(?:联系电话|电话|手机号?码?)\s?[:：]\s?\d[\d -]{5,14}\d"),
    re.compile(rf"(?:学\s?号|考\s?号|准考证号?|工号|student (?:id|no\.?|number))\s?[:：]?\s?{_ID}", re.I),
    re.compile(rf"(?:姓\s?名|考生|学生姓名|出题人|命题人|阅卷人|任课教师)\s?[:：]\s?{_NAME}"),
    re.compile(rf"{_HAN}{{2,3}}\s?[（(]\s?(?:学号[:：]?\s?)?(?:19|20)\d{{8}}\s?[)）]"),  # a name and a number
    re.compile(rf"(?<!{_HAN}){_HAN}{{2,3}}\s{{1,4}}(?:19|20)\d{{8}}(?!\d)"),
    re.compile(r"(?:QQ|qq|微信|WeChat|wechat)\s?(?:群|号)?\s?[:：]\s?[A-Za-z0-9_-]{5,20}"),
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


def plain(text: str) -> str:
    """The text without personal data."""
    return remove_personal_data(text)[0]


def redact(extraction: Extraction) -> Extraction:
    """The extraction without personal data in any text; drafts that held some are flagged."""
    return extraction.model_copy(
        update={
            "title": plain(extraction.title),
            "drafts": tuple(redacted(draft) for draft in extraction.drafts),
            "dropped": tuple(d.model_copy(update={"text": plain(d.text)}) for d in extraction.dropped),
        }
    )


def redacted(draft: Draft) -> Draft:
    """The draft without personal data in its texts and evidence, flagged where it held some."""
    evidence = {name: plain(value) for name, value in draft.evidence.items()}
    bare = with_texts(draft, plain).model_copy(update={"evidence": evidence})
    if bare == draft:
        return draft
    return bare.model_copy(update={"flags": tuple(dict.fromkeys((*draft.flags, FLAG)))})
