"""What the commands share: options, settings, messages, tables, progress."""

from __future__ import annotations

import contextlib
import enum
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from schemas.errors import UsageError

if TYPE_CHECKING:
    from flows.files import Source
    from schemas.errors import ExamBankError
    from schemas.question import Extraction
    from schemas.settings import Settings

BankOption = Annotated[
    Path, typer.Option("--bank", envvar="EXAMBANK_BANK", help="Folder of the bank.", show_default=True)
]
DEFAULT_BANK = Path("data/bank")
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="Settings file; by default exambank.toml in this folder, if there is one."),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Documents read at once; by default one per core.")
]
AnswersOption = Annotated[
    list[str] | None,
    typer.Option("--answers", help="Answers: KEY for a single paper, else PAPER=KEY; repeatable."),
]


class OcrModel(enum.StrEnum):
    """Which recognition weights read scans."""

    FAST = "fast"
    BEST = "best"

    @property
    def weights(self) -> str:
        """The value of read.ocr_model."""
        return "tiny" if self is OcrModel.FAST else "small"


OcrModelOption = Annotated[
    OcrModel | None,
    typer.Option("--ocr-model", help="best reads scans as well as it can, fast five times as fast."),
]
FormulaModelOption = Annotated[
    Path | None,
    typer.Option(
        "--formula-model", metavar="DIR", help="PaddleX model in ONNX form that reads pictures of formulas."
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
PathsArgument = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Exam files, or folders of them.", show_default=False)
]
_CELL = 60
_FEW = 3


def formula_flag(given: Path | None) -> str | None:
    """The value of read.formula_model for --formula-model."""
    return None if given is None else str(given)


def settings(config: Path | None, flags: Mapping[str, object] | None = None) -> Settings:
    """The effective settings; flags: 'section.key' -> value, None where not given.

    Every command asks, also those that need none: a slip in exambank.toml is to be told at once.
    """
    from flows.config import load

    return load(config, os.environ, flags)


def say(text: str = "") -> None:
    """A line for people, on standard error. When nobody reads it any more the work goes on."""
    try:
        typer.echo(text, err=True)
    except BrokenPipeError:
        silence(sys.stderr)


def silence(stream: IO[str]) -> None:
    """Send what is still written to a stream nowhere: its reader has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 page, 2 pages."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def check_out(*paths: Path | None, folder: bool = False) -> None:
    """Look, before the work, whether these files (or folders) can be written; UsageError if not."""
    for path in paths:
        if path is None:
            continue
        there = path.absolute()
        while not there.exists():
            there = there.parent
        reason = ""
        if there == path.absolute():
            if path.is_dir() != folder:
                reason = "it is a folder" if path.is_dir() else "it is a file"
            elif not os.access(there if folder else there.parent, os.W_OK):
                reason = "permission denied"
        elif not there.is_dir():
            reason = f"{there} is a file"
        elif not os.access(there, os.W_OK):
            reason = f"permission denied in {there}"
        if reason:
            raise UsageError(
                f"{path} cannot be written: {reason}.",
                code="not_writable",
                remedy=f"Name another {'folder' if folder else 'file'}.",
            )


def emit(data: object) -> None:
    """One JSON object on standard output."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all. UsageError where that cannot be."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(data)
        fresh.replace(path)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.", code="not_writable", remedy="Name another file."
        ) from None
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]], *, out: bool = True) -> None:
    """A table on standard output (or error); numbers to the right. Chinese takes two cells a character."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    made = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for place, head in enumerate(heads):
        number = all(isinstance(row[place], int | float) for row in rows) and bool(rows)
        made.add_column(head, justify="right" if number else "left", overflow="fold")
    for row in rows:
        made.add_row(*(escape(f"{cell:,}" if isinstance(cell, int) else str(cell)) for cell in row))
    stream = sys.stdout if out else sys.stderr
    width = None if stream.isatty() else 160
    try:
        Console(file=stream, width=width, highlight=False, soft_wrap=False).print(made)
    except SystemExit:  # what rich makes of a reader that has gone
        raise BrokenPipeError from None


Progress = Callable[["Source", "Extraction | ExamBankError"], None]


@contextlib.contextmanager
def reading_progress(total: int, quiet: bool) -> Iterator[Progress]:
    """A progress bar on standard error; plain lines where that is no terminal; nothing when quiet."""
    if quiet:
        yield lambda source, result: None
        return
    if not sys.stderr.isatty():
        done = 0

        def line(source: Source, result: Extraction | ExamBankError) -> None:
            nonlocal done
            done += 1
            say(f"[{done}/{total}] {_told(source, result)}")

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=total)

        def advance(source: Source, result: Extraction | ExamBankError) -> None:
            from rich.markup import escape

            bar.update(task, advance=1, description=escape(_told(source, result)[:_CELL]))

        yield advance


def _told(source: Source, result: Extraction | ExamBankError) -> str:
    from schemas.errors import ExamBankError

    name = source.told
    if isinstance(result, ExamBankError):
        return f"{name}: refused, {result.message}"
    return f"{name}: {counted(len(result.drafts), 'draft')} from {counted(result.pages, 'page')}"


def tell_files(files: Sequence[Any]) -> None:
    """On standard error, a line for each file refused or empty, and for pages that were not read.

    Files left out for one reason share a line when they are many; the report names each.
    """
    left: dict[str, list[str]] = {}
    for file in files:
        if file.outcome in {"refused", "empty"}:
            code = f" [{file.code}]" if file.code else ""
            say(f"{file.outcome:8} {file.path or file.source}: {file.reason}{code}")
            if file.remedy:
                say(f"{'':8} → {file.remedy}")
        elif file.outcome in {"skipped", "repeated"}:
            left.setdefault(f"{file.outcome:8} {{}}: {file.reason}", []).append(file.path or file.source)
        for notice in file.notices:
            if notice.code == "page_not_read":
                say(f"{'notice':8} {file.path or file.source}: {notice.message}")
    for line, names in left.items():
        for name in names if len(names) <= _FEW else [f"{len(names)} files"]:
            say(line.replace("{}", name, 1))
