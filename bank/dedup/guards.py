"""What makes two questions that read alike different ones: each guard names what it objects to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from bank.dedup.alike import drawn_alike
from bank.dedup.reading import LIGHTEST, AsRead
from bank.dedup.words import (
    AFFIRMING,
    ALIKE,
    CHINESE_DIGITS,
    CONTRASTS,
    DIGIT_LOOKALIKES,
    FILLERS,
    NEGATORS,
    NUMERALS,
    PRONOUNS,
    QUALIFIERS,
    SOUGHT,
    WEIGHTY,
)
from schemas.text import fold

# Lengths in tokens. A text of _TERSE says nothing twice; from _LONG on, one odd character may be a
# misreading, and a name said once more is no news; from _WIDE on, a number may be left out.
_TERSE, _LONG, _WIDE = 14, 25, 40
_WORD_SIGNS = frozenset("-/~&|")  # that stand between English words, too
_TOLD = 10  # from which a misread character leaves enough to tell
_PHRASE = 10  # like _LONG, in English words
_SOURCES = (("根", "据"), ("依", "据"), ("按", "照"), ("依", "照"))
_SPELLED_ALIKE = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("i", "l"))


_T = TypeVar("_T")


class _Kept(Generic[_T]):
    """A property that is worked out once, without the lock of functools.cached_property, which costs more
    than most of what is kept here.
    """

    def __init__(self, made: Callable[[Any], _T]) -> None:
        self._made, self._name = made, made.__name__
        self.__doc__ = made.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> _Kept[_T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> _T: ...

    def __get__(self, instance: object | None, owner: type) -> _T | _Kept[_T]:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._made(instance)
        return value


@dataclass(frozen=True)
class Change:
    """One place where two token sequences differ."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    before: str
    after: str
    start: int
    stop: int

    def __str__(self) -> str:
        return f"{''.join(self.a) or '∅'}→{''.join(self.b) or '∅'}"


@dataclass(frozen=True)
class Pair:
    """Two readings, with the tokens that are compared, and where those differ."""

    a: AsRead
    b: AsRead
    left: tuple[str, ...]
    right: tuple[str, ...]

    @_Kept
    def changes(self) -> list[Change]:
        """Where the tokens differ, in order."""
        return differences(self.left, self.right)

    @property
    def length(self) -> int:
        """Tokens of the shorter side."""
        return min(len(self.left), len(self.right))

    @_Kept
    def only(self) -> tuple[list[str], list[str]]:
        """Tokens only in a and only in b; what was moved, misread or said twice cancels out."""
        return _unmatched([(c.a, c.b) for c in self.real_changes])

    @_Kept
    def weighed(self) -> list[tuple[Change, tuple[str, ...], tuple[str, ...]]]:
        """The real changes with the tokens of each side that say something the other text does not.

        A light token counts where it stands in place of a heavy one: "西医诊断", "中医诊断".
        """
        only_a, only_b = self.only
        out = []
        for change in self.real_changes:
            left = tuple(t for t in content(change.a) if t in only_a)
            right = tuple(t for t in content(change.b) if t in only_b)
            if left and not right:
                right = _in_place(change.b, left)
            elif right and not left:
                left = _in_place(change.a, right)
            if left or right:
                out.append((change, left, right))
        return out

    @property
    def swaps(self) -> list[Change]:
        """Changes in which something said is replaced by something else."""
        return [change for change, left, right in self.weighed if left and right]

    @_Kept
    def weights(self) -> tuple[list[str], list[str]]:
        """Like `only`, but only tokens that say something."""
        return _unmatched([(left, right) for _, left, right in self.weighed])

    @_Kept
    def real_changes(self) -> list[Change]:
        """Changes that are neither a misreading nor a name said once more."""
        real = [c for c in self.changes if not looks_alike(c.a, c.b) and not self._said_again(c)]
        if self.length < _TOLD:
            return real
        drawn = [c for c in real if drawn_alike("".join(c.a), "".join(c.b))]
        # One in ten may be misread; more is another text.
        return [c for c in real if c not in drawn] if len(drawn) <= max(1, self.length // 10) else real

    def _said_again(self, change: Change) -> bool:
        """Whether one side only names once more, or in place of a pronoun, what its text names anyway."""
        if change.start == 0 and self.length >= _TERSE and (change.a or change.b)[:2] in _SOURCES:
            return not (change.a and change.b)  # "根据婚姻法规定，": where it stands, not what is asked
        if self.a.english and self.b.english:
            return self.length >= _PHRASE and self._named_elsewhere(change)
        if self.length < _LONG:
            return False
        for said, other, tokens in ((change.a, change.b, self.left), (change.b, change.a, self.right)):
            name = "".join(said)
            named = len(content(said)) >= 2 and all(map(str.isalnum, said))
            if named and not set(other) - PRONOUNS and "".join(tokens).count(name) > 1:
                return True
        return False

    def _named_elsewhere(self, change: Change) -> bool:
        """Whether one side only repeats English words of its text where the other has grammar."""
        for said, other, tokens in ((change.a, change.b, self.left), (change.b, change.a, self.right)):
            words = content(said)
            if words and not content(other) and all(t.isalpha() and tokens.count(t) > 1 for t in words):
                return True
        return False


def _unmatched(sides: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> tuple[list[str], list[str]]:
    """Tokens of the left sides that are on no right side, and the other way round, as often as they are."""
    left = [token for a, _ in sides for token in a]
    right = [token for _, b in sides for token in b]
    if set(left).isdisjoint(right):
        return left, right
    one, other = Counter(left), Counter(right)
    return list((one - other).elements()), list((other - one).elements())


def _in_place(tokens: Sequence[str], of: Sequence[str]) -> tuple[str, ...]:
    if len("".join(tokens)) != len("".join(of)):
        return ()
    return tuple(t for t in tokens if t in WEIGHTY or t in FILLERS)


def differences(a: Sequence[str], b: Sequence[str]) -> list[Change]:
    """Where two token sequences differ, in order."""
    from rapidfuzz.distance import Levenshtein

    spans: list[list[int]] = []
    for op in Levenshtein.opcodes(a, b):
        if op.tag == "equal":
            continue
        if spans and spans[-1][1] == op.src_start and spans[-1][3] == op.dest_start:
            spans[-1][1], spans[-1][3] = op.src_end, op.dest_end  # two steps of one change
        else:
            spans.append([op.src_start, op.src_end, op.dest_start, op.dest_end])
    return [
        Change(tuple(a[i:j]), tuple(b[k:n]), a[i - 1] if i else "", a[j] if j < len(a) else "", i, j)
        for i, j, k, n in spans
    ]


def content(tokens: Sequence[str]) -> tuple[str, ...]:
    """The tokens that carry more than grammar."""
    return tuple([t for t in tokens if t not in LIGHTEST])


def looks_alike(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether b is a as a recogniser, or a typist, may have got it wrong."""
    left, right = "".join(a), "".join(b)
    if not left or not right:
        return False
    if len(left) == len(right) and all(x == y or (x, y) in ALIKE for x, y in zip(left, right, strict=True)):
        return True
    left = left if left.isascii() else left.translate(CHINESE_DIGITS)
    right = right if right.isascii() else right.translate(CHINESE_DIGITS)
    if not (left.isascii() and right.isascii()):
        return False
    if any(c.isdigit() or c == "|" for c in left + right):
        return left.translate(DIGIT_LOOKALIKES) == right.translate(DIGIT_LOOKALIKES)
    if min(len(left), len(right)) < 4:
        return False
    for misread, right_one in _SPELLED_ALIKE:
        left, right = left.replace(misread, right_one), right.replace(misread, right_one)
    return left == right


def may_be_misread(change: Change) -> bool:
    """One character for another, or one English word for one spelt much like it."""
    from rapidfuzz import fuzz

    if len(change.a) != 1 or len(change.b) != 1:
        return False
    x, y = change.a[0], change.b[0]
    return (len(x) == 1 and len(y) == 1) or (x.isascii() and fuzz.ratio(x, y) >= 75)


def _is_number(token: str) -> bool:
    return token[0].isdigit()


def _unlike(left: Sequence[str], right: Sequence[str]) -> str:
    return f"{' '.join(left) or '∅'} ≠ {' '.join(right) or '∅'}" if left or right else ""


def _numbers(pair: Pair) -> str:
    left, right = ([t for t in c if _is_number(t) or t in NUMERALS] for c in pair.only)
    # A long text may leave a number out ("20世纪60年代": "60年代"), one of some length the year at its
    # head ("1905年，…"); none may hold another number.
    if (left and right) or pair.length < (_LONG if _only_a_year(pair) else _WIDE):
        return _unlike(left, right)
    return ""


def _only_a_year(pair: Pair) -> bool:
    """Whether the one number that only one side has is a year told before all else."""
    told = [c for c in pair.real_changes if any(_is_number(t) or t in NUMERALS for t in (*c.a, *c.b))]
    if len(told) != 1 or told[0].start or (told[0].a and told[0].b):
        return False
    said = told[0].a or told[0].b
    return len(said) == 2 and len(said[0]) == 4 and said[1] == "年"


def _symbols(pair: Pair) -> str:
    """Letters and operators: in a Chinese text all are symbols, units, names; in English, operators are."""
    english = pair.a.english or pair.b.english
    left, right = (
        [t for t in c if _is_symbol(t) and not (english and (t.isalpha() or t in _WORD_SIGNS))]
        for c in pair.only
    )
    return _unlike(left, right)


def _is_symbol(token: str) -> bool:
    return len(token) == 1 and not ("\u3400" <= token <= "\u9fff") and not _is_number(token)


def _order(pair: Pair) -> str:
    """The same numbers and signs in another order, in the same words: "(3,0)" is not "(0,3)"."""
    if any(pair.only) or not pair.changes:
        return ""
    signs, words = [], []
    for side in (pair.left, pair.right):
        signs.append([t for t in side if _is_number(t) or _is_symbol(t)])
        words.append([t for t in content(side) if not (_is_number(t) or _is_symbol(t))])
    if signs[0] != signs[1] and words[0] == words[1] and Counter(signs[0]) == Counter(signs[1]):
        return next(f"{x}…≠{y}…" for x, y in zip(*signs, strict=True) if x != y)
    return ""


def _sought(pair: Pair) -> str:
    """One asks who, the other when or where."""
    left, right = ([t for t in side if t in SOUGHT] for side in (pair.left, pair.right))
    return _unlike(left, right) if left and right and set(left).isdisjoint(right) else ""


def _negation(pair: Pair) -> str:
    def deny(part: Sequence[str], change: Change) -> list[str]:
        if NEGATORS.isdisjoint(part):
            return []
        around = change.before + "".join(part) + change.after
        for word in AFFIRMING:
            around = around.replace(word, "")
        return [t for t in part if t in NEGATORS and (len(t) > 1 or t in around)]

    sides = [
        (tuple(deny(change.a, change)), tuple(deny(change.b, change)))
        for change in pair.changes
        if not looks_alike(change.a, change.b)
    ]
    only_a, only_b = _unmatched(sides)
    return _unlike(only_a, only_b) if len(only_a) != len(only_b) else ""


def _contrary(pair: Pair) -> str:
    """A character in place of its contrary, or of another of its kind."""
    for change in pair.real_changes:
        if len(change.a) == len(change.b):
            unlike = [(x, y) for x, y in zip(change.a, change.b, strict=True) if x != y]
            if all(both in CONTRASTS for both in unlike):
                return str(change)
    return ""


def _other_options(pair: Pair) -> str:
    if not pair.a.options or not pair.b.options:
        return ""
    few, many = sorted((pair.a.options, pair.b.options), key=len)
    left = list(many)
    matched = 0
    for option in few:
        for i, other in enumerate(left):
            if _same_option(option, other):
                del left[i]
                matched += 1
                break
    if matched * 3 < len(many) * 2 and matched < len(few):
        return f"{matched} of {len(many)} the same"
    return ""


def ends_otherwise(pair: Pair) -> str:
    """A word that comes and goes elsewhere, at the end of one side alone: there it is what is asked."""
    ends = [side[-1] if side and side[-1] in FILLERS else "" for side in (pair.left, pair.right)]
    return "" if ends[0] == ends[1] else f"{ends[0] or '∅'}→{ends[1] or '∅'} at the end"


def _same_option(a: str, b: str) -> bool:
    from rapidfuzz import fuzz

    x, y = fold(a), fold(b)
    if x == y:
        return True
    numbers = ["".join(c for c in t if c.isdigit()) for t in (x, y)]
    return numbers[0] == numbers[1] and min(len(x), len(y)) >= 6 and fuzz.ratio(x, y) >= 85


def _asked(pair: Pair) -> str:
    """The last words say what is asked: another ending after the same story is another question."""
    for change, left, right in pair.weighed:
        near_end = change.stop >= len(pair.left) - 3
        sizes = len(left), len(right)
        another = min(sizes) >= 2 or max(sizes) >= 4
        if near_end and another and pair.length >= 4:
            return str(change)
    return ""


def _exchanged(pair: Pair) -> str:
    """Two words that changed places: "A before B" is not "B before A"."""
    swaps = {(c.a, c.b) for c in pair.changes if _weighty(c.a) and _weighty(c.b)}
    both = [f"{''.join(x)}↔{''.join(y)}" for x, y in swaps if x < y and (y, x) in swaps]
    return "; ".join(sorted(both))


def _weighty(tokens: Sequence[str]) -> bool:
    return bool(content(tokens)) or not WEIGHTY.isdisjoint(tokens)


def _entity(pair: Pair) -> str:
    """One content word in another's place, all else the same: another thing is asked about."""
    swaps = pair.swaps
    only_a, only_b = pair.weights
    if len(swaps) == 1 and (
        (pair.length >= _LONG and may_be_misread(swaps[0]))
        or drawn_alike("".join(swaps[0].a), "".join(swaps[0].b))
    ):
        return ""  # left to a curator
    if swaps and only_a and only_b and (len(pair.weighed) <= 2 or pair.length < 30):
        return "; ".join(str(c) for c in swaps[:3])
    return ""


GUARDS = (
    ("numbers", _numbers),
    ("symbols", _symbols),
    ("order", _order),
    ("sought", _sought),
    ("negation", _negation),
    ("options", _other_options),
    ("contrary", _contrary),
    ("asked", _asked),
    ("exchanged", _exchanged),
    ("entity", _entity),
)


def qualified(pair: Pair) -> str:
    """Qualifiers that replace one another, or that stand alone in a term: a doubt, no difference."""
    for change in pair.real_changes:
        words = [t for t in (*change.a, *change.b) if t in QUALIFIERS]
        if len(words) > 1 or (words and pair.length < 6):
            return str(change)
    return ""
