"""Find the MTEF stream of an equation: in an OLE object, or in the comments of its WMF or EMF picture."""

from __future__ import annotations

import io
import struct
import zlib

from ingest.readers.mtef.errors import EquationError
from ingest.readers.mtef.records import MAX_BYTES

STREAM = "Equation Native"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PLACEABLE = b"\xd7\xcd\xc6\x9a"
_WMF = (b"\x01\x00\x09\x00", b"\x02\x00\x09\x00")
_EMF = b"\x01\x00\x00\x00"
_GZIP = b"\x1f\x8b\x08"
_MAX_PICTURE = 20_000_000
_MAX_OBJECT = 50_000_000
_ESCAPE, _COMMENT, _EMF_COMMENT = 0x0626, 0x000F, 70
_CHUNKED, _PLAIN, _BASELINE = b"AppsMFCC", b"MathTypeUU", b"MathType\xff"


def find(data: bytes) -> bytes:
    """The MTEF bytes in an OLE object, a WMF (or gzipped WMF) or an EMF.

    Raises EquationError with code `no_equation` when there is none.
    """
    if data.startswith(_OLE):
        return _from_object(data)
    if data.startswith(_GZIP):
        data = _unzipped(data)
    if data.startswith(_PLACEABLE):
        return _from_comments(_wmf_comments(data, 22))
    if data.startswith(_WMF):
        return _from_comments(_wmf_comments(data, 0))
    if data.startswith(_EMF) and data[40:44] == b" EMF":
        return _from_comments(_emf_comments(data))
    raise EquationError("neither an OLE object nor a Windows metafile", code="no_equation")


def _from_object(data: bytes) -> bytes:
    stream = _native_stream(data)
    if len(stream) < 28:
        raise EquationError("the header of the equation is cut off")
    header, size = struct.unpack_from("<H6xI", stream)
    if not 12 <= header <= len(stream):
        raise EquationError("the header of the equation is not one")
    return stream[header : header + size]


def count(data: bytes) -> int:
    """How many equations an OLE file (a Word 97-2003 document) holds; 0 when it is none or damaged."""
    import olefile

    try:
        _check_header(data)
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            return sum(1 for entry in ole.listdir() if entry[-1] == STREAM)
    except Exception:  # olefile raises whatever a broken file makes its code raise
        return 0


def _native_stream(data: bytes) -> bytes:
    import olefile

    _check_header(data)
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            path = next((entry for entry in ole.listdir() if entry[-1] == STREAM), None)
            if path is None:
                raise EquationError("the object holds no equation", code="no_equation")
            with ole.openstream(path) as stream:
                return bytes(stream.read(MAX_BYTES + 1024))
    except EquationError:
        raise
    except Exception as error:  # olefile raises whatever a broken file makes its code raise
        raise EquationError("the OLE object is damaged") from error


def _check_header(data: bytes) -> None:
    """Refuse counts larger than the file could hold: olefile loops over them as they are written."""
    if len(data) > _MAX_OBJECT:
        raise EquationError(f"the object has {len(data) // 1_000_000} MB", code="equation_limit")
    if len(data) < 512:
        raise EquationError("the OLE object is cut off")
    shift, mini_shift = struct.unpack_from("<HH", data, 30)
    if shift not in {9, 12} or mini_shift != 6:
        raise EquationError("the OLE object has sectors of an unknown size")
    sectors = len(data) >> shift
    if max(struct.unpack_from("<I", data, at)[0] for at in (44, 64, 72)) > sectors:
        raise EquationError("the OLE object counts more sectors than it has")


def _unzipped(data: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        return unpacker.decompress(data, _MAX_PICTURE)
    except zlib.error as error:
        raise EquationError("the compressed picture is damaged", code="no_equation") from error


def _wmf_comments(data: bytes, start: int) -> list[bytes]:
    """The comments among the records of a WMF; a broken record ends the search."""
    found = []
    at = start + 18
    while at + 6 <= len(data):
        words, function = struct.unpack_from("<IH", data, at)
        if words < 3:
            break
        if function == _ESCAPE and at + 10 <= len(data):
            kind, size = struct.unpack_from("<HH", data, at + 6)
            if kind == _COMMENT:
                found.append(data[at + 10 : min(at + 10 + size, at + 2 * words)])
        at += 2 * words
    return found


def _emf_comments(data: bytes) -> list[bytes]:
    found = []
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if size < 8:
            break
        if kind == _EMF_COMMENT and at + 12 <= len(data):
            (count,) = struct.unpack_from("<I", data, at + 8)
            found.append(data[at + 12 : min(at + 12 + count, at + size)])
        at += size
    return found


def _from_comments(comments: list[bytes]) -> bytes:
    chunks: list[bytes] = []
    wanted = have = 0
    for comment in comments:
        if comment.startswith(_CHUNKED):
            total, chunk = _chunk(comment)
            wanted = wanted or total
            chunks.append(chunk)
            have += len(chunk)
            if have >= wanted:
                break
        elif comment.startswith(_PLAIN) and len(comment) > 12:
            (size,) = struct.unpack_from("<H", comment, 10)
            return comment[12 : 12 + size]
    if not chunks:
        raise EquationError("the picture carries no equation", code="no_equation")
    data = b"".join(chunks)
    if data.lstrip()[:5] in {b"<?xml", b"<math"}:
        raise EquationError("the picture carries its equation as MathML only")
    return data[:wanted]


def _chunk(comment: bytes) -> tuple[int, bytes]:
    """(length of the whole, this part of it): u16 version, u32 whole, u32 part, signature, part."""
    end = comment.find(b"\0", 18)
    if end < 0:
        raise EquationError("a comment of the picture is cut off")
    _, total, size = struct.unpack_from("<HII", comment, 8)
    if total > MAX_BYTES:
        raise EquationError(f"the equation has {total} bytes", code="equation_limit")
    return total, comment[end + 1 : end + 1 + size]
