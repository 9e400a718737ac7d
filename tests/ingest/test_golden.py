"""The samples, extracted, against the papers they were made from.

The goldens are written by tests/golden/make_samples.py from the text of the papers, never from the
extractor. To change what is expected, change a paper and run that script.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from pathlib import Path

import pytest
from rapidfuzz.distance import Levenshtein

from schemas.question import Draft, Extraction
from schemas.settings import ReadSettings
from tests.golden import make_samples

GOLDEN = Path(make_samples.__file__).parent
SAMPLES = make_samples.SAMPLES
OCR = {"中国古代史期末试题扫描件.pdf", "民法学单元测验照片.jpg"}
KEYS = {paper.key_file for paper, _ in make_samples.MADE if paper.key_file}
PAPERS = sorted(path.name.removesuffix(".jsonl") for path in GOLDEN.glob("*.jsonl"))
TEXT_AT, OCR_AT = 0.97, 0.93

_RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$", re.MULTILINE)
_BLANK = re.compile(r"_{2,}")
_ENVIRONMENTS = (
    (re.compile(r"\\begin\{pmatrix\}"), "("),
    (re.compile(r"\\end\{pmatrix\}"), ")"),
    (re.compile(r"\\(?:begin|end)\{vmatrix\}"), ""),
    (re.compile(r"\\begin\{array\}\{[lcr]+\}"), ""),
    (re.compile(r"\\(?:begin|end)\{\w+\}"), ""),
    (re.compile(r"\\left(?![a-z])|\\right(?![a-z])\.?|\\[{}]"), ""),
)
_MARKS = {"x": "×", "✕": "×", "✗": "×", "╳": "×", "v": "√", "✓": "√", "✔": "√"}


@functools.cache
def rows(name: str) -> list[dict[str, object]]:
    """The golden rows of one file."""
    text = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@functools.cache
def alone(name: str) -> Extraction:
    """One sample as extracted by itself."""
    from ingest.readers import read
    from ingest.segment import segment

    document, _ = read(SAMPLES / name, ReadSettings())
    return segment(document)


@functools.cache
def together() -> dict[str, Extraction]:
    """All samples, keys paired with their papers."""
    from ingest.segment.pairing import pair

    return {e.source: e for e in pair([alone(name) for name in PAPERS])}


def canonical(text: str | None) -> str:
    """Text less what a typesetter may choose; formulas keep their operators, matrices their cells."""
    text = unicodedata.normalize("NFKC", text or "").lower()
    text = _BLANK.sub("□", _RULE.sub("", text))
    for pattern, mark in _ENVIRONMENTS:
        text = pattern.sub(mark, text)
    kept = "".join(c for c in text if c.isalnum() or c in "+-=<>^_*/%□\\&√×÷≈≠≤≥")
    return _MARKS.get(kept, kept)


def alike(want: object, got: str | None, at: float) -> bool:
    """Whether two texts read the same; the short ones must be equal."""
    a, b = canonical(str(want or "")), canonical(got)
    return a == b if min(len(a), len(b)) <= 4 else Levenshtein.normalized_similarity(a, b) >= at


def differences(row: dict[str, object], draft: Draft, at: float) -> list[str]:
    """What is wrong with one draft, in words."""
    wrong = []
    where = f"{row['section']} {row['number']}"
    if not alike(row["question"], draft.printed, at):
        wrong.append(f"{where}: question\n    want {row['question']!r}\n    got  {draft.printed!r}")
    if not alike(row["answer"], draft.answer, at):
        wrong.append(f"{where}: answer\n    want {row['answer']!r}\n    got  {draft.answer!r}")
    if not alike(row["section"], draft.section, 0.9):
        wrong.append(f"{where}: section {draft.section!r}")
    labels = re.findall(r"^([A-E])\. ", str(row["question"]), re.MULTILINE)
    if [option.label for option in draft.options] != labels:
        wrong.append(f"{where}: options {[f'{o.label}. {o.text}' for o in draft.options]}, want {labels}")
    if row["type"] != draft.form.value:
        wrong.append(f"{where}: type {draft.form.value}, want {row['type']}")
    if row["score"] != draft.points:
        wrong.append(f"{where}: score {draft.points}, want {row['score']}")
    return wrong


def digits(number: str) -> str:
    """The number of a question without its dress."""
    return "".join(re.findall(r"\d+", number)) or number


@pytest.mark.parametrize("name", [name for name in PAPERS if name not in KEYS])
def test_paper_is_extracted_as_written(name: str) -> None:
    found = together()[name].drafts
    got, want = [digits(draft.number) for draft in found], [row["number"] for row in rows(name)]
    assert got == want, f"{name}: numbers\n  want {want}\n  got  {got}"
    at = OCR_AT if name in OCR else TEXT_AT
    wrong = [
        line for row, draft in zip(rows(name), found, strict=True) for line in differences(row, draft, at)
    ]
    assert not wrong, f"{name}\n" + "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(KEYS))
def test_key_file_gives_one_answer_a_number(name: str) -> None:
    found = alone(name)
    assert found.answer_key
    assert all("answer_only" in draft.flags for draft in found.drafts)
    assert [digits(draft.number) for draft in found.drafts] == [row["number"] for row in rows(name)]
    wrong = [
        f"{row['number']}: want {row['answer']!r}, got {draft.answer!r}"
        for row, draft in zip(rows(name), found.drafts, strict=True)
        if not alike(row["answer"], draft.answer, TEXT_AT)
    ]
    assert not wrong, "\n".join(wrong)


def test_goldens_are_those_of_the_papers() -> None:
    for name, text in make_samples.goldens().items():
        assert (GOLDEN / name).read_text(encoding="utf-8") == text, name


def test_every_sample_has_a_golden() -> None:
    assert sorted(path.name for path in SAMPLES.iterdir()) == PAPERS
