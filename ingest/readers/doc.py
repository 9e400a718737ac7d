"""Read a Word 97-2003 .doc: through LibreOffice when it is there, else antiword, else refused."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from ingest.readers import wordtable
from ingest.readers.common import sha256_of
from ingest.readers.docx import read_docx
from ingest.readers.limits import over
from ingest.readers.wordtext import FIGURE
from schemas.document import Asset, Block, BlockKind, Document, Notice, Origin, Page
from schemas.errors import MissingToolError, RefusedError
from schemas.settings import ReadSettings

FindTool = Callable[[str], str | None]

_OFFICE = ("soffice", "libreoffice")
_OFFICE_SECONDS = 180.0
_ANTIWORD_SECONDS = 60.0
_REMEDY = (
    "install LibreOffice (Debian and Ubuntu: apt-get install libreoffice-writer-nogui; macOS: brew install "
    "--cask libreoffice) or, for plain text only, antiword; or save the file as .docx in Word"
)
_DAMAGED_REMEDY = "open the file in Word or LibreOffice and save it as .docx"
# No macro runs, no link is followed: the file is somebody else's. Equation objects stay as they are.
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop>
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>
<prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop>
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Filter/Microsoft/Import">
<prop oor:name="MathTypeToMath" oor:op="fuse"><value>false</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings">
<prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value></prop>
<prop oor:name="ooInetHTTPProxyName" oor:op="fuse"><value>127.0.0.1</value></prop>
<prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value></prop>
<prop oor:name="ooInetHTTPSProxyName" oor:op="fuse"><value>127.0.0.1</value></prop>
<prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value></prop></item>
</oor:items>
"""


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
    office = next((found for name in _OFFICE if (found := find(name))), None)
    antiword = find("antiword")
    if office is None and antiword is None:
        raise MissingToolError("no program to read Word 97-2003 files is installed", remedy=_REMEDY)
    if office is not None:
        read = _through_office(office, path, settings)
        if read is not None:
            return read
    if antiword is not None:
        return _through_antiword(antiword, path, settings, office_failed=office is not None), ()
    raise RefusedError("LibreOffice cannot read the file", code="damaged", remedy=_DAMAGED_REMEDY)


def _through_office(
    office: str, path: Path, settings: ReadSettings
) -> tuple[Document, tuple[Asset, ...]] | None:
    """The document as LibreOffice converts it, None when it writes nothing readable."""
    with tempfile.TemporaryDirectory(prefix="exambank-doc-", ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        profile = work / "profile"
        (profile / "user").mkdir(parents=True)
        (profile / "user" / "registrymodifications.xcu").write_text(_PROFILE, encoding="utf-8")
        source = work / "in.doc"  # a plain name: the real one may be odd or end otherwise
        shutil.copyfile(path, source)
        command = [
            office,
            f"-env:UserInstallation={profile.as_uri()}",
            "--headless",
            "--norestore",
            "--nolockcheck",
            "--convert-to",
            "docx:MS Word 2007 XML",
            "--outdir",
            str(work),
            str(source),
        ]
        _run(command, work, min(_OFFICE_SECONDS, settings.max_seconds))
        converted = work / "in.docx"
        if not converted.exists():
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


def _run(command: list[str], folder: Path, seconds: float) -> None:
    """Run LibreOffice in its own process group; all of it ends when time is up."""
    environment = {**os.environ, "HOME": str(folder), "SAL_USE_VCLPLUGIN": "svp"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        process_group=0,
    )
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise RefusedError(
            f"LibreOffice did not finish within {seconds:.0f} s (limit max_seconds)",
            code="max_seconds",
            remedy="raise read.max_seconds where it is lower, or save the file as .docx in Word",
        ) from error
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


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
