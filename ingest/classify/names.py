"""Course and discipline names in titles, file names and folders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from ingest.classify.match import Hit, Matcher, prepare
from schemas.taxonomy import course_by_exam_code, names, taxonomy

# 中医药大学, 数学科学学院: the name of an institution says who set the paper, not what it is about.
_INSTITUTION = re.compile(
    r"^(?:与|和|及|科学|技术|工程|科技|信息|职业){0,3}(?:大学(?!物理|化学|英语|语文|数学|计算机|体育|生)|学院|学校|系(?!统))"
)
# 北京大学数学分析 must not be read as 大学数学: only after one of these is 大学 the head of a title.
_AFTER_NAME = re.compile(
    r"(?<=[\u4e00-\u9fff])(?<!期末)(?<!期中)(?<!考试)(?<!试题)(?<!真题)(?<!试卷)(?<!学期)(?<![年春秋级])大学"
)
_EXAM_CODE = re.compile(r"(?<!\d)([1-4]\d\d)(?!\d)")
_EXAM_WORD = re.compile(r"考研|统考|联考|硕士|研究生入学|kaoyan|graduate entrance", re.IGNORECASE)
_FIRST_MARK = re.compile(
    r"(?:^|\s)(?:例\s*[一1]|[（(]?[一1][)）]?\s*[、.．,，:：)）]|第[一1]部分|part (?:a|i|1)\b|question 1\b)",
    re.IGNORECASE,
)
_LEVEL_DIGIT = re.compile(r"(?<=[A-Za-z]{3})(?=\d)")
_SEPARATORS = re.compile(r"[_\-+.·~]+")


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """A name that was found: where, the word itself, the codes it stands for and its weight."""

    where: str
    word: str
    discipline: str
    sub_discipline: str = ""
    course: str = ""
    weight: float = 0.0

    @property
    def method(self) -> str:
        """As kept on the label, e.g. 'title:数据结构'."""
        return f"{self.where}:{self.word}"


_WHERE = {"title": 1.0, "file": 0.85, "folder": 0.7}


def title_head(title: str) -> str:
    """The title up to the first mark of a section or question: the lines taken may run into the paper."""
    return _FIRST_MARK.split(title, maxsplit=1)[0]


@cache
def _index() -> tuple[Matcher, dict[str, tuple[str, str, str]]]:
    """Every name -> (discipline, sub-discipline, course); courses first, then disciplines, then classes."""
    tax = taxonomy()
    found: dict[str, tuple[str, str, str]] = {}
    for course in tax.courses.values():
        for name in names(course):
            found.setdefault(prepare(name), (course.discipline, course.sub_discipline, course.code))
    # A name shared by a discipline and its main class (历史学, philosophy) means the whole discipline.
    for discipline in tax.disciplines.values():
        for name in names(discipline):
            if discipline.code != "d00":
                found.setdefault(prepare(name), (discipline.code, "", ""))
    for sub in tax.sub_disciplines.values():
        for name in names(sub):
            found.setdefault(prepare(name), (sub.discipline, sub.code, ""))
    return Matcher(found), found


def _weight(word: str, course: str, sub: str) -> float:
    """Log-odds a name carries in a title; a two-letter alias says less than a whole title."""
    size = len(word) // 3 if word.isascii() else len(word)
    return min(3.0 + 0.75 * size, 7.5) if course else 4.5 if sub else 3.5


def find_names(where: str, text: str) -> tuple[NameEvidence, ...]:
    """Names in a title, a file name or one folder, strongest first."""
    matcher, index = _index()
    prepared = prepare(text if where == "title" else _LEVEL_DIGIT.sub(" ", _SEPARATORS.sub(" ", text)))
    prepared = _AFTER_NAME.sub("大学 ", prepared)
    found: dict[str, NameEvidence] = {}
    for hit in matcher.find(prepared):
        if _INSTITUTION.match(prepared[hit.end : hit.end + 12]):
            continue
        evidence = _evidence(where, hit, index[hit.word])
        found.setdefault(hit.word, evidence)
    if _EXAM_WORD.search(prepared):
        for match in _EXAM_CODE.finditer(prepared):
            course = course_by_exam_code(match[1])
            if course is not None:
                found[match[1]] = NameEvidence(
                    where,
                    match[1],
                    course.discipline,
                    course.sub_discipline,
                    course.code,
                    7.0 * _WHERE[where],
                )
    return tuple(sorted(found.values(), key=lambda e: (-e.weight, -len(e.word))))


def _evidence(where: str, hit: Hit, codes: tuple[str, str, str]) -> NameEvidence:
    discipline, sub, course = codes
    return NameEvidence(
        where, hit.word, discipline, sub, course, _weight(hit.word, course, sub) * _WHERE[where]
    )


def name_evidence(title: str, source: str, folder: str) -> tuple[NameEvidence, ...]:
    """The strongest name of the title, of the file name and of the innermost telling folder."""
    best = [find_names("title", title_head(title))[:1], find_names("file", PurePosixPath(source).stem)[:1]]
    for part in reversed(re.split(r"[/\\]+", folder)):
        if there := find_names("folder", part):
            best.append(there[:1])
            break
    return tuple(e for group in best for e in group)
