"""Paragraph and run formatting of a .docx after style inheritance: only what a reader needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ingest.readers.common import real
from ingest.readers.wordpackage import W, attr, switched_on

_DEPTH = 20


@dataclass(frozen=True)
class Look:
    """Formatting that may be inherited; None where nothing is said. Lengths in points."""

    bold: bool | None = None
    size: float | None = None
    colour: str | None = None
    underline: bool | None = None
    hidden: bool | None = None
    struck: bool | None = None
    raised: str | None = None
    font: str | None = None
    left: float | None = None
    first: float | None = None
    line_times: float | None = None
    line_points: float | None = None
    line_least: float | None = None
    before: float | None = None
    after: float | None = None
    num_id: str | None = None
    num_level: int | None = None
    num_style: str = ""

    def over(self, base: Look) -> Look:
        """A look that says what this one says, and elsewhere what the base says."""
        said = {name: value for name, value in vars(self).items() if value is not None and value != ""}
        return replace(base, **said)

    def at_size(self, size: float) -> Look:
        """The same look in another font size (points), 0 for no change."""
        return replace(self, size=size) if size else self


NOTHING = Look()


class Styles:
    """The styles of a document by id, resolved through basedOn and the document defaults."""

    def __init__(self, root: Any) -> None:  # noqa: ANN401
        self._raw: dict[str, Any] = {}
        self._looks: dict[str, Look] = {}
        self.default = ""
        self._base = NOTHING
        self.number_styles: dict[str, str] = {}
        if root is None:
            return
        defaults = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self._base = run_look(defaults)
        for node in root.iterchildren(W + "style"):
            key = attr(node, "styleId")
            self._raw[key] = node
            if attr(node, "type") == "paragraph" and attr(node, "default") in {"1", "true"}:
                self.default = key
            if attr(node, "type") == "numbering":
                self.number_styles[key] = attr(node.find(f"{W}pPr/{W}numPr/{W}numId"), "val")

    def own(self, key: str, depth: int = 0) -> Look:
        """The look of a style with all it is based on, without the document defaults."""
        if key in self._looks:
            return self._looks[key]
        node = self._raw.get(key)
        if node is None or depth > _DEPTH:
            return NOTHING
        base = attr(node.find(W + "basedOn"), "val")
        look = run_look(node.find(W + "rPr")).over(paragraph_look(node.find(W + "pPr")))
        if look.num_id is not None and look.num_level is None:
            look = replace(look, num_style=key)
        if base and base != key:
            look = look.over(self.own(base, depth + 1))
        self._looks[key] = look
        return look

    def paragraph(self, properties: Any) -> Look:  # noqa: ANN401
        """The look of a paragraph from its w:pPr (which may be None)."""
        key = attr(properties.find(W + "pStyle"), "val") if properties is not None else ""
        style = self.own(key or self.default).over(self._base)
        return paragraph_look(properties).over(style)

    def run(self, properties: Any, paragraph: Look) -> Look:  # noqa: ANN401
        """The look of a run from its w:rPr inside a paragraph of the given look."""
        if properties is None:
            return paragraph
        key = attr(properties.find(W + "rStyle"), "val")
        look = run_look(properties)
        return (look.over(self.own(key)) if key else look).over(paragraph)


def run_look(properties: Any) -> Look:  # noqa: ANN401
    """What a w:rPr says itself."""
    if properties is None:
        return NOTHING
    size = attr(properties.find(W + "sz"), "val")
    colour = attr(properties.find(W + "color"), "val").lower()
    underline = properties.find(W + "u")
    fonts = properties.find(W + "rFonts")
    return Look(
        bold=switched_on(properties, "b"),
        size=real(size) / 2 if size else None,
        colour=("#" + colour if len(colour) == 6 else "auto") if colour else None,
        underline=attr(underline, "val", "single") != "none" if underline is not None else None,
        hidden=switched_on(properties, "vanish"),
        struck=_either(switched_on(properties, "strike"), switched_on(properties, "dstrike")),
        raised=attr(properties.find(W + "vertAlign"), "val") or None,
        font=(attr(fonts, "ascii") or attr(fonts, "hAnsi") or None) if fonts is not None else None,
    )


def _either(one: bool | None, other: bool | None) -> bool | None:
    return other if one is None else one if other is None else one or other


def paragraph_look(properties: Any) -> Look:  # noqa: ANN401
    """What a w:pPr says itself about indents (points) and list membership."""
    if properties is None:
        return NOTHING
    left = first = None
    indent = properties.find(W + "ind")
    if indent is not None:
        start = attr(indent, "left") or attr(indent, "start")
        left = real(start) / 20 if start else None
        if attr(indent, "firstLine") or attr(indent, "hanging"):
            first = (real(attr(indent, "firstLine")) - real(attr(indent, "hanging"))) / 20
    spacing = properties.find(W + "spacing")
    line, rule = attr(spacing, "line"), attr(spacing, "lineRule", "auto")
    before, after = attr(spacing, "before"), attr(spacing, "after")
    number = properties.find(W + "numPr")
    level = attr(number.find(W + "ilvl"), "val") if number is not None else ""
    num_id = attr(number.find(W + "numId"), "val") if number is not None else ""
    return Look(
        left=left,
        first=first,
        line_times=real(line) / 240 if line and rule == "auto" else None,
        line_points=real(line) / 20 if line and rule == "exact" else None,
        line_least=real(line) / 20 if line and rule == "atLeast" else None,
        before=real(before) / 20 if before else None,
        after=real(after) / 20 if after else None,
        num_id=num_id or None,
        num_level=int(real(level)) if level else None,
    )
