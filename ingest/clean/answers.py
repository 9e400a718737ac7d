"""Printed answers in one form: letters of a choice, the verdict of a statement, answers of parts."""

from __future__ import annotations

import re

from schemas.question import Part

_LETTERS = re.compile(r"^[\s（(【\[]*([A-Ha-h](?:\s*[,，、;； ]?\s*[A-Ha-h]){0,7})[\s)）】\].．、。:：]*$")
_LETTER_HEAD = re.compile(r"^[\s（(【\[]*([A-H])[)）】\].．、:：\s]\s*\S")
_RIGHT = re.compile(
    r"^[\s（(]*(?:√|✓|✔|正确(?!的)|[对是真](?=[\s，,。.；;：:)）]|$)|t(?:rue)?\b|yes\b|right\b|correct\b)[\s)）]*",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"^[\s（(]*(?:×|✗|✘|╳|错误?|不正确|不对|[x否假](?=[\s，,。.；;：:)）]|$)|f(?:alse)?\b|no\b|wrong\b|incorrect\b)[\s)）]*",
    re.IGNORECASE,
)
_EDGE = " \t\n，,。.；;：:、"


def choice_letters(answer: str, labels: frozenset[str]) -> tuple[str, ...]:
    """The right labels named by an answer ('AD', 'A、D', 'B. text'), () when it names none of labels."""
    found = _LETTERS.match(answer)
    letters = re.findall(r"[A-Ha-h]", found[1]) if found else []
    if not letters and (head := _LETTER_HEAD.match(answer)):
        letters = [head[1]]
    unique = tuple(dict.fromkeys(letter.upper() for letter in letters))
    return unique if unique and set(unique) <= labels else ()


def verdict(answer: str) -> tuple[bool | None, str]:
    """Whether an answer says right or wrong (None when neither), and the reason after it."""
    for value, pattern in ((False, _WRONG), (True, _RIGHT)):
        found = pattern.match(answer)
        if found:
            return value, answer[found.end() :].strip(_EDGE)
    return None, answer.strip()


def part_answers(answer: str | None, parts: tuple[Part, ...]) -> tuple[str | None, ...] | None:
    """One answer a part: its own, or cut out of the common answer by the parts' own marks.

    None when some parts have an answer and others cannot be told apart from it; a tuple of None
    when there is no answer at all.
    """
    own = tuple(part.answer for part in parts)
    if all(own):
        return own
    if not answer:
        return own if not any(own) else None
    places = []
    start = 0
    for part in parts:
        mark = part.number.strip()
        at = answer.find(mark, start) if mark else -1
        if at < 0:
            return None
        places.append((at, at + len(mark)))
        start = at + len(mark)
    if answer[: places[0][0]].strip(_EDGE):
        return None
    ends = [at for at, _ in places[1:]] + [len(answer)]
    cut = tuple(answer[begin:end].strip() for (_, begin), end in zip(places, ends, strict=True))
    return cut if all(cut) else None
