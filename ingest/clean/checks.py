"""Quality checks of an item: what is wrong with it as a code, and which codes need a person."""

from __future__ import annotations

import re
import unicodedata

from ingest.clean.answers import verdict
from ingest.clean.asking import asks, is_topic
from ingest.clean.pointers import points_outside
from ingest.clean.text import BLANK, without_formulas
from schemas.question import Draft, Option, PrintedForm, QuestionType
from schemas.text import fold
from schemas.wording import without_instruction

TOLERABLE = frozenset(
    {"no_answer", "needs_figure", "figure", "options_kept", "verdict_only", "outside_paper"}
)
"""Codes an item may carry and stay active; without an answer or with a figure it is not drawn."""

_OPEN_END = re.compile(r"[，、,（(【《“‘\[=+×÷]\s*$")
_CUT_WORD = re.compile(
    r"(?:[由和与及或把被向从于]|以及|或者|并且|而且|但是?|因为|由于|如果|假如|虽然|使得|从而|关于|对于|其中|之间的|所以|例如|比如|包括"
    r"|(?<![的A-Za-z0-9$])(?:若|设|则|且)|\b(?:the|an|of|and|or|to|with|in|by|for|from|that|which|is|are|because|if))\s*$",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(r"[的是为在有]\s*$")
_PAIRS = (("（(", "）)"), ("“", "”"), ("《", "》"), ("【", "】"))
_DEMANDING = frozenset({PrintedForm.CALCULATION, PrintedForm.ANALYSIS})
_GIVEN = 12
"""Characters of a stem that gives something."""

_NEAR_END = 40
"""Characters from the end in which a bracket that stays open is a cut."""

GIVEN_AWAY = re.compile(
    r"(?:^|\n)[ \t]*(?:(?:参考|标准|正确)?(?:答案|解答)\s?[:：]"
    r"|[【\[](?:参考|标准|正确)?(?:答案|解析|解答|详解|分析)[】\]]|答\s?[:：]|answers?:|solution:)[ \t]?\S"
    r"|\n[ \t]*[解证][:：][ \t]?\S|(?<=[。？?)）])[ \t]*(?:参考|标准|正确)?答案\s?[:：][ \t]?\S",
    re.IGNORECASE,
)
_STRAY_OPTION = re.compile(r"\n[ \t]*[（(]?[A-H][.．、)）]")
LETTER_LEFT = re.compile(r"[（(]\s?[A-H](?:\s?[,，、]?\s?[A-H])*\s?[)）]")
_NOTICE = re.compile(
    r"本试[卷题]共|考试时间|满分\s?\d+\s?分|答题[纸卡]|考生须知|注意事项|评卷人|阅卷人|得\s?分\s*[|:：]|密封线|第\s?\d+\s?页|共\s?\d+\s?页"
    r"|祝.{0,6}考试|好运|请将答案|草稿纸|监考|闭卷|开卷|装订线|考试形式|适用专业"
)
_WORD = re.compile(r"[A-Za-z\u4e00-\u9fff]{2}")
_SHARE = 6
"""Length of the pieces by which a reference is looked for in its prompt."""


def option_flags(form: PrintedForm, stem: str, options: tuple[Option, ...]) -> list[str]:
    """options_missing: fewer than two, a gap, an empty one, or one left in other text; options_repeated."""
    if form is not PrintedForm.MULTIPLE_CHOICE:
        return []
    flags = []
    labels = [option.label.strip().upper()[:1] for option in options]
    gap = labels != [chr(ord("A") + n) for n in range(len(labels))]
    stray = any(_STRAY_OPTION.search(text) for text in (stem, *(option.text for option in options)))
    if len(options) < 2 or gap or stray or not all(option.text.strip() for option in options):
        flags.append("options_missing")
    texts = [_same(option.text) for option in options if option.text.strip()]
    if len(set(texts)) < len(texts) and "[图]" not in texts:
        flags.append("options_repeated")
    return flags


def _same(text: str) -> str:
    """An option as compared with its neighbours: signs and case count, spaces and a last stop do not."""
    return "".join(unicodedata.normalize("NFKC", text).split()).rstrip("。.;,") or text


def text_flags(
    prompt: str, draft: Draft, reference: str | None, kind: QuestionType, *, bare: bool
) -> list[str]:
    """Codes told by the words of one item; bare: no instruction was put before the question."""
    flags = []
    if "[公式]" in f"{draft.material}\n{prompt}":
        flags.append("formula_lost")
    if "truncated" in draft.flags or _is_cut(draft, prompt):
        flags.append("truncated")
    if reference and kind is not QuestionType.TRUE_FALSE and answer_cut(reference):
        flags.append("answer_truncated")
    if points_outside(without_instruction(prompt), draft.material, draft):
        flags.append("points_outside")
    if _is_lone_formula(prompt):
        flags.append("lone_formula")
    elif _asks_nothing(prompt, draft, kind, bare=bare):
        flags.append("non_question")
    if kind is QuestionType.TRUE_FALSE and reference and not draft.explanation:
        value, reason = verdict(reference)
        if value is not None and not reason:
            flags.append("verdict_only")
    return flags


def _is_lone_formula(prompt: str) -> bool:
    """Whether a prompt holds a formula and not one word of what to do with it."""
    return bool(re.search(r"[$=∫∑√^\\]", prompt)) and not _WORD.search(without_formulas(prompt))


def _asks_nothing(text: str, draft: Draft, kind: QuestionType, *, bare: bool) -> bool:
    """Whether a text is no question: a notice of the paper, or words that ask nothing and name no topic."""
    if draft.options:
        return False
    if _NOTICE.search(text) and not re.search(r"[?？]", text) and len(text) < 120:
        return True
    if kind is QuestionType.TRUE_FALSE or draft.parts or not bare:
        return False
    return not asks(text) and not is_topic(text.rstrip("?？"))


def _is_cut(draft: Draft, prompt: str) -> bool:
    last = (draft.parts[-1].text if draft.parts else draft.stem).rstrip()
    if sum(char.isalnum() for char in prompt) < 2:
        return True
    if draft.options or draft.form is PrintedForm.MULTIPLE_CHOICE:
        return _left_open(last)
    if draft.form is not PrintedForm.FILL_BLANK and BLANK not in last and _LEFT_OPEN.search(last):
        return not re.search(r"(?:是|为什么|为何|如何|怎样|怎么|何以).{1,30}的$", last)
    if _OPEN_END.search(last[-4:]) or _CUT_WORD.search(last[-16:]) or _left_open(last):
        return True
    # a case or a quantity given, and then neither a demand nor a stop
    told = draft.form in _DEMANDING and len(last) > _GIVEN and re.search(r"[\u4e00-\u9fff\d]$", last)
    return bool(told) and not asks(last) and not is_topic(last)


def _left_open(text: str) -> bool:
    """Whether a bracket, a quotation or a formula near the end is never closed."""
    if text.count("$") % 2 and re.search(
        r"\$[^$\u4e00-\u9fff]*[=\\^_][^$\u4e00-\u9fff]*$|\$\s*$", text[-_NEAR_END:]
    ):
        return True
    bare = re.sub(r"\$[^$]*\$", "", text)
    for opens, closes in _PAIRS:
        if sum(map(bare.count, opens)) > sum(map(bare.count, closes)):
            last = max(bare.rfind(sign) for sign in opens)
            if len(bare) - last <= _NEAR_END and not any(sign in bare[last:] for sign in closes):
                return not re.search(r"[;{}]", bare[last:])
    return False


def answer_cut(reference: str) -> bool:
    """Whether a reference breaks off: at a comma, a joining word, or inside a bracket."""
    last = reference.rstrip()
    if len(last) < 6:
        return False
    return bool(_OPEN_END.search(last[-4:]) or _CUT_WORD.search(last[-16:])) or _left_open(last)


def _folded(text: str) -> str:
    """The folded text with a number at its head, which is part of an answer."""
    return fold(f"答{text}")[1:]


def gives_away(prompt: str, material: str, reference: str | None, kind: QuestionType) -> bool:
    """Whether an item contains its own answer: marked as one, or nearly all words of the reference."""
    if GIVEN_AWAY.search(f"{material}\n{without_instruction(prompt)}"):
        return True
    if kind is QuestionType.TRUE_FALSE or not reference:
        return False
    answer, shown = _folded(reference), _folded(prompt)
    if len(answer) < _SHARE or answer.isdigit():
        return False
    if answer in shown:
        return True
    pieces = {answer[at : at + _SHARE] for at in range(len(answer) - _SHARE + 1)}
    return len(answer) >= 2 * _SHARE and sum(piece in shown for piece in pieces) > 0.8 * len(pieces)


def letter_left(stem: str) -> bool:
    """Whether a choice still shows a letter in its brackets."""
    return bool(LETTER_LEFT.search(without_formulas(stem)))
