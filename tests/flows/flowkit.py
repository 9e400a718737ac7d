"""What the flow tests share: small exam files made on the spot, and the command as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docx
import psutil
import pymupdf

from bank.store import Bank

KEY = bytes(range(32))
SUBJECTS = ("数据结构", "微观经济学", "中国古代史")
TOPICS = {
    "数据结构": ("快速排序", "二叉树的遍历", "哈希表的冲突处理"),
    "微观经济学": ("需求的价格弹性", "边际效用递减规律", "完全竞争市场"),
    "中国古代史": ("商鞅变法", "科举制度", "安史之乱"),
}


@dataclass(frozen=True)
class Made:
    """A bank with the folder it was made of and what the command said."""

    papers: Path
    path: Path
    done: subprocess.CompletedProcess[str]

    @property
    def bank(self) -> Bank:
        return Bank.open(self.path)

    def ids(self) -> set[str]:
        return ids_of(self.path)


def ids_of(path: Path) -> set[str]:
    return set(Bank.open(path).table(["question_id"])["question_id"].to_pylist())


def write_docx(path: Path, subject: str, *, year: int = 2020) -> None:
    document = docx.Document()
    document.add_paragraph(f"{year}年《{subject}》期末考试试卷")
    document.add_paragraph("一、简答题（每题10分，共30分）")
    for number, topic in enumerate(TOPICS[subject], start=1):
        document.add_paragraph(f"{number}．请简要说明{topic}的主要内容及其意义（{year}年）。（10分）")
        document.add_paragraph(
            f"答案：{topic}的主要内容有若干方面，其意义在于{year}年教材第{number}章所述的结论。"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(str(path))


def write_pdf(path: Path, lines: list[str]) -> None:
    pdf = pymupdf.open()
    page = pdf.new_page()
    for place, line in enumerate(lines):
        page.insert_text((60, 70 + 24 * place), line, fontname="china-s", fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    pdf.save(str(path))
    pdf.close()


def write_papers(folder: Path) -> Path:
    """Six papers over three subjects, of which one is a PDF with its key at the end."""
    for place, subject in enumerate(SUBJECTS):
        write_docx(folder / subject / "期末试卷.docx", subject, year=2018 + place)
    write_docx(folder / "补充" / "数据结构补考.docx", "数据结构", year=2009)
    write_docx(folder / "补充" / "微观经济学补考.docx", "微观经济学", year=2010)
    write_pdf(
        folder / "管理学原理.pdf",
        [
            "管理学原理期末考试试卷",
            "一、简答题（每题10分，共20分）",
            "1. 简述计划工作的程序及其主要步骤。",
            "2. 简述有效控制的基本要求与原则。",
            "参考答案",
            "一、简答题",
            "1. 估量机会、确定目标、拟定方案、评价方案、选择方案。",
            "2. 适时控制、适度控制、客观控制、弹性控制。",
        ],
    )
    return folder


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("EXAMBANK_", "PREFECT_"))}
    return {**kept, **more}


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "flows.cli", *map(str, arguments)]


def exambank(
    *arguments: str | Path, cwd: Path | None = None, timeout: float = 240, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; its output as text."""
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env=environment(**{"PYTHONPATH": str(Path(__file__).parents[2]), **env}),
        check=False,
    )


def report_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start the command and leave it running."""
    return subprocess.Popen(
        command(*arguments),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(PYTHONPATH=str(Path(__file__).parents[2])),
        start_new_session=True,
    )


def stop_when(process: subprocess.Popen[bytes], reached: Callable[[], bool], with_signal: int) -> int:
    """Send the signal as soon as reached() holds; the exit code. No child may outlive the process."""
    family: set[psutil.Process] = set()
    parent = psutil.Process(process.pid)
    until = time.monotonic() + 200
    while process.poll() is None and not reached():
        assert time.monotonic() < until, "the moment never came"
        family |= set(parent.children(recursive=True))
        time.sleep(0.02)
    if process.poll() is None:
        family |= set(parent.children(recursive=True))
        os.kill(process.pid, with_signal)
    code = process.wait(timeout=60)
    _, alive = psutil.wait_procs(list(family), timeout=20)
    assert not alive, f"left running: {alive}"
    return code


def kill_when(process: subprocess.Popen[bytes], reached: Callable[[], bool]) -> int:
    return stop_when(process, reached, signal.SIGKILL)
