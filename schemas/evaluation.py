"""Records of an evaluation: what is asked, what came back, how it was judged."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, field_validator

from schemas.document import Frozen


class SampleItem(Frozen):
    """One question as the model under test sees it: no answer, no source."""

    question_id: str
    discipline: str
    question_type: str
    language: str = "zh"
    prompt: str


class Stratum(Frozen):
    """One stratum of a draw: units eligible, of these given to the institution before, wanted and drawn."""

    name: str
    eligible: int
    exposed: int = 0
    wanted: int
    drawn: int
    verdicts: tuple[int, int] | None = Field(
        default=None, description="true and false statements drawn, where verdicts were balanced"
    )


class Manifest(Frozen):
    """All it takes to repeat a draw: same bank version and these values give the same ids."""

    bank_id: str = Field(default="", description="id of the bank's table, the same in every copy")
    bank_version: int
    seed: int
    allocation: str = Field(default="equal", description="equal, proportional or given")
    per_stratum: int
    total: int = Field(default=0, description="questions asked for in all")
    strata_fields: tuple[str, ...] = ("discipline",)
    filters: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    balance_verdicts: bool = False
    allow_short: bool = False
    institution: str = ""
    run: str = ""
    excluded: tuple[str, ...] = Field(
        default=(), description="units passed over because the institution has been given them before"
    )
    strata: tuple[Stratum, ...] = ()
    ids: tuple[str, ...] = ()
    items_sha256: str = Field(default="", description="SHA-256 of the items file")
    software: str = ""

    @field_validator("filters", mode="before")
    @classmethod
    def _as_lists(cls, value: object) -> object:
        """Manifests were once written with the values of a field in one text, joined by commas."""
        if not isinstance(value, dict):
            return value
        return {k: tuple(v.split(",")) if isinstance(v, str) else v for k, v in value.items()}


class ReplyState(StrEnum):
    """How an exchange with the model ended."""

    OK = "ok"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    SERVER_ERROR = "server_error"
    CLIENT_ERROR = "client_error"


class Reply(Frozen):
    """One attempt at one question, raw."""

    question_id: str
    attempt: int = Field(ge=1)
    state: ReplyState
    text: str = ""
    model: str = Field(default="", description="model id as the endpoint returned it")
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_seconds: float | None = None
    http_status: int | None = None
    retry_after_seconds: float | None = Field(default=None, description="wait the server asked for")
    error: str = ""
    at: str = ""


class Verdict(Frozen):
    """A judge's rating of one reply; stars is None when unscored, and reason says why."""

    question_id: str
    stars: int | None = Field(default=None, ge=0, le=3)
    reason: str = Field(default="", description="for unscored: malformed, no_reply, judge_error …")
    raw: str = ""
    judge: str
    prompt_hash: str = ""
    at: str = ""


class DisciplineScore(Frozen):
    """Stars of one discipline: score is on the 10-point scale, None when nothing was scored."""

    discipline: str
    asked: int
    scored: int
    stars: int
    score: float | None
    interval: tuple[float, float] | None = Field(default=None, description="95 %, of score, 0-10")


class TypeScore(Frozen):
    """Stars of one question type: score is on the 10-point scale, None when nothing was scored."""

    question_type: str
    asked: int
    scored: int
    stars: int
    score: float | None
    interval: tuple[float, float] | None = Field(default=None, description="95 %, of score, 0-10")


class StratumScore(Frozen):
    """What one stratum of the draw gave: enough to compute every interval again."""

    stratum: str
    discipline: str
    eligible: int | None = Field(default=None, description="units it was drawn from; None: not known")
    asked: int
    counts: tuple[int, int, int, int] = Field(description="questions with 0, 1, 2 and 3 stars")


class Score(Frozen):
    """The published figures of one run. absolute = Σ s / (3 N) × 100 over the scored N."""

    model: str
    judge: str
    prompt_hash: str
    judge_version: str = Field(default="", description="hash of all that makes the judge what it is")
    asked: int
    scored: int
    unscored: dict[str, int] = Field(default_factory=dict)
    stars: int
    absolute: float | None
    interval: tuple[float, float] | None = Field(default=None, description="95 %, of absolute")
    interval_method: str = ""
    relative: float | None = None
    relative_to: str = ""
    baseline_absolute: float | None = None
    disciplines: tuple[DisciplineScore, ...] = ()
    types: tuple[TypeScore, ...] = ()
    strata: tuple[StratumScore, ...] = ()
    publishable: bool = Field(default=False, description="False for judges barred from boards")

    @property
    def coverage(self) -> float:
        """Share of the questions asked that were scored, 0-1."""
        return self.scored / self.asked if self.asked else 0.0
