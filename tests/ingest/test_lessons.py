"""Own example questions teach what the lists leave, and nothing where they say nothing."""

import numpy as np

from ingest.classify.evidence import by_lists, find
from ingest.classify.filing import file_texts
from ingest.classify.lessons import _made, _rows, add_up, lessons, questions
from schemas.taxonomy import taxonomy
from tests.ingest.test_own_questions import read


def test_the_questions_are_filed_under_codes_of_the_taxonomy_and_stand_there_once():
    asked = questions()
    assert {code for code, _ in asked} <= taxonomy().sub_disciplines.keys()
    assert len({code[:3] for code, _ in asked}) == 13
    assert len({text for _, text in asked}) == len(asked)
    assert all(text.strip() == text and "\t" not in text for _, text in asked)


def test_what_is_tried_is_not_what_was_taught():
    assert not {text for _, text in questions()} & {text for _, text in read()}


def test_questions_in_everyday_words_are_filed_better_than_by_the_lists():
    asked = [
        ("军队日常管理最重要的是做好什么工作？", "军事学"),
        ("班主任怎样帮助学习有困难的孩子？", "教育学"),
        ("影响一个地区经济发展快慢的原因有哪些？", "经济学"),
        ("演员怎样演好一个角色？", "艺术学"),
        ("养鸡场里的鸡生病了应当怎么办？", "农学"),
    ]
    filed = [one.row()["discipline"] for one in file_texts([text for text, _ in asked])]
    assert sum(said == want for said, (_, want) in zip(filed, asked, strict=True)) >= 4


def test_a_text_without_a_known_piece_is_filed_by_the_lists_alone():
    found = [find("xq zzv"), find("🙂")]
    for lists, taught in zip(by_lists(found), add_up(found), strict=True):
        assert np.allclose(np.maximum(lists, 0), np.maximum(taught, 0), atol=1e-5)


def test_a_word_of_letters_is_not_found_within_another():
    at = lessons()
    rows = _rows([find("the others")], at.pieces, at.rare)
    assert {list(at.pieces)[place] for place in rows.indices} <= {" others"}


def test_the_same_questions_teach_the_same():
    made, kept = _made(), lessons()
    assert made["pieces"].tobytes().decode().split("\n") == list(kept.pieces)
    assert np.allclose(made["weights"].astype(np.float32), kept.weights, atol=2e-3)
    assert np.isfinite(kept.weights).all()
