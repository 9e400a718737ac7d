"""Open a .docx as a zip without trusting it: limits first, no paths followed, no entities expanded."""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import RefusedError

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
V = "{urn:schemas-microsoft-com:vml}"
O = "{urn:schemas-microsoft-com:office:office}"  # noqa: E741  the prefix Word itself uses
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
WPS = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
WPG = "{http://schemas.microsoft.com/office/word/2010/wordprocessingGroup}"

MAX_ENTRIES = 5_000
MAX_XML_BYTES = 60_000_000
MAX_RATIO = 250  # real documents stay below 60; a bomb needs thousands

_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", W[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", R[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/math", M[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/drawingml/main", A[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing", WP[1:-1].encode()),
)
_MEDIA = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "bmp": "image/bmp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "wmf": "image/wmf",
    "emf": "image/emf",
    "svg": "image/svg+xml",
}
_SAVE_AGAIN = "open the file in Word or LibreOffice, save it again as .docx and retry"


@dataclass(frozen=True)
class Relation:
    """One relationship of a part: its kind (last word of the type) and the part it points to."""

    kind: str
    target: str


class WordPackage:
    """The parts of one .docx. Use as a context manager.

    Raises RefusedError with code `encrypted`, `damaged`, `hostile` or `not_word`.
    """

    def __init__(self, path: Path, max_bytes: int) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError) as error:
            raise RefusedError(
                "the file is not a complete .docx (a zip archive)", code="damaged", remedy=_SAVE_AGAIN
            ) from error
        try:
            self._check(max_bytes)
            self.main = self._main_part()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> WordPackage:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def _check(self, max_bytes: int) -> None:
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise RefusedError(f"the archive has {len(entries)} entries", code="hostile", remedy=_SAVE_AGAIN)
        total = 0
        for entry in entries:
            if entry.flag_bits & 0x1:
                raise RefusedError(
                    "the archive is encrypted", code="encrypted", remedy="remove the password and retry"
                )
            total += entry.file_size
            if entry.file_size > 1_000_000 and entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
                raise RefusedError(
                    "the archive unpacks to far more than it holds", code="hostile", remedy=_SAVE_AGAIN
                )
        if total > max_bytes:
            raise RefusedError(
                f"the archive unpacks to {total // 1_000_000} MB",
                code="too_large",
                remedy="raise read.max_bytes or split the document",
            )

    def _main_part(self) -> str:
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and self.has(relation.target):
                return relation.target
        if self.has("word/document.xml"):
            return "word/document.xml"
        raise RefusedError(
            "the archive holds no Word document", code="not_word", remedy="check what kind of file this is"
        )

    def has(self, name: str) -> bool:
        """Whether the archive has a part of this name."""
        return name in self._zip.NameToInfo

    def data(self, name: str, limit: int | None = None) -> bytes:
        """Bytes of a part; raises RefusedError `damaged` when they cannot be unpacked."""
        try:
            with self._zip.open(name) as stream:
                data = stream.read() if limit is None else stream.read(limit + 1)
        except (KeyError, zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise RefusedError(
                f"part {posixpath.basename(name)} of the archive cannot be unpacked",
                code="damaged",
                remedy=_SAVE_AGAIN,
            ) from error
        except Exception as error:  # zlib.error and its kin have no common base
            raise RefusedError(
                f"part {posixpath.basename(name)} of the archive is damaged",
                code="damaged",
                remedy=_SAVE_AGAIN,
            ) from error
        if limit is not None and len(data) > limit:
            raise RefusedError(
                f"part {posixpath.basename(name)} is larger than {limit // 1_000_000} MB",
                code="too_large",
                remedy="split the document",
            )
        return data

    def xml(self, name: str) -> Any | None:  # noqa: ANN401  lxml has no types of its own
        """Root element of a part, None when it is missing; raises RefusedError when hostile or broken."""
        from lxml import etree

        if not self.has(name):
            return None
        data = self.data(name, MAX_XML_BYTES)
        if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data[:4096]:
            raise RefusedError("the document declares XML entities", code="hostile", remedy=_SAVE_AGAIN)
        for strict, transitional in _STRICT:
            data = data.replace(strict, transitional)
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            return etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise RefusedError(
                f"part {posixpath.basename(name)} is not well-formed XML", code="damaged", remedy=_SAVE_AGAIN
            ) from error

    def relations(self, part: str) -> dict[str, Relation]:
        """Internal relationships of a part by id; external targets are left out, never followed."""
        folder, _, base = part.rpartition("/")
        root = self.xml(posixpath.join(folder, "_rels", base + ".rels"))
        found: dict[str, Relation] = {}
        if root is None:
            return found
        for item in root:
            target = item.get("Target") or ""
            if item.get("TargetMode") == "External" or not target:
                continue
            name = target[1:] if target.startswith("/") else posixpath.join(folder, target)
            kind = (item.get("Type") or "").rpartition("/")[2]
            found[item.get("Id") or ""] = Relation(kind=kind, target=posixpath.normpath(name))
        return found


def media_type(name: str) -> str:
    """Media type of a part by its ending."""
    return _MEDIA.get(name.rpartition(".")[2].lower(), "application/octet-stream")


def attr(element: Any, name: str, default: str = "") -> str:  # noqa: ANN401
    """A w: attribute of an element, default when either is missing."""
    if element is None:
        return default
    value = element.get(W + name)
    return default if value is None else str(value)


def switched_on(properties: Any, name: str) -> bool | None:  # noqa: ANN401
    """A toggle such as w:b inside w:rPr: True, False, or None when it is not said."""
    if properties is None:
        return None
    element = properties.find(W + name)
    if element is None:
        return None
    return attr(element, "val", "1") not in {"0", "false", "off", "none"}
