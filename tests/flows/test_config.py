"""Settings: the order of their places, unknown keys, bad values, no secrets in print."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.config import load, printable
from schemas.errors import UsageError
from schemas.settings import Settings


def test_defaults_need_no_file(tmp_path: Path) -> None:
    assert load(None, {}, folder=tmp_path) == Settings()


def test_later_places_win(tmp_path: Path) -> None:
    (tmp_path / "exambank.toml").write_text(
        '[read]\nmax_pages = 10\nocr = "never"\nmax_seconds = 5\n[dedup]\nreview_at = 70\n'
    )
    environ = {"EXAMBANK_READ__MAX_PAGES": "20", "EXAMBANK_READ__OCR": "always", "EXAMBANK_BANK": "x"}
    found = load(None, environ, {"read.ocr": "auto", "run.workers": None}, folder=tmp_path)
    assert (found.read.max_seconds, found.dedup.review_at) == (5, 70)
    assert found.read.max_pages == 20
    assert found.read.ocr == "auto"


def test_a_named_file_takes_the_place_of_the_usual_one(tmp_path: Path) -> None:
    (tmp_path / "exambank.toml").write_text("[read]\nmax_pages = 10\n")
    other = tmp_path / "other.toml"
    other.write_text("[run]\nworkers = 3\n")
    found = load(other, {}, folder=tmp_path)
    assert (found.read.max_pages, found.run.workers) == (Settings().read.max_pages, 3)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("[read]\nmax_page = 3\n", "read.max_pages"),
        ("[reed]\nmax_pages = 3\n", "read"),
        ("max_pages = 3\n", "read.max_pages"),
        ("[judge]\nbase-url = 'x'\n", "judge.base_url"),
    ],
)
def test_an_unknown_key_names_the_nearest(tmp_path: Path, text: str, nearest: str) -> None:
    (tmp_path / "exambank.toml").write_text(text)
    with pytest.raises(UsageError, match=f"did you mean {nearest}") as caught:
        load(None, {}, folder=tmp_path)
    assert caught.value.code == "unknown_setting"
    assert caught.value.message.endswith("?")


def test_an_unknown_variable_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"read\.ocr_modle.*did you mean read\.ocr_model"):
        load(None, {"EXAMBANK_READ__OCR_MODLE": "tiny"}, folder=tmp_path)


def test_a_bad_value_says_where_it_stands(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"read\.max_pages.*'many'.*the environment"):
        load(None, {"EXAMBANK_READ__MAX_PAGES": "many"}, folder=tmp_path)


@pytest.mark.parametrize("text", ["[read\n", "\xff"])
def test_a_file_that_is_no_toml(tmp_path: Path, text: str) -> None:
    (tmp_path / "exambank.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match="cannot be read as TOML"):
        load(None, {}, folder=tmp_path)


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no settings file"):
        load(tmp_path / "none.toml", {})


def test_nothing_secret_is_printed(tmp_path: Path) -> None:
    environ = {
        "EXAMBANK_API_KEY": "sk-very-secret",
        "EXAMBANK_MODEL__BASE_URL": "https://me:password@models.example/v1",
    }
    shown = str(printable(load(None, environ, folder=tmp_path)))
    assert "models.example" in shown
    assert "secret" not in shown
    assert "password" not in shown


def test_judges_named_by_flags_are_the_only_ones(tmp_path: Path) -> None:
    from flows.named import judge

    file = tmp_path / "exambank.toml"
    file.write_text(
        '[judge]\nname = "a"\nbase_url = "https://a.example/v1"\njson_schema = "never"\n'
        '[[judge.panel]]\nname = "b"\nbase_url = "https://b.example/v1"\n',
        encoding="utf-8",
    )

    def judges(*named: str, url: str | None = None) -> list[tuple[str, str]]:
        chosen = judge(load(file, {}).judge, named, url)
        return [(one.name, one.base_url) for one in (chosen, *chosen.panel)]

    a, b = "https://a.example/v1", "https://b.example/v1"
    assert judges() == [("a", a), ("b", b)]
    assert judges("c") == [("c", a)]
    assert judges("overlap") == [("overlap", "")]
    assert judges("c", "d", url=b) == [("c", b), ("d", b)]
