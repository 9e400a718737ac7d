"""`exambank audit` as a process: plan, run, report, and what it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from flowkit import exambank

sys.path.append(str(Path(__file__).parents[1] / "evaluation/bias"))
from auditkit import MODELS, House


@pytest.fixture
def house():
    made = House()
    yield made
    made.close()


def write(folder: Path, house: House, graders: tuple[str, ...] = ("critic",)) -> Path:
    tables = [f'[[models]]\nname = "{one}"\nbase_url = "{house.base_url}"\n' for one in MODELS]
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
    assert "at most" in told.stdout and not (tmp_path / "a").exists()
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
