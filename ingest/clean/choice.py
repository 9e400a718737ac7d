"""Multiple choice made generative: an open question, or one statement to judge per option."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.clean.answers import choice_letters
from ingest.clean.text import BLANK, blanks
from schemas.question import Draft, Option
from schemas.text import fold
from schemas.wording import Wording

_TOLD_BELOW = (
    r"(?!\S{0,6}(?:图|表|程序|代码|函数|定义|电路|材料|案例|资料|信息|数据(?!结构|库|元素|类型|模型)|短文|算法|树|网络|所示|关系|声明"
    r"|事务|语句[:：]|矩阵|方程))"
)
"""After 下列: what stands below is part of the stem, not the options."""

_NEEDS_OPTIONS = re.compile(
    rf"(?:下列|以下|下面|下述){_TOLD_BELOW}|(?:下列|以下|下面|下述)[^。]*(?<!目)的(?:是|有|为)\W*$|如下(?:选项|说法|叙述)"
    r"|哪[一个]?[项组]|哪些选项|选项|备选|不可能|有可能|可能(?:的|是|出现|执行|导致)"
    r"|(?:不)?(?:正确|恰当|准确|错误|妥当|合适|合理|符合|合法|成立|无效|有效|对)的"
    r"[^，,。；;]{0,8}?(?:是|有|为|表述|说法|叙述)\W*$|哪\S{0,4}不"
    r"|不(?:属于|包括|是|能|可以|会|需要|适[合用]|应|宜|符合|正确|恰当|包含|具有|影响)[^，,。？?]{0,14}\W*$"
    r"|除[^。]{0,20}外|(?:则|必有?|可[知得]|一定有?|应该?)\W*$"
    r"|which (?:one )?of the|of the following|\bexcept\b|not true|best (?:describes|answer)|statements?"
    r"|the correct (?:answer|option|choice)",
    re.IGNORECASE,
)
_PICKS = re.compile(r"(?<!目)的(?:是|有|为)\W*$")
"""…的是: open only where the options are short names."""

_PREDICATE = re.compile(
    r"(?:[是为即指有到于由用成达约叫作称在=≈≤≥<>]|属于|等于|称为|至少|最多|最小|最大|大约|共有?|分别|因为|取决于|导致)\W*$"
)
_ROLE = re.compile(
    r"(?:原因|标志|目的|意义|作用|特点|特征|实质|本质|功能|任务|定义|含义|内容|概念|结果|结论|原则|方法|依据|是指|指的是|功绩|条件)(?:就)?是?\W*$"
)
_SHORT_NAME, _LONG_OPTION = 6, 12
"""Folded characters of a mere name; Han characters of an option that no open answer would meet."""

_HAN = re.compile("[\u4e00-\u9fff]")

_COMPARES = re.compile(r"最|第一|least|most|best|greatest|largest|smallest", re.IGNORECASE)
_REFERS = re.compile(
    r"^\W*(?:以上|上述|前述|[都均](?:是|对|不|错|正确))|^\W*(?:选项)?[A-H]\s?[和与、,及]\s?[A-H](?![A-Za-z])"
    r"|(?i:(?:all|none|both|neither) of (?:the above|these|them)|\b(?:both )?[A-H] and [A-H]\b)"
)
# Ⅰ和Ⅲ, 仅①②: such options name statements that stand in the stem.
_COMBINATION = re.compile(r"(?:只有|仅有?|只)?[\sⅠⅡⅢⅣⅤIV①-⑳、，,和及与]{1,24}")
_EXPLAINS = re.compile(r"^\s*[【\[]?(?:解析|解答|解|分析|详解)[】\]]?\s*[:：]?\s*")
_LETTER_SAID = re.compile(
    r"[，,。;；]?\s*(?:因此|所以|故|因而|可见)?\s*(?:本题)?(?:正确)?(?:的)?(?:答案|应?选择?)\s*(?:是|为|选择?)?"
    r"\s*[:：]?\s*[A-H](?:选?项)?\s*(?=[。.，,；;]|$)"
)
_BY_LETTER = re.compile(
    r"(?<![A-Za-z$\\])[A-H]\s?(?:[选]?项|[错对]|正确|错误|不正确|[、，,]\s?[A-H])|选\s?[A-H]|选项\s?[A-H]"
)
_ASKS = re.compile(
    r"[?？]\s*$|什么|多少|哪|谁|何时|几|\bwhat\b|\bwho\b|\bwhen\b|\bwhere\b|\bhow\b", re.IGNORECASE
)
_END_BLANK = re.compile(rf"(?:\s*(?:{BLANK}|[（(]\s*[)）])){{1,6}}\s*[。.]?\s*$")


@dataclass(frozen=True, slots=True)
class Item:
    """One generative item before it becomes a record."""

    prompt: str
    reference: str | None
    sibling: str
    rule: str
    judged: bool = False
    options_kept: bool = False
    unmarked: bool = False
    cut: bool = False


def choice_items(draft: Draft, policy: str, words: Wording) -> list[Item]:
    """Items of a multiple-choice draft whose options are whole; see the page on generative forms.

    policy: 'open_or_statements', or 'statements' to judge each option of every question.
    """
    labels = frozenset(option.label.strip().upper()[:1] for option in draft.options)
    right = choice_letters(draft.answer or "", labels)
    listed = "\n".join(f"{option.label}. {option.text}" for option in draft.options)
    stem = draft.stem.strip()
    if not right:
        rule = "choice: options kept, answer unknown"
        return [
            Item(
                f"{words.choose}\n{_tidy(stem)}\n{listed}",
                draft.answer or None,
                "1/1",
                rule,
                options_kept=True,
            )
        ]
    chosen = [option for option in draft.options if option.label.strip().upper()[:1] in right]
    if policy == "open_or_statements" and stands_alone(stem, draft.options, chosen):
        rule = "choice: asked openly"
        if combined(draft.options):
            prompt = f"{words.by_number}\n{blanks(_tidy(stem))}"
            return [Item(prompt, chosen[0].text.strip(), "1/1", rule + " by its numbers")]
        return [Item(_open(stem, words), chosen[0].text.strip(), "1/1", rule)]
    if any("[图]" in option.text for option in draft.options) or any(map(_refers, draft.options)):
        rule = "choice: options kept, they show or name one another"
        reference = "\n".join(f"{option.label}. {option.text}" for option in chosen)
        return [Item(f"{words.choose}\n{_tidy(stem)}\n{listed}", reference, "1/1", rule, options_kept=True)]
    answer = words.joiner.join(option.text.strip() for option in chosen)
    why = reason_of(draft.explanation)
    reason = f"{words.stop if words.gap else '。'}{words.gap}{words.reason}{why}" if why else ""
    shown = f"\n{words.all_options}\n{listed}" if _COMPARES.search(stem) else ""
    items = []
    for at, option in enumerate(draft.options, 1):
        good = option in chosen
        said = words.right if good else f"{words.wrong}{words.gap}{words.right_option}{answer}"
        said = f"{said.rstrip('。.')}{reason}" if reason else said
        prompt = (
            f"{words.judge_option}\n{words.question}{_tidy(stem)}{shown}\n{words.option}{option.text.strip()}"
        )
        items.append(
            Item(prompt, said, f"{at}/{len(draft.options)}", "choice: one statement an option", judged=True)
        )
    return items


def stands_alone(stem: str, options: tuple[Option, ...], chosen: list[Option]) -> bool:
    """Whether a stem can be answered without its options, with the one right option as reference."""
    if len(chosen) != 1 or len(options) < 2:
        return False
    text = chosen[0].text.strip()
    if not text or "[图]" in text or _refers(chosen[0]):
        return False
    if combined(options):
        return True
    if _NEEDS_OPTIONS.search(stem):
        return False
    lengths = [len(fold(option.text)) for option in options]
    if _PICKS.search(stem) and max(lengths) > _SHORT_NAME:
        return False
    bare = _END_BLANK.sub("", stem).rstrip(" 。.：:")
    if _ASKS.search(bare) or BLANK in blanks(bare):
        return True
    if not _PREDICATE.search(bare) and bare[-1:] not in "$)）":
        return bool(_ROLE.search(bare)) or len(fold(text)) <= _SHORT_NAME
    return len(_HAN.findall(text)) < _LONG_OPTION or bool(_ROLE.search(bare)) or "$" in text


def combined(options: tuple[Option, ...]) -> bool:
    """Whether all options are sets or orders of statements numbered in the stem: Ⅰ和Ⅲ, ③①②."""
    return all(_COMBINATION.fullmatch(option.text.strip()) for option in options)


def reason_of(explanation: str | None) -> str:
    """An explanation as a reason of one option, without the letter; '' where it names options by letter."""
    text = _LETTER_SAID.sub("", _EXPLAINS.sub("", explanation or "")).strip(" ，,。\n")
    return "" if not text or _BY_LETTER.search(text) else f"{text}。"


def _refers(option: Option) -> bool:
    return bool(_REFERS.search(option.text))


def _tidy(stem: str) -> str:
    """The stem without the empty bracket at its end, where options follow."""
    return _END_BLANK.sub("", stem).rstrip("：: ") or stem


def _open(stem: str, words: Wording) -> str:
    """The stem as an open question: as it stands when it asks, else with a blank to fill."""
    bare = _END_BLANK.sub("", stem)
    if BLANK in blanks(bare):
        return f"{words.fill}\n{blanks(_one_blank(stem, bare))}"
    if bare and _ASKS.search(bare):
        return bare
    return f"{words.fill}\n{bare.rstrip('：:，, ')}{BLANK}{words.stop}"


def _one_blank(stem: str, bare: str) -> str:
    """A bracket for the letter after a sentence that already has its blank goes away."""
    return bare if re.search(r"[。.？?！!]\s*$", bare) else stem
