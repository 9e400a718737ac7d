"""Scores of a run: absolute, relative, per discipline, with an interval and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from evaluation import intervals
from evaluation.design import Design
from schemas.errors import UsageError
from schemas.evaluation import DisciplineScore, Score, StratumScore, TypeScore, Verdict

MAX_STARS = 3
NOT_ASKED = "not_asked"


def score(
    disciplines: Mapping[str, str],
    verdicts: Mapping[str, Verdict],
    *,
    model: str,
    judge: str,
    prompt_hash: str,
    judge_version: str = "",
    design: Design | None = None,
    publishable: bool = False,
    baseline: Score | None = None,
) -> Score:
    """The figures of one run.

    disciplines gives the discipline of every question asked, verdicts the last verdict by question;
    a question without one counts as unscored, `not_asked`. Unscored questions are counted by reason
    and are in no mean. Absolute is on 0-100, disciplines and types on 0-10, relative in % of baseline.
    design tells how the questions were drawn; without it each discipline is a stratum without end.
    """
    design = design or Design()
    scored = {q: v for q, v in verdicts.items() if q in disciplines and v.stars is not None}
    reasons = Counter(
        verdicts[q].reason or "unknown" if q in verdicts else NOT_ASKED
        for q in disciplines
        if q not in scored
    )
    strata = _strata(disciplines, scored, design)
    found = intervals.interval([_cell(stratum) for stratum in strata])
    result = Score(
        model=model,
        judge=judge,
        prompt_hash=prompt_hash,
        judge_version=judge_version,
        asked=len(disciplines),
        scored=len(scored),
        unscored=dict(sorted(reasons.items())),
        stars=sum(v.stars or 0 for v in scored.values()),
        absolute=mean_score(sum(v.stars or 0 for v in scored.values()), len(scored)),
        interval=_scaled(found, 100),
        interval_method=intervals.METHOD if scored else "",
        disciplines=_disciplines(strata),
        types=_types(disciplines, scored, design),
        strata=strata,
        publishable=publishable and bool(scored),
    )
    return result if baseline is None else relative_to(result, baseline)


def mean_score(stars: int, scored: int, *, scale: float = 100) -> float | None:
    """Σ s / (3 N) x scale over the N scored questions; None when N is 0.

    The source (LLMEval-Fair README, equation 1) prints the sum without 1/N. Its tables can only be
    the mean (every total is ten times the mean of its discipline scores), and the earlier edition
    prints the formula with N, so the mean is taken.
    """
    return stars * scale / (MAX_STARS * scored) if scored else None


def relative_to(result: Score, baseline: Score) -> Score:
    """The result with its relative score: 100 x absolute / baseline's absolute, both unrounded.

    Raises UsageError when the two cannot be compared: another judge or judge prompt, or a baseline
    without a score above 0.
    """
    if _judged_by(result) != _judged_by(baseline):
        raise UsageError(
            f"the baseline was judged by {baseline.judge!r}, this run by {result.judge!r}, "
            "or with another prompt or other settings of the judge",
            remedy="a relative score needs one judge and one prompt: judge the baseline again",
        )
    if not baseline.absolute:
        raise UsageError(
            f"the baseline {baseline.model!r} has no score above 0", remedy="name another baseline run"
        )
    relative = None if result.absolute is None else 100 * result.absolute / baseline.absolute
    update = {
        "relative": relative,
        "relative_to": baseline.model,
        "baseline_absolute": baseline.absolute,
    }
    return result.model_copy(update=update)


def _judged_by(result: Score) -> tuple[str, str, str]:
    return result.judge, result.prompt_hash, result.judge_version


def bounds(result: Score) -> tuple[float, float]:
    """The absolute score if every unscored question had earned 0, and if it had earned 3 stars."""
    if not result.asked:
        return 0.0, 100.0
    missing = result.asked - result.scored
    full = MAX_STARS * result.asked
    return 100 * result.stars / full, 100 * (result.stars + MAX_STARS * missing) / full


def shared_relative(mine: Mapping[str, int], baseline: Mapping[str, int]) -> tuple[float, int] | None:
    """Relative score on the questions both have stars for, and how many these are.

    The 2023 edition of the source took relative scores so, each on the same questions: what the
    draw favours it favours for both. None without common questions, or when the baseline has no star.
    """
    common = mine.keys() & baseline.keys()
    theirs = sum(baseline[q] for q in common)
    return (100 * sum(mine[q] for q in common) / theirs, len(common)) if theirs else None


def cells(result: Score) -> tuple[intervals.Cell, ...]:
    """The strata of a score as `intervals` and `ties` take them."""
    return tuple(_cell(stratum) for stratum in result.strata)


def _strata(
    disciplines: Mapping[str, str], scored: Mapping[str, Verdict], design: Design
) -> tuple[StratumScore, ...]:
    """The ratings by stratum. A stratum over several disciplines is taken apart: it is no stratum then."""
    asked: Counter[tuple[str, str]] = Counter()
    counts: dict[tuple[str, str], list[int]] = {}
    for question, discipline in disciplines.items():
        key = (discipline, design.strata.get(question, discipline))
        asked[key] += 1
        row = counts.setdefault(key, [0, 0, 0, 0])
        if question in scored:
            row[scored[question].stars or 0] += 1
    split = Counter(stratum for _, stratum in asked)
    return tuple(
        StratumScore(
            stratum=stratum,
            discipline=discipline,
            eligible=design.eligible.get(stratum) if split[stratum] == 1 else None,
            asked=asked[discipline, stratum],
            counts=(row[0], row[1], row[2], row[3]),
        )
        for (discipline, stratum), row in sorted(counts.items())
    )


def _disciplines(strata: tuple[StratumScore, ...]) -> tuple[DisciplineScore, ...]:
    rows = []
    for name in sorted({stratum.discipline for stratum in strata}):
        own = [stratum for stratum in strata if stratum.discipline == name]
        parts = [_cell(stratum) for stratum in own]
        stars, count = sum(cell.stars for cell in parts), sum(cell.scored for cell in parts)
        rows.append(
            DisciplineScore(
                discipline=name,
                asked=sum(stratum.asked for stratum in own),
                scored=count,
                stars=stars,
                score=mean_score(stars, count, scale=10),
                interval=_scaled(intervals.interval(parts), 10),
            )
        )
    return tuple(rows)


def _types(
    disciplines: Mapping[str, str], scored: Mapping[str, Verdict], design: Design
) -> tuple[TypeScore, ...]:
    """By question type. How many of a type were drawn is left to chance: no finite-population correction."""
    rows = []
    for name in sorted({design.types[q] for q in disciplines if q in design.types}):
        asked = [q for q in disciplines if design.types.get(q) == name]
        ratings = Counter(scored[q].stars or 0 for q in asked if q in scored)
        cell = intervals.Cell((ratings[0], ratings[1], ratings[2], ratings[3]))
        rows.append(
            TypeScore(
                question_type=name,
                asked=len(asked),
                scored=cell.scored,
                stars=cell.stars,
                score=mean_score(cell.stars, cell.scored, scale=10),
                interval=_scaled(intervals.interval([cell]), 10),
            )
        )
    return tuple(rows)


def _cell(stratum: StratumScore) -> intervals.Cell:
    return intervals.Cell(stratum.counts, stratum.eligible)


def _scaled(found: tuple[float, float] | None, scale: float) -> tuple[float, float] | None:
    return None if found is None else (scale * found[0], scale * found[1])
