"""What stands among answers and is none: a student's own answer, and what the grader has to say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ingest.segment.lines import Line
from ingest.segment.marks import Style, read_mark
from schemas.document import BlockKind

_INNER = (Style.PAREN, Style.CIRCLE, Style.RIGHT_PAREN)
_STUDENT = re.compile(
    r"^\s{0,3}[【\[（(]?\s{0,3}(?:(?:学生|考生|我|你|您)的?\s{0,3}(?:作答|答案|答题|解答|回答"
    r"|答)(?:情况|内容"
    r"|区)?|作答(?:情况|内容)?"
    r"|(?:[Ss]tudent(?:['’]s)?|[Yy]our|[Mm]y) (?:answer|response|work)"
    r"|STUDENT ANSWER)\s{0,3}[】\]）)]?\s{0,3}[:：]\s{0,3}"
)
_GIVEN = re.compile(
    r"[【\[（(]?\s{0,3}(?:参考答案|标准答案|正确答案|正确选项|答案解析|解析|(?:[Cc]orrect|[Rr]ight|[Mm]odel"
    r"|[Rr]eference) answer)\s{0,3}[】\]）)]?\s{0,3}[:：]"
)
_MARKED = re.compile(
    r"^\s{0,3}(?:(?:本题|实际|学生)?\s{0,3}得\s{0,3}分\s{0,3}[:：]\s{0,3}[\d.]*\s{0,3}分?|(?:[Ss]core"
    r"|[Mm]arks? awarded)\s{0,3}[:：]\s{0,3}[\d./ ]*)\s{0,3}$"
)
_TAIL = re.compile(
    r"[\s\u3000,，;；（(]{0,8}(?:(?:学生|考生|我|你|您)的?\s{0,3}(?:作答|答案|回答)|(?:[Yy]our"
    r"|[Ss]tudent(?:['’]s)?) (?:answer|response)|(?:本题|实际)?得\s{0,3}分)\s{0,3}[:：].*$"
)

_TITLE_LINES = 6
_STUDENTS_PAPER = re.compile(
    r"(?:学生|考生)(?:的)?(?:答卷|作答|答题卷?|试卷原卷|作业|样卷)|[Ss]tudent(?:'s)? (?:script|work|paper)"
)
_GIVEN_HEAD = re.compile(
    r"^[^，。；？！]{0,30}(?:参考答案|标准答案|评分标准)|^(?:Answer [Kk]ey"
    r"|ANSWER KEY)"
)
_OWN_ANSWER = re.compile(r"^\s{0,3}(?:答|解|Answer)\s{0,3}[:：]\s{0,3}")
_WRITTEN = re.compile(r"_*<u>[^<>]*</u>_*")
_SIGNED = re.compile(r"([)）])\s{0,3}[√×✓✗]{1,2}\s{0,3}$")  # the grader's sign behind the brackets
_CHOSEN = re.compile(r"([（(])\s{0,3}(?:[A-H]{1,6}|[√×✓✗对错TF])\s{0,3}([)）])")

GRADING = (
    r"评分(?:标准|细则|说明|要点|参考|意见|办法)|评阅标准|阅卷(?:说明|提示)|给分(?:标准|说明)|得分点"
    r"|[Mm]arking (?:scheme|notes?|guide)"
    r"|[Gg]rading notes?|[Ee]xaminer'?s? (?:comments?|notes?|report)|[Nn]ote to (?:markers?|graders?)"
)
_EXPLAINS = re.compile(
    rf"(?:^|(?<=[\s。；;.]))[【\[（(]?\s{{0,3}}(?:(?:答案|试题)?解析|解题思路|思路点拨|命题意图"
    rf"|考查(?:知识)?点|考点|知识点|点评|评析|易错点|常见错误"
    rf"|{GRADING}"
    r"|Explanations?|Comments?|Common (?:mistakes|errors))\s{0,3}(?:[】\]）)]\s{0,3}[:：]?|[:：])\s{0,3}"
)
_STEP = (
    r"(?:答[对出到]|写[对出明]|算[对出]|列[对出]|画[对出]|说[出明]|指出|结果|过程|步骤|公式|要点"
    r"|结论|论述|举例|定义|观点|理由"
    r"|每\s{0,3}[一个]?\s{0,3}(?:[点条项步种问空]|要点|方面))"
)
_REMARK = re.compile(
    r"该(?:生|考生|同学)|(?:多数|大部分|绝大多数|有些|部分|不少|个别|很多)(?:同学|学生|考生)|(?:考生"
    r"|学生|同学们?)(?:普遍|常常?|容易|往往|多)"
    rf"|酌情|(?:可|只|不|再|共|各|应)?(?:给|扣|计)\s{{0,3}}\d+(?:\.\d+)?\s{{0,3}}分"
    rf"|{_STEP}[^。；;，,\n]{{0,16}}?[给得各扣计]?\s{{0,3}}\d+(?:\.\d+)?\s{{0,3}}分"
    r"|(?:言之(?:成理|有理)|意思(?:相近|对)|其他(?:解法|答案)(?:正确)?)[^。；;\n]{0,16}(?:分|即可)"
    r"|(?:同样|均|也|都|不)(?:可)?(?:给|得)分"
    r"|[Mm]ost (?:students|candidates)|[Mm]any (?:students|candidates)"
    r"|(?:this|the) (?:student|candidate)\b|[Aa]ward(?:ed)? \d|[Dd]educt|[Pp]artial credit|\b(?:one"
    r"|two|three|\d+) marks? (?:for|each|if)\b"
)
_REPORT = 100
_BRACKET = re.compile(r"[（(][^（()）\n]{2,60}[)）]")
_SENTENCE = re.compile(r"[^。；;\n.!?！？]*(?:\.(?!\s|$)[^。；;\n.!?！？]*)*(?:[。；;.!?！？]+|\n|$)")


def has_remarks(answer: str) -> bool:
    """Whether a grader's words stand in an answer."""
    return _REMARK.search(answer) is not None


def without_students(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Lines without what students wrote («学生作答：…») and the marks they got; and those lines.

    A marked answer goes to the end of its line, or, with nothing after its colon, up to the next
    answer, question or heading. In a paper that a student has filled in, as its title says, what is
    written into blanks and brackets and after «答：» is a student's too, up to a key.
    """
    kept: list[Line] = []
    gone: list[Line] = []
    open_end = False
    theirs = _is_marked(lines) or any(
        _STUDENTS_PAPER.search(line.text) for line in lines[:_TITLE_LINES] if len(line.text) <= 40
    )
    for line in lines:
        text = line.text if line.kind is BlockKind.TEXT else ""
        theirs = theirs and not _GIVEN_HEAD.match(text)
        found = _STUDENT.match(text) or (_OWN_ANSWER.match(text) if theirs else None)
        if theirs and not found:
            emptied = _WRITTEN.sub("____", _SIGNED.sub(r"\1", _CHOSEN.sub(r"\1 \2", text))) if text else ""
            if emptied != text:
                gone.append(line)
                line, text = _with_text(line, emptied), emptied
        if found:
            rest = text[found.end() :]
            given = _GIVEN.search(rest)
            open_end = not rest.strip()
            gone.append(line)
            if given:
                rest = rest[given.start() :]
                tail = _TAIL.search(rest)
                kept.append(_with_text(line, rest[: tail.start()] if tail else rest))
            continue
        by_hand = theirs and line.block.colour is not None and line.mark is None
        if _MARKED.match(text) or by_hand:
            gone.append(line)
            continue
        outer = line.mark is not None and line.mark.style not in (
            Style.PAREN,
            Style.CIRCLE,
            Style.RIGHT_PAREN,
        )
        if open_end and not (
            outer
            or _GIVEN.match(text)
            or re.match(
                r"^\s{0,3}[【\[]?\s{0,3}(?:答案"
                r"|解)",
                text,
            )
        ):
            gone.append(line)
            continue
        open_end = False
        tail = _TAIL.search(text) if _GIVEN.match(text) else None
        kept.append(_with_text(line, text[: tail.start()]) if tail else line)
    return kept, gone


def _is_marked(lines: Sequence[Line]) -> bool:
    """Whether a grader marked the paper: points filled in at its head, or ticks and «-3» in another ink."""
    head = [line.text.strip() for line in lines[:_HEAD_LINES] if line.kind is BlockKind.TEXT]
    filled = any(_POINTS_GIVEN.search(text) for text in head) or any(
        _POINTS_EMPTY.search(text) and re.fullmatch(r"\d{1,3}", below) for text, below in pairwise(head)
    )
    inked = [line.text for line in lines if line.block.colour and _GRADER_SIGN.match(line.text)]
    # a tick by itself may be the answer to a statement; points taken off are a grader's
    signs = len(inked) if any(re.search(r"\d", text) for text in inked) else 0
    return filled or signs >= 2


_HEAD_LINES = 12
_POINTS_GIVEN = re.compile(r"(?:得\s?分|成\s?绩)\s?[:：]\s?\d{1,3}(?:\.\d)?\s?分?\s*$")
_POINTS_EMPTY = re.compile(r"(?:得\s?分|成\s?绩)\s?[:：]\s*$")
_GRADER_SIGN = re.compile(r"\s{0,3}(?:[√✓×✗]{1,3}\s*$|[-－+＋]\s?\d{1,2}(?:\s?分|\s|$)[^\d]{0,12}$)")


def _with_text(line: Line, text: str) -> Line:
    text = text.strip()
    return Line(text, line.block, read_mark(text), line.automatic, line.kind, line.index)


def split_answer(text: str) -> tuple[str, str]:
    """An answer without its explanation and the grader's remarks; and these, joined, '' when none.

    An answer that is nothing but a grader's guide is left as it is: there is no other. So is one whose
    remarks are longer than the rest: a report on the exam, with answers scattered over it.
    """
    begin = _EXPLAINS.search(text)
    answer, explanation = (text[: begin.start()], text[begin.start() :]) if begin else (text, "")
    remarks: list[str] = []

    def take(found: re.Match[str]) -> str:
        if found.group().strip() and _REMARK.search(found.group()):
            remarks.append(found.group().strip())
            return "\n" if found.group().endswith("\n") else ""
        return found.group()

    if _REMARK.search(answer):
        whole = answer
        answer = _SENTENCE.sub(take, _BRACKET.sub(take, answer))
        if sum(map(len, remarks)) > max(_REPORT, len(answer.strip())):
            answer = whole
            remarks.clear()
    answer = re.sub(r"\n{2,}", "\n", answer).strip()
    if not answer:
        return text.strip(), ""
    return answer, "\n".join([*filter(None, [explanation.strip()]), *remarks])
