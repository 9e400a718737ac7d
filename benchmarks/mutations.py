"""Seeded mutations of documents: of their bytes, of the parts of a Word file, of the objects of a PDF."""

from __future__ import annotations

import io
import random
import re
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
OLD_WORD = Path(__file__).resolve().parents[1] / "tests" / "data" / "short-paper.doc"
_PAPERS = {".pdf", ".docx", ".doc"}
_EXTREME = (
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "2147483648",
    "-2147483649",
    "99999999999999999999",
    "1e308",
    "NaN",
    "",
)
_OBJECT = re.compile(rb"\d+ 0 obj\b.*?\bendobj", re.DOTALL)
_ELEMENT = re.compile(rb"<(w:p|w:r|w:tbl|w:tr|w:tc|m:oMath|w:sdt|w:lvl|w:num|w:style)[ >].*?</\1>", re.DOTALL)
_VALUE = re.compile(rb'(?<==")[^"<>]{0,200}(?=")')


@dataclass(frozen=True)
class Seed:
    """A sound document to start from: its suffix tells its format."""

    name: str
    suffix: str
    data: bytes


def seeds() -> list[Seed]:
    """The sample papers, the old Word sample, and PDFs whose streams are plain so that edits reach them."""
    import pymupdf

    found = [
        Seed(path.name, path.suffix, path.read_bytes())
        for path in sorted([*SAMPLES.iterdir(), OLD_WORD])
        if path.suffix in {".pdf", ".docx", ".doc", ".jpg"}
    ]
    for seed in list(found):
        if seed.suffix == ".pdf" and len(seed.data) < 120_000:
            with pymupdf.open(stream=seed.data, filetype="pdf") as pdf:
                pdf.delete_pages(range(1, pdf.page_count))
                for name, deflate in (("plain", False), ("packed", True)):
                    data = pdf.tobytes(garbage=3, expand=0 if deflate else 1, deflate=deflate)
                    if len(data) < 400_000:
                        found.append(Seed(f"{name} {seed.name}", ".pdf", data))
    return [*found, _graph(), _picture(".png"), _picture(".tiff"), _picture(".gif")]


def choose(starts: Sequence[Seed], rng: random.Random) -> Seed:
    """One of the documents, PDF and Word most often."""
    kind = rng.choices((".pdf", ".docx", ".doc", "picture"), weights=(45, 40, 8, 7))[0]
    return rng.choice(
        [s for s in starts if s.suffix == kind or (kind == "picture" and s.suffix not in _PAPERS)]
    )


def mutate(seed: Seed, others: Sequence[Seed], rng: random.Random) -> bytes:
    """One to three mutations of a document, by bytes or by what its format is made of."""
    data = seed.data
    deep = {".docx": _parts, ".pdf": _objects}.get(seed.suffix)
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = deep(data, rng) if deep and rng.random() < 0.7 else _bytes(data, others, rng)
    return data


def _bytes(data: bytes, others: Sequence[Seed], rng: random.Random) -> bytes:
    """Flips, cuts, swaps, doublings, zeroes and splices, wherever they fall."""
    if not data:
        return data
    size = len(data)
    a, b = sorted(rng.randrange(size + 1) for _ in range(2))
    kind = rng.randrange(7)
    if kind == 0:
        out = bytearray(data)
        for _ in range(rng.choice((1, 4, 30, 200))):
            out[rng.randrange(size)] ^= 1 << rng.randrange(8)
        return bytes(out)
    if kind == 1:
        return data[: max(a, 1)]
    if kind == 2:
        c = min(size, b + (b - a))
        return data[:a] + data[b:c] + data[a:b] + data[c:]
    if kind == 3:
        return data[:b] + data[a : min(b, a + 5000)] + data[b:]
    if kind == 4:
        end = min(b, a + 3000)
        return data[:a] + bytes(end - a) + data[end:]
    if kind == 5:
        other = rng.choice(others).data
        cut = rng.randrange(len(other))
        return data[:a] + other[cut : cut + rng.choice((50, 3000, 60_000))] + data[b:]
    at = rng.randrange(size)
    return data[:at] + rng.choice(_EXTREME).encode() + data[at + rng.randrange(9) :]


def _parts(data: bytes, rng: random.Random) -> bytes:
    """A Word file with one of its parts changed, dropped, renamed, doubled or exchanged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [(name, archive.read(name)) for name in archive.namelist()]
    except Exception:  # an earlier mutation broke the archive
        return _bytes(data, [Seed("", "", data)], rng)
    at = rng.randrange(len(parts))
    if rng.random() < 0.7:  # the parts that the reader opens
        known = [
            n
            for n, (name, _) in enumerate(parts)
            if re.search(r"(document|numbering|styles|notes)\.xml|rels$", name)
        ]
        at = rng.choice(known or [at])
    name, content = parts[at]
    kind = rng.randrange(10)
    if kind == 0:
        del parts[at]
    elif kind == 1:
        parts[at] = (rng.choice(("../../x", "word/document.xml", "/" + name, name.upper(), "x/")), content)
    elif kind == 2:
        parts.append((name, content[: len(content) // 2]))
    elif kind == 3:
        other = rng.randrange(len(parts))
        parts[at], parts[other] = (name, parts[other][1]), (parts[other][0], content)
    else:
        parts[at] = (name, _xml(content, rng))
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # a name that stands twice is meant
        for name, content in parts:
            archive.writestr(name, content)
    return out.getvalue()


def _xml(content: bytes, rng: random.Random) -> bytes:
    """XML with elements dropped, doubled, nested or moved, or values replaced by extreme ones."""
    kind = rng.randrange(5)
    if kind == 0 or not content:
        return _bytes(content or b"<x/>", [Seed("", "", content or b"<x/>")], rng)
    if kind == 1:
        values = [match.span() for match in _VALUE.finditer(content)]
        for start, end in sorted(rng.sample(values, min(len(values), rng.choice((1, 5, 50)))), reverse=True):
            content = content[:start] + rng.choice(_EXTREME).encode() + content[end:]
        return content
    elements = [match.span() for match in _ELEMENT.finditer(content)]
    if not elements:
        return content
    start, end = rng.choice(elements)
    piece = content[start:end]
    if kind == 2:
        return content[:start] + content[end:]
    if kind == 3:
        return content[:start] + piece * rng.choice((2, 50, 400)) + content[end:]
    where = rng.choice(elements)[0]
    inside = content.find(b">", where) + 1  # a piece in a place where no such thing may stand
    return content[:inside] + piece + content[inside:]


def _objects(data: bytes, rng: random.Random) -> bytes:
    """A PDF with objects dropped, doubled or exchanged, or references and numbers replaced."""
    found = [match.span() for match in _OBJECT.finditer(data)]
    if len(found) < 2:
        return _bytes(data, [Seed("", "", data)], rng)
    kind = rng.randrange(6)
    (a, b), (c, d) = sorted(rng.sample(found, 2))
    if kind == 0:
        return data[:a] + data[b:]
    if kind == 1:
        head, tail = data.find(b"obj", a) + 3, data.find(b"obj", c) + 3
        return data[:head] + data[tail:d] + data[b:tail] + data[head:b] + data[d:]
    if kind == 2:
        return data[:b] + b"\n" + data[a:b] * rng.choice((1, 100)) + data[b:]
    if kind == 3:
        return data.replace(b"startxref", b"startxxxx")[: -rng.choice((1, 20, 400))]
    pattern = rb"\b\d+ 0 R\b" if kind == 4 else rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])"
    places = [match.span() for match in re.finditer(pattern, data)]
    for start, end in sorted(rng.sample(places, min(len(places), rng.choice((1, 3, 30)))), reverse=True):
        new = f"{rng.randrange(len(found) + 2)} 0 R" if kind == 4 else rng.choice(_EXTREME)
        data = data[:start] + new.encode() + data[end:]
    return data


def _graph() -> Seed:
    """A PDF page with a ruled table, a drawing, a picture, a turned line and a link."""
    import pymupdf

    pdf = pymupdf.open()
    page = pdf.new_page()
    page.insert_text((60, 60), "1. What does the table show?", fontsize=11)
    for n in range(6):
        page.draw_line((60, 100 + 20 * n), (360, 100 + 20 * n))
        page.draw_line((60 + 60 * n, 100), (60 + 60 * n, 200))
        page.insert_text((64 + 50 * n, 114 + 15 * n), f"x{n} = {n}.5")
    page.draw_bezier((60, 300), (100, 250), (200, 400), (300, 300))
    page.draw_circle((200, 320), 40)
    page.insert_image(pymupdf.Rect(60, 420, 200, 520), stream=_picture(".png").data)
    page.insert_text((560, 700), "seal line", rotate=90)
    page.insert_link(
        {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(0, 0, 9, 9), "uri": "http://example.org"}
    )
    return Seed("graph.pdf", ".pdf", pdf.tobytes())


def _picture(suffix: str) -> Seed:
    """A small picture, in two frames where the format has frames."""
    from PIL import Image, ImageDraw

    frames = []
    for n in range(2):
        frame = Image.new("RGB", (320, 200), "white")
        ImageDraw.Draw(frame).text((20, 20 + 50 * n), "What is entropy?", fill="black")
        frames.append(frame)
    out = io.BytesIO()
    kind = {".png": "PNG", ".tiff": "TIFF", ".gif": "GIF"}[suffix]
    more = {"save_all": True, "append_images": frames[1:]} if kind != "PNG" else {}
    frames[0].save(out, kind, **more)
    return Seed(f"picture{suffix}", suffix, out.getvalue())
