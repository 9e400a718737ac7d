"""What a paper says of itself: kind of exam and year, from its title or file name."""

from __future__ import annotations

import re

from ingest.classify.names import title_head

_KINDS = (
    ("midterm", re.compile(r"期中|mid[- ]?term", re.IGNORECASE)),
    ("entrance", re.compile(r"考研|研究生入学|硕士.{0,6}入学|统考真题|联考|专升本|高考|entrance", re.I)),
    ("final", re.compile(r"期末|末考|学期.{0,12}(?:试卷|考试|试题)|\bfinals?\b|final exam", re.IGNORECASE)),
    ("homework", re.compile(r"作业|习题|练习|复习题|思考题|homework|assignment|problem set|exercise", re.I)),
)  # fmt: skip
_YEAR = re.compile(r"(?<!\d)((?:19[89]|20[0-4])\d)(?!\d{1,3}(?!\d))(?:(?=\d{4}(?!\d))|(?!\d))")
_SHORT_YEAR = re.compile(r"(?<!\d)([0-3]\d)(?=年|春|秋|级|期末|期中|final|mid)")


def exam_facts(title: str, source: str) -> tuple[str, int | None]:
    """Kind ('midterm', 'final', 'entrance', 'homework' or '') and year (1980-2049 or None).

    The title is asked before the file name. Of an academic year 2014-2015 the first is taken.
    """
    title = title_head(title)
    kind = next((k for text in (title, source) for k, words in _KINDS if words.search(text)), "")
    for text in (title, source):
        if year := _YEAR.search(text):
            return kind, int(year[1])
    for text in (title, source):
        if short := _SHORT_YEAR.search(text):
            return kind, 2000 + int(short[1])
    return kind, None
