"""`exambank score`: the figures of finished runs, or of replies rated elsewhere."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common
from schemas.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.evaluation import Score

EPILOG = "Example: exambank score data/runs/reference data/runs/my-model --baseline data/runs/reference"


class Form(enum.StrEnum):
    """How scores are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FormOption = Annotated[Form, typer.Option("--format", "-f", help="How to print it.")]


def score(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Folders of runs, folders of such folders, or JSON Lines of ratings.",
            show_default=False,
        ),
    ],
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Run (or model) that relative scores refer to.")
    ] = None,
    form: FormOption = Form.TABLE,
    as_json: common.JsonOption = False,
    config: common.ConfigOption = None,
) -> int:
    """Scores of runs: absolute with its interval, relative, by discipline and by question type.

    A file has one JSON object a line with question_id, discipline and stars (0 to 3, or null with a
    reason), and where there are several models or types, model and question_type.
    """
    from evaluation.export import scores_csv
    from evaluation.scoring import relative_to

    common.settings(config)
    found: dict[str, Score] = {}
    for path in runs:
        for name, one in (_of_file(path) if path.is_file() else _of_folder(path)).items():
            if name in found:
                raise UsageError(f"There are two runs called {name}.", remedy="Score them one by one.")
            found[name] = one
    if baseline is not None:
        name = baseline if baseline in found else Path(baseline).resolve().name
        if name not in found:
            raise UsageError(f"{baseline} is none of the runs.", remedy="Name one of: " + ", ".join(found))
        found = {run: relative_to(one, found[name]) for run, one in found.items()}
    if as_json or form is Form.JSON:
        common.emit({"scores": [{"run": run, **one.model_dump(mode="json")} for run, one in found.items()]})
    elif form is Form.CSV:
        typer.echo(scores_csv(list(found.items())), nl=False)
    else:
        _tell(found)
    return 3 if any(one.unscored for one in found.values()) else 0


def _of_folder(path: Path) -> dict[str, Score]:
    from evaluation.entries import find_runs
    from evaluation.run import score_record
    from evaluation.rundir import read_record

    return {name: score_record(read_record(run)) for name, run in find_runs([path]).items()}


def _of_file(path: Path) -> dict[str, Score]:
    """Scores by model of a file of ratings."""
    from pydantic import ValidationError

    from evaluation.design import Design
    from evaluation.scoring import score as scored
    from schemas.evaluation import Verdict

    models: dict[str, list[dict[str, Any]]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", code="unreadable") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            row = _row(path, number, line)
            models.setdefault(str(row.get("model") or path.stem), []).append(row)
    result = {}
    for model, rows in models.items():
        if len({row["question_id"] for row in rows}) < len(rows):
            raise UsageError(f"{path} rates a question of {model} twice.", code="bad_line")
        judges = {str(row.get("judge") or "") for row in rows}
        if len(judges) > 1:
            raise UsageError(
                f"{model} was rated by several judges: {', '.join(sorted(judges))}.",
                code="judges_differ",
                remedy="Score the ratings of one judge at a time.",
            )
        judge = judges.pop()
        try:
            verdicts = {
                row["question_id"]: Verdict(
                    question_id=row["question_id"],
                    stars=row["stars"],
                    reason=str(row.get("reason") or ("" if row["stars"] is not None else "unknown")),
                    judge=judge,
                )
                for row in rows
            }
        except ValidationError as error:
            raise UsageError(f"{path}: {error.errors()[0]['msg']}", code="bad_line") from None
        types = {r["question_id"]: str(r["question_type"]) for r in rows if r.get("question_type")}
        disciplines = {row["question_id"]: row["discipline"] for row in rows}
        result[model] = scored(
            disciplines, verdicts, model=model, judge=judge, prompt_hash="", design=Design(types=types)
        )
    return result


def _row(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    good = isinstance(row, dict) and "stars" in row
    if not good or not all(isinstance(row.get(key), str) for key in ("question_id", "discipline")):
        raise UsageError(
            f"Line {number} of {path} is no rating.",
            code="bad_line",
            remedy="Each line is a JSON object with question_id, discipline and stars.",
        )
    assert isinstance(row, dict)
    return row


def _tell(found: Mapping[str, Score]) -> None:
    from schemas.taxonomy import taxonomy

    rows = [
        (
            run,
            one.model,
            one.judge,
            figure(one.absolute),
            reach(one.interval),
            figure(one.relative),
            f"{one.scored}/{one.asked}",
            ", ".join(f"{count} {reason}" for reason, count in one.unscored.items()) or "-",
        )
        for run, one in found.items()
    ]
    heads = ("run", "model", "judge", "absolute", "95 % interval", "relative", "scored", "unscored")
    common.table("", heads, rows)
    nodes = taxonomy().disciplines
    parts = [
        (run, f"{d.discipline} {nodes[d.discipline].zh} {nodes[d.discipline].en}", d)
        if d.discipline in nodes
        else (run, d.discipline, d)
        for run, one in found.items()
        for d in one.disciplines
    ]
    parts += [(run, t.question_type, t) for run, one in found.items() for t in one.types]  # type: ignore[misc]
    common.table(
        "",
        ("run", "discipline or type", "of 10", "95 % interval", "scored"),
        [(run, name, figure(p.score), reach(p.interval), f"{p.scored}/{p.asked}") for run, name, p in parts],
    )


def figure(value: float | None) -> str:
    """Two decimals, or a dash."""
    return "-" if value is None else f"{value:.2f}"


def reach(interval: tuple[float, float] | None) -> str:
    """An interval with two decimals, or a dash."""
    return "-" if interval is None else f"{interval[0]:.2f} - {interval[1]:.2f}"
