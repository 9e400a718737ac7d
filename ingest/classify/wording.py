"""What the wording of a question says of its type: the cue that decides, and how surely each does."""

from __future__ import annotations

import re

from schemas.question import QuestionType

NUMERATE = frozenset({"d02", "d07", "d08", "d12"})
"""Disciplines where "证明" and "求" are asked of formulas: economics, science, engineering, management."""

_CASE_CHARS = 120
"""A Chinese question this long tells a case before it asks; an English one, four times as long."""

_SHORT_CASE_CHARS = 35
"""The same of one that then asks for advice or a decision."""

_JUDGE = re.compile(
    r"判断(?:下列|以下|下面|正误|对错|题|[:：])|^判断|是否正确|对还是错|正确还是错误"
    r"|true or false|true/false|[（(]\s*[)）]\s*$"
)
_PROVE = re.compile(
    r"(?:试|求|请|并|给出|写出)证|证明(?!力|责任|标准|材料|文件|书|人|对象|的)|\bprove\b|show that|\bproof\b"
)
_PROGRAM = re.compile(
    r"编写.{0,30}?(?:程序|函数|算法|语句|代码)|写出.{0,20}?(?:程序|算法|代码|sql|运行结果|输出结果)|编程|设计.{0,20}?算法"
    r"|算法.{0,6}?实现|write (?:a|an|the) (?:program|function|algorithm|method|query)|implement (?:a|an|the) "
)
_DRAW = re.compile(r"(?:画|绘|作)(?:出|制)?.{0,16}?(?:图|曲线|电路|树|结构)|^画|\bdraw\b|\bsketch\b")
COMPUTE = re.compile(
    r"计算|(?<![要需追请征寻谋力务讲])求(?![助职偿援学知和真帮])|等于|值[为是]|是多少|为多少|多少|解方程|化简|估算|推导"
    r"|解不等式|分解因式|\\int|\\lim|=\s*$|\bcalculate\b|\bcompute\b|\bevaluate\b|\bfind\b|\bdetermine\b|\bsolve\b|\bestimate\b"
    r"|\bhow (?:many|much|far|long|fast)\b"
    r"|\bwhat (?:is|are|was|were) the (?:\w+ ){0,4}?(?:value|speed|velocity|probability|number|rate|"
    r"temperature|pressure|energy|force|mass|distance|frequency|wavelength|area|volume|magnitude)"
)
QUANTITY = re.compile(r"\d|\$|\\[a-z]+|[=<>≤≥√∫∑]")
_ESSAY = re.compile(
    r"(?<!的)论述|试述|述评|试论|^论|阐述|谈谈|谈一谈|你的(?:看法|认识|理解|观点|见解)|你(?:怎么|如何|怎样)看|联系实际|结合实际"
    r"|\bdiscuss\b|write an essay|critically|\bassess\b|\bcomment on\b|for or against|to what extent"
)
_ANALYSE = re.compile(
    r"材料|案例|案情|病例|病史|患者|分析|辨析|评析|赏析|请问[:：]?|要求[:：]|回答(?:下列|以下)?问题|根据(?:上述|以上|上面)"
    r"|结合(?:上述|以上)|说明理由|为什么说|\banaly[sz]e\b|\bcase\b|\bjustify\b|give (?:your )?reasons"
)
_STRONG_ANALYSE = re.compile(
    r"辨析|评析|赏析|试分析|请分析|分析(?:下列|以下|一下|上述|该|本|其|此)|案例|\banaly[sz]e\b"
)
_CASE = re.compile(
    r"材料[一二三四\d]?[:：]|案例[:：]|案情|请问|要求[:：]|回答(?:下列|以下)?问题|根据(?:上述|以上|材料|资料|案例)"
    r"|结合(?:上述|以上|材料)|患者|患儿|某(?:公司|企业|厂|市|校|男|女|甲|单位)|甲|求助者|问题[:：]|问[:：]"
)
_AMOUNT = re.compile(r"多少|\bhow (?:many|much|far|long|fast)\b")
_ARITHMETIC = re.compile(r"(?:[\d\s.,+\-*/×÷^=()|%<>]|(?<![a-z])[a-z]{1,4}(?![a-z]))*")
_BLANK = re.compile(r"_{2,}|^填空")
_OPTIONS = re.compile(r"(?:^|[\s)）。?？])a\s*[.．、:：].{1,300}?\sb\s*[.．、:：]", re.DOTALL)
# A number is asked for where numbers are given: by blanks with a unit, by options that are numbers.
_NUMBERS = re.compile(
    r"\d.*_{2,} ?(?:[%‰°℃a-zμω]|[元天年月日秒倍个台件只]|英支|公支|千?米|公[斤顷]|万)"
    r"|\d.*\sa\s*[.．]\s*-?\d[\d.,/]*\S{0,9}\s+b\s*[.．]\s*-?\d"
)
# What asks without a question mark: orders, and the bare name of a subject, which says nothing of it.
_ORDERS = re.compile(
    r"(?:^|[,，.。;；:：])(?:要求)?(?:简要|分别)?(?:求|写(?!作|实|入|成)|列[出写]|画出|绘出?|计算|指出|算出|排出|编[写制]?|译|说出|找出|解释"
    r"|描述|标出|推[算导求]|举例|展开|说明(?!$)(?:其|原因|理由|成因)|设计|用.{2,12}法.{1,12}$)"
    r"|(?:^|[,，.。;；:：、并])(?:试(?![验剂管样件卷图])|请(?!求))"
    r"|(?:^|并)(?:简要|分别|具体|用.{1,12}?)?(?:说明|分析|比较|讨论|评|述|概括|归纳|总结|解释|翻译|描述|推导|确定|判断|提出|给出"
    r"|设计|制定|拟|阅读|概述|补画|默写|阐|论|从.{1,20}看)"
    r"|(?:简要|加以|作出?|予以)(?:说明|分析|评述|评价|解释)|名词解释|^改错|^[读临化]|^[将把].{1,60}(?:[化改译表移]|写成)"
    r"|^解[同方不]|^给.{1,30}(?:注|配|加)|译成|写一[个篇段则]|是否.{1,12}$"
    r"|(?:^|[.;:?!]\s+)(?:briefly )?(?:account for|analy[sz]e|apply|assess|balance|calculate|choose|classify"
    r"|comment|compare|compute|consider|construct|contrast|convert|derive|design|determine|differentiate|discuss"
    r"|distinguish|draw|estimate|evaluate|examine|find|give|identify|illustrate|interpret|justify|outline|plan|predict|propose"
    r"|prove|show|simplify|sketch|solve|sort|state|suggest|summari[sz]e|symboli[sz]e|trace|translate|use|verify"
    r"|write|advise|traduisez)\b"
)
_COMPUTES = re.compile(
    r"(?:^|[,，.。;；:：])(?:试|请|并|分别)*(?:计算|求(?!证|助)|校核|验算|推算|解(?:同余|微分)?方程)|展开成"
)
_NAMED = re.compile("^[^,，;；:：]*[的与和及论][^,，;；:：]*$")
_SIDE = re.compile(
    "(?:意义|影响|作用|原因|特[点征色]|区别|联系|关系|内容|含义|概念|原理|方法|步骤|过程|程序|机[制理]|表现|类型|分类|条件|原则|功能|价值|局限性?"
    "|贡献|地位|背景|结构|构成|组成|代表|差[异别]|异同|比较|发展|演变|[意内]涵|风格|[措设]施|对策|途径|方式|优?缺点|不足|利弊|用途|要求|标准|依据"
    "|任务|理论|模型|学说|思想|观点|主张|性质|来源|因素|[后结效成]果|启示|评价|应用|大意|定义|要[点素]|策略|技[巧术]|手法|范围|对象|目[的标]"
    "|阶段|危害|防[治止]|问题|规律|实质|本质|形成|兴起|衰落|传播|体系|趋势|形式|效应|之争|职能|描述|分歧|办法|例子|层次|假设|模式|结论|要领|论述)[.。]?$"
)
# What makes a sentence of it: surely, and in most places.
_SURELY_SAYS = re.compile(
    "是|为(?![什了])|不[能会可应同需得]|没有|能够|可以|等于|属于|称[为作]"
    "|应当|必[须定然]|都(?!市)|越.{1,6}越|取决"
    "|(?:具有|起[着到了]|发挥|反映|体现|标志着|奠定|确立|开创|创立|开辟|强调|导致|引起|促进|取得|采取)(?!.{0,6}的)"
)
_SAYS = re.compile(
    "[是不必没称仅总了绕让具占达需受随很最较更凡每]|使(?![用命])|越(?![位轨])|(?<!自)由(?!来)|为(?!什)"
    "|能(?![力量源])|可(?!能性|靠|持)|会(?![计议话])|应(?![用力变对])|都(?!市)"
    "|均(?![衡值])|属于|等于|只|因此|(?<![关对基至])于|已|将|有(?![机限效关色理])|指(?![标数导])|含(?!义)|采用|[发产]生|出现|要(?![素点求件义])|相[同等反似]|一致"
    "|[高低大小多少快慢强弱好差长短](?:[.。]?$)|完全|一定|任何|所有"
)
_ADVICE = re.compile(
    r"提出.{0,8}(?:建议|对策|方案|意见|措施)|指出.{0,12}问题|是否(?:有效|成立|合法|构成|合理)|理由|如何(?:处理|治理|救济|改进|应对)|怎么办|怎样处理"
)
_ASKS = re.compile(
    r"[?？]|什么|如何|怎样|怎么|为何|哪[些个种几一里]|几[个种类]|^(?:请|试)?(?:简述|叙述|列举|说明|解释|描述|比较|举例|指出|写出|概述|简要)"
    r"|\bwhat\b|\bhow\b|\bwhy\b|\bwhich\b|\bexplain\b|\bdescribe\b|\blist\b|\bdefine\b|\bname\b"
)  # fmt: skip
_YES_NO = re.compile(
    r"(?:^|[.,!?:;]\s|\bthen\s|=\s\S+\s)(?:is|are|was|were|do|does|did|can|could|will|has|have)\b[^?.]*\?\s*$"
)
_DIGIT = re.compile(r"\d")
_STATEMENT_END = re.compile(r"[。.．！!]\s*$|[（(]\s*[)）]\s*[。.]?\s*$")

# What the wording says, each with the type it stands for and the probability that it is right: shares of own
# example questions read one by one, as if five more of each had come out at 0.9. None of these is a bare
# statement that is to be judged, so that it is taken as doubtful; where nothing speaks, the most common type.
CUES: dict[str, tuple[QuestionType, float]] = {
    "task": (QuestionType.CALCULATION, 0.96),
    "amount": (QuestionType.CALCULATION, 0.95),
    "formulas": (QuestionType.CALCULATION, 0.9),
    "compute": (QuestionType.CALCULATION, 0.98),
    "case": (QuestionType.ANALYSIS, 0.9),
    "analyse": (QuestionType.ANALYSIS, 0.94),
    "study": (QuestionType.ANALYSIS, 0.93),
    "discuss": (QuestionType.ESSAY, 0.98),
    "judge": (QuestionType.TRUE_FALSE, 0.97),
    "statement": (QuestionType.TRUE_FALSE, 0.75),
    "closed": (QuestionType.SHORT_ANSWER, 0.98),
    "question": (QuestionType.SHORT_ANSWER, 0.98),
    "order": (QuestionType.SHORT_ANSWER, 0.9),
    "topic": (QuestionType.SHORT_ANSWER, 0.98),
    "other": (QuestionType.SHORT_ANSWER, 0.6),
}


def cue(text: str, material: str, discipline: str) -> str:
    """What in the wording decides, by its name in CUES. text and material: as by `prepare`."""
    numerate = discipline in NUMERATE or "$" in text or "\\" in text
    if (numerate and _PROVE.search(text)) or _PROGRAM.search(text) or (numerate and _DRAW.search(text)):
        return "task"
    if _DIGIT.search(text) and (_AMOUNT.search(text) or _ARITHMETIC.fullmatch(text)):
        return "amount"
    told = bool(material) or han_len(text) > _CASE_CHARS
    computes = bool(COMPUTE.search(text)) and bool(QUANTITY.search(text))
    if not material:
        if numerate and _COMPUTES.search(text):
            return "compute"
        if _BLANK.search(text) or _OPTIONS.search(text):
            return "compute" if numerate and (computes or _NUMBERS.search(text)) else "closed"
        if told and computes and discipline in {"d07", "d08"} and "$" in text:
            return "formulas"
    if material or (told and (_CASE.search(text) or not numerate)):
        return "case"
    return _short_cue(text, told, computes, numerate)


def _short_cue(text: str, told: bool, computes: bool, numerate: bool) -> str:
    """The same of a question without material and without a case told at length."""
    task = text[-300:]
    asks = bool(_ASKS.search(text))
    if _ESSAY.search(text):
        return "discuss"
    if _STRONG_ANALYSE.search(task):
        return "analyse"
    if _JUDGE.search(text) or _YES_NO.search(task):
        return "judge"
    if computes and (numerate or not asks):
        return "compute"
    studies = _ANALYSE.search(task) and (told or not asks)
    if studies or (han_len(text) > _SHORT_CASE_CHARS and _CASE.search(text) and _ADVICE.search(task)):
        return "study"
    return "question" if asks else _unasked(text)


def _unasked(text: str) -> str:
    """The same of a sentence that asks by no word for it."""
    if _ORDERS.search(text):
        return "order"
    asserts, most = (_SURELY_SAYS, 40) if _SIDE.search(text) else (_SAYS, 25)
    if len(text) <= most and _NAMED.search(text) and not asserts.search(text):
        return "topic"
    return "statement" if _STATEMENT_END.search(text) and len(text) > 8 else "other"


def han_len(text: str) -> float:
    """Length in Chinese characters; a Latin letter counts a quarter."""
    return len(text) - 0.75 * len(text.encode("ascii", "ignore"))
