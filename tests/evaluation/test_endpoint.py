"""Endpoints: every way an exchange can end is told apart, in bounded time, with the key kept."""

from __future__ import annotations

import logging
import time

import pytest
from evaluation_kit import KEY, endpoint, settings

from evaluation.endpoint import Endpoint, check_base_url, read_key
from evaluation.models import build_model
from schemas.errors import ModelError, UsageError
from schemas.evaluation import ReplyState
from schemas.settings import ModelSettings


def ask(server, mark, **more):
    return endpoint(server, **more).ask(f"题#1 {mark}", question_id="q1", attempt=1, request_id="1-000001")


@pytest.mark.parametrize(
    ("mark", "state"),
    [
        ("", ReplyState.OK),
        ("[429]", ReplyState.RATE_LIMITED),
        ("[nochoices]", ReplyState.RATE_LIMITED),
        ("[quota]", ReplyState.CLIENT_ERROR),
        ("[500]", ReplyState.SERVER_ERROR),
        ("[html502]", ReplyState.SERVER_ERROR),
        ("[garbage]", ReplyState.SERVER_ERROR),
        ("[cut]", ReplyState.SERVER_ERROR),
        ("[hang]", ReplyState.TIMEOUT),
        ("[drip]", ReplyState.TIMEOUT),
        ("[hdrip]", ReplyState.TIMEOUT),
        ("[empty]", ReplyState.EMPTY),
        ("[null]", ReplyState.EMPTY),
        ("[thinking]", ReplyState.EMPTY),
        ("[truncated]", ReplyState.TRUNCATED),
        ("[refused]", ReplyState.REFUSED),
        ("[contentfilter]", ReplyState.REFUSED),
        ("[filtered]", ReplyState.REFUSED),
        ("[401]", ReplyState.CLIENT_ERROR),
        ("[400]", ReplyState.CLIENT_ERROR),
        ("[redirect]", ReplyState.CLIENT_ERROR),
    ],
)
def test_every_ending_has_its_state_and_ends_in_time(server, mark, state):
    reply = ask(server, mark)
    assert reply.state is state
    assert reply.error or state in {ReplyState.OK, ReplyState.EMPTY, ReplyState.TRUNCATED, ReplyState.REFUSED}
    assert reply.latency_seconds is not None and reply.latency_seconds < 8  # two, on a busy machine more
    assert len(server.requests) == 1  # the SDK's own retries are off: each attempt is ours to log


def test_a_good_reply_carries_the_facts(server):
    reply = ask(server, "")
    assert (reply.text, reply.model, reply.finish_reason) == ("答案1", "loop-1-2026", "stop")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.http_status) == (11, 7, 200)
    assert reply.latency_seconds is not None


def test_the_wait_the_server_asks_for_is_kept(server):
    assert ask(server, "[429]").retry_after_seconds == 7


def test_a_lone_surrogate_does_not_break_the_log(server):
    assert ask(server, "[surrogate]").model_dump_json().encode()


def test_settings_reach_the_wire_and_foreign_account_ids_do_not(server, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-account")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-account")
    ask(server, "", temperature=0.25, top_p=0.5, max_tokens=9, system_prompt="简短作答")
    sent = server.requests[0]
    assert sent["body"]["temperature"] == 0.25
    assert sent["body"]["top_p"] == 0.5
    assert sent["body"]["max_tokens"] == 9
    assert [m["role"] for m in sent["body"]["messages"]] == ["system", "user"]
    assert sent["headers"]["authorization"] == f"Bearer {KEY}"
    assert "another-account" not in str(sent)
    assert sent["headers"]["x-client-request-id"] == "1-000001"


def test_what_is_not_set_is_not_sent(server):
    ask(server, "")
    assert set(server.requests[0]["body"]) == {"model", "messages"}


def test_a_missing_key_is_named_when_the_server_wants_one(server):
    bare = Endpoint(settings(server, api_key_env="SOME_KEY"), key="", clock=time.monotonic)
    reply = bare.ask("题#1 [401]", question_id="q1", attempt=1, request_id="1-000001")
    assert "SOME_KEY is not set" in reply.error
    assert "is not set" not in ask(server, "[401]").error


@pytest.mark.parametrize("mark", ["[401]", "[echokey]"])
def test_the_key_is_in_no_reply_error_repr_or_log(server, mark, caplog):
    caplog.set_level(logging.DEBUG)
    target = endpoint(server)
    reply = target.ask(f"题#1 {mark}", question_id="q1", attempt=1, request_id="r")
    assert "redacted" in reply.error + reply.text
    for text in (reply.model_dump_json(), repr(target), str(target.identity()), caplog.text):
        assert KEY not in text


def test_a_key_at_the_end_of_a_long_message_is_taken_out_whole(server):
    reply = ask(server, "[keyclip]")
    assert reply.error.endswith("x [red")


def test_a_key_that_is_a_word_leaves_replies_as_they_are(server):
    server.answers = lambda item: "The result: bearer securities"
    target = Endpoint(settings(server), key="result", clock=time.monotonic)
    reply = target.ask("题#1", question_id="q1", attempt=1, request_id="r")
    assert reply.text == "The result: bearer securities"
    error = target.ask("题#1 [401]", question_id="q1", attempt=1, request_id="r").error
    assert "result" not in error


def test_an_exchange_cut_off_in_its_headers_leaves_the_next_one_alone(server):
    target = endpoint(server)
    asked = [
        target.ask(f"题#{n} {mark}", question_id="q", attempt=1, request_id="r").state
        for n, mark in enumerate(["", "[hdrip]", ""])
    ]
    assert asked == [ReplyState.OK, ReplyState.TIMEOUT, ReplyState.OK]


def test_no_server_at_all(server):
    dead = settings(server)
    server.close()
    reply = Endpoint(dead, key=KEY, clock=time.monotonic).ask("?", question_id="q", attempt=1, request_id="r")
    assert reply.state is ReplyState.SERVER_ERROR
    assert "no connection" in reply.error


def test_the_environment_goes_before_the_dotenv_file(tmp_path):
    remote = ModelSettings(name="m", base_url="https://models.example/v1", api_key_env="MY_KEY")
    dotenv = tmp_path / ".env"
    dotenv.write_text("MY_KEY='from-file'\n")
    assert read_key(remote, {"MY_KEY": "from-env"}, dotenv) == "from-env"
    assert read_key(remote, {}, dotenv) == "from-file"
    with pytest.raises(ModelError, match="MY_KEY"):
        read_key(remote, {}, tmp_path / "absent")
    with pytest.raises(ModelError) as refused:
        read_key(remote, {"MY_KEY": "two words-secret"})
    assert "secret" not in str(refused.value)


def test_a_server_on_this_machine_needs_no_key():
    assert read_key(ModelSettings(name="m", base_url="http://localhost:8000/v1"), {}) == ""


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "ftp://x/v1",
        "http://",
        "http://u:pw@x/v1",
        "http://x/v1?key=pw",
        "http://x:bad/",
    ],
)
def test_addresses_that_cannot_be_used_are_refused_without_showing_them(url):
    with pytest.raises(UsageError) as refused:
        check_base_url(ModelSettings(name="m", base_url=url))
    assert "pw" not in str(refused.value)


def test_a_name_that_is_no_built_in_needs_an_address():
    with pytest.raises(UsageError, match="base_url"):
        build_model(ModelSettings(name="gpt-unknown"), {}, environ={}, clock=time.monotonic)
