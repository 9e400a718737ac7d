"""Formulas brought to one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.readers.latex import tidy


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        (r"a\ ,\ \dot{x} = 1\ ", r"a , \dot{x} = 1"),
        (r"{\overrightarrow{v}}_{0}", r"\vec{v}_{0}"),
        (r"\overrightarrow{AB}", r"\overrightarrow{AB}"),
        (r"\widehat{i} + \overline{x} + \overline{AB}", r"\hat{i} + \bar{x} + \overline{AB}"),
        (r"{(AB)}^{- 1} = {|A|}^{2} - 1", r"(AB)^{-1} = |A|^{2} - 1"),
        (r"\begin{pmatrix} - 1 & - 2 \end{pmatrix}", r"\begin{pmatrix} - 1 & -2 \end{pmatrix}"),
        (r"y^{''} + 2y'", r"y'' + 2y'"),
        (r"xsin\frac{1}{x} + arctanx + ln(e^{x})", r"x\sin\frac{1}{x} + \arctan x + \ln(e^{x})"),
        (r"\sin x + asinb", r"\sin x + asinb"),
        (r"\lim_{x \rightarrow \infty}f", r"\lim_{x \to \infty}f"),
        (
            r"\left\{ \ \begin{aligned} x,\ & x > 0 \\ 0, & x = 0 \end{aligned} \right.\ ",
            r"\begin{cases} x, & x > 0 \\ 0, & x = 0 \end{cases}",
        ),
        (
            r"\left| \begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix} \right|",
            r"\begin{vmatrix} 1 & 2 \\ 3 & 4 \end{vmatrix}",
        ),
        (
            r"\left\lbrack \begin{array}{r} 1 \\ 2 \end{array} \right\rbrack",
            r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}",
        ),
        (r"\left| \begin{matrix} x \end{matrix} \right|", r"\left| x \right|"),
        (r"\text{sin  of\ it}", r"\text{sin  of\ it}"),
    ],
)
def test_spellings(given_: str, wanted: str) -> None:
    assert tidy(given_) == wanted


@given(st.text(alphabet="ab\\{}[]()|&^_ ,'0x sincomatrixleftrightbegend", max_size=80))
def test_any_text_is_survived(latex: str) -> None:
    once = tidy(latex)
    assert len(once) <= 2 * len(latex) + 20
    assert "\x00" not in once
