"""Compiled loops over columns of texts: grams, their rarest, who shares them, how alike two texts are.

Imported only where there are enough texts to pay for it: compiling takes seconds, once a machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_Loop = TypeVar("_Loop", bound=Callable[..., Any])
_HAN, _DIGIT, _OTHER = 2, 3, 5  # gram lengths, as in grams
_HAN_TOO = 3
_MOST_BITS = 27  # of a table of frequencies: then a few grams in a hundred share a place at a million texts
_LONGEST = 4096  # tokens; a longer text is left to the verdict
_WORD = 64


def _compiled(loop: _Loop) -> _Loop:
    made: Any = numba.njit(cache=True, nogil=True)(loop)
    return cast(_Loop, made)


def table_for(chars: int) -> tuple[Array, int]:
    """A table of how many texts have each gram of so many characters; by how much a hash is shifted to find
    its place in it.
    """
    bits = min(_MOST_BITS, max(12, (16 * chars).bit_length()))
    return np.zeros(1 << bits, dtype=np.uint16), _WORD - bits


@_compiled
def _mixed(value: np.uint64, char: int) -> np.uint64:
    mixed = (value ^ (np.uint64(char) + np.uint64(1))) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


@_compiled
def _grams_of(chars: Array, start: int, stop: int, into: Array) -> int:
    """Distinct gram hashes of one text, sorted, in the first places of into; how many there are.

    The hashes are those of bank.dedup.grams.
    """
    count = 0
    for place in range(start, stop):
        char = chars[place]
        size = _OTHER
        if char >= 0x2E80:
            size = _HAN
        elif 0x30 <= char <= 0x39:
            size = _DIGIT
        if place + size > stop and place != start:
            continue
        value = np.uint64(0)
        for step in range(min(size, stop - place)):
            value = _mixed(value, chars[place + step])
        into[count] = value
        count += 1
        if size == _HAN and place + _HAN_TOO <= stop:
            into[count] = _mixed(value, chars[place + _HAN])
            count += 1
    found = np.sort(into[:count])
    kept = 0
    for place in range(count):
        if place == 0 or found[place] != found[place - 1]:
            into[kept] = found[place]
            kept += 1
    return kept


@_compiled
def count_grams(chars: Array, begins: Array, ends: Array, table: Array, shift: int) -> None:
    """Add to a table_for them in how many texts each gram stands; a text is chars[begin:end]."""
    longest = 1
    for text in range(len(begins)):
        longest = max(longest, ends[text] - begins[text])
    into = np.empty(2 * longest, dtype=np.uint64)
    for text in range(len(begins)):
        count = _grams_of(chars, begins[text], ends[text], into)
        for n in range(count):
            slot = into[n] >> np.uint64(shift)
            if table[slot] < 65535:
                table[slot] += 1


@_compiled
def choose_grams(
    chars: Array, begins: Array, ends: Array, table: Array, shift: int, most: int, first: int, last: int,
    chosen: Array, counts: Array,
) -> None:  # fmt: skip
    """The rarest grams of the texts from first to last, among those that 2 to most texts have.

    chosen: shape (texts, k); counts: how many of the k are set, of each text.
    """
    keep = chosen.shape[1]
    longest = 1
    for text in range(first, last):
        longest = max(longest, ends[text] - begins[text])
    into = np.empty(2 * longest, dtype=np.uint64)
    rarity = np.empty(keep, dtype=np.int64)
    for text in range(first, last):
        count = _grams_of(chars, begins[text], ends[text], into)
        held = 0
        for n in range(count):
            df = np.int64(table[into[n] >> np.uint64(shift)])
            if df < 2 or df > most:
                continue
            place = held
            while place > 0 and rarity[place - 1] > df:  # equal ones stay in the order of their hashes
                place -= 1
            if place >= keep:
                continue
            for later in range(min(held, keep - 1), place, -1):
                rarity[later] = rarity[later - 1]
                chosen[text, later] = chosen[text, later - 1]
            rarity[place] = df
            chosen[text, place] = into[n]
            held = min(held + 1, keep)
        counts[text] = held


@_compiled
def _masks(codes: Array, start: int, stop: int, light: Array, only: bool, keys: Array, masks: Array) -> int:
    """Bits of the places of each token of one text, by an open table; the text's length in tokens."""
    last = len(keys) - 1  # a power of two, less one
    keys[:] = -1
    length = 0
    for place in range(start, stop):
        code = np.int64(codes[place])
        if only and light[code]:
            continue
        at = (code * 40503) & last
        while keys[at] >= 0 and keys[at] != code:
            at = (at + 1) & last
        if keys[at] < 0:
            keys[at] = code
            masks[at, :] = 0
        masks[at, length // _WORD] |= np.uint64(1) << np.uint64(length % _WORD)
        length += 1
    return length


@_compiled
def _shared(
    codes: Array, start: int, stop: int, light: Array, only: bool, keys: Array, masks: Array, length: int,
    rows: Array,
) -> tuple[int, int]:  # fmt: skip
    """Length of the longest common subsequence with the text of the masks, and of this text."""
    last = len(keys) - 1  # a power of two, less one
    words = (length + _WORD - 1) // _WORD
    rows[:words] = ~np.uint64(0)
    other = 0
    for place in range(start, stop):
        code = np.int64(codes[place])
        if only and light[code]:
            continue
        other += 1
        at = (code * 40503) & last
        while keys[at] >= 0 and keys[at] != code:
            at = (at + 1) & last
        if keys[at] < 0:
            continue
        carry = np.uint64(0)
        for word in range(words):
            row = rows[word]
            met = row & masks[at, word]
            total = row + met + carry
            carry = np.uint64(1) if (total < row or (carry == 1 and total == row)) else np.uint64(0)
            rows[word] = total | (row - met)
    common = 0
    for word in range(words):
        left = ~rows[word]
        if word == words - 1 and length % _WORD:
            left &= (np.uint64(1) << np.uint64(length % _WORD)) - np.uint64(1)
        while left:
            left &= left - np.uint64(1)
            common += 1
    return common, other


@_compiled
def alike(
    pairs: Array, codes: Array, begins: Array, ends: Array, light: Array, least: float, out: Array
) -> None:
    """Whether the tokens of each pair of texts, or those with content, have a ratio of at least so much.

    pairs: shape (n, 2), sorted by the first; codes[begin:end]: tokens of a text; light: which are grammar.
    """
    keys = np.empty(64, dtype=np.int64)
    masks = np.empty((64, 1), dtype=np.uint64)
    heavy_keys = np.empty(64, dtype=np.int64)
    heavy_masks = np.empty((64, 1), dtype=np.uint64)
    rows = np.empty(1, dtype=np.uint64)
    last, length, heavy = -1, 0, -1
    for n in range(len(pairs)):
        one, other = pairs[n, 0], pairs[n, 1]
        size, another = ends[one] - begins[one], ends[other] - begins[other]
        if size > _LONGEST or another > _LONGEST:
            out[n] = True
            continue
        if one != last:
            last, heavy = one, -1
            if 2 * size > len(keys) or size > _WORD * masks.shape[1]:
                room = max(len(keys), 64)
                while room < 2 * size:
                    room *= 2
                words = (size + _WORD - 1) // _WORD
                keys = np.empty(room, dtype=np.int64)
                masks = np.empty((room, words), dtype=np.uint64)
                heavy_keys = np.empty(room, dtype=np.int64)
                heavy_masks = np.empty((room, words), dtype=np.uint64)
                rows = np.empty(words, dtype=np.uint64)
            length = _masks(codes, begins[one], ends[one], light, False, keys, masks)
        if 200.0 * min(size, another) >= least * (size + another):
            common, _ = _shared(codes, begins[other], ends[other], light, False, keys, masks, length, rows)
            if 200.0 * common >= least * (size + another):
                out[n] = True
                continue
            # Even if all that is grammar differed: no ratio of the rest can be enough.
            if 200.0 * common < 0.5 * least * (size + another):
                out[n] = False
                continue
        if heavy < 0:
            heavy = _masks(codes, begins[one], ends[one], light, True, heavy_keys, heavy_masks)
        common, rest = _shared(
            codes, begins[other], ends[other], light, True, heavy_keys, heavy_masks, heavy, rows
        )
        out[n] = heavy + rest > 0 and 200.0 * common >= least * (heavy + rest)


@_compiled
def meet(
    begin: int, end: int, groups: Array, counts: Array, usable: Array, starts: Array, owners: Array,
    need: int, family: Array, numbers: Array, met: Array, touched: Array, out: Array, shared: Array,
) -> tuple[int, int]:  # fmt: skip
    """Pairs (text, earlier text) that share grams, for the texts from begin until end or out is full.

    groups: (texts, k) numbers of grams, counts of them set; owners[starts[g]:starts[g + 1]]: the texts of
    gram g, ascending. need: grams to share, fewer for a text with fewer usable ones. family: whether a
    text is of a template; such pairs must have equal numbers. met, touched: room, one place a text, met
    all 0. out: shape (room, 2); shared: grams each pair shares. Returns the text to go on with, and how
    many pairs were found.
    """
    found = 0
    for text in range(begin, end):
        near = 0
        for n in range(counts[text]):
            group = groups[text, n]
            for place in range(starts[group], starts[group + 1]):
                other = owners[place]
                if other >= text:
                    break
                if met[other] == 0:
                    touched[near] = other
                    near += 1
                met[other] += 1
        if found + near > len(out):
            for n in range(near):
                met[touched[n]] = 0
            return text, found
        for n in range(near):
            other = touched[n]
            least = max(1, min(need, min(usable[text], usable[other])))
            enough = met[other] >= least
            shares = met[other]
            met[other] = 0
            if enough and ((not family[text] and not family[other]) or numbers[text] == numbers[other]):
                out[found, 0] = text
                out[found, 1] = other
                shared[found] = shares
                found += 1
    return end, found
