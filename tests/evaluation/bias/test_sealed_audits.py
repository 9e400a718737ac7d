"""A sealed audit shows every change: of its plan, its journals, its report, or the seal itself."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from auditkit import House, around, planned

from evaluation.bias.analyse import analyse
from evaluation.bias.classic import AS_PRINTED
from evaluation.bias.conduct import conduct
from evaluation.bias.folder import journal_path, open_journal, read_plan
from evaluation.bias.load import load
from evaluation.bias.reread import read_audit
from evaluation.bias.resample import ResampleSettings
from evaluation.bias.sealed import PAGE, REPORT, seal_audit
from evaluation.report.audit import render_audit
from evaluation.signing import SEAL, Signer
from schemas.errors import ExamBankError, UsageError

SIGNER, OTHER = Signer(bytes(range(32))), Signer(bytes(32))


def made(house: House, folder: Path, *, signer: Signer | None = SIGNER, **more: object) -> Path:
    """A whole audit with its report and, with a signer, its seal."""
    planned(house, folder, prompts=4, signed=signer is not None, **more)
    conduct(folder, around(signer=signer))
    report(folder, signer)
    return folder


def report(folder: Path, signer: Signer | None) -> None:
    told = analyse(load(folder, signer), ResampleSettings(resamples=199), AS_PRINTED, made_at="2026-01-02")
    (folder / REPORT).write_text(told.model_dump_json(), encoding="utf-8")
    (folder / PAGE).write_text(render_audit(told, sealed=signer is not None), encoding="utf-8")
    if signer is not None:
        seal_audit(folder, read_plan(folder), signer, "2026-01-02T00:00:00Z")


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    """Two sealed audits and one that is not, of one house."""
    house, root = House(), tmp_path_factory.mktemp("audits")
    house.quality = lambda model, number: 3.0 if model == "m2" and number % 2 else 7.0
    made(house, root / "a", pointwise=True)
    made(house, root / "b", pi=0.5)
    made(house, root / "bare", signer=None)
    house.close()
    return root


@pytest.fixture
def cut(audits, tmp_path):
    """A copy of all of them."""
    shutil.copytree(audits, tmp_path / "audits")
    return tmp_path / "audits"


def test_a_sealed_audit_holds(audits):
    assert read_audit(audits / "a", SIGNER).seal == read_audit(audits / "a" / REPORT, SIGNER).seal == "sealed"
    assert read_audit(audits / "a").seal == "not_checked"
    assert read_audit(audits / "bare", SIGNER).seal == read_audit(audits / "bare").seal == "not_sealed"
    assert "未签封 not sealed" in (audits / "bare" / PAGE).read_text(encoding="utf-8")
    assert "not sealed" not in (audits / "a" / PAGE).read_text(encoding="utf-8")


def swapped(path: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        data = (folder / path).read_bytes()
        assert old in data
        (folder / path).write_bytes(data.replace(old, new, 1))

    return edit


def shortened(path: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        lines = (folder / path).read_bytes().splitlines(keepends=True)
        (folder / path).write_bytes(b"".join(lines[:-1]))

    return edit


def taken(path: str) -> Callable[[Path], None]:
    return lambda folder: (folder / path).unlink()


def from_other(*paths: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        for path in paths:
            shutil.copy(folder.parent / "b" / path, folder / path)

    return edit


def linked(path: str) -> Callable[[Path], None]:
    """A link to the other audit's file in the place of this one's."""

    def edit(folder: Path) -> None:
        (folder / path).unlink()
        (folder / path).symlink_to(folder.parent / "b" / path)

    return edit


def grown(folder: Path) -> None:
    """A line that is signed as it should be, written after the report."""
    names = [one.called for one in read_plan(folder).settings.models]
    with open_journal(folder, journal_path(folder, "verdicts", names, "m0"), SIGNER) as journal:
        journal.append({"event": "session", "model": "m0", "torn_bytes": 0, "at": ""})


ATTACKS = {
    "verdict": swapped(REPORT, b'"verdict":"not_fit"', b'"verdict":"not_decided"'),
    "page": swapped(PAGE, "不合格".encode(), "合格".encode()),
    "bounds": swapped("manifest.json", b'"pi": 0.8', b'"pi": 0.1'),
    "time": swapped("manifest.json", b"2026-01-01T", b"2036-01-01T"),
    "not signed": swapped("manifest.json", b'"signed": true', b'"signed": false'),
    "sealed at": swapped(SEAL, b"2026-01-02", b"2026-01-03"),
    "choice": swapped("verdicts/01-m0.jsonl", b'"choice":"first"', b'"choice":"second"'),
    "grade": swapped("grades/01-critic.jsonl", b'"relevance":7.0', b'"relevance":9.0'),
    "stars": swapped("stars/01-m0.jsonl", b'"stars":3', b'"stars":2'),
    "last verdict": shortened("verdicts/02-m1.jsonl"),
    "last star": shortened("stars/02-m1.jsonl"),
    "no stars": taken("stars/03-m2.jsonl"),
    "no report": taken(REPORT),
    "no page": taken(PAGE),
    "no seal": taken(SEAL),
    "other journal": from_other("verdicts/01-m0.jsonl"),
    "other report": from_other(REPORT),
    "other seal": from_other(SEAL),
    "other report and seal": from_other(REPORT, PAGE, SEAL),
    "other plan": from_other("manifest.json", REPORT, PAGE, SEAL),
    "link to another journal": linked("verdicts/01-m0.jsonl"),
    "grown": grown,
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_changed_audit_is_refused(cut, attack):
    ATTACKS[attack](cut / "a")
    try:
        found = read_audit(cut / "a", SIGNER)
    except ExamBankError as error:
        assert error.code in {"run_edited", "audit_unsealed", "audit_damaged", "usage"}
        assert str(cut) in error.message
    else:
        pytest.fail(f"{attack}: {found.seal}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"judge":"m0","name":"m0"', b'"judge":"m0","name":"m9"'),
        (b'"judge":"m0","name":"m0"', b'"judge":"m9","name":"m0"'),
        (b'"prompts":4', b'"prompts":400'),
        (b'"epsilon":0.25', b'"epsilon":0.5'),
    ],
)
def test_a_report_is_that_of_the_plan_beside_it(cut, old, new):
    """Also where no seal shows it."""
    swapped(REPORT, old, new)(cut / "bare")
    with pytest.raises(ExamBankError) as found:
        read_audit(cut / "bare")
    assert found.value.code == "audit_damaged" and "plan beside it" in found.value.message


def test_another_key_does_not_do(audits):
    with pytest.raises(ExamBankError) as found:
        read_audit(audits / "a", OTHER)
    assert found.value.code == "run_edited" and "another bank's key" in found.value.message


def test_a_report_taken_out_of_its_folder_has_no_seal(cut, tmp_path):
    shutil.copy(cut / "a" / REPORT, tmp_path / "june.json")
    assert read_audit(tmp_path / "june.json", SIGNER).seal == "not_sealed"
    shutil.copy(tmp_path / "june.json", cut / "a" / "june.json")  # beside a good one it is no better
    assert read_audit(cut / "a" / "june.json", SIGNER).seal == "not_sealed"


def test_a_report_made_again_is_sealed_again(cut):
    grown(cut / "a")
    report(cut / "a", SIGNER)
    assert read_audit(cut / "a", SIGNER).seal == "sealed"


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("verdicts/01-m0.jsonl", b'"choice":"first"', b'"choice":"second"', "a choice"),
        ("verdicts/01-m0.jsonl", b'"choice":"second"', b'"choice":""', "a choice"),
        ("grades/01-critic.jsonl", b'"relevance":7.0', b'"relevance":9.0', "grades"),
        ("grades/01-critic.jsonl", b'"relevance":7.0,', b"", "grades"),
    ],
)
def test_what_was_read_is_read_again(cut, path, old, new, line):
    """Also where nothing is signed: a choice follows from the words beside it, or is none."""
    swapped(path, old, new)(cut / "bare")
    with pytest.raises(ExamBankError) as found:
        load(cut / "bare")
    assert found.value.code == "audit_damaged" and line in found.value.message


@pytest.mark.parametrize("value", ["yes", 1, None, []])
def test_a_plan_says_yes_or_no(cut, value):
    path = cut / "bare" / "manifest.json"
    data = json.loads(path.read_bytes())
    data["fixed"]["signed"] = value
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ExamBankError) as found:
        read_plan(cut / "bare")
    assert found.value.code == "audit_damaged"


def test_plans_differ_by_their_seal(cut):
    plan = read_plan(cut / "a")
    assert replace(plan, signed=False).audit != plan.audit
    with pytest.raises(UsageError):
        read_audit(cut / "nowhere")
