"""An audit that is not finished finds no judge fit, wherever it was stopped and whatever was lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from auditkit import MODELS, House, around, planned
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.bias.analyse import analyse
from evaluation.bias.classic import AS_PRINTED
from evaluation.bias.conduct import conduct
from evaluation.bias.load import load
from evaluation.bias.resample import ResampleSettings
from evaluation.bias.tally import UNREADABLE
from evaluation.bias.whole import gaps
from evaluation.report.audit import render_audit
from schemas.errors import ExamBankError, ModelError

FEW = ResampleSettings(resamples=199)
WIDE = {"forms": ("plain", "structured"), "epsilons": (0.25, 0.75), "beta": 1.0, "pi": 0.0}


@pytest.fixture
def house():
    made = House()
    yield made
    made.close()


def quality(model: str, number: int) -> float:
    """Some replies equal, some so at a wide threshold alone, some far apart."""
    if number % 4 == 3:
        return 3.0 if model == f"m{number // 4 % 3}" else 7.0
    return 7.5 if model == "m2" and number % 4 == 2 else 7.0


def rates(kind: str, model: str) -> str | None:
    return json.dumps({"Overall Rating": 2}) if kind == "stars" else None


def report(folder: Path):
    return analyse(load(folder), FEW, AS_PRINTED)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An audit of judges that are all fit, by bounds that everyone is within."""
    house, folder = House(), tmp_path_factory.mktemp("audit") / "whole"
    house.quality, house.says = quality, rates
    planned(house, folder, prompts=24, pointwise=True, **WIDE)
    conduct(folder, around())
    house.close()
    assert {one.verdict for one in report(folder).judges} == {"fit"} and not report(folder).missing
    return folder


def journals(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*/*.jsonl"))


def concerned(journal: Path) -> set[str]:
    """The judges whose figures rest on a journal: replies and grades are everybody's."""
    return {journal.stem[3:]} if journal.parent.name in {"verdicts", "stars"} else set(MODELS)


def check(folder: Path, judges: set[str]) -> None:
    made = report(folder)
    assert made.missing
    for one in made.judges:
        assert one.verdict == "not_decided"
        own = [("审计未完成" in zh and "not finished" in en, "other judges" in en) for zh, en in one.reasons]
        assert own[0] == (True, one.judge not in judges)
        assert one.judge not in judges or set(own) == {(True, False)}
    assert "not finished" in made.notes[0][1]
    assert "未定 not decided" in render_audit(made)


@pytest.mark.parametrize("share", [0.4, 0.9, 1.0])
def test_a_journal_that_ends_early(whole, tmp_path, share):
    """Cut after some, nearly all; with 1.0 the last line alone is torn."""
    for number, journal in enumerate(journals(whole)):
        cut = tmp_path / str(number)
        shutil.copytree(whole, cut)
        lines = journal.read_bytes().splitlines(keepends=True)
        kept = b"".join(lines[: int(share * len(lines))])
        (cut / journal.relative_to(whole)).write_bytes(kept[:-9] if share == 1 else kept)
        check(cut, concerned(journal))


def test_a_journal_that_is_gone(whole, tmp_path):
    for number, journal in enumerate(journals(whole)):
        cut = tmp_path / str(number)
        shutil.copytree(whole, cut)
        (cut / journal.relative_to(whole)).unlink()
        check(cut, concerned(journal))


def test_a_journal_that_cannot_be_opened(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "cut")
    journal = tmp_path / "cut/verdicts/01-m0.jsonl"
    journal.unlink()
    journal.mkdir()
    with pytest.raises(ExamBankError, match=r"01-m0\.jsonl cannot be read: Is a directory"):
        load(tmp_path / "cut")


def kind_of(entry: dict) -> str:
    """What a verdict was asked for."""
    if entry["event"] != "verdict":
        return ""
    one = entry["verdict"]
    apart = abs(
        quality(one["first"], int(one["prompt_id"][1:])) - quality(one["second"], int(one["prompt_id"][1:]))
    )
    own = "own" if one["judge"] in (one["first"], one["second"]) else "null"
    return f"{one['form']} {'contrast' if apart > 1 else own if apart < 0.3 else own + ' wide'}"


def test_one_verdict_of_every_kind(whole, tmp_path):
    """Of each form, one of high contrast, of own pairs, of null pairs, and of those of the curve alone."""
    journal = whole / "verdicts/01-m0.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    kinds = [kind_of(json.loads(line)) for line in lines]
    found = sorted({kind for kind in kinds if kind})
    assert found == [
        *("plain contrast", "plain null", "plain null wide", "plain own", "plain own wide"),
        *("structured contrast", "structured null", "structured own"),
    ]
    for kind in found:
        cut = tmp_path / kind.replace(" ", "-")
        shutil.copytree(whole, cut)
        place = kinds.index(kind)
        (cut / "verdicts/01-m0.jsonl").write_bytes(b"".join(lines[:place] + lines[place + 1 :]))
        check(cut, {"m0"})
        (gap,) = gaps(load(cut))
        assert (gap.who, gap.form, gap.wanted - gap.asked) == ("m0", kind.split()[0], 1)


def test_a_cut_audit_goes_on_to_the_same_end(whole, tmp_path, house):
    """The rest is asked again, whichever stage was cut, and the report is the one of the whole."""
    house.quality, house.says = quality, rates
    for number, journal in enumerate(journals(whole)[::3]):
        cut = tmp_path / str(number)
        planned(house, cut, prompts=24, pointwise=True, **WIDE)
        for part in journals(whole):
            (cut / part.relative_to(whole)).parent.mkdir(exist_ok=True)
            shutil.copy(part, cut / part.relative_to(whole))
        lines = journal.read_bytes().splitlines(keepends=True)
        (cut / journal.relative_to(whole)).write_bytes(b"".join(lines[: len(lines) // 2]))
        conduct(cut, around())
        strip = {"audit", "started_at"}
        assert report(cut).model_dump(exclude=strip) == report(whole).model_dump(exclude=strip)


def test_another_reply_is_graded_and_judged_anew(house, tmp_path):
    """Where replies were lost and asked again, what was said of the old texts does not count for the new ones."""
    house.quality, house.says = quality, rates
    planned(house, tmp_path, prompts=24, pointwise=True, **WIDE)
    conduct(tmp_path, around())
    journal = tmp_path / "replies/01-m0.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-2]))  # asked and answered: p23
    house.quality = lambda model, number: quality(model, number) + (model == "m0" and number == 23) * 0.25
    before = house.asked.copy()
    conduct(tmp_path, around())
    assert house.asked["reply"] == before["reply"] + 1 and house.asked["grade"] == before["grade"] + 2
    study = load(tmp_path)
    assert study.quality[0, 23] == 7.25 and not gaps(study)
    seen = [body["messages"][-1]["content"] for body in house.seen[before.total() :]]
    assert seen and all("p23" in one for one in seen)
    assert all("m0 answers p23 with quality 7.25" in one for one in seen if "m0 answers" in one)


@pytest.mark.parametrize("kind", ["reply", "grade", "plain", "structured", "stars"])
def test_a_fault_at_any_stage(house, tmp_path, kind):
    """What an endpoint's faults have cost is missing until another session has asked it."""
    house.quality, house.says = quality, rates
    house.faults[kind] = [500, 500] * 4
    planned(house, tmp_path, prompts=24, pointwise=True, **WIDE)
    conduct(tmp_path, around())
    made = report(tmp_path)
    assert made.missing and {one.verdict for one in made.judges} == {"not_decided"}
    conduct(tmp_path, around())
    assert {one.verdict for one in report(tmp_path).judges} == {"fit"}


@pytest.mark.parametrize("kind", ["reply", "grade", "plain", "stars"])
def test_a_prompt_that_is_too_long_keeps_no_audit_open(house, tmp_path, kind):
    """What does not fit a model's context never will: it is settled as unreadable, and told."""
    house.quality, house.says = quality, rates
    house.refusal = "This model's maximum context length is 4096 tokens"
    house.faults[kind] = [400] * 12
    planned(house, tmp_path, prompts=24, pointwise=True, **WIDE)
    conduct(tmp_path, around())
    made = report(tmp_path)
    assert not made.missing
    lost = {
        "reply": made.replies_missing,
        "grade": sum(one.unreadable for one in made.grading),
        "plain": sum(int((said == UNREADABLE).sum()) for said in load(tmp_path).choices["plain"].values()),
        "stars": sum(entry["stars"] is None for entry in ratings(tmp_path)),
    }
    assert {name: count for name, count in lost.items() if count} == {kind: 12}
    before = house.asked.total()
    conduct(tmp_path, around())
    assert house.asked.total() == before


def ratings(folder: Path) -> list[dict]:
    lines = [json.loads(line) for path in folder.glob("stars/*") for line in path.read_text().splitlines()]
    return [entry for entry in lines if entry["event"] == "rating"]


def test_a_grader_nobody_can_read(house, tmp_path):
    """Grades that could not be read take pairs away: too many of them, and nothing is decided."""
    house.quality = quality
    said = iter(range(10**6))

    def some(kind: str, model: str) -> str | None:
        return "fine" if (kind, model) == ("grade", "critic") and next(said) < 12 else rates(kind, model)

    house.says = some
    planned(house, tmp_path, prompts=24, **WIDE)
    conduct(tmp_path, around())
    made = report(tmp_path)
    assert not made.missing and {one.verdict for one in made.judges} == {"not_decided"}
    (critic, reviewer) = made.grading
    assert (critic.unreadable, critic.given, critic.missing) == (6, 66, 0) and critic.example
    assert (reviewer.unreadable, reviewer.given) == (0, 72)
    assert "6 of 72 grades of critic" in made.judges[0].reasons[0][1]
    assert any("critic: only 66 of 72" in english for _, english in made.notes)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 12), st.floats(), st.text(max_size=3), st.just([]), st.just({})
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_lines_that_no_audit_writes_are_told(whole, tmp_path_factory, data):
    """A journal that was changed by hand is refused with its place, or read; nothing else happens."""
    journal = data.draw(st.sampled_from(journals(whole)))
    lines = journal.read_bytes().splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines) - 1))
    entry = json.loads(lines[place])
    inner = data.draw(st.sampled_from([entry, *(one for one in entry.values() if isinstance(one, dict))]))
    if inner:
        name = data.draw(st.sampled_from(sorted(inner)))
        inner[name] = data.draw(VALUES)
        if data.draw(st.booleans()):
            del inner[name]
    cut = tmp_path_factory.mktemp("odd") / "a"
    shutil.copytree(whole, cut)
    lines[place] = json.dumps(entry).encode() + b"\n"
    (cut / journal.relative_to(whole)).write_bytes(b"".join(lines))
    try:
        report(cut)
    except ExamBankError as error:
        assert error.code == "audit_damaged" and f"line {place + 1}" in error.message
    shutil.rmtree(cut)


@pytest.mark.parametrize("stage", ["reply", "verdicts"])
def test_a_model_that_turns_out_to_be_a_graders_kin(house, tmp_path, stage):
    """By the id that its endpoint returns, whenever it first returns it; and nothing more is asked of anybody."""
    if stage == "reply":
        house.model_id = lambda name: "house/critic-7b" if name == "m1" else name
    planned(house, tmp_path, prompts=3)
    if stage == "verdicts":
        house.model_id = lambda name: "critic" if name == "m1" and house.asked["plain"] else name
    with pytest.raises(ModelError) as found:
        conduct(tmp_path, around())
    assert found.value.code == "grader_kin" and "critic" in found.value.message
    asked = house.asked.total()
    with pytest.raises(ModelError) as found:
        conduct(tmp_path, around())
    assert found.value.code == "grader_kin" and house.asked.total() == asked
    assert any("critic" in english for _, english in report(tmp_path).notes)


def test_both_sides_by_their_ids_alone(house, tmp_path):
    """Neither name tells a family; what the endpoints return does."""
    house.model_id = lambda name: {"m2": "qwen3-8b", "critic": "qwen2.5-72b-instruct"}.get(name, name)
    planned(house, tmp_path, prompts=3)
    with pytest.raises(ModelError) as found:
        conduct(tmp_path, around())
    assert found.value.code == "grader_kin" and "alibaba" in found.value.message
    allowed = tmp_path / "allowed"
    planned(house, allowed, prompts=24, allow_kin=True, **WIDE)
    conduct(allowed, around())
    made = report(allowed)
    assert {one.verdict for one in made.judges} == {"not_fit"}
    assert any("alibaba" in english for _, english in made.notes)
    assert made.judges[2].families == ("alibaba", "m2")
