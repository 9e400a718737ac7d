"""Folding: the same question reads the same however it is set; different ones stay different."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.text import digest, fold, han_share, squeeze

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=60)
letters = st.text(st.sampled_from("线性代数矩阵特征值abcXYZ0189αβ"), min_size=1, max_size=30)


@given(letters, st.sampled_from([" ", "\n", "\t", "\u3000", "，", "。", "、", "?", "“", "”"]), st.data())
def test_space_and_punctuation_do_not_count(text, mark, data):
    at = data.draw(st.integers(1, len(text)))
    # A mark right after a leading number makes it a list number, which is another rule.
    assert fold("题" + text[:at] + mark + text[at:]) == fold("题" + text)


@given(letters)
def test_full_width_and_case_do_not_count(text):
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert fold("题" + wide) == fold("题" + text)
    assert fold("题" + text.upper()) == fold("题" + text.upper().lower())


@given(words)
def test_fold_ends_and_keeps_no_space(text):
    folded = fold(text)
    assert not any(c.isspace() for c in folded)
    assert folded == fold(unicodedata.normalize("NFKC", text)) or unicodedata.normalize("NFKC", text) != text


@given(letters, st.sampled_from("+-=<>^*/"), st.sampled_from("+-=<>^*/"))
def test_operators_count(text, one, other):
    if one != other:
        assert fold(f"x{one}{text}") != fold(f"x{other}{text}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3、什么是栈？", "什么是栈?"),
        ("（2）求极限（5分）", "求极限"),
        ("第12题：证明", "证明"),
        ("答案是____。", "答案是（  ）。"),
        (r"\left( a+b \right)", "(a+b)"),
    ],
)
def test_same_question(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("求 a+b", "求 a-b"),
        ("有3个", "有4个"),
        ("是正确的", "是不正确的"),
        ("0.5", "5"),
        (".5", "5"),
        ("1,000", "000"),
        ("x<1", "x>1"),
    ],
)
def test_different_questions(one, other):
    assert fold(one) != fold(other)


@given(words)
def test_squeeze(text):
    once = squeeze(text)
    assert squeeze(once) == once and "  " not in once and "\n" not in once


def test_han_share():
    assert han_share("") == 0 and han_share("123 .") == 0
    assert han_share("栈 stack") == pytest.approx(1 / 6)
    assert han_share("什么是栈") == 1


def test_digest_is_stable():
    assert digest(b"") == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"
