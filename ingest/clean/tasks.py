"""What a question that does not ask by itself is to be asked: told by its heading and its kind."""

from __future__ import annotations

import re

from ingest.clean.asking import asks, heading_task, is_topic
from ingest.clean.text import without_formulas
from schemas.question import QuestionType
from schemas.wording import Wording

# The heading's word for the kind of its items, and the field of Wording that demands it.
_BY_HEADING = (
    (re.compile(r"英译汉|英译中|译成[汉中]|into chinese", re.I), "to_chinese"),
    (re.compile(r"汉译英|中译英|译成英|into english", re.I), "to_english"),
    (re.compile(r"翻译|互译|translat", re.I), "translate"),
    (re.compile(r"证明|proofs?\b", re.I), "prove"),
    (re.compile(r"(?:阅读|分析|读)程序|程序(?:阅读|分析|结果)|运行结果|\boutput\b", re.I), "run"),
    (re.compile(r"改错|错误并改正|find the errors?", re.I), "correct"),
    (re.compile(r"编程|程序设计|算法设计|编写程序|programming", re.I), "program"),
    (re.compile(r"作图|画图|绘图|drawing", re.I), "draw"),
    (re.compile(r"计算(?!机)|求解|解方程|calculat", re.I), "compute"),
    (re.compile(r"作文|写作|writing", re.I), "write"),
    (re.compile(r"论述|essay", re.I), "expound"),
    (re.compile(r"简答|问答|简述|解答|short answer", re.I), "outline"),
    (re.compile(r"案例|材料|分析|case", re.I), "analyse"),
)  # fmt: skip
_BY_KIND = {
    QuestionType.ESSAY: "expound",
    QuestionType.SHORT_ANSWER: "outline",
    QuestionType.ANALYSIS: "analyse",
}
_NEEDS_WORDS = frozenset({"outline", "expound", "write", "program"})


def task(text: str, section: str, kind: QuestionType, words: Wording) -> str:
    """The demand to put before a text that asks nothing itself; '' where it asks or none is told.

    A heading that demands something of its items («计算下列极限») is repeated; one that names a kind
    («证明题») gives the demand of that kind; without either a bare topic is to be outlined or discussed.
    """
    if not text.strip() or asks(text):
        return ""
    bare = not re.search(r"[A-Za-z\u4e00-\u9fff]{2}", without_formulas(text))
    if said := heading_task(section):
        return f"{said}："
    name = next((name for heading, name in _BY_HEADING if heading.search(section)), "")
    if name == "outline" and not is_topic(text):
        name = ""
    if not name and is_topic(text):
        name = _BY_KIND.get(kind, "")
        name = "" if name == "analyse" else name
    if not name or (bare and name in _NEEDS_WORDS):
        return ""
    return str(getattr(words, name))
