"""Figures of a .docx that are no pictures: shapes with their labels, and metafiles, drawn by LibreOffice."""

from __future__ import annotations

import io
import shutil
import struct
from pathlib import Path

from wordmaker import make, par, run

from ingest.readers.docx import read_docx
from schemas.document import BlockKind
from schemas.settings import ReadSettings

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
CIRCLE = (
    '<w:r><w:pict><v:group style="position:absolute;margin-left:40pt;margin-top:8pt;width:120pt;height:80pt" '
    'coordsize="1200,800"><v:oval style="position:absolute;left:0;top:0;width:600;height:600" '
    'fillcolor="white"/><v:rect style="position:absolute;left:700;top:100;width:400;height:300" '
    'fillcolor="black"/><v:shape style="position:absolute;left:200;top:600;width:300;height:200">'
    "<v:textbox><w:txbxContent><w:p><w:r><w:t>O</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape>"
    "</v:group></w:pict></w:r>"
)


def metafile() -> bytes:
    """A placeable WMF of 1 inch: a filled rectangle."""
    records = [
        struct.pack("<IHhh", 5, 0x020B, 0, 0),  # window origin
        struct.pack("<IHhh", 5, 0x020C, 1000, 1000),  # window extent
        struct.pack("<IHHIH", 7, 0x02FC, 0, 0x000000, 0),  # black brush
        struct.pack("<IHH", 4, 0x012D, 0),
        struct.pack("<IHhhhh", 7, 0x041B, 800, 800, 200, 200),  # rectangle
        struct.pack("<IH", 3, 0),
    ]
    body = b"".join(records)
    head = struct.pack("<HHHIHIH", 1, 9, 0x0300, 9 + len(body) // 2, 1, 7, 0)
    place = struct.pack("<IHhhhhHI", 0x9AC6CDD7, 0, 0, 0, 1000, 1000, 1000, 0)
    check = 0
    for word in struct.unpack("<10H", place):
        check ^= word
    return place + struct.pack("<H", check) + head + body


PICTURE = (
    '<w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><wp:docPr id="1" name="p"/><a:graphic>'
    '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">'
    '<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture">'
    '<pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>'
    '<a:blip r:embed="p1"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm>'
    '<a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/>'
    "</a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
)


def size(data: bytes) -> tuple[int, int]:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        return picture.size


def test_shapes_with_their_labels_become_one_picture(tmp_path: Path) -> None:
    path = make(tmp_path / "a.docx", par(run("1. 如图，求圆的面积。") + CIRCLE) + par("2. 求方块的面积。"))
    document, assets = read_docx(path, ReadSettings())
    text, figure, label, after = document.blocks
    assert (text.text, after.text) == ("1. 如图，求圆的面积。", "2. 求方块的面积。")
    assert (figure.kind, figure.text, label.reason) == (BlockKind.FIGURE, "[图]", "figure_label")
    if OFFICE is None:
        assert figure.asset is None and [n.code for n in document.notices] == ["vector_figure"]
        return
    assert document.notices == () and [a.digest for a in assets] == [figure.asset]
    width, height = size(assets[0].data)
    assert width > height > 100, "the circle with the box beside it"
    again, _ = read_docx(path, ReadSettings())
    assert again.blocks == document.blocks, "the same drawing gives the same picture"


def test_a_metafile_in_a_line_becomes_a_picture_in_its_place(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.docx",
        par(run("A. ") + PICTURE + run(" B. 无")),
        parts={"media/p.wmf": metafile()},
        relations={"p1": ("image", "media/p.wmf")},
    )
    document, assets = read_docx(path, ReadSettings())
    assert [(b.text, b.asset) for b in document.blocks] == [("A. [图] B. 无", assets[0].digest)]
    if OFFICE is None:
        assert assets[0].media_type == "image/wmf" and document.notices[0].code == "metafile"
        return
    assert assets[0].media_type == "image/png" and document.notices == ()
    width, height = size(assets[0].data)
    assert abs(width - height) <= 2 and 60 <= width <= 160


def test_without_libreoffice_figures_are_told_and_kept_as_they_are(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.docx",
        par(run("如图") + CIRCLE) + par(run("又") + PICTURE),
        parts={"media/p.wmf": metafile()},
        relations={"p1": ("image", "media/p.wmf")},
    )
    document, assets = read_docx(path, ReadSettings(), find=lambda _: None)
    assert [a.media_type for a in assets] == ["image/wmf"]
    assert {n.code for n in document.notices} == {"vector_figure", "metafile"}
    assert [b.asset for b in document.blocks if b.asset] == [assets[0].digest]


def test_a_program_that_hangs_or_writes_nothing_costs_the_pictures_only(tmp_path: Path) -> None:
    for script in ("sleep 60", "exit 1"):
        tool = tmp_path / "tool"
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        path = make(tmp_path / "a.docx", par(run("如图") + CIRCLE))
        document, _ = read_docx(path, ReadSettings(max_seconds=1), find=lambda _, tool=tool: str(tool))
        assert document.blocks[0].text == "如图"
        assert [n.code for n in document.notices] == ["vector_figure"]


def test_nothing_embedded_or_linked_goes_to_libreoffice(tmp_path: Path) -> None:
    import zipfile

    kept = tmp_path / "kept.docx"
    tool = tmp_path / "tool"
    tool.write_text(f'#!/bin/sh\nfor last; do :; done\ncp "$last" {kept}\n')
    tool.chmod(0o755)
    link = CIRCLE.replace("<v:oval ", '<v:oval href="http://example.org/x" ')
    path = make(
        tmp_path / "a.docx",
        par(
            run("如图") + link.replace("</v:group>", '<v:image r:id="far"/><o:OLEObject r:id="o"/></v:group>')
        ),
        parts={"embeddings/1.bin": b"program", "secret.xml": "<x/>"},
        relations={"far": ("image", "http://example.org/p.png"), "o": ("oleObject", "embeddings/1.bin")},
    )
    read_docx(path, ReadSettings(), find=lambda _, tool=tool: str(tool))
    with zipfile.ZipFile(kept) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert b"program" not in content and b"example.org" not in content and b"OLEObject" not in content


def test_a_kind_of_shape_told_elsewhere_in_the_document_is_drawn(tmp_path: Path) -> None:
    """Word writes the outline of a triangle once; a lone shape with one label is a figure."""
    kind = (
        '<v:shapetype id="_x0000_t6" coordsize="21600,21600" o:spt="6" path="m,l,21600r21600,xe">'
        '<v:path gradientshapeok="t"/></v:shapetype>'
    )
    first = f'<w:r><w:pict>{kind}<v:shape type="#_x0000_t6" style="width:1pt;height:1pt"/></w:pict></w:r>'
    place = "position:absolute;margin-left:90pt;margin-top:9pt;"
    triangle = (
        f'<w:r><w:pict><v:shape type="#_x0000_t6" style="{place}width:90pt;height:60pt"/></w:pict></w:r>'
    )
    label = (
        f'<w:r><w:pict><v:shape style="{place}width:30pt;height:20pt"><v:textbox><w:txbxContent>'
        f"{par('m')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    )
    path = make(tmp_path / "a.docx", par(first + run("1. 甲")) + par(run("2. 如图") + triangle + label))
    document, assets = read_docx(path, ReadSettings())
    assert [b.text for b in document.blocks] == ["1. 甲", "2. 如图", "[图]", "m"]
    if OFFICE is not None:
        width, height = size(assets[0].data)
        assert 150 < width < 220 and 100 < height < 160, "90 by 60 points, drawn at 144 to the inch"


def test_what_lies_on_a_figure_belongs_to_it_wherever_it_is_anchored(tmp_path: Path) -> None:
    """A label in the next paragraph is drawn where it lies; a figure further down is one of its own."""

    def label(text: str, top: float) -> str:
        place = f"position:absolute;margin-left:60pt;margin-top:{top}pt;width:24pt;height:20pt"
        return (
            f'<w:r><w:pict><v:shape style="{place}"><v:textbox><w:txbxContent>{par(text)}'
            "</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
        )

    body = (
        par(run("1. 如图") + CIRCLE)
        + par(run("求面积。") + label("B", 8))
        + "".join(par(f"第{n}行") for n in range(8))
        + par(run("2. 如图") + CIRCLE)
    )
    document, _ = read_docx(make(tmp_path / "a.docx", body), ReadSettings(), find=lambda _: None)
    shown = [b.text for b in document.blocks]
    assert shown[:5] == ["1. 如图", "[图]", "O", "求面积。", "B"]
    assert shown.count("[图]") == 2 and [(n.code, n.count) for n in document.notices] == [
        ("vector_figure", 2)
    ]
    if OFFICE is not None:
        alone = make(tmp_path / "b.docx", par(run("1. 如图") + CIRCLE))
        (bare,) = read_docx(alone, ReadSettings())[1]
        drawn, assets = read_docx(make(tmp_path / "a.docx", body), ReadSettings())
        data = {asset.digest: asset.data for asset in assets}
        first, second = (data[b.asset] for b in drawn.blocks if b.asset)
        assert second == bare.data != first, "the letter B is on the first one"
        assert size(first) == size(second)


def shape(place: str, kind: str = "rect", inside: str = "") -> str:
    left, top, width, height = place.split()
    style = f"position:absolute;margin-left:{left}pt;margin-top:{top}pt;width:{width}pt;height:{height}pt"
    return f'<w:r><w:pict><v:{kind} style="{style}">{inside}</v:{kind}></w:pict></w:r>'


def box(text: str) -> str:
    return f"<v:textbox><w:txbxContent>{par(text)}</w:txbxContent></v:textbox>"


def test_lines_and_labels_that_reach_into_a_figure_are_part_of_it(tmp_path: Path) -> None:
    """A slope, its force beside it and the ground below it are anchored in three paragraphs."""
    slope = "".join(shape(place) for place in ("60 10 80 60", "80 5 20 10", "60 60 10 10"))
    ground = "".join(
        f'<w:r><w:pict><v:shape o:connectortype="straight" style="position:absolute;margin-left:{at}pt;'
        'margin-top:38pt;width:8pt;height:14pt"/></w:pict></w:r>'
        for at in range(40, 160, 30)
    )
    body = par(run("1. 如图") + slope) + par(run("求加速度") + shape("30 15 24 20", "shape", box("F")))
    body += par(run("大小与方向。") + ground)
    document, _ = read_docx(make(tmp_path / "a.docx", body), ReadSettings(), find=lambda _: None)
    assert [b.text for b in document.blocks] == ["1. 如图", "[图]", "求加速度", "F", "大小与方向。"]


def test_a_figure_of_its_own_near_another_stays_one(tmp_path: Path) -> None:
    first, second = ("".join(shape(f"{left} {top} 60 50") for left in (60, 90, 120)) for top in (2, 46))
    body = par(run("1. 如图") + first) + par(run("2. 如图") + second) + par("求面积。")
    document, _ = read_docx(make(tmp_path / "a.docx", body), ReadSettings(), find=lambda _: None)
    assert [b.text for b in document.blocks].count("[图]") == 2


def test_scripts_and_accents_in_a_label_are_drawn() -> None:
    from lxml import etree

    from ingest.readers.wordfigures import _typed

    def sub(base: str, below: str) -> str:
        return f"<m:sSub><m:e>{base}</m:e><m:sub><m:r><m:t>{below}</m:t></m:r></m:sub></m:sSub>"

    speed = '<m:acc><m:accPr><m:chr m:val="\u20d7"/></m:accPr><m:e><m:r><m:t>v</m:t></m:r></m:e></m:acc>'
    unit = "<m:acc><m:e><m:r><m:t>i</m:t></m:r></m:e></m:acc>"
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    label = etree.fromstring(
        f'<m:oMath xmlns:m="{math}">{sub(speed, "0")}{sub("<m:r><m:t>h</m:t></m:r>", "A")}{unit}</m:oMath>'
    )
    shown = ["".join(run.itertext()) for run in _typed(label)]
    assert shown == ["v\u20d7", "₀", "h", "A", "i\u0302"]
    lowered = ["subscript" in etree.tostring(run, encoding="unicode") for run in _typed(label)]
    assert lowered == [False, False, False, True, False]
