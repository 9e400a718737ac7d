"""`sample` and `evaluate` on a real bank: no answers in the sample, 100 for the reference, resume."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flowkit import Made, exambank, kill_when, start

sys.path.insert(0, str(Path(__file__).parents[1] / "evaluation"))
from loopback import Loopback


@pytest.fixture(scope="module")
def sample(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("draw") / "sample"
    done = exambank("sample", "-n", "2", "--seed", "7", "--allow-short", "--bank", made.path, "--out", out)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def server() -> Iterator[Loopback]:
    loopback = Loopback()
    yield loopback
    loopback.close()


def test_a_sample_holds_no_answer_and_can_be_drawn_again(made: Made, sample: Path, tmp_path: Path) -> None:
    text = (sample / "items.jsonl").read_text(encoding="utf-8")
    ids = [json.loads(line)["question_id"] for line in text.splitlines()]
    answers = [q.reference_answer for q in made.bank.read() if q.question_id in ids]
    assert ids
    assert all(answer and answer not in text for answer in answers)
    arguments = ("sample", "-n", "2", "--allow-short", "--bank", made.path)
    exambank(*arguments, "--seed", "7", "--out", tmp_path / "again")
    assert (tmp_path / "again" / "items.jsonl").read_text(encoding="utf-8") == text
    other = exambank(*arguments, "--seed", "8", "--out", sample)
    assert other.returncode == 2
    assert "another draw" in other.stderr


def test_too_few_is_an_error_that_names_the_way_out(made: Made, tmp_path: Path) -> None:
    done = exambank("sample", "-n", "500", "--seed", "1", "--bank", made.path, "--out", tmp_path / "s")
    assert done.returncode == 1
    assert "--allow-short" in done.stderr


def test_reference_and_overlap_give_100(made: Made, sample: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    arguments = ("evaluate", sample, "--bank", made.path, "--out", run)
    done = exambank(*arguments, "--model", "reference", "--judge", "overlap")
    assert done.returncode == 0, done.stderr
    scores = json.loads((run / "scores.json").read_text())
    assert scores["absolute"] == 100
    assert "<html" in (run / "report.html").read_text(encoding="utf-8")
    lines = (run / "exchange.jsonl").read_text().count('"asked"')
    again = exambank(*arguments, "--json")
    assert json.loads(again.stdout)["absolute"] == 100
    assert (run / "exchange.jsonl").read_text().count('"asked"') == lines
    blank = exambank(
        *("evaluate", sample, "--model", "blank", "--bank", made.path, "--out", tmp_path / "blank"),
        *("--baseline", run, "--json"),
    )
    assert blank.returncode == 3
    assert json.loads(blank.stdout)["unscored"] == {"empty": scores["asked"]}


def test_a_changed_sample_or_another_bank_is_refused(made: Made, sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in sample.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    with (copy / "items.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")
    done = exambank("evaluate", copy, "--bank", made.path, "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "sample_changed" in done.stderr


def test_an_endpoint_is_resumed_after_a_kill(
    made: Made, sample: Path, tmp_path: Path, server: Loopback
) -> None:
    run = tmp_path / "run"
    server.delay = 0.2
    arguments = (
        *("evaluate", sample, "--bank", made.path, "--out", run),
        *("--model", "some-model", "--base-url", server.base_url, "--judge", "overlap"),
    )

    def replies() -> int:
        path = run / "exchange.jsonl"
        return path.read_text().count('"event":"reply"') if path.exists() else 0

    kill_when(start(*arguments), lambda: replies() >= 2)
    asked = len(server.requests)
    done = exambank(*arguments)
    assert done.returncode == 0, done.stderr
    total = len((sample / "items.jsonl").read_text().splitlines())
    assert json.loads((run / "scores.json").read_text())["scored"] == total
    assert asked < len(server.requests) <= total + 1


def test_a_model_does_not_judge_itself(made: Made, sample: Path, tmp_path: Path, server: Loopback) -> None:
    done = exambank(
        *("evaluate", sample, "--bank", made.path, "--out", tmp_path / "run", "--model", "m", "--judge", "m"),
        *("--base-url", server.base_url, "--judge-base-url", server.base_url),
    )
    assert done.returncode == 1
    assert "self_judge" in done.stderr


def test_a_run_is_verified_and_judged_again_apart(
    made: Made, sample: Path, tmp_path: Path, server: Loopback
) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    model = ("--model", "some-model", "--base-url", server.base_url)
    done = exambank("evaluate", sample, "--bank", made.path, "--out", run, *model, "--dry-run", "--json")
    planned = json.loads(done.stdout)
    total = len((sample / "items.jsonl").read_text().splitlines())
    assert (planned["calls"], planned["price"], server.requests) == (total, None, [])
    assert not run.exists()
    assert exambank("evaluate", sample, "--bank", made.path, "--out", run, *model).returncode == 0
    checks = ("--sample", sample, "--bank", made.path)
    assert exambank("verify", run, *checks).returncode == 0
    done = exambank(
        *("judge", run, *checks, "--out", again, "--judge", "a", "--judge", "b", "--json"),
        *("--judge-base-url", server.base_url),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["judge"] == "a+b"
    assert len(server.requests) == 3 * total
    assert exambank("verify", again, *checks).returncode == 0
    scores = again / "scores.json"
    scores.write_text(json.dumps({**json.loads(scores.read_text()), "absolute": 42.0}), encoding="utf-8")
    told = exambank("verify", again, *checks)
    assert told.returncode == 1
    assert "absolute" in told.stderr
    manifest = run / "manifest.json"
    about = json.loads(manifest.read_text())
    about["questions"][0]["question_id"] = "qanother"
    manifest.write_text(json.dumps(about), encoding="utf-8")
    told = exambank("verify", run, *checks)
    assert told.returncode == 1
    assert "was edited" in told.stderr


def test_a_judge_is_checked_against_people(tmp_path: Path, server: Loopback) -> None:
    row = {"question": "题#1", "reference": "光合作用", "model": "m", "type": "objective"}
    rows = [
        {**row, "id": 1, "reply": "光合作用", "scores": {"human": 3, "other": 2}},
        {**row, "id": 2, "reply": "呼吸", "scores": {"human": 0, "other": 0}},
    ]
    file = tmp_path / "replies.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in rows), encoding="utf-8")
    done = exambank("judge-check", file, "--judge", "overlap", "--attacks", "--json", "-q")
    found = json.loads(done.stdout)
    assert (found["all"]["accuracy"], found["all"]["weighted_kappa"]) == (1, 1)
    assert found["separation"]["judge"] == 1
    assert (found["attacks"]["tried"], found["attacks"]["raised"]) == (60, 0)
    told = exambank("judge-check", file, "--recorded", "other")
    assert "boards under people and under the judge" in told.stdout
    assert exambank("judge-check", tmp_path / "none.jsonl").returncode == 2
