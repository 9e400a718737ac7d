"""The command line: help with examples, documented options, exit codes, quiet ends, extract."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest
import typer.main
from flowkit import command, environment, exambank, start, stop_when, write_docx, write_pdf

from flows.cli import app, run

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/guide/cli.md").read_text(encoding="utf-8")
COMMANDS: dict[str, Any] = dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
WANTED = {
    "read", "extract", "score-extraction", "ingest", "show", "stats", "log", "sample", "dedup", "compare",
    "contamination", "evaluate", "doctor", "diff", "tag", "restore", "check", "compact", "vacuum", "sweep",
    "redraw", "ledger", "retire-exposed",
    "edit", "approve", "reject", "retire", "merge", "unmerge", "apply", "import", "export",
    "judge", "judge-check", "audit", "score", "leaderboard", "verify", "classify",
    "train", "reclassify",
}  # fmt: skip


def section(name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/guide/cli.md has no section on {name}"
    return found[1]


def test_all_commands_are_there() -> None:
    assert set(COMMANDS) == WANTED


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_an_example_and_every_option_is_documented(name: str) -> None:
    known = COMMANDS[name]
    assert known.help
    assert f"Example: exambank {name}" in known.epilog
    assert f"exambank {name}" in section(name)
    common = GUIDE.split("\n## ")[0]
    for parameter in known.params:
        names = [option for option in parameter.opts if option.startswith("-") and option != "--help"]
        assert not names or any(option in section(name) + common for option in names), names
        assert parameter.param_type_name == "argument" or parameter.help


WITHOUT_BANK = {"read", "extract", "score-extraction", "compare", "judge-check", "score", "classify"}


@pytest.mark.parametrize("name", sorted(WANTED - WITHOUT_BANK))
def test_commands_on_a_bank_take_bank_and_json(name: str) -> None:
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert {"--bank", "--json"} <= options


def test_help_needs_none_of_the_heavy_packages() -> None:
    code = (
        "import sys; from flows.cli import run, app; run(lambda: app(['--help'], standalone_mode=False));"
        "heavy = {'prefect', 'pymupdf', 'deltalake', 'pyarrow', 'openai', 'numpy', 'rapidfuzz', 'docx'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    python = command()[0]
    done = subprocess.run([python, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_is_quick() -> None:
    spent = []
    for _ in range(3):  # CPU time of the child: the wall clock is the machine's business
        before = os.times()
        exambank("--help")
        after = os.times()
        spent.append(
            after.children_user + after.children_system - before.children_user - before.children_system
        )
    assert min(spent) < 1.0


def test_version() -> None:
    assert re.match(r"exambank (\d|\(not)", exambank("--version").stdout)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["ingest", "nowhere", "--batch", "b"], "no_path"),
        (["ingest", ".", "--batch", " "], "needs a name"),
        (["ingest", ".", "--batch", "b", "--discipline", "占星学"], "占星学"),
        (["ingest", ".", "--batch", "b", "--address", "tcp://x:1", "--runner", "threads"], "--runner dask"),
        (["ingest", ".", "--batch", "b", "--jobs", "0"], "--jobs"),
        (["ingst"], "ingst"),
        (["extract", ".", "--out", "x.jsonl", "--config", "none.toml"], "no_config"),
        (["evaluate", ".", "--out", "run"], "no_sample"),
        (["ingest", ".", "--batch", "b", "--bank", "a.docx"], "bank_path"),
        (["extract", ".", "--out", "."], "it is a folder"),
        (["extract", ".", "--out", "x.jsonl", "--report", "a.docx/r.json"], "a.docx is a file"),
        (["sample", "-n", "99999999999", "--seed", "1", "--out", "s"], "10000000"),
        (["sample", "-n", "1", "--seed", "1"], "--out"),
        (["sample", "-n", "1", "--seed", "1", "--out", "s", "--run", "june"], "go together"),
        (["sample", "-n", "1", "--seed", "1", "--out", "s", "--filter", "final"], "field=value"),
        (["sample", "-n", "1", "--seed", "1", "--out", "s", "--by", "colour"], "no_field"),
        (["sample", "--seed", "1", "--out", "s", "--allocation", "fair"], "no file"),
        (["sample", "--seed", "1", "--out", "s", "--disciplines", "占星学"], "占星学"),
        (
            ["sample", "-n", "1", "--allocation", "proportional", "--seed", "1", "--out", "s"],
            "how many in all",
        ),
        (["redraw", "."], "no_sample"),
        (["ledger", "release", "x"], "--why"),
    ],
)
def test_wrong_usage_is_2_and_no_traceback(arguments: list[str], word: str, tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"")
    done = exambank(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert word in done.stderr
    assert "Traceback" not in done.stderr


LINES = [
        "read a.pdf", "extract . --out q.jsonl", "score-extraction g q", "ingest . --batch b", "show q1", "stats",
        "log", "sample -n 1 --seed 1 --out s", "dedup", "compare p --out v", "contamination c", "doctor",
        "evaluate s --out r", "diff 0", "tag", "restore 0", "check", "compact", "vacuum", "sweep",
        "redraw s", "ledger status", "retire-exposed 2",
        "edit q --set points=1", "approve q", "reject q", "retire q", "merge q --into p", "unmerge q", "apply f",
        "import q.jsonl --batch b", "export q.jsonl",
        "judge r --sample s --out t", "judge-check f", "audit report a", "score r", "leaderboard r", "verify r",
        "classify q.jsonl --out l", "train --out m.npz", "reclassify",
]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_every_command_tells_of_a_slip_in_the_settings(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exambank.toml").write_text("[read]\nocrr = 'never'\n")
    assert {known.split()[0] for known in LINES} == WANTED
    assert run(lambda: app(line.split(), standalone_mode=False)) == 2
    assert "did you mean read.ocr? [unknown_setting]" in capsys.readouterr().err


def test_native_threads_do_not_change_the_exit_code() -> None:
    code = (
        "import atexit, ctypes; from flows import cli; libc = ctypes.CDLL(None);"
        "libc.__cxa_atexit(libc.abort, None, None);"  # as a library that is taken down too early does
        "cli.run = lambda command, given: (atexit.register(print, 'closed'), 2)[1]; cli.console()"
    )
    python = command()[0]
    done = subprocess.run([python, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "closed\n")


def test_called_inside_a_program_it_leaves_that_program_its_exit_code() -> None:
    code = (
        "import contextlib, sys; from flows.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['--version'])\n"
        "sys.exit(7)"
    )
    assert (
        subprocess.run([command()[0], "-c", code], cwd=ROOT, capture_output=True, check=False).returncode == 7
    )


@pytest.mark.parametrize("name", ["stats", "log", "show x", "sample -n 1 --seed 1 --out s"])
def test_without_a_bank_the_next_command_is_named(name: str, tmp_path: Path) -> None:
    done = exambank(*name.split(), "--bank", "nowhere", cwd=tmp_path)
    assert done.returncode == 1
    assert "exambank ingest" in done.stderr
    assert not (tmp_path / "nowhere").exists()


def test_doctor_tells_of_weights_and_settings(tmp_path: Path) -> None:
    done = exambank("doctor", "--bank", tmp_path / "bank", "--json", EXAMBANK_READ__MAX_PAGES="7")
    data = json.loads(done.stdout)
    assert done.returncode == (0 if data["works"] else 1)
    names = {check["name"] for check in data["checks"]}
    assert {"python", "packages", "OCR weights", "OpenCV", "old Word files (.doc)", "bank"} <= names
    assert data["settings"]["read"]["max_pages"] == 7
    assert all(check["remedy"] for check in data["checks"] if check["state"] != "ok")


def test_a_reader_that_closes_early_is_no_fault(made: Any) -> None:
    shell = f"{' '.join(command('log', '--bank', str(made.path), '--json'))} | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell], cwd=ROOT, env=environment(), capture_output=True, check=False
    )
    assert done.stderr == b""
    unread, closed = os.pipe()
    os.close(unread)
    env = environment(PYTHONPATH=str(ROOT))
    both = subprocess.run(
        command("stats", "--bank", str(made.path)), stdout=closed, stderr=closed, env=env, check=False
    )
    os.close(closed)
    assert both.returncode == 141


class TestExtract:
    def test_rows_and_report_account_for_every_file(self, tmp_path: Path) -> None:
        folder = tmp_path / "in"
        write_docx(folder / "数据结构.docx", "数据结构")
        write_pdf(
            folder / "管理学.pdf",
            ["管理学试卷", "一、简答题", "1. 简述计划工作的程序。", "2. 简述控制的原则。"],
        )
        write_docx(folder / "管理学答案.docx", "微观经济学")
        (folder / "坏.pdf").write_bytes(b"%PDF-1.4\ngarbage")
        (folder / "读我.md").write_text("x")
        out, report = tmp_path / "deep" / "q.jsonl", tmp_path / "r.json"
        done = exambank("extract", folder, "--out", out, "--report", report, "--quiet")
        assert done.returncode == 3, done.stderr
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert {"source", "number", "section", "question", "answer", "type", "score"} <= set(rows[0])
        told = {file["source"]: file for file in json.loads(report.read_text())["files"]}
        assert set(told) == {path.name for path in folder.iterdir()}
        assert told["坏.pdf"]["outcome"] == "refused"
        assert told["坏.pdf"]["remedy"]
        assert told["读我.md"]["outcome"] == "skipped"
        assert "坏.pdf" in done.stderr
        assert [row["source"] for row in rows] == sorted(row["source"] for row in rows)
        unread, closed = os.pipe()  # a reader of messages that has gone away does not stop the work
        os.close(unread)
        again = subprocess.run(
            command("extract", folder, "--out", tmp_path / "b.jsonl", "--jobs", "3"),
            stderr=closed,
            env=environment(PYTHONPATH=str(ROOT)),
            check=False,
        )
        os.close(closed)
        assert again.returncode == 3
        assert (tmp_path / "b.jsonl").read_bytes() == out.read_bytes()

    def test_a_key_is_joined_where_it_is_named(self, tmp_path: Path) -> None:
        paper, key = tmp_path / "甲.pdf", tmp_path / "乙.pdf"
        write_pdf(paper, ["管理学试卷", "一、简答题", "1. 简述计划工作的程序。", "2. 简述控制的原则。"])
        write_pdf(key, ["参考答案", "一、简答题", "1. 先估量机会，再确定目标。", "2. 适时、适度、客观。"])
        done = exambank("extract", paper, "--answers", key, "--out", tmp_path / "q.jsonl")
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
        answers = [row["answer"] for row in rows if row["source"] == "甲.pdf"]
        assert answers == ["先估量机会，再确定目标。", "适时、适度、客观。"]

    def test_nothing_readable_is_a_failure(self, tmp_path: Path) -> None:
        (tmp_path / "坏.pdf").write_bytes(b"%PDF-1.4\ngarbage")
        done = exambank("extract", tmp_path / "坏.pdf", "--out", tmp_path / "q.jsonl")
        assert done.returncode == 1
        assert (tmp_path / "q.jsonl").read_bytes() == b""

    def test_a_name_that_is_not_utf8(self, tmp_path: Path) -> None:
        write_docx(tmp_path / "in" / "a.docx", "数据结构")
        name = os.fsdecode("期末".encode("gbk"))
        (tmp_path / "in" / "a.docx").rename(tmp_path / "in" / f"{name}.docx")
        (tmp_path / "in").rename(tmp_path / name)
        write_pdf(
            tmp_path / "b.pdf", ["管理学试卷", "一、简答题", "1. 简述计划工作的程序。", "2. 简述控制的原则。"]
        )
        (tmp_path / "b.pdf").rename(tmp_path / name / f"{name}.pdf")
        out, report = tmp_path / "q.jsonl", tmp_path / "r.json"
        done = exambank(*("extract", tmp_path / name, "--out", out, "--report", report), TMPDIR=str(tmp_path))
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert {row["source"] for row in rows} == {"期末.docx", "期末.pdf"}
        assert str(tmp_path) not in report.read_text(encoding="utf-8")
        assert not list(tmp_path.glob("exambank-*"))

    def test_ctrl_c_ends_children_and_is_130(self, tmp_path: Path) -> None:
        for number in range(8):
            write_docx(tmp_path / "in" / f"{number}.docx", "数据结构", year=2000 + number)
        process = start("extract", tmp_path / "in", "--out", tmp_path / "q.jsonl", "--jobs", "1")
        reading = psutil.Process(process.pid)
        code = stop_when(process, lambda: bool(reading.children()), signal.SIGINT)
        assert code == 130
        assert not (tmp_path / "q.jsonl").exists()
