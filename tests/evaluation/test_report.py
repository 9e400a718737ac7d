"""The report: one page, nothing foreign in it, figures as scored, hostile text shown as text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from evaluation_kit import endpoint, make_items, make_references

from evaluation.judge import EndpointJudge, OverlapJudge, Panel
from evaluation.models import EndpointModel, ReferenceModel
from evaluation.report import render
from evaluation.run import run
from evaluation.rundir import read_record

NAMES = {"d01": ("哲学", "Philosophy"), "d02": ("经济学", "Economics")}
HOSTILE = "</div><script>alert(1)</script><img src=http://x onerror=1>\x00{{ 7*7 }}\u202e"


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.data = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.data.append(data)


@pytest.fixture
def page(clock, tmp_path):
    items = make_items("", HOSTILE, "")
    references = make_references(items) | {"q1": HOSTILE}
    where = {"now": clock.now, "sleep": clock.sleep}
    result = run(items, references, ReferenceModel(references), OverlapJudge(), tmp_path / "r", **where)
    record = read_record(tmp_path / "r")
    return (
        render(result, record, NAMES, items=items, references=references),
        render(result, record, NAMES),
        result,
    )


def test_hostile_text_is_only_text(page):
    parsed = Tags()
    parsed.feed(page[0])
    assert not {"script", "img", "iframe", "link", "object"} & set(parsed.tags)
    assert not [
        name for name, _ in parsed.attributes if name.startswith("on") or name in {"src", "href", "style"}
    ]
    shown = "".join(parsed.data)
    assert "<script>alert(1)</script>" in shown
    assert "{{ 7*7 }}" in shown
    assert "\x00" not in page[0]


def test_the_page_forbids_everything_but_its_own_style(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page[0].replace("&#39;", "'"))[1]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_figures_names_and_questions_are_shown(page):
    text = page[0]
    assert "100.00" in text
    assert "哲学" in text and "Economics" in text
    assert "d03" in text  # a code without names is shown as it is
    assert text.count("<details>") == 3
    assert "★★★" in text
    assert "不可用于排行榜" in text


def test_what_a_run_took_and_how_its_judges_agree_is_shown(server, clock, tmp_path):
    server.model_id = ""
    server.judge_says = lambda prompt, nth: json.dumps({"Overall Rating": nth % 2})
    items = make_items("", "")
    judges = Panel([EndpointJudge(endpoint(server, name)) for name in ("a", "b")])
    result = run(
        items, make_references(items), EndpointModel(endpoint(server)), judges, tmp_path / "r",
        now=clock.now, sleep=clock.sleep,
    )  # fmt: skip
    shown = render(result, read_record(tmp_path / "r"), NAMES)
    assert "被测模型 model：2 次请求 requests · 22 词元发出 tokens sent · 14 收到 back" in shown
    assert shown.count("裁判 judge ") == 2
    assert "a · b：0.0 % 相同 equal" in shown


def test_without_items_the_page_holds_no_question_and_no_answer(page):
    assert "<details>" not in page[1]
    assert "题#" not in page[1] and "答案0" not in page[1]
