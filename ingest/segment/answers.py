"""Answers printed with their question: in the brackets, in the blanks, or below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.segment.options import FORMULA, split_options
from schemas.question import PrintedForm as Form

IN_BLANKS = "in the blanks"
IN_BRACKETS = "words in the brackets"
IN_INK = "in another ink"
CORRECTED = "correction"
AS_SOLVED = "as solved"
"""Evidence of a draft whose answer is in another ink: all its lines, one a line, until papers are paired."""
_VERDICT = r"√|✓|✔|×|✗|✘|╳|X|x|T|F|对|错|正确|错误|真|假|是|否|True|False"
_BRACKETED = re.compile(
    r"(?<![A-Za-z0-9_])([（(【\[〔])[\s\u3000]*([A-Ha-h]"
    r"(?:[\s,，、]*[A-Ha-h]){0,7})[\s\u3000]*([)）】\]〕])"
)
_EMPTY = re.compile(r"[（(【\[〔][\s\u3000]*[)）】\]〕]|_{2,}")
# padded as the blank was: «是（ 北京 ）»; an explanation or a hint has no room around it
_WRITTEN_BRACKET = re.compile(
    r"(?<![A-Za-z0-9_$])([（(])[ \t\u3000]+(?!\d+\s*分)([^（）()$\s][^（）()$\n]{0,19}?)[ \t\u3000]+([)）])"
)
_UNDERLINED = re.compile(r"[_＿]{1,}[\s\u3000]*([A-H](?:[\s,，、]*[A-H]){0,7})[\s\u3000]*[_＿]{1,}")
# «等于（ ）C»: written behind the brackets that were meant for it; «属于    D    。»: on a blank of spaces
_BEHIND = re.compile(
    r"([（(【][\s\u3000]*[)）】])[\s\u3000]*([A-H](?:[,，、 ]?[A-H]){0,7})[\s\u3000]*[。.]?[\s\u3000]*$"
)
_ON_SPACES = re.compile(
    r"(?<=[\u3400-\u9fff：:])[ \t\u3000]{2,}([A-H]{1,5})(?:[ \t\u3000]{2,}(?=[。.？?]?\s*$)|(?=[。.]?\s*$))"
)
_BEHIND_VERDICT = re.compile(rf"([（(][\s\u3000]*[)）])[\s\u3000]*({_VERDICT})[\s\u3000]*[。.]?[\s\u3000]*$")
_BRACKET_VERDICT = re.compile(
    rf"([（(])[\s\u3000]*({_VERDICT})[\s\u3000]*([)）])[\s\u3000]*[。.]?[\s\u3000]*$"
)
_TAIL_VERDICT = re.compile(r"(?<=[.。?？!！])\s+(√|×|✓|✗|T|F|True|False)\s*$")
_LEAD_VERDICT = re.compile(rf"^[（(][\s\u3000]*({_VERDICT})[\s\u3000]*[)）]")
_FILLED_BLANK = re.compile(r"_*<u>([^<>]{1,200})</u>_*")
_WRITTEN_CHOICE = re.compile(r"[（(]?\s*<u>\s*[（(]?\s*([A-H]{1,5})\s*[)）]?\s*</u>\s*[)）]?")
_WRITTEN_VERDICT = re.compile(rf"[（(]?\s*<u>\s*[（(]?\s*({_VERDICT})\s*[)）]?\s*</u>\s*[)）]?")

ANSWER_LINE = re.compile(
    r"^\s*(?:[【\[（(]?\s*(?:参考答案|标准答案|正确答案|本题答案|答案要点|答题要点|答案|参考解答"
    r"|解答|答|解)\s*[】\]）)]?\s*[:：]"
    r"|[【\[]\s*(?:参考答案|标准答案|答案要点|答案|解答|解)\s*[】\]]"
    r"|(?:(?:Reference|Sample|Model|Correct) answer|Answer|Solution|ANSWER|SOLUTION)s?\s*[:：]"
    r"|(?:参考答案|标准答案|答案|解答|详解|解|答)\s*$"
    r"|(?:证明|证)\s*[:：])\s*"
)
_EXPLAIN_LINE = re.compile(
    r"^\s*(?:[【\[]?\s*(?:答案解析|试题解析|解析|评析|点评|分析|评分标准)\s*[】\]]?\s*[:：]"
    r"|[【\[]\s*(?:解析|评析|点评|分析)\s*[】\]]|Explanation\s*[:：])\s*"
)
_INLINE_ANSWER = re.compile(
    r"(?:(?<=[\s\u3000。.；;）)？?！!])|^)(?:[【\[（(]?\s{0,3}(?:参考答案|正确答案|标准答案|答案"
    r"|Answer)\s{0,3}[】\]]?\s{0,3}[:：]"
    r"|[【\[]\s{0,3}(?:参考答案|正确答案|标准答案|答案|解答|解)\s{0,3}[】\]])\s{0,3}"
)
_SENTENCE_VERDICT = re.compile(
    r"^(?:答[:：])?\s*(?:正确|错误|对|错|不正确|不对|√|×|True|False)(?=[。，,.；;\s]|$)"
)


@dataclass(frozen=True, slots=True)
class Printed:
    """What a question's own lines say: the text without the answer, and the answer found."""

    text: str
    answer: str | None = None
    explanation: str | None = None
    rule: str = ""


def begins_answer(text: str) -> bool:
    """Whether a line opens an answer with a word for it («答：», «Answer:»), not a proof to be written."""
    return ANSWER_LINE.match(text) is not None and _PROVE.match(text) is None


def from_lines(pieces: list[str], form: Form) -> tuple[int, Printed]:
    """Find where the answer below a question begins.

    pieces: the question's text, one string a line. Returns the number of pieces that are question
    and the answer part of the rest (text is then ''). Number = len(pieces) when there is none.
    """
    for index, piece in enumerate(pieces):
        if index == 0:
            continue
        begin = ANSWER_LINE.match(piece)
        if begin and _PROVE.match(piece) and not _proof_begins(pieces[:index]):
            begin = None
        explain = _EXPLAIN_LINE.match(piece)
        if begin or explain:
            answer, explanation = _split_explanation(pieces[index:])
            if is_space(answer) and not explanation:
                return index, Printed("", None, None, "empty answer space")
            return index, Printed("", answer or None, explanation or None, "marked below")
        entry = _ENTRY.match(piece) and any("贷" in below for below in pieces[index:])
        if entry and not _GIVES.search(pieces[index - 1]):
            return index, Printed("", "\n".join(pieces[index:]).strip(), None, "unmarked below")
        if form is Form.TRUE_FALSE and _SENTENCE_VERDICT.match(piece):
            return index, Printed("", "\n".join(pieces[index:]).strip(), None, "verdict below")
    return len(pieces), Printed("")


# «借：库存现金 … 贷：银行存款 …» below a question answers it, unless the question gives it
_ENTRY = re.compile(r"\s*(?:[（(]\d[)）]\s*)?借\s*[:：]")
_GIVES = re.compile(r"[:：]\s*$|(?:下列|以下|如下|上述).{0,6}分录")
_PROVE = re.compile(r"^\s*证明\s*[:：]")


def _proof_begins(before: Sequence[str]) -> bool:
    """Whether «证明：» after these lines opens a proof: they asked for one and ended their sentence.

    Otherwise it is the question that goes on: «设 …，» and on the next line «证明：…».
    """
    return (
        before[-1].rstrip().endswith(("。", ".", "；", ";", "$"))
        and re.search("证明|求证", "".join(before)) is not None
    )


_ASKS = re.compile(
    r"^(?:请|试)?(?:简单|简要|具体)?(?:简述|叙述|概述|说明|列举|列出|阐述|论述|比较|解释|回答|什么是"
    r"|何谓|何为|写出|为什么|如何)"
)
_ASKS_ON = re.compile(r"[？?]|^(?:要求|提示|注|其中|[（(]|已知|设|若|请|试)|如[上下左右]?图")


def unmarked_below(pieces: list[str], form: Form | None) -> tuple[int, Printed]:
    """Where an answer stands below a question without any mark, as `from_lines` tells it.

    Only for a short question whose first paragraph asks and ends, followed by text that asks nothing.
    For paragraphs (Word), never for lines of a page.
    """
    nothing = len(pieces), Printed("")
    if form is not Form.SHORT_ANSWER or len(pieces) < 2:
        return nothing
    head = pieces[0].strip()
    ended = head.endswith(("。", "：", ":", "."))
    asks = head.endswith(("？", "?")) or (ended and _ASKS.match(head) is not None)
    if not asks or len(head) > 80 or any(_ASKS_ON.search(piece.strip()) for piece in pieces[1:]):
        return nothing
    return 1, Printed("", "\n".join(pieces[1:]).strip(), None, "unmarked below")


_SPACE_MARKS = re.compile(
    r"[（(]?\d{1,2}[)）.、](?!\d)|[①-⑳]|[^：:\n\t]{1,14}[：:](?=\s|$|[^\s：:]{1,14}[：:])"
    r"|[_\s…．.，,。；;]+|图\s*\d*|\$[^$]{1,12}\$|\[图\]"
)
_EMPTY_LABEL = re.compile(r"[：:][ \t]*(?:$|[^\s：:]{1,8}[：:])|_{4,}", re.MULTILINE)
_RUN = re.compile(r"[\u3400-\u9fff]{8,}")
# «def f(n):» ends in a colon and is no label
_PROGRAM = re.compile(
    r"^[ \t]*(?:def|class|for|if|while|with|try|int|void|switch|begin)\b.*[(){}:]\s*$", re.MULTILINE
)


def is_space(answer: str) -> bool:
    """Whether an «answer» is only the printed space for one: marks, labels, rules and empty tables."""
    if _SENTENCE_VERDICT.match(answer) or re.match(r"^[A-H√×TF\d.\-]{1,8}$", answer):
        return False
    rest = _SPACE_MARKS.sub("", answer)
    marks = len(_SPACE_MARKS.findall(answer))
    if not rest or (marks >= 2 and len(rest) <= 4 and not re.search(r"[\u3400-\u9fff]", rest)):
        return True
    return bool(_EMPTY_LABEL.search(answer) and not _RUN.search(answer) and not _PROGRAM.search(answer))


def _split_explanation(pieces: list[str]) -> tuple[str, str]:
    answer: list[str] = []
    explanation: list[str] = []
    target = answer
    for number, piece in enumerate(pieces):
        found = _EXPLAIN_LINE.match(piece)
        if found:
            target = explanation
            piece = piece[found.end() :]
        elif number == 0 and (lead := ANSWER_LINE.match(piece)):
            piece = piece[lead.end() :]
        inner = (
            re.search(
                r"[\s。；;](?:解析|【解析】"
                r"|答案解析)\s*[:：]?\s*",
                piece,
            )
            if target is answer
            else None
        )
        if inner and ("：" in inner.group() or ":" in inner.group() or "】" in inner.group()):
            answer.append(piece[: inner.start() + 1])
            target = explanation
            piece = piece[inner.end() :]
        target.append(piece)
    return "\n".join(answer).strip(), "\n".join(explanation).strip()


def from_tail(text: str) -> Printed:
    """An answer that follows the question on its line («… 答案：B»); the text as it is without one."""
    tail = list(_INLINE_ANSWER.finditer(text))
    if tail and tail[-1].start() > 0:
        said, _, below = text[tail[-1].end() :].partition("\n")
        if len(split_options(below)[1]) >= 2:  # «… 答案：A», and the options on the lines below
            return Printed(
                f"{text[: tail[-1].start()].rstrip()}\n{below}", said.strip(" \t）)】"), None, "marked inline"
            )
        answer = text[tail[-1].end() :].strip(" \n\t）)】")
        if answer:
            return Printed(text[: tail[-1].start()].rstrip(), answer, None, "marked inline")
    return Printed(text)


def from_stem(stem: str, form: Form) -> Printed:
    """Answers typed into the brackets or blanks of a stem; the stem keeps an empty place."""
    if form in (Form.MULTIPLE_CHOICE, Form.TRUE_FALSE):
        written = _WRITTEN_CHOICE if form is Form.MULTIPLE_CHOICE else _WRITTEN_VERDICT
        found = list(written.finditer(stem))
        if len(found) == 1:
            text = _FILLED_BLANK.sub(r"\1", written.sub("（ ）", stem))
            return Printed(text, found[0].group(1).strip(), None, "in the brackets")
        stem = _FILLED_BLANK.sub(r"\1", stem)
    if form is Form.MULTIPLE_CHOICE:
        # letters inside a formula, $(AB)^{-1}$, are no answer
        masked = FORMULA.sub(lambda m: "$" * len(m.group()), stem)
        for pattern, empty in ((_BRACKETED, None), (_UNDERLINED, "____")):
            found = list(pattern.finditer(masked))
            if len(found) == 1 and not _EMPTY.search(masked[: found[0].start()] + masked[found[0].end() :]):
                one = found[0]
                letters = one.group(1) if empty else one.group(2)
                place = empty or f"{one.group(1)} {one.group(3)}"
                answer = "".join(sorted(set(re.sub(r"[^A-Za-z]", "", letters).upper())))
                return Printed(
                    stem[: one.start()] + place + stem[one.end() :], answer, None, "in the brackets"
                )
        for pattern, empty in ((_BEHIND, ""), (_ON_SPACES, "____")):
            last = pattern.search(masked)
            if last and not _EMPTY.search(masked[: last.start()]):
                place, letters = (empty, last.group(1)) if empty else last.groups()
                answer = "".join(sorted(set(re.sub(r"[^A-Z]", "", letters))))
                text = stem[: last.start()] + place + stem[last.end() :]
                return Printed(text, answer, None, "behind the brackets" if not empty else "in the brackets")
    if form is Form.TRUE_FALSE and (verdict := _verdict_in(stem)) is not None:
        return verdict
    if form is Form.FILL_BLANK:
        filled = [m.group(1).strip() for m in _FILLED_BLANK.finditer(stem) if m.group(1).strip()]
        if filled:
            return Printed(_FILLED_BLANK.sub("____", stem), "；".join(filled), None, IN_BLANKS)
        # with no blank left for them, words in brackets are what was filled in; beside a blank they
        # are a hint for it («____（病因）»)
        words = [] if _EMPTY.search(stem) else [m.group(2) for m in _WRITTEN_BRACKET.finditer(stem)]
        if words:
            return Printed(_WRITTEN_BRACKET.sub(r"\1 \3", stem), "；".join(words), None, IN_BRACKETS)
    return Printed(_FILLED_BLANK.sub(r"\1", stem))


def _verdict_in(stem: str) -> Printed | None:
    """A verdict at the end or the head of a statement, in brackets or after its sentence."""
    one_verdict = _BRACKET_VERDICT.search(stem)
    if one_verdict:
        text = f"{stem[: one_verdict.start()]}{one_verdict.group(1)} {one_verdict.group(3)}"
        return Printed(text, one_verdict.group(2), None, "in the brackets")
    behind = _BEHIND_VERDICT.search(stem)
    if behind:
        return Printed(stem[: behind.start()] + behind.group(1), behind.group(2), None, "behind the brackets")
    said = _TAIL_VERDICT.search(stem)
    if said:
        return Printed(stem[: said.start()].rstrip(), said.group(1), None, "at the end")
    lead = _LEAD_VERDICT.match(stem)
    if lead:
        return Printed(f"( ){stem[lead.end() :]}", lead.group(1), None, "in the brackets")
    return None


_HEAD_WORDS = (
    r"参考答案|标准答案|答案[及与和]?(?:评分|解析)|试题(?:答案|解析)|参考解答|评分(?:标准|细则|要点)|评阅标准"
    r"|(?:答题|答案|解题|参考)要点|答案"
)
ANSWER_HEAD = re.compile(
    rf"^(?:[^。，；？！]{{0,40}}?(?:{_HEAD_WORDS})[^。，；？！]{{0,20}}"
    r"|(?:Answer )?[Kk]eys? (?:to|for) (?=.{0,30}(?:[Pp]aper|[Tt]est|[Ee]xam|[Ee]xercise|[Qq]uiz|[Qq]uestion"
    r"|[Pp]art)).{1,40}"
    r"|(?:.{0,30}\b)?(?:Answer [Kk]ey|ANSWER KEY|Answers|ANSWERS|Solutions|SOLUTIONS|Answers and .{0,20}"
    r"|(?:Model|Reference|Suggested|Sample|MODEL|SUGGESTED) (?:[Aa]nswers|[Ss]olutions|ANSWERS|SOLUTIONS)"
    r"|Mark(?:ing)? [Ss]cheme|MARK(?:ING)? SCHEME)"
    r"(?:\s+(?:to|for|of)\s+.{1,30}|\s*[-–—:(]?\s*(?:Paper|Test|Version|Form|Set)\s+\w{1,2}\)?)?)"
    r"\s*[:：]?$"
)
# alone on their line; over a single question they open its answer, since a block has to begin again
_BARE_HEAD = re.compile(
    r"[【\[〔（(—\-=*\s]*(?:解答|详解|题解|答|答案|参考|key|keys|KEY|KEYS|Key|Keys|Answer|ANSWER)[】\]〕）)—\-=*\s:：]*"
)
_NOT_HEAD = re.compile(
    r"[题卷库]\s{0,3}[（(]?\s{0,3}(?:含|附|带|有|及|与|和)\s{0,3}(?:参考)?答案"  # a paper with its answers
    r"|填|写|涂|请|选出|供选|选择的|所给|给出|有.{0,2}个|无效|答案[序代]号|将|的括号|答题(?!要点)|下列|备选"
)


def is_answer_head(text: str) -> bool:
    """Whether a line is the heading of a block of answers."""
    text = _SPACED.sub("", text.strip()) if len(text) <= 2 * _LABEL else text.strip()
    marked = ANSWER_LINE.match(text)
    if _BARE_HEAD.fullmatch(text):
        return True
    if marked and text[marked.end() :].strip():
        return False  # «答案：B» answers one question
    return len(text) <= 60 and bool(ANSWER_HEAD.match(text)) and not _NOT_HEAD.search(text)


_LABEL = 40
_SPACED = re.compile(r"(?<=[\u3400-\u9fff])[ \t\u3000]+(?=[\u3400-\u9fff])")  # «参 考 答 案»


def labelled(lines: Sequence[str], new: Sequence[bool]) -> list[str]:
    """The new lines, and before each the printed lines that say what it answers.

    A label («Best:») or the row over a filled row stands directly before the line it names; above a
    label begins something else. A whole sentence with a colon is an instruction, no label.
    """
    kept: list[str] = []
    follows = False
    for line, is_new in zip(reversed(lines), reversed(new), strict=True):
        label = line.rstrip().endswith((":", "："))
        if is_new or (follows and ("\t" in line or (label and len(line) <= _LABEL))):
            kept.insert(0, line)
        follows = is_new or (follows and "\t" in line and not label)
    return kept


def side_by_side(lines: Sequence[str]) -> list[str]:
    """Lines with numbered lists that are printed side by side («1 → a → 1 → d») read list by list.

    The row over them names the lists; a list becomes its name and one line of its entries.
    """
    out: list[str] = []
    at = 0
    while at < len(lines):
        rows: list[list[str]] = []
        while at + len(rows) < len(lines):
            cells = [cell.strip() for cell in lines[at + len(rows)].split("\t")]
            numbers = cells[::2]
            if len(numbers) < 2 or set(numbers) != {str(len(rows) + 1)}:
                break
            rows.append(cells)
        width = len(rows[0]) // 2 if rows else 0
        filled = [row for row in rows if len(row) == 2 * width and all(row[1::2])]
        if len(filled) < 3 or width < 2:
            out.append(lines[at])
            at += 1
            continue
        names = [name.strip() for name in out[-1].split("\t")] if out else []
        if len(names) == width:
            out.pop()
        for column in range(width):
            out += [names[column]] if len(names) == width else []
            out.append(", ".join(row[2 * column + 1] for row in filled))
        at += len(rows)
        while at < len(lines) and set(lines[at].split("\t")) == {str(len(rows) + 1)}:
            rows.append([])  # the numbers of rows left empty
            at += 1
    return out


def looks_like_key_name(name: str) -> bool:
    """Whether a file name says that the file holds answers."""
    stem = name.rsplit(".", 1)[0].lower()
    return bool(
        re.search(
            r"答案|解答|评分(?:标准|细则|参考)|评阅标准|(?<![a-z])(?:answers?|keys?|solutions?)(?![a-z])",
            stem,
        )
    )
