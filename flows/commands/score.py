"""`exambank score-extraction`: how much of the questions read by hand was found, and how well."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from ingest.score import Report

EPILOG = "Example: exambank score-extraction gold/ questions.jsonl"
Rows = dict[str, list[dict[str, Any]]]
_NAME_WIDTH = 44


def score_extraction(
    gold: Annotated[
        Path,
        typer.Argument(
            metavar="GOLD", help="Folder of FILE.jsonl, or one JSON Lines file.", show_default=False
        ),
    ],
    predicted: Annotated[
        Path, typer.Argument(metavar="PREDICTED", help="What `extract --out` wrote.", show_default=False)
    ],
    counts: Annotated[
        Path | None,
        typer.Option("--counts", help="TSV with file, expected_questions, expected_exact: score counts too."),
    ] = None,
    as_json: common.JsonOption = False,
) -> int:
    """Score extracted questions against questions read by hand; docs/extraction.md defines the figures."""
    from ingest.score import score_all

    common.settings(None)
    want, got = read_gold(gold), _by_source(predicted, _rows(predicted))
    if missing := [name for name in want if name not in got]:
        common.say(f"nothing was extracted from {len(missing)} gold documents: {', '.join(missing)}")
    report = score_all(want, got, _counts(counts) if counts is not None else None)
    if as_json:
        common.emit(_as_data(report))
    else:
        _print(report)
    return 0


def read_gold(path: Path) -> Rows:
    """Gold rows by file name. Raises UsageError for what is no gold."""
    if path.is_dir():
        files = sorted(path.glob("*.jsonl"))
        if not files:
            raise UsageError(
                f"There is no .jsonl file in {path}.",
                code="no_gold",
                remedy="See docs/extraction.md for the form.",
            )
        gold = {file.name.removesuffix(".jsonl"): _rows(file) for file in files}
    else:
        rows = _rows(path)
        named = any("source" in row for row in rows)
        gold = _by_source(path, rows) if named else {path.name.removesuffix(".jsonl"): rows}
    for name, questions in gold.items():
        for row in questions:
            if not isinstance(row.get("question"), str):
                raise UsageError(
                    f"A gold row of {name} has no question.",
                    code="bad_gold",
                    remedy="Give every row question, and answer, type and score where there are any.",
                )
    return gold


def _rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}.", code="no_path") from None
    except UnicodeDecodeError:
        raise UsageError(
            f"{path} is no JSON Lines file: it is not UTF-8 text.",
            code="no_json_lines",
            remedy="Give what `exambank extract --out` wrote, not the paper itself.",
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", code="unreadable") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise UsageError(
                f"Line {number} of {path} is no JSON object.", code="bad_line", remedy="Give JSON Lines."
            )
        rows.append(row)
    return rows


def _by_source(path: Path, rows: Sequence[dict[str, Any]]) -> Rows:
    found: Rows = {}
    for row in rows:
        if not isinstance(row.get("source"), str):
            raise UsageError(
                f"A row of {path} does not say its source.",
                code="no_source",
                remedy="Each row needs source, the name of the file, as `exambank extract` writes it.",
            )
        found.setdefault(Path(row["source"]).name, []).append(row)
    return found


def _counts(path: Path) -> dict[str, int]:
    """Exact numbers of questions by file; rows whose expected_exact is there and not 'exact' are left out."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path} cannot be read: {error}", code="unreadable") from None
    if not rows or not {"file", "expected_questions"} <= set(rows[0]):
        raise UsageError(
            f"{path} has no columns file and expected_questions.",
            code="bad_counts",
            remedy="Give a TSV with both.",
        )
    return {
        row["file"]: int(row["expected_questions"])
        for row in rows
        if (row.get("expected_exact", "exact") or "").strip() == "exact"
        and (row["expected_questions"] or "").strip().isdigit()
    }


def _as_data(report: Report) -> dict[str, object]:
    return {
        "documents": {
            name: {**one.rates(), "answers": one.alignment()} for name, one in report.documents.items()
        },
        "all": {**report.total.rates(), "answers": report.total.alignment()},
        "macro_F1": report.macro_f1,
        "counts": {name: {"expected": want, "found": got} for name, (want, got) in report.counts.items()},
        "count_within_10pct": f"{report.counts_close}/{len(report.counts)}",
    }


def _print(report: Report) -> None:
    from ingest.score.figures import is_close

    every = {**report.documents, "ALL": report.total}
    rates: Mapping[str, Mapping[str, float | int | None]] = {name: one.rates() for name, one in every.items()}
    heads = list(rates["ALL"])
    common.table(
        "",
        ["document", *heads],
        [[name[:_NAME_WIDTH], *(_cell(row[head]) for head in heads)] for name, row in rates.items()],
    )
    common.tell(f"\nmean F1 of the documents: {report.macro_f1}")
    where = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in report.total.alignment().items())
    common.tell(f"answers: {where} (gold has {report.total.answers})")
    common.tell(
        f"formulas: {report.total.formulas_lost} of {report.total.formulas} lost;"
        f" of those that are more than a line of signs {report.total.built_lost} of {report.total.built}"
    )
    if report.counts:
        common.tell(f"counts within 10 %: {report.counts_close}/{len(report.counts)}")
        for name, (want, got) in report.counts.items():
            if not is_close(want, got):
                common.tell(f"  {name}: expected {want}, found {got}")


def _cell(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
