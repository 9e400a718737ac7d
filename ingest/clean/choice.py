"""Multiple choice made generative: an open question, or one statement to judge per option."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.clean.answers import choice_letters
from ingest.clean.text import BLANK, blanks
from ingest.clean.wording import Wording
from schemas.question import Draft, Option

_NEEDS_OPTIONS = re.compile(
    r"下列|以下|下面|下述|如下|哪一?[项组]|哪些选项|选项|备选|不可能|有可能|可能(?:的|是|出现|执行|导致)"
    r"|(?:不)?(?:正确|恰当|准确|错误|妥当|合适|合理|符合|合法|成立|对)的"
    r"(?:一[项个组])?(?:是|有|为|表述|说法|叙述)|(?:不属于|不包括|不是|不能)[^。？?]{0,20}(?:的)?(?:是|有)\W*$"
    r"|除[^。]{0,20}外"
    r"|which (?:one )?of the|of the following|\bexcept\b|not true|best (?:describes|answer)|statements?"
    r"|the correct (?:answer|option|choice)",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"最|第一|least|most|best|greatest|largest|smallest", re.IGNORECASE)
_REFERS = re.compile(
    r"^\W*(?:以上|上述|前述|[都均](?:是|对|不|错|正确))|(?<![A-Za-z])[A-H]\s?[和与、]\s?[A-H](?![A-Za-z])"
    r"|(?:all|none|both|neither) of (?:the above|these|them)",
    re.IGNORECASE,
)
# Ⅰ和Ⅲ, 仅①②: such options name statements that stand in the stem.
_COMBINATION = re.compile(r"(?:只有|仅有?|只)?[\sⅠⅡⅢⅣⅤIV①-⑳、，,和及与]{1,24}")
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
        return [Item(_open(stem, words), chosen[0].text.strip(), "1/1", "choice: asked openly")]
    if any("[图]" in option.text for option in draft.options) or any(map(_refers, draft.options)):
        rule = "choice: options kept, they show or name one another"
        reference = "\n".join(f"{option.label}. {option.text}" for option in chosen)
        return [Item(f"{words.choose}\n{_tidy(stem)}\n{listed}", reference, "1/1", rule, options_kept=True)]
    answer = words.joiner.join(option.text.strip() for option in chosen)
    shown = f"\n{words.all_options}\n{listed}" if _COMPARES.search(stem) else ""
    items = []
    for at, option in enumerate(draft.options, 1):
        good = option in chosen
        said = words.right if good else f"{words.wrong}{words.gap}{words.right_option}{answer}"
        prompt = (
            f"{words.judge_option}\n{words.question}{_tidy(stem)}{shown}\n{words.option}{option.text.strip()}"
        )
        items.append(
            Item(prompt, said, f"{at}/{len(draft.options)}", "choice: one statement an option", judged=True)
        )
    return items


def stands_alone(stem: str, options: tuple[Option, ...], chosen: list[Option]) -> bool:
    """Whether a stem can be answered without its options, with the one right option as reference."""
    if len(chosen) != 1:
        return False
    combined = all(_COMBINATION.fullmatch(option.text.strip()) for option in options)
    if _NEEDS_OPTIONS.search(stem) and not combined:
        return False
    text = chosen[0].text.strip()
    return bool(text) and "[图]" not in text and not _refers(chosen[0]) and len(options) >= 2


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
