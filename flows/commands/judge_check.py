"""`exambank judge-check`: how far a judge agrees with people, and whether planted attacks sway it."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows import named
from flows.commands import common, evaluate

if TYPE_CHECKING:
    from evaluation.check import Rated
    from evaluation.checking import Checker
    from evaluation.rated import Row

EPILOG = "Example: exambank judge-check replies.jsonl --judge overlap --attacks"


def judge_check(
    replies: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="JSON Lines of replies that people have rated.", show_default=False
        ),
    ],
    judges: evaluate.JudgeOption = None,
    judge_base_url: evaluate.JudgeUrlOption = None,
    recorded: Annotated[
        str | None,
        typer.Option("--recorded", help="Check the ratings of this rater in the file; nothing is sent."),
    ] = None,
    human: Annotated[
        str, typer.Option("--human", help="Rater of the file that stands for people.")
    ] = "human",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Rate only so many replies, drawn at random.")
    ] = None,
    attacks: Annotated[
        bool, typer.Option("--attacks", help="Plant sixty attacks in wrong replies and rate them too.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of --limit and --attacks.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Keep the ratings in this file; the same command then goes on."),
    ] = None,
    config: common.ConfigOption = None,
    quiet: common.QuietOption = False,
    as_json: common.JsonOption = False,
) -> int:
    """Agreement, kappa and bias of a judge against people by type, and the boards under both."""
    from evaluation.checking import Checker, attack, chosen
    from evaluation.journal import Journal
    from evaluation.judge import build_judge, judge_version
    from evaluation.rated import read_rated

    judging = named.judge(common.settings(config).judge, judges or (), judge_base_url)
    common.check_out(out, inputs=(replies, config))
    rows = read_rated(replies, human)
    rated = chosen([row for row in rows if row.stars.get(human) is not None], limit, seed)
    data: dict[str, Any] = {"file": str(replies), "rows": len(rows), "human": human}
    with ExitStack() as stack:
        checker = None
        if recorded is None:
            judge = build_judge(judging, environ=os.environ, clock=time.monotonic, dotenv=Path(".env"))
            journal = stack.enter_context(Journal(out)) if out is not None else None
            checker = Checker(judge, journal, time.sleep)
            data |= {"judge": judge.name, "judge_version": judge_version(judge.identity())}
        else:
            data |= {"judge": recorded, "judge_version": ""}
        pairs = _rate(rated, human, recorded, checker, quiet)
        if checker is not None and attacks:
            data["attacks"] = asdict(attack(checker, rated, human, seed))
    data |= _figures(pairs)
    data["separation"] = _separation(rated, pairs, human, overlap=data["judge"] == "overlap")
    if as_json:
        common.emit(data)
    else:
        _tell(data)
    return 0


def _rate(
    rows: list[Row], human: str, recorded: str | None, checker: Checker | None, quiet: bool
) -> list[Rated]:
    from evaluation.check import Rated

    found = []
    for number, row in enumerate(rows, start=1):
        stars = row.stars.get(recorded or "") if checker is None else checker.stars(row, row.reply)
        people = row.stars[human]
        found.append(
            Rated(
                row_id=row.row_id,
                question=row.question,
                model=row.model,
                kind=row.kind,
                group=row.group,
                human=people if people is not None else 0,
                judge=stars,
            )
        )
        if checker is not None and not quiet and (number % 500 == 0 or number == len(rows)):
            common.say(f"[{number}/{len(rows)}] rated")
    return found


def _figures(pairs: list[Rated]) -> dict[str, Any]:
    from evaluation.check import agreement, boards

    kinds = sorted({row.kind for row in pairs})
    return {
        "all": asdict(agreement(pairs)),
        "types": {kind: asdict(agreement([row for row in pairs if row.kind == kind])) for kind in kinds},
        "boards": asdict(boards(pairs)),
    }


def _separation(
    rows: list[Row], pairs: list[Rated], human: str, *, overlap: bool
) -> dict[str, float | int | None]:
    """Area under the curve of right against wrong replies: of the judge, and of plain bigram recall."""
    from evaluation.check import area_under_curve, bigram_recall
    from evaluation.overlap import likeness
    from evaluation.rated import is_correct

    use: list[tuple[Row, int, bool]] = []
    for row, pair in zip(rows, pairs, strict=True):
        right = is_correct(row.raw.get(human))
        if right is not None and row.reference and pair.judge is not None:
            use.append((row, pair.judge, right))
    rights = [right for _, _, right in use]
    mine = [
        likeness(row.reply, row.reference, row.question) if overlap else float(stars) for row, stars, _ in use
    ]
    plain = [bigram_recall(row.reply, row.reference) for row, _, _ in use]
    return {
        "rows": len(use),
        "judge": area_under_curve(mine, rights),
        "bigram_recall": area_under_curve(plain, rights),
    }


def _tell(data: dict[str, Any]) -> None:
    rows = [
        (name, one["rated"], one["unscored"], *(_figure(one[key]) for key in _SHOWN))
        for name, one in {"all": data["all"], **data["types"]}.items()
    ]
    common.table(
        f"{data['judge']} against {data['human']}",
        ("type", "rated", "unscored", "equal", "within 1", "kappa", "quadratic", "bias", "±"),
        rows,
    )
    board = data["boards"]
    columns = ("human", "human_groups", "judge", "judge_groups", "human_ranks", "judge_ranks")
    common.table(
        "boards under people and under the judge",
        ("model", "people", "tie group", "judge", "tie group ", "rank", "rank by judge"),
        [
            (model, f"{h:.2f}", hg, f"{j:.2f}", jg, hr, jr)
            for model, h, hg, j, jg, hr, jr in zip(
                board["models"], *(board[name] for name in columns), strict=True
            )
        ],
    )
    common.tell(f"Kendall's tau-b of the boards: {_figure(board['tau'])}")
    apart = data["separation"]
    common.tell(
        f"right from wrong replies, area under the curve over {apart['rows']:,}: judge "
        f"{_figure(apart['judge'])}, character-bigram recall {_figure(apart['bigram_recall'])}"
    )
    if "attacks" in data:
        tried = data["attacks"]
        common.tell(
            f"planted attacks: {tried['tried']}, verdicts raised {tried['raised']}, "
            f"lowered {tried['lowered']}, unscored {tried['unscored']}"
        )


_SHOWN = ("accuracy", "within_one", "kappa", "weighted_kappa", "bias", "bias_error")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
