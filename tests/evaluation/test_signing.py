"""Signed runs and their verification: any edit is found; judging again stays apart; kills and resumes hold."""

from __future__ import annotations

import json

import pytest
from evaluation_kit import endpoint, make_items, make_references

from evaluation.judge import EndpointJudge, OverlapJudge
from evaluation.models import EndpointModel
from evaluation.rejudge import read_source
from evaluation.run import run
from evaluation.rundir import read_record, seal_run
from evaluation.signing import Signer
from evaluation.verify import verify
from schemas.errors import ExamBankError, UsageError

SIGNER = Signer(b"k" * 32)
MARKS = ("", "[truncated]", "", "[500]", "")


def finish(folder, score):
    (folder / "scores.json").write_text(score.model_dump_json(indent=1) + "\n")
    (folder / "report.html").write_text("<html></html>")
    seal_run(folder, SIGNER, "2026-01-02T03:04:05Z")


@pytest.fixture
def made(server, clock, tmp_path):
    """A finished, sealed run: its folder, items, references, and what makes it again."""
    items = make_items(*MARKS)
    references = make_references(items)
    server.judge_says = lambda prompt, nth: 'Thin.\n{"Overall Rating":2}'

    def go(folder="r", judge=None, **more):
        score = run(
            items,
            references,
            more.pop("model", None) or EndpointModel(endpoint(server)),
            judge or EndpointJudge(endpoint(server, "judge-1")),
            tmp_path / folder,
            now=clock.now,
            sleep=clock.sleep,
            signer=SIGNER,
            **more,
        )
        finish(tmp_path / folder, score)
        return tmp_path / folder, score

    go.items = {item.question_id: item for item in items}
    go.references = references
    return go


def problems(made, folder):
    return verify(folder, SIGNER, made.references, made.items).problems


def test_a_run_as_written_holds_up(made):
    folder, score = made()
    report = verify(folder, SIGNER, made.references, made.items)
    assert report.problems == []
    assert report.score == score
    assert (report.verdicts, score.stars) == (5, 6)
    # Also after another session, which asks the question left open again.
    made()
    assert problems(made, folder) == []


@pytest.mark.parametrize(
    "name", ["manifest.json", "exchange.jsonl", "verdicts.jsonl", "scores.json", "seal.json", "report.html"]
)
def test_any_changed_byte_is_found(made, name):
    folder, _ = made()
    path = folder / name
    whole = path.read_bytes()
    places = [at for at in range(0, len(whole), max(1, len(whole) // 40)) if whole[at : at + 1].isalnum()]
    for at in places:
        changed = b"7" if whole[at : at + 1] != b"7" else b"8"
        path.write_bytes(whole[:at] + changed + whole[at + 1 :])
        try:
            found = problems(made, folder)
        except ExamBankError:
            continue  # so changed that it cannot be read at all
        assert found, (name, at, whole[at - 20 : at + 20])
    path.write_bytes(whole)
    assert problems(made, folder) == []


def edit_lines(path, change):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(change(lines)))


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: lines[1:],
        lambda lines: [lines[1], lines[0], *lines[2:]],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [line.replace(b'"stars":2', b'"stars":3') for line in lines],
        lambda lines: [line.replace(b'Rating\\":2', b'Rating\\":3').replace(b'"stars":2', b'"stars":3') for line in lines],
        lambda lines: [*lines[:-1], lines[-1][:-9]],
        lambda lines: [],
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["exchange.jsonl", "verdicts.jsonl"])
def test_lines_left_out_added_moved_or_changed_are_found(made, name, change):
    folder, _ = made()
    before = (folder / name).read_bytes()
    edit_lines(folder / name, change)
    if (folder / name).read_bytes() != before:
        assert problems(made, folder)


def test_scores_made_up_and_sealed_by_another_are_found(made):
    folder, score = made()
    better = score.model_copy(update={"absolute": 99.0, "stars": 9})
    (folder / "scores.json").write_text(better.model_dump_json())
    seal_run_as = Signer(b"x" * 32)
    with pytest.raises(ExamBankError):
        seal_run(folder, seal_run_as, "2026")
    # Even with the key: the figures do not follow from the verdicts.
    seal_run(folder, SIGNER, "2026")
    found = problems(made, folder)
    assert any("absolute is 99.0" in problem for problem in found)


def test_a_rating_that_does_not_follow_from_what_the_judge_wrote_is_found_even_if_signed(made):
    folder, _ = made()
    chain = SIGNER.chain((folder / "manifest.json").read_bytes(), "verdicts.jsonl")

    def resign(lines):
        for line in lines:
            entry = json.loads(line)
            entry.pop("mac")
            if entry["verdict"]["stars"] == 2:
                entry["verdict"]["stars"] = 3
            yield chain.sign(json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()) + b"\n"

    edit_lines(folder / "verdicts.jsonl", lambda lines: list(resign(lines)))
    seal_run(folder, SIGNER, "2026")
    assert any("do not follow" in problem for problem in problems(made, folder))


def test_other_references_or_another_sample_are_found(made):
    folder, _ = made()
    assert verify(folder, SIGNER, made.references | {"q0": "别的"}, None).problems
    changed = made.items["q0"].model_copy(update={"prompt": "别的"})
    assert verify(folder, SIGNER, made.references, made.items | {"q0": changed}).problems
    assert verify(folder, Signer(b"o" * 32), made.references, None).problems


def test_overlap_is_computed_again(made):
    folder, _ = made(judge=OverlapJudge())
    assert problems(made, folder) == []


def test_an_edited_run_is_not_gone_on_with(made):
    folder, _ = made()
    edit_lines(folder / "exchange.jsonl", lambda lines: [*lines[:3], *lines[4:]])
    with pytest.raises(ExamBankError) as refused:
        made()
    assert refused.value.code == "run_edited"
    folder, _ = made("cut")
    edit_lines(folder / "verdicts.jsonl", lambda lines: lines[:-1])
    with pytest.raises(ExamBankError) as refused:
        made("cut")
    assert refused.value.code == "run_edited"


def test_a_torn_line_of_a_signed_run_is_no_edit(made):
    folder, _ = made()
    (folder / "seal.json").unlink()
    path = folder / "exchange.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    edit_lines(folder / "verdicts.jsonl", lambda lines: lines[:-1])
    made()
    assert problems(made, folder) == []


def test_judging_again_asks_the_judge_alone_and_stays_apart(made, server):
    first, score = made()
    before = {path.name: path.read_bytes() for path in first.iterdir()}
    asked = dict(server.answered)
    server.judge_says = '{"Overall Rating":1}'
    source = read_source(first, first.with_name("again"), SIGNER)
    again, other = made(
        "again", EndpointJudge(endpoint(server, "judge-2")), model=source.model, source=source
    )
    assert (score.stars, other.stars) == (6, 3)
    assert other.unscored == score.unscored
    assert score.judge_version != other.judge_version
    assert {q: n for q, n in server.answered.items() if not q.startswith("judge:")} == {
        q: n for q, n in asked.items() if not q.startswith("judge:")
    }
    assert {path.name: path.read_bytes() for path in first.iterdir()} == before
    assert problems(made, again) == []
    assert read_record(again).replies.keys() == read_record(first).replies.keys()
    # Resumed, nothing is asked; another judge, or the first folder, is refused.
    judged = len(server.requests)
    made("again", EndpointJudge(endpoint(server, "judge-2")), model=source.model, source=source)
    assert len(server.requests) == judged
    for folder in ("again", "r"):
        with pytest.raises(UsageError):
            made(folder, EndpointJudge(endpoint(server, "judge-3")), model=source.model, source=source)
    with pytest.raises(UsageError) as refused:
        read_source(first, first)
    assert refused.value.code == "judge_apart"


def test_replies_edited_are_not_judged_again(made):
    first, _ = made()
    edit_lines(
        first / "exchange.jsonl",
        lambda lines: [line.replace("答案0".encode(), "答案9".encode()) for line in lines],
    )
    with pytest.raises(ExamBankError) as refused:
        read_source(first, first.with_name("again"), SIGNER)
    assert refused.value.code == "run_edited"
