"""Pictures of what a .docx only draws, shapes, charts and metafiles: LibreOffice renders them on pages."""

from __future__ import annotations

import copy
import re
import shutil
import tempfile
import unicodedata
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

from ingest.readers.common import mupdf, png_asset, whole
from ingest.readers.wordflow import Extent, extent_of
from ingest.readers.wordoffice import FindTool, convert, office
from ingest.readers.wordpackage import A, M, O, R, Relation, V, W, WordPackage, attr
from schemas.document import Asset
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

METAFILES = frozenset({"image/wmf", "image/emf"})
_SECONDS = 60.0
_DPI = 144
_INK = 250  # grey level below which a pixel is drawn on
_LEAST = 6  # pixels; less is a speck
_MARGIN = 4
_TOP, _HEIGHT = 7200, 31680  # twips: room above for what is anchored upwards; the tallest page Word has
_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_MARK = re.compile(r"figure(\d+)x")
_RECENT = 3  # figures back that a drawing may lie on
_ON_IT, _INTO_IT = 0.6, 0.3  # shares of the smaller one that both cover
_TOUCH = 8.0  # points
_LOOKS = ("styles", "theme")
_LINKS = {A + "hlinkClick", A + "hlinkHover", O + "OLEObject", W + "control", W + "movie"}
_MATHS = (M + "oMathPara", M + "oMath")
_SCRIPTS = {M + "sub": "subscript", M + "sup": "superscript"}
_SMALL = {
    "subscript": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"),
    "superscript": str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"),
}
_NAMESPACES = f'xmlns:w="{W[1:-1]}" xmlns:r="{R[1:-1]}"'


Undrawn = tuple[tuple[str | None, ...], str]


@dataclass
class _Figure:
    parts: list[tuple[float, list[Any]]]  # drawings by the top of their paragraph, in points
    extent: Extent | None
    relations: Mapping[str, Relation]
    fallback: tuple[str | None, ...]
    notice: str


@dataclass
class FigureSheet:
    """Collects drawings while a document is read; `draw` then renders all of them in one run."""

    package: WordPackage
    settings: ReadSettings
    find: FindTool = shutil.which
    looks: Mapping[str, Relation] = field(default_factory=dict)  # where styles and theme are
    section: Any = None  # the document's w:sectPr: drawings are placed against its margins
    types: Mapping[str, Any] = field(default_factory=dict)  # v:shapetype by id: told once, used anywhere
    _figures: dict[str, _Figure] = field(default_factory=dict)

    def add(
        self,
        nodes: Sequence[Any],
        relations: Mapping[str, Relation],
        *,
        notice: str,
        fallback: Sequence[str | None] = (),
        key: str = "",
        y: float | None = None,
    ) -> str:
        """Put drawing elements on a page of their own; the key that stands for their picture until drawn.

        fallback are the assets to keep when it cannot be drawn, notice the code to count then; y is the
        top of their paragraph in points, None where that is not known.
        """
        key = key or f"figure{len(self._figures)}"
        extent = _extent(nodes, y)
        figure = _Figure([(y or 0.0, list(nodes))], extent, relations, tuple(fallback), notice)
        self._figures.setdefault(key, figure)
        return key

    def join(self, nodes: Sequence[Any], y: float | None, *, bare: bool = False, piece: bool = False) -> bool:
        """Put drawings on the page of a figure that they lie on, if there is one: labels are often
        anchored in a later paragraph than what they name. y is the top of their paragraph.

        bare: lines and labels alone, which go on with the figure they reach into; piece: too little to be
        a figure, which goes on with the one it touches.
        """
        extent = _extent(nodes, y)
        if y is None or extent is None:
            return False
        least = _INTO_IT if bare else _ON_IT
        for figure in list(self._figures.values())[-_RECENT:]:
            if figure.extent is None:
                continue
            touches = bare and piece and figure.extent.apart(extent) <= _TOUCH
            if touches or figure.extent.shared(extent) >= least:
                figure.parts.append((y, list(nodes)))
                figure.extent = figure.extent.joined(extent)
                return True
        return False

    def draw(
        self, wanted: set[str]
    ) -> tuple[dict[str, Asset], dict[str, tuple[tuple[str | None, ...], str]]]:
        """Pictures by key; and for keys that could not be drawn, their fallback assets and notice."""
        figures = {key: figure for key, figure in self._figures.items() if key in wanted}
        program = office(self.find) if figures else None
        drawn: dict[str, Asset] = {}
        if program is not None:
            try:
                drawn = self._render(program, dict(list(figures.items())[: self.settings.max_pages]))
            except (RefusedError, OSError, RuntimeError, ValueError):
                drawn = {}  # it hung, did not start or wrote no PDF: told by the notices
        left = {key: (f.fallback, f.notice) for key, f in figures.items() if key not in drawn}
        return drawn, left

    def _render(self, program: str, figures: dict[str, _Figure]) -> dict[str, Asset]:
        with tempfile.TemporaryDirectory(prefix="exambank-figures-", ignore_cleanup_errors=True) as folder:
            work = Path(folder)
            source = work / "figures.docx"
            self._write(source, list(figures.values()))
            pdf = convert(program, source, "pdf", work, min(_SECONDS, self.settings.max_seconds / 2))
            return _cut(pdf, list(figures)) if pdf is not None else {}

    def _write(self, path: Path, figures: list[_Figure]) -> None:
        """The drawings alone as a .docx, one a page; what they refer to comes along, links do not."""
        links: dict[str, Relation] = {}
        body = ""
        for place, figure in enumerate(figures):
            body += self._paragraphs(place, figure, links)
        for relation in self.looks.values():
            if relation.kind in _LOOKS:
                links[relation.kind] = relation
        parts = {link.target: data for link in links.values() if (data := self._part(link)) is not None}
        shown = [(key, link) for key, link in links.items() if link.target in parts]
        main = f"<w:document {_NAMESPACES}><w:body>{body}{self._page()}</w:body></w:document>"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", _content_types(parts))
            archive.writestr("_rels/.rels", _relations([("r1", "officeDocument", "word/document.xml")]))
            archive.writestr("word/document.xml", main)
            archive.writestr(
                "word/_rels/document.xml.rels",
                _relations([(key, link.kind, f"/{link.target}") for key, link in shown]),
            )
            for name, data in parts.items():
                archive.writestr(name, data)

    def _paragraphs(self, place: int, figure: _Figure, links: dict[str, Relation]) -> str:
        """The paragraphs of one page: as far apart as the drawings' own, the first with a mark in white."""
        from lxml import etree

        shown = ""
        for at, (y, nodes) in enumerate(figure.parts):
            runs = "".join(
                f"<w:r>{etree.tostring(self._plain(node, figure.relations, links), encoding='unicode')}</w:r>"
                for node in nodes
            )
            start = '<w:pageBreakBefore w:val="1"/>' if place and not at else ""
            down = round((figure.parts[at + 1][0] - y) * 20) if at + 1 < len(figure.parts) else 0
            spacing = f'w:line="{down}" w:lineRule="exact"' if down else 'w:line="240" w:lineRule="auto"'
            mark = f"<w:t>figure{place}x</w:t>" if not at else ""
            shown += (
                f'<w:p><w:pPr>{start}<w:spacing w:before="0" w:after="0" {spacing}/>'
                f'<w:ind w:left="0" w:firstLine="0"/></w:pPr><w:r><w:rPr><w:color w:val="FFFFFF"/>'
                f'<w:sz w:val="2"/></w:rPr>{mark}</w:r>{runs}</w:p>'
            )
        return shown

    def _plain(self, node: Any, relations: Mapping[str, Relation], links: dict[str, Relation]) -> Any:  # noqa: ANN401
        """A copy of a drawing that stands alone: with the kinds of shape it uses, without links."""
        copied = _unlinked(node, relations, links)
        used = dict.fromkeys(
            (shape.get("type") or "").removeprefix("#") for shape in copied.iter(V + "shape")
        )
        known = {kind.get("id") for kind in copied.iter(V + "shapetype")}
        for name in used:
            kind = self.types.get(name) if name not in known else None
            if kind is not None and copied.tag == W + "pict":
                copied.insert(0, _unlinked(kind, {}, links))
        return copied

    def _part(self, link: Relation) -> bytes | None:
        """Bytes of a part; XML is written anew, so that nothing but what the reader allows goes on."""
        from lxml import etree

        try:
            if not link.target.endswith(".xml"):
                return self.package.data(link.target)
            root = self.package.xml(link.target)
        except RefusedError:
            return None
        data: bytes | None = None if root is None else etree.tostring(root, encoding="UTF-8")
        return data

    def _page(self) -> str:
        size, margin = (
            (self.section.find(W + "pgSz"), self.section.find(W + "pgMar"))
            if self.section is not None
            else (None, None)
        )
        width = _twips(attr(size, "w"), 11906, 31680)
        left, right = (_twips(attr(margin, side), 1800, width // 2) for side in ("left", "right"))
        return (
            f'<w:sectPr><w:pgSz w:w="{width}" w:h="{_HEIGHT}"/><w:pgMar w:top="{_TOP}" w:bottom="0" '
            f'w:left="{left}" w:right="{right}" w:header="0" w:footer="0" w:gutter="0"/></w:sectPr>'
        )


def _unlinked(node: Any, relations: Mapping[str, Relation], links: dict[str, Relation]) -> Any:  # noqa: ANN401
    """A copy of a drawing without links and embedded programs, its references counted into links."""
    copied = copy.deepcopy(node)
    if copied.tag == W + "object":
        copied.tag = W + "pict"
    for child in list(copied.iter()):
        if child.getparent() is None:
            continue
        if child.tag in _LINKS:
            child.getparent().remove(child)
            continue
        if child.tag in _MATHS:  # LibreOffice without its formula editor draws nothing for these
            for run in _typed(child):
                child.addprevious(run)
            child.getparent().remove(child)
            continue
        for name, value in list(child.attrib.items()):
            if name == "href":
                del child.attrib[name]
            if not name.startswith(R):
                continue
            relation = relations.get(value)
            if relation is None:
                del child.attrib[name]
                continue
            known = next((key for key, link in links.items() if link == relation), None)
            key = known or f"p{len(links)}"
            links[key] = relation
            child.attrib[name] = key
    return copied


def _typed(equation: Any) -> list[Any]:  # noqa: ANN401
    """The signs of a formula as runs of text: accents set on, scripts raised or lowered, as in a label.

    Digits become signs of their own, since in a group LibreOffice drops how letters are set.
    """
    from lxml import etree

    runs = []
    for sign in equation.iter(M + "t"):
        raised = next((_SCRIPTS[up.tag] for up in sign.iterancestors() if up.tag in _SCRIPTS), "")
        accents = [_accent(up) for up in sign.iterancestors(M + "acc")]
        text = (sign.text or "") + ("".join(accents) if len(sign.text or "") == 1 else "")
        small = text.translate(_SMALL[raised]) if raised and text.isdecimal() else ""
        run = etree.Element(W + "r")
        if raised and not small:
            properties = etree.SubElement(run, W + "rPr")
            etree.SubElement(properties, W + "vertAlign").set(W + "val", raised)
        etree.SubElement(run, W + "t").text = small or text
        runs.append(run)
    return runs


def _accent(accent: Any) -> str:  # noqa: ANN401
    """The combining character of an m:acc; one that says nothing is a hat."""
    said = accent.find(f"{M}accPr/{M}chr")
    value = "\u0302" if said is None else said.get(M + "val") or ""
    return value if len(value) == 1 and unicodedata.combining(value) else ""


def _extent(nodes: Sequence[Any], y: float | None) -> Extent | None:
    """The extent of drawings of a paragraph whose top is at y."""
    if y is None:
        return None
    found = [extent.moved(y) for node in nodes if (extent := extent_of(node)) is not None]
    return reduce(Extent.joined, found) if found else None


def _twips(text: str, default: int, most: int) -> int:
    return whole(text, most=most) or default


def _content_types(parts: Mapping[str, bytes]) -> str:
    from ingest.readers.wordpackage import media_type

    word = "application/vnd.openxmlformats-officedocument.wordprocessingml."
    known = {"styles.xml": word + "styles+xml", "document.xml": word + "document.main+xml"}
    kinds = {"chart": "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"}
    endings = sorted({name.rpartition(".")[2].lower() for name in parts if not name.endswith(".xml")})
    defaults = "".join(f'<Default Extension="{e}" ContentType="{media_type("x." + e)}"/>' for e in endings)
    overrides = ""
    for name in ["word/document.xml", *(name for name in parts if name.endswith(".xml"))]:
        base = name.rpartition("/")[2]
        kind = known.get(base) or kinds.get(re.sub(r"\d*\.xml$", "", base))
        overrides += f'<Override PartName="/{name}" ContentType="{kind}"/>' if kind else ""
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{defaults}{overrides}</Types>'
    )


def _relations(links: Sequence[tuple[str, str, str]]) -> str:
    from xml.sax.saxutils import quoteattr

    found = "".join(
        f'<Relationship Id="{key}" Type="{_TYPES}{kind}" Target={quoteattr(target)}/>'
        for key, kind, target in links
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{found}</Relationships>'


def _cut(pdf: Path, keys: list[str]) -> dict[str, Asset]:
    """The ink of each page as a picture, by the key its mark names; empty pages are left out."""
    import numpy as np

    found: dict[str, Asset] = {}
    with mupdf().open(pdf) as document:
        for page in document:
            mark = _MARK.search(page.get_text())
            place = int(mark[1]) if mark else len(keys)
            if place >= len(keys):
                continue
            pixels = page.get_pixmap(dpi=_DPI, alpha=False)
            grid = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.stride)
            image = grid[:, : pixels.width * 3].reshape(pixels.height, pixels.width, 3)
            ink = image.min(axis=2) < _INK
            rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
            if rows.size < _LEAST and columns.size < _LEAST:
                continue
            top, left = max(int(rows[0]) - _MARGIN, 0), max(int(columns[0]) - _MARGIN, 0)
            cut = image[top : int(rows[-1]) + _MARGIN + 1, left : int(columns[-1]) + _MARGIN + 1]
            found[keys[place]] = png_asset(np.ascontiguousarray(cut[:, :, ::-1]))
    return found
