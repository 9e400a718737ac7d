"""Which questions are joined does not depend on the batches they came in, nor on their ids."""

from __future__ import annotations

import random

from bank.dedup.whole import regroup
from benchmarks.dedup_scale import table_of
from benchmarks.dedup_steady import chained, increments
from benchmarks.made_bank import MadeBank, make
from schemas.settings import DedupSettings


def test_batches_join_what_one_batch_joins_and_dedup_makes_them_the_same() -> None:
    made = make(1500, 3)
    share, same = increments(made, 3)
    assert share >= 0.995
    assert same
    assert increments(chained(made, 3), 3)[1]


def test_groups_do_not_depend_on_the_ids_that_questions_have() -> None:
    made = chained(make(2000, 2), 2)
    found = []
    for seed in range(3):
        texts = list(made.texts)
        random.Random(seed).shuffle(texts)  # a made bank's ids count its texts
        clusters = regroup(table_of(MadeBank(texts)), DedupSettings()).clusters
        found.append({frozenset([c.keeper.prompt, *(m.prompt for m in c.members)]) for c in clusters})
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 90
