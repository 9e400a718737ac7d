"""One frozen settings model. Loading (exambank.toml < environment < flags) is in flows.config."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.document import Frozen


class ReadSettings(Frozen):
    """How files are read, and the limits that keep a hostile file from hurting the batch."""

    ocr: Literal["auto", "always", "never"] = "auto"
    ocr_model: Literal["small", "tiny"] = "small"
    ocr_det_dir: str = Field(default="", description="PaddleX detection model directory, '' = wheel")
    ocr_rec_dir: str = Field(default="", description="PaddleX recognition model directory, '' = wheel")
    ocr_limit_side: int = Field(default=1600, ge=320, le=4096)
    formula_model: str = Field(
        default="", description="PaddleX directory of a model that reads pictures of formulas, '' = none"
    )
    formula_max: int = Field(default=100, gt=0, description="formulas of one document that the model reads")
    max_bytes: int = Field(default=200_000_000, gt=0, description="of a file, and of what it unpacks to")
    max_pages: int = Field(default=500, gt=0)
    max_pixels: int = Field(default=300_000_000, gt=0, description="of one picture, before it is decoded")
    max_zip_ratio: int = Field(default=250, gt=0, description="of one part; real documents stay below 60")
    max_zip_entries: int = Field(default=5_000, gt=0)
    max_xml_bytes: int = Field(default=60_000_000, gt=0, description="of one XML part of a Word file")
    max_seconds: float = Field(default=900.0, gt=0, description="per document, wall clock")
    max_memory_mb: int = Field(default=6000, gt=0, description="of the reading process")
    max_chars: int = Field(default=2_000_000, gt=0, description="text of one document")


class SegmentSettings(Frozen):
    """How papers are cut into questions."""

    coloured_options: bool = Field(
        default=False, description="take options set in colour as the right ones, where most choices have one"
    )


class CleanSettings(Frozen):
    """How drafts become generative items."""

    choice_policy: Literal["open_or_statements", "statements"] = "open_or_statements"
    min_extraction: float = Field(
        default=0.6, ge=0, le=1, description="confidence of a draft below which its items go to review"
    )


class ClassifySettings(Frozen):
    """When a label is believed."""

    min_confidence: float = Field(default=0.5, ge=0, le=1)
    discipline: str = Field(default="", description="batch default: code or name, '' = decide")
    course: str = Field(default="", description="batch default: code or name, '' = decide")
    model: str = Field(
        default="", description="file of `exambank train` used beside the word lists, '' = none"
    )


class DedupSettings(Frozen):
    """When two items are the same question."""

    duplicate_at: float = Field(default=90.0, ge=0, le=100, description="RapidFuzz ratio")
    review_at: float = Field(default=80.0, ge=0, le=100)
    rarest_grams: int = Field(default=12, gt=0)
    max_df: int = Field(default=200, gt=1)
    min_shared: int = Field(default=3, gt=0)


class ModelSettings(Frozen):
    """One model behind an OpenAI-compatible endpoint. The key is read from the environment."""

    name: str = "reference"
    base_url: str = ""
    api_key_env: str = Field(default="EXAMBANK_API_KEY", description="name of the variable, never the key")
    temperature: float | None = None
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, gt=0)
    timeout_seconds: float = Field(default=120.0, gt=0)
    max_attempts: int = Field(default=5, gt=0)
    backoff_seconds: float = Field(default=1.0, ge=0)
    system_prompt: str = ""
    reasoning_effort: str = Field(default="", description="low, high …, '' = the endpoint's own")
    limit_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", description="the name under which the endpoint takes max_tokens"
    )
    family: str = Field(
        default="", description="family of the model, or several joined by +; '' = told from its name"
    )
    price_prompt: float | None = Field(default=None, ge=0, description="of a million tokens sent")
    price_reply: float | None = Field(default=None, ge=0, description="of a million tokens received")


class AskedSettings(ModelSettings):
    """The model under test, or with `beside` several that answer the same paper."""

    beside: tuple[ModelSettings, ...] = Field(
        default=(), description="further models that are asked the same paper, side by side"
    )


class JudgeSettings(ModelSettings):
    """A judge, or with `panel` several that vote."""

    name: str = "overlap"
    json_schema: Literal["auto", "always", "never"] = Field(
        default="auto", description="ask for the verdict by JSON schema; auto: where the endpoint takes one"
    )
    panel: tuple[JudgeSettings, ...] = Field(
        default=(), description="further judges that vote with this one; they have no panel of their own"
    )


class VisionSettings(ModelSettings):
    """A vision model that reads doubtful scanned pages a second time. Off while it has no name."""

    name: str = ""
    below: float = Field(default=0.9, ge=0, le=1, description="mean confidence of a page that is doubtful")
    disagree_at: float = Field(default=0.15, ge=0, le=1, description="share of the text that may differ")
    max_pages: int = Field(default=20, gt=0, description="pages of one document that are sent")
    max_pages_run: int = Field(default=500, gt=0, description="pages of one run that are sent")
    max_tokens: int | None = Field(default=8192, gt=0, description="of one answer")
    max_attempts: int = Field(default=2, gt=0)


class FilingSettings(ModelSettings):
    """A model that is asked where doubtful questions are filed. Off while it has no name."""

    name: str = ""
    below: float = Field(default=0.5, ge=0, le=1, description="confidence of a discipline that is doubtful")
    trust: float = Field(default=0.7, ge=0, le=1, description="confidence of what the model alone says")
    max_questions: int = Field(default=200, ge=0, description="questions that are sent in one run")
    cache: str = Field(default="", description="folder where verdicts are kept, '' = none")
    temperature: float | None = 0.0
    max_tokens: int | None = Field(default=200, gt=0, description="of one answer")
    max_attempts: int = Field(default=2, gt=0)


class RunSettings(Frozen):
    """How a batch is run."""

    runner: Literal["threads", "dask"] = "threads"
    address: str = ""
    workers: int = Field(default=0, ge=0, description="documents, 0 = one per core; or runs, 0 = all at once")
    retries: int = Field(
        default=2, ge=0, description="of runs side by side: how often one goes on after its endpoint was down"
    )
    retry_seconds: float = Field(default=120.0, ge=0, description="the wait before it does")


class SampleSettings(Frozen):
    """The paper that is drawn where nothing else is said: the published one, ten disciplines of 100."""

    disciplines: str = Field(
        default="scored",
        description="scored (the ten of the published paper), all, or codes joined by commas",
    )
    per_discipline: int = Field(default=100, gt=0)


class Settings(Frozen):
    """Everything that can be set, with defaults that need no file."""

    read: ReadSettings = ReadSettings()
    segment: SegmentSettings = SegmentSettings()
    clean: CleanSettings = CleanSettings()
    classify: ClassifySettings = ClassifySettings()
    dedup: DedupSettings = DedupSettings()
    model: AskedSettings = AskedSettings()
    judge: JudgeSettings = JudgeSettings()
    vision: VisionSettings = VisionSettings()
    filing: FilingSettings = FilingSettings()
    run: RunSettings = RunSettings()
    sample: SampleSettings = SampleSettings()
