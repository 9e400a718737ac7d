"""Questions of our own, some for every sub-discipline: a change to the word lists must not lose them."""

from collections import defaultdict
from pathlib import Path

from ingest.classify.filing import file_texts
from schemas.taxonomy import taxonomy

QUESTIONS = Path(__file__).parents[1] / "golden" / "questions"


def read() -> list[tuple[str, str]]:
    lines = [line for path in sorted(QUESTIONS.glob("*.tsv")) for line in path.read_text().splitlines()]
    return [(code, text) for code, _, text in (line.partition("\t") for line in lines) if text]


def test_own_questions_are_filed_by_their_text_alone() -> None:
    asked = read()
    assert {code for code, _ in asked} <= taxonomy().sub_disciplines.keys()
    assert len({text for _, text in asked}) == len(asked)
    filed = file_texts([text for _, text in asked])
    right: dict[str, list[bool]] = defaultdict(list)
    for (code, _), one in zip(asked, filed, strict=True):
        right[code[:3]].append(one.discipline == code[:3])
    shares = {code: sum(found) / len(found) for code, found in right.items()}
    assert min(shares.values()) >= 0.65, shares
    assert sum(map(sum, right.values())) >= 0.82 * len(asked)
    assert sum(one.sub_discipline == code for (code, _), one in zip(asked, filed, strict=True)) >= 0.74 * len(
        asked
    )
