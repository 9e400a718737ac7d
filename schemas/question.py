"""Drafts (questions as printed) and Questions (items as kept), with the one Arrow schema."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import Field

from schemas.document import Box, Frozen, Notice

if TYPE_CHECKING:
    import pyarrow as pa


_LED = {"source", "number", "section", "answer", "form", "points", "printed"}


class PrintedForm(StrEnum):
    """The form a question has on paper."""

    SHORT_ANSWER = "short_answer"
    CALCULATION = "calculation"
    TRUE_FALSE = "true_false"
    ANALYSIS = "analysis"
    ESSAY = "essay"
    MULTIPLE_CHOICE = "multiple_choice"
    FILL_BLANK = "fill_blank"
    OTHER = "other"


class QuestionType(StrEnum):
    """The five types of a generative item."""

    SHORT_ANSWER = "short_answer"
    CALCULATION = "calculation"
    TRUE_FALSE = "true_false"
    ANALYSIS = "analysis"
    ESSAY = "essay"


class Status(StrEnum):
    """What may be done with an item: only ACTIVE items are drawn."""

    ACTIVE = "active"
    REVIEW = "review"
    DUPLICATE = "duplicate"
    REJECTED = "rejected"
    RETIRED = "retired"


class Region(Frozen):
    """A place in a source: a page counted from 1 and, where the format has pages, a box."""

    page: int = Field(ge=1)
    box: Box | None = None


class Option(Frozen):
    """One choice of a multiple-choice question; label as printed ('A'), text without it."""

    label: str
    text: str


class Part(Frozen):
    """One sub-question of a question: its mark as printed, text, answer and points."""

    number: str
    text: str
    answer: str | None = None
    points: float | None = None


class Draft(Frozen):
    """A question as printed.

    stem has neither its number nor its options nor its parts; `question` puts them together
    again as they stood on the page. answer is None when the paper and its key give none.
    """

    draft_id: str = Field(default="", description="hash of file, order and text; set by the segmenter")
    source: str
    sha256: str = ""
    order: int = Field(default=0, ge=0, description="place in the document, from 0")
    number: str = ""
    section: str = ""
    material: str = ""
    stem: str
    options: tuple[Option, ...] = ()
    parts: tuple[Part, ...] = ()
    form: PrintedForm = PrintedForm.OTHER
    points: float | None = None
    answer: str | None = None
    explanation: str | None = None
    figures: tuple[str, ...] = ()
    needs_figure: bool = False
    regions: tuple[Region, ...] = ()
    answer_regions: tuple[Region, ...] = ()
    answer_source: str = Field(default="", description="file name and rule the answer came from")
    confidence: float = Field(default=1.0, ge=0, le=1)
    flags: tuple[str, ...] = Field(default=(), description="answer_only, truncated, …")
    evidence: dict[str, str] = Field(default_factory=dict, description="rule by decision")
    printed: str = Field(description="the whole question as printed, number and points left out")

    def row(self) -> dict[str, object]:
        """The row `exambank extract` writes: the common fields first, then the evidence."""
        data = self.model_dump(mode="json")
        return {
            "source": self.source,
            "number": self.number,
            "section": self.section,
            "question": self.printed,
            "answer": self.answer,
            "type": self.form.value,
            "score": self.points,
            **{
                k: v
                for k, v in data.items()
                if k not in {"source", "number", "section", "answer", "form", "points", "printed"}
            },
        }


class Dropped(Frozen):
    """A piece of a document that became no question, with the reason."""

    source: str
    text: str = Field(description="at most 200 characters, for recognition")
    reason: str
    region: Region | None = None


class Extraction(Frozen):
    """Everything one file gave: drafts, what was left out, and what the reader noticed."""

    source: str
    sha256: str
    pages: int
    ocr_pages: int
    drafts: tuple[Draft, ...]
    dropped: tuple[Dropped, ...] = ()
    notices: tuple[Notice, ...] = ()
    title: str = Field(default="", description="title lines of the paper, for the classifier")
    answer_key: bool = Field(default=False, description="the file is only a key")
    rotations: dict[int, int] = Field(
        default_factory=dict, description="page -> clockwise degrees, of pages that were turned"
    )


class Label(Frozen):
    """Where an item is filed; codes of schemas.taxonomy, '' where unknown."""

    discipline: str = Field(default="d00", description="ASCII code, d00 = unknown")
    sub_discipline: str = ""
    course: str = ""
    confidence: float = Field(default=0.0, ge=0, le=1)
    method: str = Field(default="", description="the evidence that decided, e.g. 'title:数据结构'")
    flags: tuple[str, ...] = Field(default=(), description="outside_paper, for the item's own flags")


class Question(Frozen):
    """One generative item as the bank keeps it. Times are RFC 3339 strings in UTC."""

    question_id: str = ""
    original_id: str = ""
    prompt: str
    reference_answer: str | None = None
    explanation: str | None = None
    material: str = ""
    figures: tuple[str, ...] = ()
    needs_figure: bool = False
    question_type: QuestionType
    printed_form: PrintedForm
    printed: str
    discipline: str = "d00"
    sub_discipline: str = ""
    course: str = ""
    label_confidence: float = 0.0
    label_method: str = ""
    language: str = Field(default="zh", description="zh, en or mixed")
    points: float | None = None
    number: str = ""
    section: str = ""
    source: str
    source_sha256: str
    regions: tuple[Region, ...] = ()
    answer_source: str = ""
    batch: str = ""
    exam_kind: str = Field(default="", description="midterm, final, entrance, homework or ''")
    exam_year: int | None = None
    extraction_confidence: float = 1.0
    flags: tuple[str, ...] = ()
    evidence: dict[str, str] = Field(default_factory=dict)
    status: Status = Status.ACTIVE
    status_reason: str = ""
    visibility: str = "private"
    duplicate_of: str = ""
    cluster_id: str = ""
    revision: int = 1
    content_hash: str = ""
    stage_versions: dict[str, str] = Field(default_factory=dict)
    reviewer: str = ""
    created_at: str = ""
    updated_at: str = ""


def arrow_schema() -> pa.Schema:
    """The declared schema of the questions table; nested values are JSON-free Arrow types."""
    import pyarrow as pa

    text, real = pa.string(), pa.float64()
    strings = pa.list_(text)
    pairs = pa.map_(text, text)
    region = pa.struct([("page", pa.int32()), ("box", pa.list_(real))])
    types: dict[str, pa.DataType] = {
        "figures": strings,
        "flags": strings,
        "regions": pa.list_(region),
        "evidence": pairs,
        "stage_versions": pairs,
        "needs_figure": pa.bool_(),
        "label_confidence": real,
        "extraction_confidence": real,
        "points": real,
        "exam_year": pa.int32(),
        "revision": pa.int32(),
    }
    return pa.schema([pa.field(name, types.get(name, text)) for name in Question.model_fields])
