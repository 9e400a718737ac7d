"""Content decides what a file is; what cannot be read is refused with a code and a remedy."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.readers import read
from ingest.readers.sniff import sniff
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

SETTINGS = ReadSettings()
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def zipped(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), text)
    return buffer.getvalue()


LOCK = bytes((5,)) + b"Alice".ljust(53, b" ") + bytes((5, 0)) + "Alice".encode("utf-16-le").ljust(106, b" ")

REFUSED = {
    "empty": (b"", "empty"),
    "lock": (LOCK, "word_lock_file"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git_lfs_pointer"),
    "html": (b"<!DOCTYPE html><html><body>404</body></html>", "html"),
    "text": ("1. 什么是极限？\n2. 什么是导数？\n".encode(), "plain_text"),
    "rtf": (b"{\\rtf1\\ansi hello}", "rtf"),
    "zeros": (b"\0" * 5000, "damaged"),
    "cut zip": (zipped(word__document_xml="<w/>" * 500)[:60], "truncated"),
    "zip": (zipped(a_xml="<a/>"), "archive"),
    "ofd": (zipped(OFD_xml="<a/>"), "ofd"),
    "xlsx": (zipped(xl__workbook_xml="<a/>"), "office_other"),
    "cut doc": (OLE + b"\0" * 40, "truncated"),
    "rar": (b"Rar!\x1a\x07\x01\x00aaaa", "archive"),
    "noise": (bytes(range(256)) * 4, "unsupported"),
    "heic": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "heic"),
}


@pytest.mark.parametrize("kind", sorted(REFUSED))
def test_refusals_name_code_and_remedy(tmp_path: Path, kind: str) -> None:
    data, code = REFUSED[kind]
    file = tmp_path / "paper.pdf"
    file.write_bytes(data)
    with pytest.raises(RefusedError) as caught:
        read(file, SETTINGS)
    assert caught.value.code == code
    assert caught.value.remedy
    assert "paper.pdf" in caught.value.message
    assert str(tmp_path) not in caught.value.message


def test_missing_directory_and_oversized_files_are_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.pdf"
    large.write_bytes(b"%PDF-1.7" + b"x" * 100)
    for path, code in ((tmp_path / "no.pdf", "missing"), (tmp_path, "directory"), (large, "max_bytes")):
        with pytest.raises(RefusedError) as caught:
            sniff(path, ReadSettings(max_bytes=50))
        assert caught.value.code == code


def test_a_good_file_under_a_wrong_name_is_told_by_content(tmp_path: Path) -> None:
    file = tmp_path / "paper.doc"
    file.write_bytes(zipped(word__document_xml="<w/>"))
    found = sniff(file, SETTINGS)
    assert found.format == "docx"
    assert [notice.code for notice in found.notices] == ["wrong_extension"]
    right = tmp_path / "paper.DOCX"
    right.write_bytes(file.read_bytes())
    assert sniff(right, SETTINGS).notices == ()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "paper.pdf"
    file.write_bytes(b"%PDF-1.7")
    file.chmod(0)
    with pytest.raises(RefusedError) as caught:
        sniff(file, SETTINGS)
    assert caught.value.code == "unreadable"


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    head=st.sampled_from(
        [b"", b"%PDF-1.4\n", b"PK\x03\x04", OLE, b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"II*\0"]
    ),
    tail=st.binary(max_size=400),
)
def test_any_bytes_are_refused_or_named_never_a_traceback(tmp_path: Path, head: bytes, tail: bytes) -> None:
    file = tmp_path / "any.pdf"
    file.write_bytes(head + tail)
    try:
        assert sniff(file, SETTINGS).format in ("pdf", "image", "docx", "doc")
    except RefusedError as error:
        assert error.code and error.remedy
