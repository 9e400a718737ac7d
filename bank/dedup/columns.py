"""Many questions as the grouping needs them, in columns: a million fit where objects would not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bank.dedup.candidates import masked, signature
from bank.dedup.items import asked
from bank.dedup.reading import (
    folded,
    gram_text,
    has_gloss,
    is_choosing,
    is_english,
    is_light,
    key_of,
    tidy,
    tokens,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Asked = tuple[str, str, str]  # prompt, printed, material of one question
ENGLISH, CHOOSING, GLOSS = 1, 2, 4  # marks
FIRST_CODE = 0x110000  # of tokens longer than a character
_CHUNK = 4_000  # questions that one worker folds at once
_AHEAD = 4  # chunks under way beyond the one waited for
_PARTING = "\x1f"

_In = TypeVar("_In")
_Out = TypeVar("_Out")


@dataclass(frozen=True)
class Folded:
    """Questions as read for comparison. Arrays have one entry a question unless told otherwise.

    raw: hash of the words as they came; keys: hash of all it reads; texts: hash of the text whose grams
    stand for it, chars and lengths that text; numbers: hash of its numbers in order, numbered: whether
    these tell anything; family: hash of the text with its numbers hidden. codes, tokens: its
    tokens, and how many; a code is a character, or FIRST_CODE and the place in words. marks: bits.
    options: place -> its options.
    """

    raw: Array
    keys: Array
    texts: Array
    chars: Array
    lengths: Array
    numbers: Array
    numbered: Array
    family: Array
    codes: Array
    tokens: Array
    marks: Array
    words: list[str]
    options: dict[int, tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.keys)


def hashed(texts: Sequence[str]) -> NDArray[np.uint64]:
    """64 bits of BLAKE2b of each text."""
    raw = b"".join(hashlib.blake2b(t.encode("utf-8", "surrogatepass"), digest_size=8).digest() for t in texts)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64)


def utf32(texts: Sequence[str]) -> NDArray[np.uint32]:
    """The characters of all texts, one after another."""
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


class _Codes(dict[str, int]):
    """Code of each token, learnt as met; words: the tokens longer than a character, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def __missing__(self, token: str) -> int:
        if len(token) == 1:
            code = ord(token)
        else:
            code = FIRST_CODE + len(self.words)
            self.words.append(token)
        self[token] = code
        return code


def fold_some(questions: Sequence[Asked]) -> Folded:
    """Fold questions in this process."""
    raw, keys, texts, sizes, marks = [], [], [], [], []
    codes: list[int] = []
    known = _Codes()
    options: dict[int, tuple[str, ...]] = {}
    for place, question in enumerate(questions):  # as a Reading does, which is slower to ask
        text = asked(*question)[0]
        stem, told = tidy(text)
        english = is_english(text)
        found = tokens(stem, english)
        bare = folded(stem, told)
        raw.append(text)
        keys.append(key_of(*bare))
        texts.append(gram_text(*bare))
        sizes.append(len(found))
        marks.append(ENGLISH * english + CHOOSING * is_choosing(stem) + GLOSS * has_gloss(text))
        codes.extend(map(known.__getitem__, found))
        if told:
            options[place] = told
    signs = list(map(signature, texts))
    return Folded(
        raw=hashed(raw),
        keys=hashed(keys),
        texts=hashed(texts),
        chars=utf32(texts),
        lengths=np.array(list(map(len, texts)), dtype=np.int64),
        numbers=hashed(signs),
        numbered=np.array([" " in s or len(s) >= 3 for s in signs], dtype=np.bool_),
        family=hashed(list(map(masked, texts))),
        codes=np.array(codes, dtype=np.uint32),
        tokens=np.array(sizes, dtype=np.int64),
        marks=np.array(marks, dtype=np.uint8),
        words=known.words,
        options=options,
    )


def fold(questions: Iterable[Asked], pool: Executor | None = None) -> Folded:
    """Fold questions, in order; in the processes of pool, where there are any."""
    return _joined(list(in_order(fold_some, parts(questions, _CHUNK), pool)))


def parts(values: Iterable[_In], size: int) -> Iterator[list[_In]]:
    """Lists of at most so many values."""
    source = iter(values)
    while some := list(islice(source, size)):
        yield some


def in_order(
    work: Callable[[_In], _Out], chunks: Iterable[_In], pool: Executor | None, ahead: int = _AHEAD
) -> Iterator[_Out]:
    """What work gives for each chunk, in their order; a pool gets a few chunks ahead, not all at once."""
    if pool is None:
        yield from map(work, chunks)
        return
    source = iter(chunks)
    waiting = [pool.submit(work, chunk) for chunk in islice(source, ahead)]
    while waiting:
        done = waiting.pop(0).result()
        waiting += [pool.submit(work, chunk) for chunk in islice(source, 1)]
        yield done


def _joined(chunks: Sequence[Folded]) -> Folded:
    """One of many, with one list of words."""
    known: dict[str, int] = {}
    options: dict[int, tuple[str, ...]] = {}
    codes, before = [], 0
    for chunk in chunks:
        numbers = np.fromiter(
            (FIRST_CODE + known.setdefault(w, len(known)) for w in chunk.words), np.uint32, len(chunk.words)
        )
        long = chunk.codes >= FIRST_CODE
        mine = chunk.codes.copy()
        mine[long] = numbers[chunk.codes[long] - FIRST_CODE]
        codes.append(mine)
        options |= {before + n: told for n, told in chunk.options.items()}
        before += len(chunk)
    empty = chunks or [fold_some([])]
    columns = {
        f.name: np.concatenate([getattr(chunk, f.name) for chunk in empty])
        for f in fields(Folded)
        if f.name not in ("codes", "words", "options")
    }
    joined = np.concatenate(codes) if codes else np.empty(0, np.uint32)
    return Folded(codes=joined, words=list(known), options=options, **columns)


def starts(sizes: Array) -> NDArray[np.int64]:
    """Where each of the pieces of these sizes begins, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def light_codes(folded: Folded) -> NDArray[np.bool_]:
    """For each code whether it is grammar rather than content."""
    marks = np.zeros(FIRST_CODE + len(folded.words), dtype=np.bool_)
    used = np.unique(folded.codes)
    for code in used[used < FIRST_CODE].tolist():
        marks[code] = is_light(chr(code))
    for place, word in enumerate(folded.words):
        marks[FIRST_CODE + place] = is_light(word)
    return marks
