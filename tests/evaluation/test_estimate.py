"""What a run will take and what it took: calls, tokens, prices; nothing for built-ins or for what is done."""

from __future__ import annotations

from evaluation_kit import endpoint, make_items, make_references

from evaluation.estimate import REPLY_TOKENS, estimate, tokens, usage
from evaluation.judge import EndpointJudge
from evaluation.models import EndpointModel
from evaluation.run import run
from evaluation.rundir import read_record
from schemas.settings import JudgeSettings, ModelSettings

PRICED = {"price_prompt": 2.0, "price_reply": 8.0}
MODEL = ModelSettings(name="m", base_url="https://models.example/v1", max_tokens=1000, **PRICED)
JUDGE = JudgeSettings(
    name="j",
    base_url="https://j.example/v1",
    panel=(JudgeSettings(name="k", base_url="https://k.example/v1"),),
)


def test_calls_tokens_and_price_are_told_before_anything_is_sent():
    items = make_items(*[""] * 10)
    model, first, second = estimate(items, make_references(items), MODEL, JUDGE, {})
    assert (model.calls, first.calls, second.calls) == (10, 10, 10)
    assert model.reply_tokens == 10 * REPLY_TOKENS
    assert model.most_reply_tokens == 10_000
    assert model.price == (model.prompt_tokens * 2 + model.reply_tokens * 8) / 1e6
    assert model.most_price > model.price
    assert first.prompt_tokens > 10 * REPLY_TOKENS
    assert first.price is None


def test_what_is_done_and_what_needs_no_network_is_not_counted():
    items = make_items(*[""] * 10)
    references = make_references(items) | {"q9": " "}
    replies = {"q0": "答案", "q1": "答案"}
    model, first, _ = estimate(items, references, MODEL, JUDGE, replies, settled=["q0"])
    assert (model.calls, first.calls) == (7, 8)
    assert estimate(items, references, ModelSettings(), JudgeSettings(), {}) == []
    again = estimate(items, references, MODEL, JUDGE, replies, asks=False)
    assert [(part.role, part.calls) for part in again] == [("judge", 2), ("judge", 2)]


def test_tokens_of_chinese_and_of_other_text():
    assert tokens("光合作用") == 4
    assert tokens("photosynthesis") == 4
    assert tokens("") == 0


def test_what_a_run_took_is_what_the_endpoints_counted(server, clock, tmp_path):
    items = make_items("", "", "[429x1]")
    run(
        items, make_references(items), EndpointModel(endpoint(server)), EndpointJudge(endpoint(server, "judge-1")),
        tmp_path / "r", now=clock.now, sleep=clock.sleep,
    )  # fmt: skip
    model = ModelSettings(name="loop-1", base_url=server.base_url, **PRICED)
    judge = JudgeSettings(name="judge-1", base_url=server.base_url)
    asked, judged = usage(read_record(tmp_path / "r").uses, model, judge)
    assert (asked.requests, asked.prompt_tokens, asked.reply_tokens) == (4, 33, 21)
    assert asked.price == (33 * 2 + 21 * 8) / 1e6
    assert (judged.role, judged.requests, judged.price) == ("judge judge-1", 3, None)
