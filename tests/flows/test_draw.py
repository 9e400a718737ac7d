"""`sample`, `redraw`, `ledger` and `retire-exposed` on a bank that papers were ingested into."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from flowkit import Made, exambank, report_of

from flows.commands.draw import _given
from schemas.errors import UsageError


@pytest.fixture
def bank(made: Made, tmp_path: Path) -> Path:
    return shutil.copytree(made.path, tmp_path / "bank")


def drawn(folder: Path) -> list[str]:
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question_id"] for line in lines]


def test_an_institution_is_given_nothing_twice(bank: Path, tmp_path: Path) -> None:
    arguments = (
        "sample",
        "--total",
        "6",
        "--seed",
        "1",
        "--bank",
        bank,
        "--institution",
        "Example University",
    )
    first = exambank(*arguments, "--run", "june", "--out", tmp_path / "june")
    assert first.returncode == 0, first.stderr
    looked = report_of(exambank(*arguments, "--run", "july", "--dry-run", "--json"))
    second = exambank(*arguments, "--run", "july", "--out", tmp_path / "july")
    assert second.returncode == 0, second.stderr
    june, july = drawn(tmp_path / "june"), drawn(tmp_path / "july")
    assert july == looked["ids"]
    assert len({*june, *july}) == 12
    # A command that is run again gives the same files; in another folder's place it gives nothing.
    (tmp_path / "june" / "items.jsonl").unlink()
    assert exambank(*arguments, "--run", "june", "--out", tmp_path / "june").returncode == 0
    assert drawn(tmp_path / "june") == june
    mixed = exambank(*arguments, "--run", "august", "--out", tmp_path / "june")
    assert (mixed.returncode, "another draw" in mixed.stderr) == (2, True)

    manifest = json.loads((tmp_path / "july" / "manifest.json").read_text())
    for field, value in (
        ("institution", "zzz"),
        ("strata", [{**s, "exposed": 9} for s in manifest["strata"]]),
    ):
        (tmp_path / "m.json").write_text(json.dumps({**manifest, field: value}))
        wrong = report_of(exambank("redraw", tmp_path / "m.json", "--bank", bank, "--json"))
        assert (wrong["same"], wrong["missing"], len(wrong["wrong"])) == (False, [], 1)
    assert exambank("redraw", tmp_path / "july", "--bank", bank).returncode == 0

    told = report_of(exambank("ledger", "status", "example university", "-n", "1", "--bank", bank, "--json"))
    assert [(r["run"], r["state"], r["questions"]) for r in told["runs"]] == [
        ("june", "recorded", 6),
        ("july", "recorded", 6),
    ]
    assert sum(s["exposed"] for s in told["strata"]) == 12
    assert told["papers_left"] == min(s["left"] for s in told["strata"])
    release = ("ledger", "release", "Example University", "july", "--why", "never sent", "--bank", bank)
    assert exambank(*release).returncode == 2
    assert exambank(*release, "--unseen").returncode == 0
    again = exambank("ledger", "status", "Example University", "--bank", bank)
    assert "released" in again.stdout
    assert "0 full papers left" in again.stdout  # of the paper of ten disciplines of 100


def test_a_draw_is_made_again_from_its_manifest(bank: Path, tmp_path: Path) -> None:
    arguments = ("sample", "--seed", "3", "--total", "8", "--by", "discipline,question_type", "--bank", bank)
    done = exambank(*arguments, "--allocation", "proportional", "--out", tmp_path / "a")
    assert done.returncode == 0, done.stderr
    again = exambank("redraw", tmp_path / "a", "--out", tmp_path / "b", "--bank", bank)
    assert again.returncode == 0, again.stderr
    for name in ("items.jsonl", "manifest.json"):
        assert (tmp_path / "b" / name).read_bytes() == (tmp_path / "a" / name).read_bytes()
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps({**manifest, "seed": 4}))
    other = exambank("redraw", tmp_path / "m.json", "--bank", bank, "--json")
    assert (other.returncode, report_of(other)["same"]) == (1, False)

    # What stands beside the manifest, and what it tells besides the ids, is compared too.
    items = (tmp_path / "a" / "items.jsonl").read_bytes()
    (tmp_path / "a" / "items.jsonl").write_bytes(items.split(b"\n", 1)[1])
    less = exambank("redraw", tmp_path / "a", "--bank", bank)
    assert (less.returncode, "is not what was drawn" in less.stdout) == (1, True)
    (tmp_path / "a" / "items.jsonl").unlink()
    assert "is missing" in exambank("redraw", tmp_path / "a", "--bank", bank).stdout
    assert exambank("redraw", tmp_path / "a", "--out", tmp_path / "a", "--bank", bank).returncode == 0
    assert (tmp_path / "a" / "items.jsonl").read_bytes() == items
    manifest["strata"][0]["eligible"] = 999
    (tmp_path / "m.json").write_text(json.dumps(manifest))
    assert "other numbers of" in exambank("redraw", tmp_path / "m.json", "--bank", bank).stdout


def test_a_file_says_how_many_of_each(bank: Path, tmp_path: Path) -> None:
    (tmp_path / "paper.csv").write_text("discipline,count\n经济学,2\nd08,1\n", encoding="utf-8-sig")
    (tmp_path / "paper.json").write_text('{"d02": 2, "工学": 1}', encoding="utf-8")
    (tmp_path / "excel.csv").write_text("discipline;count\n经济学;2\nd08;1\n", encoding="utf-8-sig")
    for name in ("paper.csv", "paper.json", "excel.csv"):
        out = tmp_path / f"out-{name}"
        done = exambank(
            "sample", "--allocation", tmp_path / name, "--seed", "1", "--bank", bank, "--out", out
        )
        assert done.returncode == 0, done.stderr
        items = [json.loads(line) for line in (out / "items.jsonl").read_text(encoding="utf-8").splitlines()]
        assert Counter(item["discipline"] for item in items) == {"d02": 2, "d08": 1}
    (tmp_path / "bad.csv").write_text("discipline,number\nd02,2\n")
    done = exambank(
        "sample", "--allocation", tmp_path / "bad.csv", "--seed", "1", "--bank", bank, "--dry-run"
    )
    assert done.returncode == 2
    assert "columns discipline, count" in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("a.csv", "discipline,language,count\nd02,zh,2\nd08,en,1\n", "its columns are discipline, language"),
        ("a.csv", "discipline,count\nd02,2,9\n", "more cells than columns"),
        ("a.json", '{"d02": 2, "d08": 1, "d02": 1}', "d02 is named twice"),
        ("a.json", "", "it is empty"),
        ("a.csv", "discipline,count\nd02,1.5\n", "the count '1.5' is no whole number"),
    ],
)
def test_an_allocation_that_says_more_than_is_heard_is_refused(
    name: str, text: str, word: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=word) as caught:
        _given(path, ("discipline",))
    assert caught.value.code == "allocation"


def test_the_paper_of_the_settings(bank: Path, tmp_path: Path) -> None:
    short = exambank("sample", "--seed", "1", "--dry-run", "--bank", bank)
    assert short.returncode == 1
    assert "in 10 of 10 strata" in short.stderr
    setting = {"EXAMBANK_SAMPLE__PER_DISCIPLINE": "2"}
    done = exambank(
        *("sample", "--seed", "1", "--disciplines", "经济学,d08", "--bank", bank, "--out", tmp_path / "s"),
        **setting,
    )
    assert done.returncode == 0, done.stderr
    assert len(drawn(tmp_path / "s")) == 4
    every = exambank("sample", "--seed", "1", "--disciplines", "all", "--dry-run", "--bank", bank, **setting)
    assert "of 13 strata" in every.stderr


def test_what_too_many_know_is_retired(bank: Path, tmp_path: Path) -> None:
    for name in ("A", "B"):
        arguments = ("--institution", name, "--run", "1", "--out", tmp_path / name, "--bank", bank)
        assert exambank("sample", "--total", "3", "--seed", "1", *arguments).returncode == 0
    looked = report_of(exambank("retire-exposed", "2", "--dry-run", "--bank", bank, "--json"))
    assert set(looked["retired"]) >= set(drawn(tmp_path / "A"))
    assert (
        report_of(exambank("retire-exposed", "2", "--bank", bank, "--json"))["retired"] == looked["retired"]
    )
    after = exambank("sample", "--total", "3", "--seed", "1", "--out", tmp_path / "after", "--bank", bank)
    assert after.returncode == 0, after.stderr
    assert not set(drawn(tmp_path / "after")) & set(looked["retired"])
