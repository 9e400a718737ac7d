"""Which files are read: order, what is left out and why, links, repeats; keys named by hand; versions."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from flows import stage
from flows.files import find
from flows.reading import answer_hashes, parse_answers
from schemas.errors import UsageError
from schemas.settings import ClassifySettings, ReadSettings, Settings

MANY = 1_000_000


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.fsencode(name))


def test_everything_is_accounted_for_in_sorted_order(tmp_path: Path) -> None:
    make(
        tmp_path,
        "b.pdf",
        "a/2.docx",
        "a/1.docx",
        "a/.git/x.pdf",
        ".x.pdf",
        "notes.md",
        "~$b.docx",
        "c.PDF",
        "odd",
    )
    found = find([tmp_path], MANY)
    names = [source.path.relative_to(tmp_path).as_posix() for source in found.sources]
    assert names == ["a/1.docx", "a/2.docx", "b.pdf", "c.PDF", "odd"]
    assert [source.folder for source in found.sources[:3]] == [f"{tmp_path.name}/a"] * 2 + [tmp_path.name]
    assert found.sources[2].sha256 == hashlib.sha256(b"b.pdf").hexdigest()
    left = {other.source: other.reason for other in found.others}
    assert set(left) == {".git", ".x.pdf", "notes.md", "~$b.docx"}
    assert all(left.values())


def test_a_file_named_on_its_own_is_read_whatever_its_name(tmp_path: Path) -> None:
    make(tmp_path, "paper.txt", ".hidden")
    found = find([tmp_path / "paper.txt", tmp_path / ".hidden", tmp_path / "paper.txt"], MANY)
    assert [source.path.name for source in found.sources] == ["paper.txt", ".hidden"]
    assert not found.others


def test_the_same_content_is_read_once(tmp_path: Path) -> None:
    make(tmp_path, "a.pdf")
    (tmp_path / "b.pdf").write_bytes(b"a.pdf")
    found = find([tmp_path], MANY)
    assert [source.path.name for source in found.sources] == ["a.pdf"]
    assert [(other.source, other.outcome) for other in found.others] == [("b.pdf", "repeated")]
    assert "a.pdf" in found.others[0].reason


def test_names_that_are_no_utf8_are_read_under_their_decoded_names(tmp_path: Path) -> None:
    gbk = os.fsdecode("期末".encode("gbk"))
    other = os.fsdecode(b"\xff\xfe.pdf")
    make(tmp_path, f"{gbk}/试卷.docx", f"{gbk}.pdf", other, f"{gbk * 50}.pdf")
    with find([tmp_path, tmp_path / f"{gbk}.pdf"], MANY) as found:
        told = {source.told: source for source in found.sources}
        assert set(told) == {"期末/试卷.docx", "期末.pdf", "\ufffd\ufffd.pdf", f"{'期末' * 50}.pdf"}
        assert told["期末/试卷.docx"].folder == f"{tmp_path.name}/期末"
        for source in found.sources:
            str(source.path.resolve()).encode()
            assert source.path.suffix == Path(source.told).suffix
            assert hashlib.sha256(source.path.read_bytes()).hexdigest() == source.sha256
        alias = told["期末.pdf"].path
    assert alias.name == "期末.pdf"
    assert not alias.exists()
    assert (tmp_path / f"{gbk}.pdf").exists()


def test_reports_do_not_say_where_the_folder_stands(tmp_path: Path) -> None:
    make(tmp_path, "in/deep/a.pdf", "in/notes.md", "alone.pdf")
    (tmp_path / "in" / "again.pdf").write_bytes(b"in/deep/a.pdf")
    found = find([tmp_path / "in", tmp_path / "alone.pdf"], MANY)
    assert [source.told for source in found.sources] == ["again.pdf", "alone.pdf"]
    assert [other.path for other in found.others] == ["deep/a.pdf", "notes.md"]
    assert str(tmp_path) not in "".join(other.model_dump_json() for other in found.others)


def test_links_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    make(tmp_path, "in/a.pdf", "out/b.pdf")
    (tmp_path / "in" / "b.pdf").symlink_to(tmp_path / "out" / "b.pdf")
    (tmp_path / "in" / "more").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "round").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "gone.pdf").symlink_to(tmp_path / "nowhere")
    found = find([tmp_path / "in"], MANY)
    assert [source.path.name for source in found.sources] == ["a.pdf"]
    assert {other.source for other in found.others} == {"b.pdf", "more", "round", "gone.pdf"}


def test_links_that_lead_nowhere_cost_only_themselves(tmp_path: Path) -> None:
    make(tmp_path, "a.pdf")
    (tmp_path / "loop.pdf").symlink_to("loop.pdf")
    (tmp_path / "gone.pdf").symlink_to("nothing.pdf")
    (tmp_path / "same").symlink_to(".")
    (tmp_path / "zero.pdf").symlink_to("/dev/zero")
    found = find([tmp_path], MANY)
    assert [source.told for source in found.sources] == ["a.pdf"]
    assert {other.source: other.reason for other in found.others} == {
        "loop.pdf": "link to nothing",
        "gone.pdf": "link to nothing",
        "same": "link to a folder",
        "zero.pdf": "link out of the folder",
    }


def test_names_that_steer_a_terminal_are_read_without_it(tmp_path: Path) -> None:
    names = ["a\nb.pdf", "c\x1b]0;x\x07.pdf", "e\u202efdp.pdf", "f\x85\u2028.pdf", "-rf.pdf", "[bold]g.pdf"]
    make(tmp_path, *names)
    with find([tmp_path], MANY) as found:
        told = {source.told for source in found.sources}
        assert told == {
            "a�b.pdf",
            "c�]0;x�.pdf",
            "e�fdp.pdf",
            "f��.pdf",
            "-rf.pdf",
            "[bold]g.pdf",
        }
        assert {source.path.name for source in found.sources} == told
        assert {source.path.read_bytes() for source in found.sources} == {os.fsencode(name) for name in names}


def test_banks_fifos_and_large_files_are_left_alone(tmp_path: Path) -> None:
    make(tmp_path, "bank/questions/_delta_log/0.json", "bank/sources/3f/abc", "big.pdf")
    (tmp_path / "big.pdf").write_bytes(b"x" * 100)
    os.mkfifo(tmp_path / "pipe")
    found = find([tmp_path], 50)
    assert not found.sources
    told = {other.source: (other.outcome, other.code) for other in found.others}
    assert told == {
        "bank": ("skipped", ""),
        "big.pdf": ("refused", "max_bytes"),
        "pipe": ("skipped", ""),
    }


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.pdf"):
        find([tmp_path / "none.pdf"], MANY)


def test_answers_named_by_hand(tmp_path: Path) -> None:
    make(tmp_path, "a.pdf", "b.pdf", "key.pdf", "x=y.pdf")
    a, b, key, odd = (tmp_path / name for name in ("a.pdf", "b.pdf", "key.pdf", "x=y.pdf"))
    assert parse_answers([str(key)], [a]) == [(a, key)]
    assert parse_answers([str(odd)], [a, odd]) == [(a, odd)]
    pairs = parse_answers([f"{a}={key}"], [a, b])
    assert answer_hashes(pairs) == {
        hashlib.sha256(b"a.pdf").hexdigest(): hashlib.sha256(b"key.pdf").hexdigest()
    }
    for given, papers in (
        ([str(key)], [a, b]),
        ([str(key)], [tmp_path]),
        ([f"{a}=none"], [a]),
        (["none"], [a]),
    ):
        with pytest.raises(UsageError):
            parse_answers(given, papers)


def test_cache_keys_change_with_file_name_version_and_settings() -> None:
    settings = Settings()
    other = Settings(read=ReadSettings(ocr_limit_side=960))
    same_reading = settings.model_copy(
        update={"dedup": settings.dedup.model_copy(update={"review_at": 70.0})}
    )
    keys = [
        stage.cache_key("a", "n", "v", settings),
        stage.cache_key("b", "n", "v", settings),
        stage.cache_key("a", "m", "v", settings),
        stage.cache_key("a", "n", "w", settings),
        stage.cache_key("a", "n", "v", other),
    ]
    assert len(set(keys)) == len(keys)
    assert stage.cache_key("a", "n", "v", same_reading) == keys[0]


def test_every_stage_has_sources_and_a_version() -> None:
    versions = stage.stage_versions()
    assert len(set(versions.values())) == len(stage.SOURCES)
    assert stage.extract_version(ReadSettings()) != stage.extract_version(ReadSettings(ocr="never"))


def test_filing_depends_on_the_content_of_a_learned_model(tmp_path: Path) -> None:
    file = tmp_path / "model.npz"
    settings = Settings(classify=ClassifySettings(model=str(file)))
    versions = []
    for content in (b"", b"one", b"other", b"one"):
        file.write_bytes(content)
        versions.append(stage.stage_versions(settings))
    file.unlink()
    versions.append(stage.stage_versions(settings))
    plain = stage.stage_versions()
    filed = [version.pop("classify") for version in versions]
    assert versions == [{name: code for name, code in plain.items() if name != "classify"}] * len(filed)
    assert filed[1] == filed[3] and len({*filed, plain["classify"]}) == 5
    assert stage.stage_versions(Settings()) == plain
