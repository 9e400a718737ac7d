"""`overlap`: right options, verdicts and words score, words of the question and of others do not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import closed
from evaluation.overlap import likeness, stars

CHOICE = "下列属于可再生资源的是\nA. 煤炭\nB. 太阳能\nC. 石油\nD. 铁矿石"


@pytest.mark.parametrize(
    ("reply", "letters"),
    [
        ("B", "B"),
        ("B. 太阳能取之不尽。", "B"),
        ("b. 太阳能", "B"),
        ("A 错在不可再生，C、D 同理，因此应选 B。", "B"),
        ("A. 煤炭用完就没有了。\nC. 石油也是。\n正确答案：B", "B"),
        ("答案是 A、B 和 D", "ABD"),
        ("本题选ABD", "ABD"),
        ("The correct answer is (C).", "C"),
        ("太阳能取之不尽。", "B"),
        ("都不是。", ""),
        ("A solar cell is renewable.", ""),
    ],
)
def test_the_option_a_reply_chooses(reply, letters):
    assert closed.chosen(reply, CHOICE) == letters


@pytest.mark.parametrize(
    ("reference", "question", "letters"),
    [
        ("A、C", "", "AC"),
        (" (b) ", "", ""),
        ("BD。", "", "BD"),
        ("F", "True or false?", ""),
        ("F", "E. x\nF. y", "F"),
    ],
)
def test_references_that_are_options(reference, question, letters):
    assert closed.letters(reference, question) == letters


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("正确。因为……", True),
        ("错误，理由如下", False),
        ("答案：不正确。", False),
        ("False. It is not so.", False),
        ("这个说法是不正确的。", False),
        ("该观点并不完全，这种说法是对的。", True),
        ("不能。", False),
        ("光会沿直线传播。", None),
    ],
)
def test_the_verdict_of_a_reply(reply, says):
    assert closed.leading_verdict(reply) is says


def test_words_of_the_question_count_little():
    question, reference = "哪一年发现了青霉素的抗菌作用？", "1928年发现了青霉素的抗菌作用"
    assert likeness("发现了青霉素的抗菌作用", reference, question) < 0.5
    assert likeness("1928年", reference, question) > likeness(
        "1939年发现了青霉素的抗菌作用", reference, question
    )


@pytest.mark.parametrize(
    ("reply", "reference", "question", "expected"),
    [
        ("应选 B，太阳能可再生。", "B", CHOICE, 2),
        ("应选 C，石油可再生。", "B", CHOICE, 0),
        ("B、C", "BD", CHOICE, 0),
        ("正确。因为光速不变。", "对", "光速不变。", 2),
        ("错误。", "对", "光速不变。", 0),
        ("大约 13.14 米", "3.14", "", 0),
        ("不是氢键，是离子键", "氢键", "", 0),
        ("主要是氢键的作用", "氢键", "", 2),
    ],
)
def test_stars_of_plain_replies(reply, reference, question, expected):
    assert stars(reply, reference, question) == expected


@given(st.text(), st.text(), st.text())
def test_likeness_is_a_share_whatever_is_compared(reply, reference, question):
    assert 0 <= likeness(reply, reference, question) <= 1


@pytest.mark.parametrize("piece", ["选 ", "答案是", " (", "A", "A. ", "说法", "不", "\n", "A. x B. y "])
def test_hostile_texts_take_no_time(piece):
    text = piece * 60_000
    started = time.monotonic()
    for reference in ("A", "对", text[:2000] + "终"):
        likeness(text, reference, text)
    assert time.monotonic() - started < 6
