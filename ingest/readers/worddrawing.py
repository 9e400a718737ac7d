"""What a drawing of a .docx holds: pictures, text boxes, bare shapes, and what its text is for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ingest.readers.wordcrop import Crop, crop_of
from ingest.readers.wordpackage import MC, WP, WPG, WPS, A, O, R, V, W

LABEL_CHARS = 4
GROUP_LABEL_CHARS = 12
_SEAL_MARK = re.compile(r"密封线|装订线|线内不|弥封")
_SEAL_CHARS = re.compile(r"[装订密封弥线]+")
_SEAL_FIELD = re.compile(r"姓名|学号|班级|考号|考场|座位号|准考证|学院|专业|系别|年级")
_LATEX_COMMAND = re.compile(r"\\[A-Za-z]+")
_LATIN_WORD = re.compile(r"[A-Za-z]{4,}")
_LATEX_SIGN = re.compile(r"[${}^_\\]")
_FILLER = re.compile(r"[\s…·.．。_＿﹍—\-–|｜:：（）()○◯×xX┊┆]+")
_SHAPES = ("rect", "oval", "polyline", "arc", "roundrect", "shape", "curve")


@dataclass
class Drawing:
    """One w:drawing, w:pict or w:object as found in a run."""

    node: Any = None
    pictures: list[str] = field(default_factory=list)
    crops: dict[str, Crop] = field(default_factory=dict)  # by picture
    boxes: list[Any] = field(default_factory=list)
    shapes: int = 0
    solid: int = 0  # shapes that are more than a line
    grouped: bool = False
    floating: bool = False
    chart: bool = False
    program: str = ""
    embedded: str = ""


def inspect(node: Any) -> Drawing:  # noqa: ANN401
    """Look through a drawing once; the VML fallback of a newer drawing is not looked at."""
    found = Drawing(node=node)
    _walk(node, found)
    if node.tag == W + "drawing":
        found.floating = node.find(WP + "anchor") is not None
    else:
        styles = [child.get("style") or "" for child in node.iterchildren()]
        found.floating = any("position:absolute" in style.replace(" ", "") for style in styles)
    return found


def _walk(node: Any, found: Drawing) -> None:  # noqa: ANN401
    for child in node.iterchildren():
        tag = child.tag
        if tag == MC + "AlternateContent":
            branch = choose(child)
            if branch is not None:
                _walk(branch, found)
        elif tag == W + "txbxContent":
            found.boxes.append(child)
        elif tag == O + "OLEObject":
            found.program = child.get("ProgID") or "object"
            found.embedded = child.get(R + "id") or ""
        else:
            _note(child, tag, found)
            _walk(child, found)


def _note(child: Any, tag: str, found: Drawing) -> None:  # noqa: ANN401
    if tag in {A + "blip", V + "imagedata"}:
        names = ("embed", "link") if tag == A + "blip" else ("id", "pict")
        found.pictures.append(child.get(R + names[0]) or child.get(R + names[1]) or "")
        crop = crop_of(child)
        if crop is not None:
            found.crops[found.pictures[-1]] = crop
    elif tag in {WPG + "wgp", WPG + "grpSp", V + "group"}:
        found.grouped = True
    elif tag == WPS + "wsp":
        found.shapes += 0 if _is_line(child) else 1
        found.solid += 0 if _is_line(child) else 1
    elif tag == A + "graphicData":
        uri = child.get("uri") or ""
        found.chart = found.chart or uri.endswith(("/chart", "/diagram"))
    elif tag.startswith(V) and tag[len(V) :] in _SHAPES and child.find(V + "imagedata") is None:
        found.shapes += 1
        found.solid += 0 if child.get(O + "connectortype") else 1


def _is_line(shape: Any) -> bool:  # noqa: ANN401
    """Whether a shape is a mere line: lines to write on are no figure."""
    geometry = shape.find(f"{WPS}spPr/{A}prstGeom")
    kind = "" if geometry is None else geometry.get("prst") or ""
    return shape.find(WPS + "cNvCnPr") is not None or kind == "line" or "Connector" in kind


def choose(alternate: Any) -> Any | None:  # noqa: ANN401
    """The one branch of mc:AlternateContent to read: the first Choice, else the Fallback."""
    choice = alternate.find(MC + "Choice")
    return choice if choice is not None and len(choice) else alternate.find(MC + "Fallback")


def box_reason(text: str, *, grouped: bool) -> str:
    """Why a text box is furniture: 'seal', 'figure_label', or '' when its text belongs to the paper."""
    words = _LATEX_COMMAND.sub("x", text)
    flat = re.sub(r"\s+", "", words)
    if seal_text(flat):
        return "seal"
    limit = GROUP_LABEL_CHARS if grouped else LABEL_CHARS
    plain = _LATEX_SIGN.sub("", flat)
    if grouped:  # a word of a Latin script takes the room of two or three characters
        plain = re.sub(r"\s+", "", _LATEX_SIGN.sub("", _LATIN_WORD.sub("xxx", words)))
    return "figure_label" if len(plain) <= limit else ""


def seal_text(text: str) -> bool:
    """Whether text is the seal line of a paper: its name, or nothing but name-and-number fields."""
    flat = _FILLER.sub("", text)
    if _SEAL_MARK.search(flat) or (len(flat) >= 2 and _SEAL_CHARS.fullmatch(flat)):
        return True
    fields = _SEAL_FIELD.findall(flat)
    return len(fields) >= 2 and len(flat) - sum(map(len, fields)) <= 2 * len(fields) + 4
