"""Boards tell what an audit found of their judges, and warn where there is none."""

from __future__ import annotations

import pytest

from benchmarks.bias_planted import planted
from evaluation.audited import audits_of
from evaluation.bias.analyse import analyse
from evaluation.bias.classic import AS_PRINTED
from evaluation.bias.records import AuditReport
from evaluation.bias.resample import ResampleSettings
from evaluation.leaderboard import published_board
from evaluation.report.audit import render_audit
from evaluation.report.board import render_board
from flows.commands.audit import read_audit
from schemas.errors import UsageError


@pytest.fixture(scope="module")
def report() -> AuditReport:
    study = planted([0.0, 0.3, 0.0, 0.0, 0.0, 0.0], prompts=120)
    return analyse(study, ResampleSettings(resamples=199), AS_PRINTED, made_at="2026-01-02")


def test_the_newest_audit_of_each_judge(report):
    older = report.model_copy(update={"made_at": "2025-01-01", "audit": "old"})
    first, second, third = audits_of("house/model-1-2026-01-01+model-2+other", [older, report])
    assert first.verdict == "not_fit" and first.beta == report.judges[1].measure.beta and first.audit != "old"
    assert second.judge == "model-2" and second.made_at == "2026-01-02"
    assert third.verdict == "" and third.judge == "other"


def test_the_worst_setting_stands_for_a_model(report):
    worse = report.judges[1].model_copy(update={"name": "model-0", "judge": "model-0, warm"})
    both = report.model_copy(update={"judges": (*report.judges, worse)})
    assert audits_of("model-0", [both])[0].verdict == "not_fit"


def test_the_board_shows_it(report):
    board = published_board()
    assert "未经审计" in render_board(board.model_copy(update={"audits": audits_of(board.judge, [])}), {})
    shown = render_board(board.model_copy(update={"audits": audits_of("model-1", [report])}), {})
    assert "不合格 not fit" in shown and f"{report.judges[1].measure.beta:+.3f}" in shown


def test_a_report_comes_back_from_its_file(report, tmp_path):
    (tmp_path / "audit.json").write_text(report.model_dump_json(), encoding="utf-8")
    assert read_audit(tmp_path) == read_audit(tmp_path / "audit.json") == report
    with pytest.raises(UsageError):
        read_audit(tmp_path / "none.json")


def test_names_are_escaped_on_the_page(report):
    hostile = report.judges[0].model_copy(update={"judge": "<script>x</script>"})
    page = render_audit(report.model_copy(update={"judges": (hostile, *report.judges[1:])}))
    assert "<script" not in page and "&lt;script&gt;" in page
    assert page.count("<svg") >= 2 and "http://" not in page and "https://" not in page
