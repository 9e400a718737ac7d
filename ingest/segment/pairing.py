"""Papers and their keys in files of their own: paired by name, joined by numbering and content."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from ingest.segment.align import attach
from ingest.segment.answers import CORRECTED, looks_like_key_name
from ingest.segment.confidence import doubt_answer
from ingest.segment.corrections import with_flag
from ingest.segment.forms import heading_form
from ingest.segment.key import Entry
from ingest.segment.solved import answered_by, as_printed, without_solved_lines
from schemas.document import Notice
from schemas.question import Draft, Dropped, Extraction

_KEY_WORDS = re.compile(
    r"(?:(?:参考|标准)?(?:答案|解答|评分(?:标准|细则|参考|要点)|答题要点)[及与和]?)+"
    r"|(?<![a-z])(?:answers?|keys?|solutions?)(?![a-z])"
)
_PAPER_WORDS = re.compile(r"试题|试卷|题目|(?<![a-z])(?:questions?|exam|paper)(?![a-z])")
_MARKS = re.compile(r"[\s_\-—()（）\[\]【】.,，、]+")
_SERIAL = re.compile(r"^\d{1,4}[\s_.-]+")


def pair(
    extractions: Sequence[Extraction], answers: Mapping[str, str] | None = None
) -> tuple[Extraction, ...]:
    """Extractions with the answers of their key files attached, in the same order.

    answers: SHA-256 of a question file → SHA-256 of its key, as the user said; it goes before what
    the file names suggest. A key whose name fits two papers is paired with neither. A key that was
    said to be one and gives its paper no answer has a notice, `answers_unused`, as has the paper.
    """
    out = list(extractions)
    links = _links(extractions, answers or {})
    for paper, key in links.items():
        out[paper] = _join(extractions[paper], extractions[key])
        if not extractions[key].answer_key:
            out[key] = as_printed(extractions[key], extractions[paper])
            out[key] = _doubted(extractions[key], out[key])
        out[paper] = _doubted(extractions[paper], out[paper])
    for place, message in _in_vain(out, answers or {}):
        notice = Notice(code="answers_unused", message=message)
        out[place] = out[place].model_copy(update={"notices": (*out[place].notices, notice)})
    return tuple(without_solved_lines(extraction) for extraction in out)


def _in_vain(joined: Sequence[Extraction], said: Mapping[str, str]) -> list[tuple[int, str]]:
    """(place, what to say) of each paper and key that were named together and share no answer."""
    places = {extraction.sha256: place for place, extraction in enumerate(joined)}
    found = []
    for paper, key in said.items():
        if paper not in places:
            continue
        drafts = joined[places[paper]].drafts
        if key not in places:
            found.append((places[paper], "the key that was named for it could not be read"))
            continue
        name = joined[places[key]].source
        if any(draft.answer_source.startswith((f"{name}:", f"{name} ")) for draft in drafts):
            continue
        why = "it reads as a paper, not as a key"
        if joined[places[key]].answer_key:
            own = bool(drafts) and all(draft.answer for draft in drafts)
            why = "the paper has its answers in itself" if own else "its answers fit no question"
        elif not joined[places[key]].drafts:
            why = "no answer was found in it"
        source = joined[places[paper]].source
        found.append((places[paper], f"no answer came from {name}, which was named as its key: {why}"))
        found.append((places[key], f"named as the key of {source}, and gave it no answer: {why}"))
    return found


def _doubted(before: Extraction, after: Extraction) -> Extraction:
    drafts = [
        new if _same_evidence(new, old) else doubt_answer(new)
        for old, new in zip(before.drafts, after.drafts, strict=True)
    ]
    return after.model_copy(update={"drafts": tuple(drafts)})


def _same_evidence(new: Draft, old: Draft) -> bool:
    return (new.answer_source, new.flags, new.evidence) == (old.answer_source, old.flags, old.evidence)


def _links(extractions: Sequence[Extraction], said: Mapping[str, str]) -> dict[int, int]:
    by_hash = {extraction.sha256: i for i, extraction in enumerate(extractions)}
    links = {by_hash[q]: by_hash[k] for q, k in said.items() if q in by_hash and k in by_hash}
    names = [_stem(extraction.source) for extraction in extractions]
    keys = [
        i
        for i, e in enumerate(extractions)
        if (e.answer_key or looks_like_key_name(e.source)) and i not in links.values()
    ]
    claims: dict[int, list[int]] = {}
    for key in keys:
        if key in links:
            continue
        papers = [
            i
            for i, e in enumerate(extractions)
            if i != key and i not in keys and e.drafts and names[i] and names[i] == names[key]
        ]
        if len(papers) == 1 and papers[0] not in links:
            claims.setdefault(papers[0], []).append(key)
    links.update({paper: found[0] for paper, found in claims.items() if len(found) == 1})
    return links


def _stem(name: str) -> str:
    text = unicodedata.normalize("NFKC", name.rsplit(".", 1)[0]).lower()
    text = _KEY_WORDS.sub("", _SERIAL.sub("", text))
    return _MARKS.sub("", _PAPER_WORDS.sub("", text)) or _MARKS.sub("", text)


def _join(paper: Extraction, key: Extraction) -> Extraction:
    entries = [_entry(draft) for draft in key.drafts]
    if key.answer_key:
        drafts, unused = attach(paper.drafts, entries, key.source)
        drafts = _outnumbered(drafts, entries, unused)
    else:
        drafts, unused = answered_by(paper.drafts, key.drafts, key.source), []
    dropped = [
        Dropped(
            source=key.source,
            text=f"{e.heading[:40]} {e.number}: {e.text}"[:200],
            reason="answer without a question",
        )
        for e in unused
    ]
    return paper.model_copy(update={"drafts": tuple(drafts), "dropped": (*paper.dropped, *dropped)})


def _outnumbered(drafts: Sequence[Draft], entries: Sequence[Entry], unused: Sequence[Entry]) -> list[Draft]:
    """Drafts, those flagged whose part of the key goes on to numbers that the paper does not have.

    Then it may be the key of another paper: the answers stay, and a curator looks at them.
    """
    out = []
    for draft in drafts:
        mine = [entry for entry in entries if entry.heading == draft.section]
        over = [entry for entry in unused if entry.heading == draft.section and entry.number]
        if "key file" in draft.answer_source and len(over) >= max(2, 0.2 * len(mine)):
            draft = with_flag(draft, "answer_conflict")
        out.append(draft)
    return out


def _entry(draft: Draft) -> Entry:
    number = re.sub(r"\D", "", draft.number)
    return Entry(
        section=int(draft.evidence.get("section", "0")),
        section_value=int(draft.evidence.get("section_value", "0")),
        heading=draft.section,
        form=heading_form(draft.section) if draft.section else None,
        number=int(number) if number else 0,
        text=draft.answer or "",
        regions=draft.answer_regions,
        rule=CORRECTED if draft.evidence.get("answer") == CORRECTED else "key file",
    )
