"""What the codes mean that stand behind a review, in a few words each: for `exambank stats`."""

from __future__ import annotations

from collections.abc import Iterable

MEANINGS = {
    "answer_conflict": "the answer printed at the question and the one in the key differ",
    "answer_in_stem": "the question shows its own answer",
    "answer_only": "an answer whose question was not found",
    "answer_truncated": "the answer breaks off",
    "answer_unmarked": "the text taken as the answer is not marked as one",
    "answers_shifted": "the answers here fit the questions one place on or back",
    "answers_conflict": "the same question is in the bank with another answer",
    "correction_unread": "a correction printed with the paper names this question",
    "formula_lost": "a formula could not be read",
    "low_extraction_confidence": "the reading is doubtful, or where the question begins and ends",
    "low_label_confidence": "the discipline is not sure",
    "lone_formula": "a formula alone, with no word of what to do with it",
    "mojibake": "characters are garbled",
    "near_duplicate": "it may be the same as a question in the bank",
    "needs_figure": "it cannot be understood without its figure",
    "no_answer": "a choice without an answer cannot be made into open questions",
    "non_question": "the text asks nothing",
    "not_read_again": "a newer reading of its file has no such question",
    "options_missing": "options of a choice are missing",
    "options_repeated": "two options of a choice are the same",
    "personal_data": "personal data was taken out",
    "points_outside": "the question points to something outside itself",
    "read_otherwise": "a newer reading of its file differs from what a reviewer decided",
    "retired_copy": "it is a copy of a question that was retired",
    "truncated": "the question breaks off",
}


def explained(reasons: Iterable[str]) -> list[tuple[str, str]]:
    """(code, meaning) of every known code in these reasons, in their order; a reason may list several."""
    codes = dict.fromkeys(code.strip() for reason in reasons for code in reason.split(","))
    return [(code, MEANINGS[code]) for code in codes if code in MEANINGS]
