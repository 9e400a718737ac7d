"""Scores of a run: absolute, relative, per discipline, with an interval and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import sqrt

from schemas.errors import UsageError
from schemas.evaluation import DisciplineScore, Score, Verdict

MAX_STARS = 3
INTERVAL_METHOD = "wilson-95"
NOT_ASKED = "not_asked"

_Z95 = 1.959963984540054


def score(
    disciplines: Mapping[str, str],
    verdicts: Mapping[str, Verdict],
    *,
    model: str,
    judge: str,
    prompt_hash: str,
    judge_version: str = "",
    publishable: bool = False,
    baseline: Score | None = None,
) -> Score:
    """The figures of one run.

    disciplines gives the discipline of every question asked, verdicts the last verdict by question;
    a question without one counts as unscored, `not_asked`. Unscored questions are counted by reason
    and are in no mean. Absolute is on 0-100, disciplines on 0-10, relative in % of baseline.
    """
    scored = {q: v for q, v in verdicts.items() if q in disciplines and v.stars is not None}
    reasons = Counter(
        verdicts[q].reason or "unknown" if q in verdicts else NOT_ASKED
        for q in disciplines
        if q not in scored
    )
    stars = sum(v.stars or 0 for v in scored.values())
    rows = []
    for name in sorted(set(disciplines.values())):
        asked = [q for q, discipline in disciplines.items() if discipline == name]
        own = [scored[q].stars or 0 for q in asked if q in scored]
        rows.append(
            DisciplineScore(
                discipline=name,
                asked=len(asked),
                scored=len(own),
                stars=sum(own),
                score=mean_score(sum(own), len(own), scale=10),
            )
        )
    result = Score(
        model=model,
        judge=judge,
        prompt_hash=prompt_hash,
        judge_version=judge_version,
        asked=len(disciplines),
        scored=len(scored),
        unscored=dict(sorted(reasons.items())),
        stars=stars,
        absolute=mean_score(stars, len(scored)),
        interval=interval(stars, len(scored)),
        interval_method=INTERVAL_METHOD if scored else "",
        disciplines=tuple(rows),
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


def interval(stars: int, scored: int) -> tuple[float, float] | None:
    """95 % interval of the absolute score, on 0-100; None when nothing was scored.

    Wilson's score interval with p = Σ s / (3 N). No value between 0 and 1 varies more than a
    yes-or-no one of the same mean, so it is at most too wide; it has a width at 0 and at 100 too.
    It covers the draw of questions, not the judge's errors.
    """
    if not scored:
        return None
    p, z2 = stars / (MAX_STARS * scored), _Z95**2
    middle = (p + z2 / (2 * scored)) / (1 + z2 / scored)
    half = _Z95 * sqrt(p * (1 - p) / scored + z2 / (4 * scored**2)) / (1 + z2 / scored)
    # p itself lies inside; min and max keep rounding from putting it a hair outside.
    return 100 * max(0.0, min(p, middle - half)), 100 * min(1.0, max(p, middle + half))


def relative_to(result: Score, baseline: Score) -> Score:
    """The result with its relative score: 100 x absolute / baseline's absolute, both unrounded.

    Raises UsageError when the two cannot be compared: another judge or judge prompt, or a baseline
    without a score above 0.
    """
    if (result.judge, result.prompt_hash) != (baseline.judge, baseline.prompt_hash):
        raise UsageError(
            f"the baseline was judged by {baseline.judge!r}, this run by {result.judge!r}, "
            "or with another judge prompt",
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


def bounds(result: Score) -> tuple[float, float]:
    """The absolute score if every unscored question had earned 0, and if it had earned 3 stars."""
    if not result.asked:
        return 0.0, 100.0
    missing = result.asked - result.scored
    full = MAX_STARS * result.asked
    return 100 * result.stars / full, 100 * (result.stars + MAX_STARS * missing) / full
