"""`exambank classify`: where questions are filed and of what type they are, from their text."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from flows.commands import common
from schemas.errors import UsageError
from schemas.taxonomy import discipline_name

if TYPE_CHECKING:
    from ingest.classify.filing import Filed
    from ingest.classify.learned import Learned

ModelOption = Annotated[
    Path | None, typer.Option("--model", help="File of `exambank train`, used beside the word lists.")
]
EPILOG = "Example: exambank classify questions.jsonl --out labels.jsonl"
PARTLY = 3
_SHOWN = 50
_AT_ONCE, _TOLD_EVERY = 2_000, 10_000


def classify(
    rows: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="JSON Lines: each row has id and text; - for standard input.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="JSON Lines file to write; - for standard output.", show_default=False
        ),
    ],
    model: ModelOption = None,
    paper: Annotated[
        str, typer.Option("--paper", metavar="FIELD", help="Rows alike in FIELD are one paper, and vote.")
    ] = "",
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
    as_json: common.JsonOption = False,
) -> int:
    """File questions by their text alone: discipline, sub-discipline and type, each with a confidence."""
    from ingest.classify.learned import load

    flags = {"classify.model": None if model is None else str(model)}
    settings = common.settings(config, flags)
    known = settings.classify.model
    spoken = str(out) == "-"
    if spoken and as_json:
        raise UsageError(
            "--out - and --json both write to standard output.",
            code="one_output",
            remedy="Name a file with --out.",
        )
    common.check_out(None if spoken else out, inputs=(rows, config, Path(known) if known else None))
    learned = load(Path(known)) if known else None
    voter = None
    if settings.filing.name:
        from flows.filing import Voter

        voter = Voter(settings.filing)
    refused: list[dict[str, object]] = []
    alone: list[str] = []
    counts: Counter[str] = Counter()
    with common.line_writer(None if spoken else out) as write:
        good = good_rows(rows, refused)
        filing = _by_paper(good, paper, learned, alone) if paper else _one_by_one(good, learned)
        for row, one in filing:
            filed = one if voter is None else voter(row["text"], one)
            counts[filed.discipline or "none"] += 1
            told = {"id": row["id"], **filed.row()}
            if paper:
                told["outlier"] = discipline_name(filed.outlier) if filed.outlier else None
            write(json.dumps(told, ensure_ascii=False))
            if not quiet and counts.total() % _TOLD_EVERY == 0:
                common.say(f"{counts.total():,} questions filed")
    if alone:
        common.say(f"{common.counted(len(alone), 'row')} without {paper}, each filed as a paper of its own")
    more: dict[str, object] = {"alone": len(alone)} if paper else {}
    if voter is not None:
        more["vote"] = voter.told()
    return _told(counts, refused, out, as_json, more)


def _one_by_one(
    rows: Iterator[dict[str, Any]], learned: Learned | None
) -> Iterator[tuple[dict[str, Any], Filed]]:
    from ingest.classify.filing import file_texts

    while some := list(islice(rows, _AT_ONCE)):
        yield from zip(some, file_texts([row["text"] for row in some], learned), strict=True)


def _by_paper(
    rows: Iterator[dict[str, Any]], field: str, learned: Learned | None, alone: list[str]
) -> Iterator[tuple[dict[str, Any], Filed]]:
    """All rows are read first; a row without the field is a paper of its own, its id added to alone.

    UsageError where no row has it: a mistyped name must not pass for papers of one question.
    """
    from ingest.classify.filing import file_paper, file_texts

    papers: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        name = row.get(field)
        if name is None:
            alone.append(str(row["id"]))
        papers.setdefault(f"={name}" if name is not None else f"?{row['id']}", []).append(row)
    if alone and len(alone) == sum(map(len, papers.values())):
        raise UsageError(
            f"No row has the field {field}, by which --paper tells papers.",
            code="paper_field",
            remedy="Name a field of the rows, or leave --paper out.",
        )
    for some in papers.values():
        texts = [row["text"] for row in some]
        filed = file_paper(texts, learned) if len(texts) > 1 else file_texts(texts, learned)
        yield from zip(some, filed, strict=True)


def good_rows(path: Path, refused: list[dict[str, object]]) -> Iterator[dict[str, Any]]:
    """Rows with an id and a text, as they are read; the others are added to refused with line and reason."""
    source: AbstractContextManager[BinaryIO]
    try:
        source = nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", code="unreadable") from None
    seen: set[str] = set()
    with source as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            row, reason = _row(line, seen)
            if row is None:
                refused.append({"line": number, "reason": reason})
            else:
                yield row


def _row(line: bytes, seen: set[str]) -> tuple[dict[str, Any] | None, str]:
    """The row and '', or None and the reason why it is none."""
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return None, f"no UTF-8 from its byte {error.start + 1} on"
    except RecursionError:
        return None, "no JSON: nested too deeply"
    except ValueError as error:
        return None, f"no JSON: {error}"
    if not isinstance(row, dict):
        return None, "no JSON object"
    name, text = row.get("id"), row.get("text")
    if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
        return None, "no id"
    if any("\ud800" <= char <= "\udfff" for char in str(name)):
        return None, "an id with half a character"
    if not isinstance(text, str) or not text.strip():
        return None, "no text"
    if str(name) in seen:
        return None, f"the id {name} again"
    seen.add(str(name))
    return row, ""


def _told(
    counts: Counter[str],
    refused: list[dict[str, object]],
    out: Path,
    as_json: bool,
    more: dict[str, Any],
) -> int:
    filed = counts.total()
    code = 0 if not refused else PARTLY if filed else 1
    if as_json:
        figures = {"rows": filed + len(refused), "filed": filed, "undecided": counts["none"]}
        by = {name: n for name, n in sorted(counts.items()) if name != "none"}
        common.emit({**figures, **more, "disciplines": by, "refused": len(refused), "bad_rows": refused})
        return code
    for row in refused[:_SHOWN]:
        common.say(f"line {row['line']}: {row['reason']}")
    if len(refused) > _SHOWN:
        common.say(f"… and {len(refused) - _SHOWN:,} more")
    if "vote" in more:
        common.say("the model's vote: " + ", ".join(f"{name} {n:,}" for name, n in more["vote"].items()))
    bad = f", {common.counted(len(refused), 'row')} refused" if refused else ""
    where = "on standard output" if str(out) == "-" else f"in {out}"
    common.say(f"{common.counted(filed, 'question')} {where}, {counts['none']:,} without any discipline{bad}")
    return code
