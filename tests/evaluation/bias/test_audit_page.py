"""The plots of an audit's page: no name over another one, none outside, and pages that can be scrolled."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bias_planted import planted
from evaluation.audited import audits_of
from evaluation.bias.analyse import analyse
from evaluation.bias.classic import AS_PRINTED
from evaluation.bias.records import AuditReport
from evaluation.bias.reread import Audit
from evaluation.bias.resample import ResampleSettings
from evaluation.leaderboard import published_board
from evaluation.report import audit_plots
from evaluation.report.audit import render_audit
from evaluation.report.board import render_board

LONG = "a-very-long-model-name-with-many-parts-and-quantisation-q4_k_m-gguf"


@pytest.fixture(scope="module")
def report() -> AuditReport:
    """Twenty judges, most of them at one place, with names of all lengths."""
    study = planted([0.0] * 12 + [0.3, -0.25, 0.1, 0.06, -0.05, 0.15, 0.02, -0.1], prompts=60)
    made = analyse(study, ResampleSettings(resamples=199), AS_PRINTED, made_at="2026-01-02")
    names = [
        LONG,
        "通义千问-大模型-专业版-二〇二五年六月版",
        *(f"judge-{n}" * (1 + n % 3) for n in range(18)),
    ]
    judges = tuple(
        one.model_copy(update={"judge": name}) for one, name in zip(made.judges, names, strict=True)
    )
    return made.model_copy(update={"judges": judges})


def test_names_in_the_plane_cover_nothing(report):
    plane = audit_plots.plane(report)
    assert plane is not None and len(plane.marks) == 20
    boxes = [
        (audit_plots.LEFT, audit_plots.TOP, 200.0, 40.0),  # what the quadrants are called
        (840.0, audit_plots.TOP, 970.0, 40.0),
        (audit_plots.LEFT, plane.bottom - 20, 300.0, plane.bottom),
        *((mark.x - 4, mark.y - 4, mark.x + 4, mark.y + 4) for mark in plane.marks[:1]),
    ]
    named = [mark for mark in plane.marks if mark.tag]
    assert len(named) >= 18
    for mark in named:
        assert mark.tag is not None
        x, y, side = mark.tag
        wide = audit_plots._wide(mark.name)
        box = (x if side == "start" else x - wide, y - 10, (x + wide) if side == "start" else x, y + 2)
        assert box[0] >= audit_plots.LEFT and box[2] <= audit_plots.WIDTH
        boxes.append(box)
    assert not [pair for pair in combinations(boxes, 2) if audit_plots._meet(*pair)]


def test_the_plane_shows_little_that_is_empty(report):
    plane = audit_plots.plane(report)
    assert plane is not None
    lowest = max(mark.y for mark in plane.marks)
    assert plane.level < plane.bottom - 40  # there is a place for judges that tell nothing apart
    assert lowest > 0.4 * plane.bottom


@given(st.lists(st.floats(0, 560), max_size=38))
def test_names_beside_lines_stand_apart(places):
    found = audit_plots._apart(places)
    for one, other in combinations(sorted(found), 2):
        assert other - one >= audit_plots._TAG - 1e-6
    assert all(audit_plots.TOP - 1e-6 <= one <= audit_plots.HEIGHT for one in found)
    if len(places) == 1:
        assert found == pytest.approx([max(20, min(554, places[0]))])


@given(st.text(max_size=80), st.floats(30, 300))
def test_a_name_takes_the_room_there_is(name, room):
    short = audit_plots.shortened(name, room)
    assert audit_plots._wide(short) <= room or len(short) <= 3
    assert short == name if audit_plots._wide(name) <= room else "…" in short


def test_wide_parts_of_pages_can_be_scrolled(report):
    """Every table and plot stands in a box of its own, so that no page runs off a narrow screen."""
    board = published_board().model_copy(update={"audits": audits_of("m", [Audit(report, "sealed")])})
    for page in (render_audit(report), render_board(board, {})):
        main = page.split('<section id="run"')[0]
        for found in re.finditer(r"<table|<svg class=\"plot\"", main):
            before = main[: found.start()].rstrip()
            assert before.endswith('<div class="scroll">') or "agreement of judges" in before.lower()[-300:]


def test_a_fit_that_is_warned_of_is_not_green(report):
    fit = report.judges[0].model_copy(update={"verdict": "fit", "name": "m"})
    made = report.model_copy(update={"judges": (fit,), "resamples": 10_000})
    for seal, kind in (("sealed", "verdict fit"), ("not_sealed", "verdict warned")):
        board = published_board().model_copy(update={"audits": audits_of("m", [Audit(made, seal)])})
        assert f'class="{kind}"' in render_board(board, {})
