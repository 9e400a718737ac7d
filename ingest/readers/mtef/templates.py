"""Every template of the format as LaTeX: which selector means what, and how each is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from ingest.readers.mtef.chars import LIMIT_NAMES
from ingest.readers.mtef.fences import fence
from ingest.readers.mtef.pieces import ATOM, GROUP, Piece, Text, join
from ingest.readers.mtef.records import Line, Node, Pile, Template


class Writer(Protocol):
    """What templates ask of the writer of the tree."""

    def text(self, node: Line | Pile, *, small: bool = False) -> Text:
        """A slot as text; small for limits and labels, where a pile is a list."""

    def block(self, node: Node, *, marks: bool = False) -> list[list[str]] | None:
        """Rows of cells of a pile or matrix, None for anything else."""


Render = Callable[[Writer, Template], Piece]


def renderer(version: int, selector: int, variation: int) -> Render | None:
    """How to write a template, None when the format knows no such selector. Scripts are not among them."""
    return _v5(selector, variation) if version == 5 else _v3(selector, variation)


def scripts(version: int, selector: int, variation: int) -> str:
    """'' for a template that is no script, 'after' or 'before' (its base) for one that is."""
    if version == 5:
        return ("before" if variation & 1 else "after") if selector in {27, 28, 29} else ""
    return {15: "after", 44: "before"}.get(selector, "")


# -- what the selectors mean --------------------------------------------------------------------------

_FENCES = (
    (r"\langle", r"\rangle"),
    ("(", ")"),
    (r"\{", r"\}"),
    ("[", "]"),
    ("|", "|"),
    (r"\|", r"\|"),
    (r"\lfloor", r"\rfloor"),
    (r"\lceil", r"\rceil"),
    (r"\llbracket", r"\rrbracket"),
)
_ENDS = ("(", ")", "[", "]")
_INTERVALS = {8: ("[", "["), 9: ("]", "]"), 10: ("]", "["), 11: ("[", ")"), 12: ("(", "]")}
_SUMS = (r"\sum", r"\prod", r"\coprod", r"\bigcup", r"\bigcap")
_INTEGRALS = ((r"\int", r"\oint"), (r"\iint", r"\oiint"), (r"\iiint", r"\oiiint"))
_ARROWS = ("left", "right", "leftright")


def _v5(selector: int, variation: int) -> Render | None:
    if selector <= 9:
        return _v5_fence(selector, variation)
    if selector == 15:
        count = min(max(variation & 3, 1), 3) - 1
        command = _INTEGRALS[count][1 if variation & 0xC else 0]
        return partial(_big, command=command, limits=bool(variation & 0x40))
    if selector <= 20 and selector >= 16:
        return partial(_big, command=_SUMS[selector - 16], limits=False)
    way = 2 if variation & 3 == 3 else 0 if variation & 3 == 1 else 1
    named: dict[int, Render] = {
        10: _root,
        11: partial(_fraction, slash=bool(variation & 2)),
        12: partial(_wrapped, command=r"\underline", twice=bool(variation & 1)),
        13: partial(_wrapped, command=r"\overline", twice=bool(variation & 1)),
        14: partial(_arrow, command=_v5_arrow(variation)),
        21: partial(_operator, limits=bool(variation & 0x40)),
        22: partial(_operator, limits=True),
        23: _limit,
        24: partial(_label, command="brace", over=bool(variation & 1)),
        25: partial(_label, command="bracket", over=bool(variation & 1)),
        26: _division,
        30: partial(_dirac, left=variation & 3 != 2, right=variation & 3 != 1),
        31: partial(_vector, way=way, under=bool(variation & 4), harpoon=bool(variation & 8)),
        32: partial(_accent, one=r"\tilde", wide=r"\widetilde"),
        33: partial(_accent, one=r"\hat", wide=r"\widehat"),
        34: partial(_accent, one=r"\overset{\frown}", wide=r"\overset{\frown}"),
        35: partial(_accent, one=r"\overgroup", wide=r"\overgroup"),
        36: partial(_wrapped, command=_strike(variation)),
        37: partial(_box, sides=variation >> 1 & 15),
    }
    return named.get(selector)


def _v5_fence(selector: int, variation: int) -> Render | None:
    if selector == 9:
        left, right = variation & 15, variation >> 4 & 15
        return partial(fence, left=_ENDS[left & 3], right=_ENDS[right & 3])
    sides = variation & 3 or 3
    left_sign, right_sign = _FENCES[selector]
    return partial(fence, left=left_sign if sides & 1 else "", right=right_sign if sides & 2 else "")


def _v5_arrow(variation: int) -> str:
    if variation & 2:
        return r"\xrightleftharpoons"
    if variation & 1:
        return r"\xtofrom"
    way = variation >> 4 & 3
    return rf"\x{_ARROWS[(1, 0, 1, 2)[way]]}arrow"


def _strike(variation: int) -> str:
    if variation & 6 == 6:
        return r"\xcancel"
    return r"\cancel" if variation & 2 else r"\bcancel" if variation & 4 else r"\sout"


def _v3(selector: int, variation: int) -> Render | None:
    if selector <= 7:
        left, right = _FENCES[selector]
        return partial(fence, left="" if variation == 2 else left, right="" if variation == 1 else right)
    if selector in _INTERVALS:
        left, right = _INTERVALS[selector]
        return partial(fence, left=left, right=right)
    if 21 <= selector <= 26:
        return _v3_integral(selector, variation)
    if 29 <= selector <= 38:
        return partial(_big, command=_SUMS[(selector - 29) // 2], limits=False)
    upper_only = variation == 0
    named: dict[int, Render] = {
        13: _root,
        14: partial(_fraction, slash=False),
        16: partial(_wrapped, command=r"\underline", twice=variation == 1),
        17: partial(_wrapped, command=r"\overline", twice=variation == 1),
        **{
            18 + way: partial(_arrow, command=rf"\x{name}arrow", below=variation == 1)
            for way, name in enumerate(_ARROWS)
        },
        27: partial(_label, command="brace", over=True),
        28: partial(_label, command="brace", over=False),
        39: partial(_limit, upper_only=upper_only),
        40: _division,
        41: partial(_fraction, slash=True),
        42: partial(_operator, limits=False, upper_only=upper_only),
        43: partial(_operator, limits=True, upper_only=upper_only),
        45: partial(_dirac, left=variation != 2, right=variation != 1),
        46: partial(_vector, way=(0, 1, 2)[min(variation, 2)], under=True, harpoon=False),
        47: partial(_vector, way=(0, 1, 2)[min(variation, 2)], under=False, harpoon=False),
        48: partial(_accent, one=r"\overset{\frown}", wide=r"\overset{\frown}"),
    }
    return named.get(selector)


def _v3_integral(selector: int, variation: int) -> Render:
    count, beside = (selector - 21) % 3, selector <= 23
    if selector == 21:
        closed = variation >= 3
    elif selector == 24:
        closed = variation == 2
    else:
        closed = variation >= 2 if beside else variation == 0
    return partial(_big, command=_INTEGRALS[count][1 if closed else 0], limits=not beside)


# -- how they are written -----------------------------------------------------------------------------


def _slot(writer: Writer, template: Template, place: int, *, small: bool = False) -> Text:
    if place >= len(template.slots):
        return Text("")
    return writer.text(template.slots[place], small=small)


def _bounds(writer: Writer, template: Template, *, upper_only: bool = False) -> tuple[str, str]:
    """(lower, upper) limit; older writers leave out the slot of a limit that is not there."""
    first = _slot(writer, template, 1, small=True).text
    if upper_only and len(template.slots) == 2:
        return "", first
    return first, _slot(writer, template, 2, small=True).text


def _with_bounds(command: str, lower: str, upper: str) -> str:
    return command + (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")


def _root(writer: Writer, template: Template) -> Piece:
    main, index = _slot(writer, template, 0), _slot(writer, template, 1)
    return Piece(rf"\sqrt{f'[{index.text}]' if index.text else ''}{{{main.text}}}", tall=main.tall)


def _fraction(writer: Writer, template: Template, *, slash: bool) -> Piece:
    above, below = _slot(writer, template, 0), _slot(writer, template, 1)
    if slash and above.simple and below.simple:
        return Piece(f"{above.text}/{below.text}", GROUP)
    return Piece(rf"\frac{{{above.text}}}{{{below.text}}}", GROUP, tall=True)


def _wrapped(writer: Writer, template: Template, *, command: str, twice: bool = False) -> Piece:
    main = _slot(writer, template, 0)
    inner = rf"{command}{{{main.text}}}"
    return Piece(rf"{command}{{{inner}}}" if twice else inner, tall=main.tall)


def _arrow(writer: Writer, template: Template, *, command: str, below: bool = False) -> Piece:
    top, bottom = _slot(writer, template, 0, small=True).text, _slot(writer, template, 1, small=True).text
    if below and not bottom:
        top, bottom = "", top
    return Piece(rf"{command}{f'[{bottom}]' if bottom else ''}{{{top}}}", relation=True)


def _big(writer: Writer, template: Template, *, command: str, limits: bool) -> Piece:
    main = _slot(writer, template, 0)
    lower, upper = _bounds(writer, template)
    head = _with_bounds(command + (r"\limits" if limits and (lower or upper) else ""), lower, upper)
    return Piece(join([head, main.text]), GROUP if main.text else ATOM, tall=True)


def _operator(writer: Writer, template: Template, *, limits: bool, upper_only: bool = False) -> Piece:
    """An operator of the author's own: its sign is the last slot, or drawn after the slots."""
    main = _slot(writer, template, 0)
    kept = template
    sign = ""
    if len(template.slots) > 3 or (len(template.slots) > 1 and not template.signs):
        sign = writer.text(template.slots[-1]).text
        kept = Template(0, 0, template.slots[:-1])
    if not sign and template.signs:
        sign = writer.text(Line(list(template.signs))).text
    lower, upper = _bounds(writer, kept, upper_only=upper_only)
    command = rf"\mathop{{{sign}}}" + (r"\limits" if limits and (lower or upper) else "")
    head = _with_bounds(command, lower, upper)
    return Piece(join([head, main.text]), GROUP if main.text else ATOM, tall=True)


def _limit(writer: Writer, template: Template, *, upper_only: bool = False) -> Piece:
    main = _slot(writer, template, 0)
    lower, upper = _bounds(writer, template, upper_only=upper_only)
    if main.text in LIMIT_NAMES or main.text in _SUMS:
        return Piece(_with_bounds(main.text, lower, upper))
    if main.text == r"\to" and (lower or upper):
        return Piece(rf"\xrightarrow{f'[{lower}]' if lower else ''}{{{upper}}}", relation=True)
    shown = main.text
    if lower:
        shown = rf"\underset{{{lower}}}{{{shown}}}"
    if upper:
        shown = rf"\overset{{{upper}}}{{{shown}}}"
    return Piece(shown, tall=main.tall)


def _label(writer: Writer, template: Template, *, command: str, over: bool) -> Piece:
    main, label = _slot(writer, template, 0), _slot(writer, template, 1, small=True)
    sign = "^" if over else "_"
    shown = rf"\{'over' if over else 'under'}{command}{{{main.text}}}"
    return Piece(shown + (f"{sign}{{{label.text}}}" if label.text else ""), GROUP, tall=True)


def _division(writer: Writer, template: Template) -> Piece:
    main, quotient = _slot(writer, template, 0), _slot(writer, template, 1)
    shown = join([r"\overline{\smash{)}", main.text]) + "}"
    return Piece(rf"\overset{{{quotient.text}}}{{{shown}}}" if quotient.text else shown, tall=True)


def _dirac(writer: Writer, template: Template, *, left: bool, right: bool) -> Piece:
    slots = [_slot(writer, template, place).text for place in range(2)]
    if left and right:
        return Piece(join([r"\langle", " ", slots[0], r"\mid", " ", slots[1], r"\rangle"]))
    filled = slots[0] or slots[1]
    return Piece(join([r"\langle", " ", filled, "|"]) if left else join(["|", filled, r"\rangle"]))


def _vector(writer: Writer, template: Template, *, way: int, under: bool, harpoon: bool) -> Piece:
    main = _slot(writer, template, 0)
    if harpoon:
        sign = r"\leftharpoonup" if way == 0 else r"\rightharpoonup"
        return Piece(rf"\{'under' if under else 'over'}set{{{sign}}}{{{main.text}}}")
    if way == 1 and not under and main.simple:
        return Piece(rf"\vec{{{main.text}}}")
    return Piece(rf"\{'under' if under else 'over'}{_ARROWS[way]}arrow{{{main.text}}}", tall=main.tall)


def _accent(writer: Writer, template: Template, *, one: str, wide: str) -> Piece:
    main = _slot(writer, template, 0)
    return Piece(f"{one if main.simple else wide}{{{main.text}}}", tall=main.tall)


def _box(writer: Writer, template: Template, *, sides: int) -> Piece:
    """A frame, or those of its sides that are drawn (1 left, 2 right, 4 top, 8 bottom)."""
    main = _slot(writer, template, 0)
    if sides in {0, 15}:
        return Piece(rf"\boxed{{{main.text}}}", tall=True)
    shown = ("|" if sides & 1 else "") + main.text + ("|" if sides & 2 else "")
    shown = rf"\overline{{{shown}}}" if sides & 4 else shown
    return Piece(rf"\underline{{{shown}}}" if sides & 8 else shown, GROUP, tall=main.tall)
