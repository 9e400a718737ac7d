"""Read a Word 97-2003 .doc: through LibreOffice when it is there, else antiword, else refused."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zipfile
import zlib
from pathlib import Path

from ingest.readers import wordtable
from ingest.readers.common import sha256_of
from ingest.readers.docx import read_docx
from ingest.readers.limits import over
from ingest.readers.wordoffice import FindTool, convert, office
from ingest.readers.wordtext import FIGURE
from schemas.document import Asset, Block, BlockKind, Document, Notice, Origin, Page
from schemas.errors import MissingToolError, RefusedError
from schemas.settings import ReadSettings

_OFFICE_SECONDS = 180.0
_ANTIWORD_SECONDS = 60.0
_REMEDY = (
    "install LibreOffice (Debian and Ubuntu: apt-get install libreoffice-writer-nogui; macOS: brew install "
    "--cask libreoffice) or, for plain text only, antiword; or save the file as .docx in Word"
)
_DAMAGED_REMEDY = "open the file in Word or LibreOffice and save it as .docx"


def read_doc(
    path: Path, settings: ReadSettings, *, find: FindTool = shutil.which
) -> tuple[Document, tuple[Asset, ...]]:
    """Read one .doc; blocks carry Origin.CONVERTED.

    find looks a program up by name and gives its path or None. Raises MissingToolError when no
    converter is installed, RefusedError `damaged` when none of them can read the file, `max_seconds`
    when LibreOffice does not come to an end.
    """
    if path.stat().st_size == 0:
        raise RefusedError("the file is empty", code="empty", remedy="get the file again from its source")
    program = office(find)
    antiword = find("antiword")
    if program is None and antiword is None:
        raise MissingToolError("no program to read Word 97-2003 files is installed", remedy=_REMEDY)
    if program is not None:
        read = _through_office(program, path, settings)
        if read is not None:
            return read
    if antiword is not None:
        return _through_antiword(antiword, path, settings, office_failed=program is not None), ()
    raise RefusedError("LibreOffice cannot read the file", code="damaged", remedy=_DAMAGED_REMEDY)


def _through_office(
    program: str, path: Path, settings: ReadSettings
) -> tuple[Document, tuple[Asset, ...]] | None:
    """The document as LibreOffice converts it, None when it writes nothing readable."""
    with tempfile.TemporaryDirectory(prefix="exambank-doc-", ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        source = work / "in.doc"  # a plain name: the real one may be odd or end otherwise
        shutil.copyfile(path, source)
        seconds = min(_OFFICE_SECONDS, settings.max_seconds)
        converted = convert(program, source, "docx:MS Word 2007 XML", work, seconds)
        if converted is None:
            return None
        missing = _equations(path) - _equations_kept(converted)
        try:
            document, assets = read_docx(converted, settings, origin=Origin.CONVERTED)
        except RefusedError as error:
            if error.code == "damaged":
                return None
            raise
    renamed: dict[str, object] = {"source": path.name, "sha256": sha256_of(path), "format": "doc"}
    if missing > 0:
        renamed["notices"] = (*document.notices, _lost(missing, "left out by LibreOffice"))
    return document.model_copy(update=renamed), assets


def _equations(path: Path) -> int:
    from ingest.readers.mtef import count

    return count(path.read_bytes())


def _equations_kept(converted: Path) -> int:
    """Equation objects in the .docx LibreOffice wrote; it writes one part for each."""
    from ingest.readers.mtef import count

    try:
        with zipfile.ZipFile(converted) as archive:
            names = [name for name in archive.namelist() if "/embeddings/" in name]
            return sum(1 for name in names if count(archive.read(name)))
    except (zipfile.BadZipFile, OSError, ValueError, zlib.error):
        return 0  # a broken archive is refused when it is read


def _lost(number: int, why: str) -> Notice:
    return Notice(
        code="equation_lost", message=f"{number} equations stored in the file were {why}", count=number
    )


def _through_antiword(antiword: str, path: Path, settings: ReadSettings, *, office_failed: bool) -> Document:
    """The plain text antiword gives, one block a line, with a notice of what it leaves out."""
    try:
        done = subprocess.run(
            [antiword, "-m", "UTF-8.txt", "-w", "0", str(path.resolve())],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=min(_ANTIWORD_SECONDS, settings.max_seconds),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RefusedError("antiword failed on the file", code="damaged", remedy=_DAMAGED_REMEDY) from error
    text = done.stdout.decode("utf-8", errors="replace")
    if done.returncode != 0 and not text.strip():
        raise RefusedError(
            "the file is not a complete Word 97-2003 document", code="damaged", remedy=_DAMAGED_REMEDY
        )
    if len(text) > settings.max_chars:
        raise over(settings, "max_chars", "the document has too much text")
    why = "LibreOffice could not read the file" if office_failed else "LibreOffice is not installed"
    loss = (
        "formulas, pictures, text boxes, raised characters and headers are lost and list numbers may differ"
    )
    notice = Notice(code="antiword", message=f"{why}; read with antiword: {loss}")
    equations = _equations(path)
    lost = (_lost(equations, "left out by antiword"),) if equations else ()
    blocks = tuple(antiword_blocks(text))
    return Document(
        source=path.name,
        sha256=sha256_of(path),
        format="doc",
        pages=(Page(number=1, method=Origin.CONVERTED, reason=why, blocks=blocks),),
        notices=(notice, *lost),
    )


def antiword_blocks(text: str) -> list[Block]:
    """Blocks from antiword's plain text: lines, `|a |b |` rows gathered into tables, [pic] marks."""
    blocks: list[Block] = []
    rows: list[list[wordtable.Cell]] = []
    for line in [*text.splitlines(), ""]:
        shown = line.strip()
        if len(shown) > 1 and shown[0] == shown[-1] == "|":
            rows.append([_cell(cell.strip()) for cell in shown[1:-1].split("|")])
            continue
        if rows:
            blocks += wordtable.render(rows, Origin.CONVERTED)
            rows = []
        if shown == "[pic]":
            blocks.append(Block(text=FIGURE, kind=BlockKind.FIGURE, origin=Origin.CONVERTED))
        elif shown:
            indent = 5.0 * (len(line) - len(line.lstrip(" ")))  # half an em for each column of text
            blocks.append(Block(text=shown.replace("[pic]", FIGURE), origin=Origin.CONVERTED, indent=indent))
    return blocks


def _cell(text: str) -> wordtable.Cell:
    return wordtable.Cell(
        (Block(text=text.replace("[pic]", FIGURE), origin=Origin.CONVERTED),) if text else ()
    )
