"""Learning from reviewed items: a linear model beside the word lists, and its figures on items held out."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ingest.classify.evidence import find
from ingest.classify.learned import Learned, gained, pieces_of
from ingest.classify.lessons import add_up
from ingest.classify.model import model
from ingest.classify.vote import chances, raised
from schemas.errors import UsageError

if TYPE_CHECKING:
    from ingest.classify.evidence import Reals

MIN_ITEMS = 30
"""Reviewed items below which nothing is learned."""

_OWN_CLASS = 20
"""Reviewed items from which a sub-discipline is a class of its own; others go with their discipline."""

_HELD_OUT, _VALIDATION = 0.2, 0.2
_MADE = 120
"""Questions made of listed words for each discipline, so that what is learned of a few subjects is
not what tells any question from a list of words."""

_TRUSTS = (0.5, 1.0, 2.0, 4.0)
_MOST_LOST = 0.02
_MAX_PIECES = 60_000

_FRAMES = (
    "简述{}的主要内容。", "什么是{}？", "名词解释：{}", "试述{}与{}的区别和联系。",
    "关于{}的说法正确的是", "{}的特点不包括", "{}属于下列哪一项？", "论述{}对{}的影响。",
    "如何理解{}？请举例说明。", "{}是{}的基础。", "{}的基本原理是什么？",
    "影响{}的因素有哪些？", "Explain {}.", "请分析{}产生的原因。",
)  # fmt: skip


def train(items: Sequence[tuple[str, str]], about: Mapping[str, Any], seed: int = 0) -> Learned:
    """Fit a model on reviewed items, (text, code of discipline or sub-discipline).

    A fifth is held out; `about["held_out"]` of the result tells, by class, the number of items
    held out and the recall on them by the lists alone and with what was learned. How far it is
    trusted is chosen on another part, so that no class loses more than 0.02 there. Raises UsageError
    where there are too few items or a code is unknown.
    """
    known = model()
    if len(items) < MIN_ITEMS:
        raise UsageError(
            f"There are {len(items)} reviewed items; learning needs {MIN_ITEMS}.",
            code="few_items",
            remedy="Review more, with `exambank approve` or `edit`.",
        )
    counts = Counter(code for _, code in items)
    bad = sorted(set(counts) - {*known.disciplines, *known.subs})
    if bad:
        raise UsageError(f"The taxonomy does not know {', '.join(bad)}.", code="discipline")
    own = {code for code, n in counts.items() if code in known.subs and n >= _OWN_CLASS}
    picker = random.Random(seed)  # noqa: S311 - draws, no secrets
    reviewed = [(text, code if code in own else code[:3]) for text, code in items]
    learn, check, held = _parted(reviewed, picker)
    made = _made(own, picker)
    some, others = made[::2], made[1::2]
    taught = frozenset(code for _, code in reviewed)
    trust = _trust(_fit(learn + some, taught, seed), check, others)
    final = replace(_fit(learn + check + made, taught, seed), trust=trust)
    tried = _Tried.of(held, final)
    before, after = tried.recalls(0.0), tried.recalls(trust)
    figures = {
        code: {"items": n, "lists": recall, "learned": after[code][0]}
        for code, (recall, n) in sorted(before.items())
    }
    told = {**about, "items": len(items), "seed": seed, "held_out": figures, "words": len(known.ids)}
    return replace(final, about=told)


def _parted(
    items: list[tuple[str, str]], picker: random.Random
) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[tuple[str, str]]]:
    """Items to learn from, to choose by, and to report on, each class in the same shares."""
    by_class: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in items:
        by_class[item[1]].append(item)
    learn, check, held = [], [], []
    for code in sorted(by_class):
        own = sorted(by_class[code])
        picker.shuffle(own)
        last, middle = round(len(own) * _HELD_OUT), round(len(own) * _VALIDATION)
        held += own[:last]
        check += own[last : last + middle]
        learn += own[last + middle :]
    return learn, check, held


def _made(own: set[str], picker: random.Random) -> list[tuple[str, str]]:
    """Questions of every discipline, made of frames and of words that are listed for it alone."""
    known = model()
    number = len(known.disciplines)
    lists: dict[str, list[str]] = defaultdict(list)
    best = known.rows[:, :number].argmax(axis=1).tolist()
    for word, at in known.ids.items():
        lists[known.disciplines[best[at]]].append(word)
    made = []
    for code in known.disciplines:
        for _ in range(_MADE):
            frame = picker.choice(_FRAMES)
            words = picker.sample(lists[code], 2)
            text = frame.format(*words[: frame.count("{}")])
            row = known.rows[known.ids[words[0]], number:]
            sub = known.subs[int(row.argmax())]
            made.append((text, sub if sub in own else code))
    return made


def _fit(items: list[tuple[str, str]], taught: frozenset[str], seed: int) -> Learned:
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    vectors = CountVectorizer(analyzer=pieces_of, binary=True, min_df=2, max_features=_MAX_PIECES)
    rows = vectors.fit_transform([text for text, _ in items])
    fitted = LogisticRegression(C=1.0, max_iter=100, tol=1e-3, class_weight="balanced", random_state=seed)
    with threadpool_limits(1):  # so small a fit takes longer on several threads
        fitted.fit(rows, [code for _, code in items])
    names = {str(name): at for at, name in enumerate(vectors.get_feature_names_out())}
    weights = np.asarray(fitted.coef_, np.float16).astype(np.float32).T  # as the file keeps them
    if weights.shape[1] == 1:  # of two classes the library keeps one
        weights = np.hstack([-weights, weights])
    return Learned(tuple(str(code) for code in fitted.classes_), taught, names, weights, 1.0, {})


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """Items with what the lists say of them and what was learned, each reckoned once."""

    codes: list[str]
    lists: tuple[Reals, Reals]
    learned: tuple[Reals, Reals]

    @classmethod
    def of(cls, items: list[tuple[str, str]], fitted: Learned) -> _Tried:
        texts = [text for text, _ in items]
        more = gained(texts, replace(fitted, trust=1.0))
        lists = add_up([find(text) for text in texts])
        return cls([code for _, code in items], lists, more or lists)

    def recalls(self, trust: float) -> dict[str, tuple[float, int]]:
        """Recall and number of items by class; a class is found when its code begins the code said."""
        known = model()
        sums, by_sub = (old + new * trust for old, new in zip(self.lists, self.learned, strict=True))
        subs = chances(raised(sums, by_sub))
        best = (subs @ known.members).argmax(axis=1)
        said = [known.subs[at] for at in (subs * known.members.T[best]).argmax(axis=1)]
        right: Counter[str] = Counter()
        for code, sub in zip(self.codes, said, strict=True):
            right[code] += sub.startswith(code)
        return {code: (round(right[code] / n, 4), n) for code, n in Counter(self.codes).items()}


def _trust(fitted: Learned, check: list[tuple[str, str]], others: list[tuple[str, str]]) -> float:
    """The trust with the best mean recall on check among those by which no class loses; 0 where all do."""
    parts = [_Tried.of(check, fitted), _Tried.of(others, fitted)]
    before = [part.recalls(0.0) for part in parts]
    best, found = 0.0, sum(recall for recall, _ in before[0].values())
    for trust in _TRUSTS:
        after = [part.recalls(trust) for part in parts]
        kept = all(
            now[code][0] >= recall - _MOST_LOST
            for then, now in zip(before, after, strict=True)
            for code, (recall, _) in then.items()
        )
        total = sum(recall for recall, _ in after[0].values())
        if kept and total > found:
            best, found = trust, total
    return best
