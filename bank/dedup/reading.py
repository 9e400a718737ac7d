"""How a question is read for comparison: noise off, stem apart from options, tokens that carry meaning."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

from bank.dedup.words import (
    CHINESE_DIGITS,
    COMMANDS,
    FILLERS,
    LIGHT,
    LIGHT_WORDS,
    LOWERED,
    MISREAD,
    RAISED,
    SIGNS,
    SOUGHT,
    SYNONYMS,
    UNITS,
)
from schemas.text import fold, han_share, simplified

_HIDE_CIRCLED = {ord("①") + n: 0xE000 + n for n in range(20)}
_SHOW_CIRCLED = {hidden: shown for shown, hidden in _HIDE_CIRCLED.items()}
_PRINTED = re.compile(f"[{''.join([*map(chr, SIGNS), *RAISED, *LOWERED])}]")
_HIGH, _LOW = (re.compile(f"[{''.join(signs)}]+") for signs in (RAISED, LOWERED))
_CIRCLE = re.compile("[①-⑳]")
_GAP = re.compile(r"\s")
_BLANKS = re.compile(r"[_(（【\[□]")
_FIGURE = re.compile(r"\d")
_LOWERED = re.compile(r"_\{([^{}]*)\}")
_EXPONENT = re.compile(r"\^[{(]([-+]?\w*)[})]")
_MATRIX = re.compile(r"\{[pbB]?matrix\}")
_PER = re.compile(r"(?<=[A-Za-z])[×\s]\s*([A-Za-z]{1,3})\^-(?:1|(\d))(?![\w.])")  # "mol·L⁻¹", "m·s⁻²"
_RAISED = re.compile(r"(\^|\\sqrt\s*)\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_DOT = re.compile(r"(?<=[A-Za-z0-9)])\s*·\s*(?=[A-Za-z0-9(])")  # of a product; in names of people it is none
# Brackets without which a formula says something else: in "2*(3+4)", not in "f(x)".
_JOINED = r"[^()\u4e00-\u9fff]{0,60}?[-+∪∩∧∨→][^()\u4e00-\u9fff]{0,60}"
_GROUP = re.compile(rf"(?<=[A-Za-z0-9)*×/^∩∪∧∨¬√])\(({_JOINED})\)|\(({_JOINED})\)(?=[*×/^∩∪∧∨(A-Za-z0-9])")
_DEEPEST = 8  # braces in braces
_COMMAND = re.compile(r"\\([A-Za-z]{1,20})")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SCORE_WORDS = (
    r"(?:得\s*分|评\s*卷\s*人|阅\s*卷\s*人|复\s*核\s*人|总\s*分|签\s*名|题\s*号|姓\s*名|学\s*号|班\s*级)"
)
_SCORE_LINE = re.compile(rf"^(?:[ \t]*{_SCORE_WORDS}[ \t:：_]*)+", re.MULTILINE)
_LABEL = re.compile(r"^\s*【[^】\n]{1,16}】|【[^】\n]{1,16}】\s*$")
_HEADING = re.compile(
    r"^\s*[一二三四五六七八九十]{1,3}\s*[、.．]\s*[^\s。？?！!（(]{0,10}题\s*(?:[（(][^）)\n]{1,40}[）)])?[:：]?\s*"
)
_TITLE = re.compile(
    r"^[^\n。？?]{0,40}(?:学年|学期|考试|试卷|试题|测验)[^\n。？?]{0,20}\n|^\s*(?:考试)?(?:科目|课程|课程名称)\s*[:：]"
)
_NUMBERING = re.compile(
    r"^\s*(?:[（(]\s*\d{1,3}\s*[)）]|\d{1,3}\s*(?:[)）、．，,]|\.(?!\d)|[:：](?!\s*\d))|\d{1,2}-\d{1,3}\s+(?=[\u4e00-\u9fff])|[①-⑳]|Q\d{1,3}[.:：]?|[第弟]\s*\d{1,3}\s*[题问][:：.、]?|"
    r"[（(]?[一二三四五六七八九十]{1,3}[)）]?\s*[、.．]|[（(][一二三四五六七八九十]{1,3}[)）]|[（(]\s*[)）](?=\s*\d{1,3}\s*[.．、])|[（(]\d{0,2}P\d{1,4}[)）])\s*"
)
_POINTED = r"[（(\[]\s*(?:本[小大]?题|每[小大]?[题空]|共|满分|计)*\s*\d{1,3}(?:\.\d)?\s*"
_POINTS = re.compile(
    rf"{_POINTED}分\s*(?:[,，]\s*共\s*\d{{1,3}}\s*分\s*)?[)）\]]"
    rf"|{_POINTED}份\s*[)）\]]\s*$"  # 分 misread
)
_MARKS = re.compile(r"[(\[]\s*(?:\d{1,3}\s*(?:marks?|points?|pts?)\.?|\d{1,2}\s*['′])\s*[)\]]", re.IGNORECASE)
# Kinds of question as papers head them. Those of the second line are orders, too, unless 题 follows.
_KINDS = (
    "(?:单项|多项|不定项)选择|单选|多选|填空|判断(?:正误|对错|改错)?|是非|(?:名词|术语|概念)解释|简答|问答|论述|辨析|"
    "案例分析|材料分析"
)
_MORE_KINDS = f"(?:{_KINDS}|选择|计算|证明|解答|分析|材料|综合|应用|思考|编程)"
_KINDS = f"(?:{_KINDS})"
_KIND_HEAD = re.compile(
    rf"^\s*(?:[（(\[【]\s*(?:{_KINDS}|{_MORE_KINDS}题)\s*[)）\]】]"
    rf"|{_MORE_KINDS}题\s*(?:[:：\n]|(?=\s*\d{{1,3}}\s*[.．、)）:：]))|{_KINDS}\s*[:：\n]"
    rf"|(?:名词|术语|概念)解释\s+|解释(?:概念|名词|术语)\s*[:：]"
    rf"|[IVX]{{1,4}}[.、]\s*[A-Za-z ]{{3,30}}questions?\s*[:：\n]"
    rf"|[一二三四五六七八九十]{{1,3}}\s*[、.．]\s*(?:{_MORE_KINDS}题\s*(?:[（(][^）)\n]{{1,40}}[）)])?\s*[:：\n]?"
    rf"|{_KINDS}\s*(?:[（(][^）)\n]{{1,40}}[）)]\s*[:：\n]?|[:：\n]))"
    r"|判断(?:下列|以下)(?:说法|命题|各题)(?:是否正确|的?正误|的?对错)?\s*[:：,，]"
    r"|请?解释(?:下列|以下|下面)的?(?:名词|术语|概念|词语)\s*[:：\n]"
    r"|(?:true or false|true/false|short answer|essay|multiple choice|fill in the blanks?)\s*[:：]"
    r")\s*",
    re.IGNORECASE,
)
_FORM = re.compile(
    rf"[（(]\s*(?:简述|t/f|true/false|true or false|{_KINDS}|{_MORE_KINDS}题)\s*[)）]\s*", re.IGNORECASE
)
_FORM_TAIL = re.compile(r"[。.\s](?:单选|多选)\s*$")
_ORIGIN = re.compile(
    r"^\s*[（(\[【]\s*(?:19|20)\d\d\s*年?\s*[^)）\]】\n]{0,20}[)）\]】]"
    r"|[（(\[【]\s*(?:19|20)\d\d\s*年?\s*[^)）\]】\n]{0,16}(?:真题|卷|高考|中考|统考|联考|模拟|试题)?\s*[)）\]】]\s*$"
)
# A sentence of nothing but such words says how to answer, not what.
_ORDERS = (
    r"(?:请|根据|按照?|依据|结合|课堂|课本|教材|所学|知识|认真|仔细|阅读|审题|题目|题干|材料|资料|案例|下列|以下|下面|上述|问题|"
    r"各题|内容|空白处|答题[纸卡]|作答|回答|解答|完成|要求|条理|清晰|清楚|简明|扼要|完整|准确|字数|不少于|不超过|左右|"
    r"[的后并在上字]|\d++|[,， ])"
)
# Courtesy, and what sends to the text that follows.
_INTRO = re.compile(
    r"^\s*(?:请?(?:认真|仔细)?阅读(?:下列|以下|下面|如下)?的?(?:材料|案例|短文|文字|资料)[^。:：\n]{0,12}[。:：\n]"
    r"|请?(?:看题目|回答(?:下列|以下|下面)的?(?:各题|问题))\s*[:：。]"
    r"|请?根据所学的?知识[^。:：\n]{0,10}[:：,，]|请?你?结合所学的?(?:知识|内容)?\s*[,，]"
    r"|请?(?:各位)?(?:同学们?|考生们?)(?:认真[^。:：,，\n]{0,8}[:：,，])?|本题(?:要求|中)?\s*[:：,，]|本题为[必选]答题\s*[。,，:：]"
    r"|(?:试|请)问\s*[:：,，]?"
    r"|answer (?:all|each|any|the following)(?: of)?(?: the)?(?: following)? questions?\b[^.:\n]{0,50}[.:\n]"
    rf"|{_ORDERS}{{3,20}}+[。:：\n])\s*",
    re.IGNORECASE,
)
_THANKS = re.compile(r"[,，。]?\s*谢谢[你您]?[。！!]?\s*$")
_PAGE_TAIL = re.compile(r"(?<=[)）？?】_])\s*\d{1,3}-\d{1,4}(?:/\d{1,4})*\s*$")
_BLANK = re.compile(r"_{2,}|\\_|[（(]\s*[)）]|【\s*】|\[\s*\]|□+")
_OPTION = re.compile(
    r"(?:^|(?<=[\s。；;，,)）]))[（(]?([A-H])[)）]?\s*[、.．:：)）](?=\s*\S)|(?:^|(?<=\s))[（(]([A-H])[)）]"
)
_CIRCLED = re.compile(r"(?:^|(?<=[\s。；;:：？?)）]))([①-⑧])")
_LINE_IN_FORMULA = re.compile(r"(?<=[A-Za-z0-9{}^_+=\\-])\n(?=[A-Za-z0-9{}^_+=\\-])")
_SPACED_POINT = re.compile(r"(?<=\d)\. (?=\d)")
# A letter O for a nought; "CO2" and "Fe2O3" are none.
_LETTER_O = re.compile(r"(?<![A-Za-z0-9_])(?=[oO]*\d)[0-9oO]*+(?![A-Za-z_])")
# A line or a space inside a sentence; a new order ("简述…") on a line of its own stays apart.
_HAN_GAP = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])(?!\n*(?:请|试|简|概|阐|叙))")
_HAN_JOINT = re.compile(r"(?<=[\u4e00-\u9fff])[-/~](?=[\u4e00-\u9fff])")
_MISREAD = re.compile(f"(?=[{''.join(sorted({w[0] for w in MISREAD}))}])(?:{'|'.join(MISREAD)})")
_SOUGHT = [(re.compile(ways), word) for word, ways in SOUGHT.items()]
_KEPT_WHOLE = (*FILLERS, *SOUGHT)
_FILLER = f"(?=[{''.join(sorted({word[0] for word in _KEPT_WHOLE}))}])(?:{'|'.join(_KEPT_WHOLE)})"
_SIGN = r"[^\W\d_]|[-+=<>^*/|%±×÷°~!&¬△\u2190-\u21ff\u2200-\u22ff]"
_TOKEN = re.compile(rf"{_FILLER}|\d+(?:\.\d+)?|{_SIGN}")
_ENGLISH_TOKEN = re.compile(rf"{_FILLER}|\d+(?:\.\d+)?|[a-z]+|{_SIGN}")

_BRIEF = 20  # characters of a stem that says little without its options
_CHOOSING = re.compile("下列|以下|下面|哪|following")
_GLOSS = re.compile(r"(?<=[\u4e00-\u9fff])[（(]\s*([A-Za-z][A-Za-z .,'-]{1,60})[)）]")
_POSSESSIVE = re.compile(r"(?<=[a-z])['’]s(?![a-z])")
_WHY = re.compile("为什么|为何|何以|什么原因")
_HOW = re.compile("如何|怎样|怎么样?")
_BELOW = re.compile(r"(?:^|(?<=[,，。；;？?：:\s]))(?:以下|下面|下述)")
_ASKING = re.compile(
    "是?多少|几(?=[个种类项次条名位])|"
    "(?:主要)?包[括含](?:哪些|什么|哪几[种个类项])|是什么|什么是|什么叫做?|叫做?什么|有哪些|是哪些|有什么|有哪几[种个类项]|有何|哪些|哪一?[个项种]|什么|何谓|何为|何种|"
    "所谓|是指|指的是|是否正确|以?下列?(?=说法|叙述|表述|选项|各项|关于|描述|属于|哪)"
)
_UNIT = re.compile(r"(?<=[\d/少几])\s*(" + "|".join(sorted(UNITS, key=len, reverse=True)) + ")(?![a-z])")
_PERCENT = re.compile(r"百分之(?:(\d+(?:\.\d+)?)|([一二两三四五六七八九]?)(十?)([一二三四五六七八九]?))")
_COUNTED = re.compile(r"(?:_{2,}|[（(]\s*[)）])\s*(?:%|万?元|[个种次条名位项人年天])\s*[。.]?\s*$")
_MEASURE = re.compile("(?<=[一两几])(?:个|只|片|条(?!件)|位(?!移)|名(?!词)|座|张|所|项|种|类|家|幅|则)")
_SPREAD = re.compile("历史上的?|分别|大概|大约|大致")
_DYNASTY = re.compile("(?<=[夏商周秦汉晋隋唐宋辽金元明清])朝(?!廷|鲜|代)")
_ORDER = re.compile(
    r"(?:^|(?<=[,，。；;？?!！：:\s]))(?:请你?|试|简要|简单|简|扼要|详细|概括)*"
    r"(?:地?(?:叙述|阐述|论述|概述|陈述|说明|回答|介绍|述|答|谈谈|分析|解释))"
    r"(?!语|职|辩|案|变量|学|化学|法|仪|师|家|人员|软件|哲学|力学|几何)"
)
_DEFINED = re.compile(
    r"(?:[试请]?(?:给出|写出))?([^,，。;；:：?？\s]{2,20}?)"
    r"(?:的(?:定义|含义|概念)(?:是什么|是|为何)?|(?:定义|含义|概念)是什么)\s*(?:[。.?？]|$)"
)
_DEFINE = re.compile(
    r"^\s*(?:briefly\s+)?(?:(?:discuss|describe|explain|state)\s+(?=the\s)"
    r"|(?:define(?: the term)?|what is (?:meant by|the (?:definition|meaning) of)|explain the term)\s+"
    r"|what (?:is|are)\s+(?=(?:[\w-]++\s*+){1,4}+[?.]?\s*$)|(?:list|name|give|outline|what are)\s+(?=the\s))"
)
_FALSE = re.compile("中?(?:不正确|不恰当|不准确|有误|不对|错误)(?=[的旳](?:是|有|一[项个]))")
_COMPUTE = re.compile("(?:试|请)?(?:计算|求出)(?!机|器|技术|能力|方法|理论|语言|思维)")
# Two that are compared may stand in either order.
_SIDE = r"[^,，。;；:：?？、()\s的与和同及跟]{1,16}"
_BOTH = rf"({_SIDE})[与和同及跟]({_SIDE})"
_COMPARED = re.compile(
    r"(?:^|(?<=[,，。;；:：?？\s]))(?:"
    rf"(试?(?:比较|对比))?{_BOTH}(?=(?:之间|两者|二者)?(?:的|有(?:何|什么|哪些))(?:本质|主要|根本)?"
    rf"(?:异同|区别|联系|不同|相同|共同|关系))|(试?(?:比较|对比)){_BOTH}(?=的))"
)
_ORDER_TAIL = re.compile(r"(?:并?请?(?:说明|阐述)(?:之|一下)|的值|[,，]?(?:简述|简答)之?)[\s。.？?]*$")

LIGHTEST = LIGHT | LIGHT_WORDS | frozenset(_KEPT_WHOLE)


def tidy(text: str) -> tuple[str, tuple[str, ...]]:
    """Stem and options without what the page adds: numbering, headings, points, score boxes, blanks."""
    # Most patterns stand in few texts: a look for one of their characters costs less than a search.
    if _PRINTED.search(text):
        text = _HIGH.sub(lambda m: "^" + "".join(map(RAISED.__getitem__, m[0])), text.translate(SIGNS))
        text = _LOW.sub(lambda m: "_" + "".join(map(LOWERED.__getitem__, m[0])), text)
    text = simplified(text).replace("\u3000", " ").strip()
    if circled := _CIRCLE.search(text):
        # Circled numbers stay what they are until the options are found; NFKC makes digits of them.
        text = text.translate(_HIDE_CIRCLED)
    text = unicodedata.normalize("NFKC", text)
    if circled:
        text = text.translate(_SHOW_CIRCLED)
    text = _SCORE_LINE.sub("", text) if "\n" in text else _without_head(_SCORE_LINE, text)
    text = _without_heads(text)
    if "分" in text or "份" in text:
        text = _POINTS.sub(" ", text)
    if "'" in text or "′" in text or "m" in text or "p" in text:
        text = _MARKS.sub(" ", text)
    text = text.strip()
    if "【" in text:
        text = _LABEL.sub("", text)
    stem, options = split_options(text)
    if "(" in stem:
        stem = _FORM.sub(" ", stem)
    if "选" in stem:
        stem = _FORM_TAIL.sub("", stem)
    if "谢" in stem:
        stem = _THANKS.sub("", stem)
    if "-" in stem:
        stem = _PAGE_TAIL.sub("", stem)
    return _plain(stem), tuple(_plain(option) for option in options)


def _without_heads(text: str) -> str:
    """Text without titles, headings, numbers and courtesy at its start, one after another: "五、2. 12、"."""
    for _ in range(4):
        before = text
        if "【" in text:
            text = _LABEL.sub("", text, count=1)
        for pattern in (_TITLE, _HEADING, _KIND_HEAD, _NUMBERING, _INTRO):
            text = _without_head(pattern, text)
        if "19" in text or "20" in text:
            text = _ORIGIN.sub("", text, count=1)
        if text == before:
            break
    return text


def _without_head(pattern: re.Pattern[str], text: str) -> str:
    """Text without what the pattern, which only looks at the start, finds there."""
    found = pattern.match(text)
    return text[found.end() :] if found else text


def _plain(text: str) -> str:
    """One piece of text with its formulas as signs and letters."""
    text = _formulas(text)
    if _GAP.search(text):
        text = _SPACED_POINT.sub(".", _HAN_GAP.sub("", text))
    if _BLANKS.search(text):
        text = _BLANK.sub(" ", _COUNTED.sub(" ", text))
    if "百分之" in text:
        text = _PERCENT.sub(_percent, text)
    if _FIGURE.search(text):
        if "o" in text or "O" in text:
            text = _LETTER_O.sub(_zeros, text)
        text = _UNIT.sub(lambda m: UNITS[m[1]], text)
        if "," in text:
            text = _THOUSANDS.sub("", text)
    if "-" in text or "/" in text or "~" in text:
        text = _HAN_JOINT.sub("", text)
    text = unicodedata.normalize("NFKC", text)
    text = _MISREAD.sub(lambda m: MISREAD[m[0]], text)
    for word, same in SYNONYMS.items():
        text = text.replace(word, same)
    if "(" in text:
        text = _GROUP.sub(lambda m: f"⊏{m[1] or m[2]}⊐", text)
    return text.strip()


def _formulas(text: str) -> str:
    """Formulas in one way of writing, without the marks around them."""
    if "\\" in text:
        text = _LINE_IN_FORMULA.sub("", text).replace("$", "")
    if "{" in text:
        text = _in_line(text)
    if "\\" in text:
        text = _COMMAND.sub(_sign, text)
    if "·" in text:
        text = _DOT.sub("×", text)
    if "^" in text:
        text = _PER.sub(lambda m: f"/{m[1]}" + (f"^{m[2]}" if m[2] else ""), _EXPONENT.sub(r"^\1 ", text))
    return text.replace("$", "")


def _in_line(text: str) -> str:
    r"""LaTeX as it is written in one line: "\frac{a+b}{2}" as "(a+b)/(2)"."""
    text = _MATRIX.sub("{matrix}", text)
    for _ in range(_DEEPEST):
        before = text
        text = _RAISED.sub(r"\1(\2)", _LOWERED.sub(r"_\1 ", _FRACTION.sub(r"(\1)/(\2)", text)))
        if text == before:
            break
    return text


def _percent(found: re.Match[str]) -> str:
    if found[1]:
        return f"{found[1]}%"
    tens, ten, ones = (found[n].translate(CHINESE_DIGITS) for n in (2, 3, 4))
    number = f"{tens or 1}{ones or 0}" if ten else tens or ones
    return f"{number}%" if number else found[0]


def _zeros(found: re.Match[str]) -> str:
    return found[0].replace("o", "0").replace("O", "0")


def _sign(found: re.Match[str]) -> str:
    name = found[1]
    if name not in COMMANDS and name[:-1] in COMMANDS:  # "\\toO": a letter read for the digit after it
        return f" {COMMANDS[name[:-1]]} {name[-1]} "
    return f" {COMMANDS.get(name, name)} "


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    """Stem and option texts without labels; no options unless at least A and B stand in order.

    Circled numbers are labels when there are no letters: else they number statements of the stem.
    """
    marks = _series(_OPTION, "A", text) if "A" in text and "B" in text else []
    if len(marks) < 2:
        marks = _series(_CIRCLED, "①", text) if "①" in text else []
        if len(marks) < 3:
            return text, ()
    ends = [*(m.start() for m in marks[1:]), len(text)]
    options = tuple(text[m.end() : end].strip() for m, end in zip(marks, ends, strict=True))
    return text[: marks[0].start()].strip(), options


def _series(pattern: re.Pattern[str], first: str, text: str) -> list[re.Match[str]]:
    marks: list[re.Match[str]] = []
    for found in pattern.finditer(text):
        if next(g for g in found.groups() if g) == chr(ord(first) + len(marks)):
            marks.append(found)
    return marks


def tokens(text: str, english: bool) -> tuple[str, ...]:
    """What carries meaning, in order: numbers, Han characters, Latin letters or words, operators."""
    text = text.lower()
    if english:
        text = _DEFINE.sub("", _POSSESSIVE.sub("", text))
    for signs, pattern, said in _STEPS:
        for sign in signs:
            if sign in text:
                text = pattern.sub(said, text)
                break
    # In Chinese papers Latin letters are mostly symbols, and where they part is chance.
    return tuple((_ENGLISH_TOKEN if english else _TOKEN).findall(text))


def _sorted_sides(found: re.Match[str]) -> str:
    word, *sides = (group or "" for group in (found.groups()[:3] if found[2] else found.groups()[3:]))
    return word + "与".join(sorted(sides))


# How words are put alike, one step after another: where one of the signs stands, the pattern is said as told.
_STEPS: tuple[tuple[tuple[str, ...], re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (("何", "什么"), _WHY, "缘何"),
    (("何", "怎"), _HOW, "如何"),
    (("",), _ORDER, ""),
    (("计算", "求出"), _COMPUTE, "求"),
    (("比", "同", "区别", "联系", "关系"), _COMPARED, _sorted_sides),
    (("义", "念"), _DEFINED, r"\1"),
    (("正确", "误", "不"), _FALSE, "错误"),
    (("之", "一下", "的值", "简述", "简答"), _ORDER_TAIL, ""),
    (("下",), _BELOW, "下列"),
    *((("谁", "何", "哪", "什么"), ways, word) for ways, word in _SOUGHT),
    (("",), _ASKING, ""),
    (("一", "两", "几"), _MEASURE, ""),
    (("大", "分别", "历史上"), _SPREAD, ""),
    (("朝",), _DYNASTY, "代"),
)


def is_light(token: str) -> bool:
    """Whether a token carries grammar rather than content."""
    return token in LIGHTEST


def is_english(text: str) -> bool:
    """Whether Latin letters are words in a text rather than symbols."""
    return han_share(text) < 0.3


def is_choosing(stem: str) -> bool:
    """Whether a tidied stem sends to options: it says little without them."""
    return bool(_CHOOSING.search(stem))


def folded(stem: str, options: Sequence[str]) -> tuple[str, list[str]]:
    """Folded stem, and folded options in order, of tidied ones."""
    return fold(stem).replace("□", ""), sorted(map(fold, options)) if options else []


def key_of(stem: str, options: Sequence[str]) -> str:
    """Text by which exact equals are found, of a folded stem and its folded options in order."""
    return "\n".join([stem, *options])


def gram_text(stem: str, options: Sequence[str]) -> str:
    """The text whose grams stand for a question: its folded stem, and its options when that is short."""
    return stem + "".join(options) if len(stem) < _BRIEF else stem


class AsRead(Protocol):
    """What a verdict needs to know of a question."""

    @property
    def key(self) -> str:
        """Text by which exact equals are found."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Tokens of the stem."""

    @property
    def options(self) -> tuple[str, ...]:
        """Options without labels."""

    @property
    def english(self) -> bool:
        """Whether Latin letters are words."""

    @property
    def choosing(self) -> bool:
        """Whether the stem sends to options."""


@dataclass(frozen=True)
class Reading:
    """One question as it is compared. tokens has neither options nor instruction words."""

    text: str

    @cached_property
    def english(self) -> bool:
        """Whether Latin letters are words here rather than symbols."""
        return is_english(self.text)

    @cached_property
    def parts(self) -> tuple[str, tuple[str, ...]]:
        """Tidied stem and options."""
        return tidy(self.text)

    @property
    def stem(self) -> str:
        """Tidied stem."""
        return self.parts[0]

    @property
    def options(self) -> tuple[str, ...]:
        """Tidied options, without their labels."""
        return self.parts[1]

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Tokens of the stem."""
        return tokens(self.stem, self.english)

    @cached_property
    def choosing(self) -> bool:
        """Whether the stem sends to options: it says little without them."""
        return is_choosing(self.stem)

    @cached_property
    def folded(self) -> tuple[str, list[str]]:
        """Folded stem, and folded options in order."""
        return folded(*self.parts)

    @property
    def key(self) -> str:
        """Text by which exact equals are found: the folded stem, then the folded options in order."""
        return key_of(*self.folded)

    @property
    def gram_text(self) -> str:
        """The text whose grams stand for a question: its stem, and its options when the stem is short."""
        return gram_text(*self.folded)


def has_gloss(text: str) -> bool:
    """Whether a foreign name stands in brackets after a Chinese one."""
    return ("(" in text or "（" in text) and bool(_GLOSS.search(text))


def without_gloss(text: str, other: str) -> str:
    """Text without foreign names in brackets after a Chinese one that the other text leaves out."""
    if "(" not in text and "（" not in text:
        return text
    letters = other.lower()
    return _GLOSS.sub(lambda m: m[0] if m[1].strip().lower() in letters else "", text)


@lru_cache(maxsize=20_000)
def read(text: str) -> Reading:
    """The Reading of a text, remembered: one text stands in many pairs."""
    return Reading(text)
