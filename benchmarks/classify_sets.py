"""Filing with the whole paper known: sets of 20 questions of one subject, drawn by seed from labelled rows.

    python benchmarks/classify_sets.py LABELLED.jsonl [--by subdiscipline] [--size 20] [--draws 5] [--seed 1]

Rows have text, discipline (a Chinese name) and the field that names their subject. Prints the share
of sets filed rightly by their vote, beside that of their questions taken one by one.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from pathlib import Path

from ingest.classify.evidence import find
from ingest.classify.filing import file_texts
from ingest.classify.label import decide, vote
from schemas.taxonomy import taxonomy


def main() -> None:
    """Draw sets, file them, count."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labelled", type=Path)
    parser.add_argument("--by", default="subdiscipline")
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rows = [
        json.loads(line) for line in args.labelled.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row.get(args.by):
            groups[row["discipline"], row[args.by]].append(row["text"])
    picker, names = random.Random(args.seed), taxonomy().disciplines
    sets = right = single = questions = 0
    wrong: Counter[tuple[str, str, str]] = Counter()
    for (discipline, subject), texts in sorted(groups.items()):
        for _ in range(args.draws if len(texts) >= args.size else 0):
            drawn = picker.sample(texts, args.size)
            said = names[decide((), vote([find(text) for text in drawn])).discipline].zh
            sets, right = sets + 1, right + (said == discipline)
            if said != discipline:
                wrong[discipline, subject, said] += 1
            filed = file_texts(drawn)
            questions += len(filed)
            single += sum(bool(one.discipline) and names[one.discipline].zh == discipline for one in filed)
    print(f"{sets} sets of {args.size} from {args.labelled.name} by {args.by}")
    print(f"filed rightly by vote      {right / max(sets, 1):.4f}")
    print(f"their questions one by one {single / max(questions, 1):.4f}")
    for (discipline, subject, said), times in wrong.most_common():
        print(f"  {discipline} {subject} as {said}: {times} of {args.draws}")


if __name__ == "__main__":
    main()
