"""The lists of words a curator edits: codes that exist, shared words marked in every place."""

from collections import defaultdict

from ingest.classify.terms import EVERYDAY, Entry, Force, leanings, listed, neighbours
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


def test_leanings_and_neighbours_name_what_is_there() -> None:
    tax = taxonomy()
    known = {*tax.sub_disciplines, *tax.disciplines}
    for leaning in leanings():
        assert set(leaning.codes) <= known and bool(leaning.codes) != (leaning.force is Force.PLAIN), leaning
        assert len(leaning.word) >= 2 or leaning.force is Force.PLAIN, leaning
    pairs = [(code, other) for code, other, _ in neighbours()]
    assert {name for pair in pairs for name in pair} <= set(tax.sub_disciplines)
    assert len(pairs) == len(set(pairs)) and all(code != other for code, other in pairs)
    assert all(0 < weight < 1 for _, _, weight in neighbours())
