"""Pieces of a formula as LaTeX: how they are joined, and how scripts take hold of what stands before them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_COMMAND_END = re.compile(r"\\[A-Za-z]+$")
_TAIL = 40  # characters: longer than any command
_MAX_NESTED = 3  # scripts on scripts of one base; further ones stand on their own

ATOM, GROUP, SPACE, MARK = "atom", "group", "space", "mark"


@dataclass(slots=True)
class Piece:
    """One thing in a line. GROUP needs braces before a script; MARK is where lines are aligned."""

    text: str
    kind: str = ATOM
    sub: str = ""
    sup: str = ""
    nested: int = 0
    tall: bool = False
    relation: bool = False

    def shown(self) -> str:
        """The piece with its scripts. A prime takes a raised script only right behind it."""
        low = f"_{{{self.sub}}}" if self.sub else ""
        high = f"^{{{self.sup}}}" if self.sup else ""
        return self.text + (high + low if self.text.endswith("'") else low + high)


@dataclass(frozen=True, slots=True)
class Text:
    """A finished line: tall when fences around it must grow, simple when it is one sign or number."""

    text: str
    tall: bool = False
    simple: bool = False


def join(texts: Iterable[str]) -> str:
    """Texts one after the other, with a space where a command would swallow the next letter."""
    parts: list[str] = []
    last = ""
    for text in texts:
        if not text:
            continue
        if text[0].isascii() and text[0].isalnum() and _COMMAND_END.search(last):
            parts.append(" ")
        parts.append(text)
        last = text[-_TAIL:]
    return "".join(parts)


def finish(pieces: Sequence[Piece], *, marks: bool = False) -> Text:
    """The pieces of a line as text; alignment marks become `&` only where marks is set."""
    kept: list[Piece] = []
    for piece in pieces:
        last = kept[-1] if kept else None
        if piece.kind == MARK and not marks:
            continue
        if piece.text == "," and last and last.kind == SPACE:
            kept.pop()
        elif piece.kind == SPACE:
            if last is None or last.kind == MARK:
                continue
            if last.kind == SPACE:
                if last.text != " ":
                    kept[-1] = Piece(r"\quad", SPACE)  # a row of thin spaces is one wide one
                continue
            if last.text == "," and not last.sub + last.sup:
                piece = Piece(" ", SPACE)
        kept.append(piece)
    while kept and kept[-1].kind == SPACE:
        kept.pop()
    text = join("&" if piece.kind == MARK else piece.shown() for piece in kept)
    simple = text.isdigit() or (len(kept) == 1 and kept[0].kind == ATOM and not kept[0].sub + kept[0].sup)
    return Text(text, any(piece.tall for piece in kept), simple)


def attach(pieces: list[Piece], sub: str, sup: str) -> None:
    """Hang scripts on the last piece; a base of its own is made where there is none."""
    if not sub and not sup:
        return
    base = pieces[-1] if pieces else None
    if base is None or base.kind in {SPACE, MARK}:
        pieces.append(Piece("{}", sub=sub, sup=sup))
        return
    if set(sup) == {"'"} and not base.sup:
        base.text += sup
        sup = ""
    if (sub and base.sub) or (sup and base.sup):
        if base.nested >= _MAX_NESTED:
            pieces.append(Piece("{}", sub=sub, sup=sup))
            return
        base.text, base.sub, base.sup = f"{{{base.shown()}}}", "", ""
        base.nested += 1
    elif base.kind == GROUP and not base.sub and not base.sup:
        base.text, base.kind = f"{{{base.text}}}", ATOM
    base.sub, base.sup = base.sub or sub, base.sup or sup
