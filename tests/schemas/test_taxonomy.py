"""The taxonomy: complete, unambiguous, and found by any of its names."""

import re

import pytest

from schemas import taxonomy as tx
from schemas.errors import UsageError
from schemas.text import fold


def test_counts():
    tax = tx.taxonomy()
    assert [d for d in tax.disciplines if d != tx.UNKNOWN] == [f"d{n:02}" for n in range(1, 14)]
    assert len(tax.sub_disciplines) >= 100
    assert len(tax.courses) >= 120
    assert {s.discipline for s in tax.sub_disciplines.values()} == set(tax.disciplines) - {tx.UNKNOWN}
    assert {c.sub_discipline for c in tax.courses.values()} == set(tax.sub_disciplines)


def test_codes_are_ascii_and_nest():
    tax = tx.taxonomy()
    for code, sub in tax.sub_disciplines.items():
        assert re.fullmatch(r"d\d{4}(\d\d)?", code) and sub.discipline in tax.disciplines
    for code, course in tax.courses.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
        assert course.sub_discipline.startswith(course.discipline)
        assert set(course.also) <= set(tax.sub_disciplines)


@pytest.mark.parametrize("level", ["disciplines", "sub_disciplines", "courses"])
def test_every_name_belongs_to_one_code(level):
    owner: dict[str, str] = {}
    for code, node in getattr(tx.taxonomy(), level).items():
        assert node.zh and node.en and node.en.isprintable()
        for name in {fold(n) for n in tx.names(node)}:
            assert name, f"{code} has a name that folds to nothing"
            # The English name of a class may be that of its discipline's only other major.
            assert owner.setdefault(name, code) == code, f"{name}: {code} and {owner[name]}"


def test_every_name_is_found():
    tax = tx.taxonomy()
    for find, nodes in (
        (tx.find_discipline, tax.disciplines),
        (tx.find_sub_discipline, tax.sub_disciplines),
        (tx.find_course, tax.courses),
    ):
        for code, node in nodes.items():
            for name in (code, *tx.names(node)):
                assert find(name) is not None and find(name).code == code


def test_exam_codes_are_unique():
    codes = [c.exam_code for c in tx.taxonomy().courses.values() if c.exam_code.isdigit()]
    assert len(codes) == len(set(codes))
    assert tx.find_course("408").sub_discipline == "d0809"
    assert tx.course_by_exam_code("²") is None


@pytest.mark.parametrize(
    ("name", "course"),
    [
        ("线代", "linear-algebra"),
        ("高代", "higher-algebra"),
        ("数学分析II", "mathematical-analysis"),
        ("线性代数（上）", "linear-algebra"),
        ("数据结构与算法B", "data-structures"),
        ("Data Structures", "data-structures"),
        ("马原", "introduction-to-the-basic-principles-of-marxism"),
        ("C++", "object-oriented-programming"),
        ("英语一", "english-i-graduate-entrance"),
    ],
)
def test_common_names(name, course):
    assert tx.find_course(name).code == course


def test_display_names():
    assert tx.discipline_name("d08") == "工学"
    assert tx.discipline_name("d08", "en") == "Engineering"
    assert tx.sub_discipline_name("d0809", "en") == "Computer Science"
    assert tx.discipline_name("d77") == "d77"
    assert tx.taxonomy().sub_disciplines["d010102"].official_class == "哲学类"


def test_unknown_names_say_what_to_do():
    with pytest.raises(UsageError, match="d13 艺术学"):
        tx.require_discipline("玄学")
    with pytest.raises(UsageError):
        tx.require_course("没有这门课")


def test_records_cannot_be_changed():
    with pytest.raises(AttributeError):
        tx.taxonomy().courses["linear-algebra"].zh = "别的"
