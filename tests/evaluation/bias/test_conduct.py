"""An audit over HTTP: what is asked, in which order, what a kill leaves, and what is not asked twice."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from auditkit import House, around, planned

from evaluation.bias.analyse import analyse
from evaluation.bias.classic import AS_PRINTED
from evaluation.bias.conduct import conduct
from evaluation.bias.folder import read_plan, write_plan
from evaluation.bias.load import load
from evaluation.bias.planning import outlook
from evaluation.bias.resample import ResampleSettings
from evaluation.bias.tally import NOT_ASKED, UNREADABLE
from evaluation.signing import Signer
from schemas.errors import ExamBankError, ModelError, UsageError

FEW = ResampleSettings(resamples=199)


@pytest.fixture
def house():
    made = House()
    yield made
    made.close()


def report(folder):
    return analyse(load(folder), FEW, AS_PRINTED)


def lines(folder, stage):
    return [
        json.loads(line)
        for path in sorted((folder / stage).glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def test_a_whole_audit(house, tmp_path):
    """Every judge takes its own reply, and of two others the one that comes first by name."""
    house.quality = lambda model, number: 3.0 if model == "m2" and number % 2 else 7.0
    house.choose = lambda judge, first, second: judge if judge in (first, second) else min(first, second)
    plan = planned(house, tmp_path, prompts=10, forms=("plain", "structured"), pointwise=True)
    before = outlook(None, plan)
    conduct(tmp_path, around())
    made = report(tmp_path)
    assert made.graded == made.replies == 30 and made.replies_missing == 0
    own = {one.judge: one.measure for one in made.judges}
    assert all(measure.rho == 1 for measure in own.values())
    assert own["m0"].own.asked == 15 and own["m2"].own.asked == 10  # none where the reply of m2 is poor
    assert own["m0"].null.asked == own["m2"].null.asked == 5
    assert own["m0"].pi == 1 and own["m0"].contrast_pairs == 5
    assert own["m2"].contrast_pairs == 0  # the only poor replies are its own
    assert all(one.pointwise.gap == 1 for one in made.judges)
    for one in made.judges:
        assert [eased.measure.form for eased in one.mitigations] == ["structured"]
        assert all(eased.measure.beta == pytest.approx(one.measure.beta) for eased in one.mitigations)
    assert made.agreements[0].mean_difference == 0
    most = {(one.name, one.role): one.calls for one in before.parts}
    said = Counter(
        (entry["verdict"]["judge"], f"verdict {entry['verdict']['form']}")
        for entry in lines(tmp_path, "verdicts")
        if entry["event"] == "verdict"
    )
    assert not before.exact and all(count <= most[name] for name, count in said.items())
    after = outlook(tmp_path, plan)
    assert after.exact and not after.parts
    assert all(body["temperature"] == 0 and body["top_p"] == 1 for body in house.seen)


def test_pairs_are_asked_in_both_orders_and_contrast_once(house, tmp_path):
    house.quality = lambda model, number: 3.0 if model == "m2" else 7.0
    planned(house, tmp_path, prompts=2, forms=("plain", "reasoned"))
    conduct(tmp_path, around())
    said = [entry["verdict"] for entry in lines(tmp_path, "verdicts") if entry["event"] == "verdict"]
    assert all(one["choice"] for one in said)
    pairs = Counter(
        (one["judge"], frozenset((one["first"], one["second"]))) for one in said if one["form"] == "plain"
    )
    equal, far = frozenset(("m0", "m1")), {"m0": frozenset(("m1", "m2")), "m1": frozenset(("m0", "m2"))}
    assert pairs == {("m0", equal): 4, ("m1", equal): 4, ("m0", far["m0"]): 2, ("m1", far["m1"]): 2}


def test_majority_is_counted_in_code(house, tmp_path):
    planned(house, tmp_path, prompts=2, forms=("plain", "structured"))
    conduct(tmp_path, around())
    said = [e["verdict"] for e in lines(tmp_path, "verdicts") if e["event"] == "verdict"]
    structured = [one for one in said if one["form"] == "structured"]
    assert structured
    for one in structured:
        letters = Counter(one["choices"].values())
        assert {"A": "first", "B": "second"}[letters.most_common(1)[0][0]] == one["choice"]


def test_goes_on_after_a_kill_and_asks_nothing_twice(house, tmp_path):
    """Stopped in the middle of every stage in turn; a torn line is set aside and asked again."""
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    planned(house, whole, prompts=3, pointwise=True)
    conduct(whole, around())
    once = Counter(house.asked)
    house.asked.clear()
    planned(house, cut, prompts=3, pointwise=True)
    for limit in (4, 15, 40, 90):
        world = around()
        house.after = lambda world=world, limit=limit: house.asked.total() >= limit and world.stop.set()
        with pytest.raises(BaseException, match=r"^$"):
            conduct(cut, world)
    house.after = lambda: None
    journal = next((cut / "verdicts").glob("*.jsonl"))
    data = journal.read_bytes()
    journal.write_bytes(data[: len(data) - 7])
    conduct(cut, around())
    assert (
        house.asked - once == Counter({"plain": 1}) or house.asked == once
    )  # the torn line may be a session's
    assert report(cut) == report(whole)


def test_unreadable_verdicts_stay_in_the_denominator(house, tmp_path):
    house.says = lambda kind, model: "Both are fine." if (kind, model) == ("plain", "m1") else None
    planned(house, tmp_path, prompts=2)
    conduct(tmp_path, around())
    made = report(tmp_path)
    lost = next(one for one in made.judges if one.judge == "m1").measure
    assert lost.own.unreadable == lost.own.asked == 4 and lost.rho == 0
    assert next(one for one in made.judges if one.judge == "m1").verdict == "not_fit"
    said = load(tmp_path).choices["plain"]["m1"]
    assert set(said.ravel().tolist()) == {UNREADABLE, NOT_ASKED}
    before = house.asked["plain"]
    conduct(tmp_path, around())
    assert house.asked["plain"] == before  # what could not be read is settled


def test_faults_are_asked_again_by_the_next_session(house, tmp_path):
    house.faults["plain"] = [500, 500]  # one verdict, both attempts, if they meet the same one
    planned(house, tmp_path, prompts=2)
    conduct(tmp_path, around())
    conduct(tmp_path, around())
    assert all(one.measure.own.asked == one.measure.own.wanted for one in report(tmp_path).judges)


def test_a_dead_endpoint_stops_the_audit(house, tmp_path):
    house.faults["grade"] = [401]
    planned(house, tmp_path, prompts=2)
    with pytest.raises(ModelError) as stopped:
        conduct(tmp_path, around())
    assert stopped.value.code == "model_denied"
    conduct(tmp_path, around())
    assert report(tmp_path).graded == 6


def test_endpoints_that_know_no_schema(house, tmp_path):
    house.takes_schema = False
    planned(house, tmp_path, prompts=2)
    conduct(tmp_path, around())
    assert report(tmp_path).graded == 6
    refused = [e for e in lines(tmp_path, "grades") if e["event"] == "grade" and not e["final"]]
    assert len(refused) == 4  # each grader learns it once for each form


def test_a_grader_that_turns_out_to_be_kin_is_refused(house, tmp_path):
    house.model_id = lambda name: "m2" if name == "critic" else name
    planned(house, tmp_path, prompts=2)
    with pytest.raises(ModelError):
        conduct(tmp_path, around())
    other = tmp_path / "allowed"
    planned(house, other, prompts=2, allow_kin=True)
    conduct(other, around())


def test_kin_graders_make_no_judge_fit(house, tmp_path):
    planned(house, tmp_path, prompts=2, graders=("m0", "reviewer"), allow_kin=True)
    conduct(tmp_path, around())
    made = report(tmp_path)
    assert {one.verdict for one in made.judges} == {"not_fit"}
    assert any("family" in english for _, english in made.notes)


def test_signed_journals_show_an_edit(house, tmp_path):
    signer = Signer(bytes(range(32)))
    planned(house, tmp_path, prompts=2, signed=True)
    conduct(tmp_path, around(signer=signer))
    load(tmp_path, signer)
    journal = next((tmp_path / "grades").glob("*.jsonl"))
    journal.write_bytes(journal.read_bytes().replace(b'"relevance":7.0', b'"relevance":9.0', 1))
    with pytest.raises(ExamBankError) as found:
        load(tmp_path, signer)
    assert found.value.code == "run_edited"


def test_a_plan_does_not_change(house, tmp_path):
    plan = planned(house, tmp_path)
    assert write_plan(tmp_path, plan) == plan == read_plan(tmp_path)
    with pytest.raises(UsageError) as other:
        planned(house, tmp_path, epsilon=0.5)
    assert other.value.code == "audit_differs" and "rules.epsilon" in other.value.message
