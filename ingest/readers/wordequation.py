"""Equations that Word holds as objects or as pictures: MathType and Equation Editor data as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ingest.readers.latex import tidy
from ingest.readers.mtef import EquationError, decode
from ingest.readers.worddrawing import Drawing

_PROGRAM = re.compile(r"equation|mathtype", re.I)
_STREAM = "Equation Native".encode("utf-16-le")  # its directory entry: converters keep data but no names
_METAFILES = (b"\xd7\xcd\xc6\x9a", b"\x01\x00\x09\x00", b"\x02\x00\x09\x00", b"\x01\x00\x00\x00", b"\x1f\x8b")


@dataclass(frozen=True)
class Found:
    """An equation: its LaTeX, None when it could not be read; part is set when signs of it were lost."""

    latex: str | None
    part: bool = False


def object_equation(drawing: Drawing, data: Callable[[str], bytes | None]) -> Found | None:
    """The equation a drawing holds, None when it holds none.

    data gives the bytes of a relationship, None when they are not in the file. The object is asked
    first, then its pictures: both carry the same equation, and some documents kept the picture alone.
    """
    stored = data(drawing.embedded) if drawing.embedded else None
    named = bool(_PROGRAM.search(drawing.program)) or (stored is not None and _STREAM in stored)
    if drawing.program and not named:
        return None
    if not drawing.program and (len(drawing.pictures) != 1 or drawing.boxes or drawing.grouped):
        return None
    sources = [stored] if stored is not None else []
    damaged = named
    for key in drawing.pictures:
        picture = data(key)
        if picture is not None and picture.startswith(_METAFILES):
            sources.append(picture)
    for source in sources:
        try:
            equation = decode(source)
        except EquationError as error:
            damaged = damaged or error.code != "no_equation"
            continue
        return Found(tidy(equation.latex), bool(equation.losses))
    return Found(None) if damaged else None
