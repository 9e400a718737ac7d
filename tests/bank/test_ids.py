"""Ids: the same file gives them again, nobody else can."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bank.ids import CONTENT_FIELDS, IdMaker
from tests.bank.makers import paper, question

KEY, OTHER = bytes(32), bytes([1]) * 32


def test_shape_and_dependence_on_key_and_file() -> None:
    (a,) = IdMaker(KEY).identify([question("什么是熵？")])
    (same,) = IdMaker(KEY).identify([question("1．什么是熵 ？")])
    (other_key,) = IdMaker(OTHER).identify([question("什么是熵？")])
    (other_file,) = IdMaker(KEY).identify([question("什么是熵？", source="other.pdf")])
    assert len(a.question_id) == len(a.original_id) == 25
    assert a.question_id == same.question_id
    assert len({a.question_id, other_key.question_id, other_file.question_id}) == 3
    assert a.question_id[1:] != a.original_id[1:]


def test_equal_questions_of_one_file_are_told_apart_by_place() -> None:
    twice = [question("默写全诗。", draft="d1"), question("默写全诗。", draft="d2")]
    one, two = IdMaker(KEY).identify(twice)
    assert one.question_id != two.question_id
    assert one.original_id != two.original_id


def test_siblings_share_the_original_and_not_the_id() -> None:
    printed = "下列说法：①水是化合物 ②氧是单质"
    siblings = [question(p, printed=printed, draft="d1") for p in ("水是化合物", "氧是单质")]
    one, two = IdMaker(KEY).identify(siblings)
    assert one.original_id == two.original_id
    assert one.question_id != two.question_id


def test_the_content_hash_follows_every_edit() -> None:
    maker = IdMaker(KEY)
    base = question("什么是熵？", reference_answer="混乱的程度")
    edits = [
        {"reference_answer": "无序的程度"},
        {"prompt": "什么是焓？"},
        {"points": 3.0},
        {"figures": ("f",)},
    ]
    hashes = {maker.content_hash(base.model_copy(update=e)) for e in [{}, *edits]}
    assert len(hashes) == 5
    assert maker.content_hash(base.model_copy(update={"batch": "other"})) == maker.content_hash(base)


def test_the_content_hash_is_for_ever_and_that_of_the_row() -> None:
    maker = IdMaker(KEY)
    full = question(
        "什么是熵？", reference_answer='混乱"\n', figures=("f", "g"), points=2.5, material="\u2028𝑥"
    )
    assert maker.content_hash(full) == "85dc6209e7c1fa18350922084e451c4abd89bc0f419ceb2ec3184171f5e77013"
    for one in (full, question("a", points=1), question("b", needs_figure=True, explanation="")):
        row = one.model_dump(mode="json", include=set(CONTENT_FIELDS))
        assert maker.content_hash(one) == maker.signature(row)


@settings(deadline=None)
@given(st.permutations(["a.pdf", "b.pdf", "c.pdf"]))
def test_the_order_of_files_does_not_matter(names: list[str]) -> None:
    asked = {q.question_id for q in IdMaker(KEY).identify([q for n in names for q in paper(n, 4)])}
    usual = {q.question_id for n in sorted(names) for q in IdMaker(KEY).identify(paper(n, 4))}
    assert asked == usual
