"""What a question asks for, told by its wording alone: a proof, a sum, an essay, a translation."""

from __future__ import annotations

import re

from schemas.question import PrintedForm as Form

PROOF = re.compile(
    r"(?:^|[，。：:；;)）\s\n])(?:试|并|请|求)?证明?(?![书券件据人])|(?:给出|加以|完成).{0,6}证明"
    r"|\bprove\b|\bshow that\b",
    re.IGNORECASE,
)
PROGRAM = re.compile(
    r"编写.{0,16}(?:程序|函数|算法|子程序|代码)|编程|写出.{0,8}(?:程序段?|代码)|(?:设计|写出"
    r"|给出).{0,12}(?:算法|函数|程序)(?![的思步])|实现.{0,8}(?:函数|算法)"
)
_DRAW = re.compile(
    r"^(?:请|试)?(?:画|作|绘)出?.{0,20}图|[，。；]\s*(?:请|试|并)?(?:画出|作出|绘出)|^(?:[Ss]ketch|[Dd]raw)\b"
)
_PROGRAM_EN = re.compile(
    r"\bwrite\s+(?:an?|the|some|down)?\s*(?:[\w+#-]+\s+){0,4}?(?:function|program|method|code|query"
    r"|queries|algorithm|pseudo-?code|script|class|procedure|SQL)\b"
    r"|\bimplement\b",
    re.IGNORECASE,
)
_TRANSLATE = re.compile(
    r"\btranslate\b|译成|译为|翻译(?:成|下列|以下|下面)|^[英汉中]译[汉英中]", re.IGNORECASE
)
_VERDICT_ASKED = re.compile(
    r"^(?:true\s*(?:or|/)\s*false|T\s*/\s*F)\b|^判断(?:正误|对错|题|下[列面].{0,12}(?:正误|对错"
    r"|是否正确))|\(\s*(?:T\s*/\s*F|true\s*/\s*false)\s*\)",
    re.IGNORECASE,
)
# what is worked out by hand: «insert 32 and show the tree», «perform Prim's algorithm»
_WORKED = re.compile(
    r"\b(?:perform|trace|simulate|apply|execute|run)\b[^.?\n]{0,60}\b(?:algorithm|sort|partition\w*"
    r"|method|operations?|step)"
    r"|\binsert\b[^.?\n]{0,80}\b(?:into|in)\b[\s\S]{0,80}\bshow\b|\bshow\b[^.?\n]{0,40}\bafter (?:each"
    r"|every|the)\b",
    re.IGNORECASE,
)
_CALC_EN = re.compile(
    r"\b(?:solve|differentiate|integrate|simplify)\b"
    r"|\bfind (?:the|all|its|both|their)\b[^.?]{0,40}\b(?:eigen\w*|roots?|determinant|inverse|rank"
    r"|derivatives?|integral|limits?|solutions?)\b"
    r"|\bdetermine (?:whether|if|the)\b[^.?]{0,60}\b(?:series|integral|sequence|converge\w*|value"
    r"|probability|limit|eigen\w*|rank|inverse|radius|interval)",
    re.IGNORECASE,
)
_QUANTITY_EN = re.compile(
    r"\bfind (?:the|all|an?|its|both)\b|\bhow (?:many|much|long|far|fast)\b"
    r"|\bwhat (?:is|are|was|were) (?:the|its|his|her|their) (?:[a-z]+ ){0,2}(?:value|price|output"
    r"|quantity|cost|profit|loss|length|area|volume|mass|force|distance|time|probability|expected"
    r"|average|mean|variance|total|maximum|minimum|speed"
    r"|rate|ratio|percentage|multiplier)\b",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"[=$^\d]")
_ESSAY_EN = re.compile(
    r"\bto what extent\b|\bwrite an? (?:short |brief |\d+[- ]word )?(?:essay|composition|article"
    r"|paragraph|letter)\b|\bdo you agree\b|\bcritically\b"
    r"|\bin your (?:own )?(?:opinion|view|words)\b.{0,80}\bwhy\b|(?:^|[.?!]\s+)(?:assess|argue"
    r"|comment on|evaluate (?!the (?:integral|limit|expression|sum|following|function|derivative)))",
    re.IGNORECASE,
)
_CALC = re.compile(
    r"计算|(?<![要需追请寻征诉谋力恳苛讲供])求(?![证职学助生知爱和教是])|化简|解(?:下列|以下|此"
    r"|该)?[^，。；]{0,8}方程|讨论.{0,40}(?:敛散|收敛|连续|可导|解的)"
    r"|\b(?:calculate|compute|evaluate (?:the )?(?:\w+ )?(?:integrals?|limits?|expressions?|sums?"
    r"|following|derivatives?|determinant|series|\$))",
    re.IGNORECASE,
)
_ESSAY = re.compile(
    r"论述|试论|试述|阐述|谈谈|^谈|谈.{0,12}看法|赏析|评述|评价|怎么看|的看法|你认为|(?:举例|结合"
    r"|试).{0,20}分析|[，,]\s*试?谈|(?:以.{2,30}为例|结合.{2,30}?)[，,]?(?:分析|谈|论)|\bdiscuss\b",
    re.IGNORECASE,
)
_ANALYSIS = re.compile(
    r"辨析|案例|根据(?:上述|以上|材料)|阅读材料|是否成立.{0,6}理由|说明理由|分析(?:一下)?(?:下面|下列"
    r"|如下|以下)"
)
_LONG_ASK = re.compile(r"试|说明|分析|评|关系|意义|影响|为什么|原因")
_BLANK = re.compile(r"_{2,}|＿{2,}|\[\s{2,}\]|﹍{2,}|[（(]\s{2,}[)）]|(?<![A-Za-z0-9_])[（(][\s\u3000]*[)）]")


_ANSWER_SPACE = re.compile(r"[:：][ \t]*_{2,}[ \t]*$", re.MULTILINE)


def wording_form(stem: str, has_options: bool) -> Form:
    """The form by wording alone, where no heading tells."""
    if has_options:
        return Form.MULTIPLE_CHOICE
    if _VERDICT_ASKED.search(stem):
        return Form.TRUE_FALSE
    if PROOF.search(stem) or PROGRAM.search(stem) or _PROGRAM_EN.search(stem) or _TRANSLATE.search(stem):
        return Form.OTHER
    if _BLANK.search(_ANSWER_SPACE.sub("", stem)):
        return Form.FILL_BLANK
    if _ANALYSIS.search(stem):
        return Form.ANALYSIS
    if _CALC.search(stem) or _WORKED.search(stem):
        return Form.CALCULATION
    if _ESSAY_EN.search(stem):
        return Form.ESSAY
    if _CALC_EN.search(stem) or (_QUANTITY_EN.search(stem) and _GIVEN.search(stem)):
        return Form.CALCULATION
    if _DRAW.search(stem):
        return Form.OTHER
    if _ESSAY.search(stem) or (len(stem) >= 60 and _LONG_ASK.search(stem) and not re.search(r"[=$]", stem)):
        return Form.ESSAY
    return Form.SHORT_ANSWER


def asks_for_sum(stem: str) -> bool:
    """Whether a stem asks for something to be calculated."""
    return _CALC.search(stem) is not None


# «是 ① ，也是 ② 。», «（1）        »: blanks that are numbered instead of ruled
_NUMBERED_BLANK = re.compile(r"(?<=[\s\u3000])[①-⑳](?=[\s\u3000，。,.])|[（(]\d{1,2}[)）][ \u3000]{3,}")
# «__(1)__» and «__①__»: the number stands on the rule
_RULED_NUMBER = re.compile(r"_{2,}[ ]?(?:[（(][ ]?\d{1,2}[ ]?[)）]|[①-⑳]|\d{1,2})[ ]?_{2,}")


def count_blanks(stem: str) -> int:
    """Number of blanks to fill in a stem; «__（1）__», ruled around its number, is one."""
    stem = _RULED_NUMBER.sub("____", stem)
    return len(_BLANK.findall(stem)) or len(_NUMBERED_BLANK.findall(stem))
