"""Scores and boards as CSV: one line a run, figures unrounded, disciplines by code."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from evaluation.audited import JudgeAudit
from evaluation.leaderboard import Board, Row
from schemas.evaluation import Score
from schemas.shown import label

# A spreadsheet takes a cell that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def board_csv(board: Board) -> str:
    """Ranked rows, then those without a rank."""
    rows = (*board.rows, *board.unranked)
    codes = sorted({code for row in rows for code in row.disciplines})
    return _written([_board_row(row, board, codes) for row in rows])


def scores_csv(scores: Sequence[tuple[str, Score]]) -> str:
    """One line for each (run, score)."""
    codes = sorted({d.discipline for _, score in scores for d in score.disciplines})
    types = sorted({t.question_type for _, score in scores for t in score.types})
    lines = []
    for run, score in scores:
        disciplines = {d.discipline: d.score for d in score.disciplines}
        by_type = {t.question_type: t.score for t in score.types}
        lines.append(
            {
                "run": run,
                "model": score.model,
                "judge": score.judge,
                "judge_version": score.judge_version,
                "absolute": score.absolute,
                "low": score.interval[0] if score.interval else None,
                "high": score.interval[1] if score.interval else None,
                "relative": score.relative,
                "relative_to": score.relative_to,
                "stars": score.stars,
                "scored": score.scored,
                "asked": score.asked,
                "unscored": _reasons(score.unscored),
                **{code: disciplines.get(code) for code in codes},
                **{name: by_type.get(name) for name in types},
            }
        )
    return _written(lines)


def _board_row(row: Row, board: Board, codes: Iterable[str]) -> dict[str, object]:
    return {
        "rank": row.rank,
        "rank_best": row.rank_range[0] if row.rank_range else None,
        "rank_worst": row.rank_range[1] if row.rank_range else None,
        "tie_groups": row.tie_groups,
        "model": row.model,
        "organisation": row.organisation,
        "access": row.access,
        "evaluated": row.evaluated,
        "released": row.released,
        "relative": row.relative,
        "shared_relative": row.shared_relative,
        "shared": row.shared or None,
        "absolute": row.absolute,
        "low": row.interval[0] if row.interval else None,
        "high": row.interval[1] if row.interval else None,
        "scored": row.scored,
        "asked": row.asked,
        "unscored": _reasons(row.unscored),
        **{code: row.disciplines.get(code) for code in codes},
        "run": row.run,
        "judge": board.judge,
        "judge_version": board.judge_version,
        "unranked": row.unranked,
        **_audited(board.audits),
    }


def _audited(audits: Sequence[JudgeAudit]) -> dict[str, str]:
    """What audits say of the board's judge, those of a panel in order."""
    told: dict[str, list[str]] = {
        "audit": [one.verdict or "none" for one in audits],
        "audit_model": [one.model for one in audits],
        "audit_beta": ["" if one.beta is None else str(one.beta) for one in audits],
        "audit_pi": ["" if one.pi is None else str(one.pi) for one in audits],
        "audit_bounds": ["" if one.limits is None else str(one.limits) for one in audits],
        "audit_seal": [one.seal or "" for one in audits],
        "audit_warnings": [". ".join(english for _, english in one.warnings) for one in audits],
    }
    return {name: "; ".join(values) for name, values in told.items()}


def _reasons(unscored: Mapping[str, int]) -> str:
    return "; ".join(f"{reason} {count}" for reason, count in unscored.items())


def _written(rows: Sequence[Mapping[str, object]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    """A text that a spreadsheet would run gets an apostrophe; what steers a terminal is spelled out."""
    if not isinstance(value, str):
        return value
    return "'" + label(value) if value.startswith(_FORMULA) else label(value)
