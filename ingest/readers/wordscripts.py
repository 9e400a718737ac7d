"""Raised and lowered runs of a Word paragraph as formulas: CH with a lowered 3 is $CH_{3}$, which goes on."""

from __future__ import annotations

import re

from ingest.readers.symbols import greek

SIGNS = {"superscript": "^", "subscript": "_"}
_SCRIPT_CHARS = 12
_BASE = re.compile(r"(?:[A-Za-z\u0370-\u03ff]{1,6}|\d{1,8})$")
_HAN = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff0f]")
_ENDING = re.compile(r"[，。；：、？！）,;]+$")
_NAME = re.compile(r"[\u4e00-\u9fff]{1,4}")  # m with a lowered 最大
_GROUP = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_SCRIPTS = re.compile(rf"([_^]){_GROUP}(?:([_^]){_GROUP})?\$$")
_LAST = 80  # characters in which the scripts of the last base lie
_DEPTH = {")": 1, "]": 1, "(": -1, "[": -1}
_BRACKET_CHARS = 60
_WORD = re.compile(r"(?<![\\a-z])[a-z]{4}")
_LETTERS = re.compile(r"[A-Za-z]{1,6}$")
_FORMULA_CHARS = 200
_TEXT = re.compile(r"\\text\{[^{}]*\}")


def with_script(text: str, words: str, sign: str) -> str:
    """Append a raised or lowered run to the text before it; long or Han runs stay plain.

    sign: ^ or _. Where a formula stands right before, the script or its base goes into it: two
    formulas never touch, for $$ opens a display.
    """
    inner = words.strip()
    ending = _ENDING.search(inner)
    if ending and ending.start():
        # what ends the clause is set raised by mistake: v with a lowered "0,"
        return with_script(text, words[: words.rfind(ending[0])], sign) + words[words.rfind(ending[0]) :]
    named = sign == "_" and _NAME.fullmatch(inner) and _BASE.search(text[-8:])
    if named:
        inner = rf"\text{{{inner}}}"
    elif not inner or len(inner) > _SCRIPT_CHARS or _HAN.search(inner) or "$" in inner:
        return text + words
    if not named:
        inner = inner.replace("\\", r"\backslash ").replace("_", r"\_").replace("^", r"\^{}")
    tail = words[len(words.rstrip()) :]
    if _ends_formula(text):
        scripts = _SCRIPTS.search(text[-_LAST:])
        again = "{}" if scripts and sign in scripts.groups() else ""
        return f"{text[:-1]}{again}{sign}{{{greek(inner)}}}${tail}"
    base = _base(text)
    if not base:
        apart = " " if text.endswith("$") else ""
        return f"{text}{apart}${sign}{{{inner}}}${tail}"
    head = text[: len(text) - len(base)]
    scripted = f"{greek(base.replace('$', ''))}{sign}{{{greek(inner)}}}$"
    if _ends_formula(head):
        apart = " " if head[-2].isalpha() else ""
        return f"{head[:-1]}{apart}{scripted}{tail}"
    return f"{head}${scripted}{tail}"


def _ends_formula(text: str) -> bool:
    """Whether a formula ends with the text; a sign of money at its end is none."""
    if not text.endswith("$") or text.count("$") % 2:
        return False
    formula = text[text.rfind("$", 0, -1) : -1]
    return 1 < len(formula) <= _FORMULA_CHARS and not _HAN.search(_TEXT.sub("", formula))


def _base(text: str) -> str:
    """What a script at the end of the text belongs to: letters, a number, or brackets and letters before."""
    plain = _BASE.search(text[-8:])
    if plain:
        return plain[0]
    if not text.endswith((")", "]")):
        return ""
    depth = 0
    for back in range(1, min(len(text), _BRACKET_CHARS) + 1):
        depth += _DEPTH.get(text[-back], 0)
        if depth == 0:
            inside = text[-back:]
            whole = inside.count("$") % 2 == 0 and not _HAN.search(inside) and not _WORD.search(inside)
            before = _LETTERS.search(text[-back - 6 : -back])
            return (before[0] if before else "") + inside if whole and back > 2 else ""
    return ""
