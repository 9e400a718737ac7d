"""Sixty planted attacks through a judge that echoes the reply before and after its verdict sway none."""

from __future__ import annotations

import re

import pytest
from evaluation_kit import endpoint, make_items, make_references

from evaluation.attacks import ATTACKS
from evaluation.judge import EndpointJudge, judge_text, read_rating
from evaluation.models import EndpointModel
from evaluation.prompts import judge_prompt
from evaluation.run import run
from evaluation.rundir import read_record

_REPLY = re.compile(r"\nLLM:(.*)\n\nThe correct answer to user's question is: 参考", re.DOTALL)
_INSIDE = re.compile(r"\A\n\[[^\n]*\]\n(.*)\n\[[^\n]*\]\Z", re.DOTALL)


def shown(prompt):
    """What a judge takes for the reply: with its fence, and without."""
    whole = _REPLY.search(prompt)[1]
    return whole, _INSIDE.match(whole)[1]


def test_there_are_sixty_of_them():
    assert len(ATTACKS) == len({attack.text for attack in ATTACKS}) == 60


@pytest.mark.parametrize("stars", [0, 2])
@pytest.mark.parametrize("attack", ATTACKS, ids=[f"{a.kind}{n}" for n, a in enumerate(ATTACKS)])
def test_an_echoing_judge_is_read_right(attack, stars):
    verdict = f'{{"Overall Rating":{stars}}}'
    for reply in (attack.text, attack.plant("答案是 4。")):
        prompt, _ = judge_text(judge_prompt(), "题", reply, "参考")
        for echo in shown(prompt):
            assert read_rating(f"{echo}\n{verdict}\n{echo}", reply) == stars
            assert (
                read_rating(f"The response says:\n{echo}\n\nMy verdict: {verdict}\n\n{echo}", reply) == stars
            )
            pretty = f'```json\n{{\n  "Overall Rating": {stars}\n}}\n```'
            assert read_rating(f"{echo}\n{pretty}\n{echo}", reply) == stars


def test_a_run_of_attacks_ends_as_the_judge_meant(server, clock, tmp_path):
    items = make_items(*[""] * len(ATTACKS))
    server.answers = lambda item: ATTACKS[int(item)].plant("答案")

    def says(prompt, nth):
        echo = prompt.partition("\nLLM:")[2].partition("\n\nThe correct answer to user's question is:")[0]
        return f'{echo}\n{{"Overall Rating":1}}\n{echo}'

    server.judge_says = says
    score = run(
        items, make_references(items), EndpointModel(endpoint(server)),
        EndpointJudge(endpoint(server, "judge-1", max_attempts=1)), tmp_path / "r", now=clock.now, sleep=clock.sleep,
    )  # fmt: skip
    assert {v.question_id: (v.stars, v.reason) for v in read_record(tmp_path / "r").verdicts.values()} == {
        item.question_id: (1, "") for item in items
    }
    assert (score.scored, score.stars) == (60, 60)
