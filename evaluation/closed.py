"""Answers from a closed set: which options a text chooses, and whether it says yes or no."""

from __future__ import annotations

import re
import unicodedata

_JOINED = r"(?:[\s,，、;；/和与及]*[A-H])*"
_LETTERS = re.compile(rf"^[\s(（\[]*([A-H]{_JOINED})[\s)）\].。．、]*$")
_LEADING = re.compile(
    rf"^[\s(（\[*]*([A-Ha-h]{_JOINED})[\s)）\]*]*(?:[.。．、:：,，]|$|\s+(?![a-z])|(?=[\u4e00-\u9fff]))"
)
# "the answer is", "choose", "option ... is right", and the letters that follow.
_NAMED = re.compile(
    r"(?:答案|应选|应该选|故选|所以选|因此选|选择|选项|正确的?是|选|answer(?:\s+is)?|option|choose)"
    r"[^A-Za-z\n]{0,12}?[\s(（\[:：*“\"]*([A-H](?:[\s,，、;；/和与及]{0,3}(?:选项)?[A-H])*|[a-h](?=[\s).。．、:：]))(?![A-Za-z])"
)
_OPTION_F = re.compile(r"(?<![A-Za-z])F\s*[.．、:：)）]")
_OPTION = re.compile(
    r"(?<![A-Za-z])([A-H])\s?[.、:)][ \t]*([^\n]{0,200}?)[ \t;。.]*(?=\s[A-H]\s?[.、:)]|\n|$)"
)
_DENIED = re.compile(r"(?:不选|不能选|排除|不正确|错误|不符合|incorrect|wrong)[^。\n]{0,4}$", re.IGNORECASE)
_ALONE = re.compile(r"(?<![A-Za-z0-9])([A-H])(?![A-Za-z0-9'’]| [a-z])")

_YES = [
    "正确",
    "是的",
    "对的",
    "成立",
    "对",
    "是",
    "能",
    "可以",
    "会",
    "有",
    "√",
    "✓",
    "true",
    "yes",
    "t",
    "right",
    "correct",
]
_NO = [
    "不正确",
    "错误",
    "不是",
    "不对",
    "不能",
    "不可以",
    "不会",
    "不成立",
    "并非",
    "没有",
    "错",
    "否",
    "不",
    "无",
    "×",
    "✗",
    "x",
    "false",
    "no",
    "f",
    "wrong",
    "incorrect",
]
_VERDICTS = sorted([(w, True) for w in _YES] + [(w, False) for w in _NO], key=lambda pair: -len(pair[0]))
_BARE = {word: value for word, value in _VERDICTS}
# Where in a longer reply a verdict stands: at its head, or after words that announce one.
_HEAD = re.compile(
    r"^[\s*“\"(（]*(?:(?:答案?|回答|判断|结论)[是为:：\s]{0,3})?[“\"*(（]*("
    + "|".join(re.escape(word) for word, _ in _VERDICTS if len(word) > 1 or word in "对错是否能会不√×tf")
    + r")(?=[\s,，。.;；:：!！、*”\")）]|$|的|，)"
)
_NEGATED = re.compile(r"不一定|不总是|不完全|不总|并不|并非|不|没有|无法|未必|\bnot\b|n't\b|cannot")
_SENTENCE = re.compile(r"[。.!！?？\n]")
_SAID = re.compile(
    r"(?:(?:这个|该|此|这|本题|题目|上述|以上)?(?:说法|观点|表述|陈述|判断|命题|结论|句话|描述|论断|叙述|答案|选项|statement)"
    r"[^。\n]{0,8}?(?:是|为|:|：|is)?\s*[“\"*]*)(不一定|不正确|不准确|不对|错误|错|正确|准确|对|true|false|成立|不成立|correct|incorrect)"
)
_SAID_NO = ("不", "错", "false", "incorrect")


def letters(reference: str, question: str = "") -> str:
    """The options a reference consists of, 'AC' for 'A、C'; '' when it is more than letters.

    A lone F is 'false' unless the question prints an option F.
    """
    found = _LETTERS.match(unicodedata.normalize("NFKC", reference))
    if found and found[1] == "F" and not _OPTION_F.search(question):
        return ""
    return "".join(sorted(set(re.findall("[A-H]", found[1])))) if found else ""


def chosen(reply: str, question: str = "") -> str:
    """The options a reply chooses: named as the answer, or at its head, or the only ones it mentions.

    A reply without any letter chooses the options whose words, as the question prints them, it holds.
    """
    text = unicodedata.normalize("NFKC", reply)
    named = [m for m in _NAMED.finditer(text) if not _DENIED.search(text[max(0, m.start() - 12) : m.start()])]
    if named:
        # The last one: what comes before a conclusion is often the options gone through one by one.
        return _set(named[-1][1])
    if head := _LEADING.match(text):
        return _set(head[1])
    if alone := _ALONE.findall(text):
        return _set("".join(alone))
    options = _OPTION.findall(unicodedata.normalize("NFKC", question))
    return _set("".join(letter for letter, words in options if len(words) > 1 and words in text))


def verdict(reference: str) -> bool | None:
    """What a reference that is a bare verdict says: True for yes; None when it is no verdict."""
    return _BARE.get(unicodedata.normalize("NFKC", reference).strip(" \t\r\n。.!！;；").lower())


def leading_verdict(text: str) -> bool | None:
    """The verdict at the head of a text, or the first that it announces; None when there is none."""
    text = unicodedata.normalize("NFKC", text).lower()
    if head := _HEAD.match(text):
        return _BARE[head[1]]
    if said := _SAID.search(text):
        return not said[1].startswith(_SAID_NO)
    return None


def leaning(text: str) -> bool:
    """What a text without a plain verdict leans to: no, when its first full sentence denies something."""
    text = unicodedata.normalize("NFKC", text).lower()
    first = next((part for part in _SENTENCE.split(text[:400]) if len(part.strip()) > 3), text[:400])
    return _NEGATED.search(first) is None


def _set(letters: str) -> str:
    return "".join(sorted(set(re.findall("[A-H]", letters.upper()))))
