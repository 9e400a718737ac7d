"""Questions survive the way to Arrow and Delta and back."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bank.rows import from_table, to_table
from bank.store import Bank
from schemas.document import Box
from schemas.question import PrintedForm, Question, QuestionType, Region, Status, arrow_schema

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
REAL = st.floats(allow_nan=False, allow_infinity=False)
BOXES = st.none() | st.builds(Box, REAL, REAL, REAL, REAL)
QUESTIONS = st.builds(
    Question,
    question_id=TEXT,
    original_id=TEXT,
    prompt=TEXT,
    reference_answer=st.none() | TEXT,
    explanation=st.none() | TEXT,
    material=TEXT,
    figures=st.lists(TEXT, max_size=3).map(tuple),
    needs_figure=st.booleans(),
    question_type=st.sampled_from(QuestionType),
    printed_form=st.sampled_from(PrintedForm),
    printed=TEXT,
    discipline=st.sampled_from(["d00", "d01", "d13"]),
    label_confidence=REAL,
    points=st.none() | REAL,
    source=TEXT,
    source_sha256=TEXT,
    regions=st.lists(st.builds(Region, page=st.integers(1, 10**6), box=BOXES), max_size=3).map(tuple),
    exam_year=st.none() | st.integers(0, 3000),
    flags=st.lists(TEXT, max_size=3).map(tuple),
    evidence=st.dictionaries(TEXT, TEXT, max_size=3),
    status=st.sampled_from(Status),
    revision=st.integers(1, 10**6),
    stage_versions=st.dictionaries(TEXT, TEXT, max_size=3),
)


@settings(deadline=None)
@given(st.lists(QUESTIONS, max_size=4))
def test_arrow_round_trip(questions: list[Question]) -> None:
    table = to_table(questions)
    assert table.schema.equals(arrow_schema())
    assert from_table(table) == questions


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(questions=st.lists(QUESTIONS, min_size=1, max_size=5))
def test_delta_round_trip(tmp_path_factory: object, questions: list[Question]) -> None:
    folder: Path = tmp_path_factory.mktemp("bank")  # type: ignore[attr-defined]
    bank = Bank.create(folder / "b")
    bank.add(questions, batch="b", who="w", why="y", now="2026-01-01T00:00:00Z")
    set_by_bank = {"question_id", "original_id", "content_hash", "batch", "created_at", "updated_at"}
    settled = {"status", "status_reason", "duplicate_of", "cluster_id", "evidence"}
    given_rows = {i.question_id: q for i, q in zip(bank.ids.identify(questions), questions, strict=True)}
    for kept in bank.read():
        skip = set_by_bank | settled
        assert kept.model_dump(exclude=skip) == given_rows[kept.question_id].model_dump(exclude=skip)
        assert given_rows[kept.question_id].evidence.items() <= kept.evidence.items()
    assert bank.table().schema.equals(arrow_schema())
    assert isinstance(bank.table(["points"]), pa.Table)
