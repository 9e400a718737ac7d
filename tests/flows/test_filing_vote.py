"""The vote of a model on doubtful questions, with a real server: what it may say, what it costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.cli import app, run
from flows.filing import GIVE_UP_AFTER, Voter, verdict_of
from ingest.classify.filing import Filed
from schemas.settings import FilingSettings
from tests.evaluation.loopback import Loopback

DOUBT = Filed("d02", 0.3, "d0201", 0.2, "short_answer", 0.9)
SAYS = '{"discipline": "d11", "sub_discipline": "d1101"}'


@pytest.fixture
def server():
    made = Loopback()
    made.answers = lambda item: SAYS
    yield made
    made.close()


def voter(server: Loopback, **more: object) -> Voter:
    fields = {"name": "votes", "base_url": server.base_url, "backoff_seconds": 0.0, **more}
    return Voter(FilingSettings.model_validate(fields), {"EXAMBANK_API_KEY": "k"}, sleep=lambda s: None)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (SAYS, ("d11", "d1101")),
        ('Surely ```json\n{"discipline": "军事学"}\n```', ("d11", "")),
        ('<think>{"discipline": "d01"}</think>{"discipline": "d02", "sub_discipline": "d1101"}', ("d02", "")),
        ('{"discipline": "d99"}', None),
        ('{"discipline": "d00"}', None),
        ('{"discipline": ["d01"]}', None),
        ("d02", None),
        ("", None),
        ("{" * 50_000 + "}" * 50_000, None),
    ],
)
def test_only_a_verdict_of_the_taxonomy_counts(reply, verdict):
    assert verdict_of(reply) == verdict


def test_doubt_is_asked_and_certainty_is_not(server):
    votes = voter(server)
    sure = Filed("d02", 0.9, "d0201", 0.8, "short_answer", 0.9)
    assert votes("什么是需求？", sure) == sure and not server.requests
    found = votes("什么是合围？", DOUBT)
    assert (found.discipline, found.sub_discipline, found.discipline_confidence) == ("d11", "d1101", 0.7)
    assert found.question_type == "short_answer" and len(server.requests) == 1


def test_each_text_is_asked_once_and_the_budget_holds(server, tmp_path: Path):
    first = voter(server, cache=str(tmp_path / "kept"), max_questions=2)
    for text in ("一", "二", "三"):
        first(text, DOUBT)
    assert first.told() == {"asked": 2, "from_cache": 0, "unanswered": 0, "invalid": 0}
    again = voter(server, cache=str(tmp_path / "kept"))
    assert again("一", DOUBT).discipline == "d11" and again.told()["from_cache"] == 1
    assert len(server.requests) == 2


def test_a_dead_or_babbling_model_changes_nothing(server):
    server.answers = lambda item: "I would rather talk about the weather."
    votes = voter(server)
    assert votes("一", DOUBT) == DOUBT and votes.told()["invalid"] == 1
    votes = voter(server, max_attempts=1)
    for n in range(GIVE_UP_AFTER + 3):
        assert votes(f"[500] {n}", DOUBT) == DOUBT
    assert votes.told()["unanswered"] == GIVE_UP_AFTER


def test_classify_asks_where_the_settings_name_a_model(server, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXAMBANK_API_KEY", "k")
    Path("exambank.toml").write_text(f'[filing]\nname = "votes"\nbase_url = "{server.base_url}"\n')
    Path("in.jsonl").write_text('{"id": 1, "text": "请写下。"}\n', encoding="utf-8")
    arguments = ["classify", "in.jsonl", "--out", "out.jsonl", "--json"]
    assert run(lambda: app(arguments, standalone_mode=False)) == 0
    assert json.loads(capsys.readouterr().out)["vote"]["asked"] == 1
    row = json.loads(Path("out.jsonl").read_text(encoding="utf-8"))
    assert row["discipline"] == "军事学" and row["discipline_confidence"] == 0.7
