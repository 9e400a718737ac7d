"""The notebook on reading a bank from Python: it runs as written, its last part without our package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bank.store import Bank
from tests.bank.makers import paper

ROOT = Path(__file__).resolve().parents[2]
CELLS = json.loads((ROOT / "docs/guide/bank.ipynb").read_text(encoding="utf-8"))["cells"]
OURS = ("bank", "evaluation", "flows", "ingest", "schemas")


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("notebook") / "bank"
    made = Bank.create(path)
    for number, start in enumerate((0, 20), 1):
        made.add(
            paper(f"paper{number}.pdf", 20, start),
            batch=f"batch {number}",
            who="Li",
            why="",
            now="2026-01-01T00:00:00+00:00",
        )
    return path


# Threads of the libraries may abort a process that ends while they do; a notebook's does not end by itself.
END = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"


def run(code: str, bank: Path, folder: Path) -> str:
    found = subprocess.run(
        [sys.executable, "-c", code + END],
        cwd=folder,
        env={**os.environ, "EXAMBANK_BANK": str(bank)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not found.returncode, found.stderr
    return found.stdout


def code(start: int = 0) -> str:
    return "\n".join("".join(cell["source"]) for cell in CELLS[start:] if cell["cell_type"] == "code")


def test_the_notebook_runs_and_says_what_the_bank_holds(bank: Path) -> None:
    said = run(code(), bank, ROOT)
    assert "version 2\n" in said
    assert "40 active questions, 4 columns" in said
    assert "questions of the first batch: 20" in said
    assert said.count("eligible 10 drawn 1") == 4
    assert "40 rows by Polars" in said


def test_the_bank_is_read_without_our_package(bank: Path, tmp_path: Path) -> None:
    start = next(n for n, c in enumerate(CELLS) if "Without this package" in "".join(c["source"]))
    barred = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in OURS)
    said = run(barred + code(start), bank, tmp_path)
    assert "(40, 2)" in said
    assert "40 rows by Polars" in said
    assert "[('d01', 10), ('d02', 10), ('d03', 10), ('d04', 10)]" in said


def test_the_notebook_is_committed_without_outputs() -> None:
    assert all(not cell["outputs"] for cell in CELLS if cell["cell_type"] == "code")
