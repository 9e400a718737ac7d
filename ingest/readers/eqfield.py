r"""EQ fields, Word's oldest formulas: \f fractions, \r roots, \s raised text, \o overstrikes."""

from __future__ import annotations

import re

from ingest.readers.common import whole

_SWITCH = re.compile(r"\\([a-z]{1,2})\s*", re.I)
_CIRCLES = set("○◯⭘〇")
_MAX = 4_000


def eq_field(code: str) -> str | None:
    """What an EQ field shows: '①' for an enclosed number, `$LaTeX$` for a formula, None when unknown.

    code is the field's instruction without its leading EQ.
    """
    code = code.strip()
    if not code or len(code) > _MAX:
        return None
    try:
        parsed, rest = _Parser(code).text(depth=0, stops="")
    except (ValueError, IndexError, RecursionError):
        return None
    if rest:
        return None
    is_plain = len(parsed) <= 2 or not any(sign in parsed for sign in "\\^_")
    return parsed if is_plain else f"${parsed}$"


class _Parser:
    def __init__(self, code: str) -> None:
        self.code, self.at = code, 0

    def text(self, depth: int, stops: str) -> tuple[str, str]:
        """Read up to one of the stops; returns what is shown and what is left over."""
        if depth > 12:
            raise ValueError("too deep")
        shown = ""
        while self.at < len(self.code):
            char = self.code[self.at]
            if char in stops:
                return shown, ""
            match = _SWITCH.match(self.code, self.at)
            if match:
                shown += self.switch(match, depth)
            elif char == "\\" and self.at + 1 < len(self.code):
                shown += self.code[self.at + 1]
                self.at += 2
            elif char == "(":
                self.at += 1
                inner, _ = self.text(depth + 1, ")")
                self.expect(")")
                shown += f"({inner})"
            else:
                shown += char
                self.at += 1
        return shown.strip(), ""

    def expect(self, char: str) -> None:
        if self.at >= len(self.code) or self.code[self.at] != char:
            raise ValueError(char)
        self.at += 1

    def arguments(self, depth: int) -> list[str]:
        while self.at < len(self.code) and self.code[self.at] == " ":
            self.at += 1
        self.expect("(")
        found = []
        while True:
            inner, _ = self.text(depth + 1, ",;，)")
            found.append(inner.strip())
            if self.code[self.at] == ")":
                self.at += 1
                return found
            self.at += 1

    def switch(self, match: re.Match[str], depth: int) -> str:
        self.at = match.end()
        name = match[1].lower()
        options = []
        while (more := re.compile(r"\\([a-z]{2})(\d*)\s*", re.I).match(self.code, self.at)) is not None:
            options.append(more[1].lower())
            self.at = more.end()
        values = self.arguments(depth)
        return _show(name, options, values)


def _show(name: str, options: list[str], values: list[str]) -> str:
    if name == "f" and len(values) == 2:
        return rf"\frac{{{values[0]}}}{{{values[1]}}}"
    if name == "r":
        if len(values) == 2:
            return rf"\sqrt[{values[0]}]{{{values[1]}}}"
        return rf"\sqrt{{{values[0]}}}"
    if name == "s":
        return (f"_{{{values[0]}}}" if "do" in options else f"^{{{values[0]}}}") if values else ""
    if name == "o" and len(values) == 2:
        return _overstrike(*values)
    if name == "b" and len(values) == 1:
        return rf"\left({values[0]}\right)"
    if name == "x" and len(values) == 1:
        return rf"\overline{{{values[0]}}}"
    if name == "l":
        return ",".join(values)
    raise ValueError(name)


def _overstrike(frame: str, inner: str) -> str:
    """A character in a circle as one character; an arrow or bar over letters as an accent."""
    if inner in _CIRCLES:
        frame, inner = inner, frame
    if frame in _CIRCLES:
        if 1 <= whole(inner) <= 20:
            return chr(0x245F + whole(inner))
        return inner
    for base, mark in ((frame, inner), (inner, frame)):
        plain = re.sub(r"\^\{(.*)\}", r"\1", mark)
        if plain in {"→", "⃗"}:
            return rf"\overrightarrow{{{base}}}"
        if plain in {"-", "¯", "‾", "—"}:
            return rf"\overline{{{base}}}"
    raise ValueError("overstrike")
