"""What a question asks, apart from what it tells and offers to choose; tasks that name their subject."""

from __future__ import annotations

import re

ASKED, TOLD, CHOICES = 1.0, 0.4, 0.4
"""What words count in the sentence that asks, in the material before it, and in the choices: most of the
choices are there to be wrong, and a case is told of anything."""

_CASE_CHARS = 120
"""A Chinese question this long tells a case before it asks; an English one, four times as long."""

_CHOICE = re.compile(r"(?<![a-z0-9])([a-d]) ?[.:)、]")
_SENTENCE = re.compile(r"(?<=[。?!;])|(?<=[a-z]\. )")
_ASKS = re.compile(
    r"下列|以下|上述|哪|什么|谁|何|多少|怎|__|\( *\)|简述|试述|分析|说明|计算|求|证明|论述|谈|概括|[?]"
    r"|\b(?:what|which|who|how|why|find|calculate|explain|discuss)\b"
)

TASKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "d010102",
        re.compile(
            r"(?:以下|下列|下面)(?:的|除了)?[哪何][一个]?[项种]?.{0,6}为真|如果(?:以下|下列)?.{0,4}为真|断定.{0,6}[为是]真"
            r"|最能.{0,8}(?:支持|削弱|加强|质疑|反驳|弱化|驳斥)|(?:削弱|加强|质疑|反驳).{0,4}(?:上述|以上|题干|这一)[论观结推断说主]"
            r"|(?:上述|以上|题干).{0,10}(?:论证|推理|议论|推论|论断|诊断|断言).{0,12}(?:假设|假定|前提|成立|漏洞|缺陷)"
            r"|(?:可以|能够|必然|一定|合乎逻辑地)[推得]出(?:以下|下列)?[哪何]|推理(?:方式|结构|形式|方法).{0,6}(?:相似|相同|类似)"
            r"|(?:争论|争议|分歧).{0,3}(?:焦点|所在)|所?必须假设|提出质疑|成立的.{0,4}必要前提"
            r"|与上述(?:预测|断定|陈述|论证).{0,4}(?:一致|矛盾)"
            r"|根据(?:以上|上述|题干)的?(?:陈述|断定|断言|预测)|(?:可以|能够)[推得]出的?(?:结论|判断)"
        ),
    ),
)
"""Sub-disciplines whose questions are told by the task, whatever the story is about, by patterns."""

_TASK_WORDS = (
    "为真", "是真", "最能", "削弱", "加强", "质疑", "反驳", "假", "出以下", "出下列", "出哪", "出何",
    "推理", "焦点", "所在", "必要前提", "成立", "与上述", "漏洞", "缺陷",
    "根据", "的结论", "的判断", "出结论", "出判断",
)  # fmt: skip
"""What each pattern has: most texts have none, and looking for the whole pattern takes long."""


def parts(prepared: str) -> list[tuple[str, float]]:
    """The parts of a prepared question with what their words count."""
    stem, choices = _choices(prepared)
    asked, told = _told(stem)
    return [(text, weight) for text, weight in ((asked, ASKED), (told, TOLD), (choices, CHOICES)) if text]


def task(prepared: str) -> str:
    """The sub-discipline whose task the wording is, '' where it is none."""
    if not any(word in prepared for word in _TASK_WORDS):
        return ""
    return next((code for code, pattern in TASKS if pattern.search(prepared)), "")


def _choices(prepared: str) -> tuple[str, str]:
    """Stem and choices, which begin where A, B and C follow one another."""
    found = list(_CHOICE.finditer(prepared))
    letters = "".join(match[1] for match in found)
    at = letters.find("abc")
    if at < 0:
        return prepared, ""
    start = found[at].start()
    return prepared[:start], prepared[start:]


def _told(stem: str) -> tuple[str, str]:
    """The sentence that asks, and what is told besides; of a short question all is asked."""
    if len(stem) < _CASE_CHARS or (len(stem) < 4 * _CASE_CHARS and stem[:_CASE_CHARS].isascii()):
        return stem, ""
    sentences = [some for some in _SENTENCE.split(stem) if some.strip()]
    at = max((n for n, some in enumerate(sentences) if _ASKS.search(some)), default=len(sentences) - 1)
    return sentences[at], " ".join(sentences[:at] + sentences[at + 1 :])
