"""Mojibake: text decoded with the wrong table, told by characters or by decoding it again."""

from __future__ import annotations

import re

_SIGNS = re.compile("\ufffd|[\ue000-\uf8ff]|[\x80-\x9f]|锟斤拷|烫烫烫|屯屯屯|[ÃÂ][\u0080-\u00bf]|\\?{4,}|â€")
# Three Latin letters with accents in a row stand in no word of a living language.
_LATIN_RUN = re.compile("[\u00c0-\u00ff\u00a1-\u00bf\u0152\u0153\u0160\u0161\u017d\u017e\u2018-\u203a]{4,}")
_ACCENTED = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]")  # not × and ÷
_HAN_RUN = re.compile("[\u3400-\u9fff\uac00-\ud7ff]{4,}")
_FREQUENT = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所"
    "民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形"
)


def is_garbled(text: str) -> bool:
    """Whether some of the text was read with the wrong character table, or holds characters that are none."""
    if text.isascii():
        return "????" in text
    if _SIGNS.search(text):
        return True
    if any(len(_ACCENTED.findall(run)) >= 3 for run in _LATIN_RUN.findall(text)):
        return True
    return any(_decodes(run) for run in _HAN_RUN.findall(text))


def _decodes(run: str) -> bool:
    """Whether Chinese characters are UTF-8 bytes that were read as GBK.

    The bytes of true Chinese text form valid UTF-8 of common characters only by the rarest accident.
    """
    if sum(char in _FREQUENT for char in run) * 5 > len(run):
        return False
    raw = run.encode("gbk", "replace")
    for first in range(3):
        text = raw[first : first + (len(raw) - first) // 3 * 3].decode("utf-8", "ignore")
        if 3 * len(text) >= 0.8 * (len(raw) - 2) and sum("\u4e00" <= c <= "\u9fff" for c in text) >= 2:
            return True
    return False
