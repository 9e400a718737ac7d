"""What the commands share: options, settings, messages, tables, progress."""

from __future__ import annotations

import contextlib
import enum
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from schemas.errors import ExamBankError, UsageError
from schemas.shown import json_seen, label, seen

if TYPE_CHECKING:
    from flows.files import Source
    from schemas.question import Extraction
    from schemas.settings import RunSettings, Settings

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
AddressOption = Annotated[
    str | None,
    typer.Option("--address", help="Dask scheduler, as tcp://HOST:PORT; else a local cluster."),
]
AnswersOption = Annotated[
    list[str] | None,
    typer.Option("--answers", help="Answers: KEY for a single paper, else PAPER=KEY; repeatable."),
]


class Runner(enum.StrEnum):
    """Where the work is done."""

    THREADS = "threads"
    DASK = "dask"


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
EMITTED: list[bool] = []  # something once the command has printed its JSON object


def formula_flag(given: Path | None) -> str | None:
    """The value of read.formula_model for --formula-model."""
    return None if given is None else str(given)


def settings(config: Path | None, flags: Mapping[str, object] | None = None) -> Settings:
    """The effective settings; flags: 'section.key' -> value, None where not given.

    Every command asks, also those that need none: a slip in exambank.toml is to be told at once.
    """
    from flows.config import load

    return load(config, os.environ, flags)


def runner_flags(runner: Runner | None, address: str | None, jobs: int | None) -> dict[str, object]:
    """The flags of a command whose work Dask can do; an address alone means Dask."""
    named = runner.value if runner else ("dask" if address else None)
    return {"run.workers": jobs, "run.runner": named, "run.address": address}


def check_runner(run: RunSettings) -> None:
    """UsageError for an address that nobody would call."""
    if run.address and run.runner != "dask":
        raise UsageError("An address is of use with --runner dask only.", remedy="Leave one of the two out.")


def say(text: str = "") -> None:
    """A line for people, on standard error. When nobody reads it any more the work goes on."""
    try:
        typer.echo(seen(text), err=True)
    except BrokenPipeError:
        silence(sys.stderr)


def tell(text: str = "") -> None:
    """A line for people, on standard output."""
    typer.echo(seen(text))


def put(line: str) -> None:
    """A line of JSON for programs, on standard output: it says the same, and steers no terminal."""
    typer.echo(json_seen(line))


def silence(stream: IO[str]) -> None:
    """Send what is still written to a stream nowhere: its reader has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 page, 2 pages."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def check_out(
    *paths: Path | None,
    folder: bool = False,
    inputs: Iterable[Path | None] = (),
    beside: Iterable[Path | None] = (),
    bank: Path | None = None,
) -> None:
    """Look, before the work, whether these files (or folders) can be written; UsageError if not.

    inputs: what the command reads, which none of them may be, by no other name either; of a folder
    that is read, the documents in it. beside: the command's other outputs, which they may not be.
    bank: the bank, whose own files nobody else writes.
    """
    from flows.config import FILE_NAME

    read = [path for path in (*inputs, Path(FILE_NAME)) if path is not None]
    taken = [path for path in beside if path is not None]
    for path in paths:
        if path is None:
            continue
        reason = (
            _unwritable(path, folder)
            or ("the command reads it" if any(_read_from(path, source) for source in read) else "")
            or ("another output of the command is there" if any(_clash(path, t) for t in taken) else "")
            or ("it is in the bank" if bank is not None and _within(path, bank) else "")
        )
        if reason:
            raise UsageError(
                f"{path} cannot be written: {reason}.",
                code="not_writable",
                remedy=f"Name another {'folder' if folder else 'file'}.",
            )
        taken.append(path)


def _unwritable(path: Path, folder: bool) -> str:
    """Why nothing can be written there, '' when it can: tried with a file that is taken away again."""
    if str(path) == "-":
        return "standard output is not for this option"
    try:
        if _is_device(path):
            return "" if not folder and os.access(path, os.W_OK) else "it is no file to write to"
        target = _real(path)
        if target.exists() and target.is_dir() != folder:
            return "it is a folder" if target.is_dir() else "it is a file"
        there = target if folder else target.parent
        while not there.exists():
            there = there.parent
        if not there.is_dir():
            return f"{there} is a file"
        trial = _part(there / (target.name or "out"))
        trial.touch(exist_ok=False)
        trial.unlink()
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a link to itself
        return (getattr(error, "strerror", None) or str(error)).lower()
    return ""


def _read_from(path: Path, source: Path) -> bool:
    """Whether writing to path would change what is read from source, a file or a folder."""
    if _same(path, source):
        return True
    if not source.is_dir() or not path.is_file():
        return False
    from flows.files import documents_in

    return any(_same(path, document) for document in documents_in(source))


def _same(one: Path, other: Path) -> bool:
    """Whether two names, links among them, lead to one file or folder, which need not be there yet."""
    if _is_device(one) or _is_device(other):
        return False
    try:
        return one.samefile(other)
    except OSError:
        return _real(one) == _real(other)


def _clash(one: Path, other: Path) -> bool:
    """Whether two outputs, of which other is a file, cannot both be."""
    return _same(one, other) or (not _is_device(other) and _real(one).is_relative_to(_real(other)))


def _within(path: Path, bank: Path) -> bool:
    """Whether a path is inside a bank, or would be inside one that this command makes."""
    return _real(path).is_relative_to(_real(bank))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_device(path: Path) -> bool:
    """Whether this is a terminal, a pipe or the like: something to write to, but not to replace."""
    try:
        return path.exists() and not path.is_file() and not path.is_dir()
    except OSError:
        return False


def _part(path: Path) -> Path:
    """The file beside path that becomes it when it is complete."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def emit(data: object) -> None:
    """One JSON object on standard output."""
    EMITTED.append(True)
    put(json.dumps(data, ensure_ascii=False, indent=2))


def emit_error(error: ExamBankError) -> None:
    """What --json prints in place of the object of a command that failed, unless that is printed already."""
    if not EMITTED:
        emit({"error": error.as_dict()})


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all. ExamBankError where that cannot be.

    What a link leads to is written, not the link; into a device or pipe the data goes as it is.
    """
    target = _real(path)
    fresh = _part(target)
    try:
        if _is_device(path):
            path.write_bytes(data)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(data)
        fresh.replace(target)
    except OSError as error:
        raise ExamBankError(  # after the work: where check_out could see it, it is wrong usage
            f"{path} could not be written: {error.strerror}.",
            code="not_written",
            remedy="Make room there, or name another file, and run it again.",
        ) from None
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


@contextlib.contextmanager
def line_writer(path: Path | None) -> Iterator[Callable[[str], None]]:
    """Write line by line to a file that is there whole at the end or not at all; None: standard output."""
    if path is None or _is_device(path):
        stream = sys.stdout if path is None else path.open("w", encoding="utf-8")
        try:
            yield lambda line: print(json_seen(line), file=stream)
        finally:
            if path is not None:
                stream.close()
        return
    target = _real(path)
    fresh = _part(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("w", encoding="utf-8") as stream:
            yield lambda line: print(line, file=stream)
        fresh.replace(target)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise ExamBankError(
            f"{path} could not be written: {error.strerror}.",
            code="not_written",
            remedy="Make room there, or name another file, and run it again.",
        ) from None
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]], *, out: bool = True) -> None:
    """A table on standard output (or error); numbers to the right. Chinese takes two cells a character."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    made = Table(
        title=escape(label(title)) or None,
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for place, head in enumerate(heads):
        number = all(isinstance(row[place], int | float) for row in rows) and bool(rows)
        made.add_column(escape(label(head)), justify="right" if number else "left", overflow="fold")
    for row in rows:
        made.add_row(*(escape(f"{cell:,}" if isinstance(cell, int) else seen(str(cell))) for cell in row))
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
    name = source.told
    if isinstance(result, ExamBankError):
        return f"{name}: refused, {result.message}"
    return f"{name}: {counted(len(result.drafts), 'draft')} from {counted(result.pages, 'page')}"


def tell_files(files: Sequence[Any]) -> None:
    """On standard error, a line for each file refused, empty or a key of no paper, and for what a
    user has to know at once: pages that gave nothing, a key named in vain.

    Files left out for one reason share a line when they are many; the report names each.
    """
    left: dict[str, list[str]] = {}
    for file in files:
        if file.outcome in {"refused", "empty", "unpaired"}:
            code = f" [{file.code}]" if file.code else ""
            say(f"{file.outcome:8} {file.path or file.source}: {file.reason}{code}")
            if file.remedy:
                say(f"{'':8} → {file.remedy}")
        elif file.outcome in {"skipped", "repeated"}:
            left.setdefault(f"{file.outcome:8} {{}}: {file.reason}", []).append(file.path or file.source)
        for notice in file.notices:
            if notice.code in {"page_not_read", "page_empty", "answers_unused", "ocr_off"}:
                say(f"{'notice':8} {file.path or file.source}: {notice.message}")
    for line, names in left.items():
        for name in names if len(names) <= _FEW else [f"{len(names)} files"]:
            say(line.replace("{}", name, 1))
