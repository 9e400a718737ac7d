"""A run killed with SIGKILL and started again: no question lost, none answered twice but one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from evaluation_kit import KEY, make_items

from evaluation.rundir import read_record

PROGRAM = """
import json, os, sys, time
from datetime import UTC, datetime
from pathlib import Path
from evaluation.judge import build_judge
from evaluation.models import build_model
from evaluation.run import run
from schemas.evaluation import SampleItem
from schemas.settings import JudgeSettings, ModelSettings

job = json.loads(sys.stdin.read())
items = [SampleItem.model_validate(item) for item in job["items"]]
references = {item.question_id: "答案" + item.question_id[1:] for item in items}
model = ModelSettings(name="loop-1", base_url=job["url"], timeout_seconds=20)
judge = JudgeSettings(name="judge-1", base_url=job["url"], timeout_seconds=20)
known = {"environ": os.environ, "clock": time.monotonic}
result = run(
    items, references, build_model(model, references, **known), build_judge(judge, **known), Path(job["run_dir"]),
    now=lambda: datetime.now(UTC), sleep=time.sleep,
)
print(result.model_dump_json())
"""
QUESTIONS = 12


def start(server, run_dir: Path) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[2]
    environ = {**os.environ, "PYTHONPATH": str(root), "EXAMBANK_API_KEY": KEY}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
    )
    items = [item.model_dump() for item in make_items(*[""] * QUESTIONS)]
    job = {"items": items, "url": server.base_url, "run_dir": str(run_dir)}
    process.stdin.write(json.dumps(job).encode())
    process.stdin.close()
    return process


def wait_for(condition, process) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_three_times_in_one_run(server, tmp_path):
    server.model_id = ""
    server.delay = 0.03
    pick = random.Random(5)
    run_dir = tmp_path / "run"
    for kill_after in (3, 6, 9):
        process = start(server, run_dir)
        wait_for(
            lambda goal=kill_after: len([k for k in server.seen if not k.startswith("judge:")]) >= goal,
            process,
        )
        time.sleep(pick.random() * 0.05)  # while asked, answered, stored or judged: all must do
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()
    process = start(server, run_dir)
    out, err = process.stdout.read(), process.stderr.read()
    assert process.wait() == 0, err.decode()
    result = json.loads(out)
    assert (result["asked"], result["scored"], result["absolute"]) == (QUESTIONS, QUESTIONS, 100.0)

    record = read_record(run_dir)
    assert record.sessions == 4
    asked = {k: n for k, n in server.seen.items() if not k.startswith("judge:")}
    assert set(asked) == {str(n) for n in range(QUESTIONS)}
    assert all(n <= 2 for n in asked.values())
    twice = {f"q{k}" for k, n in asked.items() if n == 2}
    assert len(twice) <= 3  # one in flight for each kill
    assert twice <= set(record.repeats)  # and each is on record as a repeat
    everything = b"".join(path.read_bytes() for path in run_dir.iterdir())
    assert KEY.encode() not in everything


def test_a_kill_while_the_question_is_in_flight_repeats_exactly_that_one(server, tmp_path):
    server.model_id = ""
    run_dir = tmp_path / "run"
    process = start(server, run_dir)
    wait_for(lambda: server.answered["judge:2"] == 1, process)
    server.delay = 20.0

    def held() -> bool:
        """The last request is a question, and the same one still unanswered a while later."""
        last = str(server.requests[-1]["item"])
        time.sleep(0.3)
        return last == server.requests[-1]["item"] and last not in server.answered and "judge" not in last

    wait_for(held, process)
    in_flight = server.requests[-1]["item"]
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()
    server.delay = 0.0
    process = start(server, run_dir)
    process.stdout.read()
    assert process.wait() == 0, process.stderr.read().decode()
    record = read_record(run_dir)
    assert record.repeats == [f"q{in_flight}"]
    assert record.attempts[f"q{in_flight}"] == 2
    asked = {k: n for k, n in server.seen.items() if not k.startswith("judge:")}
    assert [k for k, n in asked.items() if n > 1] == [in_flight]
    assert len(asked) == QUESTIONS
