"""List numbers as Word displays them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wordmaker import item, level, make, numbering, par

from ingest.readers import numerals
from ingest.readers.docx import read_docx
from ingest.readers.numerals import format_number
from schemas.settings import ReadSettings


def shown(path: Path) -> list[tuple[str, str]]:
    document, _ = read_docx(path, ReadSettings())
    return [(block.number, block.text) for block in document.blocks]


FORMATS: list[tuple[str, dict[int, str]]] = [
    ("decimal", {1: "1", 12: "12"}),
    ("decimalZero", {3: "03", 12: "12"}),
    ("decimalFullWidth", {12: "１２"}),
    ("chineseCounting", {1: "一", 10: "十", 11: "十一", 20: "二十", 21: "二十一", 105: "一〇五"}),
    (
        "chineseCountingThousand",
        {10: "十", 19: "十九", 30: "三十", 105: "一百零五", 110: "一百一十", 1001: "一千零一"},
    ),
    ("japaneseCounting", {10: "十", 11: "十一", 105: "百五", 230: "二百三十"}),
    ("chineseLegalSimplified", {1: "壹", 12: "壹拾贰", 105: "壹佰零伍"}),
    ("ideographTraditional", {1: "甲", 10: "癸", 11: "11"}),
    ("ideographZodiac", {1: "子", 12: "亥"}),
    ("ideographDigital", {1: "一", 10: "一〇"}),
    ("ideographEnclosedCircle", {1: "㊀", 10: "㊉", 11: "11"}),
    ("decimalEnclosedCircle", {1: "①", 20: "⑳", 21: "㉑", 36: "㊱"}),
    ("decimalEnclosedFullstop", {1: "⒈"}),
    ("decimalEnclosedParen", {1: "⑴"}),
    ("upperLetter", {1: "A", 26: "Z", 27: "AA", 28: "BB"}),
    ("lowerLetter", {3: "c"}),
    ("upperRoman", {4: "IV", 9: "IX", 2026: "MMXXVI"}),
    ("lowerRoman", {14: "xiv"}),
    ("ordinal", {1: "1st", 2: "2nd", 11: "11th", 23: "23rd"}),
    ("numberInDash", {4: "- 4 -"}),
    ("none", {1: ""}),
    ("bullet", {1: ""}),
    ("decimalHalfWidth", {12: "12"}),
    ("decimalFullWidth2", {12: "１２"}),
    ("decimalEnclosedCircleChinese", {1: "①", 10: "⑩"}),
    ("hex", {10: "A", 31: "1F"}),
    ("taiwaneseCounting", {10: "十", 21: "二十一"}),
    ("taiwaneseCountingThousand", {105: "一百零五"}),
    ("ideographLegalTraditional", {3: "參", 16: "壹拾陸"}),
    ("taiwaneseDigital", {10: "一○"}),
    ("koreanDigital2", {10: "一零"}),
    ("japaneseDigitalTenThousand", {10: "一〇"}),
    ("japaneseLegal", {2: "弐", 15: "壱拾伍"}),
    ("ideographZodiacTraditional", {1: "甲子", 11: "甲戌", 60: "癸亥"}),
    ("aiueo", {1: "ア", 6: "カ"}),
    ("aiueoFullWidth", {2: "イ"}),
    ("kindOfTomorrow", {7: "7"}),
]


@pytest.mark.parametrize(("kind", "pairs"), FORMATS)
def test_formats(kind: str, pairs: dict[int, str]) -> None:
    assert {n: format_number(n, kind) for n in pairs} == pairs


def test_every_format_is_covered() -> None:
    assert set(numerals._MAKERS) <= {kind for kind, _ in FORMATS}


@given(
    st.sampled_from(
        ["chineseCountingThousand", "japaneseCounting", "chineseLegalSimplified", "chineseCounting"]
    ),
    st.integers(0, 99_999),
    st.integers(0, 99_999),
)
def test_different_values_never_look_alike(kind: str, one: int, other: int) -> None:
    assert (format_number(one, kind) == format_number(other, kind)) == (one == other)


def test_levels_count_and_restart(tmp_path: Path) -> None:
    levels = level(0, "chineseCounting", "%1、") + level(1, "decimal", "%2.") + level(2, "decimal", "（%3）")
    parts = {"numbering.xml": numbering({0: levels}, {1: (0, "")})}
    body = (
        item("甲") + item("a", level=1) + item("b", level=1) + item("x", level=2) + item("c", level=1)
        + item("y", level=2) + item("乙") + item("d", level=1)
    )  # fmt: skip
    numbers = [number for number, _ in shown(make(tmp_path / "a.docx", body, parts=parts))]
    assert numbers == ["一、", "1.", "2.", "（1）", "3.", "（1）", "二、", "1."]


def test_restart_rules(tmp_path: Path) -> None:
    never = level(1, "decimal", "%2.", '<w:lvlRestart w:val="0"/>')
    parts = {"numbering.xml": numbering({0: level(0, "upperLetter", "%1") + never}, {1: (0, "")})}
    body = item("s") + item("q", level=1) + item("s") + item("q", level=1)
    numbers = [number for number, _ in shown(make(tmp_path / "a.docx", body, parts=parts))]
    assert numbers == ["A", "1.", "B", "2."]


def test_lists_of_one_definition_count_on_unless_they_start_over(tmp_path: Path) -> None:
    over = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    parts = {
        "numbering.xml": numbering({0: level(0, "decimal", "%1.")}, {1: (0, ""), 2: (0, ""), 3: (0, over)})
    }
    body = item("a") + item("b", num=2) + item("c", num=3) + item("d", num=3)
    numbers = [number for number, _ in shown(make(tmp_path / "a.docx", body, parts=parts))]
    assert numbers == ["1.", "2.", "1.", "2."]


def test_an_override_may_replace_a_level(tmp_path: Path) -> None:
    over = f'<w:lvlOverride w:ilvl="0">{level(0, "upperRoman", "第%1题", start=4)}</w:lvlOverride>'
    parts = {"numbering.xml": numbering({0: level(0, "decimal", "%1.")}, {1: (0, over)})}
    assert shown(make(tmp_path / "a.docx", item("a"), parts=parts)) == [("第IV题", "a")]


def test_legal_levels_show_decimals(tmp_path: Path) -> None:
    levels = level(0, "chineseCounting", "%1、") + level(1, "decimal", "%1.%2", "<w:isLgl/>")
    parts = {"numbering.xml": numbering({0: levels}, {1: (0, "")})}
    body = item("a") + item("b") + item("c", level=1)
    assert [n for n, _ in shown(make(tmp_path / "a.docx", body, parts=parts))] == ["一、", "二、", "2.1"]


def test_numbers_from_styles(tmp_path: Path) -> None:
    styles = (
        '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        '<w:style w:type="paragraph" w:styleId="Q"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Sub"><w:basedOn w:val="Q"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style></w:styles>'
    )
    levels = level(0, "decimal", "%1.") + level(1, "lowerLetter", "%2)", '<w:pStyle w:val="Q"/>')
    parts = {"numbering.xml": numbering({0: levels}, {1: (0, "")}), "styles.xml": styles}
    body = "".join(par(text, f'<w:pStyle w:val="{style}"/>') for text, style in
                   [("a", "Q"), ("b", "Sub"), ("c", "Loop")])  # fmt: skip
    off = par("d", '<w:pStyle w:val="Q"/><w:numPr><w:numId w:val="0"/></w:numPr>')
    found = shown(make(tmp_path / "a.docx", body + off, parts=parts))
    assert found == [("a)", "a"), ("b)", "b"), ("", "c"), ("", "d")]


def test_bullets_and_empty_paragraphs(tmp_path: Path) -> None:
    bullet = level(0, "bullet", "\uf06c", '<w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr>')
    parts = {"numbering.xml": numbering({0: bullet, 1: level(0, "decimal", "%1.")}, {1: (0, ""), 2: (1, "")})}
    body = item("a") + item("q", num=2) + item("", num=2) + item("r", num=2)
    found = shown(make(tmp_path / "a.docx", body, parts=parts))
    assert found == [("●", "a"), ("1.", "q"), ("3.", "r")]
