"""Fixtures of the flow tests: a folder of papers, and one bank that an undisturbed run made of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flowkit import KEY, Made, exambank, write_docx, write_papers

from bank.store import Bank


@pytest.fixture(scope="session")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_papers(tmp_path_factory.mktemp("flow") / "papers")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A bank made of good papers and of what else lies in people's folders."""
    home = tmp_path_factory.mktemp("made")
    folder = write_papers(home / "papers")
    (folder / "补充").rename(
        folder / os.fsdecode("补充".encode("gbk"))
    )  # as archives from elsewhere leave it
    (folder / "坏文件.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 8)
    (folder / "空文件.docx").write_bytes(b"")
    (folder / "~$期末试卷.docx").write_bytes(b"\x05admin" + bytes(156))
    (folder / ".hidden.pdf").write_bytes(b"%PDF-1.7")
    (folder / "说明.txt").write_text("这里是试卷。", encoding="utf-8")
    first = folder / "数据结构" / "期末试卷.docx"
    (folder / "数据结构" / "期末试卷（副本）.docx").write_bytes(first.read_bytes())
    outside = home / "outside.docx"
    write_docx(outside, "数据结构", year=1999)
    (folder / "链接.docx").symlink_to(outside)
    Bank.create(home / "bank", KEY)
    done = exambank("ingest", folder, "--batch", "first", "--bank", home / "bank", "--json")
    return Made(folder, home / "bank", done)
