"""Which questions of a bank occur, word for word or nearly, in the lines of a corpus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from bank.dedup.grams import grams
from bank.dedup.items import asked
from bank.dedup.verdict import compare
from schemas.document import Frozen
from schemas.errors import UsageError
from schemas.settings import DedupSettings
from schemas.text import fold

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORTEST = 12  # folded characters: anything shorter stands in many books by chance
_LONGEST = 4_000  # folded characters of a question that are looked for
_BLOCK = 20_000  # folded characters searched at once
_RARE = 16  # grams that stand for a question
_ENOUGH = 0.4  # share of them that must be in a block before it is searched


class Hit(Frozen):
    """One question found in one place of a corpus."""

    question_id: str
    file: str
    line: int = Field(description="line where it begins, from 1")
    how: Literal["verbatim", "near", "possible"]
    score: float = Field(ge=0, le=1)
    found: str = Field(description="the folded text there, at most 200 characters")


class Contamination(Frozen):
    """What a search found. questions: how many were looked for; short: too short to tell."""

    questions: int
    short: int
    lines: int = Field(description="lines of the corpus that were read")
    hits: tuple[Hit, ...] = ()


Line = tuple[str, int, str]  # file, line number, text; a text of "" ends a record


class Searcher:
    """Questions made ready to be looked for. rows: question_id, prompt, printed and material of each."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], settings: DedupSettings) -> None:
        self.settings = settings
        texts = [
            (str(r["question_id"]), _folded(asked(r["prompt"], r["printed"], r["material"])[0]))
            for r in sorted(rows, key=lambda r: str(r["question_id"]))
        ]
        self.short = sum(len(text) < SHORTEST for _, text in texts)
        kept = [(name, text[:_LONGEST]) for name, text in texts if len(text) >= SHORTEST]
        self.ids = [name for name, _ in kept]
        self.texts = [text for _, text in kept]
        self._grams, self._owner = _rarest(*grams(self.texts))
        self._need = np.maximum(1, _ENOUGH * np.bincount(self._owner, minlength=len(kept)))
        self._overlap = max(map(len, self.texts), default=0) + 200

    def search(self, lines: Iterable[Line]) -> Contamination:
        """Every question found in these lines, by file, line and question."""
        best: dict[tuple[str, int, str], Hit] = {}
        read = 0
        for so_far, block in _blocks(lines, self._overlap):
            read = so_far
            for hit in self._in_block(block):
                key = (hit.file, hit.line, hit.question_id)
                if key not in best or hit.score > best[key].score:
                    best[key] = hit
        hits = tuple(best[key] for key in sorted(best))
        return Contamination(questions=len(self.ids), short=self.short, lines=read, hits=hits)

    def _in_block(self, block: Sequence[Line]) -> Iterator[Hit]:
        text = "".join(line[2] for line in block)
        starts = np.cumsum([0, *(len(line[2]) for line in block)])
        there, _ = grams([text.replace("\n", "")])
        at = np.searchsorted(there, self._grams)
        met = np.zeros(len(self._grams), dtype=bool)
        inside = at < len(there)
        met[inside] = there[at[inside]] == self._grams[inside]
        counts = np.bincount(self._owner[met], minlength=len(self.ids))
        for n in np.flatnonzero(counts >= self._need).tolist() if len(self.ids) else []:
            for place, how, score, found in self._matches(self.texts[n], text):
                file, line, _ = block[int(np.searchsorted(starts, place, side="right")) - 1]
                hit = {"question_id": self.ids[n], "file": file, "line": line, "found": found[:200]}
                yield Hit.model_validate({**hit, "how": how, "score": score})

    def _matches(self, wanted: str, text: str) -> Iterator[tuple[int, str, float, str]]:
        from rapidfuzz import fuzz

        place = text.find(wanted)
        while place >= 0:
            yield place, "verbatim", 1.0, wanted
            place = text.find(wanted, place + len(wanted))
        for start, part in _records(text):
            if len(part) < 0.7 * len(wanted):
                continue
            found = fuzz.partial_ratio_alignment(wanted, part, score_cutoff=self.settings.review_at - 5)
            if found is None or wanted in part:
                continue
            # At an end of the text the alignment leaves out what does not fit: it must count.
            begin = min(found.dest_start, max(0, found.dest_end - len(wanted)))
            window = part[begin : max(found.dest_end, begin + len(wanted))]
            verdict = compare(wanted, window, settings=self.settings).verdict
            if verdict != "different":
                how = "near" if verdict == "duplicate" else "possible"
                yield start + begin, how, round(found.score / 100, 3), window


def _folded(text: str) -> str:
    """Lines folded one by one, as they stand in a corpus."""
    return "".join(fold(line) for line in text.splitlines()).replace("□", "")


def _rarest(hashes: NDArray[np.uint64], owner: NDArray[np.int64]) -> tuple[Any, Any]:
    """The grams that fewest questions have, so many of each question."""
    if not len(hashes):
        return hashes, owner
    _, number, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    order = np.lexsort((hashes, counts[number], owner))
    hashes, owner = hashes[order], owner[order]
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    rank = np.arange(len(owner)) - np.repeat(starts, np.diff(np.r_[starts, len(owner)]))
    return hashes[rank < _RARE], owner[rank < _RARE]


def _records(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for part in text.split("\n"):
        yield start, part
        start += len(part) + 1


def _blocks(lines: Iterable[Line], overlap: int) -> Iterator[tuple[int, list[Line]]]:
    """Folded lines by the block, each block beginning with the end of the one before; with lines read."""
    block: list[Line] = []
    size = read = 0
    for file, number, text in lines:
        read += bool(text)
        folded = _folded(text) if text else "\n"
        block.append((file, number, folded))
        size += len(folded)
        if size >= _BLOCK + overlap:
            yield read, block
            block, size = _tail(block, overlap)
    if block:
        yield read, block


def _tail(block: list[Line], overlap: int) -> tuple[list[Line], int]:
    size = 0
    for n in range(len(block) - 1, -1, -1):
        if size + len(block[n][2]) > overlap:
            return block[n + 1 :], size
        size += len(block[n][2])
    return [], 0


def read_lines(path: Path, fields: Sequence[str] = ()) -> Iterator[Line]:
    """The lines of a corpus file, with line numbers.

    A file named .jsonl (or .ndjson) is read as JSON Lines: the texts of a row, or of its `fields`
    alone, belong together and not to the next row. Any other file is text in UTF-8. UsageError
    for a file that cannot be opened and for a row that is no JSON.
    """
    rows = path.suffix.lower() in {".jsonl", ".ndjson"}
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                if not rows:
                    for start in range(0, len(line), _BLOCK):  # a book may be one line
                        yield str(path), number, line[start : start + _BLOCK]
                elif line.strip():
                    for text in _strings(json.loads(line), frozenset(fields)):
                        for part in text.splitlines():
                            yield str(path), number, part
                    yield str(path), number, ""
            yield str(path), 0, ""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", code="no_file") from None
    except ValueError as error:
        raise UsageError(f"{path}, line {number}, is no JSON: {error}.", code="bad_rows") from None


def _strings(value: object, fields: frozenset[str], wanted: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if wanted or not fields:
            yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, fields, wanted or key in fields)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, fields, wanted)
