"""`exambank audit` as a process: plan, run, report, and what it refuses."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from flowkit import exambank, kill_when, start, stop_when

sys.path.append(str(Path(__file__).parents[1] / "evaluation/bias"))
from auditkit import MODELS, House


@pytest.fixture
def house():
    made = House()
    yield made
    made.close()


def write(folder: Path, house: House, graders: tuple[str, ...] = ("critic",), more: str = "") -> Path:
    tables = [f'[[models]]\nname = "{one}"\nbase_url = "{house.base_url}"\n{more}' for one in MODELS]
    tables += [f'[[graders]]\nname = "{one}"\nbase_url = "{house.base_url}"\n' for one in graders]
    path = folder / "study.toml"
    path.write_text("\n".join([*tables, "[rules]", "epsilons = [0.25]"]), encoding="utf-8")
    rows = [{"id": f"p{n}", "prompt": f"task p{n}", "task": "写作"} for n in range(5)]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / "prompts.jsonl").write_text(lines, encoding="utf-8")
    return path


def test_plan_run_report(house, tmp_path):
    house.quality = lambda model, number: 3.0 if model == "m2" and number % 2 else 7.0
    write(tmp_path, house)
    plan = ("audit", "plan", "a", "--study", "study.toml", "--prompts", "prompts.jsonl")
    told = exambank(*plan, "--dry-run", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "at most" in told.stdout and "[[graders]]" in told.stdout and not (tmp_path / "a").exists()
    found = json.loads(exambank(*plan, "--json", cwd=tmp_path).stdout)
    assert found["calls"] >= 15 + 15 and found["exact"] is False and not house.asked
    done = exambank("audit", "run", "a", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "verdicts" in done.stderr and "everything is asked" in done.stdout
    made = exambank("audit", "report", "a", "--resamples", "199", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    data = json.loads(made.stdout)
    assert [one["judge"] for one in data["judges"]] == list(MODELS)
    assert {one["verdict"] for one in data["judges"]} == {"not_fit"}
    page = (tmp_path / "a/audit.html").read_text(encoding="utf-8")
    assert "不合格 not fit" in page and "http" not in page.replace("http-equiv", "")


def test_refusals(house, tmp_path):
    study = write(tmp_path, house, graders=("m1",))
    plan = ("audit", "plan", "a", "--study", study, "--prompts", tmp_path / "prompts.jsonl")
    assert "grader_kin" in exambank(*plan, cwd=tmp_path).stderr
    assert "either" in exambank(*plan[:5], cwd=tmp_path).stderr
    for arguments, word in (
        (("run", "nowhere"), "no_audit"),
        (("report", "nowhere", "--study", study), "are for plan"),
    ):
        done = exambank("audit", *arguments, cwd=tmp_path)
        assert done.returncode == 2 and word in done.stderr and "Traceback" not in done.stderr


PLAN = ("audit", "plan", "a", "--study", "study.toml", "--prompts", "prompts.jsonl")


def verdicts(folder: Path) -> tuple[int, set[str]]:
    made = exambank("audit", "report", "a", "--resamples", "199", "--json", cwd=folder)
    assert "Traceback" not in made.stderr
    return made.returncode, {one["verdict"] for one in json.loads(made.stdout)["judges"]}


def test_killed_at_any_stage(house, tmp_path):
    """No report of an audit that was killed decides anything; the last session ends as one without kills."""
    house.quality = lambda model, number: 3.0 if model == "m2" and number % 2 else 7.0
    write(tmp_path, house)
    exambank(*PLAN, cwd=tmp_path)
    assert verdicts(tmp_path) == (3, {"not_decided"})
    for asked in (5, 20, 34, 45, 60):
        run = start("audit", "run", tmp_path / "a", "-q")
        assert kill_when(run, lambda asked=asked: house.asked.total() >= asked) in {-9, 0}
        if run.returncode:
            assert verdicts(tmp_path) == (3, {"not_decided"})
    done = exambank("audit", "run", "a", "--json", cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["left"] == 0
    assert verdicts(tmp_path) == (0, {"not_fit"})


def test_interrupted_while_an_endpoint_is_silent(house, tmp_path):
    """Ctrl-C does not wait for an answer that may never come; what was said before is kept."""
    silent, released = threading.Event(), threading.Event()

    def says(kind: str, model: str) -> None:
        if kind == "plain" and not released.is_set():
            silent.set()
            released.wait(100)

    house.says = says
    write(tmp_path, house)
    exambank(*PLAN, cwd=tmp_path)
    run = start("audit", "run", tmp_path / "a", "-q")
    begun: list[float] = []

    def reached() -> bool:
        if silent.is_set():
            begun.append(time.monotonic())
        return silent.is_set()

    assert stop_when(run, reached, signal.SIGINT) == 130
    assert time.monotonic() - begun[0] < 30  # an endpoint has minutes
    released.set()
    replies, grades = house.asked["reply"], house.asked["grade"]
    done = exambank("audit", "run", "a", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (house.asked["reply"], house.asked["grade"]) == (replies, grades)


@pytest.mark.parametrize("fault", [False, True])
def test_a_grader_without_grades_is_named(house, tmp_path, fault):
    """One whose answers nobody can read, and one that does not answer: 3, and its name."""
    if fault:
        house.faults["grade"] = [500] * 4  # of two replies, each asked twice
    else:
        house.says = lambda kind, model: "no" if kind == "grade" else None
    write(tmp_path, house)
    study = tmp_path / "study.toml"
    study.write_text(
        study.read_text().replace('name = "critic"', 'name = "critic"\nmax_attempts = 2\nbackoff_seconds = 0')
    )
    exambank(*PLAN, cwd=tmp_path)
    done = exambank("audit", "run", "a", cwd=tmp_path)
    assert done.returncode == 3 and "grader critic: " in done.stderr
    assert f"grader critic: {13 if fault else 0} of 15" in done.stderr
    if fault:
        assert "critic: 2 calls left (grade)" in done.stdout and "same command" in done.stderr
    else:
        assert "malformed" in done.stderr and "another grader" in done.stderr
    assert verdicts(tmp_path) == (3, {"not_decided"})
    told = json.loads(exambank("audit", "run", "a", "--json", cwd=tmp_path).stdout)
    assert [one["grader"] for one in told["grading"]] == ([] if fault else ["critic"])


def test_ratings_need_a_reference(house, tmp_path):
    write(tmp_path, house, more="pointwise = true\n")
    done = exambank(*PLAN, cwd=tmp_path)
    assert done.returncode == 2 and "reference" in done.stderr and not (tmp_path / "a").exists()
