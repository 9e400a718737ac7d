"""Two constants of the word model, chosen on own example questions by cross-validation.

    python benchmarks/classify_own.py [FOLDER] [--folds 5] [--seed 1]

FOLDER has lines code<TAB>text in *.tsv (by default tests/golden/questions); of a question with options
the stem alone is taken. The sub-disciplines are parted into folds; for each, the pair of constants
with the most right on the others is taken, and tried on it. Prints that beside what each pair does on all.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingest.classify import model
from ingest.classify.filing import file_texts

SUBJECT, FLOOR = (2.0, 2.5, 3.0, 4.0), (0.1, 0.2, 0.3)
_QUESTIONS = Path(__file__).parents[1] / "tests" / "golden" / "questions"
_OPTIONS = re.compile(r"\s*A[.．、].*$", re.DOTALL)


def read(folder: Path) -> list[tuple[str, str]]:
    """Codes of sub-disciplines and stems."""
    lines = [line for path in sorted(folder.glob("*.tsv")) for line in path.read_text().splitlines()]
    pairs = [line.split("\t", 1) for line in lines if "\t" in line and not line.startswith("#")]
    return [(code, _OPTIONS.sub("", text) or text) for code, text in pairs]


def rightly(asked: Sequence[tuple[str, str]], subject: float, floor: float) -> NDArray[np.float64]:
    """Whether the discipline, and whether the sub-discipline, of each question is right: (questions, 2)."""
    model._SUBJECT, model._FLOOR = subject, floor
    model.kept = lambda make: make()  # the cache is for the committed constants
    model.model.cache_clear()
    filed = file_texts([text for _, text in asked])
    return np.array(
        [
            (one.discipline == code[:3], one.sub_discipline == code)
            for (code, _), one in zip(asked, filed, strict=True)
        ],
        float,
    )


def main() -> None:
    """Try every pair on all questions, then choose by fold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=_QUESTIONS)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    asked = read(args.folder)
    committed = model._SUBJECT, model._FLOOR
    tried = {pair: rightly(asked, *pair) for pair in product(SUBJECT, FLOOR)}
    print(f"{len(asked)} questions\n\nsubject  floor   discipline   sub-discipline")
    for pair, right in tried.items():
        mark = "  as committed" if pair == committed else ""
        print(f"{pair[0]:7} {pair[1]:6} {right[:, 0].mean():12.4f} {right[:, 1].mean():16.4f}{mark}")
    codes = sorted({code for code, _ in asked})
    random.Random(args.seed).shuffle(codes)
    fold = {code: at % args.folds for at, code in enumerate(codes)}
    which = np.array([fold[code] for code, _ in asked])
    chosen = np.zeros((len(asked), 2))
    for held in range(args.folds):
        best = max(tried, key=lambda pair: tried[pair][which != held].sum())
        chosen[which == held] = tried[best][which == held]
        print(f"fold {held}: {best} by the others")
    print(f"cross-validated: discipline {chosen[:, 0].mean():.4f}, sub-discipline {chosen[:, 1].mean():.4f}")


if __name__ == "__main__":
    main()
