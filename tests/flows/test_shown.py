"""Nothing that files or endpoints say steers a terminal or a page: control characters, marks of direction, lines."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from flowkit import exambank
from hypothesis import given
from hypothesis import strategies as st

import flows
from schemas.shown import json_seen, label, seen

sys.path.append(str(Path(__file__).parents[1] / "evaluation"))
from boardkit import made_run, ratings

STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
HOSTILE = "m\x1b[2Jodel\x9b31m\u202elaf\x07\njudge: forged \x7f"


@given(st.text())
def test_what_is_seen_steers_nothing(text: str) -> None:
    assert not STEERS.search(seen(text)) and seen(text).encode() is not None  # no broken UTF-8 either
    assert not STEERS.search(label(text)) and "\n" not in label(text) and "\t" not in label(text)
    assert label(label(text)) == label(text)
    if text.isprintable():
        assert seen(text) == label(text) == text


@given(st.text())
def test_json_says_the_same(text: str) -> None:
    written = json_seen(json.dumps({"a": [text]}, ensure_ascii=False))
    assert json.loads(written) == {"a": [text]} and not STEERS.search(written)


def test_every_command_prints_by_the_helpers() -> None:
    """typer.echo prints as it is: only the helpers use it, and what writes CSV, which is clean already."""
    root = Path(flows.__file__).parent
    found = {
        (path.relative_to(root).as_posix(), line.strip())
        for path in root.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\btyper\.echo\(|\bclick\.echo\(|(?<![\w.])print\(", line)
    }
    assert {line for path, line in found if path not in {"commands/common.py", "cli.py"}} == {
        "typer.echo(board_csv(board), nl=False)",
        "typer.echo(scores_csv(list(found.items())), nl=False)",
        'code = "import cv2; print(cv2.__version__)"',
    }


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hostile") / "runs"
    made_run(home / "one", ratings(0.9, seed=1), model=HOSTILE, judge=HOSTILE + "j")
    made_run(home / "two", ratings(0.8, seed=2), model="model-two", judge=HOSTILE + "j", reply="\x1b]0;x\x07")
    return home


@pytest.mark.parametrize("form", ["table", "json", "csv"])
@pytest.mark.parametrize("command", ["leaderboard", "score"])
def test_names_of_models_and_judges(runs: Path, command: str, form: str) -> None:
    done = exambank(command, runs, "--format", form)
    assert done.returncode == 0, done.stderr
    assert not STEERS.search(done.stdout) and not STEERS.search(done.stderr)
    assert "\njudge: forged" not in done.stdout + done.stderr
    if form == "json":
        data = json.loads(done.stdout)
        assert (data["rows"] if command == "leaderboard" else data["scores"])[0]["model"] == HOSTILE
    else:
        assert "\\x1b[2J" in done.stdout.replace("\n", "")


def test_the_page_of_a_board(runs: Path, tmp_path: Path) -> None:
    done = exambank("leaderboard", runs, "--out", tmp_path / "board", "--title", HOSTILE, "--texts")
    assert done.returncode == 0, done.stderr
    for name in ("index.html", "leaderboard.csv"):
        assert not STEERS.search((tmp_path / "board" / name).read_text(encoding="utf-8")), name


def test_rows_that_an_import_refuses(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('prompt,"na\x1b[31mme"\nwhat?,1\n', encoding="utf-8")
    done = exambank("import", "rows.csv", "--batch", "b", cwd=tmp_path)
    assert done.returncode in {1, 2} and "\\x1b[31m" in done.stderr
    assert not STEERS.search(done.stdout + done.stderr)
