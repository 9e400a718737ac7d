"""Equation objects built for tests: MTEF 3 and 5 streams, the OLE container and the WMF around them."""

from __future__ import annotations

import struct
from collections.abc import Sequence

VARIABLE, NUMBER, SYMBOL, FUNCTION, TEXT, LCGREEK, VECTOR, SPACE = 3, 8, 6, 2, 1, 4, 7, 24
END = b"\0"


class V5:
    """Records of version 5."""

    version = 5

    def head(self) -> bytes:
        return b"\x05\x01\x00\x06\x07DSMT6\0\x01"

    def char(
        self,
        sign: str | int,
        typeface: int = VARIABLE,
        embellishments: Sequence[int] = (),
        start: bool = False,
    ) -> bytes:
        code = sign if isinstance(sign, int) else ord(sign)
        raw = bytes([2, (1 if embellishments else 0) | (2 if start else 0), typeface + 128]) + struct.pack(
            "<H", code
        )
        if embellishments:
            raw += b"".join(bytes([6, 0, kind]) for kind in embellishments) + END
        return raw

    def chars(self, text: str, typeface: int | None = None) -> bytes:
        return b"".join(self.char(c, typeface or (NUMBER if c.isdigit() else VARIABLE)) for c in text)

    def line(self, *items: bytes) -> bytes:
        return b"\x01\x00" + b"".join(items) + END

    def null(self) -> bytes:
        return b"\x01\x01"

    def template(self, selector: int, variation: int, *children: bytes) -> bytes:
        raw = bytes([variation]) if variation < 0x80 else bytes([variation & 0x7F | 0x80, variation >> 8])
        return bytes([3, 0, selector]) + raw + b"\0" + b"".join(children) + END

    def pile(self, align: int, *lines: bytes) -> bytes:
        return bytes([4, 0, align, 1]) + b"".join(lines) + END

    def matrix(
        self, rows: int, cols: int, cells: Sequence[bytes], row_parts: int = 0, col_parts: int = 0
    ) -> bytes:
        parts = row_parts.to_bytes((rows + 4) // 4, "little") + col_parts.to_bytes((cols + 4) // 4, "little")
        return bytes([5, 0, 1, 0x81, 0x81, rows, cols]) + parts + b"".join(cells) + END

    def equation(self, *items: bytes) -> bytes:
        return self.head() + b"\x0a" + self.line(*items) + END

    def slot(self, text: str) -> bytes:
        return self.line(self.chars(text)) if text else self.null()


class V3(V5):
    """Records of version 3: the options share a byte with the type."""

    version = 3

    def head(self) -> bytes:
        return b"\x03\x01\x01\x03\x0a"

    def char(
        self,
        sign: str | int,
        typeface: int = VARIABLE,
        embellishments: Sequence[int] = (),
        start: bool = False,
    ) -> bytes:
        code = sign if isinstance(sign, int) else ord(sign)
        raw = bytes([0x22 if embellishments else 0x02, typeface + 128]) + struct.pack("<H", code)
        return raw + (b"\x06" + bytes(embellishments) + END + END if embellishments else b"")

    def line(self, *items: bytes) -> bytes:
        return b"\x01" + b"".join(items) + END

    def null(self) -> bytes:
        return b"\x11"

    def template(self, selector: int, variation: int, *children: bytes) -> bytes:
        return bytes([3, selector, variation, 0]) + b"".join(children) + END

    def pile(self, align: int, *lines: bytes) -> bytes:
        return bytes([4, align, 1]) + b"".join(lines) + END

    def matrix(
        self, rows: int, cols: int, cells: Sequence[bytes], row_parts: int = 0, col_parts: int = 0
    ) -> bytes:
        parts = row_parts.to_bytes((rows + 4) // 4, "little") + col_parts.to_bytes((cols + 4) // 4, "little")
        return bytes([5, 1, 1, 1, rows, cols]) + parts + b"".join(cells) + END


def ole(mtef: bytes, stream: str = "Equation Native") -> bytes:
    """A compound file with the one stream an equation object needs."""
    data = struct.pack("<HIHIIIII", 28, 0x20000, 0xC24F, len(mtef), 0, 0, 0, 0) + mtef
    data = data.ljust(max(4096, -(-len(data) // 512) * 512), b"\0")  # below 4096 it would be a mini stream
    sectors = len(data) // 512
    fat = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, sectors + 2), 0xFFFFFFFE]
    fat += [0xFFFFFFFF] * (128 - len(fat))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0,
    )  # fmt: skip
    header += struct.pack("<109I", 0, *[0xFFFFFFFF] * 108)
    directory = _entry("Root Entry", 5, child=1, start=0xFFFFFFFE, size=0) + _entry(
        stream, 2, start=2, size=len(data)
    )
    return header + struct.pack("<128I", *fat) + directory.ljust(512, b"\0") + data


def _entry(name: str, kind: int, *, start: int, size: int, child: int = 0xFFFFFFFF) -> bytes:
    raw = name.encode("utf-16-le") + b"\0\0"
    none = 0xFFFFFFFF
    return struct.pack("<64sHBBIII16xI8x8xIQ", raw, len(raw), kind, 1, none, none, child, 0, start, size)


def wmf(*comments: bytes, placeable: bool = True) -> bytes:
    """A metafile with comments among its records."""
    records = struct.pack("<IHH", 4, 0x0103, 8)
    for comment in comments:
        padded = comment + b"\0" * (len(comment) % 2)
        records += struct.pack("<IHHH", 5 + len(padded) // 2, 0x0626, 0x000F, len(comment)) + padded
    records += struct.pack("<IH", 3, 0)
    head = struct.pack("<IHhhhhHIH", 0x9AC6CDD7, 0, 0, 0, 100, 100, 1440, 0, 0) if placeable else b""
    return head + struct.pack("<HHHIHIH", 1, 9, 0x300, 9 + len(records) // 2, 0, 10, 0) + records


def emf(*comments: bytes) -> bytes:
    """An enhanced metafile with comments among its records."""
    head = struct.pack("<II32x4s", 1, 88, b" EMF").ljust(88, b"\0")
    body = b""
    for comment in comments:
        padded = comment + b"\0" * (-len(comment) % 4)
        body += struct.pack("<III", 70, 12 + len(padded), len(comment)) + padded
    return head + body + struct.pack("<IIIII", 14, 20, 0, 0, 20)


def chunks(mtef: bytes, size: int = 100_000) -> list[bytes]:
    """The comments MathType writes from version 6 on."""
    parts = [mtef[at : at + size] for at in range(0, len(mtef), size)]
    return [
        b"AppsMFCC" + struct.pack("<HII", 1, len(mtef), len(part)) + b"Design Science, Inc.\0" + part
        for part in parts
    ]
