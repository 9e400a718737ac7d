"""The .doc reader: LibreOffice, antiword and the way down to a refusal that says what to install."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from ingest.readers.doc import antiword_blocks, read_doc
from schemas.document import BlockKind, Origin
from schemas.errors import MissingToolError, RefusedError
from schemas.settings import ReadSettings

PAPER = Path(__file__).parent.parent / "data" / "short-paper.doc"
OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
ANTIWORD = shutil.which("antiword")


def program(folder: Path, script: str) -> str:
    """A stand-in for a converter."""
    path = folder / "tool"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def only(name: str, tool: str | None):
    return lambda asked: tool if asked == name else None


def test_without_any_converter_the_remedy_is_named() -> None:
    with pytest.raises(MissingToolError) as caught:
        read_doc(PAPER, ReadSettings(), find=lambda _: None)
    assert caught.value.code == "missing_tool"
    assert "LibreOffice" in caught.value.remedy and "antiword" in caught.value.remedy


def test_libreoffice_keeps_numbers_tables_and_raised_text() -> None:
    if OFFICE is None:
        test_without_any_converter_the_remedy_is_named()
        return
    document, assets = read_doc(PAPER, ReadSettings())
    assert (document.source, document.format, assets) == ("short-paper.doc", "doc", ())
    assert {block.origin for block in document.blocks} == {Origin.CONVERTED}
    assert [(b.number, b.text) for b in document.blocks] == [
        ("", "统计学基础测验"),
        ("一、", "名词解释"),
        ("1.", "众数"),
        ("2.", "四分位差"),
        ("二、", "计算题"),
        ("1.", "下表是三个班的平均分，求总平均分。"),
        ("", "| 班级 | 人数 | 平均分 |\n| --- | --- | --- |\n| 甲 | 40 | 80 |\n| 乙 | 50 | 74 |"),
        ("", "若y=$x^{2}$，求x=3时的y。答：<u>9</u>"),
        ("", "A. 3\u3000B. 6\u3000C. 9\u3000D. 12"),
    ]


def test_antiword_says_what_it_loses(tmp_path: Path) -> None:
    text = "一、名词解释\n\n1. 众数\n   A．甲\n|班级  |人数  |\n|甲    |40    |\n[pic]\n设 [pic] 为矩阵\n"
    tool = program(tmp_path, f"cat <<'END'\n{text}END\n")
    document, assets = read_doc(PAPER, ReadSettings(), find=only("antiword", tool))
    assert assets == () and [n.code for n in document.notices] == ["antiword"]
    assert [b.text for b in document.blocks] == [
        "一、名词解释",
        "1. 众数",
        "A．甲",
        "| 班级 | 人数 |\n| --- | --- |\n| 甲 | 40 |",
        "[图]",
        "设 [图] 为矩阵",
    ]
    if ANTIWORD:
        real, _ = read_doc(PAPER, ReadSettings(), find=only("antiword", ANTIWORD))
        assert "众数" in [b.text for b in real.blocks]


def test_score_boxes_in_plain_text_are_furniture() -> None:
    found = antiword_blocks("|题号  |一  |总分  |\n|得分  |    |      |\n")
    assert [(b.kind, b.reason) for b in found] == [(BlockKind.FURNITURE, "score_box")]


def test_when_libreoffice_fails_antiword_takes_over(tmp_path: Path) -> None:
    tools = {"soffice": program(tmp_path, "exit 0\n")}
    with pytest.raises(RefusedError) as caught:
        read_doc(PAPER, ReadSettings(), find=tools.get)
    assert caught.value.code == "damaged"
    (tmp_path / "second").mkdir()
    tools["antiword"] = program(tmp_path / "second", "echo 文字\n")
    document, _ = read_doc(PAPER, ReadSettings(), find=tools.get)
    assert [b.text for b in document.blocks] == ["文字"]
    assert "could not read" in document.notices[0].message


def test_a_converter_that_hangs_is_ended(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    tool = program(tmp_path, f"(sleep 2; touch {mark}) & sleep 60\n")
    with pytest.raises(RefusedError) as caught:
        read_doc(PAPER, ReadSettings(max_seconds=0.5), find=only("soffice", tool))
    assert caught.value.code == "max_seconds" and caught.value.remedy
    import time

    time.sleep(2.2)
    assert not mark.exists(), "a program started by the converter outlived it"


def test_damaged_and_empty_files_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.doc"
    empty.touch()
    with pytest.raises(RefusedError) as caught:
        read_doc(empty, ReadSettings())
    assert caught.value.code == "empty"
    tool = program(tmp_path, "echo 'not a Word Document' >&2; exit 1\n")
    with pytest.raises(RefusedError) as caught:
        read_doc(PAPER, ReadSettings(), find=only("antiword", tool))
    assert caught.value.code == "damaged"
