"""Invented rows for a large bank: fast to make, of the sizes and repetitions of a real one."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from schemas.question import PrintedForm, Question, QuestionType, Region, Status, arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK = 100_000
DISCIPLINES = [f"d{number:02d}" for number in range(1, 14)]
TYPES = [kind.value for kind in QuestionType]
_SIGNS = "简述矩阵的秩及其性质并举例说明货币政策传导机制试论刑事责任构成要件分析细胞分裂过程操作系统调度算法"


def made(count: int, rng: np.random.Generator) -> Iterator[pa.Table]:
    """Tables of at most 100,000 rows with the bank's schema.

    Groups of four neighbours share a discipline and a type, three in ten groups a printed question;
    5 % are duplicates of an earlier row, 3 % are in review, 5 % have no answer, 5 % need a figure.
    """
    for at in range(0, count, CHUNK):
        yield _chunk(min(CHUNK, count - at), at, rng)


def questions(count: int, seed: int) -> list[Question]:
    """Questions as a reader of papers hands them in: no ids yet."""
    rng = np.random.default_rng(seed)
    prompts, answers = _texts(count, 60, rng), _texts(count, 100, rng)
    return [
        Question(
            prompt=prompt,
            reference_answer=answer,
            question_type=QuestionType.SHORT_ANSWER,
            printed_form=PrintedForm.SHORT_ANSWER,
            printed=prompt,
            discipline=DISCIPLINES[place % 13],
            source=f"new{place // 20}.pdf",
            source_sha256=f"{seed:032x}{place // 20:032x}",
            regions=(Region(page=1, box=(1.0, 2.0, 3.0, 4.0)),),
            evidence={"draft_id": f"{seed}-{place}"},
        )
        for place, (prompt, answer) in enumerate(zip(prompts, answers, strict=True))
    ]


def _chunk(count: int, at: int, rng: np.random.Generator) -> pa.Table:
    import pyarrow as pa

    groups = (count + 3) // 4
    ids, originals = _names("q", count, rng), _names("o", count, rng)
    joined = (rng.random(groups) < 0.3).repeat(4)[:count]
    chance = rng.random(count)
    status = np.where(chance < 0.05, "duplicate", np.where(chance < 0.08, "review", "active")).tolist()
    keepers = rng.integers(0, count, count).tolist()
    prompts, answers = _texts(count, 60, rng), _texts(count, 100, rng)
    kinds = [TYPES[n] for n in rng.integers(0, 5, groups).repeat(4)[:count].tolist()]
    codes = [DISCIPLINES[n] for n in rng.integers(0, 13, groups).repeat(4)[:count].tolist()]
    absent = (rng.random(count) < 0.05).tolist()
    verdicts = rng.random(count).tolist()
    columns: dict[str, list[Any]] = {
        "question_id": ids,
        "original_id": [originals[i - i % 4] if joined[i] else originals[i] for i in range(count)],
        "prompt": prompts,
        "printed": prompts,
        "reference_answer": [
            None if absent[i] else _verdict(kinds[i], verdicts[i]) + answers[i] for i in range(count)
        ],
        "question_type": kinds,
        "printed_form": kinds,
        "discipline": codes,
        "sub_discipline": [
            f"{c}{n:02d}" for c, n in zip(codes, rng.integers(1, 6, count).tolist(), strict=True)
        ],
        "status": status,
        "duplicate_of": [
            ids[keepers[i]] if status[i] == Status.DUPLICATE.value else "" for i in range(count)
        ],
        "needs_figure": (rng.random(count) < 0.05).tolist(),
        "source": [f"paper{(at + i) // 20}.pdf" for i in range(count)],
        "source_sha256": [f"{(at + i) // 20:064x}" for i in range(count)],
        "content_hash": [f"{at + i:064x}" for i in range(count)],
        "batch": [f"b{at // CHUNK}"] * count,
        "language": ["zh"] * count,
        "visibility": ["private"] * count,
        "revision": [1] * count,
        "regions": [[{"page": 1, "box": [1.0, 2.0, 3.0, 4.0]}]] * count,
        "evidence": [[("draft_id", name[:16])] for name in ids],
        "stage_versions": [[("ingest", "0123456789abcdef")]] * count,
        "label_confidence": rng.random(count).tolist(),
        "extraction_confidence": rng.random(count).tolist(),
        "created_at": ["2026-01-01T00:00:00+00:00"] * count,
        "updated_at": ["2026-01-01T00:00:00+00:00"] * count,
        "figures": [[]] * count,
        "flags": [[]] * count,
    }
    empty = {"explanation", "points", "exam_year"}
    arrays = [
        pa.array(columns.get(f.name, [None if f.name in empty else ""] * count), f.type)
        for f in arrow_schema()
    ]
    return pa.Table.from_arrays(arrays, schema=arrow_schema())


def _verdict(kind: str, chance: float) -> str:
    if kind != QuestionType.TRUE_FALSE.value:
        return ""
    return "正确。" if chance < 0.5 else "错误。"


def _names(head: str, count: int, rng: np.random.Generator) -> list[str]:
    text = base64.b32encode(rng.bytes(15 * count)).decode().lower()
    return [head + text[i * 24 : (i + 1) * 24] for i in range(count)]


def _texts(count: int, size: int, rng: np.random.Generator) -> list[str]:
    base = "".join(rng.choice(list(_SIGNS), 20_000))
    starts = rng.integers(0, 20_000 - 2 * size, count).tolist()
    lengths = rng.integers(size // 2, 2 * size, count).tolist()
    return [base[start : start + length] for start, length in zip(starts, lengths, strict=True)]
