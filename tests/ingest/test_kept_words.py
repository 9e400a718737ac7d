"""The word model is made once and kept: never from a damaged file, another version's, or where none can be."""

import numpy as np
import pytest

from ingest.classify.kept import kept


class Maker:
    """Counts how often it had to make anything."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self):
        self.made += 1
        return {
            "words": np.frombuffer("熵\n焓".encode(), np.uint8),
            "rows": np.arange(60_000, dtype=np.float32),
        }


def same(arrays) -> bool:
    return arrays["words"].tobytes().decode() == "熵\n焓" and np.array_equal(
        arrays["rows"], np.arange(60_000)
    )


def test_made_once_and_read_back(tmp_path):
    make = Maker()
    assert same(kept(make, home=tmp_path)) and same(kept(make, home=tmp_path))
    assert make.made == 1
    assert [file.suffix for file in tmp_path.iterdir()] == [".npz"]


@pytest.mark.parametrize("harm", ["cut", "bits", "empty", "pickle", "other key"])
def test_a_file_that_does_not_fit_is_not_used(tmp_path, harm):
    make = Maker()
    kept(make, home=tmp_path)
    (file,) = tmp_path.iterdir()
    data = bytearray(file.read_bytes())
    if harm == "cut":
        file.write_bytes(data[: len(data) // 2])
    elif harm == "bits":
        data[len(data) // 2] ^= 0xFF
        file.write_bytes(data)
    elif harm == "empty":
        file.write_bytes(b"")
    elif harm == "pickle":
        np.savez(file, key=np.array([{"a": 1}], dtype=object))
    else:
        np.savez(file, key=np.frombuffer(b"0" * 64, np.uint8), rows=np.zeros(3))
    assert same(kept(make, home=tmp_path))
    assert make.made == 2
    assert same(kept(make, home=tmp_path)) and make.made == 2  # mended by it


def test_what_was_kept_of_earlier_sources_goes(tmp_path):
    (tmp_path / "words-old.npz").write_bytes(b"x")
    (tmp_path / "other.txt").write_bytes(b"x")
    kept(Maker(), home=tmp_path)
    assert len(list(tmp_path.glob("words-*"))) == 1 and (tmp_path / "other.txt").exists()


def test_without_a_folder_it_is_made_each_time(tmp_path):
    (tmp_path / "file").write_text("no folder")
    make = Maker()
    for _ in range(2):
        assert same(kept(make, home=tmp_path / "file" / "within"))
    assert make.made == 2


def test_an_account_without_a_home_makes_it_each_time(monkeypatch):
    def none():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("ingest.classify.kept.cache_home", none)
    make = Maker()
    assert same(kept(make)) and make.made == 1
