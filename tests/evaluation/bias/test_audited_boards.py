"""Boards tell what an audit found of their judges, and warn where there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.bias_planted import planted
from evaluation.audited import JudgeAudit, audits_of, remembered
from evaluation.bias.analyse import analyse
from evaluation.bias.classic import AS_PRINTED
from evaluation.bias.records import AuditReport
from evaluation.bias.reread import Audit, read_audit, read_report
from evaluation.bias.resample import ResampleSettings
from evaluation.bias.settings import AuditModel
from evaluation.export import board_csv
from evaluation.families import dateless
from evaluation.leaderboard import published_board
from evaluation.report.audit import render_audit
from evaluation.report.board import render_board
from schemas.errors import ExamBankError, UsageError


@pytest.fixture(scope="module")
def report() -> AuditReport:
    study = planted([0.0, 0.3, 0.0, 0.0, 0.0, 0.0], prompts=300)
    made = analyse(study, ResampleSettings(resamples=199), AS_PRINTED, made_at="2026-01-02")
    return made.model_copy(update={"started_at": "2025-06-01T00:00:00Z", "resamples": 10_000})


def sealed(*reports: AuditReport) -> list[Audit]:
    return [Audit(one, "sealed") for one in reports]


def warned(one: JudgeAudit) -> str:
    return "\n".join(english for _, english in one.warnings)


def named(report: AuditReport, place: int, **fields: object) -> AuditReport:
    """The report with fields of one of its judges changed."""
    judges = list(report.judges)
    judges[place] = judges[place].model_copy(update=fields)
    return report.model_copy(update={"judges": tuple(judges)})


def test_the_newest_audit_of_each_judge(report):
    older = report.model_copy(update={"made_at": "2025-01-01", "audit": "old"})
    first, second, third = audits_of("house/model-1-2026-01-01+model-2+other", sealed(older, report))
    assert first.verdict == "not_fit" and first.beta == report.judges[1].measure.beta and first.audit != "old"
    assert second.judge == "model-2" and second.made_at == "2026-01-02"
    assert third.verdict == "" and third.judge == "other"


def test_the_worst_setting_stands_for_a_model(report):
    worse = report.judges[1].model_copy(update={"name": "model-0", "judge": "model-0, warm"})
    both = report.model_copy(update={"judges": (*report.judges, worse)})
    assert audits_of("model-0", sealed(both))[0].verdict == "not_fit"


def test_the_board_shows_it(report):
    board = published_board()
    assert "未经审计" in render_board(board.model_copy(update={"audits": audits_of(board.judge, [])}), {})
    shown = render_board(board.model_copy(update={"audits": audits_of("model-1", sealed(report))}), {})
    assert "不合格 not fit" in shown and f"{report.judges[1].measure.beta:+.3f}" in shown


def test_an_audit_planned_later_is_the_newer_one(report):
    """A report can be made again at any time; what it rests on is as old as it is."""
    again = named(report, 1, verdict="fit").model_copy(
        update={"started_at": "2020-01-01T00:00:00Z", "made_at": "2030-01-01", "audit": "old"}
    )
    for given in (sealed(again, report), sealed(report, again)):
        (one,) = audits_of("model-1", given)
        assert (one.verdict, one.audit) == ("not_fit", report.audit)
    worse = report.model_copy(update={"started_at": "2020-01-01T00:00:00Z"})
    better = named(report, 1, verdict="fit").model_copy(update={"started_at": "2021-01-01T00:00:00Z"})
    (one,) = audits_of("model-1", sealed(worse, better))
    assert one.verdict == "fit" and "another audit found it worse" in warned(one)


def test_a_board_remembers_the_newest_audit_it_showed(report):
    """An older audit, none at all, or the same one told better take its place with a warning, and go on to."""
    worse = report.model_copy(update={"audit": "newer"})
    older = named(report, 1, verdict="fit").model_copy(
        update={"audit": "older", "started_at": "2025-01-01T00:00:00Z"}
    )
    again = named(worse, 1, verdict="fit")
    found, kept = remembered(audits_of("model-1", sealed(worse)), {})
    assert kept["model-1"].verdict == "not_fit" and "has shown" not in warned(found[0])
    for given in (sealed(older), [], sealed(again)):
        for _ in range(2):
            (one,), kept = remembered(audits_of("model-1", given), kept)
            assert "has shown a newer or worse finding" in warned(one) and "newer" in warned(one)
    assert "has shown" not in warned(remembered(audits_of("model-1", sealed(worse)), kept)[0][0])
    newest = again.model_copy(update={"audit": "newest", "started_at": "2025-07-01T00:00:00Z"})
    (one,), kept = remembered(audits_of("model-1", sealed(newest)), kept)
    assert "has shown" not in warned(one) and kept["model-1"].audit == "newest"


def test_an_audit_that_was_not_finished_may_end_well(report):
    open_ = named(report, 0, verdict="not_decided")
    _, kept = remembered(audits_of("model-0", sealed(open_)), {})
    (one,), kept = remembered(audits_of("model-0", sealed(named(report, 0, verdict="fit"))), kept)
    assert not one.warnings and kept["model-0"].verdict == "fit"


@pytest.mark.parametrize(
    ("audited", "judge", "stands", "very"),
    [
        ("qwen2.5-72b-instruct", "Qwen/Qwen2.5-72B-Instruct", True, True),
        ("qwen2.5-72b-instruct", "qwen2.5-7b-instruct", False, False),
        ("qwen2.5-72b", "qwen2.5-72b-instruct", False, False),
        ("qwen2.5:7b", "qwen2.5:72b", False, False),
        ("claude-v2", "claude-v1", False, False),
        ("gpt-4-0613", "gpt-4-1106", True, False),
        ("gpt-4", "gpt-4-8192", False, False),
        ("deepseek-v3-0324", "deepseek-v3", True, False),
        ("gemini-2.5-pro", "gemini-2.5-pro-preview", False, False),
    ],
)
def test_an_audit_stands_for_no_other_size_or_version(report, audited, judge, stands, very):
    (one,) = audits_of(judge, sealed(named(report, 0, name=audited, model_ids=(audited,))))
    assert (bool(one.verdict), one.very) == (stands, very)
    if stands:
        assert one.model == audited and (very or f"audited was {audited}" in warned(one))
    else:
        assert "no audit" in warned(one) and f"the audit of {audited} does not stand" in warned(one)
    page = render_board(published_board().model_copy(update={"audits": (one,)}), {})
    assert audited in page and ("does not stand" in page) is not stands


def test_what_endpoints_return_tells_judges_apart(report):
    """One name may serve one model today and another tomorrow."""
    alias = named(report, 0, name="judge", model_ids=("qwen2.5-72b",))
    assert audits_of("judge", sealed(alias), ids=["qwen2.5-72b"])[0].very
    (other,) = audits_of("judge", sealed(alias), ids=["qwen2.5-7b"])
    assert not other.verdict
    (later,) = audits_of(
        "judge", sealed(named(report, 0, name="judge", model_ids=("m-0613",))), ids=["m-1106"]
    )
    assert later.verdict and not later.very and "m-1106" in warned(later)
    (renamed,) = audits_of("our-judge", sealed(alias), ids=["qwen2.5-72b"])
    assert renamed.verdict and renamed.very and renamed.model == "judge"


def test_a_date_is_what_looks_like_one():
    for name in ("m-2024-08-06", "m-20240806", "m-240806", "m-0806", "m-2408", "m-08-06", "M-latest", "a/m"):
        assert dateless(name) == "m", name
    for name in ("m-8192", "m-32768", "m-7b", "m-v2", "m-3", "m-1"):
        assert dateless(name) == name


def test_a_plus_in_a_name_is_no_panel(report):
    both = sealed(named(report, 0, name="command-r+"))
    (one,) = audits_of("command-r+", both, members=[{"name": "command-r+"}])
    assert one.verdict and one.very


@pytest.mark.parametrize("verdict", ["not_fit", "not_decided", "superb", "fit_with_mitigation"])
def test_a_verdict_is_shown_as_it_is(report, verdict):
    (one,) = audits_of("model-0", sealed(named(report, 0, verdict=verdict)))
    board = published_board().model_copy(update={"audits": (one,)})
    page = render_board(board, {})
    known = {"not_fit": "不合格 not fit", "not_decided": "未定 not decided", "superb": "未知 unknown"}
    assert known.get(verdict, "缓解后合格") in page and ">合格 fit<" not in page
    assert bool(one.warnings) is (verdict != "fit_with_mitigation")
    assert one.verdict == ("unknown" if verdict == "superb" else verdict)
    assert known.get(verdict, "缓解后合格") in render_audit(named(report, 0, verdict=verdict))
    assert f",{one.verdict}," in board_csv(board)


def test_bounds_that_are_not_the_usual_ones_are_on_the_board(report):
    loose = report.model_copy(
        update={
            "alpha": 0.001,
            "rules": report.rules.model_copy(update={"pi": 0.55, "beta": 0.4, "epsilon": 1.5}),
        }
    )
    (usual,), (one,) = audits_of("model-0", sealed(report)), audits_of("model-0", sealed(loose))
    assert not usual.warnings and usual.limits is not None and usual.limits.pi == 0.8
    assert "π ≥ 0.55, |β| ≤ 0.4, α = 0.001, ε = 1.5" in warned(one)
    board = published_board().model_copy(update={"audits": (one,)})
    assert "π ≥ 0.55" in board_csv(board) and "α = 0.001" in render_board(board, {})


def test_an_audit_under_other_settings_is_warned_of(report):
    model = AuditModel(name="model-0", base_url="http://127.0.0.1:1/v1/", system_prompt="Be fair.")
    identity = {"name": "model-0", "base_url": "http://127.0.0.1:1/v1", "temperature": 0.0}
    identity |= {"system_prompt": "Be fair.", "reasoning_effort": model.reasoning_effort, "max_tokens": 7}
    audits = [Audit(report, "sealed", (model,))]
    (same,) = audits_of("model-0", audits, [identity])
    assert not same.warnings
    for name, value in (("temperature", 0.7), ("base_url", "http://127.0.0.1:2/v1"), ("system_prompt", "")):
        (other,) = audits_of("model-0", audits, [{**identity, name: value}])
        assert other.verdict and warned(other).endswith(f"those of the runs: {name}")
        assert "127.0.0.1" not in warned(other)
    (unset,) = audits_of("model-0", audits, [{**identity, "temperature": None}])
    assert not unset.warnings  # what the endpoint chooses by itself is not known to be another one


def test_what_makes_an_audit_small_is_warned_of(report):
    for fields, word in (
        ({"resamples": 199}, "resampled 199 times"),
        ({"seed": 12}, "with seed 12"),
        ({"rules": report.rules.model_copy(update={"gap": 9.0, "contrast": 3})}, "gap ≥ 9, π of 3 pairs"),
    ):
        (one,) = audits_of("model-0", sealed(report.model_copy(update=fields)))
        assert word in warned(one)
    few = report.judges[0].measure.model_copy(update={"contrast_pairs": 3})
    (one,) = audits_of("model-0", sealed(named(report, 0, measure=few)))
    assert "π rests on 3 pairs" in warned(one)


@pytest.mark.parametrize("seal", ["not_sealed", "not_checked"])
def test_an_audit_without_a_checked_seal_is_warned_of(report, seal):
    (one,) = audits_of("model-0", [Audit(report, seal)])
    board = published_board().model_copy(update={"audits": (one,)})
    assert "seal" in warned(one) and seal in board_csv(board)
    assert {"not_sealed": "未签封", "not_checked": "签封未核对"}[seal] in render_board(board, {})


def test_a_report_comes_back_from_its_file(report, tmp_path):
    (tmp_path / "audit.json").write_text(report.model_dump_json(), encoding="utf-8")
    assert read_audit(tmp_path) == read_audit(tmp_path / "audit.json") == Audit(report, "not_sealed")
    with pytest.raises(UsageError):
        read_audit(tmp_path / "none.json")


def of_judge(place: int, **fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["judges"][place].update(fields)


def of_measure(place: int, **fields: object) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["judges"][place]["measure"].update(fields)


@pytest.mark.parametrize(
    "edit",
    [
        of_judge(1, verdict="fit"),
        of_judge(1, verdict="superb"),
        of_judge(1, verdict=True),
        of_measure(1, beta=0.01),
        of_measure(1, beta=0.01, judge_class="objective"),
        of_measure(1, judge_class="objective", class_probabilities={"objective": 1.0}),
        of_measure(0, beta=1e300),
        of_measure(0, beta="0.01"),
        of_measure(0, pi=float("nan")),
        of_measure(0, class_probabilities={"objective": 7.0}),
        of_measure(
            0, own={"wanted": 9, "asked": 9, "target": 90, "other": 0, "inconsistent": 0, "unreadable": 0}
        ),
        lambda data: data.update(prompts=10**40),
        lambda data: data.update(prompts="120"),
        lambda data: data.update(alpha=None),
        lambda data: data.update(judges=[]) or data.pop("judges"),
        lambda data: data.update(more=1),
        lambda data: data.update(missing=[{"stage": "replies", "who": "model-0", "wanted": 9, "asked": 1}]),
        lambda data: data["rules"].update(pi=True),
    ],
)
def test_a_report_that_does_not_fit_together_is_refused(report, tmp_path, edit):
    assert report.judges[0].verdict == "fit"
    data = json.loads(report.model_dump_json())
    edit(data)
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ExamBankError) as found:
        read_report(path)
    assert found.value.code == "audit_damaged" and str(path) in found.value.message


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, '{"a": ' + "9" * 5000 + "}", '{"a": 1e999}', "\0", "null"]
)
def test_a_file_that_is_no_report_is_refused(tmp_path, text):
    (tmp_path / "audit.json").write_text(text, encoding="utf-8")
    with pytest.raises(ExamBankError) as found:
        read_audit(tmp_path)
    assert found.value.code == "audit_damaged" and len(found.value.message) < 500


def test_names_are_escaped_on_the_page(report):
    hostile = report.judges[0].model_copy(update={"judge": "<script>x</script>"})
    page = render_audit(report.model_copy(update={"judges": (hostile, *report.judges[1:])}))
    assert "<script" not in page and "&lt;script&gt;" in page
    assert page.count("<svg") >= 2 and "http://" not in page and "https://" not in page
