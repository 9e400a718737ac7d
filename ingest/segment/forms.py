"""Headings and wording: the printed form they announce and the points they promise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ingest.segment.marks import han_value, read_mark
from ingest.segment.wording import PROGRAM, PROOF, asks_for_sum
from ingest.segment.wording import count_blanks as count_blanks
from ingest.segment.wording import wording_form as wording_form
from schemas.question import PrintedForm as Form

# Order matters: the first word that matches decides.
_FORM_WORDS: tuple[tuple[Form, str], ...] = (
    (
        Form.MULTIPLE_CHOICE,
        r"选择|单选|多选|不定项|\b[A-CKX][1-4]?(?:/[A-CKX]?[1-4])?\s?型题"
        r"|multiple[- ]choice|single[- ]choice",
    ),
    (Form.TRUE_FALSE, r"判断|是非|正误|对错|true\s*(?:or|/|and)\s*false"),
    (Form.FILL_BLANK, r"填空|填充|完形|fill[- ]in|blanks?\b"),
    (
        Form.SHORT_ANSWER,
        r"名词|术语|概念|解释|简答|简述|简要回答|问答|简单回答|short[- ]answers?|definitions?|terms?\b",
    ),
    (Form.ANALYSIS, r"辨析|案例|材料|分析|评析|case (?:study|analysis)"),
    (Form.ESSAY, r"论述|作文|写作|赏析|小论文|essays?"),
    (
        Form.OTHER,
        r"匹配|连线|配对|matching|translation|证明|编程|程序|算法设计|设计|作图|画图|绘图|翻译|改错"
        r"|proofs?|programming|design",
    ),
    (Form.CALCULATION, r"计算|解答|求解|应用|综合|演算|业务|calculat\w*|problems?|computation"),
)
SECTION_NAME = r"[^\d。；;？?！!,，:：（）()]{2,16}(?:[（(][^（()）]{1,40}[)）])?"
"""Pattern of what may name a section before a colon or a number: «判断题（每题1分）»; ask is_type_heading."""

# headings that group questions without saying of which form: the wording of each decides
_GROUP_WORDS = r"思考|讨论|拓展|回答|必答|选答|选做|必做|任选|questions?"
_ANY_WORD = "|".join([*(words for _, words in _FORM_WORDS), _GROUP_WORDS])
_BRACKETS = re.compile(r"[（(【\[][^（()）【】\[\]]{0,120}[)）】\]]")
MATCHING = re.compile(r"匹配题|连线题|配对题|搭配题|[Mm]atching|MATCHING")
"""Headings of what is one question however many lines it has: two columns to be joined."""
_HEAD = re.compile(
    rf"^[^，。；？！,;?!:：]{{0,14}}?(?:{_ANY_WORD})(?P<suffix>题|部分|类|大题|试题|项|题目|下列各题"
    rf"|下列概念|下列名词|下列术语)*"
    r"(?:(?:与|和|、|及|或|/)[^，。；？！,;?!:：]{0,8}?)?\s*(?:$|[，,：:;；\s\d共每本（(请从在下以]|(?P<stop>。))",
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
            if best[1] in (Form.OTHER, Form.SHORT_ANSWER) and "填空" in chunk:
                return Form.FILL_BLANK  # 程序填空题
            return best[1]
    return None


# «True or False: write T or F …», «Short answer. Answer all questions.»
_ENGLISH_KIND = re.compile(
    r"^(?:multiple[- ]choice|true\s*(?:or|/|and)\s*false|short[- ]answers?|fill[- ]in[- ]the[- ]blanks?"
    r"|matching|essays?|definitions?)"
    r"(?:\s+(?:questions?|problems?|section))?\s*(?:[:.：]|$)",
    re.IGNORECASE,
)


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
    if _ENGLISH_KIND.match(bare):
        return True
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
    rf"[每一]\s*(?:小)?\s*[题个道问]?(?:小?题)?\s*(?:各)?\s*{_NUM}\s*分|{_NUM}\s*分\s*/\s*(?:小?题|道|个)"
    rf"|(?:each|per question)\D{{0,12}}{_NUM}|{_NUM}\s*{_UNIT}\s*(?:each|per)"
)
_TIMES = re.compile(
    r"[（(]\s*(\d{1,2})\s*[*×xX✕]\s*(\d{1,2})\s*(?:\+\s*(\d{1,2}))?"
    r"(?:\D{0,6}|\s*['’′分]?\s*=\s*\d{1,3}(?:\s*['’′分])?\D{0,20})[)）]"
)
_TOTAL = re.compile(
    rf"[，,]\s*{_NUM}\s*分\s*[)）]|(?:共|本(?:大)?题|满分|合计)\D{{0,6}}?{_NUM}\s*分"
    rf"|[（(][^（()）\d]{{0,12}}{_NUM}\s*[%％]\s*[)）]"
    rf"|[（(\[【]\s*{_NUM}\s*(?:分|points?|marks?|pts?|['’′])\s*[)）\]】]",
    re.IGNORECASE,
)
_BLANK_EACH = re.compile(rf"每\s*空\s*(?:格)?\s*{_NUM}\s*分|{_NUM}\s*分\s*/\s*空")


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
    chosen, total = chosen_count(text), points_total(text)
    if chosen and total is not None and chosen < count:
        return total / chosen
    return None


_CHOOSE = re.compile(
    r"(?:任选|选做|选答|选择其中|任意选|选)\s*(?:其中\s*)?(?:的\s*)?([一二两三四五\d])\s*[题道个]"
    r"|[二两三四五六七八九\d]\s*选\s*([一二两三四五\d])(?![项个])"
    r"|(?:choose|answer|select|attempt)\s+(?:any\s+)?(one|two|three|four|five|\d)\b",
    re.IGNORECASE,
)
_COUNT_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "两": 2}


def chosen_count(heading: str) -> int:
    """How many of its questions a section wants answered («任选一题», «四选二», «answer any two»), else 0."""
    found = _CHOOSE.search(unicodedata.normalize("NFKC", heading))
    if found is None:
        return 0
    word = next(group for group in found.groups() if group).lower()
    return int(word) if word.isdecimal() else _COUNT_WORDS.get(word) or han_value(word)


def points_stated(heading: str) -> float | None:
    """The points of each item where a heading gives all items the same («每题2分»), else None."""
    found = [_first(each) for each in _EACH.finditer(unicodedata.normalize("NFKC", heading))]
    return found[0] if len(found) == 1 else None


def points_blank(heading: str) -> float | None:
    """Points of one blank («每空2分»), None when the heading does not say."""
    return _first(_BLANK_EACH.search(unicodedata.normalize("NFKC", heading)))


def points_total(heading: str) -> float | None:
    """Points of a whole section or of a question that stands alone."""
    return _first(_TOTAL.search(unicodedata.normalize("NFKC", heading)))


_ITEM_POINTS = re.compile(
    rf"[（(【\[［〔]\s*(?:本(?:小)?题|共|满分|此题)?\s*(?:共|满分)?\s*{_NUM}\s*(?:分|points?|marks?|pts?"
    rf"|['’′])\s*[)）】\]］〕]|(?<=[。？?）)])\s{{0,8}}{_NUM}\s?分(?=\s*$)",
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
            return _first_of(found), (stem[: found.start()] + rest).strip().lstrip(".．:：，、 ")
        if not rest.strip(" 。.：:\n\t\u3000") or rest[:1] == "\n":
            ends.append(found)
    if len(ends) > 1:
        return sum(_first_of(found) for found in ends), stem
    for found in ends:
        return _first_of(found), (stem[: found.start()] + stem[found.end() :]).strip()
    return None, stem


def _first_of(found: re.Match[str]) -> float:
    return float(next(group for group in found.groups() if group))


_BARE_POINTS = (
    re.compile(r"^[（(]\s*(\d{1,2})\s*[)）]\s*"),
    re.compile(r"[（(]\s*(\d{1,2})\s*[)）]\s*[。.]?$"),
    re.compile(r"(?<!\d)(\d{1,2})\s*[’'′]\s*$"),
)


# «(a) Calculate the speed. [2]»: at the ends of lines
_SQUARE_POINTS = re.compile(r"\[\s?(\d{1,2})\s?\][ \t]*$", re.MULTILINE)


def bare_points(printed: Sequence[str]) -> list[tuple[float | None, str]]:
    """«3. (10) 证明 …»: numbers in brackets that are points because most questions of the paper have one.

    printed: texts of the questions that state no points otherwise. Returns (points or None, text).
    """
    squared = [[float(n) for n in _SQUARE_POINTS.findall(text)] for text in printed]
    if sum(map(bool, squared)) >= max(2, 0.6 * len(printed)):
        return [
            (
                sum(values) if values else None,
                _SQUARE_POINTS.sub("", text).strip() if len(values) == 1 else text,
            )
            for values, text in zip(squared, printed, strict=True)
        ]
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
    for pattern in (*_BARE_POINTS, _SQUARE_POINTS):
        stem = pattern.sub("", stem)
    return stem.strip()


# «1. （单选题）…»: an item that names its own kind
_TAG = re.compile(r"^[（(【\[]\s*([\u3400-\u9fff]{2,6})\s*[)）】\]]")


def printed_form(heading: str, stem: str, has_options: bool, blanks: int) -> tuple[Form, str]:
    """The printed form and the rule that decided, from heading, layout and wording together."""
    tag = _TAG.match(stem)
    announced = heading_form(tag.group(1)) if tag else heading_form(heading) if heading else None
    said = wording_form(stem, has_options)
    if announced is None and heading and said is Form.SHORT_ANSWER:
        # «一、求下列极限» asks what its items only name
        asked = wording_form(_heading_words(heading), False)
        if asked in (Form.CALCULATION, Form.OTHER):
            return asked, "heading's wording"
    if announced is None:
        return said, "wording"
    if (
        has_options
        and not MATCHING.search(heading)
        and announced in (Form.SHORT_ANSWER, Form.TRUE_FALSE, Form.OTHER, Form.CALCULATION)
    ):
        return Form.MULTIPLE_CHOICE, "options"
    if (
        announced is Form.CALCULATION
        and (PROOF.search(stem) or PROGRAM.search(stem))
        and not asks_for_sum(stem)
    ):
        return Form.OTHER, "heading+wording"
    if (
        announced is Form.OTHER
        and said is Form.CALCULATION
        and not re.search(r"证明|编程|程序|算法|设计|图", heading)
    ):
        return said, "wording"
    return announced, "heading"


def _heading_words(heading: str) -> str:
    """A heading without its number and its brackets."""
    mark = read_mark(heading)
    return _BRACKETS.sub("", heading[mark.end :] if mark else heading).strip()
