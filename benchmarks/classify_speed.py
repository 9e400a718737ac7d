"""How fast questions are filed by their text, and what the model takes.

    python benchmarks/classify_speed.py [--questions 20000] [--seed 1]

Questions are made up of listed words and plain ones, about 40 characters long. Ratios are to the
time that cutting the same texts into words alone takes.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import ingest.classify
from ingest.classify.evidence import find
from ingest.classify.filing import file_texts
from ingest.classify.match import prepare
from ingest.classify.model import model


def main() -> None:
    """Build the model, make questions, file them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    begun = time.process_time()
    known = model()
    built = time.process_time() - begun
    picker = random.Random(args.seed)
    words, plain = list(known.ids), sorted(known.plain)
    texts = []
    for _ in range(args.questions):
        parts = [part for _ in range(5) for part in (picker.choice(plain), picker.choice(words))]
        texts.append("".join(parts) + "？")
    seconds = {}
    for name, work in (
        ("cut into words", lambda: [known.segmenter.cut(prepare(text)) for text in texts]),
        ("find all evidence", lambda: [find(text) for text in texts]),
        ("file, with type", lambda: file_texts(texts)),
    ):
        begun = time.process_time()
        work()
        seconds[name] = time.process_time() - begun
    lists = sum(file.stat().st_size for file in Path(ingest.classify.__path__[0]).rglob("*.tsv"))
    memory = known.rows.nbytes + known.gram_rows.nbytes
    mean = sum(map(len, texts)) / len(texts)
    print(
        f"{len(words):,} words, lists {lists / 1e6:.1f} MB, tables {memory / 1e6:.0f} MB, "
        f"built in {built:.2f} s"
    )
    print(f"{len(texts):,} questions of {mean:.0f} characters, one core, CPU time\n")
    base = seconds["cut into words"]
    for name, taken in seconds.items():
        print(f"{name:18} {taken:6.2f} s {len(texts) / taken:9,.0f} a second   x {taken / base:.2f}")


if __name__ == "__main__":
    main()
