"""The one constant of filing that is fitted: the temperature of `ingest.classify.evidence`.

    python benchmarks/classify_calibration.py LABELLED.jsonl [--seed 8]

Rows have text and discipline (a Chinese name of the taxonomy). A seeded half of them picks the
temperature with the least calibration error (ten bins); the figures are of the other half, beside
those of the committed constant. Nothing else is taken from the rows.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingest.classify import evidence
from ingest.classify.model import model
from schemas.taxonomy import taxonomy

GRID = [round(0.2 + 0.02 * n, 2) for n in range(21)]
BINS = 10


def figures(
    sums: NDArray[np.float32], by_sub: NDArray[np.float32], truth: NDArray[np.int64], temper: float
) -> tuple[float, float, float]:
    """Accuracy, that of the more confident half, and the calibration error."""
    evidence._TEMPER = temper
    known = model()
    by_discipline = evidence.chances(evidence.raised(sums, by_sub)) @ known.members
    sure = np.minimum(by_discipline.max(axis=1), 0.99)
    right = (by_discipline.argmax(axis=1) == truth) & (sure > 0)
    said = sure > 0
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    wrong = sum(
        abs(sure[said & (bins == n)].sum() - right[said & (bins == n)].sum()) for n in range(BINS)
    ) / max(said.sum(), 1)
    half = np.argsort(-sure, kind="stable")[: max(len(truth) // 2, 1)]
    return float(right.mean()), float(right[half].mean()), float(wrong)


def main() -> None:
    """Fit on one half, report on the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labelled", type=Path)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    rows = [
        json.loads(line) for line in args.labelled.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    committed = evidence._TEMPER
    known = model()
    names = [taxonomy().disciplines[code].zh for code in known.disciplines]
    truth = np.array([names.index(row["discipline"]) for row in rows])
    sums, by_sub = evidence.add_up([evidence.find(row["text"]) for row in rows])
    order = list(range(len(rows)))
    random.Random(args.seed).shuffle(order)
    one, other = order[: len(order) // 2], order[len(order) // 2 :]
    errors = {temper: figures(sums[one], by_sub[one], truth[one], temper)[2] for temper in GRID}
    fitted = min(GRID, key=lambda temper: errors[temper])
    print(f"{len(rows)} rows; fitted on {len(one)}: {fitted} (error {errors[fitted]:.4f})\n")
    print("temperature   accuracy   confident half   calibration error   (the other half)")
    for name, temper in (("fitted", fitted), ("committed", committed), ("none", 1.0)):
        right, half, wrong = figures(sums[other], by_sub[other], truth[other], temper)
        print(f"{name:9} {temper:<4} {right:8.4f} {half:12.4f} {wrong:18.4f}")


if __name__ == "__main__":
    main()
