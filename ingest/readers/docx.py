"""Read a .docx: the body in true order, with automatic numbers, formulas, tables, boxes and pictures."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ingest.readers import omml, wordtable
from ingest.readers.common import whole
from ingest.readers.limits import over, too_deep
from ingest.readers.numbering import Numbered, Numbering
from ingest.readers.wordcrop import picture_asset
from ingest.readers.worddrawing import Drawing, box_reason, choose
from ingest.readers.wordequation import Found, object_equation
from ingest.readers.wordfigures import METAFILES, FigureSheet
from ingest.readers.wordflow import Column, Placed, Waiting, extent_of
from ingest.readers.wordoffice import FindTool
from ingest.readers.wordpackage import MC, M, R, Relation, V, W, WordPackage, attr, media_type
from ingest.readers.wordpages import as_pages
from ingest.readers.wordparts import (
    NOTICES,
    WRAPPERS,
    colour,
    indent,
    inside,
    join_paragraphs,
    mark_is_gone,
    own_texts,
    without_stray_numbers,
    wrapped,
)
from ingest.readers.wordstyles import Look, Styles
from ingest.readers.wordtext import FIGURE, Content, Helpers, ParagraphReader, lines
from schemas.document import Asset, Block, BlockKind, Document, Notice, Origin
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

_POINTLESS = {W + name for name in ("bookmarkStart", "bookmarkEnd", "proofErr")}
_NOTE_KINDS = {"separator", "continuationSeparator", "continuationNotice"}


def read_docx(
    path: Path,
    settings: ReadSettings,
    *,
    origin: Origin = Origin.WORD,
    find: FindTool = shutil.which,
) -> tuple[Document, tuple[Asset, ...]]:
    """Read one .docx into a Document of one page (more when its pages are pictures) and its assets.

    origin marks the blocks: CONVERTED when the file was made from a .doc. find looks LibreOffice up, which
    draws the figures that are no pictures. Raises RefusedError with code `empty`, `not_word` or what
    WordPackage raises of the main part; other parts that are damaged cost only themselves.
    """
    size = path.stat().st_size
    if size == 0:
        raise RefusedError("the file is empty", code="empty", remedy="get the file again from its source")
    if size > settings.max_bytes:
        raise over(settings, "max_bytes", f"the file has {size:,} bytes")
    with path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    try:
        with WordPackage(path, settings) as package:
            body = _Body(package, settings, origin, find)
            blocks = body.read()
    except RecursionError as error:
        raise too_deep("the document") from error
    pages, told = as_pages(blocks, body.assets, settings, origin)
    document = Document(
        source=path.name, sha256=sha256, format="docx", pages=pages, notices=(*body.notices(), *told)
    )
    return document, tuple(body.assets.values())


class _Body:
    """One pass over the document parts of one package."""

    def __init__(
        self, package: WordPackage, settings: ReadSettings, origin: Origin, find: FindTool = shutil.which
    ) -> None:
        self._package, self._settings, self._origin = package, settings, origin
        self._lost_parts: dict[str, None] = {}
        self._column = Column()
        self._relations = self._links(package.main)
        self.assets: dict[str, Asset] = {}
        self._sheet = FigureSheet(package, settings, find, looks=self._relations)
        self._counts: Counter[str] = Counter()
        self._styles = Styles(self._related("styles"))
        self._numbering = Numbering(self._related("numbering"), self._styles.number_styles)
        self._latex: dict[Any, str | None] = {}
        self._chars = 0
        helpers = Helpers(self._styles, self._equation, self._picture, self._drawn, self._object, self._note)
        self._text = ParagraphReader(helpers)

    def _related(self, kind: str) -> Any | None:  # noqa: ANN401
        target = self._target(kind)
        return None if target is None else self._xml(target)

    def _xml(self, name: str) -> Any | None:  # noqa: ANN401
        """A part besides the main one, None when it is missing or damaged: the rest is read without it."""
        return self._unless_damaged(name, self._package.xml, None)

    def _links(self, part: str) -> dict[str, Relation]:
        found: dict[str, Relation] = self._unless_damaged(
            f"{part}.rels", lambda _: self._package.relations(part), {}
        )
        return found

    def _unless_damaged(self, name: str, read: Callable[[str], Any], otherwise: Any) -> Any:  # noqa: ANN401
        try:
            return read(name)
        except RefusedError as error:
            if error.code != "damaged":
                raise  # a limit, or XML that means harm
            self._lost_parts[name.rpartition("/")[2]] = None
            return otherwise

    def _target(self, kind: str) -> str | None:
        return next((r.target for r in self._relations.values() if r.kind == kind), None)

    def read(self) -> list[Block]:
        """All blocks: headers, the body in reading order, notes, footers."""
        root = self._package.xml(self._package.main)
        body = root.find(W + "body") if root is not None else None
        if body is None:
            raise RefusedError(
                "the Word document has no body", code="damaged", remedy="save it again in Word"
            )
        notes = [(kind, self._related(kind)) for kind in ("footnotes", "endnotes")]
        for tree in (body, *[part for _, part in notes if part is not None]):
            join_paragraphs(tree)
        self._collect_equations([body, *[part for _, part in notes if part is not None]])
        self._note("deleted_text", sum(1 for _ in body.iter(W + "delText")))
        self._note("comments", sum(1 for _ in body.iter(W + "commentReference")))
        self._sheet.section = next(body.iter(W + "sectPr"), None)
        headers, footers = self._furniture(body, "header"), self._furniture(body, "footer")
        self._sheet.types = {kind.get("id"): kind for kind in body.iter(V + "shapetype")}
        self._column = Column.of(self._sheet.section)
        blocks = list(self._blocks(body, flow=True))
        own = self._relations
        for kind, part in notes:
            if part is not None:
                # the ids of pictures and objects in a note are those of the part it stands in
                self._relations = self._links(self._target(kind) or "")
                blocks += self._notes(part, kind)
                self._relations = own
        return [*headers, *self._with_figures(without_stray_numbers(blocks)), *footers]

    def notices(self) -> Iterator[Notice]:
        """What was lost or replaced, counted."""
        for code, count in self._counts.items():
            yield Notice(code=code, message=f"{count} {NOTICES[code]}", count=count)
        if self._lost_parts:
            names = ", ".join(self._lost_parts)
            message = f"{len(self._lost_parts)} parts of the file are damaged and were left out: {names}"
            yield Notice(code="part_lost", message=message, count=len(self._lost_parts))

    # -- blocks ---------------------------------------------------------------------------------

    def _blocks(self, container: Any, *, flow: bool = False) -> Iterator[Block]:  # noqa: ANN401
        """Blocks of a container; in the flow of the page, figures stand where they are placed on it."""
        waiting = Waiting(flow=flow)
        for child in container.iterchildren():
            tag = child.tag
            if tag == W + "p":
                placed = waiting.next()
                yield from self._paragraph(child, placed)
                yield from waiting.after(placed)
                continue
            if isinstance(tag, str) and tag not in _POINTLESS:
                yield from waiting.rest()
            if tag == W + "tbl":
                yield from wordtable.render(self._rows(child), self._origin)
            elif tag == W + "sdt":
                inner = child.find(W + "sdtContent")
                if inner is not None:
                    yield from self._blocks(inner)
            elif tag in WRAPPERS:
                yield from self._blocks(child)
            elif tag == MC + "AlternateContent":
                branch = choose(child)
                if branch is not None:
                    yield from self._blocks(branch)
            elif tag in {M + "oMathPara", M + "oMath"}:
                yield from self._paragraph(wrapped(child), Placed())
            elif tag == W + "altChunk":
                self._note("foreign_part")
        yield from waiting.rest()

    def _paragraph(self, paragraph: Any, placed: Placed) -> Iterator[Block]:  # noqa: ANN401
        """Blocks of the text of a paragraph; what is drawn beside it goes to placed."""
        properties = paragraph.find(W + "pPr")
        look = self._styles.paragraph(properties)
        content = self._text.read(paragraph, look)
        found = lines(content)
        gone = mark_is_gone(properties)
        numbered = None if gone and not found else self._count(look)
        left, first = indent(look, numbered)
        number = numbered.text if numbered else ""
        boxes = [self._box(box, grouped=drawing.grouped) for box, drawing in content.boxes]
        self._compose(content, boxes, placed.y)
        if not found and number and not content.floating:
            yield self._block("", number=number, level=numbered.level if numbered else None, indent=left)
        for place, line in enumerate(found):
            self._budget(line.text)
            common = {
                "indent": max(left + (first if place == 0 else 0.0), 0.0),
                "number": number if place == 0 else "",
                "level": numbered.level if numbered and place == 0 else None,
                "size": line.look.size,
                "bold": bool(line.look.bold),
                "colour": colour(line.look.colour),
                "inks": line.inks,
                "underlined": line.underlined,
                "asset": line.assets[0] if line.assets else None,
            }
            kind = BlockKind.FIGURE if line.only_figures and not common["number"] else BlockKind.TEXT
            yield self._block(line.text, kind=kind, **common)
            for asset in line.assets[1:]:
                yield self._block("", kind=BlockKind.FIGURE, asset=asset)
        if not found and number and content.floating:
            yield self._block("", number=number, level=numbered.level if numbered else None, indent=left)
        mark = self._styles.run(properties.find(W + "rPr") if properties is not None else None, look)
        set_in = look.at_size(max((line.look.size or 0.0 for line in found), default=mark.size or 0.0))
        placed.line = self._column.line(set_in)
        placed.height = self._column.height(set_in, [line.text for line in found] or [""])
        extents = [extent_of(drawing.node) for drawing in content.drawings]
        placed.left = min((extent.top for extent in extents if extent is not None), default=0.0)
        drawn = [self._block(FIGURE, kind=BlockKind.FIGURE, asset=asset) for asset in content.floating]
        labels_only = all(block.kind is BlockKind.FURNITURE for box in boxes for block in box)
        if drawn and labels_only:
            placed.blocks = [*drawn, *(block for box in boxes for block in box)]
        else:
            yield from [*drawn, *(block for box in boxes for block in box)]

    def _compose(self, content: Content, boxes: list[list[Block]], y: float | None) -> None:
        """Shapes and the labels among them are one figure, with the pictures they are drawn over."""
        labels = sum(block.reason == "figure_label" for box in boxes for block in box)
        apart = {
            id(drawing)
            for (_, drawing), box in zip(content.boxes, boxes, strict=True)
            if any(b.reason != "figure_label" for b in box) and not (drawing.grouped and labels)
        }
        nodes = [drawing.node for drawing in content.drawings if id(drawing) not in apart]
        if not nodes or not (content.shapes or content.grouped or labels):
            return
        bare, labelled = 4 * content.solid <= content.shapes, labels >= 2 or (labels and content.solid)
        piece = content.shapes < 3 and not content.grouped and not labelled
        if (not content.floating and self._sheet.join(nodes, y, bare=bare, piece=piece)) or piece:
            return  # it goes on with the figure of a paragraph before, or is none
        before = content.floating or [None]
        key = self._sheet.add(nodes, self._relations, notice="vector_figure", fallback=before, y=y)
        content.floating = [key]

    def _with_figures(self, blocks: list[Block]) -> list[Block]:
        """Blocks with their drawings as pictures, or with what there was before where none can be made."""
        drawn, left = self._sheet.draw({block.asset for block in blocks if block.asset})
        for _, notice in left.values():
            self._note(notice)
        kept = []
        for block in blocks:
            picture = drawn.get(block.asset or "")
            if picture is not None:
                self.assets.setdefault(picture.digest, picture)
                kept.append(block.model_copy(update={"asset": picture.digest}))
                continue
            before, _ = left.get(block.asset or "", ((block.asset,), ""))
            first, *more = before or (None,)
            kept.append(block if first == block.asset else block.model_copy(update={"asset": first}))
            kept += [self._block(FIGURE, kind=BlockKind.FIGURE, asset=asset) for asset in more]
        used = {block.asset for block in kept}
        self.assets = {name: asset for name, asset in self.assets.items() if name in used}
        return kept

    def _block(self, text: str, **fields: Any) -> Block:  # noqa: ANN401
        return Block(text=text, origin=self._origin, **fields)

    def _budget(self, text: str) -> None:
        self._chars += len(text)
        if self._chars > self._settings.max_chars:
            raise over(self._settings, "max_chars", "the document has too much text")

    def _count(self, look: Look) -> Numbered | None:
        if look.num_id is None or look.num_id == "0":
            return None
        level = look.num_level
        if level is None:
            level = self._numbering.level_of_style(look.num_id, look.num_style)
        return self._numbering.next(look.num_id, level)

    def _box(self, box: Any, *, grouped: bool) -> list[Block]:  # noqa: ANN401
        """Blocks of a text box: as they are, or one furniture block when it is no text of the paper."""
        blocks = list(self._blocks(box))
        text = " ".join(f"{block.number}{block.text}".strip() for block in blocks)
        if not text.strip():
            return blocks
        reason = box_reason(text, grouped=grouped)
        if not reason or any(block.kind is BlockKind.TABLE for block in blocks):
            return blocks
        return [self._block(text, kind=BlockKind.FURNITURE, reason=reason)]

    def _rows(self, table: Any) -> list[list[wordtable.Cell]]:  # noqa: ANN401
        rows = []
        for row in inside(table, W + "tr"):
            if row.find(f"{W}trPr/{W}del") is not None:
                continue
            cells = []
            for cell in inside(row, W + "tc"):
                properties = cell.find(W + "tcPr")
                merge = properties.find(W + "vMerge") if properties is not None else None
                span = attr(properties.find(W + "gridSpan"), "val") if properties is not None else ""
                cells.append(
                    wordtable.Cell(
                        blocks=tuple(without_stray_numbers(list(self._blocks(cell)))),
                        span=max(whole(span, 1, 63), 1),
                        continued=merge is not None and attr(merge, "val", "continue") == "continue",
                    )
                )
            if cells:
                rows.append(cells)
        return rows or [[wordtable.Cell(blocks=())]]

    def _furniture(self, body: Any, kind: str) -> list[Block]:  # noqa: ANN401
        """Text of all headers or footers, each part once."""
        found = []
        wanted = dict.fromkeys(node.get(R + "id") for node in body.iter(f"{W}{kind}Reference"))
        for key in wanted:
            relation = self._relations.get(key or "")
            if relation is None:
                continue
            root = self._xml(relation.target)
            for text in own_texts(root) if root is not None else ():
                found.append(self._block(text, kind=BlockKind.FURNITURE, reason=kind))
        return found

    def _notes(self, part: Any, kind: str) -> Iterator[Block]:  # noqa: ANN401
        prefix = "" if kind == "footnotes" else "e"
        for note in part.iterchildren(W + kind[:-1]):
            if attr(note, "type") in _NOTE_KINDS:
                continue
            mark = f"[^{prefix}{attr(note, 'id')}]: "
            for block in self._blocks(note):
                yield block.model_copy(update={"text": mark + block.text})
                mark = ""

    # -- what paragraphs ask for ------------------------------------------------------------------

    def _collect_equations(self, roots: list[Any]) -> None:
        """Convert all equations at once: starting pandoc costs more than converting hundreds."""
        equations = [
            node
            for root in roots
            for node in root.iter(M + "oMath")
            if not any(parent.tag in {MC + "Fallback", W + "del"} for parent in node.iterancestors())
        ]
        self._latex = dict(zip(equations, omml.to_latex(equations), strict=True))

    def _equation(self, equation: Any) -> str | None:  # noqa: ANN401
        return self._latex.get(equation)

    def _picture(self, key: str, drawing: Drawing) -> str | None:
        """Keep the picture of a relationship as an asset; its digest, None when it is not in the file."""
        relation = self._relations.get(key)
        if relation is None or not self._package.has(relation.target):
            self._note("picture_missing")
            return None
        data = self._bytes(key)
        if data is None:
            return None  # damaged, and told as such
        kind = media_type(relation.target)
        asset = picture_asset(data, kind, drawing.crops.get(key), self._settings.max_pixels)
        name = self.assets.setdefault(asset.digest, asset).digest
        if kind in METAFILES and len(drawing.pictures) == 1:
            return self._sheet.add(
                [drawing.node], self._relations, notice="metafile", fallback=(name,), key=name
            )
        return name

    def _drawn(self, drawing: Drawing) -> str:
        """The key of a drawing that has no picture of its own."""
        return self._sheet.add([drawing.node], self._relations, notice="embedded_object", fallback=(None,))

    def _object(self, drawing: Drawing) -> Found | None:
        """The MathType or Equation Editor equation of a drawing, None when it holds none."""
        return object_equation(drawing, self._bytes)

    def _bytes(self, key: str) -> bytes | None:
        relation = self._relations.get(key)
        if relation is None or not self._package.has(relation.target):
            return None
        data: bytes | None = self._unless_damaged(relation.target, self._package.data, None)
        return data

    def _note(self, code: str, count: int = 1) -> None:
        if count:
            self._counts[code] += count
