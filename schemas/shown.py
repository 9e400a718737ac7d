"""What steers a terminal or a page, spelled out: texts of files and endpoints are shown, never obeyed."""

from __future__ import annotations

import re

# Control characters, line ends that no editor shows, broken UTF-8, marks that turn the direction of writing.
_STEERS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_IN_TEXT, _IN_LABEL = re.compile(f"[{_STEERS}]"), re.compile(f"[\t\n{_STEERS}]")


def seen(text: str) -> str:
    r"""A text with what steers spelled out, ESC as \x1b; its lines and tabs stay."""
    return _IN_TEXT.sub(_spelled, text)


def label(text: str) -> str:
    r"""A name or another text that is part of a line: line ends are spelled out as well."""
    return _IN_LABEL.sub(_spelled, text)


def json_seen(text: str) -> str:
    """JSON in which no character steers a terminal: it says the same."""
    return _IN_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
