"""Whether two questions are the same one: duplicate, different, or a matter for a curator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from bank.dedup.guards import GUARDS, Pair, content, ends_otherwise, may_be_misread, qualified
from bank.dedup.reading import AsRead, read, without_gloss
from bank.dedup.words import NARROWING
from schemas.settings import DedupSettings

# Lengths in tokens. A text of _TERSE tokens says nothing twice: a word more is another question;
# in one of _ODD, an odd character that is not the contrary of the other is a misreading; one of _WIDE
# may leave more out;
# over _ENDLESS, an alignment costs too much memory.
_TERSE, _MIDDLE, _ODD, _WIDE, _ENDLESS = 14, 25, 30, 40, 20_000
_RUN_ON = 15  # characters of an option, beyond twice the longest of the others
_MUCH = 0.35  # share from which it is another text
_SLIGHT = 0.16  # share of a text that may be left over and change nothing

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
    found, _ = compare_read(read(without_gloss(a, b)), read(without_gloss(b, a)), at)
    return with_figures(found, figures, needs_figure=needs_figure)


def with_figures(
    found: Finding, figures: tuple[Sequence[str], Sequence[str]], *, needs_figure: bool
) -> Finding:
    """What is found of two texts, with their figures: see `compare`."""
    if found.verdict == "duplicate" and needs_figure and set(figures[0]) != set(figures[1]):
        return Finding("review", found.score, {**found.evidence, "figures": "differ, and are needed"})
    return found


def compare_read(a: AsRead, b: AsRead, at: DedupSettings) -> tuple[Finding, Finding]:
    """Compare two questions that have been read: the finding told from a to b, and from b to a."""
    from rapidfuzz import fuzz

    if a.key == b.key and a.key.strip():
        return _both("duplicate", 1.0, {"text": "equal"})
    if not a.tokens or not b.tokens:
        return _both("different", 0.0, {"text": "nothing to compare"})
    left, right = _flattened(a.tokens, b.tokens)
    score = fuzz.ratio(left, right)
    rough = score if score >= at.duplicate_at else max(score, fuzz.ratio(content(left), content(right)))
    evidence = {"ratio": f"{score:.0f}"}
    if rough < at.review_at - 10:
        return _both("different", score / 100, evidence)
    if max(len(left), len(right)) > _ENDLESS:
        told = {**evidence, "length": "too long to compare word by word"}
        return _both("review", score / 100, told)
    forth = _judge(Pair(a, b, left, right), rough, at)
    # An alignment read from the other end may place a change elsewhere.
    back = _judge(Pair(b, a, right, left), rough, at)
    if forth[0] == back[0]:
        return (
            Finding(forth[0], score / 100, {**evidence, **forth[1]}),
            Finding(back[0], score / 100, {**evidence, **back[1]}),
        )
    told = max(forth, back, key=lambda side: len(side[1]))[1]
    return _both("review", score / 100, {**evidence, **told})


def _swollen(a: Sequence[str], b: Sequence[str]) -> str:
    """An option so long beside the others that the next question may have run into it, or ''."""
    for mine, theirs in ((a, b), (b, a)):
        like = theirs or mine[:-1]
        last = mine[-1] if mine else ""
        if like and len(last) > 2 * max(map(len, like)) + _RUN_ON:
            return last
    return ""


def _both(verdict: Decision, score: float, told: dict[str, str]) -> tuple[Finding, Finding]:
    found = Finding(verdict, score, told)
    return found, found


def _flattened(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tokens of both; where one lost its superscripts in extraction, both without ("x^2": "x2")."""
    marks = [{"^", "_"} & set(side) for side in (a, b)]
    if bool(marks[0]) == bool(marks[1]):
        return a, b
    flat = [tuple(c for t in side for c in (t if t.isascii() else [t]) if c not in "^_⊏⊐") for side in (a, b)]
    signs = ["".join(t for t in side if t.isascii()) for side in flat]
    return (flat[0], flat[1]) if signs[0] == signs[1] else (a, b)


def _judge(pair: Pair, rough: float, at: DedupSettings) -> tuple[Decision, dict[str, str]]:
    """The verdict on two texts that are alike, read from a to b."""
    evidence = {}
    if pair.changes:
        evidence["changes"] = "; ".join(str(c) for c in pair.changes[:6])
    for name, guard in GUARDS:
        why = guard(pair)
        if why:
            return "different", {**evidence, name: why}
    verdict, told = _weigh(pair, rough, at)
    return verdict, {**evidence, **told}


def _weigh(pair: Pair, rough: float, at: DedupSettings) -> tuple[Decision, dict[str, str]]:
    """The verdict when no guard objects: by what is left over on one side or on both."""
    length = pair.length
    left, right = pair.weights
    extra = [*left, *right]
    told = {"left over": "".join(extra)} if extra else {}
    lone = bool(pair.a.options) != bool(pair.b.options)
    size = sum(len(t) if not t.isascii() else 2 for t in extra)
    if size > _MUCH * length:
        return "different", told
    if lone and (length < 12 or (length < 30 and pair.a.choosing)):
        return "review", {**told, "options": "only on one side, and the stem says little without"}
    if swollen := _swollen(pair.a.options, pair.b.options):
        return "review", {**told, "options": f"one is much longer than the others: {swollen[:30]}"}
    doubt = (qualified(pair) or ends_otherwise(pair)) if length < _WIDE else ""
    if doubt:
        return "review", {**told, "qualifier": doubt}
    if not extra:
        return "duplicate", told
    odd = len(extra) <= 2 and any(may_be_misread(c) for c in pair.swaps)
    if odd:
        told["misread"] = "one character or word differs"
        # The end says what is asked: there another character may be another quantity.
        inside = length >= _ODD and all(change.stop < len(pair.left) - 4 for change in pair.swaps)
        return ("duplicate" if inside else "review"), told
    slight = size <= _SLIGHT * length
    # The end of a text says what is asked; before it, a long one may be told with a few other words.
    last = max((change.stop for change, *sides in pair.weighed if len(max(sides, key=len)) > 1), default=0)
    roomy = length >= _WIDE and rough >= at.duplicate_at and last < len(pair.left) - 3
    if not (left and right):  # added or left out
        narrowing = length < 30 and any(t in NARROWING for t in extra)
        if length >= _TERSE and slight and not narrowing:
            return "duplicate", told
        filled = length >= _WIDE and 2 * rough >= at.duplicate_at + at.review_at and not pair.swaps
        if roomy or (filled and last < len(pair.left) - 3):
            return "duplicate", told
        first = all(change.start == 0 for change, _, _ in pair.weighed)  # only said by way of introduction
        return ("review" if rough >= at.review_at or slight or first else "different"), told
    # Said in other words.
    if slight and not pair.swaps and length >= _MIDDLE:
        return "duplicate", told
    if roomy:
        return "duplicate", told
    few = min(len(left), len(right)) <= 2 and size <= 2 * _SLIGHT * length
    return ("review" if rough >= at.review_at and (few or length >= 60) else "different"), told
