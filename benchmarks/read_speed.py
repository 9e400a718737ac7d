"""Speed and memory of the readers beside named baselines, in one run and one table.

    python -m benchmarks.read_speed                        the sample papers
    python -m benchmarks.read_speed FOLDER --scans 6 --markitdown VENV/bin/python

Start-up (imports, model loading, starting processes) is excluded everywhere. Times are CPU seconds of
the process and the programs it ran, except for two workers over one, which is by the clock: have the
machine to yourself for that one. markitdown is read by the Python that --markitdown names.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.mutations import SAMPLES
from ingest.pool import DocumentPool
from ingest.readers.common import mupdf
from schemas.document import BlockKind, Origin, Page
from schemas.errors import ExamBankError
from schemas.settings import ReadSettings, Settings

if TYPE_CHECKING:
    from ingest.ocr.engine import Engine, Found, Image

ROUNDS = 3
_CUTTING = 0.2
READ = {".pdf", ".docx", ".jpg", ".jpeg", ".png"}
OTHERS = """
import json, resource, sys, time
def cpu():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
if sys.argv[1] == "pymupdf4llm":
    import pymupdf4llm
    read = lambda path: pymupdf4llm.to_markdown(path)
elif sys.argv[1] == "markitdown":
    from markitdown import MarkItDown
    tool = MarkItDown(enable_plugins=False)
    read = lambda path: tool.convert(path).text_content
else:
    from pathlib import Path
    from ingest.readers import read as ours
    from schemas.settings import ReadSettings
    read = lambda path: "\\n".join(b.number + b.text for b in ours(Path(path), ReadSettings())[0].blocks)
def attempt(path):
    try:
        return str(read(path)), ""
    except Exception as error:
        return "", type(error).__name__
out, paths = sys.stdout, json.load(sys.stdin)
sys.stdout = sys.stderr
for path in [paths[0], *paths]:
    begun = cpu()
    text, error = attempt(path)
    out.write(json.dumps([path, cpu() - begun, sum(c.isalnum() for c in text), error]) + "\\n")
"""


@dataclass
class Row:
    """One line of the table; ratio is value over base."""

    what: str
    value: float
    base: float
    goal: str = ""
    met: bool | None = None

    @property
    def ratio(self) -> float:
        """Value / base, 0 where there is no base."""
        return self.value / self.base if self.base else 0.0


@dataclass
class PageTimes:
    """CPU seconds of pages, ours and the baseline's, by what they are."""

    ours: dict[str, float] = field(default_factory=dict)
    base: dict[str, float] = field(default_factory=dict)
    count: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, ours: float, base: float) -> None:
        """Count one page."""
        self.ours[kind] = self.ours.get(kind, 0.0) + ours
        self.base[kind] = self.base.get(kind, 0.0) + base
        self.count[kind] = self.count.get(kind, 0) + 1


def cpu() -> float:
    """CPU seconds of this process and the programs it ran and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def timed(call: Callable[..., object], *given: object, **named: object) -> float:
    """CPU seconds of a call."""
    begun = cpu()
    call(*given, **named)
    return cpu() - begun


def born_digital(paths: Sequence[Path], times: PageTimes) -> list[tuple[Path, int]]:
    """Time the pages with a text layer against get_text; the others are returned as (path, page)."""
    from ingest.readers.pdf import _State

    pymupdf, scans = mupdf(), []
    for path in paths:
        try:
            with pymupdf.open(path) as pdf:
                count = pdf.page_count
        except Exception:
            continue
        for number in range(1, count + 1):
            ours, base, kind = [], [], ""
            for _ in range(ROUNDS):
                with pymupdf.open(path) as pdf:
                    page = pdf[number - 1]
                    base.append(timed(page.get_text, "dict", flags=pymupdf.TEXTFLAGS_TEXT))
                with pymupdf.open(path) as pdf:
                    state = _State(ReadSettings(ocr="never"), path.name)
                    ours.append(timed(state.read_page, pdf, number))
                kind = kind or _kind(path, state.pages[-1])
                if kind == "scan":
                    scans.append((path, number))
                    break
            else:
                times.add(kind, min(ours), min(base))
    return scans


def segmenting(paths: Sequence[Path]) -> Row:
    """CPU seconds of cutting PDFs with a text layer into questions, over those of reading them."""
    from ingest.readers import read
    from ingest.segment import segment

    ours = base = 0.0
    for path in paths:
        try:
            begun = cpu()
            document, _ = read(path, ReadSettings(ocr="never"))
            spent = cpu() - begun
        except ExamBankError:
            continue  # a scan, or no PDF
        if all(page.method is Origin.TEXT_LAYER for page in document.pages):
            base += spent
            ours += timed(segment, document)
    row = Row("cutting into questions, CPU s, over reading", ours, base, "≤ 0.2")
    row.met = row.ratio <= _CUTTING
    return row


def _kind(path: Path, read: Page) -> str:
    """scan, table (ruled) or text."""
    from ingest.readers import pdf_parts
    from ingest.readers.pdf import choose
    from ingest.readers.pdf_text import text_layer

    with mupdf().open(path) as pdf:
        page = pdf[read.number - 1]
        layer = text_layer(page, 10**6)
        method, _ = choose(layer, pdf_parts.cover(page), pdf_parts.drawing_count(page), ReadSettings())
    if method is Origin.OCR:
        return "scan"
    tables = any(
        block.kind is BlockKind.TABLE or block.reason in {"score_box", "answer_grid", "answer_card"}
        for block in read.blocks
    )
    return "table" if tables else "text"


def scanned(pages: Sequence[tuple[Path, int]], times: PageTimes) -> None:
    """Time pages that need OCR against the engine alone on the same picture."""
    from ingest.ocr.engine import engine
    from ingest.readers.pdf import _State, render

    settings = ReadSettings()
    reader = engine(settings)
    for place, (path, number) in enumerate(pages):
        with mupdf().open(path) as pdf:
            page = pdf[number - 1]
            page.remove_rotation()
            image, _ = render(page)
            if place == 0:
                reader.read(image)  # the first call of a session loads what later ones do not
            base = timed(reader.read, image)
        calls = _Calls(reader)
        with mupdf().open(path) as pdf:
            state = _State(settings, path.name)
            ours = timed(state.read_page, pdf, number)
        times.add("scan", ours, base)
        times.add("once" if calls.stop() == 1 else "again", ours, base)


class _Calls:
    """Counts how often an engine is asked until `stop`."""

    def __init__(self, reader: Engine) -> None:
        self._reader, self._read, self._count = reader, reader.read, 0
        reader.read = self  # type: ignore[method-assign]

    def __call__(self, image: Image) -> list[Found]:
        self._count += 1
        return self._read(image)

    def stop(self) -> int:
        """The number of calls."""
        self._reader.read = self._read  # type: ignore[method-assign]
        return self._count


def two_over_one(paths: Sequence[Path], rounds: int) -> Row:
    """Documents a second by the clock: two warm workers over one."""
    one, two = _speed(paths, rounds, 1), _speed(paths, rounds, 2)
    return Row("documents/s, two workers over one", two, one, "≥ 1.7", two >= 1.7 * one)


def _speed(paths: Sequence[Path], rounds: int, size: int) -> float:
    """Documents a second of a pool of this size, after each child has read something."""
    with (
        tempfile.TemporaryDirectory() as name,
        DocumentPool(size, Settings(), Path(name)) as pool,
        ThreadPoolExecutor(size) as threads,
    ):
        list(threads.map(_try, [pool] * size * len(paths), [p for p in paths for _ in range(size)]))
        begun = time.monotonic()
        list(threads.map(_try, [pool] * rounds * len(paths), list(paths) * rounds))
        return rounds * len(paths) / (time.monotonic() - begun)


def _try(pool: DocumentPool, path: Path) -> None:
    try:
        pool.extract(path)
    except ExamBankError:
        return


def memory(paths: Sequence[Path], documents: int) -> Row:
    """Peak MB of one worker after all documents over after a tenth of them."""
    peaks: list[float] = []
    with tempfile.TemporaryDirectory() as name, DocumentPool(1, Settings(), Path(name)) as pool:
        peak, done = 0.0, threading.Event()

        def watch() -> None:
            nonlocal peak
            while not done.wait(0.05):
                for child in list(pool._all):
                    peak = max(peak, child.memory() / 1e6)

        watcher = threading.Thread(target=watch)
        watcher.start()
        for number in range(documents):
            _try(pool, paths[number % len(paths)])
            if number + 1 == documents // 10:
                peaks.append(peak)
        done.set()
        watcher.join()
        peaks.append(peak)
    met = peaks[1] <= 1.1 * peaks[0]
    return Row(f"peak MB, {documents} documents over {documents // 10}", peaks[1], peaks[0], "≤ 1.1", met)


def beside(paths: Sequence[Path], tool: str, python: str) -> dict[str, tuple[float, int, str]]:
    """CPU seconds, letters found and error of a tool for each file; {} when it is not there."""
    asked = json.dumps([str(path) for path in paths])
    done = subprocess.run(
        [python, "-c", OTHERS, tool], input=asked, capture_output=True, text=True, check=False
    )
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    return {path: (seconds, letters, error) for path, seconds, letters, error in rows}


def show(rows: Sequence[Row]) -> None:
    """The table of ratios."""
    print(f"{'':46}{'ours':>10}{'base':>10}{'ratio':>8}  goal")
    for row in rows:
        told = "" if row.met is None else (f"{row.goal}  {'met' if row.met else 'MISSED'}")
        print(f"{row.what:46}{row.value:10.3f}{row.base:10.3f}{row.ratio:8.2f}  {told}")


def side_by_side(paths: Sequence[Path], markitdown: str) -> list[Row]:
    """Ours over the others on the files both read; lines that say what could not be compared."""
    ours, rows = beside(paths, "ours", sys.executable), []
    for tool, python in (("pymupdf4llm", sys.executable), ("markitdown", markitdown)):
        if not python:
            print(f"{tool}: skipped, no --markitdown PYTHON was given")
            continue
        theirs = beside(paths, tool, python)
        if not theirs:
            print(f"{tool}: skipped, {python} does not have it")
            continue
        both = [path for path in ours if not ours[path][2] and path in theirs and not theirs[path][2]]
        failed = len(paths) - len(both)
        for what, place in (("CPU seconds", 0), ("letters and digits found", 1)):
            sums = [float(sum(found[path][place] for path in both)) for found in (ours, theirs)]
            rows.append(Row(f"{what}, {len(both)} files, over {tool}", *sums))
        if failed:
            print(f"{tool}: {failed} files are not read by both and left out")
    return rows


def main() -> int:
    """The command line; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=SAMPLES)
    parser.add_argument("--scans", type=int, default=4, help="scanned pages to time, 0 = all")
    parser.add_argument("--documents", type=int, default=100, help="documents for the peak memory, 0 = skip")
    parser.add_argument(
        "--rounds", type=int, default=2, help="rounds over the folder for two workers, 0 = skip"
    )
    parser.add_argument("--markitdown", default="", help="Python that has markitdown")
    parser.add_argument("--no-others", action="store_true", help="leave the other programs out")
    given = parser.parse_args()
    paths = sorted(path for path in given.folder.iterdir() if path.suffix.lower() in READ)
    times = PageTimes()
    scans = born_digital([path for path in paths if path.suffix.lower() == ".pdf"], times)
    scanned(scans[: given.scans or None], times)
    rows = [segmenting([path for path in paths if path.suffix.lower() == ".pdf"])]
    for kind, what, most in (
        ("text", "born-digital pages, CPU s, over get_text", 12.0),
        ("table", "  with ruled tables", 0.0),
        ("scan", "scanned pages, CPU s, over bare PaddleOCR", 1.2),
        ("once", "  of these, pages the engine read once", 0.0),
        ("again", "  pages with parts it was asked to read again", 0.0),
    ):
        if kind in times.count:
            row = Row(f"{what} ({times.count[kind]})", times.ours[kind], times.base[kind])
            if most:
                row.goal, row.met = f"≤ {most:g}", row.ratio <= most
            rows.append(row)
    if given.rounds:
        rows.append(two_over_one(paths, given.rounds))
    if given.documents:
        rows.append(memory(paths, given.documents))
    if not given.no_others:
        rows += side_by_side(paths, given.markitdown)
    show(rows)
    return 0 if all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
