"""Open a .docx as a zip without trusting it: limits first, no paths followed, no entities expanded."""

from __future__ import annotations

import posixpath
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.readers.limits import over, too_deep
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

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
_DECLARES = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_SAVE_AGAIN = "open the file in Word or LibreOffice, save it again as .docx and retry"


@dataclass(frozen=True)
class Relation:
    """One relationship of a part: its kind (last word of the type) and the part it points to."""

    kind: str
    target: str


class WordPackage:
    """The parts of one .docx. Use as a context manager.

    Raises RefusedError with code `encrypted`, `damaged`, `not_word`, `xml_entities`, `xml_depth`
    or the name of the limit that the archive is over.
    """

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        self._settings = settings
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError) as error:
            raise RefusedError(
                "the file is not a complete .docx (a zip archive)", code="damaged", remedy=_SAVE_AGAIN
            ) from error
        try:
            self._check(settings)
            self.main = self._main_part()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> WordPackage:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def _check(self, settings: ReadSettings) -> None:
        entries = self._zip.infolist()
        if len(entries) > settings.max_zip_entries:
            raise over(
                settings, "max_zip_entries", f"the archive has {len(entries):,} parts", instead=_SAVE_AGAIN
            )
        total = 0
        for entry in entries:
            if entry.flag_bits & 0x1:
                raise RefusedError(
                    "the archive is encrypted", code="encrypted", remedy="remove the password and retry"
                )
            total += entry.file_size
            ratio = entry.file_size // max(entry.compress_size, 1)
            if entry.file_size > 1_000_000 and ratio > settings.max_zip_ratio:
                what = f"part {posixpath.basename(entry.filename)} unpacks to {ratio:,} times its size"
                raise over(settings, "max_zip_ratio", what, instead=_SAVE_AGAIN)
        if total > settings.max_bytes:
            raise over(settings, "max_bytes", f"the archive unpacks to {total:,} bytes")

    def _main_part(self) -> str:
        try:
            top = self.relations("")
        except RefusedError as error:
            if error.code != "damaged":
                raise
            top = {}  # the usual place of the document will do
        for relation in top.values():
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

    def data(self, name: str) -> bytes:
        """Bytes of a part; raises RefusedError `damaged` when they cannot be unpacked.

        No more than the archive declares is unpacked, and that was checked.
        """
        try:
            return self._zip.read(name)
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

    def xml(self, name: str) -> Any | None:  # noqa: ANN401  lxml has no types of its own
        """Root element of a part, None when it is missing; raises RefusedError when hostile or broken."""
        from lxml import etree

        if not self.has(name):
            return None
        part, size = posixpath.basename(name), self._zip.getinfo(name).file_size
        if size > self._settings.max_xml_bytes:
            raise over(self._settings, "max_xml_bytes", f"part {part} has {size:,} bytes")
        data = self.data(name)
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
            root = etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            if "depth" in str(error):
                raise too_deep(f"part {part}") from error
            if _DECLARES.search(data.replace(b"\0", b"")):  # in UTF-16 too
                raise _entities(part) from error
            raise RefusedError(
                f"part {part} is not well-formed XML", code="damaged", remedy=_SAVE_AGAIN
            ) from error
        if root.getroottree().docinfo.internalDTD is not None:  # no Word file has one, whatever its encoding
            raise _entities(part)
        return root

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


def _entities(part: str) -> RefusedError:
    return RefusedError(
        f"part {part} declares a document type or XML entities (limit xml_entities)",
        code="xml_entities",
        remedy=f"no setting allows them; {_SAVE_AGAIN}",
    )


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
