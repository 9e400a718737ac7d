"""What a file really is, by its first bytes: a format that can be read, or a refusal that helps."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingest.readers.limits import over
from schemas.document import Notice
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

Format = Literal["pdf", "image", "docx", "doc"]

_SUFFIXES: dict[Format, frozenset[str]] = {
    "pdf": frozenset({".pdf"}),
    "image": frozenset({".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".tif", ".tiff", ".bmp", ".webp", ".gif"}),
    "docx": frozenset({".docx", ".docm", ".dotx"}),
    "doc": frozenset({".doc", ".dot", ".wps"}),
}
_IMAGES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"II*\x00", b"MM\x00*", b"BM", b"GIF87a", b"GIF89a")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ARCHIVES = {
    b"Rar!\x1a\x07": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"\x1f\x8b": "a gzip archive",
}
_LOCK_SIZES = (54, 162, 165)
_HEAD = 4096


@dataclass(frozen=True)
class Sniffed:
    """The format a file's content shows, and what the user should know about its name."""

    format: Format
    notices: tuple[Notice, ...] = ()


def sniff(path: Path, settings: ReadSettings) -> Sniffed:
    """The format of the file at path, by content.

    Raises RefusedError with a stable code (missing, directory, empty, max_bytes, word_lock_file,
    git_lfs_pointer, encrypted, truncated, html, plain_text, rtf, ofd, archive, old_image, unsupported …)
    and a remedy.
    """
    size = _size(path, settings)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise RefusedError(
            f"{path.name} cannot be opened: {error.strerror or error}",
            code="unreadable",
            remedy="Check the file's permissions and the disk it lies on.",
        ) from error
    _refuse_stand_ins(path, head, size)
    kind = _format(path, head, size)
    suffix = path.suffix.lower()
    if suffix in _SUFFIXES[kind]:
        return Sniffed(kind)
    note = Notice(
        code="wrong_extension",
        message=f"{path.name} is named {suffix or 'without an extension'} but holds {kind}; read as {kind}",
    )
    return Sniffed(kind, (note,))


def _size(path: Path, settings: ReadSettings) -> int:
    """Size in bytes of a file that exists, is a file, is not empty and not too large."""
    try:
        if path.is_dir():
            raise RefusedError(
                f"{path.name} is a directory",
                code="directory",
                remedy="Give the files in it, or name the directory to the command itself.",
            )
        if not path.exists():
            raise RefusedError(
                f"{path.name} does not exist", code="missing", remedy="Check the path and try again."
            )
        if not path.is_file():
            raise RefusedError(
                f"{path.name} is not a regular file",
                code="unsupported",
                remedy="Copy its content into an ordinary file.",
            )
        size = path.stat().st_size
    except OSError as error:
        raise RefusedError(
            f"{path.name} cannot be reached: {error.strerror or error}",
            code="unreadable",
            remedy="Check the path and its permissions.",
        ) from error
    if size == 0:
        raise RefusedError(
            f"{path.name} is empty (0 bytes)", code="empty", remedy="Fetch the file again from its source."
        )
    if size > settings.max_bytes:
        raise over(settings, "max_bytes", f"{path.name} has {size:,} bytes")
    return size


def _refuse_stand_ins(path: Path, head: bytes, size: int) -> None:
    """Refuse files that only stand for a document: lock files, LFS pointers, web pages."""
    if size in _LOCK_SIZES and (path.name.startswith(("~$", ".~")) or _looks_like_lock(head)):
        raise RefusedError(
            f"{path.name} is a lock file that Word leaves beside an open document; it holds no text",
            code="word_lock_file",
            remedy="Delete it; give the document itself.",
        )
    if head.startswith(b"version https://git-lfs.github.com/spec/"):
        raise RefusedError(
            f"{path.name} is a Git LFS pointer, not the file itself",
            code="git_lfs_pointer",
            remedy="Run `git lfs pull` in the repository it came from.",
        )
    if not head.strip(b"\x00"):
        raise RefusedError(
            f"{path.name} holds nothing but zero bytes",
            code="damaged",
            remedy="The download or copy failed; fetch the file again.",
        )


def _looks_like_lock(head: bytes) -> bool:
    """A name of length head[0], padded, then the same name in UTF-16: a Word owner file."""
    return (
        0 < head[0] <= 52
        and not head.startswith(b"BM")
        and len(head) == 162
        and head[54:56] == bytes((head[0], 0))
    )


def _format(path: Path, head: bytes, size: int) -> Format:
    """The format by magic bytes; RefusedError for every other kind of content."""
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(_IMAGES) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return "image"
    if head.startswith(b"PK"):
        return _zip(path)
    if head.startswith(_OLE):
        return _ole(path, size)
    _refuse_known(path, head)
    _refuse_text(path, head)
    raise RefusedError(
        f"{path.name} is of a kind that is not read here",
        code="unsupported",
        remedy="Give a PDF, a Word file (.docx, .doc) or an image (JPEG, PNG, TIFF, BMP, WebP, GIF).",
    )


def _zip(path: Path) -> Format:
    """docx, or a refusal that says which kind of zip it is."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise RefusedError(
            f"{path.name} begins like a .docx (zip) but its end is missing or damaged",
            code="truncated",
            remedy="The download or copy broke off; fetch the file again.",
        ) from error
    if "word/document.xml" in names or any(re.fullmatch(r"word/document\d*\.xml", name) for name in names):
        return "docx"
    if "OFD.xml" in names:
        raise RefusedError(
            f"{path.name} is an OFD document",
            code="ofd",
            remedy="Open it in an OFD reader and export it as PDF.",
        )
    if any(name.startswith(("ppt/", "xl/")) for name in names):
        kind = "a PowerPoint" if any(name.startswith("ppt/") for name in names) else "an Excel"
        raise RefusedError(
            f"{path.name} is {kind} file", code="office_other", remedy="Export it as PDF and give that."
        )
    if "content.xml" in names and "mimetype" in names:
        raise RefusedError(
            f"{path.name} is an OpenDocument file",
            code="opendocument",
            remedy="Save it as .docx or export it as PDF.",
        )
    raise RefusedError(
        f"{path.name} is a zip archive of {len(names)} files",
        code="archive",
        remedy="Unpack it and give the files in it.",
    )


def _ole(path: Path, size: int) -> Format:
    """doc, or a refusal: encrypted, another Office format, or a damaged container."""
    import olefile

    try:
        with olefile.OleFileIO(str(path)) as ole:
            names = {entry[0].lower() for entry in ole.listdir()}
            encrypted = "encryptedpackage" in names
            if "worddocument" in names:
                flags = ole.openstream("WordDocument").read(12)
                encrypted = encrypted or (len(flags) == 12 and bool(flags[11] & 0x01))
    except Exception as error:  # olefile raises a wide range of errors on damaged containers
        raise RefusedError(
            f"{path.name} begins like a Word 97-2003 document but is damaged ({size:,} bytes)",
            code="truncated",
            remedy="The download or copy broke off; fetch the file again.",
        ) from error
    if encrypted:
        raise _encrypted(path)
    if "worddocument" in names:
        return "doc"
    kind = "an Excel" if names & {"workbook", "book"} else "a PowerPoint"
    if names & {"workbook", "book", "powerpoint document"}:
        raise RefusedError(
            f"{path.name} is {kind} file", code="office_other", remedy="Export it as PDF and give that."
        )
    raise RefusedError(
        f"{path.name} is an OLE container without a Word document in it",
        code="unsupported",
        remedy="Open it in the program that made it and export it as PDF.",
    )


def _encrypted(path: Path) -> RefusedError:
    return RefusedError(
        f"{path.name} is protected by a password",
        code="encrypted",
        remedy="Open it with its password and save a copy without one.",
    )


def _refuse_known(path: Path, head: bytes) -> None:
    """Refuse formats that are recognised but not read."""
    if head.startswith(b"{\\rtf"):
        raise RefusedError(
            f"{path.name} is a Rich Text (RTF) document",
            code="rtf",
            remedy="Open it in Word or LibreOffice and save it as .docx.",
        )
    for magic, kind in _ARCHIVES.items():
        if head.startswith(magic):
            raise RefusedError(
                f"{path.name} is {kind}", code="archive", remedy="Unpack it and give the files in it."
            )
    if head[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif", b"ftyphevc"):
        raise RefusedError(
            f"{path.name} is a HEIC or AVIF photo",
            code="heic",
            remedy="Convert it to JPEG (phones offer this when sharing).",
        )
    if head.startswith(b"AT&TFORM"):
        raise RefusedError(
            f"{path.name} is a DjVu document", code="djvu", remedy="Convert it to PDF and give that."
        )
    if head.startswith((b"CAJ", b"HN\x00\x00", b"KDH ", b"%!PS")):
        raise RefusedError(
            f"{path.name} is a CAJ, KDH or PostScript document",
            code="caj_or_postscript",
            remedy="Print it to PDF from its own reader and give that.",
        )


def _refuse_text(path: Path, head: bytes) -> None:
    """Refuse text files, whatever they are called."""
    if head.count(0) and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    sample = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if sample.startswith((b"<!doctype html", b"<html")) or b"<html" in sample[:1024]:
        raise RefusedError(
            f"{path.name} is a web page, often an error page saved in place of the file",
            code="html",
            remedy="Fetch the file again, logged in if its site asks for it; or print the page to PDF.",
        )
    if sample.startswith(b"<?xml"):
        raise RefusedError(
            f"{path.name} is an XML file",
            code="xml",
            remedy="Open it in the program that made it (Word 2003 XML: Word) and save it as .docx.",
        )
    controls = sum(byte < 32 and byte not in b"\t\r\n\f\x1b" for byte in head)
    if controls <= len(head) // 200 or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RefusedError(
            f"{path.name} is a plain text file",
            code="plain_text",
            remedy="Paste the text into a Word document and save that as .docx.",
        )
