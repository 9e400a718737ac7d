"""Headings and wording: the printed form they announce and the points they promise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ingest.segment.marks import han_value
from schemas.question import PrintedForm as Form

# Order matters: the first word that matches decides.
_FORM_WORDS: tuple[tuple[Form, str], ...] = (
    (Form.MULTIPLE_CHOICE, r"选择|单选|多选|不定项|multiple[- ]choice|single[- ]choice"),
    (Form.TRUE_FALSE, r"判断|是非|正误|对错|true\s*(?:or|/|and)\s*false"),
    (Form.FILL_BLANK, r"填空|填充|完形|fill[- ]in|blanks?\b"),
    (
        Form.SHORT_ANSWER,
        r"名词|术语|概念|解释|简答|简述|简要回答|问答|简单回答|short[- ]answers?|definitions?|terms?\b",
    ),
    (Form.ANALYSIS, r"辨析|案例|材料|分析|评析|case (?:study|analysis)"),
    (Form.ESSAY, r"论述|作文|写作|赏析|小论文|essays?"),
    (Form.OTHER, r"证明|编程|程序|算法设计|设计|作图|画图|绘图|翻译|改错|proofs?|programming|design"),
    (Form.CALCULATION, r"计算|解答|求解|应用|综合|演算|业务|calculat\w*|problems?|computation"),
)
# headings that group questions without saying of which form: the wording of each decides
_GROUP_WORDS = r"回答|必答|选答|选做|必做|任选|questions?"
_ANY_WORD = "|".join([*(words for _, words in _FORM_WORDS), _GROUP_WORDS])
_BRACKETS = re.compile(r"[（(【\[][^（()）【】\[\]]{0,120}[)）】\]]")
_HEAD = re.compile(
    rf"^[^，。；？！,;?!:：]{{0,14}}?(?:{_ANY_WORD})(?P<suffix>题|部分|类|大题|试题|项|题目|下列各题|下列概念|下列名词|下列术语)*"
    r"(?:(?:与|和|、|及|或|/)[^，。；？！,;?!:：]{0,8}?)?\s*(?:$|[，,：:;；\s\d共每本（(请从]|(?P<stop>。))",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"每\s*(?:小)?\s*[题空个问]|[共各]\s*\d+\s*(?:小?题|分)|\d+\s*[*×xX]\s*\d+|任选|选做|小题"
)


def heading_form(heading: str) -> Form | None:
    """The form a section heading announces, None when it announces none."""
    text = unicodedata.normalize("NFKC", heading)
    short = _BRACKETS.sub("", text)
    for chunk in (short, text):
        best: tuple[int, Form] | None = None
        for form, words in _FORM_WORDS:
            found = re.search(words, chunk, re.IGNORECASE)
            if found and (best is None or found.start() < best[0]):
                best = (found.start(), form)
        if best is not None:
            return best[1]
    return None


def is_type_heading(text: str) -> bool:
    """Whether text (its number taken off) names a kind of question rather than asking one."""
    bare = _BRACKETS.sub("", text).strip()
    if not bare:
        return bool(_COUNTED.search(text))
    said = re.match(r"^[^：:]{1,6}[：:]\s*(.{8,})$", bare)
    if said and not re.search(r"每|各|题|选|填|判断|下列|以下|回答|each|following", said.group(1)):
        return False  # «证明：设 …» asks; «判断题：…» announces
    if len(bare) > 90:
        return False
    head = _HEAD.match(bare)
    if head and head.group("stop") and not head.group("suffix") and len(bare) > 5:
        return False  # «计算积分。» asks; «简答题。» announces
    if head:
        return (
            len(bare) <= 24 or bool(_COUNTED.search(text)) or bool(re.match(r".{0,10}题\s*[：:，,。]", bare))
        )
    return bool(_COUNTED.search(text)) and len(bare) <= 40 and not bare.endswith(("？", "?"))


_TERM = re.compile(r"名词|术语|概念|解释")


def is_term_heading(heading: str) -> bool:
    """Whether the section asks for terms to be explained (名词解释)."""
    return bool(_TERM.search(heading))


_NUM = r"(\d+(?:\.\d+)?)"
_UNIT = r"(?:points?|marks?|pts?)"
_EACH = re.compile(
    rf"[每一]\s*(?:小)?\s*[题个道问]?(?:小?题)?\s*(?:各)?\s*{_NUM}\s*分|{_NUM}\s*分\s*/\s*(?:小?题|道)"
    rf"|(?:each|per question)\D{{0,12}}{_NUM}|{_NUM}\s*{_UNIT}\s*(?:each|per)"
)
_TIMES = re.compile(r"[（(]\s*(\d{1,2})\s*[*×xX✕]\s*(\d{1,2})\s*(?:\+\s*(\d{1,2}))?\D{0,6}[)）]")
_TOTAL = re.compile(
    rf"[，,]\s*{_NUM}\s*分\s*[)）]|(?:共|本(?:大)?题|满分|合计)\D{{0,6}}?{_NUM}\s*分|[（(]\s*{_NUM}\s*(?:分|points?|marks?|pts?)\s*[)）]",
    re.IGNORECASE,
)
_BLANK_EACH = re.compile(rf"每\s*空\s*(?:格)?\s*{_NUM}\s*分")


def _first(found: re.Match[str] | None) -> float | None:
    if found is None:
        return None
    return next((float(group) for group in found.groups() if group), None)


_SPAN = r"[（(]?\d{1,3}[)）]?\s*(?:题|小题)?\s*[～~—–\-至到]+\s*[（(]?\d{1,3}[)）]?"
_SPANS_EACH = re.compile(
    rf"((?:{_SPAN}[、，,和及与\s]*){{1,6}})(?:小题|题)?\s*[，,：:]?\s*每\s*小?\s*题\s*{_NUM}\s*分"
)
_SPAN_ENDS = re.compile(r"(\d{1,3})\D+?(\d{1,3})")
_NAMED_EACH = re.compile(
    rf"第\s*((?:[\d一二三四五六七八九十]{{1,3}}[、,，和及与\s]*){{1,8}})\s*小?题\s*各?\s*{_NUM}\s*分"
)


def points_each(heading: str, count: int, number: int = 0, index: int = 0, blanks: int = 0) -> float | None:
    """Points of one item from its section heading, None when the heading does not say.

    count: number of items in the section, to settle '5*6' (five items of six points or six of five).
    number: the item's printed number, for «1~10每题2分，11~20每题1分» and «第1、2小题7分».
    index: its place in the section from 0, for '2*9+3' (nine of two points and one of three).
    blanks: its blanks, where the section is one of blanks, for '1*48' (48 blanks of one point).
    """
    text = unicodedata.normalize("NFKC", heading)
    for found in _SPANS_EACH.finditer(text):
        if any(int(a) <= number <= int(b) for a, b in _SPAN_ENDS.findall(found.group(1))):
            return float(found.group(2))
    for found in _NAMED_EACH.finditer(text):
        named = re.findall(r"\d{1,3}|[一二三四五六七八九十]{1,3}", found.group(1))
        if number in {int(n) if n.isdecimal() else han_value(n) for n in named}:
            return float(found.group(2))
    each = _first(_EACH.search(text))
    if each is not None:
        return each
    times = _TIMES.search(text)
    if times:
        a, b, extra = (int(group) if group else 0 for group in times.groups())
        if extra and count == b + 1:
            return float(a if index < b else extra)
        return (
            float(a if b == count else b if a == count else a)
            if not blanks or count in (a, b)
            else float(a * blanks)
        )
    return None


def points_blank(heading: str) -> float | None:
    """Points of one blank («每空2分»), None when the heading does not say."""
    return _first(_BLANK_EACH.search(unicodedata.normalize("NFKC", heading)))


def points_total(heading: str) -> float | None:
    """Points of a whole section or of a question that stands alone."""
    return _first(_TOTAL.search(unicodedata.normalize("NFKC", heading)))


_ITEM_POINTS = re.compile(
    rf"[（(【\[]\s*(?:本(?:小)?题|共|满分|此题)?\s*(?:共|满分)?\s*{_NUM}\s*(?:分|points?|marks?|pts?|['’′])\s*[)）】\]]",
    re.IGNORECASE,
)


def take_points(stem: str) -> tuple[float | None, str]:
    """Points stated at the start or end of a stem, and the stem without them.

    Where several lines end with points, these are the parts' own: the sum is returned and the text
    stays as it is.
    """
    ends = []
    for found in _ITEM_POINTS.finditer(stem):
        rest = stem[found.end() :]
        if found.start() <= 2:
            return float(found.group(1)), (stem[: found.start()] + rest).strip()
        if not rest.strip(" 。.：:\n\t\u3000") or rest[:1] == "\n":
            ends.append(found)
    if len(ends) > 1:
        return sum(float(found.group(1)) for found in ends), stem
    for found in ends:
        return float(found.group(1)), (stem[: found.start()] + stem[found.end() :]).strip()
    return None, stem


_BARE_POINTS = (
    re.compile(r"^[（(]\s*(\d{1,2})\s*[)）]\s*"),
    re.compile(r"\s*[（(]\s*(\d{1,2})\s*[)）]\s*[。.]?$"),
    re.compile(r"\s*(\d{1,2})\s*[’'′]\s*$"),
)


def bare_points(printed: Sequence[str]) -> list[tuple[float | None, str]]:
    """«3. (10) 证明 …»: numbers in brackets that are points because most questions of the paper have one.

    printed: texts of the questions that state no points otherwise. Returns (points or None, text).
    """
    for pattern in _BARE_POINTS:
        found = [pattern.search(text) for text in printed]
        values = [int(one.group(1)) for one in found if one]
        whole = len(values) == len(printed) >= 2 and min(values) >= 5
        most = len(values) >= max(3, 0.6 * len(printed))
        if (
            not (whole or most)
            or len(set(values)) == len(values) > 3
            or values == list(range(1, len(values) + 1))
        ):
            continue  # too few, or (1)(2)(3): a numbering
        return [
            (float(one.group(1)), (text[: one.start()] + text[one.end() :]).strip()) if one else (None, text)
            for one, text in zip(found, printed, strict=True)
        ]
    return [(None, text) for text in printed]


def bare_stem(stem: str) -> str:
    """A stem without the bracketed points at its start or end."""
    for pattern in _BARE_POINTS:
        stem = pattern.sub("", stem)
    return stem.strip()


_PROOF = re.compile(
    r"(?:^|[，。：:；;)）\s\n])(?:试|并|请|求)?证明?(?![书券件据人])|(?:给出|加以|完成).{0,6}证明"
    r"|\bprove\b|\bshow that\b",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"编写.{0,16}(?:程序|函数|算法|子程序|代码)|编程|写出.{0,8}(?:程序段?|代码)|(?:设计|写出|给出).{0,12}(?:算法|函数|程序)(?![的思步])|实现.{0,8}(?:函数|算法)"
)
_DRAW = re.compile(r"^(?:请|试)?(?:画|作|绘)出?.{0,20}图|[，。；]\s*(?:请|试|并)?(?:画出|作出|绘出)")
_CALC = re.compile(
    r"计算|(?<![要需追请寻征诉谋力恳苛讲供])求(?![证职学助生知爱和教是])|解方程|化简|解(?:下列)?方程|讨论.{0,40}(?:敛散|收敛|连续|可导|解的)"
    r"|\b(?:calculate|compute|evaluate the)\b",
    re.IGNORECASE,
)
_ESSAY = re.compile(
    r"论述|试论|试述|阐述|谈谈|^谈|谈.{0,12}看法|赏析|评述|评价|怎么看|的看法|你认为|(?:举例|结合|试).{0,20}分析|\bdiscuss\b",
    re.IGNORECASE,
)
_ANALYSIS = re.compile(
    r"辨析|案例|根据(?:上述|以上|材料)|阅读材料|是否成立.{0,6}理由|说明理由|分析(?:一下)?(?:下面|下列|如下|以下)"
)
_LONG_ASK = re.compile(r"试|说明|分析|评|关系|意义|影响|为什么|原因")
_BLANK = re.compile(r"_{2,}|﹍{2,}|[（(]\s{2,}[)）]|(?<![A-Za-z0-9_])[（(][\s\u3000]*[)）]")


_ANSWER_SPACE = re.compile(r"[:：][ \t]*_{2,}[ \t]*$", re.MULTILINE)


def wording_form(stem: str, has_options: bool) -> Form:
    """The form by wording alone, where no heading tells."""
    if has_options:
        return Form.MULTIPLE_CHOICE
    if _PROOF.search(stem) or _PROGRAM.search(stem):
        return Form.OTHER
    if _BLANK.search(_ANSWER_SPACE.sub("", stem)):
        return Form.FILL_BLANK
    if _ANALYSIS.search(stem):
        return Form.ANALYSIS
    if _CALC.search(stem):
        return Form.CALCULATION
    if _DRAW.search(stem):
        return Form.OTHER
    if _ESSAY.search(stem) or (len(stem) >= 60 and _LONG_ASK.search(stem) and not re.search(r"[=$]", stem)):
        return Form.ESSAY
    return Form.SHORT_ANSWER


def printed_form(heading: str, stem: str, has_options: bool, blanks: int) -> tuple[Form, str]:
    """The printed form and the rule that decided, from heading, layout and wording together."""
    announced = heading_form(heading) if heading else None
    said = wording_form(stem, has_options)
    if announced is None:
        return said, "wording"
    if has_options and announced in (Form.SHORT_ANSWER, Form.TRUE_FALSE, Form.OTHER, Form.CALCULATION):
        return Form.MULTIPLE_CHOICE, "options"
    if (
        announced is Form.CALCULATION
        and (_PROOF.search(stem) or _PROGRAM.search(stem))
        and not _CALC.search(stem)
    ):
        return Form.OTHER, "heading+wording"
    if (
        announced is Form.OTHER
        and said is Form.CALCULATION
        and not re.search(r"证明|编程|程序|算法|设计|图", heading)
    ):
        return said, "wording"
    return announced, "heading"


def count_blanks(stem: str) -> int:
    """Number of blanks to fill in a stem."""
    return len(_BLANK.findall(stem))
