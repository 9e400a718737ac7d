"""Numbered lines that are no questions: lists inside a question, code, appendices, study notes, remarks."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

from ingest.segment.lines import Line
from ingest.segment.marks import Mark, Style
from ingest.segment.sections import Section
from schemas.document import BlockKind

_INTRODUCES = re.compile(r"[：:]\s*$|(?:如下|下列|以下)[^。？?]{0,12}[。.]?\s*$|包括[^。？?]{0,4}$")
_CODE = re.compile(
    r"[;{}]\s*(?://.*|/\*.*)?$|^\s*(?:#|//|/\*|\}|\{)"
    r"|^\s*(?:public|private|int|void|for|if|else|while|return|import|def|class|begin|end|printf"
    r"|print)\b\s*[\w(<:]"
)
_ASKS = re.compile(
    r"[？?]|_{2,}|[（(]\s*[)）]|^\s*(?:请|试|简|论|计算|求|证明|写|编|画|说明|分析|解释|描述|设计|指出"
    r"|列|判断|回答|比较|什么|如何|为何|怎)"
    r"|(?:求|试|请|计算|证明|说明|分析|写出|画出|编写|编制|简述)[^，。]{0,30}[。：:]?\s*$",
)
_NOTE = re.compile(
    r"^(?:符号说明|附表|附录|附：|附\s*[:：]|参考数据|参考公式|(?:常用)?公式表|常用公式|可能用到的"
    r"|Appendix|APPENDIX|Formula [Ss]heet|Useful (?:formulas|constants))"
)
_STUDY = re.compile(r"^\s*(?:掌握|了解|熟悉|理解|识记|领会|重点掌握|一般了解|熟练掌握|能够?)[^？?]*$")
_REMARK = re.compile(
    r"(?:很多|许多|不少|部分|大多数|多数|大部分|有些|有的|少数|个别|一些|绝大多数)(?:的)?(?:同学|考生|学生)"
)
_DATED = re.compile(
    r"^\s*(?:\d{4}\s*年)?\s*(?:\d{1,2}\s*月\s*)?\d{1,2}\s*[日号]\s*[，,、：:\s]?|^\s*(?:本|上|当|次)月"
)
_DEMANDS = re.compile(r"^\s*[【\[]?\s*(?:要求|问题|问|试|根据|请|编制|Required)[】\]]?")
RULES = re.compile(
    r"考生|答题[纸卡]|试卷|答卷|考场|准考证|作答|书写|涂黑|监考|密封线|交卷|草稿纸"
    r"|[Cc]andidates?|examination room|answer sheet"
)
"""Words of the rules for candidates."""
LONG_LIST, SHORT_NOTE = 4, 120
LARGE = 1.3
"""How much larger than the usual line a title is set."""


def inner_lines(lines: Sequence[Line], sections: Sequence[Section]) -> set[int]:
    """Numbered lines that cannot be items, whatever the numbering says."""
    out = {i for i, line in enumerate(lines) if _is_code(line)}
    for section in sections:
        out |= _lists(lines, section)
    return out


def _is_code(line: Line) -> bool:
    """Whether a number before code counts the lines of a listing."""
    mark = line.mark
    if mark is None or line.automatic or mark.style not in (Style.BARE, Style.ARABIC):
        return False
    if re.search(r"[\u3400-\u9fff]", line.body):
        return False
    return bool(_CODE.search(line.body)) and (mark.style is Style.BARE or line.body.endswith(("{", "}")))


def _same(a: Mark | None, b: Mark | None) -> bool:
    return a is not None and b is not None and a.family == b.family


def _lists(lines: Sequence[Line], section: Section) -> set[int]:
    """Lists that a line ending in a colon introduces inside an item, and after which the items go on."""
    out: set[int] = set()
    current: Mark | None = None
    index = section.begin
    while index < section.end:
        mark = lines[index].mark
        if mark is None or index in out:
            index += 1
            continue
        run = _run_from(lines, index, section.end) if mark.value == 1 and index > section.begin else []
        if len(run) >= 2 and current is not None and _same(current, mark):
            introduced = _INTRODUCES.search(lines[index - 1].text)
            after = next(
                (m for i in range(run[-1] + 1, section.end) if _same(m := lines[i].mark, mark)), None
            )
            unlike = mark.printed[-1:] != current.printed[-1:]
            goes_on = after is not None and after.value == current.value + 1
            if asked := _asked_about(lines, index, run, current, goes_on):
                out.update(asked)
                index = asked[-1] + 1
                continue
            if introduced and (goes_on or (after is None and unlike)) and not _questions(lines, run):
                out.update(run)
                index = run[-1] + 1
                continue
        if current is None or _same(current, mark):
            current = mark
        index += 1
    return out


_ASKS_BELOW = re.compile(
    r"(?:(?:请|试)?(?:问题|提问|思考题|思考|试问|请问|问|要求)|(?:请|试)?(?:根据[^。：:]{1,20})?回答"
    r"[^。：:]{0,12}|\b[Qq]uestions?|\b[Aa]nswer (?:the )?(?:following )?questions?[^.:：]{0,30})\s*[:：]\s*$"
)
_CASE = re.compile(r"病例|案例|案情|病史|材料|资料|背景|患者|\b[Cc]ase\b|\b[Pp]atient\b")


def tells_case(first: str, last: str) -> bool:
    """Whether lines over numbered questions tell a case: they open with a word for one, or end «问题：»."""
    return bool(_OPENS_CASE.match(first)) or bool(_ASKS_BELOW.search(last) and len(last) >= 12)


_OPENS_CASE = re.compile(
    r"^\s*[【\[]?(?:案例|病例|案情|病史|材料|资料|背景|Case|Scenario)\s?[一二三四五六\d]{0,2}\s?[】\]]?\s?[:：]\s?\S"
    r"|^\s*(?:患者|某(?:男|女|患者|病人|企业|公司|县|市|厂))"
)


def _asked_about(
    lines: Sequence[Line], index: int, run: Sequence[int], current: Mark, goes_on: bool
) -> list[int]:
    """The first of a run of numbers that are the questions of one case: «… 问题：», then 1. 2. 3.

    The run may hold the next item too, since its number goes on: with nothing that begins again behind
    it, the parts end where the paper's own next number stands.
    """
    above = lines[index - 1].text
    head = next((k for k in range(index - 1, max(-1, index - 40), -1) if lines[k].mark == current), index - 1)
    case = above.rstrip().endswith(("：", ":")) and _CASE.search(lines[head].body[:30])
    if not _ASKS_BELOW.search(above) and not (case and _questions(lines, run)):
        return []
    if any(RULES.search(lines[k].body) for k in run):
        return []  # «答题要求：»
    asking = all(lines[k].body.endswith(("？", "?")) for k in run)
    if not goes_on and not asking and 2 <= current.value < len(run):
        return list(run[: current.value])
    return list(run)


def _run_from(lines: Sequence[Line], index: int, end: int) -> list[int]:
    """Lines from index on that count 1, 2, 3 in one style with one sign."""
    first = lines[index].mark
    assert first is not None
    run = [index]
    for i in range(index + 1, end):
        mark = lines[i].mark
        if mark is None or mark.family != first.family:
            continue
        if mark.value != len(run) + 1 or mark.printed[-1:] != first.printed[-1:]:
            break
        run.append(i)
    return run


def _questions(lines: Sequence[Line], run: Sequence[int]) -> bool:
    """Whether most lines of a list ask something: they are questions then, not entries."""
    return sum(1 for i in run if _ASKS.search(lines[i].body)) > len(run) / 2


def note_in(lines: Sequence[Line], begin: int, end: int) -> int:
    """Where in the lines of an item a note of the paper (symbols, tables, constants) begins, else end."""
    for index in range(begin + 1, end):
        line = lines[index]
        if line.kind is BlockKind.TEXT and line.mark is None and _NOTE.match(line.text.strip()):
            return index
    return end


def before_asides(lines: Sequence[Line], begin: int, end: int) -> int:
    """Where the lines of a question end, less what is said to the candidates below it."""
    while end - 1 > begin and lines[end - 1].mark is None and is_aside(lines[end - 1].text):
        end -= 1
    return end


_TITLE = re.compile(
    r"(?:试\s?[题卷]|考试|测[验试]|[Ee]xam(?:ination)?|EXAM(?:INATION)?|[Mm]idterm|[Ff]inal|[Tt]est)"
    r"(?:\s?[（(][^（()）]{1,12}[)）])?$"
)


def large_titles(lines: Sequence[Line]) -> set[int]:
    """Places of a paper's title between its questions: set over two columns, it is read in the middle."""
    heights = [box.y1 - box.y0 for line in lines if line.paged and (box := line.block.box) is not None]
    if not heights:
        return set()
    usual = statistics.median(heights)
    return {
        place
        for place, line in enumerate(lines)
        if line.kind is BlockKind.TEXT
        and line.mark is None
        and line.block.box is not None
        and line.block.box.y1 - line.block.box.y0 >= LARGE * usual
        and len(line.text) <= 60
        and _TITLE.search(line.text.strip())
    }


_ASIDE = re.compile(r"^\s*[（(【\[][^（()）]{4,60}[)）】\]]\s*$")
_TO_CANDIDATES = re.compile(
    r"任选|选做|以上.{0,6}题|回忆版|答案.{0,6}写|仅供参考|[Ee]nd of (?:paper|exam|test)"
)
_FAREWELL = re.compile(
    r"^[\s*=\-—~～（(【\[]*(?:(?:THE )?END(?: OF (?:THE )?(?:PAPER|EXAM(?:INATION)?|TEST|QUIZ))?"
    r"|[Tt]he [Ee]nd|End of (?:the )?(?:paper|exam(?:ination)?|test|quiz)|Good luck"
    r"|祝.{0,8}(?:顺利|成功|好成绩)|(?:全卷|试卷|试题)(?:完|结束|到此结束))[\s*=\-—~～）)】\]!！.。]*$"
)


def is_aside(text: str) -> bool:
    """Whether a line in brackets speaks to the candidates: «（以上三题任选一题）», «（答案写在答题纸上）»."""
    return bool(_FAREWELL.match(text)) or (
        bool(_ASIDE.match(text)) and bool(_TO_CANDIDATES.search(text) or RULES.search(text))
    )


def studies(text: str) -> bool:
    """Whether an entry tells what to know («掌握…», «了解…») instead of asking for it."""
    return _STUDY.match(text) is not None


def told_of(lines: Sequence[Line], items: Sequence[int], end: int, lone: bool = False) -> dict[int, str]:
    """Items of a section that say something instead of asking, with the reason: study notes, remarks, rules.

    Only whole runs (up to a restart at 1) in which most entries are of one such kind and few ask;
    a single entry is a study note only where the document has others (`lone`).
    """
    out: dict[int, str] = {}
    stops = dict(zip(items, [*items[1:], end], strict=True))
    noted = False
    runs = _restarts(lines, items)
    for order, run in enumerate(runs):
        ruling = sum(1 for i in run if len(lines[i].text) <= 80 and RULES.search(lines[i].text))
        if 2 <= len(run) <= 12 and order + 1 < len(runs) and ruling > 0.5 * len(run):
            out.update(dict.fromkeys(run, "rules of the examination"))
            continue
        bodies = [_body(lines, i, stops[i]) for i in run]
        asking = sum(1 for i in run if _ASKS.search(lines[i].body))
        pointed = any(re.search(r"\d\s*分\s*[)）]", body) for body in bodies)
        if noted and asking == 0 and not pointed and max(len(body) for body in bodies) <= SHORT_NOTE:
            out.update(dict.fromkeys(run, "note of the paper"))
            continue
        noted = any(note_in(lines, i, stops[i]) < stops[i] for i in run)
        if (len(run) < 2 and not lone) or pointed:
            continue
        if sum(1 for i in run if studies(lines[i].body)) > 0.6 * len(run):
            out.update(dict.fromkeys(run, "study notes"))
        elif (
            len(run) >= 3
            and asking <= 0.3 * len(run)
            and sum(1 for body in bodies if _REMARK.search(body)) >= 0.5 * len(run)
        ):
            out.update(dict.fromkeys(run, "remarks on answers"))
    return out


def _body(lines: Sequence[Line], begin: int, end: int) -> str:
    return "\n".join([lines[begin].body, *(line.text for line in lines[begin + 1 : end])])


def _restarts(lines: Sequence[Line], items: Sequence[int]) -> list[list[int]]:
    """Items cut into runs where the numbering begins again."""
    runs: list[list[int]] = []
    for i in items:
        mark = lines[i].mark
        if not runs or (mark is not None and mark.value == 1):
            runs.append([])
        runs[-1].append(i)
    return runs


def is_data_list(lines: Sequence[Line], section: Section) -> bool:
    """Whether the numbered lines of a section are the data of one problem: dated entries, then a demand.

    «1. 3日，购入…  2. 5日，支付…  要求：编制会计分录»: no entry asks, all of them are asked about at once.
    """
    if len(section.items) < LONG_LIST or re.search(r"每\s*(?:小?题|笔|个)", section.title):
        return False
    bodies = [lines[i].body for i in section.items]
    dated = sum(1 for body in bodies if _DATED.match(body))
    if dated < 0.7 * len(bodies) or sum(1 for body in bodies if re.search(r"[？?]\s*$", body)) > 1:
        return False
    tail = lines[section.items[-1] + 1 : section.end]
    lead = lines[section.begin : section.items[0]]
    return any(_DEMANDS.match(line.text) for line in tail) or any(
        re.search(r"[：:]\s*$", line.text) for line in lead
    )
