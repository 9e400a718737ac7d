"""Pictures and inks of a .docx as Word shows them: cropped pictures, near black print, filled blanks."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from wordmaker import make, par, run

from ingest.readers.docx import read_docx
from ingest.readers.wordcrop import Crop, picture_asset
from schemas.document import Asset, Document
from schemas.settings import ReadSettings

RED = '<w:color w:val="FF0000"/>'
LINED = RED + '<w:u w:val="single"/>'


def photo() -> bytes:
    """A PNG of 200 x 100 pixels: black, its right quarter red, its lower tenth blue."""
    picture = Image.new("RGB", (200, 100))
    picture.paste((255, 0, 0), (150, 0, 200, 100))
    picture.paste((0, 0, 255), (0, 90, 200, 100))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def drawn(source: str) -> str:
    return (
        '<w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><a:graphic><a:graphicData uri="x">'
        '<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
        f'<a:blip r:embed="p1"/>{source}<a:stretch/></pic:blipFill></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r>"
    )


def vml(crop: str) -> str:
    return f'<w:r><w:pict><v:shape style="width:90pt;height:40pt"><v:imagedata r:id="p1" {crop}/></v:shape></w:pict></w:r>'


def read(tmp_path: Path, body: str) -> tuple[Document, tuple[Asset, ...]]:
    path = make(
        tmp_path / "paper.docx",
        body,
        parts={"media/p.png": photo()},
        relations={"p1": ("image", "media/p.png")},
    )
    return read_docx(path, ReadSettings(ocr="never"))


@pytest.mark.parametrize(
    "picture",
    [
        drawn('<a:srcRect r="25000" b="10000"/>'),
        drawn('<a:srcRect t="-5000" r="25%" b="10%"/>'),
        vml('cropright="16384f" cropbottom=".1"'),
    ],
)
def test_what_was_cropped_away_is_not_shown(picture: str, tmp_path: Path) -> None:
    _, assets = read(tmp_path, par("1. 如图，求面积。") + par(picture))
    (asset,) = assets
    with Image.open(io.BytesIO(asset.data)) as shown:
        assert shown.size == (150, 90)
        assert shown.getcolors() == [(150 * 90, (0, 0, 0))]


@pytest.mark.parametrize(
    "picture",
    [drawn(""), drawn("<a:srcRect/>"), drawn('<a:srcRect l="60000" r="60000"/>'), vml('cropleft="x"')],
)
def test_a_picture_without_a_sound_crop_stays_as_it_is(picture: str, tmp_path: Path) -> None:
    _, assets = read(tmp_path, par("1. 如图，求面积。") + par(picture))
    assert [asset.data for asset in assets] == [photo()]


def test_one_picture_in_two_croppings_is_two_pictures(tmp_path: Path) -> None:
    body = par("1. 如图。") + par(drawn('<a:srcRect r="25000"/>')) + par("2. 如图。") + par(drawn(""))
    document, assets = read(tmp_path, body)
    figures = [block.asset for block in document.blocks if block.asset]
    assert len(assets) == 2
    assert figures == [asset.digest for asset in assets]


def test_a_damaged_picture_is_kept_whole() -> None:
    asset = picture_asset(b"no picture", "image/png", Crop(0.1, 0, 0, 0), 1000)
    assert asset.data == b"no picture"
    assert picture_asset(photo(), "image/png", Crop(0.1, 0, 0, 0), 1000).data == photo()  # over the limit


def test_dark_grey_of_web_pages_is_black_print(tmp_path: Path) -> None:
    grey, teal = '<w:color w:val="333333"/>', '<w:color w:val="006666"/>'
    document, _ = read(tmp_path, par(run("1. 灰字的题目", grey)) + par(run("有色的答案", teal)))
    assert [block.colour for block in document.blocks] == [None, "#006666"]


def test_a_coloured_stop_beside_a_filled_blank_hides_no_answer(tmp_path: Path) -> None:
    body = par(
        run("最优价格为") + run("a/2+c/4", LINED) + run("。", RED) + run("数量为") + run("下降", LINED)
    )
    document, _ = read(tmp_path, body)
    assert document.blocks[0].text == "最优价格为<u>a/2+c/4</u>。数量为<u>下降</u>"
