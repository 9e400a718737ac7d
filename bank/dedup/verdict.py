"""Whether two questions are the same one: duplicate, different, or a matter for a curator."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from bank.dedup.reading import Reading, is_light, read
from bank.dedup.words import AFFIRMING, ALIKE, CHINESE_DIGITS, DIGIT_LOOKALIKES, NEGATORS, NUMERALS
from schemas.settings import DedupSettings
from schemas.text import fold

# Lengths in tokens: from _LONG on, one odd character may be a misreading; below _NARROW, one word
# more may make another question; over _ENDLESS, an alignment costs too much memory.
_LONG, _NARROW, _ENDLESS = 25, 30, 20_000
_CHOOSING = re.compile("下列|以下|下面|哪|following")

Decision = Literal["duplicate", "different", "review"]


@dataclass(frozen=True)
class Finding:
    """A verdict on a pair. score is 0 to 1, the likeness of the texts; evidence is for a reader."""

    verdict: Decision
    score: float
    evidence: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        told = "; ".join(f"{k}: {v}" for k, v in self.evidence.items())
        return f"{self.verdict} {self.score:.2f}" + (f" ({told})" if told else "")


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


def compare(
    a: str,
    b: str,
    *,
    settings: DedupSettings | None = None,
    figures: tuple[Sequence[str], Sequence[str]] = ((), ()),
    needs_figure: bool = False,
) -> Finding:
    """Compare two questions as printed or as asked.

    figures: content hashes of the figures of each; needs_figure: whether either cannot be
    understood without. Short texts are judged more strictly: one content word is all they have.
    """
    at = settings or DedupSettings()
    found = _compare(read(a), read(b), at)
    if found.verdict == "duplicate" and needs_figure and set(figures[0]) != set(figures[1]):
        return Finding("review", found.score, {**found.evidence, "figures": "differ, and are needed"})
    return found


def _compare(a: Reading, b: Reading, at: DedupSettings) -> Finding:
    from rapidfuzz import fuzz

    if a.key == b.key and a.key.strip():
        return Finding("duplicate", 1.0, {"text": "equal"})
    if not a.tokens or not b.tokens:
        return Finding("different", 0.0, {"text": "nothing to compare"})
    score = fuzz.ratio(a.tokens, b.tokens)
    rough = max(score, fuzz.ratio(_content(a.tokens), _content(b.tokens)))
    evidence = {"ratio": f"{score:.0f}"}
    if rough < at.review_at - 10:
        return Finding("different", score / 100, evidence)
    if max(len(a.tokens), len(b.tokens)) > _ENDLESS:
        return Finding("review", score / 100, {**evidence, "length": "too long to compare word by word"})
    forth = _judge(a, b, rough, at)
    back = _judge(b, a, rough, at)  # an alignment read from the other end may place a change elsewhere
    verdict = forth[0] if forth[0] == back[0] else "review"
    told = max(forth, back, key=lambda side: len(side[1]))[1] if verdict == "review" else forth[1]
    return Finding(verdict, score / 100, {**evidence, **told})


def _judge(a: Reading, b: Reading, rough: float, at: DedupSettings) -> tuple[Decision, dict[str, str]]:
    """The verdict on two texts that are alike, read from a to b."""
    changes = differences(a.tokens, b.tokens)
    evidence = {}
    if changes:
        evidence["changes"] = "; ".join(str(c) for c in changes[:6])
    for name, guard in _GUARDS:
        why = guard(a, b, changes)
        if why:
            return "different", {**evidence, name: why}
    verdict, told = _weigh(a, b, changes, rough, at)
    return verdict, {**evidence, **told}


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


def _content(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(t for t in tokens if not is_light(t))


def _is_number(token: str) -> bool:
    return token[0].isdigit()


def _looks_alike(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether b is a as a recogniser may have misread it."""
    if len(a) == len(b) and all(x == y or (x, y) in ALIKE for x, y in zip(a, b, strict=True)):
        return True
    left, right = "".join(a).translate(CHINESE_DIGITS), "".join(b).translate(CHINESE_DIGITS)
    return (
        left.isascii()
        and right.isascii()
        and any(c.isdigit() or c == "|" for c in left + right)
        and left.translate(DIGIT_LOOKALIKES) == right.translate(DIGIT_LOOKALIKES)
    )


def _unmatched(changes: Sequence[Change]) -> tuple[Counter[str], Counter[str]]:
    """Tokens only in a and only in b, moved ones and misread ones cancelled out."""
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for change in changes:
        if not _looks_alike(change.a, change.b):
            left.update(change.a)
            right.update(change.b)
    return left - right, right - left


def _numbers(a: Reading, b: Reading, changes: Sequence[Change]) -> str:
    left, right = ([t for t in c.elements() if _is_number(t) or t in NUMERALS] for c in _unmatched(changes))
    long = min(len(a.tokens), len(b.tokens)) >= 40
    # A long text may leave a number out ("20世纪60年代": "60年代"); none may hold another number.
    if (left and right) or ((left or right) and not long):
        return f"{' '.join(left) or '∅'} ≠ {' '.join(right) or '∅'}"
    return ""


def _symbols(a: Reading, b: Reading, changes: Sequence[Change]) -> str:
    """Latin letters and operators: in a Chinese text they are symbols, units, names."""
    if a.english or b.english:
        return ""
    left, right = (
        [t for t in c.elements() if len(t) == 1 and not ("\u3400" <= t <= "\u9fff") and not _is_number(t)]
        for c in _unmatched(changes)
    )
    if left or right:
        return f"{' '.join(left) or '∅'} ≠ {' '.join(right) or '∅'}"
    return ""


def _negation(a: Reading, b: Reading, changes: Sequence[Change]) -> str:
    def deny(part: Sequence[str], change: Change) -> list[str]:
        around = change.before + "".join(part) + change.after
        for word in AFFIRMING:
            around = around.replace(word, "")
        return [t for t in part if t in NEGATORS and (len(t) > 1 or t in around)]

    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for change in changes:
        left.update(deny(change.a, change))
        right.update(deny(change.b, change))
    only_a, only_b = left - right, right - left
    if bool(only_a) != bool(only_b) or (only_a and only_a.total() != only_b.total()):
        return f"{' '.join(only_a) or '∅'} ≠ {' '.join(only_b) or '∅'}"
    return ""


def _other_options(a: Reading, b: Reading, changes: Sequence[Change]) -> str:
    if not a.options or not b.options:
        return ""
    few, many = sorted((a.options, b.options), key=len)
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


def _same_option(a: str, b: str) -> bool:
    from rapidfuzz import fuzz

    x, y = fold(a), fold(b)
    if x == y:
        return True
    numbers = ["".join(c for c in t if c.isdigit()) for t in (x, y)]
    return numbers[0] == numbers[1] and min(len(x), len(y)) >= 6 and fuzz.ratio(x, y) >= 85


def _asked(a: Reading, b: Reading, changes: Sequence[Change]) -> str:
    """The last words say what is asked: another ending after the same story is another question."""
    tail = min(len(a.tokens), len(b.tokens))
    for change in changes:
        near_end = change.stop >= len(a.tokens) - 3
        sizes = len(_content(change.a)), len(_content(change.b))
        another = min(sizes) >= 2 or max(sizes) >= 4
        if near_end and another and not _looks_alike(change.a, change.b) and tail >= 4:
            return str(change)
    return ""


def _exchanged(a: Reading, b: Reading, changes: Sequence[Change]) -> str:
    """Two words that changed places: "A before B" is not "B before A"."""
    swaps = {(c.a, c.b) for c in changes if _content(c.a) and _content(c.b)}
    both = [f"{''.join(x)}↔{''.join(y)}" for x, y in swaps if x < y and (y, x) in swaps]
    return "; ".join(sorted(both))


def _may_be_misread(change: Change) -> bool:
    """One character for another, or one English word for one spelt much like it."""
    from rapidfuzz import fuzz

    if len(change.a) != 1 or len(change.b) != 1:
        return False
    x, y = change.a[0], change.b[0]
    return (len(x) == 1 and len(y) == 1) or fuzz.ratio(x, y) >= 75


def _entity(a: Reading, b: Reading, changes: Sequence[Change]) -> str:
    """One content word in another's place, all else the same: another thing is asked about."""
    real = [c for c in changes if _content(c.a) or _content(c.b)]
    real = [c for c in real if not _looks_alike(c.a, c.b)]
    swaps = [c for c in real if _content(c.a) and _content(c.b)]
    only_a, only_b = (_content(list(c.elements())) for c in _unmatched(changes))
    if len(swaps) == 1 and len(a.tokens) >= _LONG and _may_be_misread(swaps[0]):
        return ""  # left to a curator below
    if swaps and only_a and only_b and (len(real) <= 2 or min(len(a.tokens), len(b.tokens)) < 30):
        return "; ".join(str(c) for c in swaps[:3])
    return ""


_GUARDS = (
    ("numbers", _numbers),
    ("symbols", _symbols),
    ("negation", _negation),
    ("options", _other_options),
    ("asked", _asked),
    ("exchanged", _exchanged),
    ("entity", _entity),
)


def _weigh(
    a: Reading, b: Reading, changes: Sequence[Change], rough: float, at: DedupSettings
) -> tuple[Decision, dict[str, str]]:
    """The verdict when no guard objects."""
    length = min(len(a.tokens), len(b.tokens))
    extra = [c for counter in _unmatched(changes) for c in _content(list(counter.elements()))]
    told = {"left over": "".join(extra)} if extra else {}
    lone = bool(a.options) != bool(b.options)
    if lone and (length < 12 or (length < _NARROW and _CHOOSING.search(a.stem))):
        return "review", {**told, "options": "only on one side, and the stem says little without"}
    if not extra:
        return "duplicate", told
    real = [c for c in changes if _content(c.a) or _content(c.b)]
    if len(extra) <= 2 and any(_content(c.a) and _content(c.b) and _may_be_misread(c) for c in real):
        return "review", {**told, "misread": "one character or word differs"}
    if length < _NARROW and any(max(len(_content(c.a)), len(_content(c.b))) >= 2 for c in real):
        # One word more may name another thing.
        return ("review" if rough >= at.review_at else "different"), told
    left, right = (_content(list(c.elements())) for c in _unmatched(changes))
    if left and right and length < 40:
        return "review", told  # not added or left out, but said in other words
    if length >= 15 and rough >= at.duplicate_at:
        return "duplicate", told
    if rough >= at.review_at:
        return "review", told
    return "different", told
