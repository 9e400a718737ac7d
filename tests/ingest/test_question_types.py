"""The type of a question by its wording: own examples read one by one, and how sure each answer is."""

import time
from collections import defaultdict
from pathlib import Path

import pytest

from ingest.classify.filing import file_texts
from ingest.classify.question_type import type_of_text

EXAMPLES = Path(__file__).parents[1] / "golden" / "question_types.tsv"


def test_own_examples_have_their_type_and_the_sure_are_right() -> None:
    lines = [line.split("\t", 1) for line in EXAMPLES.read_text().splitlines() if not line.startswith("#")]
    filed = file_texts([text for _, text in lines])
    right = [one.question_type == kind for (kind, _), one in zip(lines, filed, strict=True)]
    assert sum(right) >= 0.94 * len(lines)
    by: dict[float, list[bool]] = defaultdict(list)
    for one, good in zip(filed, right, strict=True):
        by[one.question_type_confidence].append(good)
    assert len(by) > 3
    error = sum(abs(sure * len(found) - sum(found)) for sure, found in by.items()) / len(lines)
    assert error <= 0.05
    assert sum(by[max(by)]) >= 0.97 * len(by[max(by)])


@pytest.mark.parametrize(
    ("text", "discipline", "kind"),
    [
        ("我国第一部诗歌总集是《____》。", "d05", "short_answer"),
        ("两台机器的声级为 82 dB 和 79 dB，合成声级为____dB。", "d08", "calculation"),
        ("The plan was announced in (  ) A. 1945 B. 1947 C. 1949 D. 1951", "d06", "short_answer"),
        ("跨度 4 m 的梁受均布荷载 6 kN/m，跨中弯矩为（  ） A. 6 B. 12 C. 24 D. 48", "d08", "calculation"),
        ("Explain why the discovery of 1895 spread so quickly.", "d06", "short_answer"),
        ("风浪与涌浪的区别。", "d07", "short_answer"),
        ("汉代盐铁专卖的意义和影响。", "d06", "short_answer"),
        ("盐铁专卖是汉代增加收入的办法。", "d06", "true_false"),
        ("将下列句子译成英语：雨停了。", "d05", "short_answer"),
        ("推导单摆的运动方程，并求周期。", "d07", "calculation"),
        ("Assess the view that trade ended the feud.", "d06", "essay"),
        ("What is 3 + 4?", "d07", "short_answer"),
        ("3 + 4 x = 7", "d07", "calculation"),
    ],
)
def test_wording(text: str, discipline: str, kind: str) -> None:
    assert type_of_text(text, discipline)[0].value == kind


@pytest.mark.parametrize("piece", ["（  ） a. ", "____ ", "1 a. 2 ", "试请并", "a 1 ", "，求"])
def test_a_long_text_is_no_trap(piece: str) -> None:
    begin = time.perf_counter()
    type_of_text(piece * (100_000 // len(piece)), "d07")
    assert time.perf_counter() - begin < 5
