"""The word lists a curator edits: terms of sub-disciplines, and plain words with what they lean to."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files
from typing import NamedTuple

from ingest.classify.match import prepare

EVERYDAY = "~"
"""The code of everyday words in terms/."""


class Entry(NamedTuple):
    """A word as listed under one sub-discipline; shared when it is marked to stand under several."""

    code: str
    word: str
    shared: bool
    file: str
    line: int


class Force(StrEnum):
    """How much a word of leanings.tsv weighs: as long words do, more, less, or not at all."""

    TERM = ""
    SUBJECT = "="
    HINT = "?"
    PLAIN = "~"


class Leaning(NamedTuple):
    """A word of leanings.tsv: the codes it leans to, most first, and its force."""

    codes: tuple[str, ...]
    word: str
    force: Force
    line: int


def _key(word: str) -> str:
    return prepare(word.replace("_", " "))


def listed() -> Iterator[Entry]:
    """Every word of the files in terms/, in the form it is looked up by; terms/README.md has the format."""
    for file in sorted(files("ingest.classify").joinpath("terms").iterdir(), key=lambda f: f.name):
        if not file.name.endswith(".tsv"):
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#") or "\t" not in line:
                continue
            code, words = line.split("\t", 1)
            for word in words.split():
                yield Entry(code, _key(word.rstrip("*")), word.endswith("*"), file.name, number)


def leanings() -> Iterator[Leaning]:
    """Every word of leanings.tsv, in the form it is looked up by; the head of the file has the format."""
    text = files("ingest.classify").joinpath("leanings.tsv").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or "\t" not in line:
            continue
        head, words = line.split("\t", 1)
        force = Force(head[0]) if head[0] in "=?~" else Force.TERM
        codes = tuple(code for code in head.lstrip("=?~").split(",") if code)
        for word in words.split():
            yield Leaning(codes, _key(word), force, number)


def neighbours() -> Iterator[tuple[str, str, float]]:
    """Pairs of sub-disciplines in neighbours.tsv, with what words of the first weigh for the second."""
    text = files("ingest.classify").joinpath("neighbours.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#") or "\t" not in line:
            continue
        code, others = line.split("\t", 1)
        for other in others.split():
            name, weight = other.split(":")
            yield code, name, float(weight)
