"""`score` and `leaderboard`: tables, JSON and CSV of runs and rating files, and what a board keeps."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from flowkit import Made, exambank, report_of

sys.path.insert(0, str(Path(__file__).parents[1] / "evaluation"))
from boardkit import made_run, ratings
from loopback import Loopback


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("boards") / "runs"
    made_run(home / "one", ratings(0.9, seed=1), model="model-one")
    made_run(home / "two", ratings(0.8, seed=2), model="model-two")
    made_run(home / "half", ratings(0.8), model="model-half", asked=10)
    return home


def test_score_prints_table_json_and_csv(runs: Path) -> None:
    arguments = ("score", runs / "one", runs / "two")
    table = exambank(*arguments)
    assert table.returncode == 0, table.stderr
    assert "model-two" in table.stdout and "经济学" in table.stdout and "calculation" in table.stdout
    data = report_of(exambank(*arguments, "--baseline", "one", "--json"))["scores"]
    assert [one["run"] for one in data] == ["one", "two"]
    assert data[0]["relative"] == 100
    assert data[1]["relative_to"] == "model-one"
    lines = list(csv.DictReader(io.StringIO(exambank(*arguments, "--format", "csv").stdout)))
    assert [float(line["absolute"]) for line in lines] == [one["absolute"] for one in data]
    assert exambank("score", runs).returncode == 3  # one of the runs has questions without stars


def test_score_takes_ratings_made_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    rows = [
        {"model": "m", "question_id": "q1", "discipline": "d02", "stars": 3, "question_type": "essay"},
        {"model": "m", "question_id": "q2", "discipline": "d02", "stars": None, "reason": "timeout"},
        {"model": "n", "question_id": "q1", "discipline": "d02", "stars": 1},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    done = exambank("score", path, "--baseline", "m", "--json")
    assert done.returncode == 3
    first, second = report_of(done)["scores"]
    assert (first["absolute"], first["unscored"]) == (100, {"timeout": 1})
    assert second["relative"] == pytest.approx(100 / 3)
    path.write_text('{"question_id": "q1", "discipline": "d02", "stars": 7}', encoding="utf-8")
    bad = exambank("score", path)
    assert (bad.returncode, "bad_line" in bad.stderr) == (2, True)


def test_a_board_keeps_its_baseline_and_what_it_withholds(runs: Path, tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text(
        '["model-one"]\norganisation = "机构"\naccess = "API"\nreleased = 2026-01-02\n', encoding="utf-8"
    )
    out = tmp_path / "board"
    made = exambank("leaderboard", runs, "--out", out, "--models", models)
    assert made.returncode == 3
    assert "left out half: not finished" in made.stderr
    assert "机构" in made.stdout
    again = exambank(
        *("leaderboard", runs, "--out", out, "--withhold", "one=wrong prompt", "--json", "--baseline", "two")
    )
    board = report_of(again)
    assert [row["model"] for row in board["rows"]] == ["model-two"]
    assert board["withheld"][0]["reason"] == "wrong prompt"
    third = report_of(exambank("leaderboard", runs, "--out", out, "--json"))
    assert third == board
    assert json.loads((out / "leaderboard.json").read_text(encoding="utf-8")) == board
    assert (out / "leaderboard.csv").read_text(encoding="utf-8").count("\n") == 2


def test_the_published_board(tmp_path: Path) -> None:
    done = exambank("leaderboard", "--published", "--format", "csv", "--out", tmp_path / "b")
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(lines) == 59
    assert lines[0]["model"] == "Doubao-1.5-Thinking-Pro"
    assert exambank("leaderboard").returncode == 2


def test_two_judges_need_a_choice(runs: Path, tmp_path: Path) -> None:
    other = made_run(tmp_path / "other", ratings(0.5), model="model-one", judge="judge-2")
    done = exambank("leaderboard", runs / "one", other)
    assert (done.returncode, "judges_differ" in done.stderr) == (2, True)
    chosen = report_of(exambank("leaderboard", runs / "one", other, "--judge", "judge-2", "--json"))
    assert [row["run"] for row in chosen["rows"]] == ["other"]


def test_a_run_that_was_edited_is_left_out_of_a_board_that_checks(made: Made, tmp_path: Path) -> None:
    sample, run = tmp_path / "sample", tmp_path / "run"
    drawn = exambank(
        "sample", "-n", "2", "--seed", "7", "--allow-short", "--bank", made.path, "--out", sample
    )
    assert drawn.returncode == 0, drawn.stderr
    server = Loopback()
    try:
        done = exambank(
            *("evaluate", sample, "--bank", made.path, "--out", run, "--model", "alpha", "--judge", "omega"),
            *("--base-url", server.base_url, "--judge-base-url", server.base_url),
        )
    finally:
        server.close()
    assert done.returncode == 0, done.stderr
    page = ("--out", tmp_path / "board", "--texts")
    good = exambank("leaderboard", run, "--bank", made.path, "--json", *page)
    text = (tmp_path / "board" / "index.html").read_text(encoding="utf-8")
    items = [json.loads(one) for one in (sample / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(json.dumps(item["prompt"], ensure_ascii=False)[1:-1] in text for item in items)
    assert good.returncode == 0, good.stderr
    (row,) = report_of(good)["unranked"]
    assert (row["model"], row["absolute"]) == ("alpha", 100)
    assert row["disciplines"]
    score = report_of(exambank("score", run, "--json"))["scores"][0]
    assert score["types"] and all(one["eligible"] for one in score["strata"])
    log = run / "verdicts.jsonl"
    log.write_text(log.read_text(encoding="utf-8").replace('"stars":3', '"stars":2', 1), encoding="utf-8")
    edited = exambank("leaderboard", run, "--bank", made.path)
    assert "left out run: does not hold up" in edited.stderr
    assert edited.returncode == 2  # and nothing is left to show


def test_the_published_scores_come_out_of_stars_digit_for_digit(tmp_path: Path) -> None:
    """53 models, 100 questions in each of ten disciplines, as lines of a file of ratings."""
    from evaluation.published import published

    whole = {row.model: row for row in published() if row.stars}
    path = tmp_path / "ratings.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for model, row in whole.items():
            for code, stars in (row.stars or {}).items():
                for number in range(100):
                    given = min(3, max(0, stars - 3 * number))
                    line = {"model": model, "question_id": f"{code}-{number}", "discipline": code}
                    stream.write(json.dumps({**line, "stars": given}) + "\n")
    done = exambank("score", path, "--baseline", "Doubao-1.5-Thinking-Pro", "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(lines) == 53
    for line in lines:
        row = whole[line["model"]]
        assert f"{float(line['absolute']):.2f}" == f"{row.absolute:.2f}"
        assert {code: f"{float(line[code]):.2f}" for code in row.disciplines} == {
            code: f"{value:.2f}" for code, value in row.disciplines.items()
        }
