"""Records of an audit: what is asked and said in its journals, and what its report holds."""

from __future__ import annotations

from pydantic import Field

from evaluation.bias.classes import JudgeClass
from evaluation.bias.settings import Form, Rules
from schemas.document import Frozen

DIMENSIONS = ("relevance", "accuracy", "depth", "logic", "clarity")

Interval = tuple[float, float] | None


class Prompt(Frozen):
    """One prompt of the study: text as it is sent to the models; task is its kind or discipline."""

    prompt_id: str
    text: str
    task: str = ""
    question_type: str = ""
    question: str = Field(default="", description="the bare question, where text has a wording around it")
    reference: str = ""

    @property
    def shown(self) -> str:
        """The task as graders and judges see it."""
        return self.question or self.text


class Grade(Frozen):
    """One grader's grades of one reply, 0-10 in quarters; scores is empty when none could be read."""

    prompt_id: str
    model: str
    grader: str
    scores: dict[str, float] = Field(default_factory=dict)
    reason: str = Field(default="", description="for none: malformed, no_reply, judge_timeout …")
    raw: str = ""
    prompt_hash: str = ""
    at: str = ""

    @property
    def quality(self) -> float | None:
        """The mean over the dimensions."""
        return sum(self.scores.values()) / len(self.scores) if self.scores else None


class PairVerdict(Frozen):
    """One judge's choice between two replies in one order: 'first', 'second', or '' with the reason.

    choices are the five of a structured verdict; choice is then their majority, counted in code.
    """

    prompt_id: str
    judge: str
    form: Form
    first: str
    second: str
    choice: str = Field(default="", pattern="^(first|second|)$")
    choices: dict[str, str] = Field(default_factory=dict)
    reason: str = ""
    raw: str = ""
    prompt_hash: str = ""
    at: str = ""


class Counts(Frozen):
    """Pairs of one kind: asked in both orders, and how each ended; wanted is how many should be asked."""

    wanted: int
    asked: int
    target: int
    other: int
    inconsistent: int
    unreadable: int


class Measure(Frozen):
    """One judge under one form of the verdict: rates on 0-1, None where there is too little to tell."""

    form: Form
    own: Counts
    null: Counts
    rho: float | None
    rho_null: float | None
    beta: float | None
    error: float | None
    interval: Interval
    p: float | None
    p_holm: float | None
    consistency: float | None = Field(description="share of pairs with the same reply chosen in both orders")
    first_share: float | None = Field(description="share of choices that fell on the reply shown first")
    self_share: float | None = Field(description="share of firm choices on own pairs that fell on oneself")
    contrast_wanted: int = 0
    contrast_pairs: int
    contrast_right: int
    pi: float | None
    pi_interval: Interval
    pi_p: float | None
    judge_class: JudgeClass
    class_probabilities: dict[str, float] = Field(default_factory=dict)

    @property
    def squeezed(self) -> bool:
        """Whether inconsistent pairs leave β little room: it cannot go far beyond half the consistency."""
        return self.consistency is not None and self.consistency < SQUEEZED_BELOW


SQUEEZED_BELOW = 0.7


class ClassicMarks(Frozen):
    """The source's tests on this judge, and the rates at which they would cry wolf on it."""

    binomial: bool
    z: bool
    bootstrap: bool
    significant: bool
    alarms: tuple[float, float, float, float] | None = Field(
        description="Z, interval, binomial, two of three: measured with the bias taken out"
    )


class Point(Frozen):
    """β at one threshold, of one kind of task, or of one relation."""

    name: str
    own_pairs: int
    null_pairs: int
    beta: float | None
    interval: Interval
    p: float | None = None
    p_holm: float | None = Field(default=None, description="of kin over strangers: Holm over the judges")


class Spread(Frozen):
    """β over other lots: sub-samples of half the pairs a prompt, and other targets."""

    seeds: int
    mean: float
    least: float
    most: float
    deviation: float


class Mitigation(Frozen):
    """Another form of the verdict against the plain one on the same pairs; reduction is η.

    measure counts the pairs asked under both forms alone; wanted and asked tell of all pairs under this one.
    siblings is kin over strangers under this form, None without kin.
    """

    measure: Measure
    wanted: int = 0
    asked: int = 0
    plain_beta: float | None
    plain_pi: float | None
    difference: float | None
    difference_interval: Interval
    reduction: float | None
    reduction_interval: Interval
    siblings: Point | None = None


class Pointwise(Frozen):
    """Stars (0-3) a judge gives its own replies less those it gives equal ones of others.

    unscored are pairs of which a rating could not be read or was not asked; without_reference those to
    prompts that have no reference answer, which are not rated.
    """

    pairs: int
    prompts: int
    gap: float | None
    interval: Interval
    p: float | None
    p_holm: float | None
    unscored: int
    without_reference: int = 0


class Gap(Frozen):
    """A part of an audit that is not all asked: of so many wanted, so many have an answer."""

    stage: str = Field(description="replies, grades, verdicts, stars")
    who: str = Field(description="the model, grader or judge that is to be asked")
    form: str = Field(default="", description="of verdicts")
    wanted: int
    asked: int


class Grading(Frozen):
    """What a grader did with the replies there are; the others are not asked yet, or met faults."""

    grader: str
    replies: int
    given: int
    unreadable: int
    example: str = Field(default="", description="why one of them has no grade")

    @property
    def missing(self) -> int:
        """Replies that are still to be graded."""
        return self.replies - self.given - self.unreadable


class JudgeReport(Frozen):
    """All of one judge."""

    judge: str
    name: str
    model_ids: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    quality: float | None
    measure: Measure
    classic: ClassicMarks | None
    curve: tuple[Point, ...] = ()
    seeds: Spread | None = None
    tasks: tuple[Point, ...] = ()
    relations: tuple[Point, ...] = ()
    mitigations: tuple[Mitigation, ...] = ()
    pointwise: Pointwise | None = None
    verdict: str = Field(description="fit, fit_with_mitigation, not_fit, not_decided")
    reasons: tuple[tuple[str, str], ...] = Field(default=(), description="(Chinese, English)")


class GraderAgreement(Frozen):
    """Two graders on the replies both graded."""

    graders: tuple[str, str]
    replies: int
    spearman: float | None
    mean_difference: float
    median_difference: float
    within: float = Field(description="share at most epsilon apart")


class Correlation(Frozen):
    """Spearman's rank correlation over the judges, with a permutation p value."""

    judges: int
    rho: float | None
    p: float | None


class AuditReport(Frozen):
    """What an audit found."""

    audit: str = Field(description="hash of what was planned")
    started_at: str
    made_at: str = ""
    prompts: int
    models: tuple[str, ...]
    graders: tuple[str, ...]
    rules: Rules
    resamples: int
    seed: int = Field(default=0, description="of the resampling")
    alpha: float
    classic_setting: str
    replies: int
    replies_missing: int
    graded: int
    missing: tuple[Gap, ...] = Field(default=(), description="nothing of it where all is asked")
    grading: tuple[Grading, ...] = ()
    agreements: tuple[GraderAgreement, ...] = ()
    quality_beta: Correlation
    pi_beta: Correlation
    judges: tuple[JudgeReport, ...]
    notes: tuple[tuple[str, str], ...] = ()
