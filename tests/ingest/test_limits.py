"""Every limit on a file built to pass it: refused by the limit's name, with the setting that lifts it."""

from __future__ import annotations

import io
import socket
import struct
import threading
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from wordmaker import NAMESPACES, make, par, run

from ingest.pool import DocumentPool
from ingest.readers import read
from schemas.document import Document
from schemas.errors import RefusedError
from schemas.settings import ReadSettings, Settings


def refused(path: Path, limit: str, *, seconds: float = 20.0, **settings: object) -> RefusedError:
    """The refusal, which names the limit in code and message and a way out, and came in time."""
    start = time.monotonic()
    with pytest.raises(RefusedError) as caught:
        read(path, ReadSettings(**settings))
    error = caught.value
    assert (error.code, limit in error.message) == (limit, True)
    lifts = f"raise read.{limit}" if limit in ReadSettings.model_fields else "no setting"
    assert error.remedy.startswith(lifts)
    assert time.monotonic() - start < seconds
    return error


def png(width: int, height: int) -> bytes:
    """A PNG whose header promises this many pixels and whose data ends at once."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def pdf(*objects: str | bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + (body.encode() if isinstance(body, str) else body) + b"\nendobj\n"
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(places) + 1, table)
    return bytes(out)


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


# -- archives and XML ----------------------------------------------------------------------------------


def test_zip_bombs_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    flat = make(tmp_path / "a.docx", par("题"), parts={"media/x.bin": bytes(30_000_000)})
    refused(flat, "max_zip_ratio")
    part = bytes(40_000_000)
    large = tmp_path / "b.docx"
    with zipfile.ZipFile(make(large, par("题")), "a") as archive:
        for number in range(5):
            archive.writestr(f"word/media/{number}.bin", part, zipfile.ZIP_DEFLATED)
    refused(large, "max_bytes", max_zip_ratio=10**6, max_bytes=150_000_000)
    many = make(tmp_path / "c.docx", par("题"), parts={f"media/{n}.bin": b"" for n in range(5001)})
    refused(many, "max_zip_entries")


def test_a_part_of_200_mb_is_refused_unread(tmp_path: Path) -> None:
    body = b"<w:document><w:body>" + b"<w:p/>" * 34_000_000 + b"</w:body></w:document>"
    path = make(tmp_path / "a.docx", "", document=body.decode())
    del body
    refused(path, "max_xml_bytes", max_zip_ratio=10**6, max_bytes=10**9)


def test_a_part_that_lies_about_its_size_gives_no_more_than_it_declares(tmp_path: Path) -> None:
    path = make(tmp_path / "a.docx", par("题"), parts={"media/x.bin": bytes(3_000_000)})
    true, lie = struct.pack("<I", 3_000_000), struct.pack("<I", 500)
    path.write_bytes(path.read_bytes().replace(true, lie))
    from ingest.readers.wordpackage import WordPackage

    with WordPackage(path, ReadSettings()) as package, pytest.raises(RefusedError) as caught:
        package.data("word/media/x.bin")
    assert caught.value.code == "damaged"


def test_archives_inside_are_not_opened(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.bin", bytes(50_000_000))
    path = make(tmp_path / "a.docx", par("1. 熵"), parts={"embeddings/x.docx": inner.getvalue()})
    document, assets = read(path, ReadSettings())
    assert ([block.text for block in document.blocks], assets) == (["1. 熵"], ())


@pytest.mark.parametrize("pad", ["", f"<!--{'x' * 9000}-->"])
def test_entities_are_refused_wherever_they_are_declared(tmp_path: Path, pad: str) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    document = (
        f'{pad}<!DOCTYPE d [<!ENTITY l0 "ha">{laughs}]><w:document {NAMESPACES} w:x="&l9;">'
        f"<w:body>{par(run('&l9;'))}</w:body></w:document>"
    )
    refused(make(tmp_path / "a.docx", "", document=document), "xml_entities")
    wide = ('<?xml version="1.0" encoding="UTF-16"?>' + document).encode("utf-16") if not pad else b""
    if wide:
        path = make(tmp_path / "b.docx", "", parts={"styles.xml": wide})
        refused(path, "xml_entities")


def test_deep_nesting_is_refused_by_name(tmp_path: Path) -> None:
    for name, left, right in (
        ("sdt", "<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        ("ins", "<w:ins>", "</w:ins>"),
    ):
        refused(make(tmp_path / f"{name}.docx", left * 3000 + right * 3000), "xml_depth")


# -- pictures and pages ----------------------------------------------------------------------------------


def test_pictures_are_measured_before_they_are_decoded(tmp_path: Path) -> None:
    bomb = png(100_000, 100_000)
    refused(put(tmp_path / "a.png", bomb), "max_pixels", seconds=5)
    inside = make(
        tmp_path / "a.docx",
        par(
            '<w:r><w:drawing><wp:inline><a:graphic><a:blip r:embed="p"/></a:graphic></wp:inline></w:drawing></w:r>'
        ),
        parts={"media/p.png": bomb},
        relations={"p": ("image", "media/p.png")},
    )
    document, _ = read(inside, ReadSettings())  # a figure that is kept as it is and never decoded
    assert "max_pixels" in document.pages[0].reason
    stream = zlib.compress(bytes(1000))
    image = (
        f"<</Type/XObject/Subtype/Image/Width 100000/Height 100000/ColorSpace/DeviceRGB/BitsPerComponent 8"
        f"/Filter/FlateDecode/Length {len(stream)}>>stream\n".encode()
        + stream
        + b"\nendstream"
    )
    page = (
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 700]/Contents 5 0 R/Resources<</XObject<</I 4 0 R>>>>>>"
    )
    draw = "<</Length 26>>stream\nq 400 0 0 600 9 9 cm /I Do Q\nendstream"
    file = pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", page, image, draw)
    refused(put(tmp_path / "a.pdf", file), "max_pixels", seconds=5)


def test_many_pages_are_refused_unread(tmp_path: Path) -> None:
    kids = " ".join(f"{number} 0 R" for number in range(3, 100_003))
    pages = ["<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 700]>>"] * 100_000
    file = pdf("<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Count 100000/Kids[{kids}]>>", *pages)
    refused(put(tmp_path / "a.pdf", file), "max_pages", seconds=10)


@pytest.mark.parametrize("shape", ["wide", "deep", "loop"])
def test_trees_of_a_million_objects_end_in_time(tmp_path: Path, shape: str) -> None:
    if shape == "wide":
        many = [f"<</N {n}>>" for n in range(1_000_000)]
        pages = ["<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"]
    elif shape == "deep":
        many = [f"<</Type/Pages/Count 1/Parent {n + 1} 0 R/Kids[{n + 3} 0 R]>>" for n in range(1, 50_000)]
        pages = ["<</Type/Pages/Count 1/Kids[3 0 R]>>"]
    else:
        many = []
        pages = [
            "<</Type/Pages/Count 2/Kids[3 0 R 2 0 R]>>",
            "<</Type/Pages/Count 2/Parent 2 0 R/Kids[2 0 R]>>",
        ]
    path = put(tmp_path / "a.pdf", pdf("<</Type/Catalog/Pages 2 0 R>>", *pages, *many))
    limits = ReadSettings(max_seconds=30, max_memory_mb=1500, ocr="never")
    with DocumentPool(1, Settings(read=limits), tmp_path) as pool:
        try:
            assert isinstance(pool.read(path), Document)
        except RefusedError as error:
            assert error.code in {"damaged", "no_pages", "not_readable", "max_pages"}, error


def _stream(data: bytes, entries: str = "") -> bytes:
    return f"<<{entries}/Length {len(data)}>>stream\n".encode() + data + b"\nendstream"


@pytest.mark.parametrize("kind", ["forms", "packed"])
def test_a_page_that_draws_for_ever_is_stopped_and_nothing_is_left(tmp_path: Path, kind: str) -> None:
    """Thirty forms that draw the next one four times each; a stream of 300 MB packed twice."""
    import psutil

    page = (
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 700]/Contents 4 0 R/Resources<</XObject<</X0 5 0 R>>>>>>"
    )
    more: list[bytes] = []
    if kind == "forms":
        content = _stream(b"/X0 Do")
        for number in range(30):
            inner = f"/X{number + 1} Do ".encode() * 4 if number < 29 else b"0 0 m 9 9 l S"
            names = f"/Resources<</XObject<</X{number + 1} {number + 6} 0 R>>>>"
            more.append(_stream(inner, f"/Type/XObject/Subtype/Form/BBox[0 0 500 700]{names}"))
    else:
        once = zlib.compressobj()
        packed = b"".join(once.compress(b"q Q " * 250_000) for _ in range(300)) + once.flush()
        content = _stream(zlib.compress(packed), "/Filter[/FlateDecode/FlateDecode]")
    file = pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", page, content, *more)
    limits = ReadSettings(max_seconds=4, max_memory_mb=1500, ocr="never")
    before = set(psutil.Process().children(recursive=True))
    start = time.monotonic()
    with DocumentPool(1, Settings(read=limits), tmp_path) as pool, pytest.raises(RefusedError) as caught:
        pool.read(put(tmp_path / "a.pdf", file))
    assert caught.value.code in {"max_seconds", "max_memory_mb"} and caught.value.code in caught.value.message
    assert time.monotonic() - start < 30
    assert set(psutil.Process().children(recursive=True)) <= before


def test_a_process_cannot_reserve_far_more_than_its_limit(tmp_path: Path) -> None:
    import subprocess
    import sys

    script = (
        "from ingest.worker import _cap_memory; _cap_memory(500)\n"
        "try: bytearray(700_000_000)\nexcept MemoryError: print('held')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert done.stdout == "held\n"


def test_a_picture_that_unpacks_beyond_the_memory_is_refused(tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "a.png"
    Image.new("RGB", (9_000, 9_000), "white").save(path, compress_level=1)
    limits = ReadSettings(max_memory_mb=500, max_seconds=120)
    with DocumentPool(1, Settings(read=limits), tmp_path) as pool, pytest.raises(RefusedError) as caught:
        pool.read(path)
    assert caught.value.code == "max_memory_mb" and "max_memory_mb" in caught.value.message


# -- nothing outside the file --------------------------------------------------------------------------


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """An address on loopback and what connected to it."""
    calls: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                calls.append(client.recv(200).decode(errors="replace"))

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}", calls
    server.close()


def test_no_link_of_a_word_file_is_followed(tmp_path: Path, listener: tuple[str, list[str]]) -> None:
    address, calls = listener
    secret = put(tmp_path / "secret.txt", b"TOPSECRET")
    picture = par(
        '<w:r><w:drawing><wp:inline><a:graphic><a:blip r:link="p"/></a:graphic></wp:inline></w:drawing></w:r>'
    )
    field = par(
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>INCLUDETEXT "{secret}"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("旧")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    path = make(
        tmp_path / "a.docx",
        par("1. 熵") + picture + field + '<w:altChunk r:id="c"/><w:subDoc r:id="s"/>',
        relations={
            "p": ("image", f"{address}/p.png"),
            "c": ("aFChunk", f"{address}/c.docx"),
            "s": ("subDocument", f"file://{secret}"),
            "t": ("attachedTemplate", f"{address}/t.dotm"),
        },
        parts={"vbaProject.bin": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 macro"},
    )
    document, assets = read(path, ReadSettings())
    assert assets == () and "TOPSECRET" not in document.model_dump_json()
    assert "1. 熵" in [block.text for block in document.blocks]
    assert {"picture_missing", "foreign_part"} <= {notice.code for notice in document.notices}
    assert calls == []


def test_no_script_or_link_of_a_pdf_is_followed(tmp_path: Path, listener: tuple[str, list[str]]) -> None:
    address, calls = listener
    secret = put(tmp_path / "secret.txt", b"BT /F 12 Tf 50 500 Td (TOPSECRET) Tj ET")
    mark = tmp_path / "ran"
    text = "BT /F 12 Tf 50 600 Td (What is entropy?) Tj ET"
    file = pdf(
        "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.launchURL('"
        f"{address}/js');)>>/AA<</WC<</S/Launch/F(touch {mark})>>>>>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 700]/Contents[4 0 R 5 0 R]/Resources<</Font<</F 6 0 R>>>>"
        f"/AA<</O<</S/URI/URI({address}/uri)>>>>>>",
        f"<</Length {len(text)}>>stream\n{text}\nendstream",
        f"<</Length 0/F({secret})>>stream\n\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    document, _ = read(put(tmp_path / "a.pdf", file), ReadSettings(ocr="never"))
    assert [block.text for block in document.blocks] == ["What is entropy?"]
    assert calls == [] and not mark.exists()


def test_libreoffice_follows_no_link(tmp_path: Path, listener: tuple[str, list[str]]) -> None:
    import shutil

    from ingest.readers.doc import _through_office

    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed")
    address, calls = listener
    secret = put(tmp_path / "secret.txt", b"TOPSECRET")
    rtf = (
        r"{\rtf1\ansi entropy\par{\field{\*\fldinst INCLUDEPICTURE "
        + f'"{address}/p.png" '
        + r"\\d}{\fldrslt x}}\par"
        r"{\field{\*\fldinst INCLUDETEXT " + f'"file://{secret}"' + r"}{\fldrslt old}}\par}"
    )
    read = _through_office(office, put(tmp_path / "a.doc", rtf.encode()), ReadSettings())
    assert read is not None
    text = "\n".join(block.text for block in read[0].blocks)
    assert "entropy" in text and "TOPSECRET" not in text
    assert calls == []


def test_no_link_of_a_doc_is_followed(tmp_path: Path, listener: tuple[str, list[str]]) -> None:
    import shutil
    import subprocess

    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed")
    address, calls = listener
    secret = put(tmp_path / "secret.txt", b"TOPSECRET")

    def field(code: str) -> str:
        mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
        told = f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
        return par(mark.format("begin") + told + mark.format("separate") + run("old") + mark.format("end"))

    source = make(
        tmp_path / "a.docx",
        par("1. entropy")
        + field(f'INCLUDEPICTURE "{address}/p.png" \\d')
        + field(f'INCLUDETEXT "{secret}"')
        + field('DDEAUTO cmd "/c touch" x'),
        relations={"t": ("attachedTemplate", f"{address}/t.dotm")},
    )
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", "doc:MS Word 97", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(source)], capture_output=True, timeout=120, check=True)
    calls.clear()  # a LibreOffice that is not kept from it asks the address
    document, _ = read(tmp_path / "a.doc", ReadSettings())
    text = "\n".join(block.text for block in document.blocks)
    assert document.format == "doc" and "entropy" in text and "TOPSECRET" not in text
    assert calls == []
