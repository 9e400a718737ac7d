"""The leaderboard as one HTML page that works offline: tables to sort, plots, and the runs to search."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from evaluation.judge import judged_text
from evaluation.leaderboard import MIN_ASKED, Board, Row
from evaluation.report import environment, reason_names
from evaluation.report.audit import VERDICTS
from evaluation.report.plots import axis, span, timeline
from evaluation.rundir import RunRecord
from schemas.shown import json_seen, label

NOTES = {
    "bank_versions_differ": (
        "各次评测所用题库版本不同，分数所指的总体并不完全相同。",
        "The runs are of several versions of the bank: their scores are about slightly different sets of"
        " questions.",
    ),
    "disciplines_differ": (
        "各次评测的学科不同，绝对分不可直接比较。",
        "The runs cover different disciplines: their absolute scores do not compare directly.",
    ),
    "published_intervals": (
        "逐题得分未公布：区间与并列组由本程序按最大可能方差计算，只会偏宽。",
        "Ratings of single questions are not published: intervals and tie groups are our own, taken with the"
        " greatest variance possible, so that they are at most too wide.",
    ),
    "published_relative": (
        "相对分按原表照录，其中 29 个与 绝对分 ÷ 93.67 不符。",
        "Relative scores are as printed; 29 of them are not absolute ÷ 93.67.",
    ),
}

SEALS = {
    "sealed": ("签封有效", "sealed"),
    "not_checked": ("签封未核对", "seal not checked"),
    "not_sealed": ("未签封", "not sealed"),
    None: ("签封未知", "seal unknown"),
}


def render_board(
    board: Board,
    names: Mapping[str, tuple[str, str]],
    records: Mapping[str, RunRecord] | None = None,
    *,
    made: str = "",
    texts: bool = False,
    questions: Mapping[str, tuple[str, str]] | None = None,
) -> str:
    """The page of a board.

    names gives (Chinese, English) by discipline code; records, by run, fill the pages of the runs:
    with each question's id, type and stars, and under texts with the reply and the judge's words, which
    makes the page as private as the bank; questions then gives text and reference answer by question id.
    made is the date to show.
    """
    rows = (*board.rows, *board.unranked)
    codes = sorted({code for row in rows for code in row.disciplines}, key=lambda c: (len(c), c))
    shown = {row.run for row in rows if row.run}
    data = {
        run: _run_data(one, texts=texts, questions=questions or {})
        for run, one in (records or {}).items()
        if run in shown
    }
    parts = files(__package__)
    style = "".join(parts.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "board.css"))
    script = parts.joinpath("board.js").read_text(encoding="utf-8")
    low = axis([row.interval[0] for row in rows if row.interval])
    return (
        environment()
        .get_template("board.html.j2")
        .render(
            board=board,
            rows=rows,
            codes=codes,
            names={code: names.get(code, (code, "")) for code in codes},
            twice={model for model, count in Counter(row.model for row in rows).items() if count > 1},
            low=low,
            few=lambda row: row.asked < MIN_ASKED,
            span=lambda row: span(row.interval, row.absolute, low),
            timeline=timeline(rows),
            accesses=sorted({row.access for row in rows if row.access}),
            notes=[NOTES[note] for note in board.notes],
            has_runs=bool(data),
            verdicts=VERDICTS,
            seals=SEALS,
            texts=texts and bool(data),
            made=made,
            data=_embedded(
                {
                    "runs": data,
                    "about": {row.run: _about(row) for row in rows if row.run in data},
                    "names": {c: names[c][0] for c in codes if c in names},
                    "reasons": _reasons(data),
                }
            ),
            style=style,
            style_hash=_hash(style),
            script=script,
            script_hash=_hash(script),
        )
    )


def _run_data(
    record: RunRecord, *, texts: bool, questions: Mapping[str, tuple[str, str]]
) -> list[list[object]]:
    """Of each question: id, discipline, type, stars or reason, seconds, tokens.

    With texts also question, reply, reference answer and the judge's words.
    """
    lines: list[list[object]] = []
    for question in record.manifest["questions"]:
        name = question["question_id"]
        verdict, reply = record.verdicts.get(name), record.replies.get(name)
        result: object = "not_asked" if verdict is None else verdict.reason
        if verdict is not None and verdict.stars is not None:
            result = verdict.stars
        line = [name, question["discipline"], question.get("question_type", ""), result]
        line += [reply.latency_seconds, reply.completion_tokens] if reply else [None, None]
        if texts:
            asked, reference = questions.get(name, ("", ""))
            said = judged_text(reply) if reply else ""
            line += [asked, said, reference, verdict.raw if verdict else ""]
        lines.append(line)
    return lines


def _about(row: Row) -> list[str]:
    """The lines at the head of a run's page: its model and figures, and what was not scored."""
    low, high = row.interval or (None, None)
    figures = [
        label(row.model),
        f"绝对分 absolute {_fixed(row.absolute)} ({_fixed(low)} – {_fixed(high)})",
        f"相对分 relative {_fixed(row.relative)} %",
        f"已评分 scored {row.scored} / {row.asked}",
        row.evaluated,
    ]
    missing = [f"{' '.join(reason_names(reason))}: {count}" for reason, count in row.unscored.items()]
    return [" · ".join(figures), "；".join(missing)]


def _fixed(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _reasons(data: Mapping[str, list[list[object]]]) -> dict[str, str]:
    reasons = {str(line[3]) for lines in data.values() for line in lines if isinstance(line[3], str)}
    return {reason: " ".join(reason_names(reason)) for reason in sorted(reasons)}


def _embedded(data: Any) -> str:  # noqa: ANN401 - any JSON
    """JSON that can stand in a script element: no text in it can end the element or begin a comment."""
    text = json_seen(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
