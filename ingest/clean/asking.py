"""Whether a text asks something, what its heading asks in its stead, and what is told after a question."""

from __future__ import annotations

import re

from ingest.clean.text import BLANK, without_formulas
from schemas.text import simplified

_INTERROGATIVE = re.compile(
    r"[?？]|什么|如何|怎样|怎么|为何|哪[些个种几一里项类位年]|几[个种类次项]|多少|是否|能否|可否|何[谓为时地处以者]|谁|吗\W*$|是.{1,14}还是"
    r"|\b(?:what|why|how|which|who|whose|when|where)\b",
    re.IGNORECASE,
)
_DEMAND = (
    r"(?:简单|简要|扼要|详细|具体|大致|简明|准确)地?(?=[\u4e00-\u9fff])|[表陈]述|结合|联系实际|以.{1,20}为例|请|试|简[述析答论要]|[叙论阐概评]述|述[评论]|试[论述]|论(?![语文])|浅析|说明(?!文)|解释(?!变量)|分析(?!法|学)|辨析|[评赏]析|评[价论]|比较(?!优势)"
    r"|对比|举例|列[举出]|指出|[写给画作标找选]出|绘制|[作画].{0,6}图|图示|计算(?!机)|(?<![要需追请征寻谋力务讲])求(?!职|助)|[证证]明(?!力|书|文)|推导|设计(?!模式)|编[写程制]|实现"
    r"|翻译|译[成为]|改[错正写]|判[断定]|回答|填[写空入上]|完成|补[充全]|谈|描述|讨论|归纳|总结|概括|介绍|论证|验证|确定|构造|估[计算]|化简"
    r"|展开|分解|解方程|解不等式|解[:：]|配平|默写|区[分别]|造句|作文|写[一作]|拟[定写]|推断|识别|排序|转换|考虑|思考|用.{1,20}(?:表示|回答|说明|解决)"
)
_STARTS = re.compile(rf"(?:^|[\n。；;，,:：、)）.\d]|\s)\s*(?:并|再|然后|要求)?(?:{_DEMAND})")
_MEANS = re.compile(
    r"(?:利用|运用|应用|使用|采用|用|结合|根据|依据|从|以|按|联系|由|将|把)[^。；，,\n]{1,40}?"
    rf"(?:{_DEMAND}|译成|填入|改成|[列编写画]出)"
)
_ANYWHERE = re.compile(
    r"请|试[述论说析证求画写比举]|[简叙论]述|(?<![要需追请征寻谋力务讲])求(?![职助和])|计算(?!机)|证明(?!力|书)|推导|导出|[写画给作标]出|说明理由|谈谈|(?:分析|说明|解释|比较|评价|介绍|描述|讨论)一下|并(?:说明|解释|分析|证明|指出|举例)|你的(?:看法|见解|观点|理解|感想|认识)|翻译|解释|指出|回答|判断|是多[大少高]"
)
_ENGLISH = re.compile(
    r"\b(?:explain|define|describe|prove|show|find|compute|calculate|determine|discuss|compare|list|state|give|draw|write"
    r"|solve|sketch|evaluate|derive|translate|outline|identify|analy[sz]e|implement|design|construct|consider|name|fill"
    r"|choose|select|perform|convert|simplify|verify|justify|estimate|summari[sz]e|suggest|trace|is|are|does|do|can)\b",
    re.IGNORECASE,
)
_AND_SO = re.compile("并(?:说明|解释|分析|证明|指出|举例)")
_SURE = re.compile(
    r"请|试|简[述析答]|[叙论]述|求|[画写]出|计算(?!机|力)|证明(?!力|书)|谈谈|默写|翻译(?!腔)|作图"
)
_NAME = 7
"""Characters up to which a word that begins like a demand may be a name: 比较优势, 分析化学."""

_DEMANDS = re.compile(
    r"[?？]|(?:^|[\n。；;，,:：、)）.]\s*)(?:请|试|并?求|并?证明|计算|简述|论述|说明理由|写出|画出|编写|给出|指出|回答|分析(?!了|的)|解释|比较|判断|设计|谈|叙述|阐述|概述|举例|列举|赏析|评析|在图上)"
    r"|请(?:你|根据|结合|分析|说明|用|问|回答|写|指)|\bplease\b|____",
    re.IGNORECASE,
)
_DEMANDS_LAST = re.compile(
    r"[?？]|请|试[述论说析]|____|(?:[\n。；;]\s*)(?:并?求|证明|计算|简述|论述|说明|写出|画出|编写|给出|指出|回答|分析|解释|比较|谈谈|设计|评)"
)
"""A demand at the end of what follows, where a comma may only go on telling."""

_ASKS_PLAINLY = re.compile(
    r"[?？]|什么|如何|怎样|为何|哪[些个种几]|何谓"
    r"|(?:^|[，,；;、]\s*)(?:请|试|简|叙述|论述|论|阐|概述|评|说明|解释|分析|辨析|赏析|比较|举例|列举|指出|结合|谈|描述|讨论|归纳|总结|概括|介绍|选一)"
    r"|(?:解释|谈谈|解析|说明|分析)[^，。：:]{2,}$|^\W*(?:explain|define|describe|discuss|compare|list|outline)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[。.？?！!)）\d页]\s*$")
_SHORT_LINE = 24
"""Characters of a line that no page's edge can have broken."""

_LEADS_ON = re.compile(
    r"下[面列述文图表]|以下|如下|材料|案例|资料|阅读|短文|原文|这[段首篇句则幅种一些]|(?<!应)该|上述|译|所给|给定|本题|计算|证明|^求|[，,]求"
    r"|[画编]出|编写|设计一|改[错正写]|作文|若|(?:^|[，,。：:])设|已知|假[设定如]|[:：]\s*$"
    r"|\b(?:following|below|this|passage|case|assume|suppose|given)\b",
    re.IGNORECASE,
)
"""In a question: what comes after it belongs to it."""

_GOES_ON = re.compile(
    r"\s*(?:[（(](?!\d)|[\[【|$]|提示|注意?[:：]|要求|说明[:：]|备注|其中|已知|设|假[设定]|例如|参考|附|材料|选项|字数|不少于|不超过"
    r"|[A-H][.．、)）]|[-*•]|\W*\d+\s?[分'’]|hint|note)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"[^。？?！!\n]+[。？?！!]*(?:\s*[（(]?P\.?\s?\d+(?:[-~—,，、]\s?\d+)*[)）]?)?(?:\s*[（(][^）)]{1,6}[）)])?"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_TOPIC = re.compile(r"[^。，,；;！!？?：:|=…]{2,30}")
_EDGE = 90
"""Characters at both ends of what follows a question, in which a demand makes it part of the question."""

_PAGES = re.compile(
    r"\s*[（(]?P\.?\s?\d{1,3}(?:[-~—,，、.]\s?\d+)*页?[)）]?$|(?<=[\u4e00-\u9fff])\s*P\d{2,3}页?$"
)
"""Pages of a textbook behind a question of study notes."""

_TOPIC_LINE = 30
_NAMED_ABOVE = re.compile(
    r"([\u4e00-\u9fff]{2,12})\s*[:：]\s*(?:P[\d\\\s.,、-]{1,12})?\n\s*(\1(?:是|指|即|又|也|，|：|\s).{16,})",
    re.DOTALL,
)
"""A term over the sentence that defines it: 边际成本：⏎ 边际成本是…"""

_TOLD_TOPIC, _TOLD_LINE, _TOLD_SAME = 60, 12, 40
"""Han characters that make a telling: below a mere topic, below a question, behind it on its own line."""

_NUMBERED = re.compile(
    r"^\s*(?:第?[一二三四五六七八九十\d]{1,3}[大]?[、.．题）)]|[IVX]{1,4}[.、]|Part\s+\w+[.:]?|[（(][一二三四五六七八九十]+[)）])\s*",
    re.I,
)
_POINTS = re.compile(
    r"[（(【\[][^）)】\]]{0,40}(?:分|题|\d\s?[*×xX]\s?\d|选|points?|marks?)[^）)】\]]{0,40}[)）】\]]|[，,]?\s*共?\s*\d+\s*分\s*$",
    re.I,
)
_KIND = re.compile(r"^[\u4e00-\u9fff]{2,8}题?\s*[:：]\s*")
_TASK = re.compile(
    r"下列|以下|下面|各题|各式|英译汉|汉译英|[译]成|\bthe following\b|\bbelow\b|translate|\beach\b",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether a text asks or demands something, or leaves a blank to fill."""
    words = simplified(without_formulas(text)).strip()
    if BLANK in text or _INTERROGATIVE.search(words) or _ENGLISH.search(words):
        return True
    if is_topic(words):
        start = _SURE if len(words) <= _NAME else _STARTS
        return bool(start.match(words) or _MEANS.search(words) or _AND_SO.search(words))
    return bool(_ANYWHERE.search(words) or _STARTS.search(words) or _MEANS.search(words))


def is_topic(text: str) -> bool:
    """Whether a text is a mere noun phrase: short, in one piece, no sentence."""
    text = text.strip().rstrip("。.;；")
    return bool(_TOPIC.fullmatch(text)) and "\n" not in text and not text.endswith(("了", "的"))


def told_after(text: str) -> tuple[str, str] | None:
    """(question, what is told after it), where the answer stands below a question with no mark.

    None unless the text begins with what asks, or with a topic over a long telling, and nothing in the
    rest demands anything; a question that leads on to material below it is left whole.
    """
    first, _, below = text.partition("\n")
    head, rest = "", first
    for sentence in _SENTENCE.finditer(first):
        if sentence.start() != len(head) or not _ASKS_PLAINLY.search(sentence[0].strip(" 。.")):
            break
        head = first[: sentence.end()]
        rest = first[sentence.end() :]
    named = _NAMED_ABOVE.match(text)
    if named:
        return named[1].strip(), named[2].strip()
    if _LEADS_ON.search(head or first) or not (_ENDED.search(head or first) or len(first) <= _SHORT_LINE):
        return None
    if head:
        told = f"{rest}\n{below}".strip()
        least = _TOLD_SAME if rest.strip() else _TOLD_LINE
        asked = head
    elif below and len(first) <= _TOPIC_LINE and not asks(first):
        told, asked, least = below.strip(), first, _TOLD_TOPIC
    else:
        return None
    if told[:1] in "（(" and len(_HAN.findall(told)) < _TOLD_SAME:
        return None
    if (
        _GOES_ON.match(told)
        or _DEMANDS.search(told[:_EDGE])
        or _DEMANDS_LAST.search(told[-_EDGE:])
        or len(_HAN.findall(told)) < least
    ):
        return None
    return _PAGES.sub("", asked).strip(), told


def heading_task(section: str) -> str:
    """What a section heading demands of each of its items, '' when it only names their kind.

    '三、计算下列极限（每题5分）' gives '计算下列极限', '三、计算题' gives ''.
    """
    text = _NUMBERED.sub("", _POINTS.sub("", section.strip().split("\n")[0])).strip()
    text = _KIND.sub("", text).strip(" 。.：:;；,，")
    short = 4 <= len(text) <= 60
    return (
        text
        if short
        and _TASK.search(text)
        and (_STARTS.search(text) or _MEANS.search(text) or _ENGLISH.search(text))
        and "选" not in text
        else ""
    )
