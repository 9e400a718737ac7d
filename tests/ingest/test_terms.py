"""The lists of words a curator edits: codes that exist, shared words marked in every place."""

from collections import defaultdict

from ingest.classify.terms import EVERYDAY, Entry, listed
from schemas.taxonomy import taxonomy


def test_a_word_under_two_sub_disciplines_is_marked_shared_in_each() -> None:
    places: dict[str, list[Entry]] = defaultdict(list)
    for entry in listed():
        if entry.code != EVERYDAY:
            places[entry.word].append(entry)
    wrong = [
        f"{e.file}:{e.line} {e.word} under {e.code}"
        for entries in places.values()
        for e in entries
        if e.shared != (len({o.code for o in entries}) > 1)
    ]
    assert not wrong, "mark with * exactly what stands under several codes: " + "; ".join(wrong)


def test_every_line_names_a_sub_discipline_of_its_file() -> None:
    known = taxonomy().sub_disciplines
    for entry in listed():
        own = entry.code == EVERYDAY if entry.file == "everyday.tsv" else entry.code in known
        assert own and (entry.code == EVERYDAY or entry.code.startswith(entry.file[:3])), entry
        assert len(entry.word) >= 2, entry
