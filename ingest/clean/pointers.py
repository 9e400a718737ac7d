"""Words that point outside a question: to a figure, a table, a program, a material, another question."""

from __future__ import annotations

import re

from ingest.clean.text import BLANK
from schemas.question import Draft

_NO_PICTURE = r"(?![书谱腾灵论案像形们像景腾]|案例)"
_FIGURE = re.compile(
    rf"[如见据按]\s?[上下左右]?[上下左右附]?图{_NO_PICTURE}|(?<![\u4e00-\u9fff])由[上下左右附]?图{_NO_PICTURE}"
    rf"|(?<![天之])[上下左右][上下左右面]?图{_NO_PICTURE}|[该此附]图{_NO_PICTURE}"
    rf"|图\s?[\d一二三四][\d.\-]*\s?(?:所示|中|为|是|给出)|题图|(?:示意|电路|结构|流程|框)图(?:如下|如图|如右)|图(?:中)?所示"
    r"|figures? (?:below|above|\d)|(?:shown|diagram|picture|graph) (?:below|above)"
    r"|following (?:figure|diagram|picture|graph)|as shown in (?:fig|the fig|the diag)",
    re.IGNORECASE,
)
_TABLE = re.compile(
    r"[如见由据]\s?[上下附]?表(?!明|示|面|现|达|述|格中的?空)|[上下附]表(?!明|示|面|现|达|述)|表\s?\d[\d.\-]*\s?(?:所示|中|给出)"
    r"|following table|table (?:below|above|\d)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?:下列|以下|下面|如下|上述|上面|以上)(?:的|一?[段个])?(?:[A-Za-z+#]{1,10}\s?(?:语言)?的?)?(?:源)?(?:程序|代码|语句)(?:段|片段)?"
    r"|following (?:program|code|function|snippet)",
    re.IGNORECASE,
)
_MATERIAL = re.compile(
    r"(?:根据|结合|阅读|分析|依据|针对|就|从|由|对|用|按|及)?(?:上述|以上|前述|上面|前面)的?(?:\S{0,4})?"
    r"(?:材料|案例|资料|短文|文章|案情|病例|观点|论述|说法|结论|事实|现象|数据|条件|信息|问题|情况|公式|方程|原理|图表"
    r"|对话|诗|句子|结果|过程)"
    r"|(?:根据|结合|阅读|分析|依据|针对)(?:所给|给定|本|该|这[一段则个篇]*)?的?(?:材料|案例|资料|短文|案情|病例|文段|选文)[一二三四1-4]?"
    r"|(?:根据|结合|阅读|分析|翻译|赏析|概括)(?:下列|以下|下面|如下)的?(?:\S{0,4})?"
    r"(?:材料|案例|资料|短文|文章|案情|病例|诗歌|文段|句子|段落)"
    r"|(?:passage|case|text|paragraph|material) (?:below|above)"
    r"|(?:following|above) (?:passage|case|text|paragraph)",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"同上题|同上(?![级面述])|接上题|续上题|承[上前]题|[上前][一1]?[小大]?题(?![目库型])|前[一两]题"
    r"|与第\s?\d{1,3}\s?题相?同|同第?\s?\d{1,3}\s?[小大]?题"
    r"|(?:由|据|用|见|参照|参考|利用|按|在|对|如)第?\s?\d{1,3}\s?[小大]?题(?![分目])"
    r"|(?:previous|preceding|last) (?:question|problem|exercise)"
    r"|(?:question|problem) \d{1,3} above",
    re.IGNORECASE,
)
_FORWARD = re.compile(
    r"(?:下列|下述|以下(?=[几两三四五六各的名概术问句材说观词诗程])|下面(?=[几两三四五六各的名概术问句材说观词诗程])|如下(?=问题|材料))"
    r"[^。？?：:\n]{0,24}"
)
_SIGNS_OF_CODE = re.compile(
    r"[;{}]|[=<>+]{1,2}|\b(?:begin|end|if|for|while|return|print\w*|int|def|select)\b|[（(][^）)]*[)）]\s*[{;:]|←|步骤|①",
    re.I,
)
_BACK = 12
"""Letters before a word that points back, of which one may be what it points to."""

_TOLD = 60
"""Characters a question needs, beside what points, to hold the material it speaks of."""


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text)


def _numbers_in_rows(text: str) -> bool:
    """Whether a table stands in the text whose rules were lost: lines with several numbers each."""
    return sum(len(re.findall(r"\d+(?:\.\d+)?", line)) >= 2 for line in text.split("\n")) >= 2


def points_outside(prompt: str, material: str, draft: Draft) -> bool:
    """Whether an item speaks of something that neither it nor its draft holds.

    prompt: the item with its instruction; material: what is shown with it. A figure of the draft
    counts for pictures and tables alike, since tables are often kept as pictures.
    """
    text = f"{material}\n{prompt}"
    if draft.figures or "[图]" in text:
        return bool(_OTHER.search(prompt))
    if _FIGURE.search(text) or _OTHER.search(prompt):
        return True
    if _TABLE.search(text) and "|" not in text and not _numbers_in_rows(text):
        return True
    options = "\n".join(option.text for option in draft.options)
    asked = draft.stem if draft.options else prompt
    code = _CODE.search(asked)
    if (
        code
        and not _SIGNS_OF_CODE.search(f"{asked[code.end() :]}\n{material}\n{options}")
        and not _before(asked, code)
    ):
        return True
    return not material and (_lacks_material(asked, draft) or _leads_to_nothing(asked, draft))


def _before(text: str, found: re.Match[str]) -> bool:
    return bool(_SIGNS_OF_CODE.search(text[: found.start()]))


def _lacks_material(text: str, draft: Draft) -> bool:
    for found in _MATERIAL.finditer(text):
        around = _letters(text) - _letters(found[0])
        back = re.match(r".{0,6}(?:上述|以上|前述|上面|前面)", found[0])
        enough = _letters(text[: found.start()]) >= _BACK if back else around >= _TOLD
        if not (enough or draft.parts or re.search(r"材料[一二三1-3]?\s*[:：]", text)):
            return True
    return False


def _leads_to_nothing(text: str, draft: Draft) -> bool:
    """Whether 下列 … stands in the last sentence with nothing after it, no options and no parts."""
    if draft.options or draft.parts or BLANK in text:
        return False
    pointers = list(_FORWARD.finditer(text))
    if not pointers:
        return False
    found = pointers[-1]
    after = re.sub(r"^[^。？?：:\n]*", "", text[found.end() :])
    sentence = found[0] + text[found.end() : len(text) - len(after)]
    listed = re.search(r"[:：（(“\"《$、]|\d", sentence)
    return _letters(after) < 4 and not listed


def speaks_of_figure(text: str) -> bool:
    """Whether a text points to a figure."""
    return bool(_FIGURE.search(text))
