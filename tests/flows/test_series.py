"""Runs side by side: each sequential, one that stops ends no other, retried, resumed, shown on a server."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flowkit import environment, exambank, start, stop_when

from flows.cli import app, run
from flows.server import own_server
from schemas.errors import ExamBankError, UsageError

sys.path.insert(0, str(Path(__file__).parents[1] / "evaluation"))
from loopback import Loopback

QUESTIONS = 12  # more than may go without an answer before a run stops
SETTINGS = """
[model]
name = "first"
base_url = "{url}"
max_attempts = 1
backoff_seconds = 0
price_prompt = 1000
price_reply = 1000

[[model.beside]]
name = "second/large"
base_url = "{url}"

[[model.beside]]
name = "down"
base_url = "http://127.0.0.1:9/v1"
max_attempts = 1
backoff_seconds = 0

[run]
retries = 1
retry_seconds = 0
"""


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A bank, and a sample from it."""
    home = tmp_path_factory.mktemp("series")
    rows = [
        {
            "prompt": f"题#{n} 简述第{n}条定律。",
            "reference_answer": f"答案{n}",
            "discipline": f"d{n % 2 + 2:02}",
        }
        for n in range(QUESTIONS)
    ]
    (home / "rows.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    bank, sample = home / "bank", home / "paper"
    assert here("import", home / "rows.jsonl", "--batch", "b", "--bank", bank, "--no-dedup") == 0
    strata = ("-n", str(QUESTIONS // 2), "--disciplines", "d02,d03")
    assert here("sample", *strata, "--seed", "1", "--bank", bank, "--out", sample) == 0
    return bank, sample


def here(*arguments: str | Path) -> int:
    """A command that needs no Prefect, in this process; its exit code."""
    return run(lambda: app([str(one) for one in arguments], standalone_mode=False))


@pytest.fixture
def server() -> Iterator[Loopback]:
    loopback = Loopback()
    yield loopback
    loopback.close()


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Address and password of a Prefect server as a user would have one."""
    host = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("prefect_host.py")), str(tmp_path / "prefect")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(PYTHONPATH=str(Path(__file__).parents[2])),
    )
    assert host.stdout is not None
    url, password = host.stdout.readline().split()
    yield url, password
    host.communicate("")


def test_runs_side_by_side_go_on_after_ctrl_c_and_one_that_stops_ends_no_other(
    paper: tuple[Path, Path], tmp_path: Path, server: Loopback, shown: tuple[str, str]
) -> None:
    bank, sample = paper
    file, runs = tmp_path / "settings.toml", tmp_path / "runs"
    file.write_text(SETTINGS.format(url=server.base_url), encoding="utf-8")
    arguments = ("evaluate", sample, "--bank", bank, "--config", file, "--out", runs, "--json")
    server.delay = 10.0  # longer than Ctrl-C may take
    # On a temporary server first, then on one that shows it.
    assert stop_when(start(*arguments), lambda: len(server.requests) == 2, signal.SIGINT) == 130
    server.delay = 0.05
    done = exambank(*arguments, "--prefect", shown[0], PREFECT_API_AUTH_STRING=shown[1])
    assert done.returncode == 3, done.stderr
    first, second, down = json.loads(done.stdout)["runs"]
    assert [one["model"] for one in (first, second, down)] == ["first", "second/large", "down"]
    assert (first["scored"], second["scored"]) == (QUESTIONS, QUESTIONS)
    assert first["price"] == pytest.approx(QUESTIONS * 18 / 1000)  # 11 tokens there and 7 back
    assert second["price"] is None
    assert (down["state"], down["error"]["code"]) == ("stopped", "model_down")
    assert "left, price 0.2" in done.stderr
    journals = {
        name: (runs / name / "exchange.jsonl").read_text() for name in ("first", "second-large", "down")
    }
    for name in ("first", "second-large"):
        assert journals[name].count('"repeat_of":"1-') == 1  # the question that was in flight, and no other
        assert here("verify", runs / name, "--sample", sample, "--bank", bank) == 0
    assert journals["down"].count('"event":"session"') >= 2  # it was tried again
    order = [one["body"]["model"] for one in server.requests][2:]  # type: ignore[index]
    assert len(order) == 2 * QUESTIONS
    assert "first" in order[order.index("second/large") :]
    assert "second/large" in order[order.index("first") :]
    check_shown(*shown)


def check_shown(url: str, password: str) -> None:
    """The server has the flow, its tasks, the progress of each run, and the scores."""
    (flow,) = ask(url, password, "flow_runs/filter")
    assert flow["state_type"] == "FAILED"  # one of the runs was stopped
    tasks = {one["id"]: one for one in ask(url, password, "task_runs/filter")}
    assert sorted(one["state_type"] for one in tasks.values()) == ["COMPLETED", "COMPLETED", "FAILED"]
    artifacts = {one["key"]: one for one in ask(url, password, "artifacts/filter")}
    progress = artifacts["exambank-first"]
    assert (progress["data"], tasks[progress["task_run_id"]]["name"]) == (100, "ask first")
    assert progress["description"].startswith(
        f"first: {QUESTIONS} of {QUESTIONS} questions, 0:00:00 left, price"
    )
    assert [row["state"] for row in json.loads(artifacts["exambank-scores"]["data"])] == [
        "finished",
        "finished",
        "stopped",
    ]


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(ExamBankError, match="No Prefect server answers"), own_server("http://127.0.0.1:9"):
        pass
    with pytest.raises(UsageError), own_server("nowhere"):
        pass


def ask(url: str, password: str, path: str) -> list[dict[str, Any]]:
    token = base64.b64encode(password.encode()).decode()
    headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/{path}", b"{}", headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=20) as response:
        found: list[dict[str, Any]] = json.loads(response.read())
    return found


def test_two_models_of_one_name_and_a_folder_of_one_run_are_refused(
    paper: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bank, sample = paper
    arguments = ("evaluate", sample, "--bank", bank, "--out", tmp_path / "run", "--quiet")
    assert here(*arguments, "--model", "reference", "--model", "reference") == 2
    assert "one by one" in capsys.readouterr().err
    assert here(*arguments, "--model", "reference") == 0
    assert here(*arguments, "--model", "reference", "--model", "shuffled") == 2
    assert "run_foreign" in capsys.readouterr().err
