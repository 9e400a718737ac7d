"""The board's page: nothing foreign in it, hostile names and replies are text, every part is there."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from boardkit import made_run, ratings

from evaluation.entries import read_entry
from evaluation.leaderboard import About, Row, build, pin, published_board
from evaluation.report.board import render_board
from evaluation.report.plots import HEIGHT, WIDTH, axis, span, timeline
from evaluation.rundir import read_record

NAMES = {"d02": ("经济学", "Economics"), "d03": ("法学", "Law")}
HOSTILE = "</script><img src=x onerror=alert(1)><!--"


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.scripts, self.text, self._in = [], [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self._in = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._in = ""

    def handle_data(self, data):
        if self._in == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A board of two models with two papers each, one withheld and one short, with its records."""
    home = tmp_path_factory.mktemp("page")
    votes = {"j1": ratings(0.9, seed=1), "j2": ratings(0.9, seed=9)}
    made_run(home / "one-a", ratings(0.9, seed=1), model="one", votes=votes, reply=HOSTILE)
    made_run(home / "one-b", ratings(0.9, seed=2), model="one", paper="second", at="2026-04-01T00:00:00Z")
    made_run(home / "two-a", ratings(0.6, seed=3), model="<b>two", reply=HOSTILE)
    made_run(home / "two-b", ratings(0.6, seed=4), model="<b>two", paper="second", at="2026-04-01T00:00:00Z")
    made_run(home / "hidden", ratings(0.6, seed=5), model="three")
    made_run(home / "short", [*ratings(0.6, 99, seed=6), None], model="four")
    about = {"one": About(access="API", released="2026-01-01"), "<b>two": About(released="2025-01-01")}
    entries = [read_entry(path.name, path, about) for path in sorted(home.iterdir())]
    board = build(entries, pin(entries, None, withhold={"hidden": f"spoilt {HOSTILE}"}), title="Board")
    return board, {path.name: read_record(path) for path in home.iterdir()}


def test_nothing_foreign_and_hostile_texts_are_only_text(made):
    text = render_board(made[0], NAMES, made[1], texts=True)
    page = Page(text)
    assert not {"img", "iframe", "link", "object", "b"} & set(page.tags)
    assert page.tags.count("script") == 2
    outward = [value for name, value in page.attributes if name in {"src", "href", "action"}]
    assert all(value.startswith("#") for value in outward)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]
    assert any(HOSTILE in part for part in page.text)  # the reason of the run withheld
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text.replace("&#39;", "'"))[1]
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy


def test_every_run_shown_has_its_questions_and_texts_only_when_wanted(made):
    board, records = made
    questions = {"first-0000": ("题目", "参考")}
    data = json.loads(Page(render_board(board, NAMES, records, texts=True, questions=questions)).scripts[0])
    assert set(data["runs"]) == {"one-a", "one-b", "two-a", "two-b", "short"}
    line = data["runs"]["one-a"][0]
    assert line[:3] == ["first-0000", "d02", "short_answer"]
    assert line[6:] == ["题目", f"{HOSTILE}0", "参考", f'{{"Overall Rating":{line[3]}}}']
    assert data["runs"]["short"][-1][3] == "timeout"
    assert "超时" in data["reasons"]["timeout"]
    public = render_board(board, NAMES, records)
    assert "alert(1)" not in "".join(Page(public).scripts)
    assert all(len(line) == 6 for line in json.loads(Page(public).scripts[0])["runs"]["one-a"])


def test_ties_withheld_unranked_pairs_and_agreement_are_shown(made):
    text = " ".join(Page(render_board(made[0], NAMES, made[1])).text)
    assert "spoilt" in text and "hidden" in text
    assert "fewer than 1,000" in text
    assert "j1 · j2" in text
    assert "经济学" in text and "d04" in text
    assert "two draws" in text


def test_a_draw_is_relative_to_the_baseline_on_the_same_paper(made):
    (pair,) = made[0].pairs
    rows = {row.run: row for row in made[0].rows}
    assert (pair.model, pair.runs, pair.same) == ("<b>two", ("two-a", "two-b"), (True, True))
    for place, paper in enumerate("ab"):
        expected = 100 * rows[f"two-{paper}"].absolute / rows[f"one-{paper}"].absolute
        assert pair.relative[place] == pytest.approx(expected)


def test_the_published_page_has_all_models_in_every_part():
    text = render_board(published_board(), NAMES)
    assert text.count('<tr data-find="') == 2 * 59
    assert text.count('class="pair-first"') == 16
    assert "<circle" in text and text.count("<circle") == 59


def test_tags_of_the_plot_stay_inside_and_do_not_cover_each_other():
    plot = timeline(published_board().rows)
    boxes = []
    for dot in plot.dots:
        assert 0 < dot.x < WIDTH and 0 < dot.y < HEIGHT
        if dot.tag:
            x, y, anchor = dot.tag
            wide = 5.6 * len(dot.row.model)
            boxes.append((x if anchor == "start" else x - wide, y, wide))
    assert len(boxes) > 50
    for n, (x, y, wide) in enumerate(boxes):
        for other_x, other_y, other_wide in boxes[:n]:
            apart = x >= other_x + other_wide or other_x >= x + wide or abs(y - other_y) >= 11
            assert apart
    assert 15 < plot.a_year < 25


def test_a_plot_needs_two_dates_and_takes_equal_ones():
    row = Row(model="m", absolute=50, asked=1, scored=1, released="2026-01-01")
    assert timeline([row]) is None
    assert timeline([row, row]).trend is None
    assert timeline([row, row, row.model_copy(update={"released": "soon"})]).undated == 1


def test_marks_lie_on_the_scale():
    assert axis([23.6, 90]) == 20
    assert axis([]) == 0
    assert axis([99.9]) == 90
    assert span((60, 80), 70, 50) == (20, 40, 40)
    assert span(None, 70, 50) is None
