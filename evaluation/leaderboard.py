"""The leaderboard: finished runs of one judge in order, what could be luck, and what is not ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from evaluation import intervals, ties
from evaluation.audited import JudgeAudit, Shown
from evaluation.scoring import NOT_ASKED, cells, shared_relative
from schemas.document import Frozen
from schemas.errors import UsageError
from schemas.evaluation import Score

# A score over fewer questions, or with more of them unscored, is shown without a rank.
MIN_ASKED, MIN_COVERAGE = 1000, 0.98


class About(Frozen):
    """What a board tells of a model that no run knows. released is an ISO date."""

    organisation: str = ""
    access: str = ""
    released: str = ""


class Baseline(Frozen):
    """The run relative scores refer to, with its unrounded score: it stays when the run is gone."""

    model: str
    run: str
    absolute: float = Field(gt=0)


class Withheld(Frozen):
    """A finished run that is not shown, and why."""

    run: str
    model: str
    reason: str
    at: str = ""


class Pin(Frozen):
    """What a board keeps from one making to the next: its judge, its baseline, what it withholds.

    shown gives the model by run: a run that was on the board does not vanish from it unsaid. Without a
    baseline no run had a score above 0 yet.
    """

    judge: str
    judge_version: str
    baseline: Baseline | None = None
    withheld: tuple[Withheld, ...] = ()
    shown: dict[str, str] = Field(default_factory=dict)
    audits: dict[str, Shown] = Field(default_factory=dict, description="by judge, the newest one shown")


class Agreement(Frozen):
    """How far the judges of a panel agree on one run: pairs of ratings, equal ones, quadratic kappa."""

    judges: tuple[str, str]
    rated: int
    equal: float
    kappa: float | None


class Row(Frozen):
    """One run on the board. Absolute on 0-100, relative in %, disciplines on 0-10; nothing is rounded."""

    rank: int | None = None
    rank_range: tuple[int, int] | None = None
    tie_groups: str = ""
    model: str
    organisation: str = ""
    access: str = ""
    evaluated: str = ""
    released: str = ""
    relative: float | None = None
    shared_relative: float | None = Field(default=None, description="on questions shared with the baseline")
    shared: int = Field(default=0, description="how many questions these are")
    absolute: float | None
    interval: tuple[float, float] | None = None
    asked: int
    scored: int
    unscored: dict[str, int] = Field(default_factory=dict)
    disciplines: dict[str, float | None] = Field(default_factory=dict)
    discipline_intervals: dict[str, tuple[float, float] | None] = Field(default_factory=dict)
    parts: dict[str, float] = Field(default_factory=dict, description="share of absolute by discipline")
    run: str = ""
    paper: str = Field(default="", description="hash of the questions asked")
    unranked: str = Field(default="", description="why the run has no rank")
    agreements: tuple[Agreement, ...] = ()

    @property
    def coverage(self) -> float:
        """Share of the questions asked that were scored, 0-1."""
        return self.scored / self.asked if self.asked else 0.0

    @property
    def groups(self) -> str:
        """The tie groups for people: 'b', 'b c', 'b-f'. Letters of one model are mostly neighbours."""
        letters = self.tie_groups.split()
        if len(letters) < 3:
            return self.tie_groups
        run = [ties.letter(n) for n in range(ties.place(letters[0]), ties.place(letters[-1]) + 1)]
        return f"{letters[0]}-{letters[-1]}" if run == letters else self.tie_groups


class Pair(Frozen):
    """Relative scores of one model in two draws; same says which were taken on the base's own paper."""

    model: str
    base: str
    runs: tuple[str, str]
    relative: tuple[float, float]
    same: tuple[bool, bool]

    @property
    def change(self) -> float:
        """Change from the first to the second draw, in % of the first."""
        return 100 * (self.relative[1] / self.relative[0] - 1) if self.relative[0] else 0.0


class Board(Frozen):
    """A leaderboard: ranked rows, rows without a rank, and what is withheld."""

    title: str = ""
    judge: str
    judge_version: str = ""
    prompt_hash: str = ""
    baseline: Baseline | None
    rows: tuple[Row, ...]
    unranked: tuple[Row, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    pairs: tuple[Pair, ...] = ()
    notes: tuple[str, ...] = ()
    audits: tuple[JudgeAudit, ...] = Field(default=(), description="what audits say of each of its judges")


@dataclass(frozen=True)
class Entry:
    """One finished run as it comes to a board. stars: by question id, of those scored."""

    run: str
    score: Score
    evaluated: str = ""
    about: About = field(default_factory=About)
    stars: Mapping[str, int] = field(default_factory=dict)
    paper: str = ""
    bank_version: int | None = None
    agreements: tuple[Agreement, ...] = ()


def barred(score: Score) -> str:
    """Why a run cannot come on any board; '' when it can."""
    if score.unscored.get(NOT_ASKED):
        return f"not finished: {score.unscored[NOT_ASKED]} of {score.asked} questions were not asked"
    if not score.scored:
        return "nothing was scored"
    if not score.publishable:
        return "its model or judge is built in, or of one family: such scores are not published"
    return ""


def pin(
    entries: Sequence[Entry],
    before: Pin | None,
    *,
    baseline: str = "",
    withhold: Mapping[str, str] | None = None,
    left_out: Iterable[str] = (),
    at: str = "",
) -> Pin:
    """What the board is to keep. Entries are finished runs of one judge.

    The baseline is that of before, else the run named, else the best that is ranked (where none is, the
    best with enough of its questions scored, else the best); none where all of these have 0. withhold gives
    the reason by run; an empty one lifts it. left_out are runs that are there and cannot come on the board.
    UsageError for runs that are not there, for another judge than before, and `run_gone` for runs that were
    shown before and are neither there nor withheld.
    """
    if not entries and before is None:
        raise UsageError(
            "no finished run can come on the board", remedy="see what was said of each run, or give others"
        )
    by_run = {entry.run: entry for entry in entries}
    before_shown = before.shown if before else {}
    for run in (*(withhold or {}), *([baseline] if baseline else [])):
        if run not in by_run and not (run in before_shown and (withhold or {}).get(run, "").strip()):
            raise UsageError(f"{run} is none of the board's runs", remedy="name one of: " + ", ".join(by_run))
    versions = {entry.score.judge_version for entry in entries} | (
        {before.judge_version} if before else set()
    )
    if len(versions) > 1:
        raise UsageError(
            f"the runs were judged by {len(versions)} versions of a judge: {', '.join(sorted(versions))}",
            remedy="scores of two judges do not compare: choose one with --judge",
            code="judges_differ",
        )
    kept = {one.run: one for one in (before.withheld if before else ())}
    for run, reason in (withhold or {}).items():
        kept.pop(run, None)
        if reason.strip():
            model = by_run[run].score.model if run in by_run else before_shown[run]
            kept[run] = Withheld(run=run, model=model, reason=reason.strip(), at=at)
    gone = sorted(before_shown.keys() - by_run.keys() - kept.keys() - set(left_out))
    if gone:
        raise UsageError(
            f"runs that were on the board are not among those given: {', '.join(gone)}",
            remedy="give their folders as well, or say with --withhold RUN=REASON why they are shown no more",
            code="run_gone",
        )
    shown_now = {**before_shown, **{run: entry.score.model for run, entry in by_run.items()}}
    shown_now = {run: model for run, model in shown_now.items() if run not in kept}
    chosen = by_run[baseline] if baseline else None
    if chosen is not None and not chosen.score.absolute:
        raise UsageError(f"the baseline {chosen.run} has no score above 0", remedy="name another run")
    base = before.baseline if before and chosen is None else None
    if base is None:
        chosen = chosen or _best([entry for entry in entries if entry.run not in kept] or entries)
        if chosen is not None and chosen.score.absolute:
            base = Baseline(model=chosen.score.model, run=chosen.run, absolute=chosen.score.absolute)
    return Pin(
        judge=entries[0].score.judge if before is None else before.judge,
        judge_version=versions.pop(),
        baseline=base,
        withheld=tuple(kept.values()),
        shown=shown_now,
        audits=before.audits if before else {},
    )


def _best(entries: Sequence[Entry]) -> Entry | None:
    """The best run that is ranked, else the best with enough of its questions scored, else the best."""
    ranked = [entry for entry in entries if not _unranked(entry.score)]
    covered = [entry for entry in entries if entry.score.coverage >= MIN_COVERAGE]
    return max(ranked or covered or entries, key=lambda entry: entry.score.absolute or 0, default=None)


def build(entries: Sequence[Entry], pinned: Pin, *, title: str = "") -> Board:
    """The board of finished runs of the pinned judge, in order of their unrounded absolute scores."""
    hidden = {one.run for one in pinned.withheld}
    shown = sorted(
        (entry for entry in entries if entry.run not in hidden),
        key=lambda entry: (-(entry.score.absolute or 0), entry.score.model, entry.run),
    )
    run = pinned.baseline.run if pinned.baseline else ""
    base = next((entry.stars for entry in entries if entry.run == run), {})
    ranked = [entry for entry in shown if not _unranked(entry.score)]
    standings = [ties.Standing(cells(entry.score), entry.stars) for entry in ranked]
    rows = _ranked([_row(entry, pinned.baseline, base) for entry in ranked], standings)
    unranked = tuple(_row(entry, pinned.baseline, base) for entry in shown if _unranked(entry.score))
    return Board(
        title=title,
        judge=pinned.judge,
        judge_version=pinned.judge_version,
        prompt_hash=shown[0].score.prompt_hash if shown else "",
        baseline=pinned.baseline,
        rows=rows,
        unranked=unranked,
        withheld=pinned.withheld,
        pairs=_pairs((*rows, *unranked), pinned.baseline),
        notes=_notes(shown),
    )


def published_board() -> Board:
    """The source's board as printed, with intervals and tie groups of our own.

    The ratings of single questions are not published; a mean of ratings varies at most as one of
    zeros and threes does, so that the intervals are at most too wide.
    """
    from evaluation.published import QUESTIONS, draws, published, source

    about, rows, standings = source(), [], []
    for one in published():
        means = [float(value) / 10 for value in one.disciplines.values()]
        mean = sum(means) / len(means)
        asked = QUESTIONS * len(means)
        spread = sum(m * (1 - m) / QUESTIONS for m in means) / len(means) ** 2
        low, high = intervals.proportion_interval(mean, mean * (1 - mean) / spread)
        standings.append(ties.Standing((), {}, spread, float(one.absolute) / 100))
        rows.append(
            Row(
                model=one.model,
                organisation=one.organisation,
                access=one.access,
                evaluated=one.evaluated,
                released=one.released,
                relative=float(one.relative),
                absolute=float(one.absolute),
                interval=(100 * low, 100 * high),
                asked=asked,
                scored=asked,
                disciplines={code: float(value) for code, value in one.disciplines.items()},
                parts={code: float(value) for code, value in one.disciplines.items()},
            )
        )
    best = rows[0]
    return Board(
        title=f"{about['title']} {about['as_of']}",
        judge=about["judge"],
        baseline=Baseline(model=best.model, run="", absolute=best.absolute or 100),
        rows=_ranked(rows, standings),
        pairs=tuple(
            Pair(
                model=one.model,
                base=one.base,
                runs=("2023, 1", "2023, 2"),
                relative=(float(one.first), float(one.second)),
                same=(True, True),
            )
            for one in draws()
        ),
        notes=("published_intervals", "published_relative"),
    )


def _unranked(score: Score) -> str:
    reasons = []
    if score.asked < MIN_ASKED:
        reasons.append(f"fewer than {MIN_ASKED:,} questions were asked")
    if score.coverage < MIN_COVERAGE:
        reasons.append(f"less than {MIN_COVERAGE:.0%} of the questions were scored")
    return "; ".join(reasons)


def _ranked(rows: Sequence[Row], standings: Sequence[ties.Standing]) -> tuple[Row, ...]:
    means, apart = [one.mean for one in standings], ties.separations(standings)
    return tuple(
        row.model_copy(update={"rank": rank, "rank_range": reach, "tie_groups": letters})
        for row, rank, reach, letters in zip(
            rows, ties.ranks(means), ties.rank_ranges(means, apart), ties.tie_groups(apart), strict=True
        )
    )


def _row(entry: Entry, baseline: Baseline | None, base: Mapping[str, int]) -> Row:
    score = entry.score
    shared = shared_relative(entry.stars, base)
    return Row(
        model=score.model,
        **entry.about.model_dump(),
        evaluated=entry.evaluated,
        relative=100 * score.absolute / baseline.absolute
        if baseline and score.absolute is not None
        else None,
        shared_relative=shared[0] if shared else None,
        shared=shared[1] if shared else 0,
        absolute=score.absolute,
        interval=score.interval,
        asked=score.asked,
        scored=score.scored,
        unscored=score.unscored,
        disciplines={d.discipline: d.score for d in score.disciplines},
        discipline_intervals={d.discipline: d.interval for d in score.disciplines},
        parts={d.discipline: 100 * d.stars / (3 * score.scored) for d in score.disciplines},
        run=entry.run,
        paper=entry.paper,
        unranked=_unranked(score),
        agreements=entry.agreements,
    )


def _notes(shown: Sequence[Entry]) -> tuple[str, ...]:
    """Codes of what a reader must know before comparing rows."""
    notes = []
    if len({entry.bank_version for entry in shown}) > 1:
        notes.append("bank_versions_differ")
    if len({frozenset(d.discipline for d in entry.score.disciplines) for entry in shown}) > 1:
        notes.append("disciplines_differ")
    return tuple(notes)


def _pairs(rows: Sequence[Row], baseline: Baseline | None) -> tuple[Pair, ...]:
    """For each model that answered two papers or more, its relative scores in the first two.

    A draw is relative to the baseline's model on the same paper where there is such a run, as the 2023
    edition of the source took them, else to the pinned baseline.
    """
    if baseline is None:
        return ()
    papers: dict[str, dict[str, Row]] = {}
    for row in sorted(rows, key=lambda row: (row.evaluated, row.run)):
        if row.absolute is not None and row.paper:
            papers.setdefault(row.model, {}).setdefault(row.paper, row)
    base = papers.get(baseline.model, {})
    found = []
    for model, by_paper in papers.items():
        if len(by_paper) < 2 or model == baseline.model:
            continue
        one, other = list(by_paper.values())[:2]
        figures = []
        for row in (one, other):
            there = base.get(row.paper)
            whole = (there.absolute if there else None) or baseline.absolute
            figures.append(100 * (row.absolute or 0) / whole)
        found.append(
            Pair(
                model=model,
                base=baseline.model,
                runs=(one.run, other.run),
                relative=(figures[0], figures[1]),
                same=(one.paper in base, other.paper in base),
            )
        )
    return tuple(sorted(found, key=lambda pair: -pair.relative[0]))
