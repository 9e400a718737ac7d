"""The optional formula model: its directory, what is taken of its readings, and that no network is asked.

The model is the small real one of formulamaker, which knows the pictures it was made from; it shows
what is done with a model's readings, not how well trained weights read.
"""

from __future__ import annotations

import io
import socket
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from formulamaker import model_dir
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from ingest.ocr import formula
from ingest.pool import DocumentPool
from ingest.readers import read
from ingest.readers.common import png_asset
from ingest.readers.formula_reading import AGREE, FormulaReader, likeness
from ingest.readers.latex_check import MAX_CHARS, fault
from schemas.document import Block, BlockKind, Box, Document, Origin
from schemas.errors import MissingToolError
from schemas.settings import ReadSettings, Settings


def _picture(text: str) -> np.ndarray:
    image = Image.new("RGB", (420, 60), "white")
    ImageDraw.Draw(image).text((10, 10), text, fill="black", font_size=30)
    return np.asarray(image)[:, :, ::-1].copy()


A, B = _picture("a + b = 2c"), _picture("f(x) = 17 - y")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything that asks for a host fails the test."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def _settings(folder: Path, *known: tuple[np.ndarray, str], **more: object) -> ReadSettings:
    return ReadSettings.model_validate({"formula_model": str(model_dir(folder, known)), **more})


def test_the_model_is_off_by_default() -> None:
    assert formula.recogniser(ReadSettings()) is None


def test_pictures_become_latex_whatever_their_size(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "m", (A, "a + b = 2 c"), (B, r"f ( x ) = \frac { 1 7 } { y }"))
    model = formula.recogniser(settings)
    assert model is not None and model is formula.recogniser(settings)
    assert [model.read(one) for one in (A, B)] == ["a+b=2c", r"f(x)=\frac{17}{y}"]
    assert model.read(np.zeros((3, 3, 3), np.uint8)) == ""
    for shape in ((9, 9000, 3), (9000, 9, 3), (5000, 5000, 3)):
        assert max(formula.bounded(np.full(shape, 255, np.uint8)).shape) <= 1700
        assert isinstance(model.read(np.full(shape, 255, np.uint8)), str)


def test_a_directory_that_is_none_is_told_by_name(tmp_path: Path) -> None:
    for given_dir in (str(tmp_path / "gone"), str(tmp_path), __file__):
        with pytest.raises(MissingToolError, match=r"read\.formula_model") as caught:
            formula.resolve(ReadSettings(formula_model=given_dir))
        assert caught.value.code == "formula_model_missing" and caught.value.remedy


def test_a_model_that_reads_no_formulas_is_told(tmp_path: Path) -> None:
    folder = model_dir(tmp_path / "m", [(A, "a")], name="PP-OCRv6_small_rec")
    with pytest.raises(MissingToolError, match="PP-OCRv6_small_rec, reads no formulas"):
        formula.resolve(ReadSettings(formula_model=str(folder)))


def test_a_broken_model_is_told_not_thrown(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "m", (A, "a"))
    (tmp_path / "m" / "inference.onnx").write_bytes(b"no network at all")
    with pytest.raises(MissingToolError, match="cannot be loaded"):
        formula.recogniser(settings)


def test_a_pool_tells_of_a_missing_model_before_it_reads(tmp_path: Path) -> None:
    with pytest.raises(MissingToolError, match="formula_model"):
        DocumentPool(1, Settings(read=ReadSettings(formula_model=str(tmp_path / "gone"))), tmp_path)


def _line(text: str, reason: str, picture: np.ndarray) -> tuple[list[Block], list]:
    asset = png_asset(picture)
    box = Box(50, 100, 300, 130)
    line = Block(text=text, origin=Origin.TEXT_LAYER, box=box)
    crop = Block(
        text="",
        kind=BlockKind.FIGURE,
        origin=Origin.TEXT_LAYER,
        box=box,
        asset=asset.digest,
        reason=reason,
    )
    return [line, crop], [asset]


def _read_line(
    settings: ReadSettings, text: str, reason: str, picture: np.ndarray
) -> tuple[list[Block], list]:
    model = formula.recogniser(settings)
    assert model is not None
    reader = FormulaReader(model, settings)
    return reader.text_page(1, *_line(text, reason, picture)), [notice.code for notice in reader.notices]


def test_a_line_that_could_not_be_put_together_takes_a_reading_with_its_signs(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "m", (A, r"\frac { a + b } { 2 } = c"))
    (line, crop), codes = _read_line(settings, "a + b = c 2", "", A)
    assert line.text == r"$\frac{a+b}{2}=c$" and line.origin is Origin.OCR and line.confidence <= 0.9
    assert crop.kind is BlockKind.FIGURE and crop.asset and codes == ["formula_read"]


def test_a_reading_with_other_signs_changes_no_text(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "m", (A, "x y z = 9 9"))
    (line, crop), codes = _read_line(settings, "a + b = c 2", "", A)
    assert (line.text, line.origin, line.confidence) == ("a + b = c 2", Origin.TEXT_LAYER, 1.0)
    assert crop.asset and codes == ["formula_unread"]


def test_a_line_with_words_is_left_alone(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "m", (A, "a + b = 2 c"))
    (line, _), codes = _read_line(settings, "设 a + b = 2c 成立", "", A)
    assert line.text == "设 a + b = 2c 成立" and codes == []


def test_a_formula_that_was_put_together_is_only_compared(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "m", (A, "a + b = 2 c"), (B, "u v = 7 7 7"))
    (line, _), codes = _read_line(settings, "$a+b=2c$", "formula", A)
    assert (line.text, line.confidence, codes) == ("$a+b=2c$", 1.0, ["formula_checked"])
    (line, _), codes = _read_line(settings, "$f(x)=17-y$", "formula", B)
    assert line.text == "$f(x)=17-y$" and line.confidence < AGREE and codes == ["formula_doubted"]


@pytest.mark.parametrize("written", [r"\frac { a", r"\input { x }", "$ a $", "a " * 200])
def test_what_is_no_sound_latex_is_not_taken(tmp_path: Path, written: str) -> None:
    settings = _settings(tmp_path / "m", (A, written))
    (line, crop), codes = _read_line(settings, "a", "", A)
    assert line.text == "a" and crop.asset and codes == ["formula_unread"]


def test_a_model_that_fails_leaves_the_page_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = _settings(tmp_path / "m", (A, "a"))
    model = formula.recogniser(settings)

    def fail(*_: object) -> str:
        raise RuntimeError("no more")

    monkeypatch.setattr(model, "read", fail)
    (line, _), codes = _read_line(settings, "a = 1", "", A)
    assert line.text == "a = 1" and codes == ["formula_unread"]


def test_no_more_formulas_are_read_than_allowed(tmp_path: Path) -> None:
    settings = _settings(tmp_path / "m", (A, "a + b = 2 c"), formula_max=1)
    model = formula.recogniser(settings)
    assert model is not None
    reader = FormulaReader(model, settings)
    for number in (1, 2):
        reader.text_page(number, *_line("$a+b=2c$", "formula", A))
    assert [(notice.code, notice.page) for notice in reader.notices] == [
        ("formula_checked", 1),
        ("formula_limit", 2),
    ]
    assert "formula_max is 1" in reader.notices[1].message


def _paper(path: Path, scanned: bool) -> Path:
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=400, height=300)
        page.insert_text((40, 50), "1. Let the following equation hold:", fontsize=14)
        page.insert_text((120, 110), "ax + by = 2cd", fontname="tiit", fontsize=16)
        page.insert_text((40, 170), "Show that its solutions form a line.", fontsize=14)
        if scanned:
            pixels = page.get_pixmap(dpi=150)
            with pymupdf.open() as picture:
                sheet = picture.new_page(width=400, height=300)
                sheet.insert_image(sheet.rect, pixmap=pixels)
                picture.save(path)
        else:
            pdf.save(path)
    return path


def _crop(document: Document, assets: tuple) -> np.ndarray:
    figure = next(block for block in document.blocks if block.reason == "formula")
    data = next(asset.data for asset in assets if asset.digest == figure.asset)
    with Image.open(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB"))[:, :, ::-1].copy()


@pytest.mark.parametrize("scanned", [False, True])
def test_displayed_formulas_of_pages_and_scans(tmp_path: Path, scanned: bool) -> None:
    paper = _paper(tmp_path / "paper.pdf", scanned)
    plain, crops = read(paper, ReadSettings())
    if scanned:  # only where a model is configured is a formula of a scan kept as a picture
        assert not crops
        plain, crops = read(paper, _settings(tmp_path / "first", (A, "0")))
        assert "formula_unread" in [notice.code for notice in plain.notices]
    settings = _settings(tmp_path / "m", (_crop(plain, crops), r"a x + b y = 2 c d"), (B, "0"))
    document, assets = read(paper, settings)
    line = next(block for block in document.blocks if "$" in block.text)
    assert line.text.replace(" ", "") == "$ax+by=2cd$" and len(assets) == 1
    assert [block.text for block in document.blocks if "line" in block.text]
    codes = [notice.code for notice in document.notices]
    if scanned:
        assert "formula_read" in codes and line.confidence <= 0.9
    else:
        assert "formula_checked" in codes and line.confidence == 1.0 and line.origin is Origin.TEXT_LAYER


def test_a_reading_process_uses_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_PDX_CACHE_HOME", str(tmp_path / "empty"))
    paper = _paper(tmp_path / "paper.pdf", scanned=False)
    plain, crops = read(paper, ReadSettings())
    read_settings = _settings(tmp_path / "m", (_crop(plain, crops), "a x + b y = 2 c d"))
    with DocumentPool(1, Settings(read=read_settings), tmp_path / "assets") as pool:
        document = pool.read(paper)
    assert "formula_checked" in [notice.code for notice in document.notices]
    assert not any((tmp_path / "empty").rglob("*.onnx"))


SOUND = (
    r"\frac{a+b}{2}=c",
    r"\left\{\begin{array}{l} x=1 \\ y=2 \end{array}\right.",
    r"\begin{pmatrix}" + r"0 & 0 & 0 & 0 \\ " * 4 + r"\end{pmatrix}",
    r"\left( \frac{1}{2} \right)^{n}, \quad \{ x \mid x>0 \}",
    r"\text{当 } x \to \infty",
)
UNSOUND = (
    "",
    " ",
    r"\frac{a}{b",
    r"a}",
    r"\left( a",
    r"\begin{matrix} a \end{array}",
    r"\begin{document}\end{document}",
    r"\input{/etc/passwd}",
    r"\href{javascript:x}{y}",
    r"\def\a{\a}\a",
    r"a$b$c",
    "a\x00b",
    "a\u202eb",
    r"\catcode`\%=12",
    "{" * 40 + "}" * 40,
    r"\quad " * 100,
    "x" * (MAX_CHARS + 1),
)


def test_sound_latex_is_told_from_what_is_not() -> None:
    assert [latex for latex in SOUND if fault(latex)] == []
    assert [latex for latex in UNSOUND if not fault(latex)] == []


@given(st.text(alphabet=r"\{}$&ab12 _^beginleftrightfrac", max_size=300) | st.text(max_size=300))
def test_the_check_ends_on_any_text(text: str) -> None:
    told = fault(text)
    assert told or text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_likeness_is_of_signs_not_of_layout() -> None:
    assert likeness(r"\frac{a+b}{2}=\alpha", "a+b 2 = α") == 1.0
    assert likeness("x=1", "") == 0.0 and likeness("x=1", "x=7") < AGREE
