"""The yardstick's parts: formulas written in two ways are one, and no text breaks it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.score import score
from ingest.score.alike import pairs, same_answer, strict, wording
from ingest.score.formulas import formulas, is_built, normalise

TEXT = st.text(st.sampled_from("甲乙ab12 $\\{}^_fracbegin\n|（）≤²"), max_size=40)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\dfrac{a}{b} \leq 1", r"\frac ab≤1"),
        ("x^{2}+y_{1}", "x²+y₁"),
        (r"\left(\begin{matrix}1&2\\3&4\end{matrix}\right)", r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}"),
        (r"\begin{array}{cc}1&2\end{array}", r"\begin{matrix}1&2\end{matrix}"),
        (r"\lim_{x \to 0}\sin x", "lim_{x→0}sinx"),
        (r"\|\mathbf{x}\|", "‖x‖"),
        (r"f'(x)", "f′(x)"),
        (r"\{a,b\}", "{a,b}"),
        (r"\varphi,\;\ldots", "ϕ,..."),
    ],
)
def test_one_formula_in_two_ways(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("x^2", "x_2"), ("a+b", "a-b"), ("A", "a"), (r"\sin x", r"\cos x"), (r"\hat x", r"\bar x")],
)
def test_different_formulas_stay_apart(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_formulas_of_a_text() -> None:
    found = formulas("求$x^2$与$$\\int_0^1 f$$，其中$a$。价格$ $")
    assert found == ["x^2", "∫_0^1f", "a"]
    assert [is_built(one) for one in found] == [True, True, False]


def test_wording_keeps_what_any_writing_keeps() -> None:
    assert wording("求 $\\alpha^{2}$，（Ａ）！") == wording("求α2,A") == "求2a"
    assert strict("求$x^{2}$。") == "求x^2"


def test_short_answers_are_compared_with_their_signs() -> None:
    assert same_answer("√", "√")
    assert not same_answer("√", "×")
    assert not same_answer("A", None)


@settings(deadline=None)  # the first call loads numpy
@given(st.lists(TEXT, max_size=8), st.lists(TEXT, max_size=8))
def test_pairs_use_each_text_once(gold: list[str], found: list[str]) -> None:
    made = pairs(gold, found)
    assert len({g for g, _, _ in made}) == len({f for _, f, _ in made}) == len(made)


@settings(deadline=None)  # the first call loads numpy
@given(st.lists(st.tuples(TEXT, st.none() | TEXT), max_size=6))
def test_any_rows_score_full_marks_against_themselves(texts: list[tuple[str, str | None]]) -> None:
    rows = [
        {"question": question, "answer": answer, "type": "other", "score": 1} for question, answer in texts
    ]
    made = score(rows, rows)
    assert made.paired == len(rows)
    assert made.formulas_lost == made.answers_invented == made.answers_differ == 0
    assert made.scores_right == made.types_right == len(rows)
