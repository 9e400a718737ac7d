"""Personal data: found by form, taken out, and reported so that the item is looked at."""

from __future__ import annotations

import re

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
